"""What the metrics are computed from, and the shape that every metric has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reportgen.copies import CopyCounts
from reportgen.distances import Ints, NeighbourDistances
from reportgen.model import HoldoutKind, Measured, NotMeasuredCode
from reportgen.settings import Settings


@dataclass(frozen=True)
class Draw:
    """One comparison at equal base sizes: the same original rows against synthetic rows and against holdout rows."""

    synthetic: NeighbourDistances
    holdout: NeighbourDistances
    synthetic_groups: Ints
    """Shape (synthetic base rows,): equal for rows that are identical."""


@dataclass(frozen=True)
class Evidence:
    """Everything a metric may look at. `draws` is empty where either base has fewer than two rows."""

    holdout: HoldoutKind
    draws: tuple[Draw, ...]
    copies: CopyCounts


class Metric(Protocol):
    """A module of this package with one key and one pure function; `metrics.ALL` lists them in report order."""

    KEY: str

    def measure(
        self, evidence: Evidence, settings: Settings, random: np.random.Generator
    ) -> Measured | NotMeasuredCode:
        """Compute the metric's scores and distributions, or tell by its code why there are none."""
