"""Set a real holdout aside before synthesis: one table divided into what the generator may see and what it may not.

    read the table as `assess` does -> blocks of rows that stay together -> draw -> both files and the record

Cells are written as they were read: a text table that stays one keeps its lines byte for byte, a text cell that moves
to Parquet stays a text, and a column of Parquet keeps its type.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from reportgen.errors import InputError
from reportgen.model import SplitFile, SplitSettings, Tool
from reportgen.read.arrow_files import read_feather, read_parquet
from reportgen.read.columns import Typed, category_texts, raw_column
from reportgen.read.delimited import Delimited, read_delimited
from reportgen.read.division import Mask, blocks_of, choose, content_numbers, strata_of
from reportgen.read.fingerprint import content_sha256
from reportgen.read.groups import identical_rows
from reportgen.read.naming import one_line, shown_name, shown_names
from reportgen.read.parquet_folder import parts_of, read_parts
from reportgen.read.partition import Partition, Source, Table
from reportgen.read.records import Records, cut_records
from reportgen.runner import read_inputs
from reportgen.settings import Settings
from reportgen.split_record import SplitRecord, read_record, record_bytes, record_of

TEXTS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
SUFFIXES = (*TEXTS, ".parquet", ".feather")
DEFAULT_FRACTION = 0.2


@dataclass(frozen=True)
class Split:
    """A divided table: the bytes of both files and of the record, and what to tell of them."""

    contents: Mapping[Path, bytes]
    record: SplitRecord
    joined: int
    """Rows that stay together with an identical row."""


@dataclass(frozen=True)
class Asked:
    """What was asked for: paths of source and outputs, and how to draw."""

    source: Path
    original: Path
    holdout: Path
    fraction: float
    stratify: str | None
    settings: Settings
    """Of these count seed, group, and how columns and file are read."""


def check_asked(asked: Asked) -> None:
    """Raise InputError for what is wrong before anything is read: suffixes and the fraction."""
    if not 0 < asked.fraction < 1:
        msg = "--fraction: give the holdout's share of the rows, between 0 and 1, such as 0.2"
        raise InputError(msg)
    for option, path in (("--original", asked.original), ("--holdout", asked.holdout)):
        if _suffix(path) is None:
            msg = f"{option} {shown_name(path.name)}: unknown format, use one of {' '.join(SUFFIXES)}"
            raise InputError(msg)
    if not asked.source.is_dir() and asked.source.exists() and _suffix(asked.source) is None:
        msg = f"{one_line(asked.source.name)}: split reads tables: {', '.join(SUFFIXES)} or a folder of .parquet parts"
        raise InputError(msg)


def split(asked: Asked, created: str, version: str, memory: int | None = None, held: int = 0) -> Split:
    """Divide a table; raise InputError where it cannot be read, or not be divided as asked."""
    partition = read_inputs(
        str(asked.source), str(asked.source), None, asked.settings, memory=memory, held=held, measure=False
    )
    table = partition.original
    mask, joined = _drawn(partition, asked)
    sides = {asked.original: np.flatnonzero(~mask), asked.holdout: np.flatnonzero(mask)}
    source = _source(asked, len(table.frame))
    contents = {path: _written(source, path, rows) for path, rows in sides.items()}
    described = {path: _described(path, contents[path], partition, rows) for path, rows in sides.items()}
    record = SplitRecord(
        created=created,
        tool=Tool(version=version),
        settings=SplitSettings(
            fraction=asked.fraction,
            group=asked.settings.group,
            stratify=asked.stratify,
            seed=asked.settings.seed,
        ),
        source=SplitFile(
            name=table.source.name,
            sha256=table.source.sha256 or "",
            content_sha256=content_sha256(table, partition.columns),
            rows=len(table.frame),
        ),
        original=described[asked.original],
        holdout=described[asked.holdout],
    )
    beside = record_of(asked.holdout)
    _refuse_another(contents, beside)
    record = _kept(record, beside)
    return Split({**contents, beside: record_bytes(record)}, record, joined)


def _drawn(partition: Partition, asked: Asked) -> tuple[Mask, int]:
    """Return the rows of the holdout, and how many rows have an identical one they stay with."""
    frame, used = partition.original.frame, partition.used
    rows = len(frame)
    identical = identical_rows(partition).original if used else np.arange(rows)
    persons = None if partition.persons is None else partition.persons.person[partition.persons.original]
    blocks = blocks_of(identical, persons)
    sizes = np.bincount(blocks)
    if len(sizes) < 2 or max(sizes) > (1 - min(asked.fraction, 1 - asked.fraction)) * rows + 1:
        what = "rows of one person, or identical rows" if persons is not None else "identical rows"
        msg = (
            f"{one_line(partition.original.source.name)}: {int(max(sizes)):,} of {rows:,} rows hang together ({what}) "
            f"and cannot be divided; use columns that tell more rows apart, or another --fraction"
        )
        raise InputError(msg)
    strata = np.zeros(rows, dtype=np.int64)
    if asked.stratify is not None:
        strata = _strata(partition, asked.stratify)
    # Without a column to compare by, the place of a row is all that tells it from others.
    numbers = content_numbers(frame, used) if used else np.arange(rows, dtype=np.uint64)
    joined = int((np.bincount(identical)[identical] > 1).sum())
    return choose(blocks, numbers, strata, asked.fraction, asked.settings.seed), joined


def _strata(partition: Partition, name: str) -> Any:
    column = next((column for column in partition.columns if column.name == name), None)
    if column is None:
        msg = f"--stratify: there is no column {shown_name(name)}; columns are {shown_names(_names(partition))}"
        raise InputError(msg)
    frame = partition.original.frame
    strata = strata_of(frame[name], column)
    if 2 * len(np.unique(strata)) > len(strata):
        msg = f"--stratify: column {shown_name(name)} has nearly as many values as rows; name one of few values"
        raise InputError(msg)
    return strata


def _names(partition: Partition) -> list[str]:
    return [column.name for column in partition.columns]


@dataclass(frozen=True)
class _Text:
    """A text table, by its lines and by its cells."""

    records: Records
    cells: Delimited


def _source(asked: Asked, rows: int) -> _Text | pa.Table:
    """Read the source as it is stored; InputError where it is not the table that was read just now."""
    suffix = _suffix(asked.source)
    try:
        if asked.source.is_dir():
            stored: _Text | pa.Table = read_parts(parts_of(asked.source, "original")[0], asked.source.name)
        elif suffix in TEXTS:
            cells = read_delimited(asked.source, asked.settings.declared.file("original"))
            stored = _Text(cut_records(asked.source, cells), cells)
        else:
            stored = read_parquet(asked.source) if suffix == ".parquet" else read_feather(asked.source)
        found = len(stored.records.rows) if isinstance(stored, _Text) else stored.num_rows
    except (OSError, pa.ArrowException):
        found = -1
    if found != rows:
        msg = f"{one_line(asked.source.name)}: the file changed while it was read; run split again"
        raise InputError(msg)
    return stored


def _written(source: _Text | pa.Table, path: Path, rows: Any) -> bytes:
    suffix = _suffix(path)
    if suffix in {".parquet", ".feather"}:
        return _arrow_bytes(_as_arrow(source).take(pa.array(rows)), suffix)
    separator = "\t" if suffix in {".tsv", ".tsv.gz"} else ","
    if isinstance(source, _Text) and (source.cells.form.separator == "\t") == (separator == "\t"):
        content = source.records.of(rows.tolist())
    else:
        content = _text_bytes(_as_arrow(source).take(pa.array(rows)), separator)
    return gzip.compress(content, mtime=0) if suffix is not None and suffix.endswith(".gz") else content


def _as_arrow(source: _Text | pa.Table) -> pa.Table:
    if isinstance(source, pa.Table):
        return source
    return pa.Table.from_arrays(list(source.cells.columns), names=list(source.cells.names))


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


def _described(path: Path, content: bytes, partition: Partition, rows: Any) -> SplitFile:
    part = Table(Source(path.name, None), partition.original.frame.iloc[rows].reset_index(drop=True))
    return SplitFile(
        name=os.fsencode(path.name).decode("utf-8", "replace"),
        sha256=hashlib.sha256(content).hexdigest(),
        content_sha256=content_sha256(part, partition.columns),
        rows=len(part.frame),
    )


def _refuse_another(contents: Mapping[Path, bytes], record: Path) -> None:
    """Refuse to draw over an earlier split: a holdout drawn again after synthesis is none."""
    for path, content in contents.items():
        if path.is_file() and path.read_bytes() != content:
            msg = (
                f"{one_line(path.name)}: exists and holds other rows; a holdout drawn anew after synthesis is none, so "
                "remove it first if nothing was made from it"
            )
            raise InputError(msg)
    if record.is_file() and not all(path.is_file() for path in contents):
        msg = f"{one_line(record.name)}: the record of an earlier split is there without its tables; remove it first"
        raise InputError(msg)


def _kept(record: SplitRecord, beside: Path) -> SplitRecord:
    """Keep the day of an earlier split with the same outcome: the holdout was set aside then."""
    if not beside.is_file():
        return record
    try:
        earlier = read_record(beside)[0]
    except InputError:
        return record
    same = {"created": earlier.created, "tool": earlier.tool}
    return earlier if record.model_copy(update=same) == earlier else record


def _suffix(path: Path) -> str | None:
    name = path.name.lower()
    return next((suffix for suffix in sorted(SUFFIXES, key=len)[::-1] if name.endswith(suffix)), None)
