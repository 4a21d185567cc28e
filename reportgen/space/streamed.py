"""Exact neighbours in a base that does not fit into memory: block by block, the answers merged.

Of each block the k nearest rows are found as always; the k smallest (distance, id) of the blocks' answers are the k
nearest of all. Merging is associative, so that neither the size of blocks nor their files change a byte.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints, NeighbourDistances
from reportgen.errors import InputError
from reportgen.read.stream import NumberStream, number_stream
from reportgen.space.equal_rows import Keys, column_keys
from reportgen.space.exact import k_nearest
from reportgen.space.members import members
from reportgen.space.merged import merged
from reportgen.space.on_disk import BLOCK
from reportgen.space.search import different_rows, numbers, to_rows

_NOBODY = np.iinfo(np.int64).max
_FAR, _NEAR = 2.0**479, 2.0**-478


def nearest_two_streamed(
    queries: object, base: str | os.PathLike[str], *, exclude_self: bool, threads: int
) -> NeighbourDistances:
    """As `nearest_two`, with a base read block by block from Parquet; `queries` may be there as well."""
    rows, stream = _opened(queries, base)
    if exclude_self and len(rows) != stream.rows:
        msg = "queries and base differ in their number of rows; exclude_self needs the same rows in both"
        raise InputError(msg)
    if stream.rows - exclude_self < 1:
        msg = "no base row is left to compare with; give more rows"
        raise InputError(msg)
    distances, ids = nearest_in_blocks(rows, _blocks(stream), 2, exclude_self=exclude_self, threads=threads)
    return NeighbourDistances(*distances.T.copy(), *ids.T.copy())


def count_identical(queries: object, base: str | os.PathLike[str] | object) -> Ints:
    """Count the base rows that are identical to each query row, shape (queries,): all numbers equal, -0.0 as 0.0.

    Both as in `nearest_two`; a base given as a path of Parquet is read block by block. Found by hashes of the rows and
    compared number by number. InputError where a value is missing or infinite, or the columns differ.
    """
    if isinstance(base, str | os.PathLike):
        rows, stream = _opened(queries, base)
        blocks: Iterable[Floats] = _blocks(stream)
    else:
        rows, blocks = numbers(queries, "queries"), [numbers(base, "base")]
        _same_width(rows.shape[1], blocks[0].shape[1])
    different, groups = different_rows(rows)
    hashes = _row_hashes(different)
    order = np.argsort(hashes, kind="stable")
    hashes, counts = hashes[order], np.zeros(len(different), dtype=np.int64)
    for block in blocks:
        found = _row_hashes(block)
        first = np.searchsorted(hashes, found, side="left")
        last = np.searchsorted(hashes, found, side="right")
        for step in range(int((last - first).max(initial=0))):  # once, unless two different rows share a hash
            at = np.flatnonzero(first + step < last)
            place = order[first[at] + step]
            counts += np.bincount(place[(different[place] == block[at]).all(axis=1)], minlength=len(counts))
    return counts[groups]


def nearest_in_blocks(
    queries: Floats, blocks: Iterable[Floats], k: int, *, exclude_self: bool = False, threads: int = 1
) -> tuple[Floats, Ints]:
    """Find the k closest rows of all blocks for each query row: distances and ids, both (queries, k).

    As `search.nearest`; ids count the rows of the blocks in their order. `queries` (n, d) and blocks (m, d) are finite
    float64 without -0.0. InputError where numbers are so extreme that a block's scale would depend on the others.
    """
    different, groups = different_rows(queries)
    kept = k + exclude_self
    distances, ids = np.full((len(different), kept), np.inf), np.full((len(different), kept), _NOBODY)
    start, lows, highs = 0, np.full(queries.shape[1], np.inf), np.full(queries.shape[1], -np.inf)
    for block in blocks:
        lows, highs = np.minimum(lows, block.min(axis=0)), np.maximum(highs, block.max(axis=0))
        found, found_ids = _of_block(different, block, kept, threads)
        found_ids = np.where(found_ids < 0, _NOBODY, found_ids + start)
        distances, ids = merged((distances, ids), (found, found_ids), kept)
        start += len(block)
    _check_scale(queries, lows, highs)
    distances, ids = distances[groups], ids[groups]
    if exclude_self:
        itself = ids == np.arange(len(queries))[:, np.newaxis]
        itself[:, -1] |= ~itself.any(axis=1)  # one of more than k identical rows may not find itself
        distances, ids = distances[~itself].reshape(-1, k), ids[~itself].reshape(-1, k)
    return distances, np.where(ids == _NOBODY, -1, ids)


def _of_block(queries: Floats, block: Floats, k: int, threads: int) -> tuple[Floats, Ints]:
    """The k closest rows of one block, as positions in it; identical rows are searched once."""
    groups = _groups(block)
    _, rows_of = members(np.arange(len(block)) if groups is None else groups, k)
    rows = block if groups is None else block[rows_of.first]
    distances, found = k_nearest(queries, rows, min(k, len(rows)), threads, 0)
    return to_rows(distances, found, rows_of, np.arange(len(queries)), k=k, leave_out=None)


def _groups(block: Floats) -> Ints | None:
    """Number the rows of a block so that identical ones have one number; None where no two are identical."""
    hashes = _row_hashes(block)
    order = np.argsort(hashes, kind="stable")
    same = hashes[order][1:] == hashes[order][:-1]
    if not same.any():
        return None
    later, earlier = order[1:][same], order[:-1][same]
    if (block[later] != block[earlier]).any():  # different rows of one hash
        return different_rows(block)[1]
    groups = np.empty(len(block), dtype=np.int64)
    groups[order] = np.cumsum(np.concatenate(([True], ~same))) - 1
    return groups


def _row_hashes(rows: Floats) -> Keys:
    """Hash each row to 64 bits; two rounds, as a number has 64 bits and a key is made of 32."""
    hashes = np.zeros(len(rows), dtype=np.uint64)
    step = max(1, (1 << 18) // rows.shape[1])
    for start in range(0, len(rows), step):
        bits = np.ascontiguousarray(rows[start : start + step]).view(np.int64)
        keys = column_keys((bits >> 32).astype(np.int32)) + np.uint64(3) * column_keys(bits.astype(np.int32))
        hashes[start : start + step] = keys.sum(axis=1, dtype=np.uint64)
    return hashes


def _check_scale(queries: Floats, lows: Floats, highs: Floats) -> None:
    """Refuse numbers that a search in memory would scale before it squares them: the scale is that of all rows."""
    base = max(float(-lows.min()), float(highs.max()))
    largest = max(base, float(np.abs(queries).max(initial=0)))
    spread = float((highs - lows).max()) if math.isfinite(base) else 0.0
    if largest > _FAR or 0 < (spread or largest) < _NEAR:
        msg = "numbers beyond 1e144, or all within 1e-144 of each other, cannot be streamed; rescale the columns"
        raise InputError(msg)


def _opened(queries: object, base: str | os.PathLike[str]) -> tuple[Floats, NumberStream]:
    """Return the query rows and the base, whose columns are those of the queries by name where they have names."""
    if isinstance(queries, str | os.PathLike):
        asked = number_stream(queries, "queries")
        rows = next(asked.blocks(asked.rows), np.zeros((0, len(asked.names)))) if asked.rows else None
        rows = np.zeros((0, len(asked.names))) if rows is None else rows
        return rows, number_stream(base, "base", asked.names)
    rows = numbers(queries, "queries")
    names = getattr(queries, "columns", None)
    stream = number_stream(base, "base", None if names is None else [str(name) for name in names])
    _same_width(rows.shape[1], len(stream.names))
    return rows, stream


def _same_width(queries: int, base: int) -> None:
    if queries != base:
        msg = f"queries have {queries} columns and base has {base}; give the same columns"
        raise InputError(msg)


def _blocks(stream: NumberStream) -> Iterator[NDArray[np.float64]]:
    return stream.blocks(max(1, BLOCK // (8 * len(stream.names))))
