"""One column as it was read, before it is known what it means: distinct texts with codes, or typed values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.read.partition import Side, Source


@dataclass(frozen=True)
class Texts:
    """A column of text. Row i holds `distinct[codes[i]]`; code -1 is missing in the format itself.

    `distinct` holds each text once, stripped of blanks at both ends; all of them occur. `declared` says that the
    table's own schema calls the column a category. `marks` are the texts that the user declared to be missing (None:
    the usual ones), `written` the marks before decimals and between thousands (None: as detected).
    """

    distinct: pa.Array
    codes: NDArray[np.int64]
    declared: bool = False
    marks: tuple[str, ...] | None = None
    written: tuple[str, str] | None = None

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Typed:
    """A column whose type the format stores: int64, uint64, float64, bool or timestamp[us, UTC]; null is missing.

    `marks` are the declared missing marks that were numbers of the column and became null, each with its rows.
    """

    array: pa.Array
    marks: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.array)


RawColumn = Texts | Typed


@dataclass(frozen=True)
class RawTable:
    """One table as read: names in the order of the file, nothing guessed about the meaning of text."""

    source: Source
    role: Side
    columns: Mapping[str, RawColumn]
    rows: int
    remarks: tuple[str, ...] = ()
    typed: frozenset[str] = frozenset()
    """Columns that are told to be no text before they are read; where all are in memory it is of no use."""


class ColumnsWhenAsked(Mapping[str, RawColumn]):
    """The columns of a table by name, of which none is kept: `read` makes one each time it is asked for."""

    def __init__(self, names: Iterable[str], read: Callable[[str], RawColumn]) -> None:
        self._names = dict.fromkeys(names)
        self._read = read

    def __getitem__(self, name: str) -> RawColumn:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def texts(column: pa.ChunkedArray, *, declared: bool = False) -> Texts:
    """Strip and encode a column of strings."""
    encoded = _one_array(pc.utf8_trim_whitespace(column.cast(pa.large_string()))).dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return Texts(encoded.dictionary, codes, declared)


def is_typed(kind: Any) -> bool:
    """Whether `raw_column` makes no text of columns of a type."""
    return bool(
        pa.types.is_boolean(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
    )


def raw_column(column: pa.ChunkedArray) -> RawColumn | None:
    """Bring a typed column to one of the few types that are told apart; None where its type has no meaning here."""
    kind: Any = column.type
    if pa.types.is_dictionary(kind):
        return _declared(raw_column(_decoded(column)))
    if isinstance(kind, pa.BaseExtensionType):
        return _of_extension(column, kind)
    if pa.types.is_null(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return texts(column)
    if pa.types.is_string_view(kind) or pa.types.is_decimal(kind) or pa.types.is_time(kind):
        return texts(column.cast(pa.string()))
    typed = _typed(column, kind)
    return None if typed is None else Typed(_one_array(typed))


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write out the categories of a dictionary; not by a cast, which pyarrow lacks for those that polars writes."""
    kind = column.type.value_type
    if not pa.types.is_string_view(kind):
        return column.cast(kind)
    chunks = [chunk.dictionary.cast(pa.large_string()).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, pa.large_string())


def _of_extension(column: pa.ChunkedArray, kind: Any) -> RawColumn | None:
    """Read the few extended types whose storage means what it holds; a UUID, sixteen bytes, as its text."""
    if kind.extension_name == "arrow.uuid":
        plain = [value.as_py() for value in column]
        return texts(pa.chunked_array([pa.array([None if one is None else str(one) for one in plain], pa.string())]))
    if kind.extension_name not in {"arrow.json", "arrow.bool8"}:
        return None
    return raw_column(pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type))


def _declared(column: RawColumn | None) -> RawColumn | None:
    """Mark a column as a category by its table's own schema; times stay times."""
    if isinstance(column, Texts):
        return Texts(column.distinct, column.codes, declared=True)
    if column is None or pa.types.is_timestamp(column.array.type):
        return column
    return texts(pa.chunked_array([category_texts(column.array)]), declared=True)


def _typed(column: pa.ChunkedArray, kind: Any) -> pa.ChunkedArray | None:
    if pa.types.is_boolean(kind) or pa.types.is_float64(kind):
        return column
    if pa.types.is_integer(kind):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            return column  # unsigned integers beyond 2^63
    if pa.types.is_floating(kind):
        return _widened(column)
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    if pa.types.is_timestamp(kind):
        # A time without zone is read as UTC; casting a zoned one keeps the instant.
        return pc.floor_temporal(column, unit="microsecond").cast(pa.timestamp("us", "UTC"), safe=False)
    return None


def _widened(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Widen float32 and float16 by their shortest text, so that 0.1 equals the 0.1 of a text file."""
    narrow = column.to_numpy()
    distinct, inverse = np.unique(narrow, return_inverse=True)
    wide = np.array([float(str(value)) for value in distinct], dtype=np.float64)[inverse]
    mask = column.is_null().to_numpy()
    return pa.chunked_array([pa.array(wide, mask=mask)])


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def category_texts(values: pa.Array) -> pa.Array:
    """Write typed values as the names of categories: whole numbers without point, True/False, times as RFC 3339."""
    if pa.types.is_timestamp(values.type):
        missing = values.is_null().to_pylist()
        written = rfc3339(pc.fill_null(values.cast(pa.int64()), 0).to_numpy(zero_copy_only=False))
        plain = [None if gone else text for gone, text in zip(missing, written, strict=True)]
    else:
        plain = [None if value is None or np.isnan(value) else category_text(value) for value in values.to_pylist()]
    return pa.array(plain, pa.large_string())


def category_text(value: object) -> str:
    """Write one value as the name of a category; a whole number has no point, whatever its type."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def rfc3339(microseconds: NDArray[np.int64]) -> list[str]:
    """Write microseconds since 1970 UTC as RFC 3339: 2020-01-31T00:00:00Z, with a fraction only where there is one."""
    seconds = np.datetime_as_string((microseconds // 1_000_000).astype("datetime64[s]")).tolist()
    fractions = (microseconds % 1_000_000).tolist()
    return [
        f"{second}.{fraction:06d}".rstrip("0") + "Z" if fraction else f"{second}Z"
        for second, fraction in zip(seconds, fractions, strict=True)
    ]
