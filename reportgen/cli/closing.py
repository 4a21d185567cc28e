"""The closing line of a gate that is not met: verdict, limit, reason, and what would change it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from reportgen.cli import streams
from reportgen.cli.faults import NOT_MET

if TYPE_CHECKING:
    from reportgen.gate import GateReport
    from reportgen.model import Result


def close(result: Result, report: GateReport) -> None:
    """Exit 1 with one closing line when the gate is not met."""
    sys.stdout.flush()  # where the data can't be written, that is the last word, and exit code 3
    if not report.met:
        streams.conclude(closing_of(result, report))
        raise typer.Exit(NOT_MET)


def closing_of(result: Result, report: GateReport) -> str:
    """Return the closing line of a gate that is not met."""
    from reportgen.render.rules import closing_line

    return closing_line(result, report)
