"""`reportgen assess ORIGINAL S1 S2 …`: several releases in one run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from reportgen.available import MEASURING, check_room
from reportgen.cli import streams
from reportgen.cli.closing import closing_of
from reportgen.cli.compare import deliver_page
from reportgen.cli.faults import NOT_MET
from reportgen.cli.outputs import Finish, check_outputs, deliver, drawing, look_inputs
from reportgen.cli.searching import searching
from reportgen.errors import EnvironmentLacking

if TYPE_CHECKING:
    from reportgen.api import Assessment
    from reportgen.config import Resolved
    from reportgen.read.tables import Given
    from reportgen.render.drawn import Look
    from reportgen.space.delegated import Delegates


def assess_releases(
    original: str, synthetic: Sequence[str], asked: Resolved, finish: Finish, look: Look | None = None
) -> None:
    """Assess each release, then all together; write each one's outputs and the comparison. Exit 1 if one fails."""
    with searching(asked.running) as delegates:
        _assess_releases(original, synthetic, asked, finish, look, delegates)


def _assess_releases(
    original: str,
    synthetic: Sequence[str],
    asked: Resolved,
    finish: Finish,
    look: Look | None,
    delegates: Delegates | None,
) -> None:
    from reportgen import api
    from reportgen.read.pooling import RememberingReader, pooled
    from reportgen.releases import TOGETHER, Releases, base_names, check_names, outputs_of, release
    from reportgen.render import format_of
    from reportgen.render.releases_page import releases_page
    from reportgen.render.table_page import SUFFIXES
    from reportgen.space.answers import Answers

    running = asked.running
    bases = base_names(synthetic)
    named = [name for name in running.output if name != "-"]
    suffixes = [format_of(name).suffix for name in named]
    tables = [name for name in running.output if name == "-" or format_of(name).suffix in SUFFIXES]
    check_names(bases, [name for name in tables if name != "-"], named, suffixes)
    inputs = (original, *synthetic, running.holdout, asked.file, running.baseline, *look_inputs(running))
    every = [name for base in (*bases, TOGETHER) for name in outputs_of(base, named, suffixes)]
    check_outputs([*running.output, *every], inputs)

    check_room((*MEASURING, *drawing(running.output)))
    older = None if running.baseline is None else (running.baseline, api.load(running.baseline))
    read, answers = RememberingReader(), Answers()
    form = asked.settings.declared.file("synthetic")
    for release_file in synthetic:  # all at once: a file that cannot be read costs no run of the others
        read(release_file, "synthetic", form)
    results: dict[str, Assessment] = {}
    for base in (*bases, TOGETHER):
        together = base == TOGETHER
        given: Given = (
            synthetic[len(results)]
            if not together
            else pooled([read(one, "synthetic", form) for one in synthetic], TOGETHER)
        )
        with streams.progress() as report:
            results[base] = api.run_assessment(
                original,
                given,
                running.holdout,
                asked.settings,
                jobs=running.jobs,
                max_minutes=None if running.max_minutes is None else running.max_minutes / (len(bases) + 1),
                progress=report,
                policy=asked.policy,
                baseline=older,
                config=asked.file,
                delegates=delegates,
                read=read,
                answers=answers,
                releases=[api.base_name(one, "synthetic") for one in synthetic] if together else (),
            )
        streams.detail(f"{base}: {results[base].verdict.level}")

    lacking: EnvironmentLacking | None = None
    for base, assessment in results.items():
        if named:
            try:
                deliver(assessment, outputs_of(base, named, suffixes), finish, look)
            except EnvironmentLacking as error:  # the others can still be written
                lacking = error
    lines = Releases(releases=tuple(release(base, one.result, one.gate) for base, one in results.items()))
    page = releases_page(results[bases[0]].result, lines, {base: one.result for base, one in results.items()})
    if tables or not named:
        deliver_page(page, tables, look)
    if lacking is not None:
        raise lacking
    sys.stdout.flush()  # see `close`
    failing = {base: one for base, one in results.items() if not one.gate.met}
    for base, one in failing.items():
        streams.conclude(f"{base}: {closing_of(one.result, one.gate)}")
    if failing:
        raise typer.Exit(NOT_MET)
