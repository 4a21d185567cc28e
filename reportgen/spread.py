"""Who carries out work that comes in blocks: this process, or workers that something else hands the blocks to.

An answer depends on its block and on what all blocks share alone, blocks are cut alike wherever they go, and answers
come back in their order. So whoever carries the work out, in whatever number, finds the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = Literal["search", "permutations", "projection"]
Answer = TypeVar("Answer")
Told = Callable[[Kind, int, int], None]
"""Called with what is carried out elsewhere, the parts of it that are done, and their number."""


@dataclass(frozen=True)
class Load:
    """What work would take: nanoseconds of one processor, bytes that would travel to workers and back, tasks; about."""

    kind: Kind
    nanoseconds: float
    travelling: float
    tasks: int = 0


class Each(Protocol):
    """Carries out a function on blocks."""

    def __call__(
        self,
        function: Callable[..., Answer],
        blocks: Iterable[tuple[Any, ...]],
        *shared: Any,
        number: int | None = None,
    ) -> Iterator[Answer]:
        """Yield `function(*shared, *block)` for each block, in their order.

        `function` is one of a module; it changes none of its arguments, and its answers depend on them alone. Blocks
        that are made one by one are asked for as they are needed, `number` tells how many; blocks of a sequence may be
        kept where they were sent to, as what is shared is, for the next function on them.
        """


class Spread(Protocol):
    """Decides who carries out work of such a load."""

    def __call__(self, load: Load) -> AbstractContextManager[Each]:
        """Have it carried out inside the block."""


_SPREAD: ContextVar[Spread | None] = ContextVar("spread", default=None)
_TOLD: ContextVar[Told | None] = ContextVar("told", default=None)


def here(
    function: Callable[..., Answer], blocks: Iterable[tuple[Any, ...]], *shared: Any, number: int | None = None
) -> Iterator[Answer]:
    """Carry out a function on blocks in this process, one after the other."""
    del number
    return (function(*shared, *block) for block in blocks)


@contextmanager
def spread(load: Load) -> Iterator[Each]:
    """Have work carried out inside the block by whom `spread_by` named; by this process where that is nobody."""
    chosen = _SPREAD.get()
    if chosen is None:
        yield here
        return
    with chosen(load) as each:
        yield each


@contextmanager
def spread_by(chosen: Spread | None, told: Told | None = None) -> Iterator[None]:
    """Let `chosen` decide who carries out the work inside the block, and say to `told` how far it is."""
    tokens = _SPREAD.set(chosen), _TOLD.set(told)
    try:
        yield
    finally:
        _SPREAD.reset(tokens[0])
        _TOLD.reset(tokens[1])


def tell(kind: Kind, done: int, total: int) -> None:
    """Say how far work is that is carried out elsewhere."""
    told = _TOLD.get()
    if told is not None:
        told(kind, done, total)


class Labels:
    """Labels 0 and 1 of shape (labelings, rows), uint8, which travel as bits."""

    def __init__(self, values: NDArray[np.uint8]) -> None:
        self.values = values

    def __getstate__(self) -> tuple[NDArray[np.uint8], int]:
        return np.packbits(self.values, axis=1), self.values.shape[1]

    def __setstate__(self, state: tuple[NDArray[np.uint8], int]) -> None:
        bits, rows = state
        self.values = np.unpackbits(bits, axis=1, count=rows)
