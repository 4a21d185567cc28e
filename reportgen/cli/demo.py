"""`reportgen demo`: the two bundled examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.available import DRAWING, MEASURING, check_room
from reportgen.cli import streams
from reportgen.cli.options import Quiet, Verbose, begin
from reportgen.cli.outputs import deliver, print_summary
from reportgen.errors import EnvironmentLacking, InputError


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder to write to, made if need be [default: reportgen-demo].",
            show_default=False,
        ),
    ] = Path("reportgen-demo"),
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Assess the bundled examples; HTML, PDF, JSON of each."""
    begin(quiet=quiet, verbose=verbose)
    check_room((*MEASURING, *DRAWING))
    from reportgen import api
    from reportgen._resources import resource
    from reportgen.settings import Settings

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{output.name}: the folder cannot be made ({error.strerror}); choose another with -o"
        raise InputError(msg) from None
    example = resource("examples", "adult")
    lacking: EnvironmentLacking | None = None
    for name, title in (("good", "UCI Adult, synthetic table"), ("leaky", "UCI Adult, leaky control")):
        tables = (example / "original.parquet", example / f"synthetic_{name}.parquet", example / "holdout.parquet")
        with streams.progress() as report:
            assessment = api.run_assessment(*tables, Settings(title=title), progress=report)
        if not streams.quiet():
            print_summary(assessment)
            print()
        outputs = [str(output / f"{name}{suffix}") for suffix in (".html", ".pdf", ".json")]
        try:
            deliver(assessment, outputs)
        except EnvironmentLacking as error:  # the other example's HTML and JSON can still be written
            lacking = error
    if lacking:
        raise lacking
