"""What the result says of each column, as far as reading knows it."""

from __future__ import annotations

import numpy as np

from reportgen.model import Column, Missing
from reportgen.ranks import number_of_different
from reportgen.read.partition import Partition, Table


def describe_columns(partition: Partition) -> tuple[Column, ...]:
    """Describe every column in the order of the files; inertia and pooled levels are the projection's to fill in."""
    return tuple(
        Column(
            name=column.name,
            kind=column.kind,
            used=column.used,
            reason=column.left_out,
            remarks=column.remarks,
            missing_marks=column.missing_marks,
            other_marks=column.other_marks,
            missing=Missing(
                original=_missing(partition.original, column.name),
                synthetic=_missing(partition.synthetic, column.name),
                holdout=None if partition.holdout is None else _missing(partition.holdout, column.name),
            ),
            distinct_original=_distinct(partition.original, column.name),
        )
        for column in partition.columns
    )


def _distinct(table: Table, name: str) -> int:
    series = table.frame[name]
    if series.dtype == np.float64:  # pandas' table of them takes several times their memory
        return number_of_different(series.dropna().to_numpy())
    return int(series.nunique())


def _missing(table: Table, name: str) -> int:
    return int(table.frame[name].isna().sum())
