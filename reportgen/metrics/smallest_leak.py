"""Smallest leak: how many planted near copies leak_test would have noticed in this run (the detectable control).

Under random labelings of the real rows taken as the truth, so that a leak that is already there is noise, k near copies
(0.05 sd) of rows that the labeling calls original are added to the synthetic rows, for k = 4, 6, 9, … times 1.5. The
smallest k at which leak_test finds the leak (p <= .05, 299 permutations) in 80 % of 100 draws is interpolated in ln k.
Planted rows were searched once (`PlantedRows`); what changes with them is computed anew for every draw: bandwidths,
the six weights that depend on these, and the sums of the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints, PlantedRows, RealRows, SyntheticRows
from reportgen.metrics.leak_test import FAMILIES, LEVEL
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
)
from reportgen.metrics.permutation import DECIMALS, combine, labelings, on_grid

POWER = 0.8
DRAWS = 100
PERMUTATIONS = 299
FEWEST = 4
FACTOR = 1.5
_NEGLIGIBLE = 1e-7
"""A row of U with less than this part of a weight's largest value is left out of it."""
_FARTHEST = 40.0
"""x beyond 40 h^2 weigh less than e^-20."""
_SURE_ROWS = 100
"""From so many synthetic rows on, planting more can only make the bandwidths smaller."""


@dataclass(frozen=True)
class SmallestLeak:
    """`rows`: the smallest number of planted near copies found with the power asked for; None where none was.

    `curve`: the share (0-1) of draws in which so many planted rows were found, ascending; `draws` of them each.
    """

    rows: float | None
    curve: tuple[tuple[int, float], ...]
    draws: int


@dataclass(frozen=True)
class _Near:
    """Entries with their closest rows: (d_i/d_k)^2 and rows of U, both (entries, k), λ^3 of the closest row."""

    squares: Floats
    real: Ints
    lonely: Floats
    times: Ints

    def some(self, chosen: Ints | NDArray[np.bool_]) -> _Near:
        return _Near(self.squares[chosen], self.real[chosen], self.lonely[chosen], self.times[chosen])


@dataclass(frozen=True)
class _Pairs:
    """Weights of rows of U by entry, each (pairs,) but `values`, (pairs, weights)."""

    entry: Ints
    real: Ints
    values: Floats


def smallest_leak(
    real: RealRows,
    synthetic: SyntheticRows,
    planted: PlantedRows,
    random: np.random.Generator,
    draws: int = DRAWS,
    permutations: int = PERMUTATIONS,
) -> SmallestLeak:
    """Plant more and more near copies until the test finds them often enough. `draws` at most permutations + 1."""
    trial = _Trial(real, synthetic, planted, random, permutations)
    orders = [random.permutation(np.flatnonzero(trial.member[draw])) for draw in range(draws)]
    searched = random.random((draws, len(planted.copied))) < synthetic.dropped.times.sum() / synthetic.rows
    curve: list[tuple[int, float]] = []
    for rows in _ladder(min(len(order) for order in orders)):
        found = [
            trial.p_value(order[:rows], order[:rows][searched[draw, order[:rows]]], draw) <= LEVEL
            for draw, order in enumerate(orders)
        ]
        curve.append((rows, sum(found) / draws))
        if curve[-1][1] >= POWER:
            return SmallestLeak(_interpolated(curve), tuple(curve), draws)
    return SmallestLeak(None, tuple(curve), draws)


def _ladder(most: int) -> Iterator[int]:
    rows = float(FEWEST)
    while round(rows) <= most:
        yield round(rows)
        rows *= FACTOR


def _interpolated(curve: list[tuple[int, float]]) -> float:
    """The number of rows at which the last step of the curve crosses the power, straight in ln k."""
    last, power = curve[-1]
    if len(curve) == 1:
        return float(last)
    before, less = curve[-2]
    return math.exp(math.log(before) + (POWER - less) / (power - less) * (math.log(last) - math.log(before)))


