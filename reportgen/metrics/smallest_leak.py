"""Smallest leak: how many planted near copies leak_test would have noticed in this run (the detectable control).

Under random labelings of the real rows taken as the truth, so that a leak that is already there is noise, k near copies
(0.05 sd) of rows that the labeling calls original are added to the synthetic rows, for k = 4, 6, 9, … times 1.5. The
smallest k at which leak_test finds the leak (p <= .05, 299 permutations) in 80 % of 100 draws is interpolated in ln k.
Planted rows were searched once (`PlantedRows`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.blas import one_thread
from reportgen.distances import PlantedRows, RealRows, SyntheticRows
from reportgen.metrics.leak_test import LEVEL
from reportgen.metrics.planted_trial import Trial

POWER = 0.8
DRAWS = 100
PERMUTATIONS = 299
FEWEST = 4
FACTOR = 1.5


@dataclass(frozen=True)
class SmallestLeak:
    """`rows`: the smallest number of planted near copies found with the power asked for; None where none was.

    `curve`: the share (0-1) of draws in which so many planted rows were found, by ascending number of rows, up to the
    first that is enough; `draws` of them each.
    """

    rows: float | None
    curve: tuple[tuple[int, float], ...]
    draws: int


def smallest_leak(
    real: RealRows,
    synthetic: SyntheticRows,
    planted: PlantedRows,
    random: np.random.Generator,
    draws: int = DRAWS,
    permutations: int = PERMUTATIONS,
) -> SmallestLeak:
    """Plant more and more near copies until the test finds them often enough.

    Each of the `draws` takes one labeling as the truth and the others, `permutations` in number, as what it is compared
    with; ValueError where there are more draws than labelings.
    """
    if draws > permutations + 1:
        msg = f"{draws} draws need as many labelings; there are {permutations + 1}"
        raise ValueError(msg)
    with one_thread():
        return _smallest_leak(real, synthetic, planted, random, draws, permutations)


def _smallest_leak(
    real: RealRows,
    synthetic: SyntheticRows,
    planted: PlantedRows,
    random: np.random.Generator,
    draws: int,
    permutations: int,
) -> SmallestLeak:
    trial = Trial(real, synthetic, planted, random, permutations)
    # In each draw the rows of a smaller leak are among those of a larger one.
    orders = [random.permutation(np.flatnonzero(trial.member[draw])) for draw in range(draws)]
    # Planted rows take part in the searches with columns left out as often as the other synthetic rows do.
    searched = random.random((draws, len(planted.copied))) < synthetic.dropped.times.sum() / synthetic.rows
    curve: list[tuple[int, float]] = []
    for rows in _ladder(min(len(order) for order in orders)):
        found = sum(
            trial.p_value(order[:rows], searched[draw, order[:rows]], draw) <= LEVEL
            for draw, order in enumerate(orders)
        )
        curve.append((rows, found / draws))
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
