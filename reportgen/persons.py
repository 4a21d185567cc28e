"""Which rows belong to one person: who is labelled original together, resampled together, and told apart.

Under the null hypothesis persons are exchangeable, each with all its rows, however many they are. So the labels
"original" and "holdout" are permuted over persons, sums are taken over the rows of each, and shares that rest on a
labeling (q, r) are shares of persons. A person with rows on both sides has no label that could be exchanged: it keeps
its own in every labeling and takes no part in what is permuted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Booleans = NDArray[np.bool_]

BLOCK = 1 << 21
"""Most labels held at once as float64, 16 MB."""


@dataclass(frozen=True)
class Persons:
    """The persons of real rows, in any order of rows: `person` numbers them from 0 without gaps, shape (rows,).

    `original`, shape (rows,): whether a row is one of the original; the others are holdout rows.
    """

    person: Ints
    original: Booleans

    def __post_init__(self) -> None:
        for array in (self.person, self.original):
            array.setflags(write=False)

    @functools.cached_property
    def number(self) -> int:
        """How many persons there are on both sides together."""
        return int(self.person.max(initial=-1)) + 1

    @functools.cached_property
    def in_original(self) -> Booleans:
        """Whether each person has an original row, shape (persons,)."""
        marks = np.zeros(self.number, dtype=bool)
        marks[self.person[self.original]] = True
        return marks

    @functools.cached_property
    def in_holdout(self) -> Booleans:
        """Whether each person has a holdout row, shape (persons,)."""
        marks = np.zeros(self.number, dtype=bool)
        marks[self.person[~self.original]] = True
        return marks

    @property
    def originals(self) -> int:
        """Persons with an original row."""
        return int(self.in_original.sum())

    @property
    def holdouts(self) -> int:
        """Persons with a holdout row."""
        return int(self.in_holdout.sum())

    @property
    def shared(self) -> int:
        """Persons with rows on both sides."""
        return int((self.in_original & self.in_holdout).sum())

    @functools.cached_property
    def permuted(self) -> Ints:
        """The persons on one side only, ascending: those whose labels are permuted."""
        return np.flatnonzero(self.in_original != self.in_holdout)

    @functools.cached_property
    def labels(self) -> Booleans:
        """The observed label of each person that is permuted: whether it is original, shape (permuted persons,)."""
        observed: Booleans = self.in_original[self.permuted]
        return observed

    @functools.cached_property
    def moves(self) -> Booleans:
        """Whether the label of each row is one that is permuted, shape (rows,)."""
        marks = np.zeros(self.number, dtype=bool)
        marks[self.permuted] = True
        return marks[self.person]

    @functools.cached_property
    def place(self) -> Ints:
        """The position of each row's person among those that are permuted, shape (rows,); 0 where it is not one."""
        places = np.zeros(self.number, dtype=np.int64)
        places[self.permuted] = np.arange(len(self.permuted))
        return places[self.person]

    @property
    def testable(self) -> bool:
        """Whether each side has a person that the other has not, so that labels can be permuted at all."""
        return bool(self.labels.any() and not self.labels.all())

    @functools.cached_property
    def of_original(self) -> Persons:
        """The persons of the original rows alone, in their order."""
        mine = self.original
        return Persons(np.unique(self.person[mine], return_inverse=True)[1].astype(np.int64), mine[mine])

    @functools.cached_property
    def of_holdout(self) -> Persons:
        """The persons of the holdout rows alone, in their order."""
        mine = ~self.original
        return Persons(np.unique(self.person[mine], return_inverse=True)[1].astype(np.int64), self.original[mine])

    def summed(self, values: Floats) -> Floats:
        """Sum values of rows, shape (rows, columns), over each person that is permuted: (permuted persons, columns)."""
        sums = np.zeros((len(self.permuted), values.shape[1]))
        mine = np.flatnonzero(self.moves)
        for column in range(values.shape[1]):
            sums[:, column] = np.bincount(self.place[mine], weights=values[mine, column], minlength=len(self.permuted))
        return sums

    def rows_p_value(self) -> float | None:
        """How unusual it is that persons of the two sides differ so in their numbers of rows; None if nobody can tell.

        Two-sided, by the normal distribution of the sum over permuted labels. Persons of more rows attract more
        synthetic rows: where only one side has them, persons are not exchangeable and no test of labels means much.
        """
        if not self.testable:
            return None
        rows = np.bincount(self.place[self.moves], minlength=len(self.permuted)).astype(np.float64)
        share, number = float(self.labels.mean()), len(rows)
        variance = share * (1 - share) * number / max(number - 1, 1) * float(((rows - rows.mean()) ** 2).sum())
        if variance == 0:
            return 1.0
        z = float(rows[self.labels].sum() - share * rows.sum()) / math.sqrt(variance)
        return math.erfc(abs(z) / math.sqrt(2))

    def relabelled(self, labels: NDArray[np.uint8] | Booleans) -> Booleans:
        """Give every row its label under a labeling of the permuted persons, shape (rows,); others keep their own."""
        if not len(self.permuted):
            return self.original
        return np.where(self.moves, labels[self.place].astype(bool), self.original)


