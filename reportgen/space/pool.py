"""The searches behind the verdict's tests: synthetic rows among all real rows, original and holdout alike.

U is the different rows of original and holdout together. Nothing here looks at which of them are original rows.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from reportgen.distances import AlmostEqual, DroppedSearch, Floats, Ints, RealRows, SyntheticRows
from reportgen.space.dropped import Parts, Places, group_columns, search_dropped
from reportgen.space.equal_rows import almost_equal
from reportgen.space.famd import Encoded
from reportgen.space.search import nearest

NEIGHBOURS = 10
APART = 4.0
"""So many standard deviations: chance takes one table in 30,000 for one whose repeats stay within files."""
MOST_DROPPED = 5000
"""With more synthetic rows than this, the searches with columns left out use so many random ones."""


class Pool:
    """U of one encoded space, and the searches in it. Every row is searched once; all answers are exact.

    At least two different real rows are needed. `queries` counts the rows that were searched for.
    """

    def __init__(self, encoded: Encoded, threads: int = 1) -> None:
        self.encoded = encoded
        self.threads = threads
        real = encoded.original if encoded.holdout is None else np.concatenate((encoded.original, encoded.holdout))
        self.positions, self._occurrences = np.unique(real, return_counts=True)
        """The positions of U in the space, ascending, shape (rows of U,)."""
        self.neighbours = min(NEIGHBOURS, len(self.positions))
        self.queries = 0

    @functools.cached_property
    def real(self) -> RealRows:
        """U with its counts and each row's closest others.

        Where repeats stay within files, each different row of a file is counted once: to relabel its copies one by
        one would take for chance what one row said many times.
        """
        originals = np.bincount(self.encoded.original, minlength=len(self.encoded.coordinates))[self.positions]
        occurrences = self._occurrences
        if repeats_stay_within_files(occurrences, originals):
            held = np.minimum(occurrences - originals, 1)
            originals = np.minimum(originals, 1)
            occurrences = originals + held
        distances, neighbours = self._within
        left = int(self._occurrences.sum() - occurrences.sum())
        return RealRows(occurrences, originals, distances, neighbours, not_counted=left)

    @functools.cached_property
    def parts(self) -> Parts:
        """The groups of columns that are left out together, as positions among the columns by name."""
        layout = self.encoded.layout
        return group_columns(layout.inertia if layout.slices else self.places.coordinates.var(axis=0))

    @property
    def searches_without(self) -> int:
        """How many searches with columns left out there are: none where nothing would be left."""
        return len(self.parts) if len(self.parts) > 1 else 0

    @functools.cached_property
    def equal_parts(self) -> Parts:
        """The groups of columns by which rows that agree on nearly all columns are looked for."""
        return group_columns(self.encoded.layout.inertia)

    @functools.cached_property
    def places(self) -> Places:
        """Coordinates and codes of U."""
        return Places(self.encoded.coordinates[self.positions], self.encoded.layout.codes[self.positions])

    def synthetic(
        self, positions: Ints, random: np.random.Generator, most_dropped: int = MOST_DROPPED, *, altered: bool = True
    ) -> SyntheticRows:
        """Search U for synthetic rows, given as positions in the space, shape (rows,), in any order.

        Without `altered`, nothing is searched with columns left out; the leak test can't be run on the answer.
        """
        different, times = np.unique(positions, return_counts=True)
        distances, real = self._of(different)
        if not altered:
            nothing = np.zeros(0, dtype=np.int64)
            dropped = DroppedSearch(nothing, np.zeros(0), nothing, nothing, np.zeros(0))
            return SyntheticRows(times, distances, real, dropped, AlmostEqual(nothing, nothing, nothing))
        codes = self.encoded.layout.codes
        drawn = drawn_down(times, most_dropped, random)
        some = different[drawn > 0]
        places = Places(self.encoded.coordinates[some], codes[some])
        self.queries += self.searches_without * len(some)
        return SyntheticRows(
            times=times,
            distances=distances,
            real=real,
            dropped=search_dropped(
                places, drawn[drawn > 0], self.places, self.encoded.layout, self.parts, self.threads
            ),
            equal=almost_equal(codes[different], self.places.codes, self.equal_parts),
        )

    def closest_synthetic(self, positions: Ints) -> Floats:
        """Distance of each row of U to its closest synthetic row, shape (rows of U,)."""
        self.queries += len(self.positions)
        return nearest(self.encoded.coordinates, self.positions, np.unique(positions), 1, threads=self.threads)[0][:, 0]

    def _of(self, different: Ints) -> tuple[Floats, Ints]:
        """The closest rows of U for rows of the space; a row of U finds itself, at distance 0."""
        distances, ids = self._known
        waiting = different[np.isnan(distances[different, 0])]
        if len(waiting):
            self.queries += len(waiting)
            distances[waiting], ids[waiting] = nearest(
                self.encoded.coordinates, waiting, self.positions, self.neighbours, threads=self.threads
            )
        return distances[different], ids[different]

    @functools.cached_property
    def _known(self) -> tuple[Floats, Ints]:
        """What is known for each row of the space; at first the rows of U, from their search among themselves."""
        shape = (len(self.encoded.coordinates), self.neighbours)
        distances, ids = np.full(shape, np.nan), np.full(shape, -1, dtype=np.int64)
        others, other_ids = self._within
        itself = np.arange(len(self.positions))[:, np.newaxis]
        all_distances = np.concatenate((np.zeros(itself.shape), others), axis=1)
        all_ids = np.concatenate((itself, other_ids), axis=1)
        order = np.lexsort((all_ids, all_distances), axis=-1)[:, : self.neighbours]
        distances[self.positions] = np.take_along_axis(all_distances, order, axis=1)
        ids[self.positions] = np.take_along_axis(all_ids, order, axis=1)
        return distances, ids

    @functools.cached_property
    def _within(self) -> tuple[Floats, Ints]:
        """The closest other rows of U for each: distances and positions in U."""
        self.queries += len(self.positions)
        k = min(NEIGHBOURS, len(self.positions) - 1)
        return nearest(
            self.encoded.coordinates, self.positions, self.positions, k, exclude_self=True, threads=self.threads
        )


def repeats_stay_within_files(occurrences: Ints, originals: Ints) -> bool:
    """Whether rows that repeat do so within one file more than rows of one population would, both (rows of U,).

    Doubles by nature fall on either file by its share of the rows; a file that was oversampled, or that holds rows of
    one person again and again, repeats its own. c equal rows are all in one file with probability q^c + (1-q)^c; more
    than `APART` standard deviations above what that explains is not nature.
    """
    several = occurrences > 1
    share = originals.sum() / occurrences.sum()
    often, own = occurrences[several], originals[several]
    chance = share**often + (1 - share) ** often
    apart = int(((own == 0) | (own == often)).sum())
    return apart - float(chance.sum()) > APART * math.sqrt(float((chance * (1 - chance)).sum())) > 0


def drawn_down(times: Ints, most: int, random: np.random.Generator) -> Ints:
    """Draw at most so many of the rows; return how often each different row was drawn, shape (different rows,)."""
    rows = np.repeat(np.arange(len(times)), times)
    if len(rows) <= most:
        return times
    return np.bincount(rows[random.choice(len(rows), most, replace=False)], minlength=len(times))
