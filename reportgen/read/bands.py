"""Parts of a table that may be named: categories, and bands of numbers or times, of at least five original rows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.model import SMALLEST_GROUP
from reportgen.read.partition import ColumnSchema, Partition
from reportgen.shown import one_line, shown_name
from reportgen.words import sentence

MOST_LEVELS = 50
"""So many levels of a column are looked at, the most frequent ones."""
DECILES = np.arange(1, 10) / 10
LONGEST_RUN = 2
"""Bands are a tenth of the real rows, and two such tenths beside each other."""

Booleans = NDArray[np.bool_]
Numbers = NDArray[Any]


@dataclass(frozen=True)
class Region:
    """One part of the real rows by one column: its name in words, and which rows lie in it.

    `rows`, shape (real rows,), in the order of the files, original rows first.
    """

    column: str
    name: str
    rows: Booleans


def regions_of(partition: Partition, column: ColumnSchema, *, named: bool = True) -> Iterator[Region]:
    """List the parts of one column, each of at least five original rows and fewer than all.

    `named`: whether the name of a category may stand in that of its region.
    """
    held = () if partition.holdout is None else (partition.holdout.frame[column.name],)
    originals = len(partition.original.frame)
    series = pd.concat((partition.original.frame[column.name], *held), ignore_index=True)
    missing = series.isna().to_numpy(dtype=bool)
    for part, rows in _parts(series, missing, column, originals, named=named):
        if SMALLEST_GROUP <= int(rows[:originals].sum()) < originals:
            yield Region(column.name, sentence("region.of", column=one_line(column.name), part=part), rows)


def _parts(
    series: pd.Series[Any], missing: Booleans, column: ColumnSchema, originals: int, *, named: bool
) -> Iterator[tuple[str, Booleans]]:
    yield sentence("region.missing"), missing
    if column.kind in {"categorical", "boolean"}:
        yield from _levels(series, missing, named=named)
    elif column.kind == "datetime":
        times = series.to_numpy(dtype="datetime64[us]")
        yield from _bands(times, ~missing, originals, _whole_times, str)
    else:
        if series.dtype != np.float64:  # whole numbers beyond 2^53 are rounded once
            series = pd.to_numeric(series.astype(object).where(~missing, np.nan))
        numbers = series.to_numpy(dtype=np.float64)
        yield from _bands(numbers, ~missing, originals, _two_digits, _number)


def _levels(series: pd.Series[Any], missing: Booleans, *, named: bool) -> Iterator[tuple[str, Booleans]]:
    texts = series[~missing].astype(str)
    # Equal counts in the order of the names, so that no order of rows matters.
    counts = texts.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    for level, number in itertools.islice(counts.items(), MOST_LEVELS):
        if number >= SMALLEST_GROUP:
            rows = np.zeros(len(series), dtype=bool)
            rows[~missing] = (texts == level).to_numpy()
            yield sentence("region.level", level=shown_name(str(level)) if named else ""), rows


def _bands(
    values: Numbers,
    present: Booleans,
    originals: int,
    rounded: Callable[[Numbers], list[Any]],
    written: Callable[[Any], str],
) -> Iterator[tuple[str, Booleans]]:
    """Cut at the rounded deciles of the real rows that have five original rows on either side."""
    if not present.any():
        return
    known = np.sort(values[:originals][present[:originals]])
    ends = [
        end
        for end in rounded(values[present])
        if SMALLEST_GROUP <= int(np.searchsorted(known, end)) <= len(known) - SMALLEST_GROUP
    ]
    cuts = [None, *ends, None]
    for length in range(1, LONGEST_RUN + 1):
        for low, high in zip(cuts, cuts[length:], strict=False):
            if low is None and high is None:
                continue
            rows = present.copy()
            if low is not None:
                rows[present] &= values[present] >= low
            if high is not None:
                rows[present] &= values[present] < high
            which = "below" if low is None else "from" if high is None else "between"
            words = {name: written(end) for name, end in (("low", low), ("high", high)) if end is not None}
            yield sentence(f"region.{which}", **words), rows


def _two_digits(values: Numbers) -> list[float]:
    """Deciles rounded to two significant digits, each once."""
    return sorted({float(f"{end:.1e}") + 0.0 for end in np.quantile(values, DECILES)})


def _whole_times(values: Numbers) -> list[np.datetime64]:
    """Deciles of times rounded down to whole years or, where all fall into one, to whole months; each once."""
    ends = np.sort(values)[(DECILES * (len(values) - 1)).astype(np.int64)]
    years = np.unique(ends.astype("datetime64[Y]"))
    return list(years if len(years) > 1 else np.unique(ends.astype("datetime64[M]")))


def _number(end: float) -> str:
    return f"{end:,.10g}".replace("-", "\N{MINUS SIGN}")
