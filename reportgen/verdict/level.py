"""The rule that makes the level: one order of reading, the first that holds.

high, moderate: evidence of a leak, which stands even where a precondition failed. inconclusive: a precondition of a
low level failed. low: the rest. A holdout that is the synthetic table caps the level at moderate, because the evidence
is then about the wrong file. The level is never an average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.copies import CopyCounts, Reuse
from reportgen.model import Holdout, Level, Measured, Metric, MetricVerdict, Reason, Verdict
from reportgen.settings import FailOn, Settings
from reportgen.verdict import evidence, preconditions

LEVELS: tuple[Level, ...] = ("low", "inconclusive", "moderate", "high")


def judge(
    holdout: Holdout,
    copies: CopyCounts,
    reuse: Sequence[Reuse],
    metrics: Mapping[str, Metric],
    settings: Settings,
) -> Verdict:
    """Read the evidence in order and give the level with all reasons, those that made it first."""
    high: list[Reason] = []
    moderate: list[Reason] = []
    if isinstance(metrics["exact_copies"], Measured):
        high = [*evidence.high(copies, holdout.kind, settings.tolerance), *evidence.reuse_high(reuse)]
        moderate = [] if high else [*evidence.moderate(copies, holdout.kind), *evidence.reuse_moderate(reuse)]
    missing = preconditions.failed(holdout, copies, metrics, settings)
    level: Level
    if high:
        level = "moderate" if preconditions.holdout_is_synthetic(copies) else "high"
    elif moderate:
        level = "moderate"
    else:
        level = "inconclusive" if missing else "low"
    return Verdict(level=level, tolerance=settings.tolerance, upper_bound=None, reasons=(*high, *moderate, *missing))


def metric_verdicts(verdict: Verdict, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Write into each tested metric the level it argues for; the seeds' scores stay context."""
    argued: dict[str, MetricVerdict] = {}
    if isinstance(metrics.get("exact_copies"), Measured):
        argued["exact_copies"] = "low"
    for reason in verdict.reasons:
        if reason.metric == "exact_copies" and reason.code in evidence.CODES:
            argued["exact_copies"] = verdict.level
    return {
        key: metric.model_copy(update={"verdict": argued[key]})
        if key in argued and isinstance(metric, Measured)
        else metric
        for key, metric in metrics.items()
    }


def gate_is_met(verdict: Verdict, fail_on: FailOn) -> bool:
    """Whether the level lies below the one that the gate fails on, and no metric failed."""
    if fail_on == "never":
        return True
    if any(reason.code == "metric_failed" for reason in verdict.reasons):
        return False
    return LEVELS.index(verdict.level) < LEVELS.index(fail_on)
