"""The eleven weights of leak_test: how strongly each synthetic row points at which real rows.

Every weight is computed on U, the different real rows, without looking at which of them are original and which
holdout rows, so that a permutation of these labels is an exact test. R = d1/d10 of a synthetic row, Q the smallest
(d1/d6)^2 with one part of the columns left out, λ the loneliness of a real row; μ is 1 but where identical real rows
concentrate (`uniqueness`). A weight at a bandwidth that lets K rows count is e^(-x/2h^2), with x = R^2 or Q and h(x, K)
from `bandwidth`.

- near3, near12: K = 3, 12, times μ of the closest row, shared over the ten closest real rows in proportion to
  e^(-(d_i^2 - d_1^2)/(2 h^2 d_10^2));
- lone6, lone25: the same with K = 6, 25 and μλ^3;
- drop6, drop25: μλ^3 of the closest row by the best part of the columns, K = 6, 25;
- eq1, eq2: μ, split over the real rows equal on all columns but at most one (two); eqL: λ^3 of each times eq2;
- share, logr: 1 and -ln max(R, .01), split over the rows tied for the closest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from reportgen.distances import Floats, Ints, RealRows, SyntheticRows

WEIGHTS = ("near3", "near12", "lone6", "lone25", "drop6", "drop25", "eq1", "eq2", "eqL", "share", "logr")
NEAR = {"near3": 3, "near12": 12, "lone6": 6, "lone25": 25}
DROP = {"drop6": 6, "drop25": 25}
WIDEST = math.exp(4)
LONELY_NEIGHBOUR = 5
SMALLEST_RATIO = 0.01
_MOST_STEPS = 200
_TOLERANCE = 1e-13
"""Of ln h."""
CONCENTRATED = 0.0002
AMONG_REPEATING = 0.01


@dataclass(frozen=True)
class LeakWeights:
    """`values`, shape (rows, 11), columns as in `WEIGHTS`; `bandwidths` by the name of the weight.

    `rows`: the rows of U that they are of, ascending; all others weigh nothing.
    """

    rows: Ints
    values: Floats
    bandwidths: dict[str, float]


def leak_weights(real: RealRows, synthetic: SyntheticRows) -> LeakWeights:
    """Compute W_u for every row of U that a synthetic row points at."""
    pointed_at = synthetic.pointed_at
    unique, lonely = factors(real, pointed_at)
    synthetic, rows = synthetic.among(pointed_at), len(pointed_at)
    bandwidths: dict[str, float] = {}
    columns: list[Floats] = []
    squares = relative_squares(synthetic.distances)
    for name, number in NEAR.items():
        width = bandwidths[name] = bandwidth(squares[:, 0], number, synthetic.times)
        shares = synthetic.times[:, np.newaxis] * near_shares(squares, width)
        factor = lonely if name.startswith("lone") else unique
        shares *= (synthetic.nearest * factor[synthetic.real]).sum(axis=1, keepdims=True)
        columns.append(_added(synthetic.real, shares, rows))
    dropped = synthetic.dropped
    for name, number in DROP.items():
        width = bandwidths[name] = bandwidth(dropped.ratio, number, dropped.times)
        weight = dropped.times * kernel(dropped.ratio, width)
        columns.append(_added(dropped.real, weight[dropped.entry] * dropped.share * lonely[dropped.real], rows))
    columns.extend(plain_weights(synthetic, unique, lonely))
    return LeakWeights(pointed_at, np.stack(columns, axis=1), bandwidths)


def factors(real: RealRows, rows: Ints) -> tuple[Floats, Floats]:
    """μ and μλ^3 of some rows of U, (rows,) each; 1 and 0 for a row of which no closest others are known.

    A synthetic row that is tied between rows points at each of them, and then all are known.
    """
    unique = uniqueness(real)
    sampled = real.sampled if real.sampled is None or real.known is None else real.sampled[real.known]
    lonely = unique * loneliness(real.distances, sampled) ** 3
    if real.known is None:
        return unique[rows], lonely[rows]
    place = np.minimum(np.searchsorted(real.known, rows), len(real.known) - 1)
    known = real.known[place] == rows
    return np.where(known, unique[place], 1.0), np.where(known, lonely[place], 0.0)


def plain_weights(synthetic: SyntheticRows, unique: Floats, lonely: Floats) -> list[Floats]:
    """The weights that need no bandwidth: eq1, eq2, eqL, share, logr, each of shape (rows,).

    `unique` is μ and `lonely` μλ^3 of each of the rows of U that `synthetic` gives its places among.
    """
    rows = len(lonely)
    equal = synthetic.equal
    columns = []
    for most in (1, 2):
        chosen = equal.columns <= most
        entry, found = equal.entry[chosen], equal.real[chosen]
        number = np.bincount(entry, minlength=len(synthetic.times))
        columns.append(_added(found, synthetic.times[entry] / number[entry], rows))
    columns = [*(equal_rows * unique for equal_rows in columns), columns[-1] * lonely]
    shares = synthetic.times[:, np.newaxis] * synthetic.nearest
    ratio = np.sqrt(relative_squares(synthetic.distances)[:, 0])
    columns.append(_added(synthetic.real, shares, rows))
    columns.append(_added(synthetic.real, shares * log_closeness(ratio)[:, np.newaxis], rows))
    return columns


def bandwidth(squares: Floats, number: int, times: Ints) -> float:
    """Solve Σ over x > 0 of e^(-x/2h^2) = min(number, m/2) for h: so many rows count.

    `squares` holds x in 0-1 and `times` how many of the m rows each stands for, both (entries,). Returns `WIDEST`
    where fewer rows count even at that width: where no more rows than that have an x above 0.
    """
    target = float(min(number, times.sum() / 2))
    positive = squares > np.finfo(np.float64).tiny  # what has underflowed is 0
    x, often = squares[positive], times[positive]

    high = math.log(WIDEST)
    if float((often * kernel(x, WIDEST)).sum()) <= target:
        return WIDEST
    # Below this width even all rows at the smallest x would not reach the target.
    low = 0.5 * math.log(float(x.min()) / (2 * math.log(2 * float(often.sum()) / target)))
    # Newton's steps on ln of the sum over ln h, halving the bracket where one would leave it: scipy's solvers take
    # more steps, and a third of a second to import.
    log_width = high
    for _ in range(_MOST_STEPS):
        weights = often * kernel(x, math.exp(log_width))
        total = float(weights.sum())
        if total > target:
            high = log_width
        else:
            low = log_width
        slope = float((weights * x).sum()) * math.exp(-2 * log_width)
        step = math.log(target / total) * total / slope if total > 0 and slope > 0 else math.inf
        after = log_width + step
        if not low <= after <= high:
            after = (low + high) / 2
        step, log_width = after - log_width, after
        if abs(step) <= _TOLERANCE:
            break
    return math.exp(log_width)


def kernel(squares: Floats, width: float) -> Floats:
    """e^(-x/2h^2) of each x."""
    weights: Floats = np.exp(-squares / (2 * width * width))
    return weights


def relative_squares(distances: Floats) -> Floats:
    """(d_i/d_k)^2 of the k closest distances, shape (entries, k); 1 where the k-th is 0."""
    last = distances[:, -1:]
    return np.divide(distances, last, out=np.ones_like(distances), where=last > 0) ** 2


def near_shares(squares: Floats, width: float) -> Floats:
    """How e^(-R^2/2h^2) of each synthetic row is shared over its closest rows; shape (entries, k)."""
    shares = kernel(squares - squares[:, :1], width)
    shares *= kernel(squares[:, :1], width) / shares.sum(axis=1, keepdims=True)
    return shares


def log_closeness(ratio: Floats) -> Floats:
    """-ln max(R, .01) of each R."""
    closeness: Floats = -np.log(np.maximum(ratio, SMALLEST_RATIO))
    return closeness + 0.0


def loneliness(distances: Floats, sampled: NDArray[np.bool_] | None = None) -> Floats:
    """λ of rows of U, in 0-1: the rank of the fifth distance to the others, equal ones sharing their average rank.

    `distances`: (rows, k), ascending; the last one stands in where there are fewer than five. `sampled`, shape (rows,):
    the rows among which ranks are taken, None for all.
    """
    fifth = distances[:, min(LONELY_NEIGHBOUR, distances.shape[1]) - 1]
    among = np.sort(fifth if sampled is None else fifth[sampled])
    before = np.searchsorted(among, fifth, side="left") + np.searchsorted(among, fifth, side="right")
    ranks: Floats = before / 2 / len(among)
    return ranks


def uniqueness(real: RealRows) -> Floats:
    """μ of the known rows of U: `AMONG_REPEATING` where real rows repeat more than over the whole table, 1 elsewhere.

    Of a row and its ten closest so many occur more than once that a binomial count, with their share in U, would be as
    large with probability `CONCENTRATED` at most. Synthetic rows hit such places without a leak, also the rows there
    that happen to occur once, and a few of these hits outweigh all near copies of people who have no double. Labels
    are not looked at, so that the test stays exact; repeats that are spread evenly, or everywhere, change nothing.
    """
    unique = np.ones(len(real.distances))
    several = real.occurrences > 1
    if real.neighbours is None or not several.any() or several.all():
        return unique
    own = several if real.known is None else several[real.known]
    among = own + several[real.neighbours].sum(axis=1)
    looked_at = 1 + real.neighbours.shape[1]
    found = among > 0
    # P(Bin(n, p) >= k) is the incomplete beta function.
    as_many = betainc(among[found], looked_at - among[found] + 1, several.mean())
    unique[found] = np.where(as_many <= CONCENTRATED, AMONG_REPEATING, 1.0)
    return unique


def _added(rows: Ints, weights: Floats, number: int) -> Floats:
    return np.bincount(rows.ravel(), weights=weights.ravel(), minlength=number).astype(np.float64)
