"""How the user declares tables and columns to be read, where detection would be wrong: `[schema]` of the config file.

What is declared is binding: a cell that does not fit it is an error, never a missing value.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from reportgen.bounds import MOST_COLUMNS, Name

DeclaredKind = Literal["numeric", "categorical", "datetime", "boolean", "identifier", "ignore"]
Decimal = Literal[".", ","]
Thousands = Literal[".", ",", " ", "'", "_"]
MOST_MARKS = 1000
"""Texts declared missing for one column."""
_QUOTES = "\"'\r\n"


def hide_marks(tables: Any, words: Callable[[int], str]) -> Any:
    """Return dumped tables of a schema with a word on their number in place of the texts that are missing."""
    if not isinstance(tables, dict):
        return tables
    return {
        name: words(len(value)) if name == "missing" and isinstance(value, list | tuple) else hide_marks(value, words)
        for name, value in tables.items()
    }


def mask_marks(tables: Any) -> Any:
    """Return dumped tables of a schema with "sha256:…" of each text that is missing in its place.

    Who has the config file can tell that it is the same; who has the report reads no text of a cell. What is masked
    already stays as it is.
    """
    if not isinstance(tables, dict):
        return tables
    return {
        name: [_masked(mark) for mark in value] if name == "missing" and value is not None else mask_marks(value)
        for name, value in tables.items()
    }


_MASKED = re.compile("sha256:[0-9a-f]{64}")


def _masked(mark: str) -> str:
    return mark if _MASKED.fullmatch(mark) else f"sha256:{hashlib.sha256(mark.encode()).hexdigest()}"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileForm(_Part):
    """How a text file is written; None: as detected."""

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    """The character between two cells."""
    encoding: Annotated[str, Field(max_length=100)] | None = None
    """Name of the encoding, as Python knows it."""

    @field_validator("separator")
    @classmethod
    def _separates(cls, separator: str | None) -> str | None:
        if separator is not None and (
            separator.isalnum() or separator == "\0" or separator in _QUOTES or not separator.isascii()
        ):
            msg = "give one ASCII character that is no letter, digit, quote or line end"
            raise ValueError(msg)
        return separator

    @field_validator("encoding")
    @classmethod
    def _known(cls, encoding: str | None) -> str | None:
        if encoding is None:
            return None
        try:
            found = codecs.lookup(encoding)
            # Encodings of host names are none of texts.
            text = "a".encode(found.name) and found.name not in {"idna", "punycode"}
        except (LookupError, ValueError, TypeError):  # not known, or one that codes no text
            text = False
        if not text:
            msg = "give the name of a text encoding, such as utf-8, cp1252, latin-1 or utf-16"
            raise ValueError(msg)
        return found.name


class NumberForm(_Part):
    """How numbers and missing values are written; None: as detected."""

    missing: Annotated[tuple[Name, ...], Field(max_length=MOST_MARKS)] | None = None
    """Exactly these texts are missing, and the empty cell; None: the usual marks."""
    decimal: Decimal | None = None
    """The mark before decimals."""
    thousands: Thousands | None = None
    """The mark between thousands; a blank stands for those that break no line as well."""
    day_first: bool | None = None
    """Whether 1/2/2020 is the first of February."""

    @field_validator("missing", mode="before")
    @classmethod
    def _listed(cls, marks: Any) -> Any:
        listed = marks if isinstance(marks, list | tuple) else (marks,)
        # TOML has numbers: -9 is the text of one
        return None if marks is None else tuple(repr(m) if type(m) in {int, float} else m for m in listed)

    @field_validator("missing")
    @classmethod
    def _bare(cls, marks: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if marks is None else tuple(dict.fromkeys(mark.strip() for mark in marks))

    @model_validator(mode="after")
    def _two_marks(self) -> Self:
        if self.thousands is not None and self.thousands == (self.decimal or "."):
            msg = "thousands and decimal are the same mark; a number could not be read"
            raise ValueError(msg)
        return self


class ColumnForm(NumberForm):
    """How one column is to be read, in all tables; None: as detected, or as declared for all columns."""

    kind: DeclaredKind | None = None
    """What the column holds; `decimal` or `thousands` alone mean numeric, `date_format` or `day_first` datetime."""
    date_format: Annotated[str, Field(max_length=200)] | None = None
    """How its dates are written, in the directives of Python's strptime."""

    @field_validator("date_format")
    @classmethod
    def _reads_back(cls, form: str | None) -> str | None:
        if form is not None:
            try:
                day = datetime(2001, 11, 23, 14, 35, 6, tzinfo=UTC)
                read = datetime.strptime(day.strftime(form), form)  # noqa: DTZ007
            except (ValueError, UnicodeError, re.error):  # re's where one directive stands twice
                read = None
            if read is None or read.year != 2001:
                msg = "is no format of a date with a year, such as %d.%m.%Y"
                raise ValueError(msg)
        return form

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        number = self.decimal is not None or self.thousands is not None
        date = self.date_format is not None or self.day_first is not None
        if self.date_format is not None and self.day_first is not None:
            msg = "date_format and day_first contradict each other; give one of them"
            raise ValueError(msg)
        if number and (date or self.kind not in {None, "numeric"}):
            msg = "decimal and thousands belong to kind numeric"
            raise ValueError(msg)
        if date and self.kind not in {None, "datetime"}:
            msg = "date_format and day_first belong to kind datetime"
            raise ValueError(msg)
        return self

    @property
    def means(self) -> DeclaredKind | None:
        """The kind as declared or implied."""
        if self.kind is not None:
            return self.kind
        if self.decimal is not None or self.thousands is not None:
            return "numeric"
        return "datetime" if self.date_format is not None or self.day_first is not None else None


class Schema(NumberForm, FileForm):
    """What holds for all tables and columns, and what for single ones."""

    original: FileForm = FileForm()
    synthetic: FileForm = FileForm()
    holdout: FileForm = FileForm()
    columns: Annotated[dict[Name, ColumnForm], Field(max_length=MOST_COLUMNS)] = {}
    """By name, without blanks at its ends."""

    @field_validator("columns")
    @classmethod
    def _stripped(cls, columns: dict[str, ColumnForm]) -> dict[str, ColumnForm]:
        stripped = [name.strip() for name in columns]
        doubled = sorted({name for name in stripped if stripped.count(name) > 1})
        if doubled:
            msg = f"column {doubled[0][:60]!r} is declared twice, with and without blanks at its ends; leave one"
            raise ValueError(msg)
        return dict(zip(stripped, columns.values(), strict=True))

    def masked(self) -> Schema:
        """Return the schema without a text of a cell, for a result that names none."""
        return Schema.model_validate(mask_marks(self.model_dump()))

    def file(self, side: Literal["original", "synthetic", "holdout"]) -> FileForm:
        """Return how the file of one side is written: as declared for it, otherwise for all."""
        own: FileForm = getattr(self, side)
        return FileForm(separator=own.separator or self.separator, encoding=own.encoding or self.encoding)

    def column(self, name: str) -> ColumnForm:
        """Return how one column is to be read: as declared for it, otherwise for all."""
        own = self.columns.get(name, ColumnForm())
        if own.missing is None and self.missing is not None:
            own = own.model_copy(update={"missing": self.missing})
        return own

    def numbers(self, name: str) -> tuple[str, str] | None:
        """Return the decimal mark of a column and that between its thousands ("" for none); None: as detected."""
        for form in (self.columns.get(name, ColumnForm()), self):
            if form.decimal is not None or form.thousands is not None:
                return form.decimal or ".", form.thousands or ""
        return None
