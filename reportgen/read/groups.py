"""Identical rows over all tables together, found by codes of the columns: no distance and no rounding enters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.persons import distinct_pairs
from reportgen.ranks import number_of_different, ranked
from reportgen.read.partition import Columns, Partition
from reportgen.read.shelf import Arrays, Shelf

Ids = NDArray[np.int64]
Combine = Callable[[Ids, Ids], Ids]
"""Gives each pair of codes one code."""


@dataclass(frozen=True)
class RowGroups:
    """One id a row; two rows of any tables have the same id exactly when they agree on all used columns.

    Ids run from 0 without gaps, in the order original, synthetic, holdout in which a row first appears.
    """

    original: Ids
    synthetic: Ids
    holdout: Ids | None


def identical_rows(partition: Partition) -> RowGroups:
    """Group the rows: -0.0 equals 0.0, missing equals missing, whole numbers are compared exactly."""
    frames = [partition.original.frame, partition.synthetic.frame]
    if partition.holdout is not None:
        frames.append(partition.holdout.frame)
    ids = _rows(_codes(frames, partition), sum(map(len, frames)), _way(partition))
    if partition.shelf is not None:
        ids = _by_first_appearance(ids)
    ends = np.cumsum([len(frame) for frame in frames])
    parts = np.split(ids, ends[:-1])
    return RowGroups(parts[0], parts[1], parts[2] if partition.holdout is not None else None)


def repeated_rows(ids: Ids) -> int:
    """Count the rows that equal an earlier row of the same table."""
    return len(ids) - number_of_different(ids)


def near_twins(partition: Partition) -> bool:
    """Whether two different real rows (original and holdout) agree on all used columns but one.

    Where persons are known, rows of one person are alike by nature: the two must belong to different ones.
    """
    frames = [partition.original.frame]
    if partition.holdout is not None:
        frames.append(partition.holdout.frame)
    with Shelf() if partition.shelf is not None else nullcontext() as scratch:
        codes = Arrays(scratch)
        for code in _codes(frames, partition):
            codes.append(code)
        rows = _rows(codes, sum(map(len, frames)), _way(partition))
        if partition.persons is not None:
            return _near_twins_of_persons(codes, rows, partition.persons.person)
        number, different = _number(rows), codes
        if number < len(rows):
            firsts, different = _first_appearances(rows), Arrays(scratch)
            for code in codes:
                different.append(code[firsts])
        del rows
        return any(_number(rest) < number for rest in _without_one(different, Arrays(scratch), _way(partition)))


def _without_one(columns: Sequence[Ids], before: Arrays, combined: Combine) -> Iterator[Ids]:
    """Yield codes of the rows by all columns but one, for one column after the other, from the last; fills `before`."""
    nothing = np.zeros(len(columns[0]), dtype=np.int64)
    for left in accumulate((columns[place] for place in range(len(columns) - 1)), combined, initial=nothing):
        before.append(left)
    after = nothing
    # All columns but column i are those before it and those after it.
    for place in reversed(range(len(columns))):
        yield combined(before[place], after)
        after = combined(after, columns[place])


def _near_twins_of_persons(columns: Sequence[Ids], rows: Ids, persons: Ids) -> bool:
    """Whether rows that agree without one column are several, and of several persons: then two differ in both."""
    without = _without_one(columns, Arrays(None), _combined)
    return any(bool((_several(rest, rows) & _several(rest, persons)).any()) for rest in without)


def _several(groups: Ids, values: Ids) -> NDArray[np.bool_]:
    """Mark the groups, numbered from 0, that hold more than one value."""
    marks: NDArray[np.bool_] = np.bincount(distinct_pairs(groups, values)[0], minlength=int(groups.max()) + 1) > 1
    return marks


def _codes(frames: Sequence[Columns], partition: Partition) -> Iterator[Ids]:
    coded = _column_codes if partition.shelf is None else _column_ranks
    return (coded([frame[column.name] for frame in frames]) for column in partition.used)


def _column_codes(series: Sequence[pd.Series[Any]]) -> Ids:
    pooled = pd.concat(series, ignore_index=True)
    if pooled.dtype == np.float64:
        pooled = pooled + 0.0  # -0.0 becomes 0.0
    codes: Ids = pd.factorize(pooled, use_na_sentinel=True)[0].astype(np.int64)
    return codes + 1


def _column_ranks(series: Sequence[pd.Series[Any]]) -> Ids:
    """As `_column_codes`, by sorting numbers: no table of five times their size."""
    pooled = pd.concat(series, ignore_index=True)
    if pooled.dtype == np.float64:
        return ranked(pooled.to_numpy() + 0.0)[1]
    return _column_codes([pooled])


def _way(partition: Partition) -> Combine:
    return _combined if partition.shelf is None else _combined_by_sorting


def _rows(columns: Iterable[Ids], rows: int, combined: Combine) -> Ids:
    return reduce(combined, columns, np.zeros(rows, dtype=np.int64))


def _combined(left: Ids, right: Ids) -> Ids:
    """Give each pair of codes one code; both are below the number of rows + 1, so their product fits 64 bits."""
    codes: Ids = pd.factorize(left * (right.max(initial=0) + 1) + right)[0].astype(np.int64)
    return codes


def _combined_by_sorting(left: Ids, right: Ids) -> Ids:
    """As `_combined`, in another order of the codes, in 40 bytes a row instead of 160."""
    keys = left * (right.max(initial=0) + 1)
    keys += right
    return ranked(keys)[1]


def _number(codes: Ids) -> int:
    """How many different codes there are; they run from 0 without gaps."""
    return int(codes.max(initial=-1)) + 1


def _first_appearances(codes: Ids) -> Ids:
    """The row in which each code, from 0 without gaps, first appears."""
    first = np.empty(_number(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several rows with one code the last assigned stays
    return first


def _by_first_appearance(ids: Ids) -> Ids:
    """Number codes without gaps in the order in which each first appears."""
    first = _first_appearances(ids)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[ids]
