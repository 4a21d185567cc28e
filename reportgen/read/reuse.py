"""Values of left-out columns as codes, so that their reuse can be counted without a value leaving this module."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reportgen.copies import ColumnCodes
from reportgen.read.left_out import BY_GROUP, BY_IGNORE, BY_KEY, DECLARED_IGNORE, IDENTIFIER_NUMBER, is_constant
from reportgen.read.partition import ColumnSchema, Partition

FAR_APART = 100_000
"""Whole numbers are names where so many numbers lie between two of them on average; then they don't recur by chance
(ours). Numbers counted up from 1 recur in any table that counts its own rows."""
_UNITS = (86_400_000_000, 1_000_000, 1)
"""Microseconds of a day, of a second, and one."""
_NAMES = {BY_GROUP, BY_KEY, IDENTIFIER_NUMBER}


def left_out_texts(partition: Partition) -> tuple[ColumnCodes, ...]:
    """Return the codes of each text column that takes no part in the distances: identifiers, free text, keys.

    So are dates that are left out, and identifiers whose numbers are names (`FAR_APART`). Columns that the user asked
    to ignore, and constant ones, are not checked.
    """
    return tuple(_codes(column, partition) for column in partition.columns if _is_checked(column, partition))


def _is_checked(column: ColumnSchema, partition: Partition) -> bool:
    if column.used or column.left_out in {BY_IGNORE, DECLARED_IGNORE}:
        return False
    if column.kind == "numeric":
        return column.left_out in _NAMES and _far_apart(partition.original.frame[column.name])
    if column.kind == "boolean":
        return False
    return not is_constant(partition.original.frame[column.name])


def _far_apart(values: pd.Series[Any]) -> bool:
    numbers = [int(value) for value in values.dropna().unique()]
    return bool(numbers) and max(numbers) - min(numbers) >= FAR_APART * len(numbers)


def _are_names(column: ColumnSchema, partition: Partition) -> bool:
    """Whether values of a column that is checked don't recur by chance: days do, microseconds hardly ever.

    Times are counted in the largest of days, seconds and microseconds that all original rows are whole numbers of.
    """
    if column.kind != "datetime":
        return True
    times = partition.original.frame[column.name].dropna().astype("int64")
    unit = next(size for size in _UNITS if not (times % size).any())
    return _far_apart(times // unit)


def _codes(column: ColumnSchema, partition: Partition) -> ColumnCodes:
    tables = partition.sides
    pooled = pd.concat([table.frame[column.name] for table in tables.values()], ignore_index=True)
    codes = pd.factorize(pooled)[0].astype("int64")  # -1 is missing
    split = {}
    start = 0
    for side, table in tables.items():
        split[side] = codes[start : start + len(table.frame)]
        start += len(table.frame)
    names = _are_names(column, partition)
    return ColumnCodes(column.name, split["original"], split["synthetic"], split.get("holdout"), names)
