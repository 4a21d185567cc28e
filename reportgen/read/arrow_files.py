"""Parquet and Feather files, believed only as far as they bear out what they claim."""

from __future__ import annotations

import warnings
from pathlib import Path

import pyarrow as pa

MOST_ROWS = 2**31
"""No machine that this is meant for holds more rows, of whatever kind."""


def read_parquet(path: Path) -> pa.Table:
    """Read one file; an ArrowException, OSError or ValueError, whose text is not for showing, where it is none."""
    import pyarrow.parquet  # with file systems of the cloud and TLS: a hundredth of a run that reads no such file

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
