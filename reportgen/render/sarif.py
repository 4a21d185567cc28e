"""SARIF 2.1.0: a rule a metric; results for the verdict's reasons, failed rules of a policy, warnings and notices.

High is an error, moderate and inconclusive are warnings, notices are notes. A low verdict has no reason to show, so it
leaves no result unless there is a warning. What a waiver accepts is suppressed, with its reason. There is one location,
the synthetic file by its name: nothing here points at a row. A metric that broke down is told of as a notification of
the tool as well.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any
from urllib.parse import quote

from reportgen.gate import GateReport, gate_of
from reportgen.model import InputFile, Measured, NotMeasured, Reason, Result, digest
from reportgen.policy import Waiver
from reportgen.render import scores
from reportgen.render.checks import MEASURED, VERDICT, waiver_lines
from reportgen.render.rendered import RenderedBy
from reportgen.render.rules import waiver_words
from reportgen.render.sarif_rules import GATE, SarifLevel, rules_of, shown_text
from reportgen.shown import escaped
from reportgen.subject import in_its_words
from reportgen.words import sentence

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: dict[str, SarifLevel] = {"high": "error", "moderate": "warning", "inconclusive": "warning"}
SEVERITIES: dict[str, SarifLevel] = {"warning": "warning", "notice": "note"}
"""Findings that are shown; plain information stays in the report."""
EVIDENCE = ("leak_test_", "leak_size_", "holdout_share_", "exact_copies_", "identifier_reuse", "closer_", "secondary_")
"""How the codes of reasons that speak for a leak begin; the others say what a low verdict lacks."""
SAME_AS = {"no_true_holdout": "approximate_holdout"}
"""Reasons beside which a finding of another code would say the same again."""
FINGERPRINT = "reportgenReason/v1"


@in_its_words
def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the log: one run."""
    report = gate_of(result)
    found = _results(result, report)
    rules = rules_of(result, [one["ruleId"] for one in found])
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    for one in found:  # which rules there are is known only now
        one["ruleIndex"] = places[one["ruleId"]]
    run = {
        "tool": {
            "driver": {
                "name": result.tool.name,
                "version": result.tool.version,
                "semanticVersion": result.tool.version,
                "rules": rules,
            }
        },
        # Lets one repository keep the results of several data sets apart.
        "automationDetails": {"id": f"reportgen/{_uri(result.inputs.synthetic)}/"},
        "invocations": [_invocation(result, report)],
        "artifacts": _artifacts(result),
        "results": found,
        "properties": {
            "verdict": result.verdict.level,
            "gateMet": report.met,
            "tolerancePercent": result.verdict.tolerance,
            "resultSha256": digest(result),
            "renderedBy": f"{result.tool.name} {rendering.tool_version}",
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return (json.dumps(log, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _results(result: Result, report: GateReport) -> list[dict[str, Any]]:
    """One for each reason of the verdict, each rule of the gate that fails, and each warning or notice."""
    found = []
    seen: Counter[str] = Counter()
    waived = {outcome.rule: outcome.waived for outcome in report.outcomes if outcome.waived}
    for reason in result.verdict.reasons:
        if reason.code != "no_leak_found":
            rule = reason.metric or reason.code
            one = _result(result, rule, reason.code, _level(reason, result), reason.text, seen)
            found.append(_suppressed(one, waived.get(VERDICT), report))
    for outcome in report.outcomes:
        if not outcome.met and outcome.rule not in {VERDICT, MEASURED}:  # those two have their reasons already
            one = _result(result, f"{GATE}{escaped(outcome.rule)}", escaped(outcome.rule), "error", outcome.text, seen)
            found.append(_suppressed(one, outcome.waived, report))
    told = {SAME_AS.get(reason.code, reason.code) for reason in result.verdict.reasons}
    for finding in result.findings:
        level = SEVERITIES.get(finding.severity)
        if level is not None and finding.code not in told:
            found.append(
                _suppressed(_result(result, finding.code, finding.code, level, finding.text, seen), None, report)
            )
    return found


def _suppressed(one: dict[str, Any], waiver: Waiver | None, report: GateReport) -> dict[str, Any]:
    """Mark what a waiver accepts; its words stand in SARIF's own place for them."""
    if waiver is None:
        return {**one, "suppressions": []}
    accepted = {"kind": "external", "status": "accepted", "justification": escaped(waiver_words(waiver, report))}
    return {**one, "suppressions": [accepted]}


def _level(reason: Reason, result: Result) -> SarifLevel:
    """What a reason argues for: as its metric says, at most the verdict itself; what is lacking is a warning.

    A measurement that broke down is an error: no gate passes it.
    """
    if not reason.code.startswith(EVIDENCE):
        return "error" if reason.code == "metric_failed" else LEVELS["inconclusive"]
    metric = result.metrics.get(reason.metric or "")
    argued = metric.verdict if isinstance(metric, Measured) else result.verdict.level
    return LEVELS.get(argued, "warning")


def _result(result: Result, rule: str, code: str, level: SarifLevel, text: str, seen: Counter[str]) -> dict[str, Any]:
    """A result; `seen` counts those of one rule and code, so that each keeps a fingerprint of its own."""
    synthetic = result.inputs.synthetic
    seen[f"{rule}/{code}"] += 1
    # Made of what stays the same from run to run, never of a number: a viewer then knows the finding again.
    identity = "\n".join((rule, code, synthetic.name, str(seen[f"{rule}/{code}"])))
    fingerprint = hashlib.sha256(identity.encode()).hexdigest()
    return {
        "ruleId": rule,
        "kind": "fail",
        "level": level,
        "message": {"text": shown_text(text)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(synthetic), "index": 0},
                    "region": {"startLine": 1},
                },
                "message": {"text": sentence("sarif.whole_file")},
            }
        ],
        # GitHub reads the second name only.
        "partialFingerprints": {FINGERPRINT: fingerprint, "primaryLocationLineHash": f"{fingerprint[:16]}:1"},
        "properties": {"code": code},
    }


def _invocation(result: Result, report: GateReport) -> dict[str, Any]:
    """Whether every measurement ran, those that did not, and waivers that nothing needed."""
    broken = [
        (key, metric.reason)
        for key, metric in scores.ordered_metrics(result)
        if isinstance(metric, NotMeasured) and metric.code == "failed"
    ]
    return {
        "executionSuccessful": not broken,
        "commandLine": escaped(result.command),
        "endTimeUtc": result.created,
        "toolExecutionNotifications": [
            {"level": "error", "message": {"text": shown_text(reason)}, "associatedRule": {"id": key}}
            for key, reason in broken
        ],
        "toolConfigurationNotifications": [
            {"level": "note", "message": {"text": shown_text(line)}} for line in waiver_lines(report)
        ],
    }


def _artifacts(result: Result) -> list[dict[str, Any]]:
    """The tables; the synthetic one is first, where locations point."""
    inputs = result.inputs
    tables = (("synthetic", inputs.synthetic), ("original", inputs.original), ("holdout", inputs.holdout))
    return [
        {
            "location": {"uri": _uri(file), "description": {"text": sentence(f"sarif.{side}")}},
            "roles": ["analysisTarget"] if side == "synthetic" else ["referencedOnCommandLine"],
            **({"hashes": {"sha-256": file.sha256}} if file.sha256 else {}),
        }
        for side, file in tables
        if file is not None
    ]


def _uri(file: InputFile) -> str:
    """The base name as a relative reference; no sign in it can be taken for a scheme, a folder or a query."""
    return quote(file.name, safe="") or "table"
