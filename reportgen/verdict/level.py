"""The rule that makes the level: one order of reading, the first that holds.

high, moderate: evidence of a leak, which stands even where a precondition failed. inconclusive: a precondition of a
low level failed. low: the rest. A holdout that is the synthetic table, or files that seem to be exchanged, cap the
level at moderate, because the evidence is then about the wrong file. The level is never an average.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.model import Level, Measured, Metric, MetricVerdict, Reason, Verdict
from reportgen.score_names import ATTACKS
from reportgen.verdict import preconditions
from reportgen.verdict.case import Case
from reportgen.verdict.evidence import Evidence, find_evidence
from reportgen.words import sentence

TESTED = (
    "exact_copies",
    "leak_test",
    "leak_size",
    "closer_than_people",
    "holdout_share",
    "membership_inference",
    "singling_out",
    "linkability",
    "inference",
)
"""Metrics that argue for a level; the others are context."""


NO_CONTROLS = frozenset({"holdout_is_synthetic", "swapped_roles", "leaky_holdout", "persons_differ"})
"""Reasons why the rows of the holdout are no people of whom the generator knew nothing, and who are like the others."""


def judge(case: Case) -> Verdict:
    """Read the evidence in order and give the level with all reasons, those that made it first."""
    evidence = find_evidence(case)
    missing = preconditions.failed(case, found=bool(evidence))
    excess = case.score("leak_size", "excess")
    level = _level(case, evidence, missing)
    reasons = [*(one.reason for one in evidence), *missing]
    if level == "low":
        reasons.append(_no_leak_found(case))
    return Verdict(
        level=level,
        tolerance=case.settings.tolerance,
        upper_bound=None if excess is None or excess.high is None else 100 * excess.high,
        reasons=tuple(reasons),
    )


def _level(case: Case, evidence: Sequence[Evidence], missing: Sequence[Reason]) -> Level:
    if evidence:
        wrong_file = preconditions.holdout_is_synthetic(
            case.copies, case.settings.thresholds
        ) or preconditions.is_swapped(case)
        return "high" if evidence[0].level == "high" and not wrong_file else "moderate"
    return "inconclusive" if missing else "low"


def _no_leak_found(case: Case) -> Reason:
    p_value, excess = case.value("leak_test", "p_value"), case.score("leak_size", "excess")
    bound = None if excess is None else excess.high
    text = sentence(
        "reason.no_leak_found",
        p=p_value,
        bound=None if bound is None else 100 * bound,
        limit=100 * case.tolerance,
        share=None if case.detectable.share is None else 100 * case.detectable.share,
        power=100 * case.detectable.power,
    )
    return Reason(
        code="no_leak_found",
        metric="leak_test",
        text=text,
        value=p_value,
        limit=case.settings.thresholds.leak_test,
        unit="probability",
    )


def controlled(verdict: Verdict) -> bool:
    """Whether success on the holdout is what an attack achieves on people whom the generator did not see."""
    return NO_CONTROLS.isdisjoint(reason.code for reason in verdict.reasons)


def _clears_nothing(attack: Metric | None, verdict: Verdict) -> MetricVerdict | None:
    """What an attack argues for that has no control, or none to rely on, or that does no better than guessing."""
    if not isinstance(attack, Measured):
        return None
    if "no_control" in attack.notes:
        return "context"
    return None if controlled(verdict) and "not_trusted" not in attack.notes else "inconclusive"


def metric_verdicts(verdict: Verdict, case: Case) -> dict[str, Metric]:
    """Write into each tested metric the level it argues for: low if it was tested and argues for nothing."""
    argued: dict[str, MetricVerdict] = {key: "low" for key in TESTED if case.measured(key)}
    argued |= {key: weak for key in ATTACKS if (weak := _clears_nothing(case.metrics.get(key), verdict)) is not None}
    excess = case.score("leak_size", "excess")
    if excess is not None and excess.high is not None and excess.high > case.tolerance:
        argued["leak_size"] = "inconclusive"
    for evidence in reversed(find_evidence(case)):
        if evidence.reason.metric is not None:
            capped = evidence.level == "high" and verdict.level == "moderate"
            argued[evidence.reason.metric] = "moderate" if capped else evidence.level
    return {
        key: metric.model_copy(update={"verdict": argued[key]})
        if key in argued and isinstance(metric, Measured)
        else metric
        for key, metric in case.metrics.items()
    }
