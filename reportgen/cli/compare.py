"""`reportgen compare`: what changed between two assessments."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli import streams
from reportgen.cli.faults import NOT_MET
from reportgen.cli.options import LookConfig, Quiet, TemplateDir, Verbose, begin, given
from reportgen.cli.outputs import check_targets, look_inputs, look_of, put_in_place

if TYPE_CHECKING:
    from reportgen.render.drawn import Look
    from reportgen.render.table_page import TablePage


def compare(
    older: Annotated[str, typer.Argument(metavar="OLD.json", help="The earlier result.")],
    newer: Annotated[str, typer.Argument(metavar="NEW.json", help="The later result.")],
    output: Annotated[
        list[str] | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write this file; .html, .pdf, .json or .md. Repeatable; - is JSON."
        ),
    ] = None,
    fail_on_worse: Annotated[
        bool,
        typer.Option(
            "--fail-on-worse",
            help="Exit 1 where the verdict or, beyond its interval, a score is worse, or the two do not compare.",
        ),
    ] = False,
    config: LookConfig = None,
    template_dir: TemplateDir = None,
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Say what changed between two assessments."""
    begin(quiet=quiet, verbose=verbose)
    from reportgen.auditing import compare as compared
    from reportgen.config import look_from
    from reportgen.render.table_page import suffix_of

    running = look_from(given({"config": config, "template_dir": template_dir}), os.environ)
    outputs = output or []
    check_targets(outputs, (older, newer, config, *look_inputs(running)), suffix_of)
    look = look_of(running)
    found = compared(older, newer)
    deliver_page(found.page, outputs, look)
    if fail_on_worse and found.complaint is not None:
        streams.conclude(found.complaint)
        raise typer.Exit(NOT_MET)


def deliver_page(page: TablePage, outputs: Sequence[str], look: Look | None = None) -> None:
    """Write a page of tables under every name; as text to stdout where none is given."""
    from reportgen import api
    from reportgen.render.table_page import render_pages, text
    from reportgen.shown import escaped

    if not outputs:
        if not streams.quiet():
            print("\n".join(escaped(line) for line in text(page).splitlines()))
        return
    made = render_pages(page, [name for name in outputs if name != "-"], api.drawn_by(look))
    put_in_place({Path(name): content for name, content in made.contents.items()})
    if "-" in outputs:
        sys.stdout.write(page.data)
    if made.lacking is not None:
        raise made.lacking
