"""A table as it is stored, and some of its rows written again as they stand.

A text table that stays one keeps its lines byte for byte, a text cell that moves to Parquet stays a text, a column of
Parquet keeps its type, an array its number type.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.read.array_files import load_array
from reportgen.read.arrow_files import read_feather, read_parquet
from reportgen.read.columns import Typed, category_texts, raw_column
from reportgen.read.delimited import Delimited, read_delimited
from reportgen.read.naming import one_line
from reportgen.read.parquet_folder import parts_of, read_parts
from reportgen.read.partition import Tabular
from reportgen.read.records import Records, cut_records
from reportgen.read.tables import split_key
from reportgen.settings import Settings

TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
TABLES = (*TEXTS, ".parquet", ".feather")
ARRAYS = (".npy", ".npz")
SUFFIXES = (*TABLES, *ARRAYS)
_KEY = "records"
"""Name of the array in an `.npz` where the source has none."""


@dataclass(frozen=True)
class Text:
    """A text table, by its lines and by its cells."""

    records: Records
    cells: Delimited


@dataclass(frozen=True)
class Array:
    """Records, or rows of numbers, and the name that they have in an `.npz`."""

    values: NDArray[Any]
    key: str


@dataclass(frozen=True)
class Columns:
    """A table of typed columns, a `pyarrow.Table`."""

    table: Any


Stored: TypeAlias = Text | Columns | Array | pd.DataFrame


def suffix_of(name: str) -> str | None:
    """Return the known suffix of a file's name, None where it has none; that of `file.npz:key` is `.npz`."""
    lower = split_key(name)[0].name.lower()
    return next((suffix for suffix in sorted(SUFFIXES, key=len)[::-1] if lower.endswith(suffix)), None)


def stored(given: Tabular, rows: int, settings: Settings) -> Stored:
    """Read a table as it is stored; InputError where it has not so many rows, as it had a moment ago."""
    if isinstance(given, pd.DataFrame):
        return given
    if isinstance(given, np.ndarray):
        return Array(given, _KEY)
    path, key = split_key(os.fsdecode(given))
    try:
        found = _read(path, key, settings)
        number = _rows(found)
    except (OSError, pa.ArrowException):
        number = -1
    if number != rows:
        msg = f"{one_line(path.name)}: the file changed while it was read; run split again"
        raise InputError(msg)
    return found


def _read(path: Path, key: str | None, settings: Settings) -> Stored:
    suffix = suffix_of(path.name)
    if path.is_dir():
        return Columns(read_parts(parts_of(path, "original")[0], path.name))
    if suffix in ARRAYS:
        return Array(load_array(path, key), key or _only_key(path) or _KEY)
    if suffix in TEXTS:
        cells = read_delimited(path, settings.declared.file("original"))
        return Text(cut_records(path, cells), cells)
    return Columns(read_parquet(path) if suffix == ".parquet" else read_feather(path))


def _only_key(path: Path) -> str | None:
    if suffix_of(path.name) != ".npz":
        return None
    with np.load(path, allow_pickle=False) as archive:
        return next(iter(archive.files), None)


def _rows(found: Stored) -> int:
    if isinstance(found, Text):
        return len(found.records.rows)
    if isinstance(found, Array):
        return len(found.values)
    return int(found.table.num_rows) if isinstance(found, Columns) else len(found)


def taken(source: Stored, rows: NDArray[np.int64]) -> pd.DataFrame | NDArray[Any]:
    """Return some rows of a table in memory, in the form that it has; TypeError for what is stored in a file."""
    if isinstance(source, pd.DataFrame):
        return source.iloc[rows]
    if isinstance(source, Array):
        return source.values[rows]
    raise TypeError


def written(source: Stored, path: Path, rows: NDArray[np.int64]) -> bytes:
    """Return the file that holds some rows, in the format of its suffix."""
    suffix = suffix_of(path.name)
    if isinstance(source, Array):
        return _array_bytes(source, rows, suffix)
    if suffix in {".parquet", ".feather"}:
        return _arrow_bytes(_as_arrow(source).take(pa.array(rows)), suffix)
    separator = "\t" if suffix in {".tsv", ".tsv.gz"} else ","
    if isinstance(source, Text) and (source.cells.form.separator == "\t") == (separator == "\t"):
        content = source.records.of(rows.tolist())
    else:
        content = _text_bytes(_as_arrow(source).take(pa.array(rows)), separator)
    return gzip.compress(content, mtime=0) if suffix is not None and suffix.endswith(".gz") else content


def _array_bytes(source: Array, rows: NDArray[np.int64], suffix: str | None) -> bytes:
    stream = io.BytesIO()
    values: Any = source.values[rows]
    if suffix == ".npy":
        np.save(stream, values, allow_pickle=False)
    else:
        np.savez_compressed(stream, allow_pickle=False, **{source.key: values})
    return stream.getvalue()


def _as_arrow(source: Stored) -> pa.Table:
    if isinstance(source, Columns):
        return source.table
    if isinstance(source, Text):
        return pa.Table.from_arrays(list(source.cells.columns), names=list(source.cells.names))
    raise TypeError


def _arrow_bytes(table: pa.Table, suffix: str | None) -> bytes:
    stream = io.BytesIO()
    if suffix == ".parquet":
        pyarrow.parquet.write_table(table, stream)
    else:
        pyarrow.feather.write_feather(table, stream)
    return stream.getvalue()


def _text_bytes(table: pa.Table, separator: str) -> bytes:
    """Write a typed table as text: whole numbers without point, times as RFC 3339, what is missing as nothing."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(_cells(column).to_pylist() for column in table.columns), strict=True))
    return stream.getvalue().encode("utf-8", "surrogatepass")


def _cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind: Any = column.type
    if pa.types.is_dictionary(kind):
        return _cells(column.cast(kind.value_type))
    raw = raw_column(column)
    if isinstance(raw, Typed):
        return pa.chunked_array([category_texts(raw.array)])
    return column.cast(pa.large_string())
