"""Brings the tables of one assessment to the same columns, kinds and order, and says what is left out and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.declared import ColumnForm
from reportgen.errors import InputError
from reportgen.model import SMALLEST_GROUP, Kind
from reportgen.persons import PersonKey
from reportgen.read.attacked import check_attacked
from reportgen.read.canonical import Understood
from reportgen.read.columns import RawTable
from reportgen.read.declare import as_declared, check_declarations, declared_forms
from reportgen.read.kinds import understand
from reportgen.read.left_out import (
    BY_GROUP,
    BY_IGNORE,
    BY_KEY,
    CONSTANT,
    DECLARED_IGNORE,
    DECLARED_KEY,
    is_constant,
    why_left_out,
)
from reportgen.read.naming import like_cells, one_line, shown_name, shown_names
from reportgen.read.partition import Columns, ColumnSchema, Partition, Table
from reportgen.read.person_key import LIKE_A_KEY, person_key
from reportgen.read.persons import persons_of
from reportgen.read.shelf import KeptColumn, KeptFrame, Shelf
from reportgen.settings import Settings

_UNMEASURED = {"identifier": DECLARED_KEY, "ignore": DECLARED_IGNORE}


def align(
    original: RawTable,
    synthetic: RawTable,
    holdout: RawTable | None,
    settings: Settings,
    shelf: Shelf | None = None,
) -> Partition:
    """Return the tables with one schema, columns in the order of the original; with a shelf they lie there.

    No column may be left to measure on; that is for the caller to say. Raises InputError where columns are missing,
    extra or renamed, a setting names no column, or tables disagree on a kind.
    """
    tables = [original, synthetic] if holdout is None else [original, synthetic, holdout]
    names = tuple(original.columns)
    for table in tables[1:]:
        _same_columns(original, table)
    check_declarations(names, settings)
    forms = declared_forms(names, settings)
    tables = [as_declared(table, settings) for table in tables]
    unmeasured = {*settings.key, *settings.ignore, *(name for name in forms if forms[name].means in _UNMEASURED)}
    if settings.group is not None:
        unmeasured.add(settings.group)
    understood = understand(
        tables,
        names,
        _forced_kinds(forms, settings),
        lenient=unmeasured,
        forms=forms,
        day_first=settings.declared.day_first,
        shelf=shelf,
    )
    whose = None if settings.group is None else pd.factorize(understood[settings.group].series[0])[0]
    columns = tuple(
        _schema(name, understood[name], tables, settings, forms.get(name, ColumnForm()), whose) for name in names
    )
    check_attacked(columns, settings)
    if settings.projection == "none":
        _coordinates_only(columns, understood, tables)
    aligned = [
        Table(table.source, _frame(understood, place, table.rows), table.remarks) for place, table in enumerate(tables)
    ]
    partition = Partition(columns, aligned[0], aligned[1], aligned[2] if holdout is not None else None, shelf=shelf)
    if settings.group is not None:
        return replace(partition, persons=persons_of(partition, settings.group))
    key = person_key(understood)
    return partition if key is None else replace(partition, columns=_named(columns, key), person_key=key)


def _frame(understood: Mapping[str, Understood], place: int, rows: int) -> Columns:
    """The columns of one table, from where they lie."""
    series = {name: column.series for name, column in understood.items()}
    on_disk = {name: column.kept[place] for name, column in series.items() if isinstance(column, KeptColumn)}
    if len(on_disk) == len(series):
        return KeptFrame(on_disk, rows)
    return pd.DataFrame({name: column[place] for name, column in series.items()})


def _named(columns: Sequence[ColumnSchema], key: PersonKey) -> tuple[ColumnSchema, ...]:
    """Say of a column that it looks like a key of persons."""
    return tuple(
        replace(column, remarks=(*column.remarks, LIKE_A_KEY)) if column.name == key.column else column
        for column in columns
    )


def _forced_kinds(forms: Mapping[str, ColumnForm], settings: Settings) -> dict[str, Kind]:
    """The kinds that the user names; an identifier is a category, so that its reuse is checked whatever it holds."""
    forced: dict[str, Kind] = dict.fromkeys(settings.numeric, "numeric")
    forced |= dict.fromkeys(settings.categorical, "categorical")
    for name, form in forms.items():
        if form.means == "identifier":
            forced[name] = "categorical"
        elif form.means is not None and form.means != "ignore":
            forced[name] = form.means
    return forced


def _schema(
    name: str,
    column: Understood,
    tables: Sequence[RawTable],
    settings: Settings,
    form: ColumnForm,
    whose: NDArray[np.int64] | None,
) -> ColumnSchema:
    real = pd.concat(
        [series for table, series in zip(tables, column.series, strict=True) if table.role != "synthetic"],
        ignore_index=True,
    )
    reason = None
    if name == settings.group:
        reason = BY_GROUP
    elif name in settings.ignore:
        reason = BY_IGNORE
    elif name in settings.key:
        reason = BY_KEY
    elif form.means in _UNMEASURED:
        reason = _UNMEASURED[form.means]
    elif settings.projection == "famd":
        if is_constant(real):
            reason = CONSTANT
        elif name not in {*settings.numeric, *settings.categorical} and form.means is None:
            reason = why_left_out(name, column.kind, real, whole=column.whole)
    declared = (f"Declared {form.means} in [schema].",) if form.means else ()
    remarks = declared + _remarks(column, tables, real)
    marks, others = _named_marks(column, settings, whose)
    return ColumnSchema(name, column.kind, reason, remarks, marks, others)


def _named_marks(
    column: Understood, settings: Settings, whose: NDArray[np.int64] | None
) -> tuple[tuple[str, ...], bool]:
    """Return the missing marks that may be named, and whether there are others.

    `whose` numbers the person of each original row: five persons have to hold a mark then, otherwise five rows.
    """
    named = (
        ()
        if settings.no_category_names
        else tuple(
            mark
            for mark, rows in column.missing_marks.items()
            if len(rows if whose is None else np.unique(whose[rows])) >= SMALLEST_GROUP
        )
    )
    return named, len(named) < column.different_marks


def _remarks(column: Understood, tables: Sequence[RawTable], real: pd.Series[Any]) -> tuple[str, ...]:
    empty: list[str] = [table.role for table, series in zip(tables, column.series, strict=True) if series.isna().all()]
    if real.isna().all():
        empty = ["real", *(role for role in empty if role == "synthetic")]
    return (*column.remarks, *(f"All its values are missing in the {rows} rows." for rows in empty))


def _same_columns(original: RawTable, other: RawTable) -> None:
    missing = [name for name in original.columns if name not in other.columns]
    extra = [name for name in other.columns if name not in original.columns]
    if not missing and not extra:
        return
    parts = []
    folded = {name.strip().casefold(): name for name in extra}
    renamed = [(name, folded[name.strip().casefold()]) for name in missing if name.strip().casefold() in folded]
    shared = len(original.columns) - len(missing)
    if 2 * shared < len(original.columns) and like_cells((*missing, *extra)):
        # Without a header line the first person stands where the names should: their values are not named.
        files = (f"{one_line(table.source.name)} ({table.role})" for table in (other, original))
        shares = "no column name" if not shared else f"only {shared} of {len(original.columns)} column names"
        msg = f"{next(files)} shares {shares} with {next(files)}: does the first line of each hold its names?"
        raise InputError(msg)
    missing = [name for name in missing if name not in {before for before, _ in renamed}]
    extra = [name for name in extra if name not in {after for _, after in renamed}]
    if renamed:
        pairs = ", ".join(f"{shown_name(before)} as {shown_name(after)}" for before, after in renamed[:5])
        parts.append(f"writes {pairs}" + (f" and {len(renamed) - 5} more" if len(renamed) > 5 else ""))
    if missing:
        parts.append(f"has no column{'s' if len(missing) > 1 else ''} {shown_names(missing)}")
    if extra:
        parts.append(f"has {shown_names(extra)} besides")
    msg = (
        f"{one_line(other.source.name)} ({other.role}) {'; '.join(parts)}: "
        f"give it the columns of {one_line(original.source.name)} ({original.role})"
    )
    raise InputError(msg)


def _coordinates_only(
    columns: Sequence[ColumnSchema], understood: dict[str, Understood], tables: Sequence[RawTable]
) -> None:
    """Refuse what is no coordinate: without projection every used column is a number in every row."""
    for column in columns:
        if not column.used:
            continue
        if column.kind != "numeric":
            msg = (
                f"column {shown_name(column.name)} is {column.kind}: with --projection none every column must be "
                "numeric; leave it out (--ignore) or use --projection famd"
            )
            raise InputError(msg)
        for table, series in zip(tables, understood[column.name].series, strict=True):
            if series.isna().any():
                msg = (
                    f"{one_line(table.source.name)} ({table.role}): column {shown_name(column.name)} has "
                    "missing values, which --projection none does not allow; leave it out (--ignore)"
                )
                raise InputError(msg)
