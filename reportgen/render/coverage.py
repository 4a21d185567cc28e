"""Section 5: findings, regions, and the three criteria of WP216."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.model import Criterion, CriterionCode, Finding, Measured, Result
from reportgen.render import scores
from reportgen.render.first_page import CRITERIA, answered, further_reasons
from reportgen.render.readings import reading, too_weak
from reportgen.render.score_summary import metric_name
from reportgen.render.view import Cell, Head, Note, Numbering, Row, Table, Tone, capped, heads
from reportgen.rounding import count, decimals, probability
from reportgen.words import sentence

SEVERITIES = ("warning", "notice", "info")
"""From the most to the least severe."""
TONES: dict[str, Tone] = {"warning": "high", "notice": "moderate", "info": "none"}


FINDINGS: dict[CriterionCode | None, str] = {
    "not_trusted": "attack_weak",
    "no_control": "attack_alone",
    "invalid_control": "attack_invalid",
}
"""What the table says of an attack that ran and answers nothing, by the code of its criterion."""


@dataclass(frozen=True)
class CoverageSection:
    """Section 5."""

    findings: Table | None
    regions: Table | None
    notes: tuple[Note, ...]
    criteria: Table


def coverage_section(result: Result, numbering: Numbering) -> CoverageSection:
    """Build findings and coverage."""
    of_files = tuple(finding for finding in result.findings if finding.region is None)
    by_region = tuple(finding for finding in result.findings if finding.region is not None)
    findings = _findings(of_files, numbering) if of_files else None
    regions = _regions(by_region, numbering) if by_region else None
    notes = [] if of_files else [Note(sentence("label.findings"), (sentence("findings.none"),))]
    if further := further_reasons(result):
        notes.insert(0, Note(sentence("findings.further"), further))
    if not any(finding.code == "regions_not_sought" for finding in of_files):  # which says the same
        notes.append(Note(sentence("label.regions"), (_on_regions(result, named=bool(by_region)),)))
    return CoverageSection(
        findings=findings,
        regions=regions,
        notes=tuple(notes),
        criteria=Table(
            label=numbering.table(),
            caption=sentence("coverage.caption"),
            heads=heads(*(sentence(f"coverage.{name}") for name in ("criterion", "assessed", "by", "finding"))),
            rows=tuple(_criterion(name, getattr(result.coverage, name), result) for name in CRITERIA),
            notes=(sentence("coverage.note"),),
            tall=True,
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
    return (Cell(f"{symbol} {word}", tone=TONES[finding.severity]), Cell(finding.text))


def _regions(findings: tuple[Finding, ...], numbering: Numbering) -> Table:
    rows, shown = capped([_region(finding) for finding in findings])
    return Table(
        label=numbering.table(),
        caption=sentence("findings.regions_caption"),
        caption_note=sentence("findings.regions_note"),
        heads=(
            Head(sentence("findings.region")),
            *(Head(sentence(f"findings.region_{name}"), numeric=True) for name in ("rows", "expected", "p")),
        ),
        rows=rows,
        notes=shown,
    )


def _region(finding: Finding) -> Row:
    """One region; a number that a result does not hold is a dash."""
    numbers = (
        None if finding.count is None else count(finding.count),
        None if finding.expected is None else decimals(finding.expected, 1),
        None if finding.p_value is None else probability(finding.p_value, (0.01, 0.05)),
    )
    return (Cell(finding.region or ""), *(Cell(text or "–", style="num") for text in numbers))


def _on_regions(result: Result, *, named: bool) -> str:
    """What naming a region means or, where none is named, why."""
    if named:
        return sentence("findings.regions_read")
    if scores.holdout_kind(result) != "provided":
        return sentence("findings.regions_no_holdout")
    if result.settings.group is not None:
        return sentence("findings.regions_persons")
    leak = result.verdict.level in {"high", "moderate"}
    return sentence(f"findings.regions_{'none' if leak else 'no_leak'}")


def _criterion(name: str, criterion: Criterion, result: Result) -> Row:
    attack = result.metrics.get(name)
    notes = attack.notes if isinstance(attack, Measured) else ()
    numbers: dict[str, str] = {}
    if too_weak(attack):
        finding = "attack_weak"
    elif criterion.assessed:
        finding = "attack_partly" if "partly_trusted" in notes else "attack_ran"
        if isinstance(attack, Measured) and (risk := attack.scores.get("risk")) is not None:
            numbers = {
                "reading": sentence(f"reading.{reading(name, 'risk', attack, result)}").lower(),
                "risk": scores.share(risk.value),
                "low": scores.share(risk.low or 0.0),
                "high": scores.share(1.0 if risk.high is None else risk.high),
            }
    else:
        finding = FINDINGS.get(criterion.code) or ("speaks" if criterion.metrics else "open")
    metrics = scores.joined([metric_name(key) for key in criterion.metrics])
    return (
        Cell(sentence(f"coverage.{name}"), under=sentence(f"coverage.{name}_means"), strong=True),
        Cell(sentence(f"coverage.{'yes' if answered(name, result) else 'no'}")),
        Cell(metrics or sentence("coverage.by_none")),
        Cell(sentence(f"coverage.{finding}", **numbers)),
    )
