"""Who is attacked: rows of original and holdout that could have been exchanged, had nothing leaked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.distances import Ints
from reportgen.model import NotMeasuredCode
from reportgen.persons import Persons
from reportgen.space.pool import repeats_stay_within_files

FEWEST = 20
"""An attack on fewer people of a side says nothing of how often it succeeds."""


@dataclass(frozen=True)
class Targets:
    """Rows to attack, places among the different rows, both in the order of these: (rows,). No holdout: None.

    One row of each person, so that attempts are independent of each other.
    """

    original: Ints
    holdout: Ints | None

    def drawn(self, most: int, random: np.random.Generator) -> Targets:
        """Draw at most so many rows of each side."""
        return Targets(_some(self.original, most, random), self._of_holdout(most, random))

    def _of_holdout(self, most: int, random: np.random.Generator) -> Ints | None:
        return None if self.holdout is None else _some(self.holdout, most, random)


def targets(
    original: Ints, holdout: Ints | None, persons: Persons | None, random: np.random.Generator
) -> Targets | NotMeasuredCode:
    """Choose who can be attacked: every row or, where rows belong to persons, a random one of each.

    `original`, `holdout`: places of the rows, `persons`: those of the original rows and then the holdout's. A person
    on both sides can't be exchanged and is not attacked. Where repeats stay within files, each different row counts
    once, as in the leak test: to attack its copies one by one would take one success for many.
    """
    if persons is not None:
        sides = _one_a_person(original, holdout, persons, random)
        if min(map(len, sides)) < FEWEST and persons.shared:
            return "shared_persons"
    else:
        sides = [np.sort(original)] if holdout is None else [np.sort(original), np.sort(holdout)]
        if holdout is not None and _repeat(original, holdout):
            sides = [np.unique(side) for side in sides]
    if min(map(len, sides)) < FEWEST:
        return "too_few_targets"
    return Targets(sides[0], None if holdout is None else sides[1])


def _repeat(original: Ints, holdout: Ints) -> bool:
    rows = max(int(original.max()), int(holdout.max())) + 1
    own = np.bincount(original, minlength=rows)
    often = own + np.bincount(holdout, minlength=rows)
    return repeats_stay_within_files(often[often > 0], own[often > 0])


def _one_a_person(original: Ints, holdout: Ints | None, persons: Persons, random: np.random.Generator) -> list[Ints]:
    rows = original if holdout is None else np.concatenate((original, holdout))
    order = np.lexsort((rows, persons.person))
    # Shuffled within each person only after they were put in order, so that the draw depends on contents alone.
    order = order[np.lexsort((random.random(len(rows)), persons.person[order]))]
    mine = persons.moves[order] if holdout is not None else np.ones(len(order), dtype=bool)
    order = order[mine]
    chosen = order[np.unique(persons.person[order], return_index=True)[1]]
    inside = persons.original[chosen]
    return (
        [np.sort(rows[chosen[inside]])]
        if holdout is None
        else [
            np.sort(rows[chosen[inside]]),
            np.sort(rows[chosen[~inside]]),
        ]
    )


def _some(rows: Ints, most: int, random: np.random.Generator) -> Ints:
    if len(rows) <= most:
        return rows
    return rows[np.sort(random.choice(len(rows), most, replace=False))]
