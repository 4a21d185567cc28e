"""Smallest leak: how many planted near copies leak_test would have noticed in this run (the detectable control).

Under random labelings of the real rows taken as the truth, so that a leak that is already there is noise, k near copies
(0.05 sd) of rows that the labeling calls original are added to the synthetic rows, for k = 4, 6, 9, … times 1.5. The
smallest k at which leak_test finds the leak (p <= .05, 299 permutations) in 80 % of 100 draws is interpolated in ln k;
the draws of a k end as soon as more than 20 of them have missed.
Planted rows were searched once (`PlantedRows`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.blas import one_thread
from reportgen.distances import Ints, PlantedRows, RealRows, SyntheticRows
from reportgen.metrics.leak_test import LEVEL
from reportgen.metrics.planted_trial import Trial, tested
from reportgen.spread import Each, spread

POWER = 0.8
DRAWS = 100
PERMUTATIONS = 299
FEWEST = 4
FACTOR = 1.5
_FEWEST_AT_ONCE = 8
"""To test a draw too many costs less than to test the last ones one by one."""


@dataclass(frozen=True)
class PowerAt:
    """How often so many planted rows were found: the share (0-1), and the draws that it was estimated from."""

    rows: int
    power: float
    draws: int


@dataclass(frozen=True)
class SmallestLeak:
    """`rows`: the smallest number of planted near copies found with the power asked for; None where none was.

    `curve`: the power by ascending number of rows, up to the first that is enough.
    """

    rows: float | None
    curve: tuple[PowerAt, ...]


def smallest_leak(
    real: RealRows,
    synthetic: SyntheticRows,
    planted: PlantedRows,
    random: np.random.Generator,
    draws: int = DRAWS,
    permutations: int = PERMUTATIONS,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> SmallestLeak:
    """Plant more and more near copies until the test finds them often enough.

    Each of the `draws` takes one labeling as the truth and the others, `permutations` in number, as what it is compared
    with; ValueError where there are more draws than labelings. `progress` is called with how many numbers of rows were
    tried, and how many there are; most runs need few of them.
    """
    if draws > permutations + 1:
        msg = f"{draws} draws need as many labelings; there are {permutations + 1}"
        raise ValueError(msg)
    with one_thread():
        return _smallest_leak(real, synthetic, planted, random, draws, permutations, progress)


def _smallest_leak(
    real: RealRows,
    synthetic: SyntheticRows,
    planted: PlantedRows,
    random: np.random.Generator,
    draws: int,
    permutations: int,
    progress: Callable[[int, int], None],
) -> SmallestLeak:
    trial = Trial(real, synthetic, planted, random, permutations)
    # In each draw the rows of a smaller leak are among those of a larger one.
    orders = [random.permutation(np.flatnonzero(trial.member[draw])) for draw in range(draws)]
    # Planted rows take part in the searches with columns left out as often as the other synthetic rows do.
    searched = random.random((draws, len(planted.copied))) < synthetic.dropped.times.sum() / synthetic.rows
    curve: list[PowerAt] = []
    ladder = list(_ladder(min(len(order) for order in orders)))
    with spread(trial.load(draws)) as each:
        for tried, rows in enumerate(ladder):
            progress(tried, len(ladder))
            chosen = np.stack([order[:rows] for order in orders])
            with closing(_outcomes(trial, chosen, np.take_along_axis(searched, chosen, axis=1), each)) as outcomes:
                curve.append(_power(rows, outcomes, draws))
            if curve[-1].power >= POWER:
                return SmallestLeak(_interpolated(curve), tuple(curve))
    return SmallestLeak(None, tuple(curve))


def _power(rows: int, outcomes: Iterator[bool], draws: int) -> PowerAt:
    """Draw until the power asked for is out of reach, or to the end.

    Where draws end with the miss that was one too many, the share of hits among those before it is unbiased (Haldane,
    Biometrika 33, 1945).
    """
    most, hits, misses = _most_misses(draws), 0, 0
    for found in outcomes:
        hits, misses = hits + found, misses + (not found)
        if misses > most:
            return PowerAt(rows, hits / max(hits + misses - 1, 1), hits + misses)
    return PowerAt(rows, hits / draws, draws)


def _outcomes(trial: Trial, chosen: Ints, searched: NDArray[np.bool_], each: Each) -> Generator[bool]:
    """Whether the test finds the leak of each draw; draws that are needed whatever comes are tested together."""
    draws, needed = len(chosen), _most_misses(len(chosen)) + 1

    def blocks() -> Iterator[tuple[Ints, NDArray[np.bool_], range]]:
        done = 0
        while done < draws:
            part = slice(done, min(done + min(max(needed, _FEWEST_AT_ONCE), trial.at_once), draws))
            yield chosen[part], searched[part], range(part.start, part.stop)
            done = part.stop

    for p_values in each(tested, blocks(), trial, number=-(-draws // min(needed, trial.at_once))):
        found = [p_value <= LEVEL for p_value in p_values]
        yield from found
        needed -= found.count(False)


def _most_misses(draws: int) -> int:
    return draws - math.ceil(POWER * draws)


def _ladder(most: int) -> Iterator[int]:
    rows = float(FEWEST)
    while round(rows) <= most:
        yield round(rows)
        rows *= FACTOR


def _interpolated(curve: list[PowerAt]) -> float:
    """The number of rows at which the last step of the curve crosses the power, straight in ln k."""
    last = curve[-1]
    if len(curve) == 1:
        return float(last.rows)
    before = curve[-2]
    part = (POWER - before.power) / (last.power - before.power)
    return math.exp(math.log(before.rows) + part * (math.log(last.rows) - math.log(before.rows)))
