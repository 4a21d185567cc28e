"""Applies what the user declared of columns (`[schema]` of the config) to the tables as read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.declared import ColumnForm
from reportgen.errors import InputError
from reportgen.read.columns import RawColumn, RawTable, Texts, Typed
from reportgen.read.missing import numbers_among
from reportgen.read.naming import nearest_name, shown_name, shown_names
from reportgen.settings import Settings

_BY_OPTION = {"numeric": "numeric", "categorical": "categorical", "key": "identifier", "ignore": "ignore"}


def declared_forms(names: Sequence[str], settings: Settings) -> Mapping[str, ColumnForm]:
    """Return how each column is to be read, as declared for it or for all; nothing for one without declaration.

    InputError where a declared column is not there, or an option says otherwise.
    """
    schema = settings.declared
    for name, form in schema.columns.items():
        if name not in names:
            nearest = nearest_name(name, names)
            hint = f"did you mean {shown_name(nearest)}?" if nearest else f"columns are {shown_names(names)}"
            msg = f"[schema.columns]: there is no column {shown_name(name)}; {hint}"
            raise InputError(msg)
        for option, kind in _BY_OPTION.items():
            if form.means not in {None, kind} and name in getattr(settings, option):
                msg = (
                    f"column {shown_name(name)} is declared {form.means} in [schema] and named by --{option}; "
                    "choose one"
                )
                raise InputError(msg)
    forms = {name: schema.column(name) for name in names}
    return {name: form for name, form in forms.items() if form != ColumnForm()}


def as_declared(table: RawTable, settings: Settings) -> RawTable:
    """Hand the declared marks to the columns of text, and take them out of the columns of numbers."""
    schema = settings.declared
    columns = {}
    for name, column in table.columns.items():
        marks, written = schema.column(name).missing, schema.numbers(name)
        columns[name] = column if marks is None and written is None else _declared(column, marks, written)
    return replace(table, columns=columns)


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
