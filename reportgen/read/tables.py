"""Reads a table from a file, a DataFrame or an array. What its columns mean is decided on all tables together."""

from __future__ import annotations

import datetime as dt
import decimal
import hashlib
import os
import stat
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.declared import FileForm
from reportgen.errors import InputError
from reportgen.read.array_files import load_array
from reportgen.read.arrow_files import PANDAS_INDEX, read_feather, read_parquet
from reportgen.read.columns import ColumnsWhenAsked, RawColumn, RawTable, category_text, raw_column, texts
from reportgen.read.delimited import EMPTY, read_delimited
from reportgen.read.naming import like_cells, one_line, refuse_names, shown_name, shown_names
from reportgen.read.parquet_folder import SUFFIX, folder_name, folder_sha256, parts_of, read_parts
from reportgen.read.parquet_stream import StoredColumns, open_file, open_parts
from reportgen.read.partition import Side, Source, Tabular
from reportgen.read.signals import Signals, signals

__all__ = ["Given", "RawTable", "Reader", "read_table"]

Given: TypeAlias = Tabular | RawTable | Signals
"""What a user may give, or what was read of it before."""
Reader: TypeAlias = Callable[[Given, Side, FileForm], RawTable | Signals]

TEXT_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet", ".feather", ".npy", ".npz")
_DETECTED = FileForm()
_WRITTEN_OUT = (
    *(str, bool, int, float, decimal.Decimal),
    *(dt.date, dt.time, pd.Interval, pd.Period, uuid.UUID),
)
"""Python objects that a column may hold: their text is what they are. Of others it may be an address in memory."""


def read_streamed(given: Given, role: Side, form: FileForm = _DETECTED) -> RawTable | Signals:
    """Read one table as `read_table` does; columns of Parquet are read one at a time, each time they are asked for."""
    return read_table(given, role, form, streamed=True)


def read_table(given: Given, role: Side, form: FileForm = _DETECTED, *, streamed: bool = False) -> RawTable | Signals:
    """Read one table from a path, a DataFrame or a 2-D array; a 3-D array is a set of signals.

    What was read before is taken as it is. A path may be that of a folder of Parquet parts, or `file.npz:key` for one
    of several arrays.
    `form` declares how a text file is written, where that is not to be detected.

    Raises InputError, one line, where there is no table, no row, or a table that cannot be read without guessing.
    """
    if isinstance(given, RawTable | Signals):
        return replace(given, role=role)
    if isinstance(given, pd.DataFrame):
        return _checked(Source("DataFrame", None), role, *_from_frame(given, f"{role} DataFrame"))
    if isinstance(given, np.ndarray):
        if given.ndim == 3:
            return signals(given, Source("array", None), role)
        return _checked(Source("array", None), role, *_from_array(given, f"{role} array"))
    try:
        path = os.fsdecode(given)
    except TypeError:
        msg = f"{role}: give a path, a pandas DataFrame or a numpy array, not {type(given).__name__}"
        raise InputError(msg) from None
    return _from_path(path, role, form, streamed=streamed)


def _checked(
    source: Source, role: Side, names: list[str], columns: list[RawColumn], remarks: tuple[str, ...] = ()
) -> RawTable:
    """Name the unnamed columns, refuse doubled names and empty tables."""
    label = _label(source, role)
    named = _checked_names(names, label)
    rows = len(columns[0])
    _check_rows(rows, label)
    return RawTable(source, role, dict(zip(named, columns, strict=True)), rows, remarks)


def _label(source: Source, role: Side) -> str:
    return one_line(source.name) if source.sha256 else f"{role} {source.name}"


def _checked_names(names: list[str], label: str) -> list[str]:
    """Name the unnamed columns; InputError where two have one name, or there is none."""
    named = [column or f"Unnamed: {position}" for position, column in enumerate(names)]
    refuse_names(named, label)
    doubled = sorted({column for column in named if named.count(column) > 1}) if len(set(named)) < len(named) else []
    if like_cells(doubled):
        msg = (
            f"{label}: more than one column has the same name: does the first line hold names? add them, or rename them"
        )
        raise InputError(msg)
    if doubled:
        msg = f"{label}: more than one column is named {shown_names(doubled)}; rename them"
        raise InputError(msg)
    if not names:
        msg = f"{label}: there is no column; give a table with one at least"
        raise InputError(msg)
    return named


