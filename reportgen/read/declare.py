"""Applies what the user declared of columns (`[schema]` of the config) to the tables as read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.declared import ColumnForm
from reportgen.errors import InputError
from reportgen.read.columns import ColumnsWhenAsked, RawColumn, RawTable, Texts, Typed
from reportgen.read.missing import numbers_among
from reportgen.read.naming import nearest_name, shown_name, shown_names
from reportgen.settings import Settings

_BY_OPTION = {
    "group": "person",
    "key": "identifier",
    "ignore": "ignore",
    "numeric": "numeric",
    "categorical": "categorical",
}
"""What each option that names columns says of them, in the words of `[schema]`."""


def declared_forms(names: Sequence[str], settings: Settings) -> Mapping[str, ColumnForm]:
    """Return how each column is to be read, as declared for it or for all; nothing for one without declaration."""
    forms = {name: settings.declared.column(name) for name in names}
    return {name: form for name, form in forms.items() if form != ColumnForm()}


def check_declarations(names: Sequence[str], settings: Settings) -> None:
    """Raise InputError where an option or `[schema]` names a column that is not there, or two of them contradict."""
    _named_are_known(names, settings)
    said: dict[str, list[tuple[str, str]]] = {}
    for option, meaning in _BY_OPTION.items():
        for name in _named_by(option, settings):
            said.setdefault(name, []).append((f"--{option}", meaning))
    for name, declarations in said.items():
        option, meaning = declarations[0]
        for other, means in declarations[1:]:
            if means != meaning:
                msg = f"column {shown_name(name)} is named by both {option} and {other}; {_way_out(meaning, other)}"
                raise InputError(msg)
    for name, form in settings.declared.columns.items():
        for option, means in said.get(name, ())[:1]:
            if form.means in {None, means} or (means, form.means) == ("person", "identifier"):
                continue
            msg = (
                f"column {shown_name(name)} is declared {form.means} in [schema] and named by {option}; "
                f"{_way_out(means, 'its kind')}"
            )
            raise InputError(msg)


def _named_are_known(names: Sequence[str], settings: Settings) -> None:
    for option in (*_BY_OPTION, "secret", "link", "link_with"):
        for name in _named_by(option, settings):
            _known(f"--{option.replace('_', '-')}", name, names)
    for name in settings.declared.columns:
        _known("[schema.columns]", name, names)


def _named_by(option: str, settings: Settings) -> tuple[str, ...]:
    given = getattr(settings, option)
    return given if isinstance(given, tuple) else (given,) * (given is not None)


def _way_out(meaning: str, other: str) -> str:
    """Say what to do about two declarations of which the first has this meaning."""
    if meaning == "person":
        return f"a column of persons is left out of the distances as it is, so leave out {other} for it"
    return "choose one"


def _known(where: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        nearest = nearest_name(name, names)
        hint = f"did you mean {shown_name(nearest)}?" if nearest else f"columns are {shown_names(names)}"
        msg = f"{where}: there is no column {shown_name(name)}; {hint}"
        raise InputError(msg)


def as_declared(table: RawTable, settings: Settings) -> RawTable:
    """Hand the declared marks to the columns of text, and take them out of the columns of numbers."""
    schema = settings.declared

    def declared(name: str, column: RawColumn) -> RawColumn:
        marks, written = schema.column(name).missing, schema.numbers(name)
        return column if marks is None and written is None else _declared(column, marks, written)

    columns = table.columns
    if isinstance(columns, ColumnsWhenAsked):
        return replace(table, columns=ColumnsWhenAsked(columns, lambda name: declared(name, columns[name])))
    return replace(table, columns={name: declared(name, column) for name, column in columns.items()})


def _declared(column: RawColumn, marks: tuple[str, ...] | None, written: tuple[str, str] | None) -> RawColumn:
    if isinstance(column, Texts):
        return replace(column, marks=marks, written=written)
    kind = column.array.type
    wanted = numbers_among(marks or ())
    if not wanted or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return column
    values = column.array.cast(pa.float64(), safe=False)
    gone = pc.is_in(values, value_set=pa.array(list(wanted), pa.float64()), skip_nulls=True)
    found = {}
    for value in values.filter(gone).unique().to_pylist():
        rows = pc.fill_null(pc.equal(values, value), False)  # noqa: FBT003 -- pyarrow's parameter has no name
        found[wanted[value]] = np.flatnonzero(rows.to_numpy(zero_copy_only=False))
    return Typed(pc.if_else(gone, pa.scalar(None, kind), column.array), found)
