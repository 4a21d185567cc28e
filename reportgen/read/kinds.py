"""Decides the kind of each column on all tables together.

Each table alone suggests a kind; together they must agree. A column of missing values agrees with everything, 0/1
agrees with words for true and false, and dates of which some cannot be read become categories. Numbers in one table
and words in another are an error, because either choice would measure nonsense.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from reportgen.declared import ColumnForm
from reportgen.errors import InputError
from reportgen.model import Kind
from reportgen.read.canonical import (
    Understood,
    as_categories,
    as_declared_times,
    as_numbers,
    as_times,
    as_truth,
    kept,
    rows,
)
from reportgen.read.columns import RawTable, Texts
from reportgen.read.dates import DayOrder, look_like_dates
from reportgen.read.lookalikes import DATES, hint
from reportgen.read.missing import without_marks
from reportgen.read.naming import shown_name
from reportgen.read.reading import Reading, forced_numbers, forced_truth, not_numbers, read, table_style
from reportgen.read.shelf import Shelf

_PADDED = "Its numbers have leading zeros: read as categories."
_OPEN_COMMA = "Its commas may set decimals or thousands apart: read as categories; write a decimal point."
_OPEN_DATES = "Some of its dates are no days, or their order of day and month is open: read as categories."
_NOT_ALL_DATES = "Not all of its values can be read as dates: read as categories."


def understand(
    tables: Sequence[RawTable],
    names: Sequence[str],
    forced: Mapping[str, Kind],
    lenient: Collection[str] = (),
    *,
    forms: Mapping[str, ColumnForm] | None = None,
    day_first: bool | None = None,
    shelf: Shelf | None = None,
) -> dict[str, Understood]:
    """Decide the kinds of the named columns and convert them in every table.

    `forced` holds the kinds that the user names, `forms` how their dates are written, `day_first` the order of day and
    month of all others. `lenient` are columns that nothing is measured on: what does not fit together there becomes a
    category. With a shelf the columns are put there one by one. Raises InputError naming the column, the
    tables and the way out.
    """
    order: DayOrder | None = None if day_first is None else "day first" if day_first else "month first"
    styles = [table_style(table) for table in tables]
    understood = {}
    for name in names:
        readings = [read(name, table, style) for table, style in zip(tables, styles, strict=True)]
        try:
            form = (forms or {}).get(name, ColumnForm(day_first=day_first))
            column = _decide(name, readings, forced.get(name), form, order)
        except InputError:
            if name not in lenient:
                raise
            column = as_categories(readings)
        understood[name] = column if shelf is None else kept(column, shelf)
        del readings, column  # before the next one is read
    return understood


def _decide(
    name: str, readings: list[Reading], forced: Kind | None, form: ColumnForm, order: DayOrder | None
) -> Understood:
    if forced is not None:
        return _as_forced(name, readings, forced, form, order)
    readings = _without_soft_marks(readings)
    kinds = {reading.kind for reading in readings if reading.kind}
    if kinds == {"numeric"}:
        return as_numbers(name, readings)
    if kinds == {"datetime"}:
        return as_times(readings, order) or _texts_as_categories(name, readings, (_OPEN_DATES,))
    if kinds == {"boolean"} or (kinds == {"boolean", "numeric"} and all(map(_fits_truth, readings))):
        return as_truth(readings)
    if kinds == {"categorical", "datetime"}:
        if any(map(_unknown_dates, readings)):  # as categories no value of one table could be one of the other
            raise _conflict(name, readings)
        return _texts_as_categories(name, readings, (_NOT_ALL_DATES,))
    return _agree_on_categories(name, readings)


def _as_forced(
    name: str, readings: list[Reading], forced: Kind, form: ColumnForm, order: DayOrder | None
) -> Understood:
    if forced == "numeric":
        return as_numbers(name, [_forced_numbers(name, reading) for reading in readings])
    if form.means == "identifier" and {reading.kind for reading in readings if reading.kind} == {"datetime"}:
        # The same day may be written otherwise in the other file.
        return as_times(readings, order) or as_categories(readings)
    if forced == "categorical":
        return as_categories(readings)
    if forced == "boolean":
        return as_truth([_forced_truth(name, reading) for reading in readings])
    return as_declared_times(name, readings, form)


def _fits_truth(reading: Reading) -> bool:
    return reading.kind != "numeric" or reading.zero_one()


def _agree_on_categories(name: str, readings: list[Reading]) -> Understood:
    """Take words, perhaps beside truth values, as categories; numbers beside them only where they are codes."""
    kinds = {reading.kind for reading in readings if reading.kind}
    categories = [reading for reading in readings if reading.kind == "categorical"]
    remarks = [_PADDED] if any(reading.zero_padded for reading in categories) else []
    remarks += [_OPEN_COMMA] if any(reading.open_comma for reading in categories) else []
    if kinds == {"categorical", "numeric"} and all(reading.declared for reading in categories):
        return as_categories(readings)
    if kinds == {"categorical", "boolean"} and _nothing_in_common(readings):
        raise _conflict(name, readings)
    if kinds <= {"categorical", "boolean"} or (kinds == {"categorical", "numeric"} and _PADDED in remarks):
        return _texts_as_categories(name, readings, remarks)
    raise _conflict(name, readings)


def _unknown_dates(reading: Reading) -> bool:
    """Whether a table's words look like dates and not one of them is of a form that is known."""
    if reading.kind != "categorical" or reading.present is None or hint([reading.present.distinct]) != DATES:
        return False
    return not any(look_like_dates(pa.array([text])) for text in reading.present.distinct.to_pylist()[:200])


