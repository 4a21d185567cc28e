"""What the metrics are computed from, and the shape that every metric has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reportgen.distances import NeighbourDistances
from reportgen.model import HoldoutKind, Measured, NotMeasured
from reportgen.settings import Settings


@dataclass(frozen=True)
class Draw:
    """One comparison at equal base sizes: the same original rows against synthetic rows and against holdout rows."""

    synthetic: NeighbourDistances
    holdout: NeighbourDistances


@dataclass(frozen=True)
class CopyCounts:
    """Rows identical on all used columns, as read. The holdout's counts are None without a true holdout."""

    synthetic_rows: int
    synthetic_in_original: int
    synthetic_in_holdout: int | None
    synthetic_in_both: int | None
    original_rows: int
    original_in_synthetic: int
    original_with_twin: int
    """Original rows with an identical other original row."""
    different_originals_copied: int
    """Different rows of the original among those found again."""
    holdout_rows: int | None
    holdout_in_original: int | None
    original_in_holdout: int | None
    real_rows_repeat: bool
    """Whether any two rows of original and holdout together are identical."""
    near_twins: bool
    """Whether two different rows of original and holdout agree on all used columns but one."""


@dataclass(frozen=True)
class Evidence:
    """Everything a metric may look at. `draws` is empty where a base has fewer than two rows or none exists."""

    holdout: HoldoutKind
    draws: tuple[Draw, ...]
    drawn_down: bool
    copies: CopyCounts


class Metric(Protocol):
    """A module of this package with one key and one pure function; `metrics.ALL` lists them in report order."""

    KEY: str

    def measure(self, evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasured:
        """Compute the metric's scores and distributions."""
