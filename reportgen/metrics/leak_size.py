"""leak_size: how many synthetic rows are anchored on original rows beyond what holdout rows explain, with bounds.

A synthetic row is anchored on its closest real row when d1/d2 <= c among the different real rows U; c is where 1 % of
the real rows' own ratios lie. θ = max(0, x_T - r x_H)/m with r = n_T/n_H; L and U are one-sided 95 % bounds for the
anchored rows of this table, not for the generator's next one. Shares (0-1) of the synthetic rows; lower is better.

With persons (`--group`) the units are persons: claims are added up over the rows of each, v and w_max are of these
sums, and r is the ratio of the numbers of persons. Exchangeable persons make E x_T = r E x_H whatever the numbers of
their rows; these numbers are part of what is random, and v, which knows how unequal the sums are, accounts for it. The
ratio of rows would be right if rows were drawn one by one, which is just what rows of one person are not. A person on
both sides is a unit of each with its rows there: a copy of an original row is a leak, whoever's row it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from reportgen.distances import Floats, Ints, RealRows, SyntheticRows
from reportgen.metrics.evidence import Evidence, Need
from reportgen.model import Better, Measured, NotMeasuredCode, Score
from reportgen.persons import Persons
from reportgen.settings import Settings

KEY = "leak_size"
NEEDS: tuple[Need, ...] = ("pool",)

QUANTILE = 0.01
LEVEL = 0.05


@dataclass(frozen=True)
class LeakSize:
    """θ with its bounds as shares of the synthetic rows, and what they were made from.

    `cut`: c. `anchored_original`, `anchored_holdout`: x, the claims on each side; `squares_original`,
    `squares_holdout`: v, the sums of squared claims per real row; `largest`: w_max, at least 1.
    """

    theta: float
    lower: float
    upper: float
    cut: float
    anchored_original: float
    anchored_holdout: float
    squares_original: float
    squares_holdout: float
    largest: float


def leak_size(real: RealRows, synthetic: SyntheticRows) -> LeakSize:
    """Count the anchored rows of both sides and bound the excess of the original's. Needs a true holdout."""
    cut = own_ratio_cut(real, QUANTILE)
    each = claims(real, synthetic, cut) / real.occurrences
    if real.persons is None:
        sides = [(often, each) for often in (real.originals, real.occurrences - real.originals)]
        rate = real.original_rows / (real.rows - real.original_rows)
    else:
        sides = _by_person(real.persons, each[real.place])
        rate = real.persons.originals / real.persons.holdouts
    (x_t, v_t), (x_h, v_h) = ((float((often * own).sum()), float((often * own**2).sum())) for often, own in sides)
    largest = max(1.0, *(float(own.max(initial=0.0)) for _, own in sides))
    low_t, high_t = limits(x_t, v_t, largest)
    low_h, high_h = limits(x_h, v_h, largest)
    rows, excess = synthetic.rows, x_t - rate * x_h
    lower = max(0.0, excess - math.hypot(x_t - low_t, rate * (high_h - x_h))) / rows
    upper = (excess + math.hypot(high_t - x_t, rate * (x_h - low_h))) / rows
    return LeakSize(
        theta=max(0.0, excess) / rows,
        lower=lower,
        upper=min(max(upper, 3.0 / rows), 1.0),
        cut=cut,
        anchored_original=x_t,
        anchored_holdout=x_h,
        squares_original=v_t,
        squares_holdout=v_h,
        largest=largest,
    )


def _by_person(persons: Persons, each: Floats) -> list[tuple[Ints, Floats]]:
    """Sum the claims on each occurrence over the persons of either side: how often each unit counts, and its claims."""
    units: list[tuple[Ints, Floats]] = []
    for mine in (persons.original, ~persons.original):
        own = np.bincount(persons.person[mine], weights=each[mine]).astype(np.float64)
        units.append((np.ones(len(own), dtype=np.int64), own))
    return units


def own_ratio_cut(real: RealRows, quantile: float) -> float:
    """The quantile (a row's value, the lower one) of the real rows' own ratios, a row with a twin counting as 0.

    At least half that quantile of the rows without a twin: otherwise few twins would make it 0. With persons a row
    weighs one in so many as its person has, so that every person counts alike; a twin is a row of several persons.
    """
    real = real.sample
    if real.persons is not None:
        weights = 1.0 / np.bincount(real.persons.person)[real.persons.person]
        own, twin = real.ratios[real.place], real.twins[real.place]
        cut = _lower_quantile(np.where(twin, 0.0, own), weights, quantile)
        return cut if twin.all() else max(cut, _lower_quantile(own[~twin], weights[~twin], quantile / 2))
    ratios = np.repeat(np.where(real.occurrences > 1, 0.0, real.ratios), real.occurrences)
    cut = float(np.quantile(ratios, quantile, method="lower"))
    single = real.ratios[real.occurrences == 1]
    return max(cut, float(np.quantile(single, quantile / 2, method="lower"))) if len(single) else cut


def _lower_quantile(values: Floats, weights: Floats, quantile: float) -> float:
    """The value of a row that so much of the weight lies at or below; with equal weights as numpy's "lower"."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # numpy counts places from 0: the row of place floor(q (n - 1)) has q (n - 1) rows or fewer before it.
    before = reached - weights[order]
    target = quantile * (reached[-1] - weights[order][-1])
    return float(values[order][np.searchsorted(before, target * (1 + 1e-12), side="right") - 1])


def claims(real: RealRows, synthetic: SyntheticRows, cut: float) -> Floats:
    """How many synthetic rows are anchored on each row of U at this cut, shape (rows of U,); ties are split."""
    anchored = synthetic.times * (synthetic.ratios <= cut)
    weights = anchored[:, np.newaxis] * synthetic.nearest
    return np.bincount(synthetic.real.ravel(), weights=weights.ravel(), minlength=len(real.occurrences)).astype(
        np.float64
    )


def limits(count: float, squares: float, largest: float) -> tuple[float, float]:
    """One-sided 95 % limits of the mean of a weighted Poisson count, by the gamma distribution of its moments.

    As Fay and Feuer (Statistics in Medicine 16, 1997): the upper limit adds one more claim of the largest weight.
    """
    low = squares / count * float(gammaincinv(count**2 / squares, LEVEL)) if count else 0.0  # chi-square / 2 is gamma
    count, squares = count + largest, squares + largest**2
    return low, squares / count * float(gammaincinv(count**2 / squares, 1 - LEVEL))


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the excess with its one-sided bounds, and the anchored claims of both sides."""
    if evidence.holdout != "provided":
        return "no_true_holdout"
    if evidence.pool is None:
        return "too_few_rows"
    found = leak_size(evidence.pool.real, evidence.pool.synthetic)
    excess = Score(value=found.theta, low=found.lower, high=found.upper, reference=0.0, unit="share", better="lower")
    return Measured(
        scores={
            "excess": excess,
            "anchored_original": _anchored(found.anchored_original, found.squares_original, found.largest, "lower"),
            "anchored_holdout": _anchored(found.anchored_holdout, found.squares_holdout, found.largest, "context"),
            # The cut is one real row's own ratio, in small tables the lowest: two digits of it tell no row apart.
            "cut": Score(value=float(f"{found.cut:.1e}"), unit="ratio", better="context"),
        }
    )


def _anchored(count: float, squares: float, largest: float, better: Better) -> Score:
    low, high = limits(count, squares, largest)
    return Score(value=count, low=low, high=high, unit="count", better=better)
