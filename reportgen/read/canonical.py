"""Brings one column, whose kind is decided, to the same canonical values in all tables (see `Table`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.declared import ColumnForm
from reportgen.errors import InputError
from reportgen.marks import KNOWN
from reportgen.model import Kind
from reportgen.read import dates, numbers
from reportgen.read.columns import Texts, Typed, category_texts, texts
from reportgen.read.missing import without_marks
from reportgen.read.naming import one_line, shown_name
from reportgen.read.reading import Reading, true_words
from reportgen.read.shelf import KeptColumn, Shelf, keep


@dataclass(frozen=True)
class Understood:
    """One column of all tables, `series` in the order of the tables. `whole`: the real tables write it as integers."""

    kind: Kind
    series: Sequence[pd.Series[Any]]
    whole: bool
    remarks: tuple[str, ...]
    missing_marks: Mapping[str, NDArray[np.int64]]
    """What was read as missing and may be named where enough original rows hold it: those rows, by known or declared
    mark."""
    different_marks: int
    """How many different texts were read as missing, in all tables."""


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


def as_times(readings: Sequence[Reading], order: dates.DayOrder | None = None) -> Understood | None:
    """Convert to times; None where a text is no day, or the order of day and month, unless given, stays open."""
    written = [reading.present.distinct for reading in readings if reading.present is not None]
    order = order or dates.day_order(written)
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
        series.append(_stamps(moments, codes))
    return _understood("datetime", readings, series, remarks)


def as_declared_times(name: str, readings: Sequence[Reading], form: ColumnForm) -> Understood:
    """Convert to times as the user declares; InputError with the number of rows that are none."""
    read = [_with_texts(reading, form) for reading in readings]
    order = dates.day_order([reading.present.distinct for reading in read if reading.present is not None])
    if form.day_first is not None:
        order = "day first" if form.day_first else "month first"
    series = []
    for reading in read:
        if reading.present is None:
            wrong = len(reading.column) if reading.kind not in {None, "datetime"} else 0
            moments, codes = (np.zeros(0, np.int64), np.zeros(0, np.int64)) if wrong else _stored_times(reading)
        else:
            codes = reading.present.codes
            moments, unread = dates.parse_declared(reading.present.distinct, order, form.date_format)
            wrong = int(np.append(unread, np.False_)[codes].sum())
        if wrong:
            how = "its date_format" if form.date_format else "the forms known; declare a date_format, or day_first"
            msg = (
                f"{reading.where}: column {shown_name(name)} is declared datetime and holds in {rows(wrong)} "
                f"what is no date of {how}; correct the rows or the declaration"
            )
            raise InputError(msg)
        series.append(_stamps(moments, codes))
    return _understood("datetime", read, series)


def kept(column: Understood, shelf: Shelf) -> Understood:
    """Put a column on a shelf, from which it is read whenever it is asked for."""
    return replace(column, series=KeptColumn([keep(series, shelf) for series in column.series]))


def rows(number: int) -> str:
    """Write a number of rows: "1 row", "2 rows"."""
    return f"{number} row{'' if number == 1 else 's'}"


def _with_texts(reading: Reading, form: ColumnForm) -> Reading:
    """Take the texts of a column, and numbers such as 20200131 where a format is declared, for dates."""
    column = reading.column
    if isinstance(column, Typed):
        if form.date_format is None or reading.kind != "numeric":
            return reading
        column = texts(pa.chunked_array([category_texts(column.array)]))
    return replace(reading, present=without_marks(column, among_numbers=True))


def _stamps(moments: NDArray[np.int64], codes: NDArray[np.int64]) -> pd.Series[Any]:
    stamps = np.append(moments.astype("datetime64[us]"), np.datetime64("NaT", "us"))
    return pd.Series(stamps[codes]).dt.tz_localize("UTC")


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
    rows: dict[str, NDArray[np.int64]] = {}
    found, declared = set[str](), set[str]()
    for reading in readings:
        for marks, own in _marks(reading):
            found |= set(marks)
            declared |= set(marks) if own else set()
            if reading.table.role == "original":
                rows |= marks
    nameable = {mark: rows[mark] for mark in sorted(rows) if mark in KNOWN or mark in declared}
    return Understood(kind, tuple(series), whole, tuple(dict.fromkeys(remarks)), nameable, len(found))


def _marks(reading: Reading) -> Iterator[tuple[Mapping[str, NDArray[np.int64]], bool]]:
    """List the marks of one table with their rows, and whether the user declared them."""
    column = reading.column
    if reading.present is not None:
        yield reading.present.marks, isinstance(column, Texts) and column.marks is not None
    if isinstance(column, Typed):
        yield column.marks, True
