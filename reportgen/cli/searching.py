"""Who works for a command: this process, workers, a folder that keeps answers of searches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from reportgen.cli import streams

if TYPE_CHECKING:
    from reportgen.large.answering import Answering
    from reportgen.running import Running
    from reportgen.space.delegated import Delegates


@contextmanager
def searching(running: Running) -> Iterator[Delegates | None]:
    """Open what the run asked for, and say what is kept of a run that ends early; None where nothing was asked for."""
    if running.checkpoint is None and running.scheduler is None and running.workers is None:
        yield None
        return
    from reportgen.large.answering import answering

    with answering(running.checkpoint, running.scheduler, running.workers) as opened:
        try:
            yield opened.delegates
        except typer.Exit:  # the word of the gate, on a run that is done
            _end(opened)
            raise
        except BaseException:
            if opened.kept is not None and opened.kept.found + opened.kept.kept:
                streams.say("checkpoint: what was searched so far is kept; the same command goes on from there")
            raise
        _end(opened)


def _end(opened: Answering) -> None:
    if opened.workers is not None:
        streams.detail(f"workers: {opened.workers.tasks} tasks given, {opened.workers.again} of them again")
    if opened.kept is not None:
        streams.detail(f"checkpoint: {opened.kept.found} answers taken, {opened.kept.kept} added")
        if others := opened.kept.remove():
            from reportgen.words import plural

            kept = plural(others, "answer of another run stays", "answers of other runs stay")
            streams.say(f"checkpoint: {kept} in the folder; remove the rest if no run goes on")
