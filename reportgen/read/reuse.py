"""Values of left-out text columns as codes, so that their reuse can be counted without a value leaving this module."""

from __future__ import annotations

import pandas as pd

from reportgen.copies import ColumnCodes
from reportgen.read.left_out import BY_IGNORE, DECLARED_IGNORE, is_constant
from reportgen.read.partition import ColumnSchema, Partition


def left_out_texts(partition: Partition) -> tuple[ColumnCodes, ...]:
    """Return the codes of each text column that takes no part in the distances: identifiers, free text, keys.

    Columns that the user asked to ignore, and constant ones, are not checked.
    """
    return tuple(_codes(column, partition) for column in partition.columns if _is_checked(column, partition))


def _is_checked(column: ColumnSchema, partition: Partition) -> bool:
    if column.used or column.kind != "categorical" or column.left_out in {BY_IGNORE, DECLARED_IGNORE}:
        return False
    return not is_constant(partition.original.frame[column.name])


def _codes(column: ColumnSchema, partition: Partition) -> ColumnCodes:
    tables = partition.sides
    pooled = pd.concat([table.frame[column.name] for table in tables.values()], ignore_index=True)
    codes = pd.factorize(pooled)[0].astype("int64")  # -1 is missing
    split = {}
    start = 0
    for side, table in tables.items():
        split[side] = codes[start : start + len(table.frame)]
        start += len(table.frame)
    return ColumnCodes(column.name, split["original"], split["synthetic"], split.get("holdout"))
