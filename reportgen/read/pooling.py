"""Several releases of one original: the real tables read once, and the rows of all releases as one table."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.declared import FileForm
from reportgen.errors import InputError
from reportgen.read.columns import RawColumn, RawTable, Texts, Typed, category_texts, texts
from reportgen.read.partition import Side, Source
from reportgen.read.signals import Signals
from reportgen.read.tables import Given, read_table


class RememberingReader:
    """Reads each file of a run once: a `Reader` for several assessments that share tables."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, Side], RawTable | Signals] = {}

    def __call__(self, given: Given, side: Side, form: FileForm) -> RawTable | Signals:
        """Read a table, or return what was read of the same path in the same role."""
        if not isinstance(given, str | os.PathLike):
            return read_table(given, side, form)
        key = os.fspath(given), side
        if key not in self._read:
            self._read[key] = read_table(given, side, form)
        return self._read[key]


def pooled(tables: Sequence[RawTable | Signals], name: str) -> RawTable | Signals:
    """Put the rows of synthetic tables under each other, in their order.

    The hash is that of the lines that `sha256sum` prints of the files in this order. InputError where tables and
    signals, or signals of other shapes, are given together; the columns have to be the same.
    """
    lines = "".join(f"{table.source.sha256 or ''}  {table.source.name}\n" for table in tables)
    source = Source(name, hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest())
    records = [table for table in tables if isinstance(table, Signals)]
    if records:
        shapes = {table.values.shape[1:] for table in records}
        if len(records) < len(tables) or len(shapes) > 1:
            msg = "the releases are not all sets of signals of one shape; assess them one by one"
            raise InputError(msg)
        return Signals(source, "synthetic", np.concatenate([table.values for table in records]))
    plain = [table for table in tables if isinstance(table, RawTable)]
    columns = {column: _joined([table.columns[column] for table in plain]) for column in plain[0].columns}
    remarks = tuple(dict.fromkeys(remark for table in plain for remark in table.remarks))
    return RawTable(source, "synthetic", columns, sum(table.rows for table in plain), remarks)


def _joined(parts: Sequence[RawColumn]) -> RawColumn:
    typed = [part.array for part in parts if isinstance(part, Typed)]
    if len(typed) == len(parts) and len({str(array.type) for array in typed}) == 1:
        return Typed(pa.concat_arrays(typed))
    declared = all(isinstance(part, Texts) and part.declared for part in parts)
    return texts(pa.chunked_array([_texts(part) for part in parts], pa.large_string()), declared=declared)


def _texts(part: RawColumn) -> Any:
    if isinstance(part, Typed):
        return category_texts(part.array)
    return part.distinct.cast(pa.large_string()).take(pa.array(part.codes, mask=part.codes < 0))
