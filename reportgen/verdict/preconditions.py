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
    return [*_of_the_rows(holdout, copies), *_of_the_metrics(metrics, settings)]


def _of_the_rows(holdout: Holdout, copies: CopyCounts) -> list[Reason]:
    reasons = []
    fewest = min(copies.original_rows, copies.synthetic_rows, copies.holdout_rows or copies.original_rows)
    if holdout.kind != "provided":
        small = copies.original_rows < SMALL_ORIGINAL
        reasons.append(_reason("no_true_holdout", small=small, rows=copies.original_rows))
    if holdout_is_synthetic(copies):
        same = copies.synthetic_in_holdout
        reasons.append(_reason("holdout_is_synthetic", same=same, rows=copies.synthetic_rows))
    if is_leaky(holdout, copies):
        reasons.append(_reason("leaky_holdout", overlap=holdout.overlap_rows, rows=copies.holdout_rows))
    if fewest < FEWEST_ROWS:
        reasons.append(_reason("too_few_rows", fewest=fewest, needed=FEWEST_ROWS))
    return reasons


def _of_the_metrics(metrics: Mapping[str, Metric], settings: Settings) -> list[Reason]:
    without = {key: metric.code for key, metric in metrics.items() if isinstance(metric, NotMeasured)}
    reasons = [_reason("metric_failed", key, key=key) for key, code in without.items() if code == "failed"]
    if "exact_copies" in without and without["exact_copies"] != "failed":
        code: ReasonCode = "metric_not_selected" if without["exact_copies"] == "not_selected" else "metric_not_measured"
        reasons.append(_reason(code, "exact_copies", key="exact_copies"))
    if "leak_test" in without:
        reasons.append(_reason("leak_test_not_measured", "leak_test"))
    if "leak_size" in without:
        reasons.append(_reason("leak_size_not_measured", "leak_size"))
    reasons.append(_reason("smallest_leak_not_measured", tolerance=settings.tolerance))
    return reasons


def _reason(code: ReasonCode, metric: str | None = None, **numbers: Any) -> Reason:
    return Reason(code=code, metric=metric, text=sentence(f"reason.{code}", **numbers))
