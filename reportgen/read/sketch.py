"""What is told of a table before it is read: rows, columns, dimensions, and how much its texts differ.

Rows and types come from Parquet, Feather and NPY headers; the rows of a text file from its size and the width of its
first lines, of a gzip file by unpacking it once without keeping it, since nothing else in it can be trusted. How many
dimensions and distinct texts a column has is told from the first thousand rows.
"""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from reportgen.declared import FileForm
from reportgen.read.arrow_files import open_parquet
from reportgen.read.delimited import decompressed, separator_of
from reportgen.read.naming import one_line
from reportgen.read.parquet_folder import parts_of
from reportgen.read.partition import Side, Tabular
from reportgen.settings import Settings

_TEXT = 100
_TEXT_FILE = 3
"""Times the size of a text file that is held while it is split."""
_SAMPLE = 1000
_HEAD = 1 << 18
_LEVELS = 51
_NUMBER_OR_DATE = re.compile(r"[+-]?[\d.,]*\d[\d.,]*([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")


@dataclass(frozen=True)
class Sketch:
    """What is told of one table before it is read.

    `dimensions` is the sum over the columns that are used, `distinct` the bytes of one row's different texts, `held`
    what is held while the file is read, beside its cells.
    """

    rows: int
    columns: int
    dimensions: float
    distinct: float
    held: int = 0


def sketch_of(given: Tabular, side: Side, form: FileForm, settings: Settings, available: int) -> Sketch | None:
    """Tell what is told of a table; None where its format tells nothing. A text is unpacked as far as `available`."""
    if isinstance(given, pd.DataFrame):
        head = given.head(_SAMPLE)
        columns = {str(name): head.iloc[:, place].to_numpy() for place, name in enumerate(head.columns)}
        return _of_sample(len(given), columns, settings)
    if isinstance(given, np.ndarray):
        return _of_array(given.shape, given.dtype.itemsize)
    path = Path(os.fsdecode(given) or os.devnull)
    if path.is_dir():
        return _of_parquet(parts_of(path, side)[0], settings)
    name = path.name.lower()
    if not path.is_file():
        before, _, key = os.fsdecode(given).rpartition(":")
        return _of_npz(Path(before), key) if before.lower().endswith(".npz") else None
    if name.endswith(".parquet"):
        return _of_parquet([path], settings)
    if name.endswith(".feather"):
        return _of_feather(path, settings)
    if name.endswith(".npz"):
        return _of_npz(path, None)
    if name.endswith(".npy"):
        with path.open("rb") as stream:
            return _of_array(*_header(stream))
    if name.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz")):
        return _of_text(path, form, settings, available)
    return None


def _of_sample(rows: int, columns: dict[str, Any], settings: Settings, held: int = 0) -> Sketch:
    """Tell dimensions and distinct texts from the first values of each column: numbers as an array, else texts."""
    dimensions, distinct = 0.0, 0.0
    for name, values in columns.items():
        if np.asarray(values).dtype.kind in "biufMm":
            wide, texts = 1, 0.0
        else:
            present = [str(value).strip() for value in values if value is not None]
            wide, texts = _of_texts([text for text in present if text])
        distinct += texts
        unused = {*settings.key, *settings.ignore}
        dimensions += 0 if name.strip() in unused else wide
    return Sketch(rows, len(columns), dimensions, distinct, held)


def _of_texts(texts: list[str]) -> tuple[int, float]:
    """Return the dimensions of a column of texts, and the bytes a row of its different ones."""
    if not texts:
        return 1, 0.0
    different = set(texts)
    share = len(different) / len(texts)
    size = share * (_TEXT + 2 * sum(map(len, texts)) / len(texts))
    if len(texts) < 20 or share < 0.5:  # few of them will be new further down
        size *= 0.1
    if sum(_NUMBER_OR_DATE.fullmatch(text) is not None for text in texts) > 0.9 * len(texts):
        return 1, 0.0
    identifies = share >= 0.9 and len(texts) >= 20
    return 0 if identifies else min(_LEVELS, len(different)), size


def _of_parquet(parts: Sequence[Path], settings: Settings) -> Sketch:
    rows = 0
    sample: dict[str, Any] = {}
    for part in parts:
        with open_parquet(part) as file:
            rows += file.metadata.num_rows
            if not sample and file.metadata.num_rows:
                sample = _columns(next(file.iter_batches(batch_size=_SAMPLE)))
    return _of_sample(rows, sample, settings)


def _of_feather(path: Path, settings: Settings) -> Sketch:
    import pyarrow.dataset

    table = pyarrow.dataset.dataset(path, format="feather")
    return _of_sample(table.count_rows(), _columns(table.head(_SAMPLE)), settings)


def _columns(sample: Any) -> dict[str, Any]:
    """Numbers and times as an empty array of a number, everything else as texts."""
    columns: dict[str, Any] = {}
    for name, column in zip(sample.schema.names, sample.columns, strict=True):
        kind = column.type
        plain = pa.types.is_primitive(kind)  # numbers, truth values, times
        columns[name] = np.zeros(0) if plain else column.to_pylist()
    return columns


def _of_array(shape: tuple[int, ...], itemsize: int) -> Sketch | None:
    """Of a 2-D array as it is; of signals the samples are held, and seven features a lead are measured."""
    if len(shape) == 2:
        return Sketch(shape[0], shape[1], shape[1], 0.0, held=shape[0] * shape[1] * itemsize)
    if len(shape) == 3:
        return Sketch(shape[0], 7 * shape[1], 7 * shape[1], shape[1] * shape[2] * itemsize)
    return None


def _header(stream: BinaryIO) -> tuple[tuple[int, ...], int]:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    return shape, dtype.itemsize


def _of_npz(path: Path, key: str | None) -> Sketch | None:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        wanted = f"{key}.npy" if key is not None else names[0]
        with archive.open(wanted) as member:
            return _of_array(*_header(cast("BinaryIO", member)))


def _of_text(path: Path, form: FileForm, settings: Settings, available: int) -> Sketch:
    """Rows by the size and the mean width of the first lines."""
    with decompressed(path) as stream:
        head = stream.read(_HEAD)
        size = _unpacked(stream, len(head), available) if path.name.lower().endswith(".gz") else path.stat().st_size
    lines = max(1, head.count(b"\n") or head.count(b"\r"))
    text = head.decode(form.encoding or ("utf-16" if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8"), "replace")
    by_name = "\t" if ".tsv" in path.name.lower()[-7:] else None
    separator = form.separator or by_name or separator_of(text)
    records = list(_records(text, separator))
    header = records[0] if records else [one_line(path.name)]
    columns = {
        f"{name} {place}" if header.count(name) > 1 else name: [row[place] for row in records[1:] if place < len(row)]
        for place, name in enumerate(header)
    }
    rows = max(0, round(size / len(head) * lines) - 1) if len(head) else 0
    return _of_sample(rows, columns, settings, held=_TEXT_FILE * size)


def _unpacked(stream: BinaryIO, size: int, available: int) -> int:
    """Count the bytes of a stream, up to as many as could not be held anyway."""
    while size <= available:
        block = stream.read(1 << 22)
        if not block:
            break
        size += len(block)
    return size


def _records(text: str, separator: str) -> Iterator[list[str]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    with suppress(csv.Error):
        for record, _ in zip(lines, range(_SAMPLE), strict=False):
            yield record
