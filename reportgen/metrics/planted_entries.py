"""Synthetic rows as the weights of leak_test see them, kept so that planted leaks are added to them quickly.

A weight with a bandwidth h is a sum over entries: of a synthetic row (near, lone), or of a synthetic row and one of
its nearest real rows (drop). Entries are in the order of their x, so that those within reach of h are the first ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from reportgen.distances import Floats, Ints, SyntheticRows
from reportgen.metrics.leak_weights import DROP, NEAR, log_closeness, relative_squares
from reportgen.persons import Persons

_FARTHEST = 40.0
"""x beyond 40 h^2 weigh less than e^-20."""
_BEYOND = 60.0
"""Beyond 60 h^2 they weigh less than e^-30: left out at every bandwidth, while the others are at the widest one."""


@dataclass(frozen=True)
class Entries:
    """Entries of the weights with a bandwidth, `x` ascending, (entries,): R^2 or Q.

    `real`, (k, entries): places of rows of U. `amounts` by weight, (entries,): what an entry's kernel is multiplied
    with. `owner`, (entries,): the row that each entry is of. `gaps`, (k, entries): (d_i^2 - d_1^2)/d_k^2, by which a
    kernel is shared over the rows of U; None where k is 1 and there is nothing to share.
    """

    x: Floats
    real: Ints
    amounts: Mapping[str, Floats]
    owner: Ints
    gaps: Floats | None

    def some(self, chosen: Ints | slice) -> Entries:
        """Choose entries, in the order given."""
        amounts = {name: amount[chosen] for name, amount in self.amounts.items()}
        gaps = None if self.gaps is None else self.gaps[:, chosen]
        return Entries(self.x[chosen], self.real[:, chosen], amounts, self.owner[chosen], gaps)

    def within(self, width: float) -> Entries:
        """Leave out what is too far away to matter at this bandwidth and smaller ones."""
        return self.some(self._reached(_FARTHEST, width))

    def placed(self, touched: Ints) -> Entries:
        """Give places among these rows of U, ascending, instead of places in U."""
        return replace(self, real=np.searchsorted(touched, self.real))

    def shares(self, name: str, width: float | Floats, part: slice = slice(None)) -> Floats:
        """What entries give to each of their rows of U, (k, entries), at one bandwidth or one each, (entries,)."""
        narrow = -0.5 / (width * width)
        whole = self.amounts[name][part] * np.exp(self.x[part] * narrow)
        if self.gaps is None:
            return whole[np.newaxis]
        shares = self.gaps[:, part] * narrow
        np.exp(shares, out=shares)
        shares *= whole / shares.sum(axis=0)
        return shares

    def weights(self, name: str, width: float, rows: int) -> Floats:
        """The weight of each of so many rows of U from the entries within reach of one bandwidth, shape (rows,)."""
        part = self._reached(_BEYOND, width)
        shares = self.shares(name, width, part)
        return np.bincount(self.real[:, part].ravel(), weights=shares.ravel(), minlength=rows).astype(
            np.float64, copy=False
        )

    def _reached(self, times: float, width: float) -> slice:
        return slice(int(np.searchsorted(self.x, times * width * width, side="right")))


def near_entries(rows: SyntheticRows, unique: Floats, lonely: Floats) -> Entries:
    """Entries of near3, near12, lone6 and lone25; `unique` is μ and `lonely` μλ^3 of each row of U."""
    squares = relative_squares(rows.distances)
    plain, lone = (rows.times * (rows.nearest * factor[rows.real]).sum(axis=1) for factor in (unique, lonely))
    amounts = {name: lone if name.startswith("lone") else plain for name in NEAR}
    x = squares[:, 0]
    found = Entries(x, rows.real.T, amounts, np.arange(len(x)), (squares - x[:, np.newaxis]).T)
    return found.some(np.argsort(x, kind="stable"))


def drop_entries(rows: SyntheticRows, lonely: Floats) -> Entries:
    """Entries of drop6 and drop25, one for each pair of a searched row and a real row."""
    pairs = rows.dropped
    amounts = dict.fromkeys(DROP, pairs.share * lonely[pairs.real] * pairs.times[pairs.entry])
    found = Entries(pairs.ratio[pairs.entry], pairs.real[np.newaxis], amounts, pairs.entry, None)
    return found.some(np.argsort(found.x, kind="stable"))


@dataclass(frozen=True)
class ByOwner:
    """Where the entries or pairs of each row are, in an array ordered by their owners."""

    starts: Ints
    numbers: Ints

    @classmethod
    def of(cls, owner: Ints, owners: int) -> ByOwner:
        """Look up `owner`, ascending."""
        numbers = np.bincount(owner, minlength=owners)
        return cls(np.cumsum(numbers) - numbers, numbers)

    def find(self, wanted: Ints) -> tuple[Ints, Ints]:
        """The places of all that belongs to the wanted owners, and the position in `wanted` of each one's owner."""
        numbers = self.numbers[wanted]
        position = np.repeat(np.arange(len(wanted)), numbers)
        within = np.arange(len(position)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        return self.starts[wanted][position] + within, position


@dataclass(frozen=True)
class Pairs:
    """Weights without a bandwidth (eq1, eq2, eqL, share, logr) by entry, ascending, and row of U.

    `entry` and `real`, (pairs,), `values`, (pairs, 5).
    """

    entry: Ints
    real: Ints
    values: Floats


def plain_pairs(rows: SyntheticRows, unique: Floats, lonely: Floats) -> Pairs:
    """Pairs of rows that count once each."""
    equal, nearest = rows.equal, rows.nearest
    one = equal.columns <= 1
    number_one, number = (
        np.maximum(np.bincount(equal.entry[some], minlength=len(rows.times)), 1) for some in (one, equal.columns <= 2)
    )
    eq1, eq2 = one / number_one[equal.entry], 1 / number[equal.entry]
    entry, place = np.nonzero(nearest)
    share = nearest[entry, place]
    closeness = log_closeness(np.sqrt(relative_squares(rows.distances)[:, 0]))[entry]
    by_equality, by_distance = np.zeros((len(equal.entry), 5)), np.zeros((len(entry), 5))
    by_equality[:, :3] = np.stack([eq1, eq2, eq2], axis=1) * np.stack([unique, unique, lonely], axis=1)[equal.real]
    by_distance[:, 3:] = np.stack([share, share * closeness], axis=1)
    owner = np.concatenate((equal.entry, entry))
    order = np.argsort(owner, kind="stable")
    real = np.concatenate((equal.real, rows.real[entry, place]))
    return Pairs(owner[order], real[order], np.concatenate((by_equality, by_distance))[order])


@dataclass(frozen=True)
class Owned:
    """Whose the touched rows of U are: for each occurrence of one, its place among them and its permuted person."""

    row: Ints
    person: Ints
    rows: int
    persons: int

    @classmethod
    def of(cls, persons: Persons, place: Ints, touched: Ints) -> Owned:
        """`place`, shape (occurrences,): the row of U of each; `touched`: rows of U, ascending."""
        where = np.minimum(np.searchsorted(touched, place), max(len(touched) - 1, 0))
        mine = np.flatnonzero(persons.moves & (touched[where] == place))
        return cls(where[mine], persons.place[mine], len(touched), len(persons.permuted))

    def summed(self, each: Floats, rows: Ints | slice = slice(None)) -> Floats:
        """Sum weights of some touched rows, (weights, rows), over each person: (weights, persons)."""
        every = np.zeros((len(each), self.rows))
        every[:, rows] = each
        return np.stack([np.bincount(self.person, weights=own[self.row], minlength=self.persons) for own in every])
