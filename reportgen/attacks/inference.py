"""Inference: one column of a person guessed from all others, by the synthetic row nearest in these.

An attacker knows everything about a person but one value, looks for the synthetic row that is nearest by the known
columns and takes its value for the person's. A category is guessed right where it is the same, also that it is missing;
a number where the guess is within a tolerance of it, in percent of its size; a date within the same percentage of one
standard deviation of the real dates. Control: the same on holdout rows. Baseline: the value of a random synthetic row
(Giomi et al., PETS 2023).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.attacks.attributes import Attributes
from reportgen.attacks.targets import Targets
from reportgen.attempts import Attempts, Tries
from reportgen.distances import Floats, Ints
from reportgen.metrics.hypergeometric import at_least
from reportgen.model import NotMeasuredCode
from reportgen.settings import Settings
from reportgen.space.search import nearest
from reportgen.space.without import nearest_without, share

MOST_SECRETS = 40
"""Without a choice so many columns are guessed at most, those with the largest share of the inertia."""


@dataclass(frozen=True)
class _Secret:
    """One column that is guessed: its codes, (different rows,), and from which to which code each code is right.

    `low` and `high`, both (codes,): codes of the guesses that count as right, ends included.
    """

    codes: NDArray[np.int32]
    low: Ints
    high: Ints

    def hits(self, truth: Ints, guess: Ints) -> NDArray[np.bool_]:
        """Whether the rows `guess` tell the value of the rows `truth`."""
        own, said = self.codes[truth], self.codes[guess]
        right: NDArray[np.bool_] = (said >= self.low[own]) & (said <= self.high[own])
        return right

    def by_chance(self, truth: Ints, base: Ints) -> float:
        """How often a random row of the base is right, as a mean over the rows `truth`."""
        often = np.concatenate(([0], np.cumsum(np.bincount(self.codes[base], minlength=len(self.low)))))
        own = self.codes[truth]
        return float((often[self.high[own] + 1] - often[self.low[own]]).mean()) / len(base)


def inference(
    rows: Attributes, targets: Targets, settings: Settings, random: np.random.Generator, threads: int
) -> dict[str, Attempts] | NotMeasuredCode:
    """Guess each secret of each target once."""
    if len(rows.names) < 2:
        return "too_few_columns"
    people = targets.original if targets.holdout is None else np.concatenate((targets.original, targets.holdout))
    base = random.permutation(np.sort(rows.synthetic))  # rows that are equally near are told apart at random
    secrets = _secrets(rows, settings)
    found = {}
    for column, ids in zip(secrets, _nearest_by_the_others(rows, people, base, secrets, threads), strict=True):
        secret = _secret(rows, column, settings.inference_tolerance / 100)
        hits = secret.hits(people, base[ids])
        originals = int(hits[: len(targets.original)].sum())
        attack, control, p_value = Tries(originals, len(targets.original)), None, None
        if targets.holdout is not None:
            control = Tries(int(hits.sum()) - originals, len(targets.holdout))
            p_value = at_least(attack.hits, attack.number, control.number, attack.hits + control.hits)
        found[rows.names[column]] = Attempts(attack, control, secret.by_chance(targets.original, base), p_value)
    return found


def _nearest_by_the_others(
    rows: Attributes, people: Ints, base: Ints, secrets: list[int], threads: int
) -> Iterator[Ints]:
    """For each secret the place in `base` of the row nearest to each of the people by all other columns, (people,)."""
    points, of_row = np.unique(rows.point[np.concatenate((people, base))], return_inverse=True)
    coordinates = rows.coordinates[points]
    asked, asked_of = np.unique(of_row[: len(people)], return_inverse=True)
    # Rows that are one point are in its place, by the first of them: a tie goes to the row that stands first.
    there, first = np.unique(of_row[len(people) :], return_index=True)
    first, there = np.sort(first), there[np.argsort(first)]
    axes = [np.arange(rows.slices[column].start, rows.slices[column].stop) for column in secrets]
    shared = share(coordinates[asked], coordinates[there], axes, 1)
    answers = [None] * len(secrets) if shared is None else nearest_without(shared, threads)
    for column, answer in zip(secrets, answers, strict=True):
        ids = np.zeros(len(people), dtype=np.int64)
        late = np.arange(len(people))
        if answer is not None:
            ids = first[answer[1][:, 0]][asked_of]
            late = np.flatnonzero(~answer[2][asked_of])
        if len(late):
            both = np.concatenate((people[late], base))
            own, place = rows.within(both, [other for other in range(len(rows.names)) if other != column])
            ids[late] = nearest(own, place[: len(late)], place[len(late) :], 1, threads=threads)[1][:, 0]
        yield ids


def _secrets(rows: Attributes, settings: Settings) -> list[int]:
    if settings.secret:
        return [rows.names.index(name) for name in dict.fromkeys(settings.secret)]
    return sorted(np.argsort(-rows.inertia, kind="stable")[:MOST_SECRETS].tolist())


def _secret(rows: Attributes, column: int, tolerance: float) -> _Secret:
    missing = int(rows.missing[column])
    low, high = np.arange(missing + 1), np.arange(missing + 1)
    numbers = rows.numbers[column]
    values = None if numbers is None else numbers[:]
    if values is not None and missing:
        reach = tolerance * (_spread(rows, column, values) if rows.dates[column] else np.abs(values))
        low[:missing] = np.searchsorted(values, values - reach, side="left")
        high[:missing] = np.searchsorted(values, values + reach, side="right") - 1
    return _Secret(rows.codes[column], low, high)


def _spread(rows: Attributes, column: int, values: Floats) -> float:
    """The population standard deviation of the real values, 0 without any."""
    real = rows.original if rows.holdout is None else np.concatenate((rows.original, rows.holdout))
    often = np.bincount(rows.codes[column][real], minlength=len(values) + 1)[: len(values)]
    if not often.sum():
        return 0.0
    mean = float(np.average(values, weights=often))
    return float(np.sqrt(np.average((values - mean) ** 2, weights=often)))
