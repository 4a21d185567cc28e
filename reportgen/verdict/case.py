"""Everything that the verdict is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.copies import CopyCounts, Reuse
from reportgen.model import Detectable, Holdout, Measured, Metric, Score
from reportgen.settings import Settings, Thresholds


def persons_differ(holdout: Holdout, thresholds: Thresholds) -> bool:
    """Whether persons of original and holdout differ in their numbers of rows as those drawn alike hardly do.

    Read against the level of the other test of what a holdout is, that for shared rows.
    """
    return holdout.rows_p_value is not None and holdout.rows_p_value <= thresholds.leaky_holdout


@dataclass(frozen=True)
class Case:
    """Holdout, counts of copies, outcomes of the metrics, smallest leak that would have been noticed, settings."""

    holdout: Holdout
    copies: CopyCounts
    reuse: tuple[Reuse, ...]
    metrics: Mapping[str, Metric]
    detectable: Detectable
    settings: Settings

    @property
    def tolerance(self) -> float:
        """The leak that the user accepts, as a share of the synthetic rows."""
        return self.settings.tolerance / 100

    @property
    def looking(self) -> int:
        """How many synthetic rows looked for their neighbours."""
        return min(self.copies.synthetic_rows, self.settings.max_queries or self.copies.synthetic_rows)

    @property
    def drawn_down(self) -> bool:
        """Whether more rows could look than do, which would show smaller leaks."""
        return self.looking < self.copies.synthetic_rows

    @property
    def persons_differ(self) -> bool:
        """Whether persons can't be taken as interchangeable, so that no test of their labels is exact."""
        return persons_differ(self.holdout, self.settings.thresholds)

    def score(self, metric: str, name: str) -> Score | None:
        """Return a score, None where it was not measured."""
        outcome = self.metrics.get(metric)
        return outcome.scores.get(name) if isinstance(outcome, Measured) else None

    def value(self, metric: str, name: str) -> float | None:
        """Return a score's value, None where it was not measured."""
        score = self.score(metric, name)
        return None if score is None else score.value

    def measured(self, metric: str) -> bool:
        """Whether a metric has values."""
        return isinstance(self.metrics.get(metric), Measured)
