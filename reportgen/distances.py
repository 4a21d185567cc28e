"""What a search hands to the metrics: distances, never rows."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.persons import Persons, distinct_pairs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class NeighbourDistances:
    """Euclidean distances of each query row to its two closest base rows, in float64; all arrays are read-only.

    `first` <= `second`, shape (queries,). `first_id` and `second_id` are positions in the base; ties go to the smaller
    id. With one base row left, `second` is inf and `second_id` is -1.
    """

    first: Floats
    second: Floats
    first_id: Ints
    second_id: Ints

    def __post_init__(self) -> None:
        for array in (self.first, self.second, self.first_id, self.second_id):
            array.setflags(write=False)

    @property
    def ratio(self) -> Floats:
        """d1/d2 of each query, shape (queries,); 1 where d2 is 0 (seed 000), 0 where there is no second row."""
        return np.divide(self.first, self.second, out=np.ones_like(self.first), where=self.second > 0)


@dataclass(frozen=True)
class RealRows:
    """U: the different rows of original and holdout together, in canonical order, and how alone each of them is.

    Without a holdout U is the different original rows. `occurrences` (c_u, at least 1) and `originals` (t_u, those of
    them in the original) have the shape (rows,). `distances`, shape (known rows, k), ascending: from each row to its
    closest other rows of U. `neighbours`, shape (known rows, k): the positions of these in U; None where they are not
    known or rows belong to persons. `not_counted`: rows that only repeat another one of their own file, where repeats
    stay within files.

    `sampled`, shape (rows,): a random part of U, drawn without regard to labels, where not all rows looked for their
    neighbours (`--max-queries`); None where all did. `known`, ascending: the rows that looked, those of the sample and
    those that synthetic rows point at; None where they are all of U.

    `persons` (`--group`) tells whose the occurrences are, those of one row of U after another; None where every row is
    a person of its own. With it `distances` lead to rows of other persons, one of each.
    """

    occurrences: Ints
    originals: Ints
    distances: Floats
    persons: Persons | None = None
    neighbours: Ints | None = None
    not_counted: int = 0
    sampled: NDArray[np.bool_] | None = None
    known: Ints | None = None

    def __post_init__(self) -> None:
        for array in (self.occurrences, self.originals, self.distances):
            array.setflags(write=False)

    @property
    def rows(self) -> int:
        """N, the number of real rows."""
        return int(self.occurrences.sum())

    @property
    def original_rows(self) -> int:
        """n_T, the number of original rows."""
        return int(self.originals.sum())

    @property
    def original_shares(self) -> Floats:
        """t_u/c_u, the share of a row's occurrences that are in the original, shape (rows,)."""
        return self.originals / self.occurrences

    @property
    def ratios(self) -> Floats:
        """d1/d2 of the known rows against U without themselves, (known rows,); 1 where d2 is 0, 0 without a second."""
        return _ratio(self.distances)

    @property
    def original_share(self) -> float:
        """q, the share of the real rows that are original; with persons, of those whose labels can be exchanged."""
        if self.persons is None:
            return self.original_rows / self.rows
        return float(self.persons.labels.mean()) if len(self.persons.labels) else 0.0

    @property
    def testable(self) -> bool:
        """Whether there are labels to permute; with persons, each side needs one that the other has not."""
        return self.persons is None or self.persons.testable

    @functools.cached_property
    def sample(self) -> RealRows:
        """The sampled rows alone, which stand for all: what is counted or ranked among real rows is counted here."""
        if self.sampled is None:
            return self
        chosen = self.sampled
        persons = self.persons
        if persons is not None:
            mine = chosen[self.place]
            numbers = np.unique(persons.person[mine], return_inverse=True)[1].astype(np.int64)
            persons = Persons(numbers, persons.original[mine])
        own = chosen if self.known is None else chosen[self.known]
        return RealRows(self.occurrences[chosen], self.originals[chosen], self.distances[own], persons)

    @functools.cached_property
    def place(self) -> Ints:
        """The row of U that each occurrence is of, shape (N,)."""
        return np.repeat(np.arange(len(self.occurrences)), self.occurrences)

    @functools.cached_property
    def twins(self) -> NDArray[np.bool_]:
        """Whether each row of U occurs more than once; with persons, for more than one of them. Shape (rows,)."""
        if self.persons is None:
            marks: NDArray[np.bool_] = self.occurrences > 1
            return marks
        rows = distinct_pairs(self.place, self.persons.person)[0]
        several: NDArray[np.bool_] = np.bincount(rows, minlength=len(self.occurrences)) > 1
        return several


