"""Searches on the workers of a Dask cluster: to the same bytes as in one process.

The base is cut into shards and the queries into blocks; a task finds the k nearest rows of one block in one shard, and
the k smallest (distance, id) of all shards are the k nearest of all. Which worker answers what, when, and how often
changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.large.sending import Sender, Task
from reportgen.space.exact import direct_exponent, k_nearest_here
from reportgen.space.merged import merged
from reportgen.spread import tell

_FEWEST_PAIRS = 1 << 28
"""A search of fewer pairs is over here before it would have been sent."""
_SHARD_ROWS = 1 << 18
"""Rows of a shard of the base at least; fewer would cost more for each pair."""
_SHARD_BYTES = 1 << 28
_PAIRS = 1 << 33
"""A task has about so many pairs: some 5 seconds of a processor."""
_TASKS_EACH = 4
"""Tasks of each worker and shard at least, so that none waits long for the others."""
_QUERIES = 4096
"""But so many queries at least: a shard is prepared once a task."""


class Sharding:
    """Answers searches on the workers of a scheduler."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def search(
        self, queries: Floats, base: Floats, k: int, threads: int, direct: int | None = None
    ) -> tuple[Floats, Ints]:
        """Answer as `k_nearest`."""
        if len(queries) * len(base) < _FEWEST_PAIRS:
            return k_nearest_here(queries, base, k, threads, direct)
        if direct is None:
            direct = direct_exponent(queries, base)
        workers = max(1, self._sender.workers())
        shards = _cut(len(base), _rows_of_shard(base, workers))
        evenly = -(-len(queries) // (_TASKS_EACH * workers))
        blocks = _cut(len(queries), max(_QUERIES, min(evenly, _PAIRS // (shards[0].stop - shards[0].start))))
        cut = {
            **{("queries", place): (queries, part) for place, part in enumerate(blocks)},
            **{("base", place): (base, part) for place, part in enumerate(shards)},
        }

        def rows_of(name: Any) -> Floats:
            rows, part = cut[name]
            return np.ascontiguousarray(rows[part])

        tasks = [
            Task((("queries", block), ("base", shard)), (k, part.start, direct))
            for block in range(len(blocks))
            for shard, part in enumerate(shards)
        ]
        found: list[tuple[Floats, Ints] | None] = [None] * len(blocks)
        with self._sender.parts(rows_of) as parts:
            for done, (number, answer) in enumerate(self._sender.answers(_nearest_in_shard, tasks, parts), 1):
                block = number // len(shards)
                known = found[block]
                found[block] = answer if known is None else merged(known, answer, k)
                tell("search", done, len(tasks))
        distances, ids = zip(*(answer for answer in found if answer is not None), strict=True)
        return np.concatenate(distances), np.concatenate(ids)


def _nearest_in_shard(queries: Floats, base: Floats, k: int, start: int, direct: int) -> tuple[Floats, Ints]:
    """Find the k nearest rows in one shard, on a worker; ids count from `start`."""
    # What was sent is read-only, which FAISS and scipy take for a fault.
    distances, ids = k_nearest_here(np.array(queries), np.array(base), min(k, len(base)), 1, direct)
    return distances, ids + start


def _rows_of_shard(base: Floats, workers: int) -> int:
    """Rows of a shard: one for each worker, neither so few that searching them is slow nor more than fit."""
    most = max(1, _SHARD_BYTES // (8 * int(base.shape[1])))
    return min(most, max(_SHARD_ROWS, -(-len(base) // workers)))


def _cut(rows: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
