"""Whose each real row is, by the column that --group names. No name of a person leaves this module."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reportgen.errors import InputError
from reportgen.persons import Persons
from reportgen.read.naming import one_line, shown_name
from reportgen.read.partition import Partition, Side, Table


def persons_of(partition: Partition, column: str) -> Persons:
    """Number the persons of the real rows, those of the original before those of the holdout.

    Equal values are one person, on both sides. What the synthetic table holds there is not looked at: it has no
    persons. InputError where a real row names no person, or a real table holds fewer than two of them.
    """
    sides = {side: table for side, table in partition.sides.items() if side != "synthetic"}
    for side, table in sides.items():
        _check(table, side, column)
    series = [table.frame[column] for table in sides.values()]
    codes = pd.factorize(pd.concat(series, ignore_index=True))[0].astype(np.int64)
    return Persons(codes, np.arange(len(codes)) < len(series[0]))


def _check(table: Table, side: Side, column: str) -> None:
    where = f"{one_line(table.source.name)} ({side}): column {shown_name(column)}"
    missing = int(table.frame[column].isna().sum())
    if missing:
        rows = "1 row" if missing == 1 else f"{missing} rows"
        msg = f"{where} is empty in {rows}, and --group needs a person for every row; fill it in or leave such rows out"
        raise InputError(msg)
    if table.frame[column].nunique() < 2:
        msg = (
            f"{where} names fewer than two persons, so no rows can be kept apart; name the column that tells persons "
            "from each other, or leave out --group"
        )
        raise InputError(msg)
