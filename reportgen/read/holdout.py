"""Which rows are compared with which: equal base sizes, and random halves where no holdout was given."""

from __future__ import annotations

from collections.abc import Callable
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
    held_persons: Ints | None = None,
    keep: Callable[[Ints], Ints] = lambda rows: rows,
) -> tuple[DrawPlan, ...]:
    """Plan comparisons at equal base sizes; empty where a base would have fewer than two rows.

    A larger base gives smaller distances, so the larger of synthetic and holdout is drawn down to the smaller, `draws`
    times; equal sizes need one comparison of all rows. Without a holdout the original is split into random halves,
    `draws` times: one half asks, the other stands for the holdout.

    Where rows belong to persons, `persons`, shape (original rows,), and `held_persons`, shape (holdout rows,), a base
    holds one random row of each person, and it is persons who are split into halves. Many rows of one person are
    hardly more than one place, while as many rows of a synthetic table without persons are as many places.

    `keep` puts what is planned without persons somewhere, as many numbers as rows in each plan, and returns it.
    """
    if kind == "none":
        return ()
    if kind == "approximate" and persons is not None:
        return _halves_of_persons(persons, synthetic, draws, random)
    if held_persons is not None and len(np.unique(held_persons)) < len(held_persons):
        return _rows_of_persons(original, held_persons, synthetic, draws, random)
    halved = kind == "approximate"
    held = original // 2 if halved or holdout is None else holdout
    base = min(held, synthetic)
    if base < 2 or original < 2:
        return ()
    if not halved and held == synthetic:
        return (DrawPlan(np.arange(original), np.arange(synthetic), np.arange(held), whole=True),)
    plans = []
    queries, unseen = keep(np.arange(original)), np.arange(held)
    for _ in range(draws):
        if halved:
            shuffled = random.permutation(original)
            queries, unseen = keep(np.sort(shuffled[held:])), shuffled[:held]
        chosen = _drawn(synthetic, base, random)
        plans.append(DrawPlan(queries, keep(chosen), keep(np.sort(_drawn_from(unseen, base, random)))))
    return tuple(plans)


def _rows_of_persons(
    original: int, held_persons: Ints, synthetic: int, draws: int, random: np.random.Generator
) -> tuple[DrawPlan, ...]:
    """Draw one row of each holdout person, anew for every draw, and as many synthetic rows."""
    base = min(len(np.unique(held_persons)), synthetic)
    if base < 2 or original < 2:
        return ()
    rows = np.arange(len(held_persons))
    return tuple(
        DrawPlan(
            np.arange(original),
            _drawn(synthetic, base, random),
            np.sort(_drawn_from(_one_of_each(rows, held_persons, random), base, random)),
        )
        for _ in range(draws)
    )


def _halves_of_persons(persons: Ints, synthetic: int, draws: int, random: np.random.Generator) -> tuple[DrawPlan, ...]:
    """Split persons into halves: one asks with all its rows, the other gives one row of each person.

    Halves of persons differ in rows; in all draws as many rows ask as in the smallest, so that they can be compared.
    """
    number = int(persons.max()) + 1
    halves = []
    for _ in range(draws):
        unseen = np.zeros(number, dtype=bool)
        unseen[random.permutation(number)[: number // 2]] = True
        halves.append((np.flatnonzero(~unseen[persons]), np.flatnonzero(unseen[persons])))
    asking = min(len(queries) for queries, _ in halves)
    base = min(synthetic, number // 2)
    if base < 2 or asking < 2:
        return ()
    return tuple(
        DrawPlan(
            np.sort(_drawn_from(queries, asking, random)),
            _drawn(synthetic, base, random),
            np.sort(_drawn_from(_one_of_each(unseen, persons, random), base, random)),
        )
        for queries, unseen in halves
    )


def _one_of_each(rows: Ints, persons: Ints, random: np.random.Generator) -> Ints:
    """Draw one of the rows of each person; `persons` says whose every row of the table is."""
    shuffled = random.permutation(rows)
    chosen: Ints = np.sort(shuffled[np.unique(persons[shuffled], return_index=True)[1]])
    return chosen


def _drawn(rows: int, wanted: int, random: np.random.Generator) -> Ints:
    return np.sort(_drawn_from(np.arange(rows), wanted, random))


def _drawn_from(rows: Ints, wanted: int, random: np.random.Generator) -> Ints:
    return rows if wanted == len(rows) else random.choice(rows, wanted, replace=False)
