"""A Parquet file, or a folder of parts, as a table whose columns are read one at a time, whenever they are asked for.

What comes of a column is to the bit what comes of it where the whole table is read (`tables`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.read.arrow_files import MOST_ROWS
from reportgen.read.columns import RawColumn, is_typed
from reportgen.read.naming import one_line
from reportgen.read.parquet_folder import OneSchema, one_schema, unreadable

_PANDAS_INDEX = "__index_level_"
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
        import pyarrow.parquet

        try:
            with pyarrow.parquet.ParquetFile(part, pre_buffer=False) as file:
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
        return InputError(f"{one_line(part.name)}: this is no readable parquet file; write it anew")


class StreamedColumns(Mapping[str, RawColumn]):
    """The columns of a table by name, of which none is kept; `stored` has the name of each in the parts.

    `meant` makes a column of what is stored under a name; see `columns.raw_column`.
    """

    def __init__(
        self,
        columns: StoredColumns,
        stored: Mapping[str, str],
        meant: Callable[[pa.ChunkedArray, str], RawColumn],
    ) -> None:
        self._columns = columns
        self._stored = stored
        self._meant = meant

    def __getitem__(self, name: str) -> RawColumn:
        stored = self._stored[name]
        return self._meant(self._columns.read(stored), stored)

    def __contains__(self, name: object) -> bool:
        return name in self._stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)


class ChangedColumns(Mapping[str, RawColumn]):
    """Columns to each of which something is done when it is asked for."""

    def __init__(self, columns: Mapping[str, RawColumn], change: Callable[[str, RawColumn], RawColumn]) -> None:
        self._columns = columns
        self._change = change

    def __getitem__(self, name: str) -> RawColumn:
        return self._change(name, self._columns[name])

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def open_file(path: Path) -> StoredColumns:
    """Open one Parquet file; InputError where it is none."""
    try:
        schema, rows = _opened(path)
    except (pa.ArrowException, OSError, ValueError):
        msg = f"{one_line(path.name)}: this is no readable parquet file; write it anew"
        raise InputError(msg) from None
    kinds = {field.name: field.type for field in schema}
    return StoredColumns((path,), tuple(schema.names), rows, _typed(kinds), None, (_stamp(path),))


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
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(part, pre_buffer=False) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    if rows > MOST_ROWS:
        raise ValueError
    return pa.schema([field for field in schema if not field.name.startswith(_PANDAS_INDEX)]), rows


def _typed(kinds: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name, kind in kinds.items() if is_typed(kind))


def _stored_name(schema: Any, name: str) -> str:
    names: list[str] = schema.names
    return next(stored for stored in names if stored.strip() == name)


def _stamp(part: Path) -> _Stamp:
    found = part.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns
