"""Parquet and Feather files, believed only as far as they bear out what they claim."""

from __future__ import annotations

import os
import stat
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa

MOST_ROWS = 2**31
"""No machine that this is meant for holds more rows, of whatever kind."""


PANDAS_INDEX = "__index_level_"
"""Begins the names of columns in which pandas keeps the names of rows: no columns of the table."""


def open_parquet(path: Path) -> Any:
    """Open one file to be read in parts, a context manager; the errors of `read_parquet`, here and while it is read."""
    import pyarrow.parquet  # with file systems of the cloud and TLS: a hundredth of a run that reads no such file

    _check_regular(path)
    # pre_buffer, which pyarrow turns on by itself, would keep in memory whatever was read of the file.
    return pyarrow.parquet.ParquetFile(path, pre_buffer=False)


def _check_regular(path: Path) -> None:
    """ValueError for a pipe or a device: to open it would wait for who writes, perhaps for ever."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError


def why_unreadable(path: Path, otherwise: str) -> str:
    """Say what became of a file that could be read before, and what to do; `otherwise` where it is still one."""
    if not os.path.lexists(path):
        return "is gone since the run began; start again when it is back"
    return otherwise if path.is_file() else "is no regular file any more; start again when it is one"


def parquet_schema(path: Path) -> tuple[Any, int]:
    """Return the schema of the table's columns and the number of rows, as `open_parquet` tells them."""
    with open_parquet(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    return pa.schema([field for field in schema if not field.name.startswith(PANDAS_INDEX)]), rows


def read_parquet(path: Path) -> pa.Table:
    """Read one file; an ArrowException, OSError or ValueError, whose text is not for showing, where it is none."""
    import pyarrow.parquet

    _check_regular(path)
    if pyarrow.parquet.read_metadata(path).num_rows > MOST_ROWS:
        raise ValueError  # pyarrow would make room for them before it looks whether they are there
    # partitioning=None: a folder named "year=2020" on the way must not become a column
    return _validated(pyarrow.parquet.read_table(path, partitioning=None))


def read_feather(path: Path) -> pa.Table:
    """Read one file, as `read_parquet` does."""
    import pyarrow.feather

    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # files of the first version are read as long as pyarrow does
        return _validated(pyarrow.feather.read_table(path))


def _validated(table: pa.Table) -> pa.Table:
    # pyarrow believes the offsets of a Feather file, and reads outside the memory where they are wrong.
    table.validate(full=True)
    return table
