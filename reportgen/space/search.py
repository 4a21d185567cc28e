"""Exact nearest neighbours among rows that may be identical, by row id.

Identical rows are searched once. How often a row occurs, and a row itself, are put back by id afterwards: "leave out
the first hit" or "leave out distance 0" would be wrong for copies.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd

from reportgen.distances import Floats, Ints, NeighbourDistances
from reportgen.errors import InputError
from reportgen.space.exact import k_nearest
from reportgen.space.members import RowsOf, members
from reportgen.space.on_disk import RowsAt

_BLOCK = 1 << 18
_NOBODY = np.iinfo(np.int64).max


def nearest_two(
    queries: Any,
    base: Any,
    exclude_self: bool = False,  # noqa: FBT001, FBT002
    *,
    jobs: int = 1,
) -> NeighbourDistances:
    """Euclidean distances of each query row to its two closest base rows, exact in float64.

    `queries` (n, d) and `base` (m, d) are arrays or DataFrames of numbers. `first_id` and `second_id` are positions
    in the base; ties go to the smaller one, identical base rows count one by one. `exclude_self` leaves base row i
    out for query i. A base given as the path of a Parquet file, or of a folder of parts, is read block by block and may
    be larger than memory; its columns are those of the queries by name, where these have names. `jobs` is the number
    of threads, which changes no byte. Where one base row is left, `second` is inf and `second_id` -1. InputError where
    a value is missing or infinite, the widths or (with `exclude_self`) the shapes differ, or no base row is left.

    >>> found = nearest_two([[0.0, 0.0]], [[3.0, 4.0], [0.0, 1.0], [6.0, 8.0]])
    >>> found.first.tolist(), found.first_id.tolist(), found.second.tolist()
    ([1.0], [1], [5.0])
    """
    if jobs < 1:
        msg = "jobs: must be a whole number of threads, 1 or more"
        raise InputError(msg)
    if isinstance(base, str | os.PathLike):
        from reportgen.space.streamed import nearest_two_streamed

        return nearest_two_streamed(queries, base, exclude_self=exclude_self, threads=jobs)
    query_rows, base_rows = numbers(queries, "queries"), numbers(base, "base")
    if query_rows.shape[1] != base_rows.shape[1]:
        msg = f"queries have {query_rows.shape[1]} columns and base has {base_rows.shape[1]}; give the same columns"
        raise InputError(msg)
    coordinates, groups = different_rows(np.concatenate([query_rows, base_rows]))
    asked, there = groups[: len(query_rows)], groups[len(query_rows) :]
    return search(coordinates, asked, there, exclude_self=exclude_self, threads=jobs)


def search(
    coordinates: Floats, query_groups: Ints, base_groups: Ints, *, exclude_self: bool = False, threads: int = 1
) -> NeighbourDistances:
    """Find the two closest base rows of each query row. Both are given as positions in `coordinates`, one per row.

    Ids are positions in `base_groups`. A base row identical to another counts as its own neighbour, at distance 0.
    `exclude_self` leaves base row i out for query i. One base row left: `second` is inf, its id -1; none: InputError.
    """
    distances, ids = nearest(coordinates, query_groups, base_groups, 2, exclude_self=exclude_self, threads=threads)
    return NeighbourDistances(
        first=distances[:, 0].copy(),
        second=distances[:, 1].copy(),
        first_id=ids[:, 0].copy(),
        second_id=ids[:, 1].copy(),
    )


def nearest(
    coordinates: Floats,
    query_groups: Ints,
    base_groups: Ints,
    k: int,
    *,
    exclude_self: bool = False,
    leave_out: Ints | None = None,
    threads: int = 1,
) -> tuple[Floats, Ints]:
    """Find the k closest base rows of each query row: distances and ids, both (queries, k), by (distance, id).

    As `search`; where fewer than k base rows are left the rest is inf and -1. `leave_out`, shape (queries,): the base
    row that is left out for each query, what `exclude_self` does where every base row is a query.
    """
    if exclude_self:
        if len(query_groups) != len(base_groups):
            msg = "queries and base differ in their number of rows; exclude_self needs the same rows in both"
            raise InputError(msg)
        leave_out = np.arange(len(query_groups))
    one_less = leave_out is not None
    if len(base_groups) - one_less < 1:
        msg = "no base row is left to compare with; give more rows"
        raise InputError(msg)
    if coordinates.shape[1] == 0:
        msg = "no columns to take distances in"
        raise InputError(msg)
    base, rows_of = members(base_groups, k + one_less)
    query, query_of_row = np.unique(query_groups, return_inverse=True)
    # Leaving one row out empties at most one group, so that one group more than k is always enough.
    number = min(k + one_less, len(base))
    if isinstance(coordinates, np.memmap):
        from reportgen.space.streamed import nearest_in_blocks

        rows = RowsAt(coordinates, base)
        distances, groups = nearest_in_blocks(RowsAt(coordinates, query)[:], rows.blocks(), number, threads=threads)
    else:
        distances, groups = k_nearest(_rows(coordinates, query), _rows(coordinates, base), number, threads)
    if leave_out is not None:
        return to_rows(distances, groups, rows_of, query_of_row, k=k, leave_out=leave_out)
    found, ids = to_rows(distances, groups, rows_of, np.arange(len(query)), k=k, leave_out=None)
    return found[query_of_row], ids[query_of_row]


def _rows(coordinates: Floats, wanted: Ints) -> Floats:
    """Return some rows; where they stand one after the other no copy is made, which takes as much memory again."""
    first = int(wanted[0]) if len(wanted) else 0
    if (wanted == np.arange(first, first + len(wanted))).all():
        return coordinates[first : first + len(wanted)]
    return coordinates[wanted]


def numbers(rows: Any, name: str) -> Floats:
    """Return rows as a finite float64 array of two dimensions, or raise InputError."""
    array = rows.to_numpy() if isinstance(rows, pd.DataFrame) else np.asarray(rows)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        msg = f"{name}: must hold numbers alone; encode the other columns first"
        raise InputError(msg) from None
    if numbers.ndim != 2 or numbers.shape[1] == 0:
        msg = f"{name}: must have two dimensions, rows and at least one column"
        raise InputError(msg)
    if not np.isfinite(numbers).all():
        msg = f"{name}: holds missing or infinite values; fill or drop them first"
        raise InputError(msg)
    return numbers + 0.0  # -0.0 and 0.0 are the same number but not the same bytes


def different_rows(rows: Floats) -> tuple[Floats, Ints]:
    """Return the different rows and, for each row, its position among them."""
    rows = np.ascontiguousarray(rows)
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64)
    keys = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], groups.astype(np.int64)


def to_rows(
    distances: Floats, groups: Ints, rows_of: RowsOf, query_of_row: Ints, *, k: int, leave_out: Ints | None
) -> tuple[Floats, Ints]:
    """Turn the nearest groups of each query into the k nearest rows of each query row."""
    found = np.full((len(query_of_row), k), np.inf)
    ids = np.full((len(query_of_row), k), -1, dtype=np.int64)
    width = groups.shape[1] * rows_of.width
    step = max(1, _BLOCK // width)
    for start in range(0, len(query_of_row), step):
        part = slice(start, start + step)
        queries = query_of_row[part]
        row_ids = rows_of[groups[queries]].reshape(len(queries), width)
        row_distances = np.repeat(distances[queries], rows_of.width, axis=1)
        absent = row_ids < 0
        if leave_out is not None:
            absent |= row_ids == leave_out[part, np.newaxis]
        row_ids = np.where(absent, _NOBODY, row_ids)
        row_distances = np.where(absent, np.inf, row_distances)
        order = np.lexsort((row_ids, row_distances), axis=-1)[:, :k]
        some = order.shape[1]
        found[part, :some] = np.take_along_axis(row_distances, order, axis=1)
        ids[part, :some] = np.take_along_axis(row_ids, order, axis=1)
    ids[ids == _NOBODY] = -1
    return found, ids
