"""Who answers the searches of a run, as the user asked: a checkpoint, a cluster, both, or this process alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from reportgen.large.checkpoint import Checkpoint, checkpoint
from reportgen.large.cluster import Cluster, cluster
from reportgen.space.delegated import Search


@dataclass(frozen=True)
class Answering:
    """Who answers: `search`, None for this process; and what it is made of."""

    search: Search | None
    kept: Checkpoint | None
    workers: Cluster | None


@contextmanager
def answering(folder: str | os.PathLike[str] | None, scheduler: str | None, workers: int | None) -> Iterator[Answering]:
    """Open what is not None for as long as the block lasts; what the workers find is kept in the folder."""
    search: Search | None = None
    found: Cluster | None = None
    kept: Checkpoint | None = None
    with ExitStack() as opened:
        if scheduler is not None or workers is not None:
            found = opened.enter_context(cluster(scheduler, workers))
            search = found.search
        if folder is not None:
            kept = opened.enter_context(checkpoint(folder, search))
            search = kept.search
        yield Answering(search, kept, found)
