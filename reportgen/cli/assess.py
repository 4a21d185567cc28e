"""`reportgen assess`: read, measure, judge, and write every output named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.available import MEASURING, available_memory, check_room, resident_memory
from reportgen.cli import streams
from reportgen.cli.closing import close
from reportgen.cli.options import (
    Baseline,
    Config,
    FailOn,
    Outputs,
    Quiet,
    SignCert,
    SignKey,
    SignPassphraseFile,
    TemplateDir,
    Verbose,
    given,
)
from reportgen.cli.outputs import check_outputs, deliver, drawing, finisher, look_inputs, look_of
from reportgen.cli.releases import assess_releases
from reportgen.cli.searching import searching

if TYPE_CHECKING:
    from reportgen.settings import Settings


def _metric_keys() -> list[str]:
    from reportgen.score_names import SCORES

    return list(SCORES)


def assess(
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table the generator was trained on.")],
    synthetic: Annotated[
        list[str],
        typer.Argument(
            metavar="SYNTHETIC...", help="The generator's output. Several releases are assessed each, and all together."
        ),
    ],
    holdout: Annotated[
        str | None, typer.Option(metavar="FILE", help="Real rows that the generator never saw.", show_default=False)
    ] = None,
    output: Outputs = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--metric", metavar="KEY", help="Only this metric. Repeatable.", autocompletion=_metric_keys
        ),
    ] = None,
    config: Config = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Identifier: left out of the distances. Repeatable."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="COL", help="Left out of everything. Repeatable.")] = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Names the person a row belongs to: rows of one person stay together."),
    ] = None,
    numeric: Annotated[list[str] | None, typer.Option(metavar="COL", help="Take as numbers. Repeatable.")] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="Take as categories. Repeatable.")
    ] = None,
    projection: Annotated[
        str | None,
        typer.Option(
            metavar="famd|none",
            help="famd, or none where columns are coordinates already [default: famd].",
            autocompletion=lambda: ["famd", "none"],
            show_default=False,
        ),
    ] = None,
    components: Annotated[
        str | None,
        typer.Option(metavar="N|all", help="Leading components that distances use [default: all].", show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Every random draw derives from it [default: 0].", show_default=False),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(metavar="PCT", help="Leak you accept, % of synthetic rows [default: 1.0].", show_default=False),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Sensitive: the inference attack guesses it [default: every column]. Repeatable.",
            show_default=False,
        ),
    ] = None,
    link: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Column of the first file that the linkability attack joins [default: half]. Repeatable.",
            show_default=False,
        ),
    ] = None,
    link_with: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Column of the second file [default: all that --link leaves]. Repeatable.",
            show_default=False,
        ),
    ] = None,
    attacks: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Most rows of each table that are attacked [default: 2000].", show_default=False
        ),
    ] = None,
    max_queries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Most rows of each table that look for neighbours; all can be found [default: all].",
            show_default=False,
        ),
    ] = None,
    max_minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="Time to measure in; picks --max-queries by speed [default: none].",
            show_default=False,
        ),
    ] = None,
    fail_on: FailOn = None,
    baseline: Baseline = None,
    template_dir: TemplateDir = None,
    sign_key: SignKey = None,
    sign_cert: SignCert = None,
    sign_passphrase_file: SignPassphraseFile = None,
    lead_names: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Names of the leads of signals.", show_default=False)
    ] = None,
    sampling_rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="Samples a second of signals; printed only.", show_default=False)
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the report.", show_default=False)] = None,
    no_category_names: Annotated[
        bool | None,
        typer.Option("--no-category-names", help="Print no name of a category, however common.", show_default=False),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Language of the report: en [default: en].",
            autocompletion=lambda: ["en"],
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool | None,
        typer.Option("--dry-run", help="Print how each column was understood; measure nothing.", show_default=False),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Threads [default: one a processor]; never changes a result.", show_default=False
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Search, project and permute on the workers of this Dask scheduler.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Search, project and permute on so many processes of this machine.", show_default=False
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Keep answers of searches here; after an interruption go on.", show_default=False
        ),
    ] = None,
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Read, measure, judge, and write every output named."""
    options = given(locals(), "original", "synthetic")
    check_room(MEASURING)

    from reportgen import api
    from reportgen.config import resolve, unknown_variables

    asked = resolve(options, os.environ)
    running = asked.running
    streams.speak(quiet=running.quiet, verbose=running.verbose)
    for sentence in unknown_variables(os.environ):
        streams.say(sentence)
    finish, look = finisher(running, os.environ), look_of(running)
    streams.detail(f"config: {asked.file or 'none'}; threads: {running.jobs or 'all available'}")
    if available_memory() is None:
        streams.detail("memory: this system does not tell what is free; a run that does not fit is not refused")
    if len(synthetic) > 1 and not running.dry_run:
        check_room((*MEASURING, *drawing(running.output)))
        assess_releases(original, synthetic, asked, finish, look)
        return
    inputs = (original, *synthetic, running.holdout, asked.file, running.baseline, *look_inputs(running))
    check_outputs(running.output, inputs)
    if running.dry_run:
        for one in synthetic:
            _print_columns(original, one, running.holdout, asked.settings)
        return
    check_room((*MEASURING, *drawing(running.output)))
    older = None if running.baseline is None else (running.baseline, api.load(running.baseline))
    with searching(running) as delegates:
        with streams.progress() as report:
            assessment = api.run_assessment(
                original,
                synthetic[0],
                running.holdout,
                asked.settings,
                jobs=running.jobs,
                max_minutes=running.max_minutes,
                progress=report,
                policy=asked.policy,
                baseline=older,
                config=asked.file,
                delegates=delegates,
            )
        deliver(assessment, running.output, finish, look)
    close(assessment.result, assessment.gate)


def _print_columns(original: str, synthetic: str, holdout: str | None, settings: Settings) -> None:
    from reportgen.read.naming import shown_name
    from reportgen.read.summary import describe_columns
    from reportgen.render.data_card import remarks_on
    from reportgen.runner import read_inputs
    from reportgen.words import plural

    memory, held = available_memory(), resident_memory()
    partition = read_inputs(original, synthetic, holdout, settings, memory=memory, held=held, on_disk=None)
    for side, table in partition.sides.items():
        source, rows = table.source, len(table.frame)
        size = plural(rows, "row", "rows")
        if table.samples is not None:
            size = f"{plural(rows, 'record', 'records')} of {plural(table.samples, 'sample', 'samples')} a lead"
        text = "" if source.text is None else f"; {source.text.encoding}, separator: {source.text.separator}"
        print(f"{side}\tfile\t{shown_name(source.name)}: {size}{text}")
    for column in describe_columns(partition):
        state = "used" if column.used else f"left out: {column.reason}"
        print(f"{shown_name(column.name)}\t{column.kind}\t{'; '.join((state, *remarks_on(column)))}")
