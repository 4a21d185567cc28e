"""What one table alone says of the kind of a column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.marks import AMONG_NUMBERS
from reportgen.model import Kind
from reportgen.read import dates, numbers
from reportgen.read.columns import RawColumn, RawTable, Texts, Typed
from reportgen.read.missing import Present, without_marks
from reportgen.read.naming import one_line

TRUTH = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"))
"""Pairs of words for a truth value, in any case; a column uses one pair in a table."""
_TRUE = {pair[1] for pair in TRUTH} | {"1", "1.0"}
_FALSE = {pair[0] for pair in TRUTH} | {"0", "0.0"}
_SPOKEN: dict[Kind, str] = {
    "numeric": "numbers",
    "categorical": "words",
    "boolean": "truth values",
    "datetime": "dates",
}


@dataclass(frozen=True)
class Reading:
    """One column of one table. `kind` is None where all is missing; `notation` is how its numbers are written.

    `present` is None for a typed column. `zero_padded`: numbers such as 01234, kept as categories. `open_comma`:
    numbers whose commas may set decimals or thousands apart, and nothing in the table tells which.
    """

    table: RawTable
    column: RawColumn
    kind: Kind | None
    style: numbers.Notation | None = None
    present: Present | None = None
    options: frozenset[numbers.Notation] = frozenset()
    notation: numbers.Notation | None = None
    zero_padded: bool = False
    open_comma: bool = False

    @property
    def where(self) -> str:
        """The table as messages name it."""
        return f"{one_line(self.table.source.name)} ({self.table.role})"

    @property
    def spoken(self) -> str:
        """The kind in words."""
        if self.open_comma:
            return "numbers whose commas may set decimals or thousands apart"
        return _SPOKEN[self.kind] if self.kind else "missing values only"

    @property
    def declared(self) -> bool:
        """Whether the table's own schema says that this is a category."""
        return isinstance(self.column, Texts) and self.column.declared

    @property
    def only_soft_marks(self) -> bool:
        """Whether every value would be missing in a column of numbers."""
        if self.present is None or (isinstance(self.column, Texts) and self.column.marks is not None):
            return False
        return set(self.present.distinct.to_pylist()) <= set(AMONG_NUMBERS)

    def numbers(self) -> numbers.Numbers:
        """Return the column's numbers; only for a column that holds nothing else."""
        if isinstance(self.column, Typed):
            return numbers.stored(self.column.array)
        present = self.present or without_marks(self.column)
        written = self.column.written
        if written is not None:
            present = replace(present, distinct=numbers.plain_texts(present.distinct, *written))
        return numbers.parse(present.distinct, present.codes, self.notation or "plain")

    def zero_one(self) -> bool:
        """Whether a column of numbers holds nothing but 0 and 1."""
        return bool(np.isin(self.numbers().present, (0, 1)).all())


def table_style(table: RawTable) -> numbers.Notation | None:
    """Return how a text table writes its numbers, by all its columns; None where that is open."""
    return numbers.file_style(
        numbers.notations(without_marks(column, among_numbers=True).distinct)
        for name in table.columns
        if name not in table.typed and isinstance(column := table.columns[name], Texts) and column.written is None
    )


def read(name: str, table: RawTable, style: numbers.Notation | None) -> Reading:
    """Find the kind that one table suggests for a column."""
    column = table.columns[name]
    if isinstance(column, Typed):
        return Reading(table, column, _stored_kind(column), style)
    present = without_marks(column)
    reading = Reading(table, column, None, style, present)
    if not len(present.distinct):
        return reading
    if _truth_words(present.distinct):
        return replace(reading, kind="boolean")
    if not column.declared:
        for candidate in (present, without_marks(column, among_numbers=True)):
            found = _number_or_date(replace(reading, present=candidate), candidate.distinct)
            if found is not None:
                return found
    return replace(reading, kind="categorical")


def _number_or_date(reading: Reading, values: pa.Array) -> Reading | None:
    options = _options(reading, values)
    if options and numbers.has_leading_zeros(values):
        return replace(reading, kind="categorical", zero_padded=True)
    if options:
        chosen = numbers.notation(options, values, reading.style)
        if chosen is None:
            return replace(reading, kind="categorical", open_comma=True)
        return replace(reading, kind="numeric", options=options, notation=chosen)
    return replace(reading, kind="datetime") if dates.look_like_dates(values) else None


def _options(reading: Reading, values: pa.Array) -> frozenset[numbers.Notation]:
    """The notations in which all texts are numbers; the declared one counts as the plain one that it is turned into."""
    written = reading.column.written if isinstance(reading.column, Texts) else None
    if written is None:
        return numbers.notations(values)
    fits = len(values) and not numbers.plain_texts(values, *written).null_count
    return frozenset[numbers.Notation]({"plain"}) if fits else frozenset()


def not_numbers(reading: Reading) -> int:
    """Count the rows of a text column whose value cannot be read as a number."""
    if not isinstance(reading.column, Texts):
        return len(reading.column)
    present = without_marks(reading.column, among_numbers=True)
    decimal, thousands = reading.column.written or (
        (",", ".") if reading.style == "comma" else (".", "," if reading.style == "thousands" else "")
    )
    wrong = numbers.plain_texts(present.distinct, decimal, thousands).is_null().to_numpy(zero_copy_only=False)
    return int(np.append(wrong, np.False_)[present.codes].sum())


def forced_numbers(reading: Reading) -> Reading | None:
    """Read a column as numbers because the user says so: leading zeros are allowed. None where it holds words."""
    if reading.kind in {None, "numeric"}:
        return reading
    if isinstance(reading.column, Typed):
        return replace(reading, kind="numeric") if reading.kind == "boolean" else None
    present = without_marks(reading.column, among_numbers=True)
    options = _options(reading, present.distinct)
    chosen = numbers.notation(options, present.distinct, reading.style) if options else None
    if chosen is None and len(present.distinct):
        return None
    return replace(reading, kind="numeric", present=present, options=options, notation=chosen)


def true_words(values: pa.Array) -> NDArray[np.bool_]:
    """Return which of the words mean true."""
    return np.array([text.casefold() in _TRUE for text in values.to_pylist()], dtype=bool)


def forced_truth(reading: Reading) -> tuple[Reading, int]:
    """Read a column as truth values because the user says so, and count the rows that hold none.

    Words of several pairs may be mixed, and stand beside 0 and 1.
    """
    if isinstance(reading.column, Typed):
        if reading.kind == "numeric":
            return reading, int((~np.isin(reading.numbers().present, (0, 1))).sum())
        return reading, 0 if reading.kind in {None, "boolean"} else len(reading.column)
    present = without_marks(reading.column)
    known = np.array([text.casefold() in _TRUE | _FALSE for text in present.distinct.to_pylist()], dtype=bool)
    wrong = int(np.append(~known, np.False_)[present.codes].sum())
    return replace(reading, kind="boolean", present=present), wrong


def _truth_words(values: pa.Array) -> bool:
    if len(values) > 16:  # the four letters of "true" in upper and lower case
        return False
    words = {text.casefold() for text in values.to_pylist()}
    return any(words <= set(pair) for pair in TRUTH)


def _stored_kind(column: Typed) -> Kind | None:
    kind = column.array.type
    if not pa.types.is_timestamp(kind) and not pa.types.is_boolean(kind):
        return "numeric" if len(numbers.stored(column.array).present) else None
    if pc.all(column.array.is_null()).as_py():
        return None
    return "datetime" if pa.types.is_timestamp(kind) else "boolean"
