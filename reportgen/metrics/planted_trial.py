"""leak_test with planted rows, over and over: what changes with them is computed anew, what does not is kept.

With a few planted rows more, the weights that need no bandwidth change at a few rows of U, and the six that do need one
change everywhere, but matter at few rows: those far below a weight's largest value are left out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints, PlantedRows, RealRows, SyntheticRows
from reportgen.metrics.leak_test import FAMILIES
from reportgen.metrics.leak_weights import (
    DROP,
    NEAR,
    WIDEST,
    bandwidth,
    kernel,
    log_closeness,
    loneliness,
    near_shares,
    plain_weights,
    relative_squares,
    uniqueness,
)
from reportgen.metrics.permutation import DECIMALS, combine, on_grid
from reportgen.persons import Persons, labelings

_NEGLIGIBLE = 1e-5
"""A row of U with less than this part of a weight's largest value is left out of it: no z changes by .001."""
_FARTHEST = 40.0
"""x beyond 40 h^2 weigh less than e^-20."""
_SURE_ROWS = 100
"""From so many synthetic rows on, planting more can only make the bandwidths smaller."""


@dataclass(frozen=True)
class _Entries:
    """Synthetic rows as a weight with a bandwidth sees them, (entries,) but for the last two.

    `x`: R^2 or Q; `times`: rows that each stands for; `real`, (entries, k): places of rows of U; `split`, (entries, k):
    for near weights (d_i/d_k)^2, otherwise what of an entry's weight each row gets. `factor`: μ or μλ^3, where it
    belongs to the entry.
    """

    x: Floats
    times: Ints
    factor: Floats
    real: Ints
    split: Floats

    def some(self, chosen: Ints | NDArray[np.bool_]) -> _Entries:
        return _Entries(self.x[chosen], self.times[chosen], self.factor[chosen], self.real[chosen], self.split[chosen])

    def within(self, width: float) -> _Entries:
        """Leave out what is too far away to matter at this bandwidth and smaller ones."""
        return self.some(self.x <= _FARTHEST * width * width)


