"""Brings one column, whose kind is decided, to the same canonical values in all tables (see `Table`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.model import SMALLEST_GROUP, Kind, MissingMark
from reportgen.read import dates, numbers
from reportgen.read.columns import Texts, category_texts
from reportgen.read.missing import without_marks
from reportgen.read.naming import one_line, shown_name
from reportgen.read.reading import Reading, true_words


@dataclass(frozen=True)
class Understood:
    """One column of all tables, `series` in the order of the tables. `whole`: the real tables write it as integers."""

    kind: Kind
    series: tuple[pd.Series[Any], ...]
    whole: bool
    remarks: tuple[str, ...]
    missing_marks: tuple[MissingMark, ...]
    """What was read as missing and stands in at least five original rows."""
    other_marks: bool
    """Whether something else was read as missing, which fewer of them hold or the result has no word for."""


def as_numbers(name: str, readings: Sequence[Reading]) -> Understood:
    """Convert to numbers; InputError where one is infinite or the variance is too large for float64."""
    parsed = [reading.numbers() for reading in readings]
    for reading, column in zip(readings, parsed, strict=True):
        if np.isinf(column.present).any():
            msg = (
                f"{reading.where}: column {shown_name(name)} holds infinite values; "
                "correct them, or leave the column out (--ignore)"
            )
            raise InputError(msg)
    with np.errstate(over="ignore", invalid="ignore"):
        pooled = np.concatenate([column.present for column in parsed])
        if len(pooled) and not np.isfinite(np.var(pooled)):
            sizes = [float(np.max(np.abs(column.present), initial=0)) for column in parsed]
            where = readings[sizes.index(max(sizes))].where
            msg = f"{where}: column {shown_name(name)} holds numbers so large that their variance overflows; rescale it"
            raise InputError(msg)
    remarks = []
    for reading in readings:
        file = one_line(reading.table.source.name)
        if reading.notation == "comma" and "plain" not in reading.options:
            remarks.append(f"Decimal commas in {file} were read as decimal points.")
        elif reading.notation in {"comma", "thousands"}:
            remarks.append(f"Marks between thousands in {file} were left out.")
    real = [column for reading, column in zip(readings, parsed, strict=True) if reading.table.role != "synthetic"]
    whole = all(column.whole for column in real)
    return _understood("numeric", readings, numbers.canonical(parsed), remarks, whole=whole)


def as_truth(readings: Sequence[Reading]) -> Understood:
    """Convert words, 0/1 and stored truth values to `boolean`."""
    series = []
    for reading in readings:
        if reading.kind == "boolean" and reading.present is not None:
            codes, truths = reading.present.codes, true_words(reading.present.distinct)
        else:
            parsed = reading.numbers()
            codes, truths = parsed.codes, parsed.distinct == 1
        padded = np.append(truths, np.False_)  # code -1
        series.append(pd.Series(pd.arrays.BooleanArray(padded[codes], codes < 0)))
    return _understood("boolean", readings, series)


def as_times(readings: Sequence[Reading]) -> Understood | None:
    """Convert to times; None where a text is no day, or the order of day and month stays open."""
    written = [reading.present.distinct for reading in readings if reading.present is not None]
    order = dates.day_order(written)
    series, remarks = [], []
    for reading in readings:
        if reading.present is None:
            moments, codes = _stored_times(reading)
        else:
            parsed = dates.parse_dates(reading.present.distinct, order)
            if parsed is None:
                return None
            if order is not None and dates.has_slashes(reading.present.distinct):
                remarks.append(f"Dates such as 1/2/2020 in {one_line(reading.table.source.name)} were read {order}.")
            moments, codes = parsed, reading.present.codes
        stamps = np.append(moments.astype("datetime64[us]"), np.datetime64("NaT", "us"))
        series.append(pd.Series(stamps[codes]).dt.tz_localize("UTC"))
    return _understood("datetime", readings, series, remarks)


def _stored_times(reading: Reading) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rows = len(reading.column)
    if reading.kind is None or isinstance(reading.column, Texts):
        return np.zeros(0, np.int64), np.full(rows, -1)
    array = reading.column.array
    moments = pc.fill_null(array.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return moments, np.where(array.is_null().to_numpy(zero_copy_only=False), -1, np.arange(rows))


def as_categories(readings: Sequence[Reading], remarks: Sequence[str] = ()) -> Understood:
    """Convert to names of categories; only what is missing in every column is missing here."""
    certain = [
        replace(reading, present=without_marks(reading.column)) if isinstance(reading.column, Texts) else reading
        for reading in readings
    ]
    return _understood("categorical", certain, [_levels(reading) for reading in certain], remarks)


def _levels(reading: Reading) -> pd.Series[Any]:
    if isinstance(reading.column, Texts):
        present = without_marks(reading.column)
        distinct, codes = present.distinct, present.codes
    else:
        encoded = category_texts(reading.column.array).dictionary_encode()
        distinct = encoded.dictionary
        codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    # A whole number is one category, whether a table wrote 1 or 1.0.
    names = pc.replace_substring_regex(distinct, r"^([+-]?\d+)\.0+$", r"\1").to_pylist()
    levels = np.array([*names, None], dtype=object)
    return pd.Series(levels[codes], dtype=object)


def _understood(
    kind: Kind,
    readings: Sequence[Reading],
    series: Sequence[pd.Series[Any]],
    remarks: Sequence[str] = (),
    *,
    whole: bool = False,
) -> Understood:
    marks = {mark for reading in readings if reading.present for mark in reading.present.marks}
    held = next(reading.present.marks if reading.present else {} for reading in readings if _is_original(reading))
    common = {mark for mark in marks if held.get(mark, 0) >= SMALLEST_GROUP}
    named = tuple(cast("MissingMark", mark) for mark in sorted(common.intersection(get_args(MissingMark))))
    return Understood(kind, tuple(series), whole, tuple(dict.fromkeys(remarks)), named, len(named) < len(marks))


def _is_original(reading: Reading) -> bool:
    return reading.table.role == "original"
