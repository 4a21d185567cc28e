"""The rules of the release gate in words: lines for a terminal, the closing line, and what page 1 says."""

from __future__ import annotations

import json
from collections.abc import Iterator

from reportgen.gate import GateReport, Outcome, gate_of
from reportgen.model import Result
from reportgen.policy import Waiver
from reportgen.shown import escaped, one_line
from reportgen.subject import in_its_words
from reportgen.words import sentence

MOST_NAMED = 3
"""Failing rules that the closing line gives in full; `check` and the reports list all."""


def state(outcome: Outcome) -> str:
    """Return "met", "not met" or "waived"."""
    return sentence(f"gate.state.{'met' if outcome.met else 'waived' if outcome.waived else 'not_met'}")


def rule_lines(report: GateReport) -> Iterator[tuple[str, ...]]:
    """Give the fields of a line a rule (state, rule, value, limit, sentence), then of each waiver nobody needed."""
    for outcome in report.outcomes:
        value = "" if outcome.value is None else json.dumps(outcome.value)
        yield state(outcome), outcome.rule, value, outcome.limit, outcome.text
    for waiver in report.unused:
        yield sentence("gate.state.unused_waiver"), waiver.rule, "", "", waiver_words(waiver, report)


def needed_state(report: GateReport, waiver: Waiver) -> str:
    """Return whether a waiver lets its rule fail, no longer does, or is not needed."""
    outcomes = [outcome for outcome in report.outcomes if outcome.rule == waiver.rule]
    name = "waiver_unused"
    if any(outcome.waived for outcome in outcomes):
        name = "waiver_in_force"
    elif any(outcome.expired for outcome in outcomes):
        name = "waiver_expired" if report.day > waiver.until else "waiver_too_little"
    return sentence(f"gate.state.{name}")


def waiver_words(waiver: Waiver, report: GateReport) -> str:
    """Say until when, by whom and why a rule is waived, or was."""
    return sentence(
        f"rule.waiver_{'expired' if report.day > waiver.until else 'in_force'}",
        until=waiver.until.isoformat(),
        by=escaped(waiver.by),
        reason=escaped(waiver.reason),
        level=waiver.level,
    )


@in_its_words
def closing_line(result: Result, report: GateReport) -> str:
    """Say in one line why the gate is not met: verdict, limit, reason, and what would change it."""
    verdict, failing = result.verdict, report.failing
    by_level = any(outcome.rule == "verdict" for outcome in failing)
    others = [outcome for outcome in failing if outcome.rule != "verdict"]
    parts = []
    if by_level:
        parts.append(verdict.reasons[0].text if verdict.reasons else "")
        parts += [outcome.text for outcome in failing if outcome.rule == "verdict" and outcome.expired]
    parts += [outcome.text for outcome in others[:MOST_NAMED]]
    if len(others) > MOST_NAMED:
        parts.append(sentence("gate.more_rules", number=len(others) - MOST_NAMED))
    changes = [_change_of_level(result)] if by_level else []
    changes += [sentence(f"gate.change.{kind}") for kind in dict.fromkeys(_kind(outcome) for outcome in others)]
    return sentence(
        "gate.closing",
        level=verdict.level,
        fail_on=report.policy.fail_on,
        why=" ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts if part),
        changes=changes,
        level_only=not others,
        by_level=by_level,
        inconclusive=verdict.level == "inconclusive" and result.holdout.kind == "provided",
    )


def _change_of_level(result: Result) -> str:
    lacks_holdout = result.verdict.level == "inconclusive" and result.holdout.kind != "provided"
    return sentence(f"gate.change.{'no_true_holdout' if lacks_holdout else result.verdict.level}")


def _kind(outcome: Outcome) -> str:
    """The kind of a rule, for what would change its outcome."""
    if outcome.expired is not None:
        return "expired"
    if outcome.rule in {"measured", "tolerance", "holdout", "age", "tool_version", "baseline"}:
        return outcome.rule
    prefix = outcome.rule.partition(".")[0]
    scored = "score" if outcome.value is not None else "absent"
    return {"settings": "settings", "baseline": "worsening"}.get(prefix, scored)


@in_its_words
def gate_sentence(result: Result) -> str:
    """Say on one line whether the gate is met, by which rules, and with which waivers."""
    report = gate_of(result)
    failing = [outcome.rule for outcome in report.failing]
    if result.policy is not None or result.baseline is not None:
        name = "rules_met" if report.met else "rules_not_met"
    elif report.policy.fail_on == "never":
        name = "never"
    else:
        name = "met" if report.met else "not_met" if "verdict" in failing else "failed"
    return sentence(
        f"verdict.gate.{name}",
        limit=report.policy.fail_on,
        rules=len(report.outcomes),
        failing=[one_line(rule) for rule in failing],
        waived=[
            f"{one_line(outcome.rule)} until {outcome.waived.until.isoformat()}"
            for outcome in report.outcomes
            if outcome.waived is not None
        ],
    )
