"""Who answers searches: this process, or something that keeps answers or asks other machines.

An answer is exact and depends on its rows alone, so that whoever finds it finds the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from reportgen.distances import Floats, Ints


class Search(Protocol):
    """Finds what `exact.k_nearest` finds, for the same arguments."""

    def __call__(
        self, queries: Floats, base: Floats, k: int, threads: int, direct: int | None = None
    ) -> tuple[Floats, Ints]:
        """Return the distances to the k nearest base rows and their ids, both (queries, k), by (distance, id)."""


_SEARCH: ContextVar[Search | None] = ContextVar("search", default=None)


def delegate() -> Search | None:
    """Who is asked instead of this process; None for nobody."""
    return _SEARCH.get()


@contextmanager
def searched_by(search: Search | None) -> Iterator[None]:
    """Have all searches inside the block answered by `search`; by this process where it is None."""
    token = _SEARCH.set(search)
    try:
        yield
    finally:
        _SEARCH.reset(token)
