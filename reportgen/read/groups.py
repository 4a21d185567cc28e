"""Identical rows over all tables together, found by codes of the columns: no distance and no rounding enters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.read.partition import Partition

Ids = NDArray[np.int64]


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
    ids = _rows(_codes(frames, partition))
    ends = np.cumsum([len(frame) for frame in frames])
    parts = np.split(ids, ends[:-1])
    return RowGroups(parts[0], parts[1], parts[2] if partition.holdout is not None else None)


def repeated_rows(ids: Ids) -> int:
    """Count the rows that equal an earlier row of the same table."""
    return len(ids) - len(np.unique(ids))


def near_twins(partition: Partition) -> bool:
    """Whether two different real rows (original and holdout) agree on all used columns but one."""
    frames = [partition.original.frame]
    if partition.holdout is not None:
        frames.append(partition.holdout.frame)
    codes = _codes(frames, partition)
    firsts = np.unique(_rows(codes), return_index=True)[1]
    different = [code[firsts] for code in codes]
    nothing = np.zeros(len(firsts), dtype=np.int64)
    before = list(accumulate(different, _combined, initial=nothing))
    after = list(accumulate(reversed(different), _combined, initial=nothing))[::-1]
    # All columns but column i are those before it and those after it.
    return any(
        len(np.unique(_combined(left, right))) < len(firsts) for left, right in zip(before[:-1], after[1:], strict=True)
    )


def _codes(frames: Sequence[pd.DataFrame], partition: Partition) -> list[Ids]:
    return [_column_codes([frame[column.name] for frame in frames]) for column in partition.used]


def _column_codes(series: Sequence[pd.Series[Any]]) -> Ids:
    pooled = pd.concat(series, ignore_index=True)
    if pooled.dtype == np.float64:
        pooled = pooled + 0.0  # -0.0 becomes 0.0
    codes: Ids = pd.factorize(pooled, use_na_sentinel=True)[0].astype(np.int64)
    return codes + 1


def _rows(columns: Sequence[Ids]) -> Ids:
    return reduce(_combined, columns, np.zeros_like(columns[0]))


def _combined(left: Ids, right: Ids) -> Ids:
    """Give each pair of codes one code; both are below the number of rows + 1, so their product fits 64 bits."""
    codes: Ids = pd.factorize(left * (right.max(initial=0) + 1) + right)[0].astype(np.int64)
    return codes
