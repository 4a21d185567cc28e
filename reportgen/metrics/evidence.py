"""What the metrics are computed from, and the shape that every metric has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.attempts import NOT_ATTACKED, Attacked
from reportgen.copies import CopyCounts, Reuse
from reportgen.distances import Floats, Ints, NeighbourDistances, RealRows, SyntheticRows
from reportgen.model import HoldoutKind, Measured, NotMeasuredCode
from reportgen.persons import Persons
from reportgen.settings import Settings

Direction = Literal["original_to_synthetic", "original_to_original", "synthetic_to_original", "holdout_to_original"]
"""Who looks for whom, all rows of both tables; a row of the original is never its own neighbour. The holdout is a true
one or absent. With persons the two closest original rows are of two persons, neither a row's own in the original."""
Need = Literal["draws", "pool", "leads", "singling_out", "linkability", "inference"] | Direction
"""`leads`: all directions in the space of each lead, where the rows are records of signals; the last three: attacks."""


@dataclass(frozen=True)
class Draw:
    """One comparison at equal base sizes: the same original rows against synthetic rows and against holdout rows."""

    synthetic: NeighbourDistances
    holdout: NeighbourDistances
    synthetic_groups: Ints
    """Shape (synthetic base rows,): equal for rows that are identical."""
    isolated: NDArray[np.bool_]
    """Shape (queries,): the most isolated original rows; none where the original is too small to name five."""
    persons: Ints | None = None
    """Shape (queries,): whose each original row is (`--group`); None where each is a person of its own."""

    @property
    def isolated_people(self) -> int:
        """How many of the isolated rows there are, counted in persons where these are known."""
        if self.persons is None:
            return int(self.isolated.sum())
        return len(np.unique(self.persons[self.isolated]))


@dataclass(frozen=True)
class Pooled:
    """The synthetic rows among all real rows, original and holdout alike; without a holdout, among the original rows.

    `to_synthetic`: distance of each different real row to its closest synthetic row, shape (rows of U,); None without
    a holdout, and then nothing was searched with columns left out. `supported`:
    share of the synthetic rows that lie as near to a real row as 99 % of the real rows lie to each other.
    """

    real: RealRows
    synthetic: SyntheticRows
    to_synthetic: Floats | None
    supported: float


@dataclass(frozen=True)
class LeadDistances:
    """All directions, in the space of one lead of signals."""

    name: str
    searches: Mapping[Direction, NeighbourDistances]


@dataclass(frozen=True)
class Evidence:
    """Everything a metric may look at: what its NEEDS name, and the counts of copies.

    `draws` is empty where either base has fewer than two rows; a direction is absent where its base has.
    """

    holdout: HoldoutKind
    copies: CopyCounts
    draws: tuple[Draw, ...]
    searches: Mapping[Direction, NeighbourDistances]
    pool: Pooled | None = None
    """None where fewer than three different real rows exist."""
    reuse: tuple[Reuse, ...] = ()
    """Of the text columns that take no part in the distances."""
    leads: tuple[LeadDistances, ...] | None = None
    """The leads that are not flat, in their order; None for tables."""
    persons: Persons | None = None
    """Whose the real rows are, original before holdout, in the order of the searches; None without `--group`."""
    attacked: Attacked = NOT_ATTACKED

    @property
    def original_persons(self) -> Ints | None:
        """Whose each original row is, shape (original rows,); None without `--group`."""
        return None if self.persons is None else self.persons.of_original.person

    @property
    def holdout_persons(self) -> Ints | None:
        """Whose each holdout row is, shape (holdout rows,); None without `--group`."""
        return None if self.persons is None else self.persons.of_holdout.person


class Metric(Protocol):
    """A module of this package with a key, what it needs, and one pure function; `metrics.ALL` lists them."""

    KEY: str
    NEEDS: tuple[Need, ...]

    def measure(
        self, evidence: Evidence, settings: Settings, random: np.random.Generator
    ) -> Measured | NotMeasuredCode:
        """Compute the metric's scores and distributions, or tell by its code why there are none."""
