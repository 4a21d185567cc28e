"""Section 5: findings, regions, and the three criteria of WP216."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.model import Criterion, Finding, Result
from reportgen.render import scores
from reportgen.render.first_page import CRITERIA, further_reasons
from reportgen.render.score_summary import metric_name
from reportgen.render.view import Cell, Note, Numbering, Row, Table, Tone, capped, heads
from reportgen.rounding import p_value, significant
from reportgen.words import sentence

SEVERITIES = ("warning", "notice", "info")
"""From the most to the least severe."""
TONES: dict[str, Tone] = {"warning": "high", "notice": "moderate", "info": "none"}


@dataclass(frozen=True)
class CoverageSection:
    """Section 5."""

    findings: Table | None
    notes: tuple[Note, ...]
    criteria: Table


def coverage_section(result: Result, numbering: Numbering) -> CoverageSection:
    """Build findings and coverage."""
    findings = _findings(result.findings, numbering) if result.findings else None
    notes = [] if result.findings else [Note(sentence("label.findings"), (sentence("findings.none"),))]
    if further := further_reasons(result):
        notes.insert(0, Note(sentence("findings.further"), further))
    if not any(finding.region for finding in result.findings):
        notes.append(Note(sentence("label.regions"), (sentence("findings.no_region"),)))
    return CoverageSection(
        findings=findings,
        notes=tuple(notes),
        criteria=Table(
            label=numbering.table(),
            caption=sentence("coverage.caption"),
            heads=heads(*(sentence(f"coverage.{name}") for name in ("criterion", "assessed", "by", "finding"))),
            rows=tuple(_criterion(name, getattr(result.coverage, name)) for name in CRITERIA),
            notes=(sentence("coverage.note"),),
        ),
    )


def _findings(findings: tuple[Finding, ...], numbering: Numbering) -> Table:
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    rows, shown = capped([_finding(finding) for finding in ordered])
    return Table(
        label=numbering.table(),
        caption=sentence("findings.caption"),
        heads=heads(sentence("findings.severity"), sentence("findings.finding")),
        rows=rows,
        notes=shown,
        layout="facts",
    )


def _finding(finding: Finding) -> Row:
    symbol = sentence(f"findings.severity_symbol.{finding.severity}")
    word = sentence(f"findings.severity_word.{finding.severity}")
    parts = [finding.text]
    if finding.region is not None:
        parts.append(sentence("findings.region", region=finding.region))
    if finding.expected is not None:
        parts.append(sentence("findings.expected", expected=significant(finding.expected, 3)))
    if finding.p_value is not None:
        parts.append(sentence("findings.p_value", p=p_value(finding.p_value, (0.01, 0.05))))
    return (Cell(f"{symbol} {word}", tone=TONES[finding.severity]), Cell(" ".join(parts)))


def _criterion(name: str, criterion: Criterion) -> Row:
    unanswered = "speaks" if criterion.metrics else "open"
    finding = "attack_ran" if criterion.assessed else unanswered
    metrics = scores.joined([metric_name(key) for key in criterion.metrics])
    return (
        Cell(sentence(f"coverage.{name}"), under=sentence(f"coverage.{name}_means"), strong=True),
        Cell(sentence("coverage.yes" if criterion.assessed else "coverage.no")),
        Cell(metrics or sentence("coverage.by_none")),
        Cell(sentence(f"coverage.{finding}")),
    )
