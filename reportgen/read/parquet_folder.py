"""A folder of Parquet parts with one schema, read as one table.

The parts are the files that end in `.parquet`, in the order of their names (byte by byte, whatever the locale), so
`part-10` comes before `part-2`; symbolic links to files are followed. Names that begin with `.` or `_` are not looked
at: writers leave their bookkeeping there (`_SUCCESS`, `_metadata`, `.part-0.parquet.crc`). A folder below is refused,
because it could hold rows, or a column in its name (`year=2020`).

The folder's hash is that of the list which `sha256sum` prints of its parts, so that nothing but coreutils is needed:

    cd FOLDER && LC_ALL=C sha256sum [!._]*.parquet | sha256sum
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.errors import InputError
from reportgen.read.arrow_files import PANDAS_INDEX, read_parquet, why_unreadable
from reportgen.read.naming import one_line, shown_name, shown_names

SUFFIX = ".parquet"
_IGNORED = (".", "_")
_OTHER_TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".feather", ".npy", ".npz")
_ONE_TABLE = "reportgen assesses one table of one row a record: join them into one first, or give one file of them"


def parts_of(folder: Path, role: str) -> tuple[list[Path], int]:
    """Return the parts of a folder by name, and how many other files lie beside them.

    InputError where there is no part, several tables, a folder below, or a part that is no regular file.
    """
    name = shown_name(folder_name(folder))
    try:
        entries = sorted(os.fsencode(entry) for entry in os.listdir(folder))  # noqa: PTH208 -- names alone
    except OSError as error:
        msg = f"{role}: the folder {name} cannot be opened: {error.strerror}"
        raise InputError(msg) from None
    visible = [folder / os.fsdecode(entry) for entry in entries if not os.fsdecode(entry).startswith(_IGNORED)]
    below = [path for path in visible if stat.S_ISDIR(_mode(path))]
    parts = [path for path in visible if path.name.lower().endswith(SUFFIX) and path not in below]
    if below and (parts or "=" in below[0].name):
        msg = (
            f"{role}: the folder {name} holds the folder {shown_name(below[0].name)}; "
            "put all parts of the table into one folder, with every column inside the parts"
        )
        raise InputError(msg)
    tables = [path for path in visible if path.name.lower().endswith(_OTHER_TABLES)]
    if len(parts) + len(tables) > 1 and tables:
        found = shown_names([path.name for path in (*parts, *tables)], most=3)
        msg = f"{role}: the folder {name} holds several tables ({found}); {_ONE_TABLE}"
        raise InputError(msg)
    if not parts:
        beside = f"; give {shown_name(tables[0].name)} in it" if tables else "; give a file, or a folder with parts"
        msg = f"{role}: the folder {name} holds no {SUFFIX} part{beside}"
        raise InputError(msg)
    for part in parts:
        if not stat.S_ISREG(_mode(part)):
            msg = f"{role}: {shown_name(part.name)} in the folder {name} is no regular file; remove or replace it"
            raise InputError(msg)
    return parts, len(visible) - len(parts)


def folder_name(folder: Path) -> str:
    """Return the folder's own name, never that of its parents; `.` and `..` are looked up."""
    return folder.name if folder.name not in {"", ".."} else Path(os.path.realpath(folder)).name or "/"


def folder_sha256(parts: Sequence[Path]) -> str:
    """Return the SHA-256 of the lines that `sha256sum` prints of the parts in this order."""
    digest = hashlib.sha256()
    for part in parts:
        with part.open("rb") as stream:
            own = hashlib.file_digest(stream, "sha256").hexdigest()
        name = os.fsencode(part.name)
        escaped = name.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
        digest.update(b"\\" * (escaped != name) + own.encode() + b"  " + escaped + b"\n")
    return digest.hexdigest()


def read_parts(parts: Sequence[Path], folder: str) -> pa.Table:
    """Read the parts as one table with the columns of the first; InputError names the part that differs or is damaged.

    Columns are matched by name. A part in which a column is missing throughout may store it without a type.
    """
    tables = [_read(part, folder) for part in parts]
    kinds = _kinds(tables)
    return pa.concat_tables(
        _as(table, kinds, parts[0].name, f"{one_line(folder)}: part {shown_name(part.name)}")
        for part, table in zip(parts, tables, strict=True)
    )


