"""Arrays on disk instead of in memory, in a file without a name that only this process can open.

The file lies in `TMPDIR` where that is set, else in /var/tmp, which is on a disk where /tmp may be memory. It is gone
when the process ends, however it ends. Nobody else can open it: where the system can't make a file without a name, it
has one for the moment until it is removed, and is its owner's alone (0600).
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.errors import EnvironmentLacking

LARGE_FILES = "/var/tmp"  # noqa: S108 -- only files without a name are made there
FEW_TEXTS = 4096
"""So many different texts of a column stay in memory."""
_ALIGNED = mmap.ALLOCATIONGRANULARITY


class Shelf:
    """Puts arrays on disk and hands them out as read-only views of the file, which take memory while they are read.

    A context manager; its arrays are of no use after it. What they took in memory `forget` gives back.
    """

    def __init__(self) -> None:
        folder = _folder()
        try:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 -- closed by `close`
        except OSError as error:
            msg = f"memory: no temporary file can be made in {folder} ({error.strerror}); set TMPDIR to another folder"
            raise EnvironmentLacking(msg) from None
        weakref.finalize(self, self._file.close)
        self._end = 0
        self._mapped: list[weakref.ref[np.memmap[Any, Any]]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        """Put an array on disk; return it from there."""
        array = np.ascontiguousarray(array)
        if array.size:
            start = self._reserve(array.nbytes)
            self._write(array, start)
            array = self._map(array.shape, array.dtype, start, "r")
        array.setflags(write=False)
        return array

    def room(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """Make room for an array, to be written to by its caller, who makes it read-only when it is full."""
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        return self._map(shape, dtype, self._reserve(size), "r+") if size else np.zeros(shape, dtype=dtype)

    def _reserve(self, size: int) -> int:
        start = self._end
        self._end += -(-size // _ALIGNED) * _ALIGNED
        try:
            # A full disk says so here, and not by a signal when the room is written to.
            os.posix_fallocate(self._file.fileno(), start, self._end - start)
        except OSError as error:
            raise _full(error) from None
        return start

    def _map(self, shape: tuple[int, ...], dtype: Any, start: int, mode: Literal["r", "r+"]) -> NDArray[Any]:
        array = np.memmap(self._file, dtype=dtype, mode=mode, offset=start, shape=shape)
        self._mapped.append(weakref.ref(array))
        return array

    def forget(self) -> None:
        """Give back the memory of what was read or written; it stays on disk."""
        alive = []
        for reference in self._mapped:
            array = reference()
            if array is not None:
                alive.append(reference)
                forget(array)
        self._mapped = alive

    def _write(self, array: NDArray[Any], start: int) -> None:
        """Write past the mapped pages: what is written through them counts as memory of the process."""
        content = memoryview(array.data).cast("B")
        while len(content):
            try:
                written = os.pwrite(self._file.fileno(), content[: 1 << 26], start)
            except OSError as error:
                raise _full(error) from None
            content, start = content[written:], start + written


def shelved(array: NDArray[Any], shelf: Shelf | None) -> NDArray[Any]:
    """Put an array on a shelf, read-only; without one it stays as it is."""
    return array if shelf is None else shelf.put(array)


def forget(array: object) -> None:
    """Give back the memory that an array on disk takes; nothing where it is in memory."""
    mapped = getattr(array, "_mmap", None) if isinstance(array, np.memmap) else None
    if mapped is not None:
        mapped.madvise(mmap.MADV_DONTNEED)


class Arrays(Sequence[NDArray[Any]]):
    """Arrays one after the other, on a shelf or, without one, in memory; those on disk are read when asked for."""

    def __init__(self, shelf: Shelf | None) -> None:
        self._shelf = shelf
        self._arrays: list[NDArray[Any]] = []

    def append(self, array: NDArray[Any]) -> None:
        """Put one more at the end."""
        self._arrays.append(array if self._shelf is None else self._shelf.put(array))

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, place: Any) -> Any:
        if self._shelf is None:
            return self._arrays[place]
        array = np.array(self._arrays[place])
        self._shelf.forget()
        return array


@dataclass(frozen=True)
class KeptSeries:
    """One canonical column (see `Table`) as arrays on disk."""

    rows: int
    dtype: Any
    arrays: tuple[NDArray[Any], ...]
    levels: NDArray[np.object_] | None = None

    def load(self, name: str | None = None) -> pd.Series[Any]:
        """Read it into memory, as it was."""
        first, *more = (np.array(array) for array in self.arrays)
        for array in self.arrays:
            forget(array)
        values: Any = first
        if self.dtype == object:
            levels = self._texts(*more) if self.levels is None else self.levels
            return pd.Series(levels[first], dtype=object, name=name)
        if self.dtype == "Int64":
            values = pd.arrays.IntegerArray(first, more[0])
        elif self.dtype == "boolean":
            values = pd.arrays.BooleanArray(first, more[0])
        elif isinstance(self.dtype, pd.DatetimeTZDtype):
            return pd.Series(first.view("datetime64[us]"), name=name).dt.tz_localize("UTC")
        return pd.Series(values, name=name)

    @staticmethod
    def _texts(offsets: NDArray[Any], content: NDArray[Any]) -> NDArray[np.object_]:
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
        texts = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
        return np.array([*texts.to_pylist(), None], dtype=object)


def keep(series: pd.Series[Any], shelf: Shelf) -> KeptSeries:
    """Put a canonical column on disk; different texts stay in memory where there are few."""
    values = series.array
    if isinstance(values, pd.arrays.IntegerArray | pd.arrays.BooleanArray):
        parts: tuple[NDArray[Any], ...] = (values._data, values._mask)  # type: ignore[union-attr]  # noqa: SLF001
    elif isinstance(series.dtype, pd.DatetimeTZDtype):
        parts = (series.to_numpy(dtype="datetime64[us]").view(np.int64),)
    elif series.dtype == object:
        codes, found = pd.factorize(series.to_numpy(dtype=object))
        codes, texts = codes.astype(np.int32), _as_texts(found)
        if texts is not None:
            offsets, content = (
                np.frombuffer(buffer, kind) for buffer, kind in zip(texts.buffers()[1:], ("<i8", "u1"), strict=True)
            )
            return KeptSeries(len(series), series.dtype, tuple(map(shelf.put, (codes, offsets, content))))
        return KeptSeries(len(series), series.dtype, (shelf.put(codes),), np.array([*found, None], dtype=object))
    else:
        parts = (series.to_numpy(),)
    return KeptSeries(len(series), series.dtype, tuple(map(shelf.put, parts)))


def _as_texts(levels: NDArray[np.object_]) -> Any:
    """Many different texts as one array of them; None for few, for what is no text, and for what no file can hold."""
    if len(levels) <= FEW_TEXTS or not all(isinstance(level, str) for level in levels):
        return None
    try:
        return pa.array(levels, pa.large_string())
    except (pa.ArrowException, UnicodeError):
        return None


class KeptColumn(Sequence["pd.Series[Any]"]):
    """One column of all tables, each of which is read from disk when it is asked for."""

    def __init__(self, kept: Sequence[KeptSeries]) -> None:
        self.kept = tuple(kept)

    def __len__(self) -> int:
        return len(self.kept)

    def __getitem__(self, place: Any) -> Any:
        return self.kept[place].load()


class KeptFrame:
    """The columns of one table by name, each of which is read from disk when it is asked for."""

    def __init__(self, columns: Mapping[str, KeptSeries], rows: int) -> None:
        self._columns = columns
        self._rows = rows

    @property
    def columns(self) -> pd.Index[str]:
        """The names in the order of the table."""
        return pd.Index(list(self._columns))

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, name: str) -> pd.Series[Any]:
        return self._columns[name].load(name)


def _folder() -> str:
    wanted = os.environ.get("TMPDIR")
    if wanted:
        if not os.path.isdir(wanted) or not os.access(wanted, os.W_OK | os.X_OK):  # noqa: PTH112
            # Another folder in its place would hold people's data where nobody expects it.
            msg = (
                "memory: tables larger than it are held in a temporary file, and TMPDIR is no folder to write in; set "
                "it to one on a large disk"
            )
            raise EnvironmentLacking(msg)
        return wanted
    return LARGE_FILES if os.access(LARGE_FILES, os.W_OK | os.X_OK) else tempfile.gettempdir()


def free_disk() -> int:
    """Bytes that are free where a shelf would be; none where TMPDIR can't be used."""
    try:
        found = os.statvfs(_folder())
    except EnvironmentLacking:
        return 0
    return found.f_bavail * found.f_frsize


def _full(error: OSError) -> EnvironmentLacking:
    return EnvironmentLacking(
        f"memory: tables larger than it are held in a temporary file, which cannot be written ({error.strerror}); set "
        "TMPDIR to a folder on a larger disk"
    )