class _Trial:
    """Everything that stays the same over the draws: labelings, and what the entries found.

    Rows of U are counted among those that any changing weight can reach.
    """

    def __init__(
        self,
        real: RealRows,
        synthetic: SyntheticRows,
        planted: PlantedRows,
        random: np.random.Generator,
        permutations: int,
    ) -> None:
        lonely = loneliness(real.distances) ** 3
        self.rows, self.real_rows, self.share = synthetic.rows, real.rows, real.original_rows / real.rows
        base, added = _near(synthetic, lonely), _near(planted.found, lonely)
        dropped, added_dropped = synthetic.dropped, planted.found.dropped
        self.widest = dict.fromkeys((*NEAR, *DROP), WIDEST)
        if self.rows >= _SURE_ROWS:
            self.widest = {name: bandwidth(base.squares[:, 0], most, base.times) for name, most in NEAR.items()}
            self.widest |= {name: bandwidth(dropped.ratio, most, dropped.times) for name, most in DROP.items()}
        base = base.some(base.squares[:, 0] <= _FARTHEST * max(self.widest[name] for name in NEAR) ** 2)
        self.ratio, self.times, self.added_ratio = dropped.ratio, dropped.times, added_dropped.ratio
        drops = _Pairs(dropped.entry, dropped.real, (dropped.share * lonely[dropped.real])[:, np.newaxis])
        added_drops = _Pairs(
            added_dropped.entry, added_dropped.real, (added_dropped.share * lonely[added_dropped.real])[:, np.newaxis]
        )
        plain = _plain_pairs(planted.found, lonely)
        parts = (base.real.ravel(), added.real.ravel(), drops.real, added_drops.real, plain.real)
        touched, place = np.unique(np.concatenate(parts), return_inverse=True)
        ends = np.cumsum([len(part) for part in parts])[:-1]
        near_at, added_at, drops_at, added_drops_at, plain_at = np.split(place, ends)
        self.base = _Near(base.squares, near_at.reshape(base.real.shape), base.lonely, base.times)
        self.added = _Near(added.squares, added_at.reshape(added.real.shape), added.lonely, added.times)
        self.drops = _Pairs(drops.entry, drops_at, drops.values)
        self.added_drops = _Pairs(added_drops.entry, added_drops_at, added_drops.values)
        self.plain = _Pairs(plain.entry, plain_at, plain.values)
        self.occurrences = real.occurrences[touched]
        self._label(real, np.stack(plain_weights(synthetic, lonely), axis=1), touched, planted, random, permutations)

    def _label(
        self,
        real: RealRows,
        plain: Floats,
        touched: Ints,
        planted: PlantedRows,
        random: np.random.Generator,
        permutations: int,
    ) -> None:
        """Draw the labelings; keep what they say about the touched rows and the sums of the weights without planting.

        `originals`, shape (touched rows, labelings): how many occurrences a labeling calls original. `member`, shape
        (labelings, planted rows): whether it calls the copied row original.
        """
        plain = plain / real.occurrences[:, np.newaxis]
        # Room for planted rows, so that sums with them are on the same grid.
        self.most = (real.occurrences[:, np.newaxis] * plain).sum(axis=0) + 8.0 * len(planted.copied)
        plain = on_grid(plain, self.most)
        self.plain_each = plain[touched]
        self.plain_total = (real.occurrences[:, np.newaxis] * plain).sum(axis=0)
        self.plain_squares = (real.occurrences[:, np.newaxis] * plain**2).sum(axis=0)
        starts = np.cumsum(real.occurrences) - real.occurrences
        sums, originals, member = [], [], []
        for labels in labelings(real.rows, real.original_rows, permutations + 1, random):
            per_row = np.add.reduceat(labels, starts, axis=1, dtype=np.float64)
            sums.append(per_row @ plain)
            originals.append(per_row[:, touched].T)
            member.append(labels[:, planted.copied] > 0)
        self.plain_sums, self.originals = np.concatenate(sums), np.concatenate(originals, axis=1)
        self.member = np.concatenate(member)

    def p_value(self, chosen: Ints, searched: Ints, truth: int) -> float:
        """The p-value of leak_test with these planted rows, where labeling number `truth` is the observed one.

        `searched`: those of them that are among the rows searched with columns left out.
        """
        z = np.concatenate((self._kernel_z(chosen, searched), self._plain_z(chosen)), axis=1)
        return combine(np.round(z, DECIMALS) + 0.0, list(FAMILIES.values()), truth).p_value

    def _kernel_z(self, chosen: Ints, searched: Ints) -> Floats:
        weights = np.stack([*self._near_weights(chosen), *self._drop_weights(searched)], axis=1)
        kept = np.flatnonzero((weights > _NEGLIGIBLE * weights.max(axis=0)).any(axis=1))
        occurrences = self.occurrences[kept, np.newaxis]
        each = weights[kept] / occurrences
        each = on_grid(each, (occurrences * each).sum(axis=0))
        return self._z(
            self.originals[kept].T @ each, (occurrences * each).sum(axis=0), (occurrences * each**2).sum(axis=0)
        )

    def _near_weights(self, chosen: Ints) -> Iterator[Floats]:
        added = self.added.some(chosen)
        for name, number in NEAR.items():
            x = np.concatenate((self.base.squares[:, 0], added.squares[:, 0]))
            times = np.concatenate((self.base.times, added.times))
            width = self._width(name, number, x, times, self.rows + len(chosen))
            total = np.zeros(len(self.occurrences))
            for entries in (self.base.some(self.base.squares[:, 0] <= _FARTHEST * width**2), added):
                shares = near_shares(entries.squares, width) * entries.times[:, np.newaxis]
                if name.startswith("lone"):
                    shares *= entries.lonely[:, np.newaxis]
                total += np.bincount(entries.real.ravel(), weights=shares.ravel(), minlength=len(total))
            yield total

    def _drop_weights(self, searched: Ints) -> Iterator[Floats]:
        is_searched = np.zeros(len(self.added_ratio), dtype=bool)
        if len(is_searched):
            is_searched[searched] = True
        pairs = is_searched[self.added_drops.entry]
        x = np.concatenate((self.ratio, self.added_ratio[is_searched]))
        times = np.concatenate((self.times, np.ones(int(is_searched.sum()), dtype=np.int64)))
        for name, number in DROP.items():
            width = self._width(name, number, x, times, int(times.sum()))
            own = (self.times * kernel(self.ratio, width))[self.drops.entry] * self.drops.values[:, 0]
            added = kernel(self.added_ratio, width)[self.added_drops.entry[pairs]] * self.added_drops.values[pairs, 0]
            total = np.zeros(len(self.occurrences))
            total += np.bincount(self.drops.real, weights=own, minlength=len(total))
            total += np.bincount(self.added_drops.real[pairs], weights=added, minlength=len(total))
            yield total

    def _width(self, name: str, number: int, x: Floats, times: Ints, rows: int) -> float:
        return bandwidth(x, number, times, rows=rows, widest=self.widest[name], tolerance=1e-7)

    def _plain_z(self, chosen: Ints) -> Floats:
        is_chosen = np.zeros(len(self.added.times), dtype=bool)
        is_chosen[chosen] = True
        pairs = is_chosen[self.plain.entry]
        rows, place = np.unique(self.plain.real[pairs], return_inverse=True)
        planted = np.stack(
            [np.bincount(place, weights=value, minlength=len(rows)) for value in self.plain.values[pairs].T], axis=1
        )
        occurrences, before = self.occurrences[rows, np.newaxis], self.plain_each[rows]
        more = on_grid(planted / occurrences, self.most)
        return self._z(
            self.plain_sums + self.originals[rows].T @ more,
            self.plain_total + (occurrences * more).sum(axis=0),
            self.plain_squares + (occurrences * (2 * before + more) * more).sum(axis=0),
        )

    def _z(self, sums: Floats, total: Floats, squares: Floats) -> Floats:
        """Standardise sums over original rows, (labelings, weights), from the total and squares over all real rows."""
        number = self.real_rows
        spread = squares - total**2 / number
        spread[spread <= 1e-12 * squares] = 0.0  # all real rows weigh the same, up to rounding
        sd = np.sqrt(self.share * (1 - self.share) * number / max(number - 1, 1) * spread)
        z: Floats = np.divide(sums - self.share * total, sd, out=np.zeros_like(sums), where=sd > 0)
        return z


