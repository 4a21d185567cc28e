"""`reportgen verify`: is this report intact, and about these files."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from reportgen.cli import streams
from reportgen.cli.faults import NOT_MET
from reportgen.cli.options import LookConfig, Quiet, TemplateDir, Verbose, begin, given

OTHER_VERSION = "other-version"


def verify(
    report: Annotated[str, typer.Argument(metavar="REPORT", help="A .html, .pdf, .json or .zip that reportgen wrote.")],
    original: Annotated[
        str | None, typer.Option(metavar="FILE", help="Is it about this original?", show_default=False)
    ] = None,
    synthetic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Is it about this synthetic table? Repeatable: releases assessed together.",
            show_default=False,
        ),
    ] = None,
    holdout: Annotated[
        str | None, typer.Option(metavar="FILE", help="Is it about this holdout?", show_default=False)
    ] = None,
    sha256: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="Has its result this SHA-256, kept from elsewhere?", show_default=False),
    ] = None,
    sign_cert: Annotated[
        str | None, typer.Option(metavar="FILE", help="Is it signed with this certificate?", show_default=False)
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(
            metavar=OTHER_VERSION,
            help="Don't fail where the document was made by another version and can't be checked here.",
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
    begin(quiet=quiet, verbose=verbose)
    from reportgen.auditing import verify as verified
    from reportgen.config import look_from
    from reportgen.shown import escaped
    from reportgen.words import sentence

    asked = look_from(given({"config": config, "template_dir": template_dir}), os.environ)
    found = verified(
        report,
        original,
        synthetic or None,
        holdout,
        sha256=sha256,
        sign_cert=sign_cert,
        allow=allow,
        look=asked.look,
        template_dir=asked.template_dir,
    )
    for one in found.statements:
        if not streams.quiet():
            print("\t".join((sentence(f"verify.{one.state}"), one.about, escaped(one.text))))
    if not found.holds:
        raise typer.Exit(NOT_MET)
