"""The tables of one assessment after alignment: the same columns in the same order, each of one kind in all tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pandas as pd
from numpy.typing import NDArray

from reportgen.model import Kind

Side = Literal["original", "holdout", "synthetic"]
Tabular: TypeAlias = str | os.PathLike[str] | pd.DataFrame | NDArray[Any]
"""What a user may give as a table: a path, a DataFrame or a 2-D array."""


@dataclass(frozen=True)
class Source:
    """Where a table came from: base name for people, SHA-256 of the file's bytes (None for a table in memory)."""

    name: str
    sha256: str | None


@dataclass(frozen=True)
class ColumnSchema:
    """How one column is understood in all tables, why it is left out (None: used), and what to tell the reader."""

    name: str
    kind: Kind
    left_out: str | None = None
    remarks: tuple[str, ...] = ()
    missing_marks: tuple[str, ...] = ()

    @property
    def used(self) -> bool:
        """Whether the column takes part in the distances and in the comparison of rows."""
        return self.left_out is None


@dataclass(frozen=True)
class Table:
    """One table with canonical columns in the order of the schema.

    numeric: float64 (NaN missing) or, where every value of all tables is an integer, Int64 (pd.NA missing), or object
    of Python int/float where integers beyond 2^53 meet fractions or 64 bits don't hold them (None missing);
    categorical: object of str (None missing); boolean: `boolean` (pd.NA missing); datetime: datetime64[us, UTC] (NaT
    missing). `remarks` tell how the file as a whole was read, where that is not plain.
    """

    source: Source
    frame: pd.DataFrame
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Partition:
    """Original, synthetic and, where given, holdout rows with one schema."""

    columns: tuple[ColumnSchema, ...]
    original: Table
    synthetic: Table
    holdout: Table | None

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
