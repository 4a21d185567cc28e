"""Permutation tests of original against holdout rows on weights that don't know these labels.

Exact for duplicates, ties and hubs, and for any sizes: under the null every labeling of the real rows is as likely.
Sums over labelings are exact in float64, in any order (see `representable`), so that no p-value depends on the number
of threads or on the processor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.blas import one_thread
from reportgen.distances import Floats, Ints, RealRows

BLOCK = 1 << 21
"""Most labels held at once as float64, 16 MB."""
DECIMALS = 4
"""Digits of a z: rounding errors of equal sums must not break a tie between labelings."""


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


def z_scores(real: RealRows, weights: Floats, permutations: int, random: np.random.Generator) -> Floats:
    """Standardise each weight's sum over the original rows, under the observed labeling (first) and permuted ones.

    Returns shape (permutations + 1, weights). `weights`, shape (rows of U, weights), at least 0; each occurrence of a
    row of U carries W_u/c_u.
    """
    occurrences, originals = real.occurrences, real.originals
    each = representable(weights / occurrences[:, np.newaxis], occurrences)
    sums = [originals[np.newaxis].astype(np.float64) @ each]
    by_occurrence = np.repeat(each, occurrences, axis=0)
    with one_thread():
        sums.extend(
            labels.astype(np.float64) @ by_occurrence
            for labels in labelings(real.rows, real.original_rows, permutations, random)
        )
    return standardised(np.concatenate(sums), each, real)


def standardised(sums: Floats, each: Floats, real: RealRows) -> Floats:
    """Turn sums over original rows, (labelings, weights), into z, rounded; 0 where all real rows weigh the same.

    `each`, shape (rows of U, weights): the weight of one occurrence. The variance is that of sums over n_T rows drawn
    from the N without replacement, q(1-q) N/(N-1) Σ(A - mean)^2.
    """
    mean, sd = moments(each, real)
    z: Floats = np.divide(sums - real.original_rows * mean, sd, out=np.zeros_like(sums), where=sd > 0)
    return np.round(z, DECIMALS) + 0.0


def moments(each: Floats, real: RealRows) -> tuple[Floats, Floats]:
    """Return the mean weight of a real row and the sd of its sum over a random labeling, both (weights,)."""
    number, share = real.rows, real.original_rows / real.rows
    mean = (real.occurrences[:, np.newaxis] * each).sum(axis=0) / number
    # Summed in a fixed order; only the sums of `representable` weights may be left to a matrix product.
    squares = (real.occurrences[:, np.newaxis] * (each - mean) ** 2).sum(axis=0)
    squares[each.max(axis=0) == each.min(axis=0)] = 0.0
    sd: Floats = np.sqrt(share * (1 - share) * number / max(number - 1, 1) * squares)
    return mean, sd


def labelings(rows: int, originals: int, number: int, random: np.random.Generator) -> Iterator[NDArray[np.uint8]]:
    """Draw labelings, in blocks of shape (labelings, rows): 1 for `originals` of the rows, 0 for the others."""
    plain = (np.arange(rows) < originals).astype(np.uint8)
    step = max(1, BLOCK // rows)
    for start in range(0, number, step):
        yield random.permuted(np.tile(plain, (min(step, number - start), 1)), axis=1)


def representable(each: Floats, occurrences: Ints) -> Floats:
    """Round each weight, (rows of U, weights), so coarsely that every sum over real rows is exact in float64."""
    return on_grid(each, (occurrences[:, np.newaxis] * each).sum(axis=0))


def on_grid(weights: Floats, totals: Floats) -> Floats:
    """Round weights, (rows, weights), to multiples of about 2^-52 of the largest sum that will be made of each."""
    grids = np.array([math.ldexp(1.0, math.frexp(float(total))[1] - 52) for total in totals])
    rounded: Floats = np.rint(weights / grids) * grids
    return rounded


def combine(z: Floats, families: Sequence[tuple[slice, int]], observed: int = 0) -> Combined:
    """Combine families of z, shape (labelings, weights), one of which is the observed labeling.

    Each family is a range of weights and its share of the test's level, as a whole number. A family's statistic is its
    largest z, p_f the share of labelings whose statistic is at least as large, v = min p_f/share_f.
    """
    statistics = np.stack([z[:, columns].max(axis=1) for columns, _ in families], axis=1)
    counts = np.stack([at_least(statistic) for statistic in statistics.T], axis=1)
    # Counts times whole numbers: quotients of equal value would not always be equal in floating point.
    common = math.lcm(*(share for _, share in families))
    spent = counts * np.array([common // share for _, share in families])
    least = spent.min(axis=1)
    return Combined(
        p_value=float((least <= least[observed]).mean()),
        families=tuple((counts[observed] / len(z)).tolist()),
        statistics=tuple(statistics[observed].tolist()),
        leading=int(spent[observed].argmin()),
    )


def at_least(statistic: Floats) -> Ints:
    """For each labeling the number of labelings whose statistic is at least as large, itself included."""
    counts: Ints = len(statistic) - np.searchsorted(np.sort(statistic), statistic, side="left")
    return counts
