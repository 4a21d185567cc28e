"""Decides the kind of a column on all tables together, and brings it to one canonical form in each of them.

Each table alone suggests a kind; together they must agree. A column of missing values agrees with everything, 0/1
agrees with words for true and false, and dates of which some cannot be read become categories. Numbers in one table
and words in another are an error, because either choice would measure nonsense.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.model import Kind
from reportgen.read import dates, numbers
from reportgen.read.columns import RawColumn, RawTable, Texts, Typed, category_texts
from reportgen.read.missing import AMONG_NUMBERS, Present, without_marks
from reportgen.read.naming import shown_name

TRUTH = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"))
"""Pairs of words for a truth value, in any case; a column may use one pair in a table."""
_SPOKEN: dict[Kind, str] = {
    "numeric": "numbers",
    "categorical": "words",
    "boolean": "truth values",
    "datetime": "dates",
}


@dataclass(frozen=True)
class Understood:
    """One column of all tables. `whole`: the real tables write it as integers; `series` in the order of the tables."""

    kind: Kind
    series: tuple[pd.Series, ...]  # type: ignore[type-arg]  # of any dtype
    whole: bool
    remarks: tuple[str, ...]
    missing_marks: tuple[str, ...]


@dataclass(frozen=True)
class _Reading:
    """What one table alone says of a column. `kind` is None where all is missing."""

    table: RawTable
    name: str
    column: RawColumn
    style: numbers.Notation | None
    kind: Kind | None
    present: Present | None = None
    options: frozenset[numbers.Notation] = frozenset()
    notation: numbers.Notation | None = None
    codes_with_zeros: bool = False
    open_comma: bool = False

    @property
    def only_soft_marks(self) -> bool:
        """Whether every value would be missing in a column of numbers."""
        return self.present is not None and set(self.present.values.to_pylist()) <= set(AMONG_NUMBERS)


def understand(
    tables: Sequence[RawTable], names: Sequence[str], forced: Mapping[str, Kind], lenient: Collection[str] = ()
) -> dict[str, Understood]:
    """Decide the kinds of the named columns and convert them in every table.

    `forced` holds the kinds that the user names. `lenient` are columns that nothing is measured on: what does not fit
    together there becomes a category. Raises InputError naming the column, the tables and the way out.
    """
    styles = [_style(table) for table in tables]
    understood = {}
    for name in names:
        readings = [_read(name, table, style) for table, style in zip(tables, styles, strict=True)]
        try:
            understood[name] = _understand(name, readings, forced.get(name))
        except InputError:
            if name not in lenient:
                raise
            understood[name] = _as_categories(readings, ())
    return understood


def _understand(name: str, readings: list[_Reading], forced: Kind | None) -> Understood:
    if forced == "numeric":
        return _as_numbers(name, [_forced_number(name, reading) for reading in readings])
    if forced == "categorical":
        return _as_categories(readings, ())
    kinds = {reading.kind for reading in readings if reading.kind}
    if {"numeric", "datetime"} & kinds:
        # A table whose only values are marks such as N says nothing beside tables that hold numbers.
        readings = [
            replace(reading, kind=None, present=without_marks(reading.column, among_numbers=True))
            if reading.only_soft_marks and isinstance(reading.column, Texts)
            else reading
            for reading in readings
        ]
        kinds = {reading.kind for reading in readings if reading.kind}
    if kinds == {"boolean"} or (kinds == {"boolean", "numeric"} and all(map(_zero_one, readings))):
        return _as_truth(readings)
    if kinds == {"numeric"}:
        return _as_numbers(name, readings)
    if kinds == {"datetime"}:
        return _as_dates(readings) or _as_categories(
            readings, ("Some of its dates are no days, or their order of day and month is open: read as categories.",)
        )
    texts_only = all(
        isinstance(reading.column, Texts) for reading in readings if reading.kind not in {None, "categorical"}
    )
    if kinds <= {"categorical", "boolean"} and texts_only:
        return _as_categories(readings, _why_categories(readings))
    if kinds == {"categorical", "datetime"} and texts_only:
        return _as_categories(readings, ("Not all of its values can be read as dates: read as categories.",))
    if kinds == {"categorical", "numeric"} and texts_only and any(reading.codes_with_zeros for reading in readings):
        return _as_categories(readings, _why_categories(readings))
    found = " and ".join(
        f"{_SPOKEN[reading.kind]} in {reading.table.source.name} ({reading.table.role})"
        for reading in readings
        if reading.kind
    )
    msg = f"column {shown_name(name)} holds {found}: correct the file, or take it as categories (--categorical)"
    raise InputError(msg)


def _why_categories(readings: list[_Reading]) -> tuple[str, ...]:
    remarks = []
    if any(reading.codes_with_zeros for reading in readings):
        remarks.append("Its numbers have leading zeros: read as categories.")
    if any(reading.open_comma for reading in readings):
        remarks.append("Its commas may set decimals or thousands apart: read as categories; write a decimal point.")
    return tuple(remarks)


def _read(name: str, table: RawTable, style: numbers.Notation | None) -> _Reading:
    column = table.columns[name]
    if isinstance(column, Typed):
        return _Reading(table, name, column, style, _typed_kind(column))
    present = without_marks(column)
    reading = _Reading(table, name, column, style, None, present)
    if not len(present.values):
        return reading
    if _truth_pair(present.values):
        return replace(reading, kind="boolean")
    if column.declared:
        return replace(reading, kind="categorical")
    for candidate in (present, without_marks(column, among_numbers=True)):
        if numbers.has_leading_zeros(candidate.values):
            numeric = bool(numbers.notations(candidate.values))
            if numeric:
                return replace(reading, kind="categorical", codes_with_zeros=True)
        elif options := numbers.notations(candidate.values):
            chosen = numbers.notation(options, candidate.values, style)
            if chosen is None:
                return replace(reading, kind="categorical", open_comma=True)
            return replace(reading, kind="numeric", present=candidate, options=options, notation=chosen)
        if dates.look_like_dates(candidate.values):
            return replace(reading, kind="datetime", present=candidate)
    return replace(reading, kind="categorical")


def _style(table: RawTable) -> numbers.Notation | None:
    return numbers.file_style(
        numbers.notations(without_marks(column, among_numbers=True).values)
        for column in table.columns.values()
        if isinstance(column, Texts)
    )


def _typed_kind(column: Typed) -> Kind | None:
    kind = column.values.type
    if pa.types.is_timestamp(kind):
        return "datetime" if column.values.null_count < len(column) else None
    if pa.types.is_boolean(kind):
        return "boolean" if column.values.null_count < len(column) else None
    return "numeric" if (numbers.stored(column.values).codes >= 0).any() else None


def _truth_pair(values: pa.Array) -> tuple[str, str] | None:
    if len(values) > 16:
        return None
    words = {text.casefold() for text in values.to_pylist()}
    return next((pair for pair in TRUTH if words <= set(pair)), None)


def _parsed(reading: _Reading) -> numbers.Numbers:
    if isinstance(reading.column, Typed):
        return numbers.stored(reading.column.values)
    present = reading.present or without_marks(reading.column)
    return numbers.parse(present.values, present.codes, reading.notation or "plain")


def _zero_one(reading: _Reading) -> bool:
    if reading.kind != "numeric":
        return True
    parsed = _parsed(reading)
    return bool(np.isin(parsed.values[parsed.codes[parsed.codes >= 0]], (0, 1)).all())


def _forced_number(name: str, reading: _Reading) -> _Reading:
    """Read a column as numbers because the user says so: leading zeros are allowed, words are not."""
    if reading.kind in {None, "numeric"} or (isinstance(reading.column, Typed) and reading.kind == "boolean"):
        return reading
    if isinstance(reading.column, Texts):
        present = without_marks(reading.column, among_numbers=True)
        options = numbers.notations(present.values)
        chosen = numbers.notation(options, present.values, reading.style) if options else None
        if chosen is not None or not len(present.values):
            return replace(reading, kind="numeric", present=present, options=options, notation=chosen)
    msg = (
        f"{reading.table.source.name} ({reading.table.role}): column {shown_name(name)} holds values that cannot be "
        "read as numbers; correct them, or leave out --numeric for it"
    )
    raise InputError(msg)


def _as_numbers(name: str, readings: list[_Reading]) -> Understood:
    parsed = [_parsed(reading) for reading in readings]
    for reading, column in zip(readings, parsed, strict=True):
        if not column.finite:
            msg = (
                f"{reading.table.source.name} ({reading.table.role}): column {shown_name(name)} holds infinite values; "
                "correct them, or leave the column out (--ignore)"
            )
            raise InputError(msg)
    _refuse_overflow(name, parsed)
    remarks = []
    for reading in readings:
        if reading.notation == "comma" and reading.options == {"comma"}:
            remarks.append(f"Decimal commas in {reading.table.source.name} were read as decimal points.")
        elif reading.notation in {"comma", "thousands"}:
            remarks.append(f"Marks between thousands in {reading.table.source.name} were removed.")
    real = [column for reading, column in zip(readings, parsed, strict=True) if reading.table.role != "synthetic"]
    return _understood(
        "numeric", readings, numbers.canonical(parsed), tuple(dict.fromkeys(remarks)), whole=all(c.whole for c in real)
    )


def _refuse_overflow(name: str, parsed: list[numbers.Numbers]) -> None:
    pooled = np.concatenate([column.values[column.codes[column.codes >= 0]] for column in parsed])
    with np.errstate(over="ignore", invalid="ignore"):
        if len(pooled) and not np.isfinite(np.var(pooled)):
            msg = f"column {shown_name(name)} holds numbers so large that their variance overflows; rescale it"
            raise InputError(msg)


def _as_truth(readings: list[_Reading]) -> Understood:
    series = []
    for reading in readings:
        if isinstance(reading.column, Typed) and pa.types.is_boolean(reading.column.values.type):
            series.append(reading.column.values.to_pandas().astype("boolean"))
            continue
        if reading.kind == "boolean" and reading.present is not None:
            codes, values = reading.present.codes, _true_words(reading.present.values)
        else:
            parsed = _parsed(reading)
            codes, values = parsed.codes, parsed.values == 1
        series.append(pd.Series(pd.arrays.BooleanArray(np.append(values, False)[codes], codes < 0)))
    return _understood("boolean", readings, series, ())


def _true_words(values: pa.Array) -> NDArray[np.bool_]:
    return np.array([text.casefold() in {pair[1] for pair in TRUTH} for text in values.to_pylist()], dtype=bool)


def _as_dates(readings: list[_Reading]) -> Understood | None:
    """Convert to times; None where a text is no day, or the order of day and month stays open."""
    written = [reading.present.values for reading in readings if reading.present is not None]
    order = dates.day_order(written)
    series, remarks = [], []
    for reading in readings:
        if isinstance(reading.column, Typed):
            if reading.kind is None:
                moments, codes = np.zeros(0, np.int64), np.full(len(reading.column), -1)
            else:
                moments = pc.fill_null(reading.column.values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
                codes = np.where(
                    reading.column.values.is_null().to_numpy(zero_copy_only=False), -1, np.arange(len(moments))
                )
        else:
            present = reading.present or without_marks(reading.column)
            parsed = dates.parse_dates(present.values, order)
            if parsed is None:
                return None
            if order is not None and dates.has_slashes(present.values):
                remarks.append(f"Its dates were read with the {order}.")
            moments, codes = parsed, present.codes
        stamps = np.append(moments, 0).astype("datetime64[us]")
        stamps[-1] = np.datetime64("NaT")
        series.append(pd.Series(stamps[codes]).dt.tz_localize("UTC"))
    return _understood("datetime", readings, series, tuple(dict.fromkeys(remarks)))


def _as_categories(readings: list[_Reading], remarks: tuple[str, ...]) -> Understood:
    plain = [
        replace(reading, present=without_marks(reading.column)) if isinstance(reading.column, Texts) else reading
        for reading in readings
    ]
    series = []
    for reading in plain:
        if reading.present is not None:
            values, codes = reading.present.values, reading.present.codes
        else:
            encoded = category_texts(reading.column.values).dictionary_encode()
            values = encoded.dictionary
            codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
        # A whole number is one category, whether a table wrote 1 or 1.0.
        names = pc.replace_substring_regex(values, r"^([+-]?\d+)\.0+$", r"\1").to_pylist()
        levels = np.empty(len(names) + 1, dtype=object)
        levels[:-1] = names
        series.append(pd.Series(levels[codes], dtype=object))
    return _understood("categorical", plain, series, remarks)


def _understood(
    kind: Kind,
    readings: list[_Reading],
    series: list[pd.Series],  # type: ignore[type-arg]  # of any dtype
    remarks: tuple[str, ...],
    *,
    whole: bool = False,
) -> Understood:
    marks = tuple(sorted({mark for reading in readings if reading.present for mark in reading.present.marks}))
    if marks:
        remarks = (*remarks, "Read as missing: " + ", ".join(f'"{mark}"' for mark in marks) + ".")
    return Understood(kind, tuple(series), whole, remarks, marks)