class Trial:
    """Labelings of the real rows, the synthetic rows of the run, and the rows that can be planted.

    `member`, shape (labelings, planted rows): whether a labeling calls the copied row original.
    """

    def __init__(
        self,
        real: RealRows,
        synthetic: SyntheticRows,
        planted: PlantedRows,
        random: np.random.Generator,
        permutations: int,
    ) -> None:
        unique = uniqueness(real)
        lonely = unique * loneliness(real.distances, real.sampled) ** 3
        self._rows, self._persons = synthetic.rows, real.persons
        self._units = real.rows if real.persons is None else len(real.persons.permuted)
        self._share = real.original_share
        base, added = (_by_weight(found, unique, lonely) for found in (synthetic, planted.found))
        self._widest = {
            name: bandwidth(base[name].x, number, base[name].times) if self._rows >= _SURE_ROWS else WIDEST
            for name, number in (NEAR | DROP).items()
        }
        base = {name: entries.within(self._widest[name]) for name, entries in base.items()}
        plain = _plain_pairs(planted.found, unique, lonely)
        # Only rows of U that a changing weight can reach are looked at; they are counted among themselves.
        touched = np.unique(
            np.concatenate([plain.real, *(each.real.ravel() for each in (*base.values(), *added.values()))])
        )
        self._base = {name: _placed(entries, touched) for name, entries in base.items()}
        self._added = {name: _placed(entries, touched) for name, entries in added.items()}
        self._plain = _Pairs(plain.entry, np.searchsorted(touched, plain.real), plain.values)
        self._occurrences = real.occurrences[touched]
        self._owned = None if real.persons is None else _Owned.of(real.persons, real.place, touched)
        weights = np.stack(plain_weights(synthetic, unique, lonely), axis=1)
        self._label(real, weights, touched, planted, random, permutations)

    def _label(
        self,
        real: RealRows,
        plain: Floats,
        touched: Ints,
        planted: PlantedRows,
        random: np.random.Generator,
        permutations: int,
    ) -> None:
        """Draw the labelings; keep what they say of the touched rows, and the sums of the weights without planting."""
        occurrences = real.occurrences[:, np.newaxis]
        # Room for what planted rows add, so that sums with them are on the same grid.
        self._most = plain.sum(axis=0) + 8.0 * len(planted.copied)
        plain = on_grid(plain / occurrences, self._most)
        if self._persons is None:
            self._plain_each, often, each = plain[touched], occurrences, plain
        else:
            each = self._plain_each = self._persons.summed(plain[real.place])
            often = np.ones((len(each), 1), dtype=np.int64)
        self._plain_total = (often * each).sum(axis=0)
        self._plain_squares = (often * each**2).sum(axis=0)
        starts = np.cumsum(real.occurrences) - real.occurrences
        labelled = real.original_rows if self._persons is None else int(self._persons.labels.sum())
        sums, originals, member = [], [], []
        for drawn in labelings(self._units, labelled, permutations + 1, random):
            labels = drawn if self._persons is None else drawn[:, self._persons.place] * self._persons.moves
            by_row = np.add.reduceat(labels, starts, axis=1, dtype=np.float64)
            sums.append(by_row @ plain)
            originals.append(by_row[:, touched].T)
            member.append(labels[:, planted.copied] > 0)
        self._plain_sums = np.concatenate(sums)
        self._originals = np.ascontiguousarray(np.concatenate(originals, axis=1))
        self.member = np.concatenate(member)

    def p_value(self, chosen: Ints, searched: NDArray[np.bool_], truth: int) -> float:
        """The p-value of leak_test with these planted rows, where labeling number `truth` is the observed one.

        `searched`: which of them are among the rows searched with columns left out.
        """
        return combine(self.z_scores(chosen, searched), list(FAMILIES.values()), truth).p_value

    def z_scores(self, chosen: Ints, searched: NDArray[np.bool_]) -> Floats:
        """Z of the eleven weights under every labeling, shape (labelings, 11)."""
        weights = np.stack([*self._near_weights(chosen), *self._drop_weights(chosen[searched])], axis=1)
        z = np.concatenate((self._kernel_z(weights), self._plain_z(chosen)), axis=1)
        return np.round(z, DECIMALS) + 0.0

    def _near_weights(self, chosen: Ints) -> Iterator[Floats]:
        for name, number in NEAR.items():
            base, added = self._base[name], self._added[name].some(chosen)
            width = self._width(name, number, base, added, self._rows + len(chosen))
            total = np.zeros(len(self._occurrences))
            for entries in (base, added):
                shares = near_shares(entries.split, width) * (entries.times * entries.factor)[:, np.newaxis]
                total += np.bincount(entries.real.ravel(), weights=shares.ravel(), minlength=len(total))
            yield total

    def _drop_weights(self, chosen: Ints) -> Iterator[Floats]:
        for name, number in DROP.items():
            base, added = self._base[name], self._added[name]
            added = added.some(chosen) if len(added.x) else added
            width = self._width(name, number, base, added, self._rows + len(chosen))
            total = np.zeros(len(self._occurrences))
            for entries in (base, added):
                shares = entries.split * (entries.times * kernel(entries.x, width))[:, np.newaxis]
                total += np.bincount(entries.real.ravel(), weights=shares.ravel(), minlength=len(total))
            yield total

    def _width(self, name: str, number: int, base: _Entries, added: _Entries, rows: int) -> float:
        x, times = np.concatenate((base.x, added.x)), np.concatenate((base.times, added.times))
        return bandwidth(x, number, times, rows=rows, widest=self._widest[name], tolerance=1e-7)

    def _kernel_z(self, weights: Floats) -> Floats:
        heavy = (weights > _NEGLIGIBLE * weights.max(axis=0)).any(axis=1)
        # Gathering rows costs as much as multiplying four times as many.
        kept = np.flatnonzero(heavy) if 4 * heavy.sum() < len(heavy) else slice(None)
        often = self._occurrences[kept, np.newaxis]
        each = on_grid(weights[kept] / often, weights[kept].sum(axis=0))
        sums = (each.T @ self._originals[kept]).T
        if self._owned is not None:
            often, each = np.ones((1, 1), dtype=np.int64), self._owned.summed(each, kept)
        return self._standardised(sums, (often * each).sum(axis=0), (often * each**2).sum(axis=0))

    def _plain_z(self, chosen: Ints) -> Floats:
        is_chosen = np.zeros(self.member.shape[1], dtype=bool)
        is_chosen[chosen] = True
        pairs = is_chosen[self._plain.entry]
        rows, place = np.unique(self._plain.real[pairs], return_inverse=True)
        planted = np.stack(
            [np.bincount(place, weights=value, minlength=len(rows)) for value in self._plain.values[pairs].T], axis=1
        )
        often = self._occurrences[rows, np.newaxis]
        more = on_grid(planted / often, self._most)
        sums = self._plain_sums + (more.T @ self._originals[rows]).T
        if self._owned is None:
            before = self._plain_each[rows]
        else:
            often, before, more = np.ones((1, 1), dtype=np.int64), self._plain_each, self._owned.summed(more, rows)
        return self._standardised(
            sums,
            self._plain_total + (often * more).sum(axis=0),
            self._plain_squares + (often * (2 * before + more) * more).sum(axis=0),
        )

    def _standardised(self, sums: Floats, total: Floats, squares: Floats) -> Floats:
        """Z of sums over original rows, (labelings, weights), from the total and squares over all real rows.

        With persons the squares are those of the persons' sums.
        """
        number = self._units
        spread = squares - total**2 / number
        spread[spread <= 1e-12 * squares] = 0.0  # all real rows weigh the same, up to rounding
        sd = np.sqrt(self._share * (1 - self._share) * number / max(number - 1, 1) * spread)
        z: Floats = np.divide(sums - self._share * total, sd, out=np.zeros_like(sums), where=sd > 0)
        return z


