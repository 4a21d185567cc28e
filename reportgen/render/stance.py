"""On which side of its reference a score lies, and what that amounts to over all scores that only describe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.model import Measured, Result, Score
from reportgen.render import scores

Stance = Literal["below", "not_below", "unknown"]


@dataclass(frozen=True)
class Descriptive:
    """A score that describes closeness and makes no verdict."""

    key: str
    name: str
    closer: bool
    """Whether its whole interval lies on the side of closeness to the original."""


def stance(score: Score | None) -> Stance:
    """Whether the whole interval lies below the reference; without an interval the value alone decides."""
    if score is None or score.note == "reference_zero" or score.reference is None:
        return "unknown"
    highest = score.value if score.high is None else score.high
    return "below" if highest < score.reference else "not_below"


def above(score: Score) -> bool:
    """Whether the whole interval lies above the reference; without an interval or a reference it does not."""
    return score.low is not None and score.reference is not None and score.low > score.reference


def worse(score: Score) -> bool:
    """Whether the whole interval lies on the side of a leak."""
    if score.better == "higher":
        return stance(score) == "below"
    return score.better == "lower" and above(score)


def descriptive(result: Result) -> tuple[Descriptive, ...]:
    """All scores of the summary that have a better direction and a reference, but make no verdict."""
    return tuple(
        Descriptive(key, name, worse(score))
        for key, metric in scores.ordered_metrics(result)
        if isinstance(metric, Measured) and metric.verdict == "context"
        for name, score in scores.summary_scores(key, metric).items()
        if score.better != "context" and score.reference is not None and score.note != "reference_zero"
    )
