"""Neighbours of some rows, searched for when they are asked for, each row once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.distances import Floats, Ints


class KnownLists:
    """The lists of neighbours of rows numbered from 0; `find` answers rows that were not asked for before.

    Only the lists that were found take room: (rows found, k) each of distances and of ids.
    """

    def __init__(self, rows: int, find: Callable[[Ints], tuple[Floats, Ints]]) -> None:
        self._find = find
        self._slots = np.full(rows, -1, dtype=np.int64)
        self._distances: Floats | None = None
        self._ids: Ints | None = None

    @property
    def found(self) -> Ints:
        """The rows whose lists are known, ascending."""
        return np.flatnonzero(self._slots >= 0)

    def learn(self, rows: Ints) -> tuple[Floats, Ints]:
        """Find the lists of rows that are not known yet; return all lists that are."""
        waiting = np.unique(rows[self._slots[rows] < 0])
        if self._distances is not None and self._ids is not None and not len(waiting):
            return self._distances, self._ids
        distances, ids = self._find(waiting)
        start = 0
        if self._distances is not None and self._ids is not None:
            start = len(self._distances)
            distances, ids = np.concatenate((self._distances, distances)), np.concatenate((self._ids, ids))
        self._distances, self._ids = distances, ids
        self._slots[waiting] = np.arange(start, start + len(waiting))
        return distances, ids

    def of(self, rows: Ints) -> tuple[Floats, Ints]:
        """Return distances and ids of each of the rows, both (rows, k)."""
        distances, ids = self.learn(rows)
        slots = self._slots[rows]
        return distances[slots], ids[slots]