def _nothing_in_common(readings: Sequence[Reading]) -> bool:
    """Whether both truth values of one table are no words of another: ja and nein beside yes would match nothing."""
    found: dict[Kind, set[str]] = {"boolean": set(), "categorical": set()}
    for reading in readings:
        if reading.kind and reading.present is not None:
            found[reading.kind].update(reading.present.distinct.to_pylist())
    return len(found["boolean"]) > 1 and found["boolean"].isdisjoint(found["categorical"])


def _without_soft_marks(readings: list[Reading]) -> list[Reading]:
    """Take a table whose only values are marks such as N as missing, where another one holds numbers or dates."""
    if not any(reading.kind in {"numeric", "datetime"} for reading in readings):
        return readings
    return [
        replace(reading, kind=None, present=without_marks(reading.column, among_numbers=True))
        if reading.only_soft_marks and isinstance(reading.column, Texts)
        else reading
        for reading in readings
    ]


def _texts_as_categories(name: str, readings: Sequence[Reading], remarks: Sequence[str]) -> Understood:
    """Fall back on the texts as they are written; a typed column has none that the other tables could share."""
    if all(reading.present is not None for reading in readings if reading.kind):
        written = [reading.present.distinct for reading in readings if reading.present is not None]
        hinted = None if remarks else hint(written)
        return as_categories(readings, remarks if hinted is None else (hinted,))
    raise _conflict(name, readings)


def _forced_numbers(name: str, reading: Reading) -> Reading:
    found = forced_numbers(reading)
    if found is None:
        remedy = "correct them, list them as missing in [schema], or don't call it numeric"
        if reading.open_comma:
            remedy = "declare decimal or thousands in [schema]"
        msg = (
            f"{reading.where}: column {shown_name(name)} holds {reading.spoken} in {rows(not_numbers(reading))}, which "
            f"cannot be read as numbers; {remedy}"
        )
        raise InputError(msg)
    return found


def _forced_truth(name: str, reading: Reading) -> Reading:
    found, wrong = forced_truth(reading)
    if wrong:
        msg = (
            f"{reading.where}: column {shown_name(name)} is declared boolean and holds {reading.spoken} in "
            f"{rows(wrong)}, which are neither true nor false; correct them, or declare it categorical"
        )
        raise InputError(msg)
    return found


def _conflict(name: str, readings: Sequence[Reading]) -> InputError:
    found = " and ".join(f"{reading.spoken} in {reading.where}" for reading in readings if reading.kind)
    shown = shown_name(name)
    if any(map(_unknown_dates, readings)):
        return InputError(
            f"column {shown} holds {found}, which look like dates of a form that is not known: write them alike in all "
            f"files (2020-01-31), declare their date_format in [schema], or use --categorical {shown}"
        )
    return InputError(f"column {shown} holds {found}: correct the file, or use --categorical {shown}")
