"""The real rows split at random into pseudo tables, and the distances between these, read off one list a row.

Each real row's list holds its closest other real rows, by row id. The first row of a pseudo table in it is the closest
of that table. Where a list is too short for a split it is made longer, so that every distance is that of the true
neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints, RealLists

ORIGINAL, HOLDOUT, SYNTHETIC, NEITHER = range(4)
"""Labels of the pseudo tables."""
ISOLATED_SHARE, ISOLATED_NEIGHBOUR, FEWEST_ISOLATED = 0.05, 5, 5
LISTED = 15
"""Expected rows of a pseudo table in a list. Of nine, one list in fifty holds fewer than the five that isolation needs,
and nearly every row would be searched again for one split or another."""
_CELLS = 1 << 20
"""Labels drawn at once."""
_TOGETHER = 20
"""So many splits at least are answered together: rows whose lists are too short for one look for longer ones at once,
and each such search prepares all real rows, whose number the splits of a block fall with."""
_ROWS = 1024
_LONGER = 4

Labels = NDArray[np.uint8]
Places = NDArray[np.uint16]


@dataclass(frozen=True)
class Sizes:
    """Rows of the tables of a run, and of the pseudo tables of its splits."""

    original: int
    holdout: int
    synthetic: int

    @property
    def real(self) -> int:
        """N, the number of real rows."""
        return self.original + self.holdout

    @property
    def base(self) -> int:
        """b, the rows of either base in the metrics that need equal bases."""
        return min(self.holdout, self.synthetic)

    @property
    def scale(self) -> float:
        """λ, by which the pseudo tables are smaller than those of the run."""
        return self.real / (self.original + 2 * self.base)

    @property
    def pseudo(self) -> tuple[int, int, int]:
        """Rows of pseudo original, holdout and synthetic table."""
        # In whole numbers: n_T N/(n_T + 2b) may be a whole number that floating point falls short of.
        total = self.original + 2 * self.base
        held = self.base * self.real // total
        return self.original * self.real // total, held, held

    @property
    def reach(self) -> int:
        """How many of each real row's closest others are listed: fifteen of the smallest pseudo table on average."""
        smallest = max(1, min(self.pseudo))
        return min(max(20, -(-LISTED * self.real // smallest)), self.real - 1)


def splits(sizes: Sizes, number: int, random: np.random.Generator, listed: Ints | None = None) -> Iterator[Labels]:
    """Split the real rows at random: blocks of labels, shape (rows, splits), a label for each pseudo table.

    `listed`: the rows that look for neighbours, where not all do; each pseudo table gets its share of them.
    """
    pseudo = np.array((*sizes.pseudo, sizes.real - sum(sizes.pseudo)))
    parts = [(np.arange(sizes.real), pseudo)]
    if listed is not None:
        looking = np.diff(np.cumsum(pseudo) * len(listed) // sizes.real, prepend=0)
        others = np.ones(sizes.real, dtype=bool)
        others[listed] = False
        parts = [(listed, looking), (np.flatnonzero(others), pseudo - looking)]
    step = _at_once(sizes)
    together = -(-_TOGETHER // step) * step
    for first in range(0, number, together):
        labels = np.empty((sizes.real, min(together, number - first)), dtype=np.uint8)
        for start in range(0, labels.shape[1], step):
            block = labels[:, start : start + step]
            for rows, counts in parts:
                plain = np.repeat(np.arange(4, dtype=np.uint8), counts)
                block[rows] = random.permuted(np.tile(plain, (block.shape[1], 1)), axis=1).T
        yield labels


def _at_once(sizes: Sizes) -> int:
    return max(1, _CELLS // sizes.real)


def blocks_of(sizes: Sizes, number: int) -> int:
    """How many blocks `splits` makes of so many splits."""
    step = _at_once(sizes)
    return -(-number // (-(-_TOGETHER // step) * step))


class Nearest:
    """Distances from the rows of one pseudo table to their closest rows of another, in each split of a block."""

    def __init__(self, labels: Labels, lists: RealLists) -> None:
        self.labels = labels
        self.lists = lists
        self.looked = 0
        """How many longer lists were looked for."""
        self.wanted = {ORIGINAL: (1, 2, ISOLATED_NEIGHBOUR), HOLDOUT: (1, 2), SYNTHETIC: (1, 2)}
        self.places = places(labels, lists.ids, self.wanted)
        """Of the first, second, ... row of a table in each row's list; the list's length where there is none."""
        by_split = np.ascontiguousarray((labels if lists.rows is None else labels[lists.rows]).T)
        self.rows = {table: np.nonzero(by_split == table)[1].reshape(len(by_split), -1) for table in self.wanted}
        """The rows of each pseudo table that have a list, as places of lists; shape (splits, rows of it)."""

    def two(self, table: int, base: int) -> tuple[Floats, Floats]:
        """Distances of a table's rows to their two closest rows of a base, each (splits, rows of the table)."""
        return self.to(table, base, 1), self.to(table, base, 2)

    def isolated(self) -> Ints | None:
        """Positions of the most isolated rows of the pseudo original, (splits, rows); None where they are few."""
        fifth = self.to(ORIGINAL, ORIGINAL, ISOLATED_NEIGHBOUR)
        number = int(ISOLATED_SHARE * fifth.shape[1])
        if number < FEWEST_ISOLATED:
            return None
        return np.argsort(-fifth, axis=1, kind="stable")[:, :number]

    def to(self, table: int, base: int, number: int) -> Floats:
        """Distances of a table's rows to their `number`-th closest row of a base, (splits, rows of the table)."""
        rows, length = self.rows[table], self.lists.ids.shape[1]
        split = np.arange(len(rows))[:, np.newaxis]
        place = self.places[base, number][rows, split]
        short = place >= length
        found: Floats = self.lists.distances[rows, np.minimum(place, length - 1)]
        if short.any():
            at, column = np.nonzero(short)
            found[at, column] = self._longer(rows[at, column], at, base, number)
        return found

    def _longer(self, rows: Ints, split: Ints, base: int, number: int) -> Floats:
        """Answer pairs of a row and a split whose list holds too few rows of the base from longer lists."""
        found, waiting = np.empty(len(rows)), np.arange(len(rows))
        length = self.lists.ids.shape[1]
        while len(waiting):
            length = min(_LONGER * length, len(self.labels) - 1)
            different, entry = np.unique(rows[waiting], return_inverse=True)
            ids_of = different if self.lists.rows is None else self.lists.rows[different]
            distances, ids = self.lists.longer(ids_of, length)
            self.looked += len(ids_of)
            seen = np.cumsum(self.labels[ids[entry], split[waiting, np.newaxis]] == base, axis=1)
            enough = seen[:, -1] >= number
            place = (seen < number).sum(axis=1)
            found[waiting[enough]] = distances[entry[enough], place[enough]]
            waiting = waiting[~enough]
        return found


def places(labels: Labels, ids: Ints, wanted: Mapping[int, tuple[int, ...]]) -> dict[tuple[int, int], Places]:
    """Find where each row's list holds the first, second, … row of a table, in every split.

    `labels` (all rows, splits) and `ids` (rows with a list, k). For each table the `wanted` numbers of rows; the
    place, shape (rows with a list, splits), is k where the list holds fewer.
    """
    rows, number = len(ids), labels.shape[1]
    found = {(table, nth): np.zeros((rows, number), np.uint16) for table, all_ in wanted.items() for nth in all_}
    for start in range(0, rows, _ROWS):
        part = slice(start, start + _ROWS)
        shape = (len(ids[part]), number)
        seen = {table: np.zeros(shape, np.uint8) for table in wanted}
        narrow: Any = np.uint8 if ids.shape[1] < 256 else np.uint16
        here = {key: np.zeros(shape, narrow) for key in found}
        for column in ids[part].T:
            label = labels[column]
            for table, numbers in wanted.items():
                seen[table] += (label == table) & (seen[table] < max(numbers))
                for nth in numbers:
                    here[table, nth] += seen[table] < nth
        for key, place in here.items():
            found[key][part] = place
    return found
