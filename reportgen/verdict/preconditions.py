"""What has to hold before a low level could be given; each failure is a reason that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.copies import CopyCounts
from reportgen.model import Holdout, Metric, NotMeasured, Reason, ReasonCode
from reportgen.settings import Settings
from reportgen.words import sentence

FEWEST_ROWS = 20
"""Fewer rows than this on any side can't carry a verdict."""
SMALL_ORIGINAL = 500
"""Below so many original rows a real holdout would be too small to set aside (seed 000)."""
LEAKY_P_VALUE = 0.01
LEAKY_SHARE = 0.05
"""Share of the holdout that may equal original rows, unless the original has as many twins itself."""
SAME_AS_HOLDOUT = 0.95
"""From this share of synthetic rows on with an identical holdout row, the holdout is taken for the synthetic table."""


def is_leaky(holdout: Holdout, copies: CopyCounts) -> bool:
    """Whether original rows stand in the holdout more often than twins by nature would (metrics.md, trap 6)."""
    if holdout.kind != "provided" or not holdout.overlap_rows or not copies.holdout_rows:
        return False
    share = holdout.overlap_rows / copies.holdout_rows
    own_twins = copies.original_with_twin / copies.original_rows
    p_value = 1.0 if holdout.overlap_p_value is None else holdout.overlap_p_value
    return p_value <= LEAKY_P_VALUE or (share > LEAKY_SHARE and own_twins < share)


def holdout_is_synthetic(copies: CopyCounts) -> bool:
    """Whether nearly every synthetic row has an identical holdout row: the wrong file was given as holdout."""
    return (copies.synthetic_in_holdout or 0) >= SAME_AS_HOLDOUT * copies.synthetic_rows


def failed(holdout: Holdout, copies: CopyCounts, metrics: Mapping[str, Metric], settings: Settings) -> list[Reason]:
    """All preconditions of a low level that don't hold, most fundamental first."""
    reasons: list[Reason] = []

    def add(code: ReasonCode, metric: str | None = None, **numbers: Any) -> None:
        text = sentence(f"reason.{code}", **numbers)
        reasons.append(Reason(code=code, metric=metric, text=text))

    fewest = min(copies.original_rows, copies.synthetic_rows, copies.holdout_rows or copies.original_rows)
    if holdout.kind != "provided":
        add("no_true_holdout", small=copies.original_rows < SMALL_ORIGINAL, rows=copies.original_rows)
    if holdout_is_synthetic(copies):
        add("holdout_is_synthetic", same=copies.synthetic_in_holdout, rows=copies.synthetic_rows)
    if is_leaky(holdout, copies):
        add("leaky_holdout", overlap=holdout.overlap_rows, rows=copies.holdout_rows)
    if fewest < FEWEST_ROWS:
        add("too_few_rows", fewest=fewest, needed=FEWEST_ROWS)
    for key, metric in metrics.items():
        if isinstance(metric, NotMeasured) and metric.code == "failed":
            add("metric_failed", key, key=key)
    if isinstance(metrics["exact_copies"], NotMeasured):
        add("metric_not_selected", "exact_copies", key="exact_copies")
    for key in ("leak_test", "leak_size"):
        if isinstance(metrics[key], NotMeasured):
            add("leak_test_not_measured" if key == "leak_test" else "leak_size_not_measured", key)
    add("smallest_leak_not_measured", tolerance=settings.tolerance)
    return reasons
