"""Permutation tests of original against holdout rows on weights that don't know these labels.

Exact for duplicates, ties and hubs, and for any sizes: under the null every labeling of the real rows is as likely.
With persons (`--group`) every labeling of these is: what is summed and permuted are their rows together, A_j.
Sums over labelings are exact in float64, in any order (see `representable`), so that no p-value depends on the number
of threads or on the processor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from reportgen.blas import one_thread
from reportgen.distances import Floats, Ints, RealRows
from reportgen.persons import labelings, labelings_at_once, person_labelings
from reportgen.spread import Labels, Load, spread

DECIMALS = 4
"""Digits of a z: rounding errors of equal sums must not break a tie between labelings."""
_SUM = 0.4
"""Nanoseconds to add a weight to a sum."""
_BLOCK = 1 << 16
"""Rows of U summed at once."""
_TOGETHER = 8
"""Blocks of labelings that are summed together: a worker takes as long to be asked as to sum one."""


@dataclass(frozen=True)
class Combined:
    """The combination of families of statistics into one p-value.

    `families` holds p_f and `statistics` the largest z of each family, in their order; `leading` is the position of the
    family with the smallest p_f/share_f. `p_value` is the share of labelings, the observed one included, that look
    at least as extreme as the observed one.
    """

    p_value: float
    families: tuple[float, ...]
    statistics: tuple[float, ...]
    leading: int


def z_scores(
    real: RealRows, weights: Floats, permutations: int, random: np.random.Generator, rows: Ints | None = None
) -> Floats:
    """Standardise each weight's sum over the original rows, under the observed labeling (first) and permuted ones.

    Returns shape (permutations + 1, weights). `weights`, shape (rows, weights), at least 0; each occurrence of a row of
    U carries W_u/c_u. `rows`: the rows of U that they are of, ascending, all others weigh nothing; None for all.
    """
    rows = np.arange(len(real.occurrences)) if rows is None else rows
    occurrences, originals = real.occurrences[rows], real.originals[rows]
    each = representable(weights / occurrences[:, np.newaxis], occurrences)
    if real.persons is not None:
        # A row of U that occurs for several persons counts for each of them as often as it is theirs.
        each, rows = spread_out(each, rows, len(real.occurrences)), np.arange(len(real.occurrences))
        by_unit = real.persons.summed(each[real.place])
        sums = [real.persons.labels[np.newaxis].astype(np.float64) @ by_unit]
        drawn = person_labelings(real.persons, permutations, random)
    else:
        by_unit = np.repeat(each, occurrences, axis=0)
        sums = [originals[np.newaxis].astype(np.float64) @ each]
        places = places_of(real, rows)
        drawn = (labels[:, places] for labels in labelings(real.rows, real.original_rows, permutations, random))
    # Drawn here, in the order of the stream; whoever sums, the sums are exact.
    units = real.rows if real.persons is None else len(by_unit)
    number = -(-permutations // (_TOGETHER * labelings_at_once(units)))
    travelling = permutations * len(by_unit) / 8 + by_unit.nbytes
    load = Load("permutations", _SUM * permutations * by_unit.size, travelling, number)
    labels = (Labels(block) for block in drawn)
    with one_thread(), spread(load) as each_block:
        sums.extend(each_block(_sums, iter(lambda: tuple(islice(labels, _TOGETHER)), ()), by_unit, number=number))
    return standardised(np.concatenate(sums), each, real, rows)


def _sums(by_unit: Floats, *labels: Labels) -> Floats:
    """Sum the weights of rows, or persons, over those labelled original: (labelings, weights)."""
    return np.concatenate([block.values.astype(np.float64) @ by_unit for block in labels])


def places_of(real: RealRows, rows: Ints) -> Ints | slice:
    """The places of the occurrences of some rows of U, ascending, among those of all, row by row."""
    if len(rows) == len(real.occurrences):
        return slice(None)
    often = real.occurrences[rows]
    starts = (np.cumsum(real.occurrences) - real.occurrences)[rows]
    within = np.arange(often.sum()) - np.repeat(np.cumsum(often) - often, often)
    places: Ints = np.repeat(starts, often) + within
    return places


def spread_out(values: Floats, rows: Ints, number: int) -> Floats:
    """Give values of some rows of U, (rows, …), the places of these among so many; 0 in all others."""
    everywhere = np.zeros((number, *values.shape[1:]))
    everywhere[rows] = values
    return everywhere


def standardised(sums: Floats, each: Floats, real: RealRows, rows: Ints | None = None) -> Floats:
    """Turn sums over original rows, (labelings, weights), into z, rounded; 0 where all real rows weigh the same.

    `each`, shape (rows, weights): the weight of one occurrence. The variance is that of sums over n_T rows drawn from
    the N without replacement, q(1-q) N/(N-1) Σ(A - mean)^2; with persons, of persons drawn from all of them. `rows`:
    see `z_scores`; with persons they are all of U.
    """
    mean, sd = moments(each, real, rows)
    originals = real.original_rows if real.persons is None else int(real.persons.labels.sum())
    z: Floats = np.divide(sums - originals * mean, sd, out=np.zeros_like(sums), where=sd > 0)
    return np.round(z, DECIMALS) + 0.0


def moments(each: Floats, real: RealRows, rows: Ints | None = None) -> tuple[Floats, Floats]:
    """Return the mean weight of a real row and the sd of its sum over a random labeling, both (weights,).

    With persons: the mean weight of a person whose label is permuted, and the sd of the sum over such persons. `each`
    and `rows`: see `standardised`.
    """
    if real.persons is not None:
        by_person = real.persons.summed(each[real.place])
        return _moments_of(by_person, np.ones(len(by_person), dtype=np.int64), len(by_person), real.original_share)
    return _moments_of(each, real.occurrences, real.rows, real.original_rows / real.rows, rows)


def _moments_of(
    each: Floats, often: Ints, number: int, share: float, rows: Ints | None = None
) -> tuple[Floats, Floats]:
    if not number:  # every person has rows on both sides: there is nothing to exchange
        return np.zeros(each.shape[1]), np.zeros(each.shape[1])
    lowest = each.min(axis=0)
    if rows is None or len(rows) == len(often):
        mean = (often[:, np.newaxis] * each).sum(axis=0) / number
        # Summed in a fixed order; only the sums of `representable` weights may be left to a matrix product.
        squares = (often[:, np.newaxis] * (each - mean) ** 2).sum(axis=0)
    else:
        mean = (often[rows, np.newaxis] * each).sum(axis=0) / number
        squares = _squares(each, often, mean, rows)
        lowest = np.minimum(lowest, 0.0)
    squares[each.max(axis=0) == lowest] = 0.0
    sd: Floats = np.sqrt(share * (1 - share) * number / max(number - 1, 1) * squares)
    return mean, sd


def _squares(each: Floats, often: Ints, mean: Floats, rows: Ints) -> Floats:
    """Add up often (each - mean)^2 over all rows of U, of which `rows` have a weight, in the order of a sum over all.

    numpy adds the rows of an array of several columns one after the other, so that blocks may follow each other.
    """
    total = np.zeros((1, each.shape[1]))
    for start in range(0, len(often), _BLOCK):
        block = often[start : start + _BLOCK, np.newaxis]
        first, last = np.searchsorted(rows, (start, start + _BLOCK))
        away = spread_out(each[first:last], rows[first:last] - start, len(block)) - mean
        total = np.concatenate((total, block * away**2)).sum(axis=0, keepdims=True)
    squares: Floats = total[0]
    return squares


def representable(each: Floats, occurrences: Ints) -> Floats:
    """Round each weight, (rows of U, weights), so coarsely that every sum over real rows is exact in float64."""
    return on_grid(each, (occurrences[:, np.newaxis] * each).sum(axis=0))


def on_grid(weights: Floats, totals: Floats) -> Floats:
    """Round weights, (rows, weights), to multiples of about 2^-52 of the largest sum that will be made of each."""
    steps = grids(totals)
    rounded: Floats = np.rint(weights / steps) * steps
    return rounded


def grids(totals: Floats) -> Floats:
    """Steps of about 2^-52 of each total; shape of the totals."""
    steps: Floats = np.ldexp(1.0, np.frexp(totals)[1] - 52)
    return steps


def combine(z: Floats, families: Sequence[tuple[slice, int]], observed: int = 0) -> Combined:
    """Combine families of z, shape (labelings, weights), one of which is the observed labeling.

    Each family is a range of weights and its share of the test's level, as a whole number. A family's statistic is its
    largest z, p_f the share of labelings whose statistic is at least as large, v = min p_f/share_f.
    """
    statistics = np.stack([z[:, columns].max(axis=1) for columns, _ in families])
    found = spent(statistics, [share for _, share in families])
    return Combined(
        p_value=p_value(found, observed),
        families=tuple(float((own >= own[observed]).sum()) / len(z) for own in statistics),
        statistics=tuple(statistics[:, observed].tolist()),
        leading=int(found[:, observed].argmin()),
    )


def spent(statistics: Floats, shares: Sequence[int]) -> Ints:
    """What each labeling would spend of the level by each family: p_f/share_f, up to a factor; (families, labelings).

    `statistics`, (families, labelings). Counts times whole numbers: quotients of equal value would not always be equal
    in floating point.
    """
    common = math.lcm(*shares)
    return np.stack(
        [at_least(statistic) * (common // share) for statistic, share in zip(statistics, shares, strict=True)]
    )


def p_value(spent: Ints, observed: int) -> float:
    """The share of labelings that spend as little on their best family as the observed one, or less."""
    least = spent.min(axis=0)
    return float(np.count_nonzero(least <= least[observed])) / len(least)


def at_least(statistic: Floats) -> Ints:
    """For each labeling the number of labelings whose statistic is at least as large, itself included."""
    counts: Ints = len(statistic) - np.searchsorted(np.sort(statistic), statistic, side="left")
    return counts
