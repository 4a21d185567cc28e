"""Neighbours of some rows, searched for when they are asked for, each row once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.distances import Floats, Ints


class KnownLists:
    """The lists of neighbours of rows given by their numbers; `find` answers rows that were not asked for before.

    Only the lists that were found take room: (rows found, k) each of distances and of ids.
    """

    def __init__(self, find: Callable[[Ints], tuple[Floats, Ints]]) -> None:
        self._find = find
        self.found: Ints = np.zeros(0, dtype=np.int64)
        """The rows whose lists are known, ascending."""
        self._slots = self.found
        """Where the list of each of them is."""
        self._lists: tuple[Floats, Ints] | None = None

    def learn(self, rows: Ints) -> tuple[Floats, Ints]:
        """Find the lists of rows that are not known yet; return all lists that are."""
        waiting = np.unique(rows[~self._known(rows)])
        if self._lists is not None and not len(waiting):
            return self._lists
        distances, ids = self._find(waiting)
        start = 0
        if self._lists is not None:
            start = len(self._lists[0])
            distances, ids = (np.concatenate(pair) for pair in zip(self._lists, (distances, ids), strict=True))
        self._lists = distances, ids
        found = np.concatenate((self.found, waiting))
        order = np.argsort(found)
        self.found = found[order]
        self._slots = np.concatenate((self._slots, np.arange(start, len(distances))))[order]
        return self._lists

    def of(self, rows: Ints) -> tuple[Floats, Ints]:
        """Return distances and ids of each of the rows, both (rows, k)."""
        distances, ids = self.learn(rows)
        slots = self._slots[np.searchsorted(self.found, rows)]
        return distances[slots], ids[slots]

    def _known(self, rows: Ints) -> np.ndarray:
        if not len(self.found):
            return np.zeros(len(rows), dtype=bool)
        known: np.ndarray = self.found[np.minimum(np.searchsorted(self.found, rows), len(self.found) - 1)] == rows
        return known
