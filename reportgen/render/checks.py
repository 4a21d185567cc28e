"""What a pipeline checks, rule by rule: those of the release gate, and the verdict of each metric.

JUnit, OpenMetrics and in-toto tell the same list in their own ways. A rule is `passed` only where it was tested and
found nothing. What argues for a level that the gate does not fail on, and what is waived, is `warned`; what makes no
verdict is `skipped`; a measurement that broke down is an `error`: nothing of that is ever shown as passed. A metric
fails or errs only where the gate does so too, so that a dashboard is never red beside an exit code of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen import gate
from reportgen.model import LEVELS, Level, Measured, Metric, NotMeasured, Reason, Result
from reportgen.render import scores
from reportgen.render.answers import answer
from reportgen.render.first_page import reason_view
from reportgen.render.rules import closing_line, waiver_words
from reportgen.render.view import Cell
from reportgen.rounding import significant
from reportgen.words import sentence

VERDICT, MEASURED = "verdict", "measured"
"""The two rules of every gate: the level, and that no measurement failed."""

Group = Literal["gate", "metrics"]
Finding = Literal["passed", "warned", "failed", "error", "skipped"]


@dataclass(frozen=True)
class Check:
    """One rule and how it went."""

    group: Group
    name: str
    """A key that stays the same from run to run: the rule of the gate, or the key of a metric."""
    finding: Finding
    message: str
    """One or a few sentences: what was found."""
    details: tuple[str, ...] = ()
    """Lines behind the message: values and limits, further sentences."""


@dataclass(frozen=True)
class Checks:
    """All rules of a result, with the gate that they were read from."""

    gate: gate.GateReport
    rules: tuple[Check, ...]
    """Those of the gate first, then the metrics in the order of the report."""


def checks(result: Result) -> Checks:
    """Read a result against its own policy and list all rules."""
    report = gate.gate_of(result)
    failing = {outcome.rule for outcome in report.failing}
    metrics = (
        _metric(key, metric, result, fails=VERDICT in failing, errs=MEASURED in failing)
        for key, metric in scores.ordered_metrics(result)
    )
    return Checks(report, (*(_outcome(one, report, result) for one in report.outcomes), *metrics))


def waiver_lines(report: gate.GateReport) -> tuple[str, ...]:
    """The waivers that no rule needed, a sentence each; those that a rule needed stand in its text."""
    return tuple(sentence("check.unused", rule=one.rule, words=waiver_words(one, report)) for one in report.unused)


def _outcome(outcome: gate.Outcome, report: gate.GateReport, result: Result) -> Check:
    finding: Finding = "passed" if outcome.met else "warned" if outcome.waived else "failed"
    figure = "" if outcome.value is None else significant(outcome.value, 6)
    details = [
        *([sentence("check.value", value=figure)] if figure else []),
        sentence("check.limit", limit=outcome.limit),
    ]
    if outcome.rule == VERDICT:
        details += [reason.text for reason in result.verdict.reasons]
        details += [] if outcome.passes else [closing_line(result, report)]
        if result.settings.fail_on == "never":  # nothing was asked of the level, so nothing is passed
            finding = "skipped" if result.verdict.level == "low" else "warned"
    return Check("gate", outcome.rule, finding, outcome.text, tuple(details))


def _metric(key: str, metric: Metric, result: Result, *, fails: bool, errs: bool) -> Check:
    """What a metric argues for. `fails`, `errs`: whether the gate fails on the level, and on a failed measurement."""
    reasons = [reason for reason in result.verdict.reasons if reason.metric == key]
    if isinstance(metric, NotMeasured):
        text = sentence("check.not_measured", reason=metric.reason)
        if metric.code == "failed":
            return Check("metrics", key, "error" if errs else "warned", text)
        if not reasons:
            return Check("metrics", key, "skipped", text)
        text = f"{text} {' '.join(reason.text for reason in reasons)}"
        return _argued(key, "inconclusive", text, (), result, fails=fails)
    text = answer(key, metric, result)
    details = (*_figures(reasons), *_score_lines(key, metric, result))
    if metric.verdict == "context":
        return Check("metrics", key, "skipped", sentence("check.descriptive", text=text), details)
    if metric.verdict == "low":
        return Check("metrics", key, "passed", text, details)
    if "not_trusted" in metric.notes and not reasons:  # an attack too weak to tell anything: nothing is passed
        return Check("metrics", key, "skipped", text, details)
    text = " ".join(reason.text for reason in reasons) or text
    return _argued(key, metric.verdict, text, details, result, fails=fails)


def _argued(key: str, level: Level, text: str, details: tuple[str, ...], result: Result, *, fails: bool) -> Check:
    """A metric that argues for a level above low: it fails where the gate fails, and on that level."""
    limit = result.settings.fail_on
    if fails and limit != "never" and LEVELS.index(level) >= LEVELS.index(limit):
        return Check("metrics", key, "failed", text, details)
    name = "inconclusive" if level == "inconclusive" else "tolerated"
    message = sentence(f"check.{name}", level=sentence(f"verdict.level.{level}"), text=text)
    return Check("metrics", key, "warned", message, details)


def _figures(reasons: Sequence[Reason]) -> list[str]:
    """Value, bound and limit of each reason that has them, a line each."""
    views = [reason_view(reason) for reason in reasons]
    figures = [(name, getattr(view, name)) for view in views for name in ("value", "bound", "limit")]
    return [sentence(f"check.{name}", **{name: text}) for name, text in figures if text]


def _score_lines(key: str, metric: Measured, result: Result) -> list[str]:
    """The scores of the summary, a line each: name, value, unit, and what stands beside it."""
    lines = []
    for name, score in scores.summary_scores(key, metric).items():
        beside: tuple[Cell, ...] = (
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
