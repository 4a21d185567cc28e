"""What a pipeline checks, rule by rule: the release gate, and the verdict of each metric.

JUnit, SARIF, Markdown, OpenMetrics and in-toto tell the same list in their own ways. A rule is `passed` only where it
was tested and found nothing. What argues for a level that the gate does not fail on is `warned`, what makes no verdict
is `skipped`, and a measurement that broke down is an `error`: nothing of that is ever shown as passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.model import Level, Measured, Metric, NotMeasured, Reason, Result
from reportgen.render import scores
from reportgen.render.answers import answer
from reportgen.render.first_page import gate, reason_view
from reportgen.render.view import Row
from reportgen.verdict.level import LEVELS, gate_is_met
from reportgen.words import sentence

Group = Literal["gate", "policy", "metrics"]
Outcome = Literal["passed", "warned", "failed", "error", "skipped"]
VERDICT = "verdict"
"""The rule of the release gate."""


@dataclass(frozen=True)
class Check:
    """One rule and how it went."""

    group: Group
    name: str
    """A key that stays the same from run to run: `verdict`, or the key of a metric."""
    outcome: Outcome
    message: str
    """One or a few sentences: what was found."""
    details: tuple[str, ...] = ()
    """Lines behind the message: values and limits, further sentences."""


def checks(result: Result) -> tuple[Check, ...]:
    """List all rules: the gate first, then the metrics in the order of the report."""
    return (_gate(result), *(_metric(key, metric, result) for key, metric in scores.ordered_metrics(result)))


def _gate(result: Result) -> Check:
    verdict, limit = result.verdict, result.settings.fail_on
    outcome: Outcome = "passed" if gate_is_met(verdict, limit) else "failed"
    if limit == "never":
        outcome = "skipped" if verdict.level == "low" else "warned"
    message = sentence("check.gate", gate=gate(result), level=sentence(f"verdict.level.{verdict.level}"))
    return Check("gate", VERDICT, outcome, message, tuple(reason.text for reason in verdict.reasons))


def _metric(key: str, metric: Metric, result: Result) -> Check:
    reasons = [reason for reason in result.verdict.reasons if reason.metric == key]
    if isinstance(metric, NotMeasured):
        return _not_measured(key, metric, reasons, result)
    text = answer(key, metric, result)
    details = (*_limits(reasons), *_score_lines(key, metric, result))
    if metric.verdict == "context":
        return Check("metrics", key, "skipped", sentence("check.descriptive", text=text), details)
    if metric.verdict == "low":
        return Check("metrics", key, "passed", text, details)
    text = " ".join(reason.text for reason in reasons) or text
    return _argued(key, metric.verdict, text, details, result)


def _not_measured(key: str, metric: NotMeasured, reasons: Sequence[Reason], result: Result) -> Check:
    text = sentence("check.not_measured", reason=metric.reason)
    if metric.code == "failed" and result.settings.fail_on != "never":
        return Check("metrics", key, "error", text)
    if not reasons:
        return Check("metrics", key, "skipped", text)
    return _argued(key, "inconclusive", f"{text} {' '.join(reason.text for reason in reasons)}", (), result)


def _argued(key: str, level: Level, text: str, details: tuple[str, ...], result: Result) -> Check:
    """A metric that argues for a level above low: it fails where the gate fails on that level."""
    limit = result.settings.fail_on
    if limit != "never" and LEVELS.index(level) >= LEVELS.index(limit):
        return Check("metrics", key, "failed", text, details)
    name = "inconclusive" if level == "inconclusive" else "tolerated"
    message = sentence(f"check.{name}", level=sentence(f"verdict.level.{level}"), text=text)
    return Check("metrics", key, "warned", message, details)


def _limits(reasons: Sequence[Reason]) -> list[str]:
    """Value, bound and limit of each reason that has them, a line each."""
    views = [reason_view(reason) for reason in reasons]
    figures = [(name, getattr(view, name)) for view in views for name in ("value", "bound", "limit")]
    return [sentence(f"check.{name}", **{name: text}) for name, text in figures if text]


def _score_lines(key: str, metric: Measured, result: Result) -> list[str]:
    """The scores of the summary, a line each: name, value, unit, and what stands beside it."""
    lines = []
    for name, score in scores.summary_scores(key, metric).items():
        beside: Row = (
            scores.value_cell(score, key, name),
            scores.interval_cell(score, key, name),
            scores.reference_cell(score, key, name),
        )
        value, interval, reference = (cell.text for cell in beside)
        text = f"{scores.label(result, key, name)}: {value} ({scores.unit_words(result, key, name, score)})"
        parts = [
            f"{scores.inner(sentence(f'summary.{what}'))} {shown}"
            for what, shown in (("interval", interval), ("reference", reference))
            if shown != "–"
        ]
        lines.append("; ".join((text, *parts)))
    return lines
