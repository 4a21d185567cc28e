"""Encoded rows on disk, where the tables are larger than memory: written column by column, read block by block."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints
from reportgen.read.shelf import Shelf, forget
from reportgen.space.columns import EncodedColumn

BLOCK = 48 << 20
"""Bytes of the rows that are held at once. A search holds about five times as much for a while."""
_AT_ONCE = 16
"""Rows that are read at once from anywhere: the system maps up to 2 MB around each of them."""
_FEW_POINTS = 1 << 12
"""The points of so many codes stay in memory."""


class RowsAt:
    """Some rows of an array on disk, by their positions in it; reading them leaves nothing of it in memory."""

    def __init__(self, array: NDArray[Any], positions: Ints) -> None:
        self._array = array
        self._positions = positions

    def __len__(self) -> int:
        return len(self._positions)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self._positions), self._array.shape[1]

    def __getitem__(self, places: Ints | slice) -> NDArray[Any]:
        return some_rows(self._array, self._positions[places])

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Yield all rows in their order, `BLOCK` bytes at a time."""
        step = max(1, BLOCK // (self._array.itemsize * max(1, self._array.shape[1])))
        return (self[start : start + step] for start in range(0, len(self), step))


class OnDisk:
    """An array on disk, what is read of which leaves nothing in memory but itself."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self.shape = array.shape

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: Any) -> Any:
        first, *others = key if isinstance(key, tuple) else (key,)
        if isinstance(first, slice) and others:
            first = np.arange(len(self._array))[first, np.newaxis]
        if isinstance(first, np.ndarray):
            return some_rows(self._array, first, *others)
        found = np.array(self._array[key])
        forget(self._array)
        return found


def some_rows(array: NDArray[Any], rows: Ints, *others: Any) -> NDArray[Any]:
    """Return `array[rows, *others]`; what is read of an array on disk leaves nothing in memory."""
    if not isinstance(array, np.memmap):
        return np.asarray(array[(rows, *others)])
    size = array.nbytes // max(1, len(array))
    step = max(1, min(_AT_ONCE, BLOCK // max(1, size)))
    if not len(rows) or (int(rows.max()) - int(rows.min())) * size <= 2 * BLOCK:
        step = max(1, len(rows))
    shape = np.broadcast_shapes(rows.shape, *map(np.shape, others)) if others else (*rows.shape, *array.shape[1:])
    found = np.empty(shape, dtype=array.dtype)
    for start in range(0, len(rows), step):
        found[start : start + step] = array[(rows[start : start + step], *others)]
        forget(array)
    return found


def on_disk(column: EncodedColumn, shelf: Shelf | None) -> EncodedColumn:
    """Put the codes of a column, and the points of many, on a shelf; without one it stays as it is."""
    if shelf is None:
        return column
    points = column.points if len(column.points) <= _FEW_POINTS else shelf.put(column.points)
    return replace(column, codes=shelf.put(column.codes.astype(np.int32)), points=points)


def place(columns: Sequence[EncodedColumn], first: Ints, shelf: Shelf | None) -> tuple[Floats, NDArray[np.int32]]:
    """Put columns beside each other: coordinates and codes of the rows `first`, (rows, dimensions) and (rows, columns).

    With a shelf both are made there, and no more than one column and one block of rows are in memory.
    """
    if shelf is None:
        return _in_memory(columns, first)
    widths = [column.points.shape[1] for column in columns]
    coordinates = shelf.room((len(first), sum(widths)), np.float64)
    codes = shelf.room((len(first), len(columns)), np.int32)
    with Shelf() as scratch:
        parts = [_Part(column, first, scratch) for column in columns]
        ends = np.cumsum([0, *widths])
        step = max(1, BLOCK // 4 // (8 * max(1, coordinates.shape[1])))  # of files that are read and written together
        for start in range(0, len(first), step):
            rows = slice(start, start + step)
            for number, part in enumerate(parts):
                codes[rows, number] = part.codes[rows]
                coordinates[rows, ends[number] : ends[number + 1]] = part.points(rows)
            shelf.forget()
            scratch.forget()
    return coordinates, codes


def _in_memory(columns: Sequence[EncodedColumn], first: Ints) -> tuple[Floats, NDArray[np.int32]]:
    """Write coordinates to their place column by column: they are the largest array of a run."""
    ends = np.cumsum([0, *(column.points.shape[1] for column in columns)]).tolist()
    coordinates: Floats = np.empty((len(first), ends[-1]))
    for column, (start, stop) in zip(columns, itertools.pairwise(ends), strict=True):
        coordinates[:, start:stop] = column.points[column.codes[first]]
    return coordinates, np.stack([column.codes[first] for column in columns], axis=1).astype(np.int32)


class _Part:
    """One column in the order of the rows that are wanted."""

    def __init__(self, column: EncodedColumn, first: Ints, scratch: Shelf) -> None:
        codes = np.array(column.codes)[first]
        self._few = column.points if len(column.points) <= _FEW_POINTS else None
        self.codes = scratch.put(codes)
        self._many = [] if self._few is not None else [scratch.put(own[codes]) for own in np.array(column.points.T)]
        forget(column.codes)
        forget(column.points)

    def points(self, rows: slice) -> Floats:
        """Coordinates of some rows, (rows, width)."""
        if self._few is not None:
            few: Floats = self._few[self.codes[rows]]
            return few
        return np.stack([own[rows] for own in self._many], axis=1)
