"""Who answers the searches of a command: this process, with a folder that keeps the answers where one is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from reportgen.cli import streams

if TYPE_CHECKING:
    from reportgen.running import Running
    from reportgen.space.delegated import Search


@contextmanager
def searching(running: Running) -> Iterator[Search | None]:
    """Open what the run asked for, and say what is kept of a run that ends early; None where nothing was asked for."""
    if running.checkpoint is None:
        yield None
        return
    from reportgen.large.checkpoint import checkpoint

    with checkpoint(running.checkpoint) as kept:
        try:
            yield kept.search
        except typer.Exit:  # the word of the gate, on a run that is done
            kept.remove()
            raise
        except BaseException:
            if kept.found + kept.kept:
                streams.say("checkpoint: what was searched so far is kept; the same command goes on from there")
            raise
        streams.detail(f"checkpoint: {kept.found} answers taken, {kept.kept} added")
        if others := kept.remove():
            streams.say(f"checkpoint: {others} answers of other runs stay in the folder; remove them if none goes on")
