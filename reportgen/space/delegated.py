"""Who answers searches: this process, or something that keeps answers or asks other machines.

An answer is exact and depends on its rows alone, so that whoever finds it finds the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from reportgen.distances import Floats, Ints
from reportgen.spread import Spread, Told, spread_by


class Search(Protocol):
    """Finds what `exact.k_nearest` finds, for the same arguments."""

    def __call__(
        self, queries: Floats, base: Floats, k: int, threads: int, direct: int | None = None
    ) -> tuple[Floats, Ints]:
        """Return the distances to the k nearest base rows and their ids, both (queries, k), by (distance, id)."""


@dataclass(frozen=True)
class Delegates:
    """Who answers searches, and who carries out work that comes in blocks; None for this process."""

    search: Search | None = None
    spread: Spread | None = None


_SEARCH: ContextVar[Search | None] = ContextVar("search", default=None)


def delegate() -> Search | None:
    """Who is asked instead of this process; None for nobody."""
    return _SEARCH.get()


@contextmanager
def delegated_to(delegates: Delegates, told: Told | None = None) -> Iterator[None]:
    """Have searches and blocks inside the block answered by the delegates, who tell `told` how far they are."""
    token = _SEARCH.set(delegates.search)
    try:
        with spread_by(delegates.spread, told):
            yield
    finally:
        _SEARCH.reset(token)