def _check_rows(rows: int, label: str) -> None:
    """Raise InputError where a table has no row."""
    if not rows:
        msg = f"{label}: there are columns and no row; give the table with its rows"
        raise InputError(msg)


def _from_path(given: str, role: Side, form: FileForm, *, streamed: bool) -> RawTable | Signals:
    if not given:
        msg = f"{role}: its path is empty; name a file"
        raise InputError(msg)
    path, key = split_key(given)
    name = path.name or given
    mode = _mode(path)
    if mode is None:
        msg = f"{role}: there is no file {shown_name(name)}"
        raise InputError(msg)
    if stat.S_ISDIR(mode):
        return _from_folder(path, role, streamed=streamed)
    if not stat.S_ISREG(mode):  # a pipe or a device may never end, and no file can be read twice from it
        msg = f"{role}: {shown_name(name)} is no regular file; save the table as a file and give that"
        raise InputError(msg)
    suffix = next((ending for ending in sorted(SUFFIXES, key=len)[::-1] if name.lower().endswith(ending)), None)
    if suffix is None:
        msg = (
            f"{role}: the format of {shown_name(name)} is not known; give one of {', '.join(SUFFIXES)}, or rename it "
            "if it is one"
        )
        raise InputError(msg)
    source = _source(path, name, role)
    if suffix in TEXT_SUFFIXES:
        read = read_delimited(path, form)
        written = replace(source, text=read.form.in_words)
        return _checked(written, role, list(read.names), [texts(column) for column in read.columns], read.remarks)
    if suffix in {".npy", ".npz"}:
        array = load_array(path, key)
        return (
            signals(array, source, role)
            if array.ndim == 3
            else _checked(source, role, *_from_array(array, one_line(name)))
        )
    if streamed and suffix == SUFFIX:
        return _streamed(open_file(path), source, role)
    return _checked(source, role, *_from_arrow(_load_arrow(path, suffix), one_line(name)))


def _source(path: Path, name: str, role: Side) -> Source:
    """Say what a file is; InputError where it is empty or cannot be opened."""
    try:
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        msg = f"{role}: {shown_name(name)} cannot be opened: {error.strerror}"
        raise InputError(msg) from None
    source = Source(os.fsencode(name).decode("utf-8", "replace"), sha256)
    if not path.stat().st_size:
        msg = f"{one_line(name)}: {EMPTY}"
        raise InputError(msg)
    return source


def _from_folder(folder: Path, role: Side, *, streamed: bool) -> RawTable:
    parts, others = parts_of(folder, role)
    name = folder_name(folder)
    try:
        source = Source(os.fsencode(name).decode("utf-8", "replace"), folder_sha256(parts))
    except OSError as error:
        msg = f"{role}: a part of {shown_name(name)} cannot be opened: {error.strerror}"
        raise InputError(msg) from None
    beside = "One other file in {} is no part of it and was not read."
    if others > 1:
        beside = f"{others} other files in {{}} are no parts of it and were not read."
    remarks = (beside.format(one_line(name)),) if others else ()
    if streamed:
        return _streamed(open_parts(parts, name), source, role, remarks)
    return _checked(source, role, *_from_arrow(read_parts(parts, name), one_line(name)), remarks)


def _streamed(stored: StoredColumns, source: Source, role: Side, remarks: tuple[str, ...] = ()) -> RawTable:
    """Check what can be told without reading a column; each is read when it is asked for."""
    label = _label(source, role)
    named = _checked_names([name.strip() for name in stored.names], label)
    _check_rows(stored.rows, label)
    names_of = dict(zip(named, stored.names, strict=True))
    columns = ColumnsWhenAsked(named, lambda name: _meant(stored.read(names_of[name]), names_of[name], label))
    typed = frozenset(name for name in named if names_of[name] in stored.typed)
    return RawTable(source, role, columns, stored.rows, remarks, typed)


def split_key(given: str) -> tuple[Path, str | None]:
    """Split `file.npz:key`; a path that exists as it stands has no key."""
    before, colon, key = given.rpartition(":")
    if colon and before.lower().endswith(".npz") and _mode(Path(given)) is None:
        return Path(before), key
    return Path(given), None


