"""Exact neighbours from a base in shards: the closest row of each first, then what can still be among the nearest.

With one neighbour asked for and up to 32 dimensions FAISS never holds the distances (a fused kernel). The closest rows
of the shards bound the k-th distance from above; the rows of a shard are looked at only for queries to which its
closest row is within that bound. All rows within the bound become candidates, so that the nearest are among them.
Shards take rows at regular steps, as neighbours often stand next to each other in the base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints
from reportgen.space.candidates import Singles, propose

_ROWS = 5000
"""Rows of a shard where two neighbours are asked for; with more neighbours shards are smaller, as more are entered."""
_FEWEST_ROWS = 1000
_MOST_EACH = 64
"""More candidates than this times k are too many: the query is left to other ways."""
_AT_ONCE = 512
"""Queries compared with a shard at once: 10 MB."""

Measure = Callable[[Ints, Ints], Floats]
"""Exact distances of pairs of a query and a base row, (pairs,)."""
Limit = Callable[[Floats], Floats]
"""What float32 may make of the squares of exact distances, one of each query, (queries,)."""


@dataclass(frozen=True)
class Shards:
    """The base in float32, shard after shard; `ids` of `rows[i]` are `range(i, size, number of shards)`."""

    rows: tuple[Singles, ...]
    lengthened: tuple[Singles, ...]
    """The rows with |y|^2 as one more column, turned over: (dimensions + 1, rows)."""


def cut(singles: Singles, k: int) -> Shards:
    """Cut a base into shards of a size that suits k."""
    number = max(k, -(-len(singles) // max(_FEWEST_ROWS, 2 * _ROWS // max(k, 2))))
    rows = tuple(np.ascontiguousarray(singles[start::number]) for start in range(number))
    return Shards(rows, tuple(_lengthened(each) for each in rows))


def _lengthened(rows: Singles) -> Singles:
    return np.ascontiguousarray(np.vstack((rows.T, np.einsum("ij,ij->i", rows, rows))))


def within(
    shards: Shards, queries: Singles, k: int, measure: Measure, limit: Limit
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Return the k nearest rows of each query by (distance, id), both (queries, k), and for which they are proven.

    `queries` (n, d), centred like the base. What is not proven are some k rows. Needs as many shards as k at least.
    """
    number = len(shards.rows)
    closest, ids = np.empty((len(queries), number)), np.empty((len(queries), number), dtype=np.int64)
    for shard, rows in enumerate(shards.rows):
        closest[:, shard], found = propose(queries, rows, 1)
        ids[:, shard] = found[:, 0] * number + shard
    first = np.argpartition(closest, k - 1, axis=1)[:, :k]
    known = np.take_along_axis(ids, first, axis=1)
    distances = measure(np.repeat(np.arange(len(queries)), k), known.ravel()).reshape(known.shape)
    order = np.lexsort((known, distances), axis=-1)
    distances, known = np.take_along_axis(distances, order, axis=1), np.take_along_axis(known, order, axis=1)
    reach = limit(distances[:, -1])
    owner, other, proven = _reached(shards, queries, ~(closest > reach[:, np.newaxis]), reach, _MOST_EACH * k)
    away = measure(owner, other)
    order = np.lexsort((other, away, owner))
    counts = np.bincount(owner, minlength=len(queries))
    proven &= counts >= k
    places = (np.cumsum(counts) - counts)[proven, np.newaxis] + np.arange(k)
    distances[proven], known[proven] = away[order][places], other[order][places]
    return distances, known, proven


def _reached(
    shards: Shards, queries: Singles, entered: NDArray[np.bool_], reach: Floats, most: int
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Find the rows within `reach`, (queries,), in the shards `entered`, (queries, shards): pairs of query and row.

    And, (queries,), for which queries these are all of them; of those with more than `most` some are left out.
    """
    number = len(shards.rows)
    # |x|^2 + |y|^2 - 2xy <= reach, with |x|^2 on the other side.
    limits = (reach - np.einsum("ij,ij->i", queries, queries)).astype(np.float32)
    # One product gives |y|^2 - 2xy: passes over its entries take longer than the product itself.
    asking = np.hstack((-2 * queries, np.ones((len(queries), 1), dtype=np.float32)))
    counts = np.zeros(len(queries), dtype=np.int64)
    owners, others = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for shard, rows in enumerate(shards.lengthened):
        waiting = np.flatnonzero(entered[:, shard] & (counts <= most))
        for start in range(0, len(waiting), _AT_ONCE):
            at = waiting[start : start + _AT_ONCE]
            far = asking[at] @ rows > limits[at, np.newaxis]
            query, row = np.divmod(np.flatnonzero(~far), rows.shape[1])  # what is no number is not ruled out
            counts[at] += np.bincount(query, minlength=len(at))
            few = counts[at[query]] <= most
            owners.append(at[query[few]])
            others.append(row[few] * number + shard)
    return np.concatenate(owners), np.concatenate(others), counts <= most
