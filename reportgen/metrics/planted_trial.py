"""leak_test with planted rows, over and over: what changes with them is computed anew, what does not is kept.

With a few planted rows more, the weights that need no bandwidth change at a few rows of U, and the six that do need one
change everywhere, but matter at few rows: those far below a weight's largest value are left out of it. Several leaks
are tested at a time, so that the labels of a row are read once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints, PlantedRows, RealRows, SyntheticRows
from reportgen.metrics.kernel_sums import KernelSums, bandwidths
from reportgen.metrics.leak_test import FAMILIES
from reportgen.metrics.leak_weights import (
    DROP,
    NEAR,
    WIDEST,
    bandwidth,
    factors,
    plain_weights,
    relative_squares,
)
from reportgen.metrics.permutation import DECIMALS, grids, on_grid, p_value, places_of, spent
from reportgen.metrics.planted_entries import ByOwner, Owned, drop_entries, near_entries, plain_pairs
from reportgen.persons import labelings
from reportgen.spread import Load

_NEGLIGIBLE = 1e-5
"""A row of U with less than this part of a weight's largest value is left out of it: no z changes by .001."""
_SURE_ROWS = 100
"""From so many synthetic rows on, planting more can only make the bandwidths smaller."""
_CELLS = 1 << 21
"""Most weights held at once, 16 MB."""
_SUM = 0.2
"""Nanoseconds to multiply a weight with a label and add it, with what else a draw takes."""
KERNELS = NEAR | DROP


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
        rows = np.arange(len(real.occurrences))
        if real.persons is None:  # all other rows of U weigh nothing
            rows = np.union1d(synthetic.pointed_at, planted.found.pointed_at)
        unique, lonely = factors(real, rows)
        synthetic, planted = synthetic.among(rows), replace(planted, found=planted.found.among(rows))
        self._rows, self._persons = synthetic.rows, real.persons
        self._units = real.rows if real.persons is None else len(real.persons.permuted)
        self._share = real.original_share
        near, more_near = (near_entries(found, unique, lonely) for found in (synthetic, planted.found))
        drop, more_drop = (drop_entries(found, lonely) for found in (synthetic, planted.found))
        x, times = _ratios(synthetic)
        self._widest = {
            name: bandwidth(x[name], number, times[name]) if self._rows >= _SURE_ROWS else WIDEST
            for name, number in KERNELS.items()
        }
        self._sums = {
            names: KernelSums(x[names[0]], times[names[0]], max(self._widest[name] for name in names))
            for names in (tuple(NEAR), tuple(DROP))
        }
        self._added_x = _ratios(planted.found)[0]
        near, drop = (
            entries.within(max(self._widest[name] for name in names)) for entries, names in ((near, NEAR), (drop, DROP))
        )
        plain = plain_pairs(planted.found, unique, lonely)
        # Only rows of U that a changing weight can reach are looked at; they are counted among themselves.
        reached = [each.real.ravel() for each in (near, drop, more_near, more_drop)]
        touched = np.unique(np.concatenate([plain.real, *reached]))
        near, drop = near.placed(touched), drop.placed(touched)
        self._base = {name: (near if name in NEAR else drop).within(self._widest[name]) for name in KERNELS}
        self._near = more_near.some(np.argsort(more_near.owner)).placed(touched)
        self._drop = more_drop.some(np.argsort(more_drop.owner, kind="stable")).placed(touched)
        self._drops = ByOwner.of(self._drop.owner, len(planted.copied))
        self._plain = ByOwner.of(plain.entry, len(planted.copied))
        self._plain_real, self._plain_values = np.searchsorted(touched, plain.real), plain.values
        self._occurrences = real.occurrences[rows][touched]
        self._owned = None if real.persons is None else Owned.of(real.persons, real.place, touched)
        weights = np.stack(plain_weights(synthetic, unique, lonely), axis=1)
        self._label(real, rows, weights, touched, planted, random, permutations)

    def _label(
        self,
        real: RealRows,
        rows: Ints,
        plain: Floats,
        touched: Ints,
        planted: PlantedRows,
        random: np.random.Generator,
        permutations: int,
    ) -> None:
        """Draw the labelings; keep what they say of the touched rows, and the sums of the weights without planting.

        `plain`, (rows, weights), of `rows` of U; `touched`: places among these.
        """
        occurrences = real.occurrences[rows, np.newaxis]
        # Room for what planted rows add, so that sums with them are on the same grid.
        self._most = plain.sum(axis=0) + 8.0 * len(planted.copied)
        plain = on_grid(plain / occurrences, self._most)
        if self._persons is None:
            each, often = plain, occurrences
            self._plain_each = plain[touched].T
        else:
            each = self._persons.summed(plain[real.place])
            often = np.ones((len(each), 1), dtype=np.int64)
            self._plain_each = each.T
        self._plain_total = (often * each).sum(axis=0)
        self._plain_squares = (often * each**2).sum(axis=0)
        starts, places = (np.cumsum(occurrences) - occurrences[:, 0]), places_of(real, rows)
        labelled = real.original_rows if self._persons is None else int(self._persons.labels.sum())
        sums: list[Floats] = []
        member = []
        done = 0
        # The largest array of the test: filled as it is drawn, not put together from parts.
        self._originals = np.empty((len(touched), permutations + 1))
        for drawn in labelings(self._units, labelled, permutations + 1, random):
            labels = drawn if self._persons is None else drawn[:, self._persons.place] * self._persons.moves
            by_row = np.add.reduceat(labels[:, places], starts, axis=1, dtype=np.float64)
            sums.append(by_row @ plain)
            self._originals[:, done : done + len(drawn)] = by_row[:, touched].T
            done += len(drawn)
            member.append(labels[:, planted.copied] > 0)
        self._plain_sums = np.concatenate(sums).T
        self.member = np.concatenate(member)

    def load(self, draws: int) -> Load:
        """What it takes to test so many draws, and what would travel."""
        counts, entries = self._originals.size, self._rows + self.member.shape[1]
        tasks = -(-draws // self.at_once)
        return Load("permutations", _SUM * draws * len(KERNELS) * counts, counts + 500.0 * entries, tasks)

    def __getstate__(self) -> dict[str, Any]:
        """What a test needs travels; counts as small as they are."""
        small = np.min_scalar_type(int(self._originals.max(initial=0)))
        unneeded = {"_persons": None, "member": self.member[:0]}
        return self.__dict__ | unneeded | {"_originals": self._originals.astype(small)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._originals = self._originals.astype(np.float64)

    @property
    def at_once(self) -> int:
        """How many leaks can be tested at a time."""
        return max(1, _CELLS // (len(KERNELS) * max(len(self._occurrences), 1)))

    def p_values(self, chosen: Ints, searched: NDArray[np.bool_], truths: Sequence[int]) -> list[float]:
        """The p-values of leak_test with planted rows, where labelings number `truths` are the observed ones.

        `chosen`, (leaks, k): the planted rows of each leak, all different. `searched`, (leaks, k): which of them are
        among the rows searched with columns left out. No answer depends on the other leaks.
        """
        z = self.z_scores(chosen, searched)
        statistics = np.stack([z[:, columns].max(axis=1) for columns, _ in FAMILIES.values()], axis=1)
        shares = [share for _, share in FAMILIES.values()]
        return [p_value(spent(own, shares), truth) for own, truth in zip(statistics, truths, strict=True)]

    def z_scores(self, chosen: Ints, searched: NDArray[np.bool_]) -> Floats:
        """Z of the eleven weights under every labeling, shape (leaks, 11, labelings)."""
        z = np.concatenate((self._kernel_z(chosen, searched), self._plain_z(chosen)), axis=1)
        return np.round(z, DECIMALS) + 0.0

    def _kernel_weights(self, chosen: Ints, searched: NDArray[np.bool_]) -> Floats:
        """The six weights with a bandwidth at each touched row, shape (leaks, 6, touched rows)."""
        (leaks, number), rows = chosen.shape, len(self._occurrences)
        width = np.concatenate([self._widths(names, chosen, searched) for names in self._sums])
        total = np.empty((leaks, len(KERNELS), rows))
        for place, (name, base) in enumerate(self._base.items()):
            for one in range(leaks):
                total[one, place] = base.weights(name, width[place, one], rows)
        flat = total.reshape(-1)
        by_owner, position = self._drops.find(chosen[searched])
        near = self._near.some(chosen.ravel()), np.repeat(np.arange(leaks), number)
        drop = self._drop.some(by_owner), np.nonzero(searched)[0][position]
        for place, name in enumerate(KERNELS):
            entries, leak = near if name in NEAR else drop
            shares = entries.shares(name, width[place, leak])
            np.add.at(flat, (leak * len(KERNELS) + place) * rows + entries.real, shares)
        return total

    def _widths(self, names: tuple[str, ...], chosen: Ints, searched: NDArray[np.bool_]) -> Floats:
        """Bandwidths of some weights, (weights, leaks)."""
        x = self._added_x[names[0]]
        added = x[chosen] if len(x) else np.zeros((len(chosen), 0))
        if names[0] in DROP and len(x):
            added = np.where(searched, added, 0.0)  # an x of 0 takes no part in the sum
        rows = self._rows + chosen.shape[1]
        targets, widest = (
            np.repeat([value(name) for name in names], len(chosen))
            for value in (lambda name: min(KERNELS[name], rows / 2), self._widest.__getitem__)
        )
        found = bandwidths(self._sums[names], np.tile(added, (len(names), 1)), targets, widest)
        return found.reshape(len(names), len(chosen))

    def _kernel_z(self, chosen: Ints, searched: NDArray[np.bool_]) -> Floats:
        weights = self._kernel_weights(chosen, searched)
        often = self._occurrences
        kept = np.zeros(len(often), dtype=bool)
        total, squares = np.empty((2, *weights.shape[:2]))
        for leak in range(len(weights)):
            own = weights[leak]
            heavy = (own > _NEGLIGIBLE * own.max(axis=1, keepdims=True)).any(axis=0)
            if 4 * heavy.sum() < len(heavy):
                own[:, ~heavy] = 0.0
                kept |= heavy
            else:  # to gather rows costs as much as to multiply four times as many
                kept[:] = True
            steps = grids(own.sum(axis=1))[:, np.newaxis]
            own /= often
            np.rint(np.divide(own, steps, out=own), out=own)
            own *= steps
            each, times = (own, often) if self._owned is None else (self._owned.summed(own), 1)
            total[leak], squares[leak] = (times * each).sum(axis=1), (times * each**2).sum(axis=1)
        originals = self._originals
        if 4 * kept.sum() < len(kept):
            weights, originals = weights[:, :, kept], originals[kept]
        sums = weights.reshape(-1, weights.shape[2]) @ originals
        return self._standardised(sums.reshape(*total.shape, -1), total, squares)

    def _plain_z(self, chosen: Ints) -> Floats:
        leaks, number = chosen.shape
        place, planted = self._plain.find(chosen.ravel())
        keys = (planted // number) * len(self._occurrences) + self._plain_real[place]
        different, where = np.unique(keys, return_inverse=True)
        leak, row = np.divmod(different, len(self._occurrences))
        added = np.stack(
            [np.bincount(where, weights=value, minlength=len(row)) for value in self._plain_values[place].T], axis=1
        )
        more = on_grid(added / self._occurrences[row, np.newaxis], self._most).T
        ends = np.searchsorted(leak, np.arange(leaks + 1))
        sums = np.tile(self._plain_sums, (leaks, 1, 1))
        total, squares = np.tile(self._plain_total, (leaks, 1)), np.tile(self._plain_squares, (leaks, 1))
        for one in range(leaks):
            part = slice(ends[one], ends[one + 1])
            own, rows = more[:, part], row[part]
            sums[one] += own @ self._originals[rows]
            if self._owned is None:
                often, before = self._occurrences[rows], self._plain_each[:, rows]
            else:
                often, before, own = np.ones(1, dtype=np.int64), self._plain_each, self._owned.summed(own, rows)
            total[one] += (often * own).sum(axis=1)
            squares[one] += (often * (2 * before + own) * own).sum(axis=1)
        return self._standardised(sums, total, squares)

    def _standardised(self, sums: Floats, total: Floats, squares: Floats) -> Floats:
        """Z of sums over original rows, (leaks, weights, labelings), from the total and squares over all real rows.

        With persons the squares are those of the persons' sums.
        """
        number = self._units
        spread = squares - total**2 / number
        spread[spread <= 1e-12 * squares] = 0.0  # all real rows weigh the same, up to rounding
        sd = np.sqrt(self._share * (1 - self._share) * number / max(number - 1, 1) * spread)[..., np.newaxis]
        sums -= self._share * total[..., np.newaxis]
        z: Floats = np.divide(sums, sd, out=np.zeros_like(sums), where=sd > 0)
        return z


def tested(trial: Trial, chosen: Ints, searched: NDArray[np.bool_], truths: Sequence[int]) -> list[float]:
    """The p-values of some leaks, as `Trial.p_values`."""
    return trial.p_values(chosen, searched, truths)


def _ratios(rows: SyntheticRows) -> tuple[dict[str, Floats], dict[str, Ints]]:
    """By weight the x of each row, R^2 or Q, and how many rows each stands for."""
    near, drop = relative_squares(rows.distances)[:, 0], rows.dropped
    return (
        dict.fromkeys(NEAR, near) | dict.fromkeys(DROP, drop.ratio),
        dict.fromkeys(NEAR, rows.times) | dict.fromkeys(DROP, drop.times),
    )
