"""Parquet and Feather files, believed only as far as they bear out what they claim."""

from __future__ import annotations

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

    # pre_buffer, which pyarrow turns on by itself, would keep in memory whatever was read of the file.
    return pyarrow.parquet.ParquetFile(path, pre_buffer=False)


def parquet_schema(path: Path) -> tuple[Any, int]:
    """Return the schema of the table's columns and the number of rows, as `open_parquet` tells them."""
    with open_parquet(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    return pa.schema([field for field in schema if not field.name.startswith(PANDAS_INDEX)]), rows


def read_parquet(path: Path) -> pa.Table:
    """Read one file; an ArrowException, OSError or ValueError, whose text is not for showing, where it is none."""
    import pyarrow.parquet

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
