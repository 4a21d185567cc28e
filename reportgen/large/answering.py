"""Who works for a run, as the user asked: a cluster, a checkpoint for its searches, both, or this process alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from reportgen.large.checkpoint import Checkpoint, checkpoint
from reportgen.large.cluster import Cluster, cluster
from reportgen.space.delegated import Delegates, Search


@dataclass(frozen=True)
class Answering:
    """Who works, and what they are made of."""

    delegates: Delegates
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
        yield Answering(Delegates(search, None if found is None else found.spread), kept, found)
