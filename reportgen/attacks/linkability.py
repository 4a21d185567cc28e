"""Linkability: two halves of a person's columns, joined through the synthetic rows nearest to each.

An attacker holds two files about the same people, with other columns each. For a person in the one file and a person in
the other the attacker looks for the nearest synthetic rows by the columns of each file; where a synthetic row is among
the nearest of both, the two are taken for the same person. The attack succeeds on a person whose own two halves are
joined. Control: the same on holdout rows. Baseline: two random choices of as many synthetic rows that meet (Giomi et
al., PETS 2023).
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.attacks.attributes import Attributes
from reportgen.attacks.targets import Targets
from reportgen.attempts import Attempts, Tries, dealt
from reportgen.distances import Ints
from reportgen.metrics.hypergeometric import at_least
from reportgen.model import NotMeasuredCode
from reportgen.settings import Settings
from reportgen.space.search import nearest

_CELLS = 1 << 22


def linkability(
    rows: Attributes, targets: Targets, settings: Settings, random: np.random.Generator, threads: int
) -> dict[str, Attempts] | NotMeasuredCode:
    """Attack each target once; the one attack has no name."""
    halves = halves_of(rows, settings)
    k = settings.link_neighbours
    if halves is None:
        return "too_few_columns"
    base = np.unique(rows.synthetic)  # identical rows are one: a copy that was made twice links like one made once
    if len(base) <= k:
        return "too_few_neighbours"
    people = targets.original if targets.holdout is None else np.concatenate((targets.original, targets.holdout))
    near = []
    for half in halves:
        # Rows that are equally near are told apart at random, in each half anew: their order must link nobody.
        shuffled = random.permutation(len(base))
        coordinates, place = rows.within(np.concatenate((people, base)), list(half))
        own, others = place[: len(people)], place[len(people) :][shuffled]
        near.append(shuffled[nearest(coordinates, own, others, k, threads=threads)[1]])
    hits = _meet(*near)
    originals = int(hits[: len(targets.original)].sum())
    attack = Tries(originals, len(targets.original))
    baseline = by_chance(len(base), k)
    if targets.holdout is None:
        return {"": Attempts(attack, None, baseline, None)}
    control = Tries(int(hits.sum()) - originals, len(targets.holdout))
    p_value = at_least(attack.hits, attack.number, control.number, attack.hits + control.hits)
    return {"": Attempts(attack, control, baseline, p_value)}


def halves_of(rows: Attributes, settings: Settings) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The columns that either file holds, as places among the columns by name; None where there are fewer than two.

    What the user named, the rest being the other half; without a choice the columns are dealt out by their inertia.
    """
    if len(rows.names) < 2:
        return None
    if not settings.link:
        return dealt(rows.inertia.tolist())
    place = {name: column for column, name in enumerate(rows.names)}
    one = tuple(sorted(place[name] for name in settings.link))
    other = tuple(sorted(place[name] for name in settings.link_with))
    other = other or tuple(column for column in range(len(rows.names)) if column not in one)
    return one, other


def by_chance(rows: int, k: int) -> float:
    """The probability that two random choices of k of so many rows have one in common."""
    apart = (
        math.lgamma(rows - k + 1) * 2 - math.lgamma(rows + 1) - math.lgamma(rows - 2 * k + 1)
        if 2 * k <= rows
        else -math.inf
    )
    return 1 - math.exp(apart)


def _meet(first: Ints, second: Ints) -> np.ndarray:
    """Whether the two sets of each line, both (people, k), have an element in common; (people,)."""
    met = np.empty(len(first), dtype=bool)
    step = max(1, _CELLS // first.shape[1] ** 2)
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        met[part] = (first[part, :, np.newaxis] == second[part, np.newaxis, :]).any(axis=(1, 2))
    return met
