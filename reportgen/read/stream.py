"""A Parquet file, or a folder of parts, as blocks of numbers: no more than one block is in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.read.arrow_files import open_parquet, parquet_schema, why_unreadable
from reportgen.read.naming import one_line, shown_name, shown_names
from reportgen.read.parquet_folder import SUFFIX, folder_name, parts_of

_BATCH = 1 << 14
"""Rows that are decoded at once."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumberStream:
    """The columns `names` of some Parquet parts, `rows` rows in all, in the order of the parts."""

    name: str
    parts: tuple[Path, ...]
    names: tuple[str, ...]
    rows: int

    def blocks(self, rows: int) -> Iterator[Floats]:
        """Yield the rows as float64, (at most `rows`, columns), C-contiguous, every block but the last full.

        InputError where a column holds what is no finite number, or a part changed while it was read.
        """
        block, filled = self._empty(rows), 0
        for part in self.parts:
            for batch in self._batches(part):
                start = 0
                while start < batch.num_rows:
                    some = batch.slice(start, rows - filled)
                    self._fill(block[filled : filled + some.num_rows], some, part)
                    start, filled = start + some.num_rows, filled + some.num_rows
                    if filled == rows:
                        yield block
                        block, filled = self._empty(rows), 0
        if filled:
            yield block[:filled]

    def _empty(self, rows: int) -> Floats:
        return np.empty((min(rows, self.rows), len(self.names)))

    def _batches(self, part: Path) -> Iterator[pa.RecordBatch]:
        try:
            with open_parquet(part) as file:
                yield from file.iter_batches(_BATCH, columns=list(self.names), use_threads=False)
        except (pa.ArrowException, OSError, ValueError):
            why = why_unreadable(part, "cannot be read to its end; repair or replace it")
            msg = f"{one_line(self.name)}: {shown_name(part.name)} {why}"
            raise InputError(msg) from None

    def _fill(self, block: Floats, batch: pa.RecordBatch, part: Path) -> None:
        for place, name in enumerate(self.names):
            column = batch.column(name)
            if column.null_count:
                _refuse(part, name, "holds missing values; fill or drop them first")
            block[:, place] = column.to_numpy(zero_copy_only=False)
            if not np.isfinite(block[:, place]).all():
                _refuse(part, name, "holds missing or infinite values; fill or drop them first")
        block += 0.0  # -0.0 and 0.0 are the same number but not the same bytes


def number_stream(given: str | os.PathLike[str], role: str, names: Sequence[str] | None = None) -> NumberStream:
    """Open a Parquet file or a folder of parts; its columns in the order of `names`, where given.

    InputError where there is none, a column is missing or holds no numbers, or the parts have not the same columns.
    """
    path = Path(os.fsdecode(given) or os.devnull)
    parts = parts_of(path, role)[0] if path.is_dir() else [path]
    if not path.is_dir() and not (path.is_file() and path.name.lower().endswith(SUFFIX)):
        msg = f"{role}: {shown_name(path.name)} is no {SUFFIX} file and no folder of them; give one, or an array"
        raise InputError(msg)
    rows, wanted = 0, names
    for part in parts:
        held, count = _schema(part)
        wanted = tuple(held) if wanted is None else wanted
        missing = [name for name in wanted if name not in held]
        extra = [name for name in held if name not in wanted] if names is None else []
        if missing or extra:
            what = f"has no column {shown_names(missing)}" if missing else f"has {shown_names(extra)} besides"
            msg = f"{role}: {shown_name(part.name)} {what}; all parts need the same columns"
            raise InputError(msg)
        for name in wanted:
            if not _is_number(held[name]):
                _refuse(part, name, f"holds {one_line(str(held[name]))} and no numbers; encode or leave it out first")
        rows += count
    if not wanted:
        msg = f"{role}: {shown_name(path.name)} has no column"
        raise InputError(msg)
    return NumberStream(folder_name(path), tuple(parts), tuple(wanted), rows)


def _schema(part: Path) -> tuple[dict[str, Any], int]:
    try:
        schema, rows = parquet_schema(part)
    except (pa.ArrowException, OSError, ValueError):
        why = why_unreadable(part, "is no readable parquet file; repair or remove it")
        msg = f"{one_line(part.name)}: this {why}"
        raise InputError(msg) from None
    return {field.name: field.type for field in schema}, rows


def _is_number(kind: Any) -> bool:
    found: bool = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    return found


def _refuse(part: Path, column: str, what: str) -> None:
    msg = f"{one_line(part.name)}: column {shown_name(column)} {what}"
    raise InputError(msg)
