"""Who answers searches: this process, or something that keeps answers or asks other machines.

An answer is exact and depends on its rows alone, so that whoever finds it finds the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


Told = Callable[[int, int], None]
"""Called with the parts of a long search that are done, and their number."""

_SEARCH: ContextVar[Search | None] = ContextVar("search", default=None)
_TOLD: ContextVar[Told | None] = ContextVar("told", default=None)


def delegate() -> Search | None:
    """Who is asked instead of this process; None for nobody."""
    return _SEARCH.get()


def tell(done: int, total: int) -> None:
    """Say how far a long search is."""
    told = _TOLD.get()
    if told is not None:
        told(done, total)


@contextmanager
def searched_by(search: Search | None, told: Told | None = None) -> Iterator[None]:
    """Have all searches inside the block answered by `search`, which tells `told`; by this process where it is None."""
    tokens = _SEARCH.set(search), _TOLD.set(told)
    try:
        yield
    finally:
        _SEARCH.reset(tokens[0])
        _TOLD.reset(tokens[1])
