"""The tables of one assessment after alignment: the same columns in the same order, each of one kind in all tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import pandas as pd
from numpy.typing import NDArray

from reportgen.model import Kind
from reportgen.persons import PersonKey, Persons
from reportgen.read.shelf import Shelf

Side = Literal["original", "holdout", "synthetic"]
Tabular: TypeAlias = str | os.PathLike[str] | pd.DataFrame | NDArray[Any]
"""What a user may give: a path, a DataFrame, or an array, 2-D for a table and 3-D for signals."""


@dataclass(frozen=True)
class Source:
    """Where a table came from: base name for people, SHA-256 of the file's bytes (None for a table in memory)."""

    name: str
    sha256: str | None
    text: TextForm | None = None
    """How a text file was cut into cells; None for what is no text."""


@dataclass(frozen=True)
class TextForm:
    """Encoding and separator of a text file, in words for people, as detected or declared."""

    encoding: str
    separator: str


@dataclass(frozen=True)
class ColumnSchema:
    """How one column is understood in all tables, why it is left out (None: used), and what to tell the reader."""

    name: str
    kind: Kind
    left_out: str | None = None
    remarks: tuple[str, ...] = ()
    missing_marks: tuple[str, ...] = ()
    other_marks: bool = False
    """Whether something was read as missing that may not be named: fewer than five original rows hold it."""

    @property
    def used(self) -> bool:
        """Whether the column takes part in the distances and in the comparison of rows."""
        return self.left_out is None


class Columns(Protocol):
    """The columns of a table by name, in memory (a DataFrame) or read from disk whenever they are asked for."""

    @property
    def columns(self) -> pd.Index[str]:
        """The names in their order."""

    def __len__(self) -> int: ...

    def __getitem__(self, name: str, /) -> pd.Series[Any]: ...


@dataclass(frozen=True)
class Table:
    """One table with canonical columns in the order of the schema.

    numeric: float64 (NaN missing) or, where every value of all tables is an integer, Int64 (pd.NA missing), or object
    of Python int/float where integers beyond 2^53 meet fractions or 64 bits don't hold them (None missing);
    categorical: object of str (None missing); boolean: `boolean` (pd.NA missing); datetime: datetime64[us, UTC] (NaT
    missing). `remarks` tell how the file as a whole was read, where that is not plain.
    """

    source: Source
    frame: Columns
    remarks: tuple[str, ...] = ()
    content_sha256: str | None = None
    """Digest of what was read, where it is more than the frame holds: of the samples of signals."""
    samples: int | None = None
    """Samples of each lead of a record; None for a table."""

    @property
    def in_memory(self) -> pd.DataFrame:
        """The frame of a table that is held in memory, as all are for which nothing else was asked."""
        if not isinstance(self.frame, pd.DataFrame):
            msg = "the table lies on disk"
            raise TypeError(msg)
        return self.frame


@dataclass(frozen=True)
class Lead:
    """One lead of signals: its name, the names of its used columns, and whether it is flat in the original records."""

    name: str
    columns: tuple[str, ...]
    flat: bool


@dataclass(frozen=True)
class Partition:
    """Original, synthetic and, where given, holdout rows with one schema.

    Signals have `leads`, rows that describe their records, and `recordings`: tables that tell which records are the
    same, of one row a record in the same order.
    """

    columns: tuple[ColumnSchema, ...]
    original: Table
    synthetic: Table
    holdout: Table | None
    leads: tuple[Lead, ...] = ()
    recordings: Partition | None = None
    persons: Persons | None = None
    """Whose the real rows are, those of the original before those of the holdout; None without `--group`."""
    person_key: PersonKey | None = None
    """A column that seems to name persons, where none was named."""

    shelf: Shelf | None = None
    """Where the columns lie that are not in memory; what else takes a number a cell is put there too."""

    @property
    def as_read(self) -> Partition:
        """The tables by which rows are the same or not: the recordings of signals, these tables otherwise."""
        return self if self.recordings is None else self.recordings

    @property
    def used(self) -> tuple[ColumnSchema, ...]:
        """The columns that are measured on, in the order of the files."""
        return tuple(column for column in self.columns if column.used)

    @property
    def sides(self) -> dict[Side, Table]:
        """The tables by name: original, holdout where given, synthetic."""
        if self.holdout is None:
            return {"original": self.original, "synthetic": self.synthetic}
        return {"original": self.original, "holdout": self.holdout, "synthetic": self.synthetic}
