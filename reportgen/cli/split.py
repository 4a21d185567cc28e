"""`reportgen split`: set a real holdout aside before synthesis."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli import streams
from reportgen.cli.options import Config, Quiet, Verbose, given
from reportgen.cli.signals import uninterrupted


def split(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The real table to divide.")],
    original: Annotated[
        str, typer.Option("--original", metavar="OUT", help="Write the rows that the generator may see.")
    ],
    holdout: Annotated[str, typer.Option("--holdout", metavar="OUT", help="Write the rows that it must never see.")],
    fraction: Annotated[
        float,
        typer.Option(
            metavar="F", help="The holdout's share of the rows, between 0 and 1 [default: 0.2].", show_default=False
        ),
    ] = 0.2,
    group: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Names the person a row belongs to: rows of one person stay together."),
    ] = None,
    stratify: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Draw the same share of the rows of each of its values.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="The draw derives from it [default: 0].", show_default=False)
    ] = None,
    config: Config = None,
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Set a real holdout aside before synthesis."""
    options = given(locals(), "file", "original", "holdout", "fraction", "stratify")

    from reportgen import api
    from reportgen.auditing import split_as
    from reportgen.config import resolve
    from reportgen.output import write_whole
    from reportgen.setting_aside import Asked
    from reportgen.shown import one_line
    from reportgen.split_record import record_of

    api.created(os.environ)  # a wrong SOURCE_DATE_EPOCH is said before anything else
    resolved = resolve(options, os.environ)
    streams.speak(quiet=resolved.running.quiet, verbose=resolved.running.verbose)
    paths = Path(original), Path(holdout)
    asked = Asked(file, *paths, fraction, stratify, resolved.settings)
    made = split_as(asked, (resolved.file,))
    with uninterrupted():
        write_whole(made.contents)
    total = made.record.source.rows
    for side, path in zip(("original", "holdout"), paths, strict=True):
        rows = getattr(made.record, side).rows
        streams.say(f"wrote {path}: {rows:,} of {total:,} rows ({100 * rows / total:.1f} %)")
    streams.say(f"wrote {record_of(paths[1])}: keep it beside {one_line(paths[1].name)}, assess reads it")
    if made.joined:
        streams.say(f"{made.joined:,} rows equal another row in all compared columns and stay together")
