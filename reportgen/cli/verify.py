"""`reportgen verify`: is this report intact, and about these files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli import streams
from reportgen.cli.faults import NOT_MET, refused_if_unusual
from reportgen.cli.options import LookConfig, Quiet, TemplateDir, Verbose, given, speak_as_asked
from reportgen.cli.outputs import look_of
from reportgen.errors import InputError

OTHER_VERSION = "other-version"


def verify(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="A .html, .pdf, .json or .zip that reportgen wrote.")],
    original: Annotated[
        str | None, typer.Option(metavar="FILE", help="Is it about this original?", show_default=False)
    ] = None,
    synthetic: Annotated[
        str | None, typer.Option(metavar="FILE", help="Is it about this synthetic table?", show_default=False)
    ] = None,
    holdout: Annotated[
        str | None, typer.Option(metavar="FILE", help="Is it about this holdout?", show_default=False)
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(
            metavar=OTHER_VERSION,
            help="other-version: don't fail where the document was made by another version and can't be checked here.",
            autocompletion=lambda: [OTHER_VERSION],
            show_default=False,
        ),
    ] = None,
    config: LookConfig = None,
    template_dir: TemplateDir = None,
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Say whether a report is intact, and about these files."""
    speak_as_asked(quiet=quiet, verbose=verbose)
    if allow not in {None, OTHER_VERSION}:
        msg = f"--allow: {OTHER_VERSION} is all that can be allowed"
        raise InputError(msg)
    from reportgen import api
    from reportgen.config import look_from
    from reportgen.read.partition import Side
    from reportgen.report_files import open_report
    from reportgen.shown import escaped
    from reportgen.verify import verify as stated
    from reportgen.words import sentence

    sides: tuple[tuple[Side, str | None], ...] = (
        ("original", original),
        ("synthetic", synthetic),
        ("holdout", holdout),
    )
    about = {side: path for side, path in sides if path is not None}
    look = look_of(look_from(given({"config": config, "template_dir": template_dir}), os.environ))
    opened = open_report(Path(report))
    with refused_if_unusual(report, "made again"):
        statements = stated(opened, api.drawn_by(look), about)
    passing = {"holds"} if allow is None else {"holds", "unchecked"}
    for one in statements:
        if not streams.quiet():
            print("\t".join((sentence(f"verify.{one.state}"), one.about, escaped(one.text))))
    if not all(one.state in passing for one in statements):
        raise typer.Exit(NOT_MET)