def _mode(path: Path) -> int:
    """What stands at a path, links followed; 0 where a link leads nowhere."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


@dataclass(frozen=True)
class OneSchema:
    """What `read_parts` brings the columns of all parts to: the type of each by name, and the first part's name."""

    kinds: dict[str, Any]
    first: str
    folder: str

    def column(self, name: str, stored: pa.ChunkedArray, part: Path) -> pa.ChunkedArray:
        """Return one column of one part as it stands in the table of all."""
        table, kinds = pa.table([stored], names=[name]), {name: self.kinds[name]}
        return _as(table, kinds, self.first, f"{one_line(self.folder)}: part {shown_name(part.name)}").column(name)


def one_schema(parts: Sequence[Path], schemas: Sequence[pa.Schema], folder: str) -> OneSchema:
    """Check that parts have one schema, as `read_parts` does, without their rows."""
    tables = [_named(schema.empty_table(), part, folder) for part, schema in zip(parts, schemas, strict=True)]
    kinds = _kinds(tables)
    for table, part in zip(tables, parts, strict=True):
        _as(table, kinds, parts[0].name, f"{one_line(folder)}: part {shown_name(part.name)}")
    return OneSchema(kinds, parts[0].name, folder)


def unreadable(part: Path, folder: str) -> InputError:
    """Say that a part is damaged, gone, or no file any more."""
    why = why_unreadable(part, "is no readable parquet file; repair or remove it")
    return InputError(f"{one_line(folder)}: part {shown_name(part.name)} {why}")


def _read(part: Path, folder: str) -> pa.Table:
    try:
        table = read_parquet(part)
    except (pa.ArrowException, OSError, ValueError):
        raise unreadable(part, folder) from None
    kept = [place for place, name in enumerate(table.column_names) if not name.startswith(PANDAS_INDEX)]
    return _named(table.select(kept), part, folder)


def _named(table: pa.Table, part: Path, folder: str) -> pa.Table:
    """Strip the names of a part; InputError where two are the same."""
    names = [name.strip() for name in table.column_names]
    doubled = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if doubled:
        where = f"{one_line(folder)}: part {shown_name(part.name)}"
        msg = f"{where}: more than one column is named {shown_names(doubled)}; rename them"
        raise InputError(msg)
    return table.rename_columns(names)


def _kinds(tables: Sequence[pa.Table]) -> dict[str, Any]:
    """The type of each column of the first part, from the first part that tells it."""
    kinds = {}
    for name in tables[0].column_names:
        told = (table.schema.field(name).type for table in tables if name in table.column_names)
        kinds[name] = next((_plain(kind) for kind in told if not pa.types.is_null(kind)), pa.null())
    return kinds


def _plain(kind: Any) -> Any:
    """Take the ways to store text as one, and categories by the type of their values."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), _plain(kind.value_type))
    if pa.types.is_string(kind) or pa.types.is_string_view(kind):
        return pa.large_string()
    return kind


def _as(table: pa.Table, kinds: dict[str, Any], first: str, where: str) -> pa.Table:
    missing = [name for name in kinds if name not in table.column_names]
    extra = [name for name in table.column_names if name not in kinds]
    if missing or extra:
        what = f"has no column {shown_names(missing)}" if missing else f"has the column {shown_names(extra)} besides"
        msg = f"{where} {what}, unlike {shown_name(first)}; parts need one schema; {_ONE_TABLE}"
        raise InputError(msg)
    columns = []
    for name, kind in kinds.items():
        column = table.column(name)
        if not pa.types.is_null(column.type) and _plain(column.type) != kind:
            here, there = one_line(str(column.type)), one_line(str(kind))
            msg = (
                f"{where} stores column {shown_name(name)} as {here}, another part as {there}; "
                "write all parts with one schema"
            )
            raise InputError(msg)
        columns.append(_stored_as(column, kind))
    return pa.table(columns, names=list(kinds))


def _stored_as(column: pa.ChunkedArray, kind: Any) -> pa.ChunkedArray:
    if pa.types.is_null(column.type):
        return pa.chunked_array([pa.nulls(len(column), kind)])
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode()
    return column.cast(kind)