def _near(rows: SyntheticRows, lonely: Floats) -> _Near:
    return _Near(
        relative_squares(rows.distances), rows.real, (rows.nearest * lonely[rows.real]).sum(axis=1), rows.times
    )


def _plain_pairs(rows: SyntheticRows, lonely: Floats) -> _Pairs:
    """The weights without a bandwidth (eq1, eq2, eqL, share, logr) by entry and row of U, of rows that count once."""
    equal, nearest = rows.equal, rows.nearest
    one = equal.columns <= 1
    entries = len(rows.times)
    number = [np.maximum(np.bincount(equal.entry[some], minlength=entries), 1) for some in (one, one | True)]
    eq1, eq2 = one / number[0][equal.entry], 1 / number[1][equal.entry]
    entry, place = np.nonzero(nearest)
    share = nearest[entry, place]
    closeness = log_closeness(np.sqrt(relative_squares(rows.distances)[:, 0]))
    nothing, none = np.zeros(len(equal.entry)), np.zeros((len(entry), 3))
    by_equality = np.stack([eq1, eq2, eq2 * lonely[equal.real], nothing, nothing], axis=1)
    by_distance = np.concatenate([none, np.stack([share, share * closeness[entry]], axis=1)], axis=1)
    return _Pairs(
        np.concatenate((equal.entry, entry)),
        np.concatenate((equal.real, rows.real[entry, place])),
        np.concatenate((by_equality, by_distance)),
    )
