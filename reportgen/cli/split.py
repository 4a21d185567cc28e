"""`reportgen split`: set a real holdout aside before synthesis."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli import streams
from reportgen.cli.options import Config, Quiet, Verbose, given
from reportgen.cli.signals import uninterrupted
from reportgen.errors import InputError


def split(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The real table to divide.")],
    original: Annotated[
        str, typer.Option("--original", metavar="OUT", help="Write the rows that the generator may see.")
    ],
    holdout: Annotated[str, typer.Option("--holdout", metavar="OUT", help="Write the rows that it must never see.")],
    fraction: Annotated[
        float, typer.Option(metavar="F", help="The holdout's share of the rows, between 0 and 1.")
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

    from reportgen import __version__, api
    from reportgen.available import available_memory, resident_memory
    from reportgen.config import resolve
    from reportgen.files import refuse_overwriting
    from reportgen.output import check_writable, write_whole
    from reportgen.shown import one_line
    from reportgen.split import Asked, check_asked
    from reportgen.split import split as divided
    from reportgen.split_record import record_of

    created = api.created(os.environ)
    resolved = resolve(options, os.environ)
    streams.speak(quiet=resolved.running.quiet, verbose=resolved.running.verbose)
    asked = Asked(Path(file), Path(original), Path(holdout), fraction, stratify, resolved.settings)
    check_asked(asked)
    targets = (original, holdout, str(record_of(asked.holdout)))
    if len({os.path.realpath(target) for target in targets}) < len(targets):
        msg = "split: --original and --holdout name the same file; name two"
        raise InputError(msg)
    refuse_overwriting(targets, (file, resolved.file))
    for target in targets:
        check_writable(Path(target))
    made = divided(asked, created, __version__, available_memory(), resident_memory())
    with uninterrupted():
        write_whole(made.contents)
    total = made.record.source.rows
    for side, path in (("original", asked.original), ("holdout", asked.holdout)):
        rows = getattr(made.record, side).rows
        streams.say(f"wrote {path}: {rows:,} of {total:,} rows ({100 * rows / total:.1f} %)")
    streams.say(f"wrote {record_of(asked.holdout)}: keep it beside {one_line(asked.holdout.name)}, assess reads it")
    if made.joined:
        streams.say(f"{made.joined:,} rows equal another row in all compared columns and stay together")
