"""The release gate as tables of section 7: every rule with its outcome, and every waiver."""

from __future__ import annotations

from reportgen.gate import GateReport, gate_of
from reportgen.model import Result
from reportgen.policy import Waiver
from reportgen.render.rules import needed_state, state
from reportgen.render.view import Cell, Numbering, Row, Table, Tone, capped, heads
from reportgen.words import sentence

STATES: dict[bool, Tone] = {True: "low", False: "high"}


def gate_tables(result: Result, numbering: Numbering) -> tuple[Table, ...]:
    """Build the tables, none where the run was made without a policy and without a baseline."""
    if result.policy is None and result.baseline is None:
        return ()
    report = gate_of(result)
    tables = (_rules(report, numbering),)
    return (*tables, _waivers(report, numbering)) if report.policy.waivers else tables


def _rules(report: GateReport, numbering: Numbering) -> Table:
    rows: list[Row] = [
        (
            Cell(outcome.rule),
            Cell(outcome.limit),
            Cell(state(outcome), tone="none" if outcome.waived else STATES[outcome.met], strong=not outcome.met),
            Cell(outcome.text),
        )
        for outcome in report.outcomes
    ]
    shown, notes = capped(rows)
    return Table(
        label=numbering.table(),
        caption=sentence("gate.table.rules"),
        caption_note=sentence("gate.table.day", day=report.day.isoformat()),
        heads=heads(*(sentence(f"gate.table.{name}") for name in ("rule", "limit", "outcome", "text"))),
        rows=shown,
        notes=notes,
        layout="wide",
    )


def _waivers(report: GateReport, numbering: Numbering) -> Table:
    rows: list[Row] = [_waiver_row(report, waiver) for waiver in report.policy.waivers]
    shown, notes = capped(rows)
    return Table(
        label=numbering.table(),
        caption=sentence("gate.table.waivers"),
        heads=heads(*(sentence(f"gate.table.{name}") for name in ("rule", "until", "by", "state", "reason"))),
        rows=shown,
        notes=notes,
        layout="wide",
    )


def _waiver_row(report: GateReport, waiver: Waiver) -> Row:
    rule = waiver.rule if waiver.level is None else sentence("gate.table.up_to", rule=waiver.rule, level=waiver.level)
    return (
        Cell(rule),
        Cell(waiver.until.isoformat()),
        Cell(waiver.by),
        Cell(needed_state(report, waiver)),
        Cell(waiver.reason),
    )
