"""What attacks brought back: how often each was tried and how often it succeeded. Counts alone, no row of anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reportgen.model import NotMeasuredCode


class Tries(NamedTuple):
    """So many hits in so many attempts; `number` is above 0."""

    hits: int
    number: int

    @property
    def rate(self) -> float:
        """The share of the attempts that succeeded, 0-1."""
        return self.hits / self.number


@dataclass(frozen=True)
class Attempts:
    """One attack: on original rows, on holdout rows, and what guessing without an attack brings (a rate, 0-1).

    `control` and `p_value` (attack against control, one-sided) are None without a true holdout. `guesses`: in so many
    guesses the baseline was counted; None where it is reckoned.
    """

    attack: Tries
    control: Tries | None
    baseline: float
    p_value: float | None
    guesses: int | None = None


def dealt(inertia: Sequence[float]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Deal columns out to two files by their share of the inertia: places from 0 on, ascending in either.

    Heaviest first, of equal ones the first, in turns of one, two, two and so on: as many to either file, and of about
    the same weight.
    """
    heaviest = sorted(range(len(inertia)), key=lambda column: -inertia[column])
    first = {column for turn, column in enumerate(heaviest) if turn % 4 in {0, 3}}
    return tuple(sorted(first)), tuple(sorted(set(heaviest) - first))


Brought = Mapping[str, Attempts] | NotMeasuredCode | Exception


@dataclass(frozen=True)
class Attacked:
    """What each attack brought, by name, or why it could not be made: by a code, or an error on the way.

    `singling_out` is keyed by the kind of predicate, `inference` by the name of the column that is guessed;
    `linkability` holds one attack without a name.
    """

    singling_out: Brought
    linkability: Brought
    inference: Brought


NOT_ATTACKED = Attacked("not_selected", "not_selected", "not_selected")
"""Where no attack was asked for."""