def _mode(path: Path) -> int | None:
    """Return what kind of file stands at a path (as `stat` tells); None where there is none."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):  # absent, a name too long for any file, a name with a zero byte
        return None


def _load_arrow(path: Path, suffix: str) -> pa.Table:
    try:
        return read_parquet(path) if suffix == ".parquet" else read_feather(path)
    except (pa.ArrowException, OSError, ValueError):
        msg = f"{one_line(path.name)}: this is no readable {suffix.removeprefix('.')} file; write it anew"
        raise InputError(msg) from None


def _from_arrow(table: pa.Table, label: str) -> tuple[list[str], list[RawColumn]]:
    names, columns = [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name.startswith(PANDAS_INDEX):
            continue  # row labels that pandas stored beside the table
        names.append(name.strip())
        columns.append(_meant(column, name, label))
    return names, columns


def _meant(column: pa.ChunkedArray, name: str, label: str) -> RawColumn:
    try:
        found = raw_column(column)
    except pa.ArrowException:
        found = None
    if found is None:
        msg = (
            f"{label}: column {shown_name(name)} holds {one_line(str(column.type))}, "
            "which is neither number, text, truth value nor time; leave it out or convert it"
        )
        raise InputError(msg)
    return found


def _from_frame(frame: pd.DataFrame, label: str) -> tuple[list[str], list[RawColumn]]:
    if frame.columns.nlevels > 1:
        msg = f"{label}: its columns have names of several levels; give one name a column"
        raise InputError(msg)
    names = [str(name).strip() for name in frame.columns]
    columns = []
    for position, name in enumerate(names):
        series = frame.iloc[:, position]
        columns.append(_meant(_arrow_column(series, name, label), name, label))
    return names, columns


def _arrow_column(series: pd.Series[Any], name: str, label: str) -> pa.ChunkedArray:
    """Convert a pandas column; one of mixed Python objects becomes text, value by value."""
    try:
        if series.dtype == object:
            return pa.chunked_array([pa.array([_object_text(value) for value in series], pa.large_string())])
        if isinstance(series.dtype, pd.CategoricalDtype) and not _plain(series.cat.categories.dtype):
            series = series.cat.rename_categories([_object_text(value) for value in series.cat.categories])
        if isinstance(series.dtype, pd.SparseDtype):
            series = series.astype(series.dtype.subtype)
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        kind = _spoken(series.dtype)
        msg = f"{label}: column {shown_name(name)} holds {kind} values of a kind that is not known; convert it"
        raise InputError(msg) from None
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _spoken(dtype: Any) -> str:
    """Name a type without what stands in brackets: the value that a sparse column is filled with is that of a cell."""
    return one_line(str(dtype).partition("[")[0] or "records")


def _plain(dtype: Any) -> bool:
    """Whether categories are of one simple type; not intervals from `pd.cut`, periods, or a mix of objects."""
    return not pd.api.types.is_object_dtype(dtype) and not isinstance(dtype, (pd.IntervalDtype, pd.PeriodDtype))


def _object_text(value: Any) -> str | None:
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    elif isinstance(value, np.floating) and value.itemsize < 8:
        value = float(str(value))  # the shortest text of a narrow float, as in a column of them
    elif isinstance(value, np.generic):
        value = value.item()
    if value is pd.NaT:
        return None
    if not isinstance(value, _WRITTEN_OUT):
        raise TypeError
    return category_text(value)


def _from_array(array: NDArray[Any], label: str) -> tuple[list[str], list[RawColumn]]:
    if array.ndim != 2 or array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        shape = "x".join(str(size) for size in array.shape) or "()"
        msg = (
            f"{label}: an array of {_spoken(array.dtype)} of shape {one_line(shape)} is neither a table nor a set of "
            "signals; give a 2-D array of numbers, or a 3-D array (records, leads, samples)"
        )
        raise InputError(msg)
    names = [f"c{position}" for position in range(array.shape[1])]
    columns = [np.ascontiguousarray(np.ma.getdata(array)[:, position]) for position in range(array.shape[1])]
    native = [column.astype(column.dtype.newbyteorder("=")) for column in columns]
    masked = np.ma.getmaskarray(array).T if isinstance(array, np.ma.MaskedArray) else [None] * len(names)
    return names, [
        _meant(pa.chunked_array([pa.array(column, mask=missing)]), name, label)
        for name, column, missing in zip(names, native, masked, strict=True)
    ]