@dataclass(frozen=True)
class PersonKey:
    """A column that seems to name persons: how many values it has among so many original rows."""

    column: str
    values: int
    rows: int


def labelings(rows: int, originals: int, number: int, random: np.random.Generator) -> Iterator[NDArray[np.uint8]]:
    """Draw labelings, in blocks of shape (labelings, rows): 1 for `originals` of the rows, 0 for the others.

    A "row" is whatever is labelled as one: a row, or a person with all its rows.
    """
    plain = (np.arange(rows) < originals).astype(np.uint8)
    step = labelings_at_once(rows)
    for start in range(0, number, step):
        yield random.permuted(np.tile(plain, (min(step, number - start), 1)), axis=1)


def labelings_at_once(rows: int) -> int:
    """How many labelings of so many rows a block holds."""
    return max(1, BLOCK // max(rows, 1))


def person_labelings(persons: Persons, number: int, random: np.random.Generator) -> Iterator[NDArray[np.uint8]]:
    """Draw labelings of the permuted persons, in blocks of shape (labelings, permuted persons)."""
    return labelings(len(persons.permuted), int(persons.labels.sum()), number, random)


def distinct_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The different pairs of two arrays of whole numbers from 0, ascending; of values and persons: who has which."""
    left, right = np.divmod(
        np.unique(first * (int(second.max(initial=0)) + 1) + second), int(second.max(initial=0)) + 1
    )
    return left, right


def first_per_person(persons: Ints, bins: Ints) -> Ints:
    """The smallest bin that each person has a row in, shape (persons,). `bins`, `persons`: (rows,)."""
    order = np.lexsort((bins, persons))
    first = np.unique(persons[order], return_index=True)[1]
    smallest: Ints = bins[order][first]
    return smallest


def canonical(persons: Persons, contents: Ints) -> Persons:
    """Number persons by what their rows hold, so that neither names nor the order of rows enter a random draw.

    `contents`, shape (rows,): equal for rows that are the same in the space, ascending in its canonical order. Persons
    are ordered by their rows and sides; those that agree in all are interchangeable.
    """
    order = np.lexsort((contents, ~persons.original, persons.person))
    keys = (2 * contents + ~persons.original)[order]
    ends = np.cumsum(np.bincount(persons.person, minlength=persons.number))[:-1]
    rows = [tuple(part.tolist()) for part in np.split(keys, ends)]
    rank = np.empty(persons.number, dtype=np.int64)
    rank[sorted(range(persons.number), key=rows.__getitem__)] = np.arange(persons.number)
    return Persons(rank[persons.person], persons.original)
