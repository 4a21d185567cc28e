"""Which rows are compared with which: equal base sizes, and random halves where no holdout was given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.distances import Ints
from reportgen.model import HoldoutKind


@dataclass(frozen=True)
class DrawPlan:
    """Row positions of one comparison: `queries` in the original, `synthetic` in the synthetic table, and `holdout` in
    the holdout, or in the original where the holdout is approximate. Both bases have the same number of rows.
    """  # noqa: D205 -- one sentence

    queries: Ints
    synthetic: Ints
    holdout: Ints
    whole: bool = False
    """Whether all rows of all three tables take part, so that nothing is drawn."""


def holdout_kind(original: int, holdout: int | None) -> HoldoutKind:
    """Tell from the numbers of rows what stands for unseen rows: `none` where the original can't even be halved."""
    if holdout is not None:
        return "provided"
    return "approximate" if original >= 4 else "none"


def plan_draws(
    kind: HoldoutKind,
    original: int,
    synthetic: int,
    holdout: int | None,
    draws: int,
    random: np.random.Generator,
    persons: Ints | None = None,
) -> tuple[DrawPlan, ...]:
    """Plan comparisons at equal base sizes; empty where a base would have fewer than two rows.

    A larger base gives smaller distances, so the larger of synthetic and holdout is drawn down to the smaller, `draws`
    times; equal sizes need one comparison of all rows. Without a holdout the original is split into random halves,
    `draws` times: one half asks, the other stands for the holdout. With `persons`, shape (original rows,), it is the
    persons who are split into halves.
    """
    if kind == "none":
        return ()
    if kind == "approximate" and persons is not None:
        return _halves_of_persons(persons, synthetic, draws, random)
    halved = kind == "approximate"
    held = original // 2 if halved or holdout is None else holdout
    base = min(held, synthetic)
    if base < 2 or original < 2:
        return ()
    if not halved and held == synthetic:
        return (DrawPlan(np.arange(original), np.arange(synthetic), np.arange(held), whole=True),)
    plans = []
    for _ in range(draws):
        if halved:
            shuffled = random.permutation(original)
            queries, unseen = np.sort(shuffled[held:]), shuffled[:held]
        else:
            queries, unseen = np.arange(original), np.arange(held)
        plans.append(DrawPlan(queries, _drawn(synthetic, base, random), np.sort(_drawn_from(unseen, base, random))))
    return tuple(plans)


def _halves_of_persons(persons: Ints, synthetic: int, draws: int, random: np.random.Generator) -> tuple[DrawPlan, ...]:
    """Split persons into halves, with all their rows.

    Halves of persons differ in rows; all draws are brought to the numbers of the smallest, so that they can be
    compared. Bases are drawn down by rows, here as everywhere: it is the number of rows that makes distances smaller,
    the synthetic base has no persons to draw, and rows drawn at random leave as many persons in the base as it holds.
    """
    number = int(persons.max()) + 1
    halves = []
    for _ in range(draws):
        unseen = np.zeros(number, dtype=bool)
        unseen[random.permutation(number)[: number // 2]] = True
        halves.append((np.flatnonzero(~unseen[persons]), np.flatnonzero(unseen[persons])))
    asking = min(len(queries) for queries, _ in halves)
    base = min(synthetic, *(len(unseen) for _, unseen in halves))
    if base < 2 or asking < 2:
        return ()
    return tuple(
        DrawPlan(
            np.sort(_drawn_from(queries, asking, random)),
            _drawn(synthetic, base, random),
            np.sort(_drawn_from(unseen, base, random)),
        )
        for queries, unseen in halves
    )


def _drawn(rows: int, wanted: int, random: np.random.Generator) -> Ints:
    return np.sort(_drawn_from(np.arange(rows), wanted, random))


def _drawn_from(rows: Ints, wanted: int, random: np.random.Generator) -> Ints:
    return rows if wanted == len(rows) else random.choice(rows, wanted, replace=False)
