"""A Parquet file, or a folder of parts, as a table whose columns are read one at a time, whenever they are asked for.

What comes of a column is to the bit what comes of it where the whole table is read (`tables`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.read.arrow_files import MOST_ROWS, open_parquet, parquet_schema, why_unreadable
from reportgen.read.columns import is_typed
from reportgen.read.naming import one_line
from reportgen.read.parquet_folder import OneSchema, one_schema, unreadable

_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class StoredColumns:
    """The columns `names` of some parts, `rows` rows in all; `stamps`: what the parts were when they were opened."""

    parts: tuple[Path, ...]
    names: tuple[str, ...]
    rows: int
    typed: frozenset[str]
    """Names of columns that are no text."""
    schema: OneSchema | None
    """None where there is one file and no folder of parts."""
    stamps: tuple[_Stamp, ...]

    def read(self, name: str) -> pa.ChunkedArray:
        """Read one column of all parts. InputError where one cannot be read, or changed since it was opened."""
        found = [self._read(name, part, stamp) for part, stamp in zip(self.parts, self.stamps, strict=True)]
        return pa.chunked_array([chunk for column in found for chunk in column.chunks], found[0].type)

    def _read(self, name: str, part: Path, stamp: _Stamp) -> pa.ChunkedArray:
        try:
            with open_parquet(part) as file:
                changed = _stamp(part) != stamp
                stored = name if self.schema is None else _stored_name(file.schema_arrow, name)
                table = file.read(columns=[stored], use_threads=False).select([stored])
                table.validate(full=True)
        except (pa.ArrowException, OSError, ValueError, KeyError):
            raise self._unreadable(part) from None
        if changed:
            msg = f"{one_line(part.name)}: changed while it was read; start again when it is whole"
            raise InputError(msg)
        column = table.column(stored)
        return column if self.schema is None else self.schema.column(name, column, part)

    def _unreadable(self, part: Path) -> InputError:
        if self.schema is not None:
            return unreadable(part, self.schema.folder)
        return _unreadable(part)


def open_file(path: Path) -> StoredColumns:
    """Open one Parquet file; InputError where it is none."""
    try:
        schema, rows = _opened(path)
    except (pa.ArrowException, OSError, ValueError):
        raise _unreadable(path) from None
    kinds = {field.name: field.type for field in schema}
    return StoredColumns((path,), tuple(schema.names), rows, _typed(kinds), None, (_stamp(path),))


def _unreadable(path: Path) -> InputError:
    why = why_unreadable(path, "is no readable parquet file; write it anew")
    return InputError(f"{one_line(path.name)}: this {why}")


def open_parts(parts: Sequence[Path], folder: str) -> StoredColumns:
    """Open the parts of a folder; InputError as `read_parts` raises it, as far as it can be told without the rows."""
    schemas, rows = [], 0
    for part in parts:
        try:
            schema, number = _opened(part)
        except (pa.ArrowException, OSError, ValueError):
            raise unreadable(part, folder) from None
        schemas.append(schema)
        rows += number
    one = one_schema(parts, schemas, folder)
    return StoredColumns(tuple(parts), tuple(one.kinds), rows, _typed(one.kinds), one, tuple(map(_stamp, parts)))


def _opened(part: Path) -> tuple[Any, int]:
    schema, rows = parquet_schema(part)
    if rows > MOST_ROWS:
        raise ValueError
    return schema, rows


def _typed(kinds: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name, kind in kinds.items() if is_typed(kind))


def _stored_name(schema: Any, name: str) -> str:
    names: list[str] = schema.names
    return next(stored for stored in names if stored.strip() == name)


def _stamp(part: Path) -> _Stamp:
    found = part.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