@dataclass(frozen=True)
class _Owned:
    """Whose the touched rows of U are: for each occurrence of one, its place among them and its permuted person."""

    row: Ints
    person: Ints
    rows: int
    persons: int

    @classmethod
    def of(cls, persons: Persons, place: Ints, touched: Ints) -> _Owned:
        where = np.minimum(np.searchsorted(touched, place), max(len(touched) - 1, 0))
        mine = np.flatnonzero(persons.moves & (touched[where] == place))
        return cls(where[mine], persons.place[mine], len(touched), len(persons.permuted))

    def summed(self, each: Floats, rows: Ints | slice) -> Floats:
        """Sum weights of some touched rows, (rows, weights), over each person."""
        every = np.zeros((self.rows, each.shape[1]))
        every[rows] = each
        return np.stack(
            [np.bincount(self.person, weights=own, minlength=self.persons) for own in every[self.row].T], axis=1
        )


@dataclass(frozen=True)
class _Pairs:
    """Weights without a bandwidth (eq1, eq2, eqL, share, logr) by entry and row of U: (pairs,), values (pairs, 5)."""

    entry: Ints
    real: Ints
    values: Floats


def _placed(entries: _Entries, touched: Ints) -> _Entries:
    return _Entries(entries.x, entries.times, entries.factor, np.searchsorted(touched, entries.real), entries.split)


def _by_weight(rows: SyntheticRows, unique: Floats, lonely: Floats) -> dict[str, _Entries]:
    near = {name: _near(rows, lonely if name.startswith("lone") else unique) for name in NEAR}
    return near | dict.fromkeys(DROP, _dropped(rows, lonely))


def _near(rows: SyntheticRows, factor: Floats) -> _Entries:
    squares = relative_squares(rows.distances)
    return _Entries(squares[:, 0], rows.times, (rows.nearest * factor[rows.real]).sum(axis=1), rows.real, squares)


def _dropped(rows: SyntheticRows, lonely: Floats) -> _Entries:
    """The search with columns left out, its pairs as a table of as many places as the entry with most pairs has."""
    found = rows.dropped
    order = np.argsort(found.entry, kind="stable")
    entry = found.entry[order]
    number = np.bincount(entry, minlength=len(found.times))
    place = np.arange(len(entry)) - np.repeat(np.cumsum(number) - number, number)
    real = np.zeros((len(found.times), int(number.max(initial=0))), dtype=np.int64)
    split = np.zeros(real.shape)
    real[entry, place] = found.real[order]
    split[entry, place] = (found.share * lonely[found.real])[order]
    return _Entries(found.ratio, found.times, np.ones(len(found.times)), real, split)


def _plain_pairs(rows: SyntheticRows, unique: Floats, lonely: Floats) -> _Pairs:
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
    return _Pairs(
        np.concatenate((equal.entry, entry)),
        np.concatenate((equal.real, rows.real[entry, place])),
        np.concatenate((by_equality, by_distance)),
    )