@dataclass(frozen=True)
class DroppedSearch:
    """Synthetic rows looking for real rows with one part of the columns left out at a time.

    One entry for each different synthetic row that was searched: `times`, how many rows it stands for, and `ratio`,
    Q = min over the parts of (d1/d6)^2, both of shape (entries,). The nearest real rows by the best part are pairs:
    row `real` of U for entry `entry`, with the `share` of it, which sum to 1 for an entry; shape (pairs,).
    """

    times: Ints
    ratio: Floats
    entry: Ints
    real: Ints
    share: Floats

    def __post_init__(self) -> None:
        for array in (self.times, self.ratio, self.entry, self.real, self.share):
            array.setflags(write=False)

    def after(self, other: DroppedSearch) -> DroppedSearch:
        """Return the entries of another search and then these."""
        return DroppedSearch(
            np.concatenate((other.times, self.times)),
            np.concatenate((other.ratio, self.ratio)),
            np.concatenate((other.entry, self.entry + len(other.times))),
            np.concatenate((other.real, self.real)),
            np.concatenate((other.share, self.share)),
        )

    def some(self, entries: Ints, times: Ints) -> DroppedSearch:
        """Return some entries, each once, in a new order; `times`: how many rows each stands for now."""
        place = np.full(len(self.times), -1)
        place[entries] = np.arange(len(entries))
        kept = place[self.entry] >= 0
        return DroppedSearch(times, self.ratio[entries], place[self.entry[kept]], self.real[kept], self.share[kept])


@dataclass(frozen=True)
class AlmostEqual:
    """Pairs of a synthetic row and a real row that agree on all columns but at most two; each array (pairs,).

    `entry` is a position among the different synthetic rows, `real` in U, `columns` the number of columns in which
    they differ (0, 1 or 2).
    """

    entry: Ints
    real: Ints
    columns: Ints

    def __post_init__(self) -> None:
        for array in (self.entry, self.real, self.columns):
            array.setflags(write=False)


@dataclass(frozen=True)
class SyntheticRows:
    """The different synthetic rows, in canonical order, and what each of them found in U.

    `times`, shape (entries,): how many synthetic rows each stands for. `distances` and `real`, both (entries, k),
    ascending: the closest rows of U and their positions there.
    """

    times: Ints
    distances: Floats
    real: Ints
    dropped: DroppedSearch
    equal: AlmostEqual

    def __post_init__(self) -> None:
        for array in (self.times, self.distances, self.real):
            array.setflags(write=False)

    @property
    def rows(self) -> int:
        """m, the number of synthetic rows."""
        return int(self.times.sum())

    @property
    def ratios(self) -> Floats:
        """d1/d2 of each entry against U, shape (entries,); 1 where d2 is 0, 0 where there is no second row."""
        return _ratio(self.distances)

    @functools.cached_property
    def pointed_at(self) -> Ints:
        """The rows of U that any weight of an entry can fall on, ascending."""
        return np.unique(np.concatenate((self.real.ravel(), self.dropped.real, self.equal.real)))

    def among(self, rows: Ints) -> SyntheticRows:
        """Give places among these rows of U, ascending, instead of places in U."""
        return replace(
            self,
            real=np.searchsorted(rows, self.real),
            dropped=replace(self.dropped, real=np.searchsorted(rows, self.dropped.real)),
            equal=replace(self.equal, real=np.searchsorted(rows, self.equal.real)),
        )

    @property
    def nearest(self) -> Floats:
        """How an entry is split over its k closest rows: evenly over those tied for the closest; (entries, k)."""
        tied = self.distances == self.distances[:, :1]
        shares: Floats = tied / tied.sum(axis=1, keepdims=True)
        return shares


def _ratio(distances: Floats) -> Floats:
    if distances.shape[1] < 2:
        return np.zeros(len(distances))
    first, second = distances[:, 0], distances[:, 1]
    return np.divide(first, second, out=np.ones_like(first), where=second > 0)


@dataclass(frozen=True)
class PlantedRows:
    """Near copies of random real rows, one each, and what they found in U: entries of a planted leak.

    `copied`, shape (entries,): which real row each is a copy of, counted over the occurrences of the rows of U in
    order. Every entry of `found` stands for one row, and all of them were searched with columns left out.
    """

    copied: Ints
    found: SyntheticRows

    def __post_init__(self) -> None:
        self.copied.setflags(write=False)


@dataclass(frozen=True)
class RealLists:
    """Each real row's closest other real rows, by row id: original rows first, `originals` of them, then holdout rows.

    `distances` and `ids`, both (rows, k), ascending. Identical rows are listed each for itself, at distance 0.
    `longer` gives longer lists, of so many others, for rows that need them; what it holds for that takes
    `longer_bytes`. `rows`: the ids of the rows that have a
    list, ascending, and `number`: how many real rows there are; both None where all have one.
    """

    distances: Floats
    ids: Ints
    originals: int
    longer: Callable[[Ints, int], tuple[Floats, Ints]]
    rows: Ints | None = None
    number: int | None = None
    longer_bytes: int = 0

    def __post_init__(self) -> None:
        for array in (self.distances, self.ids):
            array.setflags(write=False)

    @property
    def total(self) -> int:
        """How many real rows there are, with a list or without."""
        return len(self.distances) if self.number is None else self.number
