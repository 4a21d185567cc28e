"""Work in blocks on the workers of a Dask cluster: a task is a block, as it would be worked on here.

Answers are put into the order of the blocks. A worker whose processor makes other last digits of exponentials or
logarithms than this one answers none: its blocks are worked on here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from reportgen.large.sending import Parts, Sender, Task
from reportgen.large.versions import arithmetic
from reportgen.spread import Answer, Each, Kind, Load, here, tell

_LEAST = 1e9
"""Nanoseconds: work that takes less is done here before it would have been sent."""
_BYTE = 8
"""Nanoseconds that a byte takes on its way through scheduler and worker, about."""
_TASK = 10_000_000
"""Nanoseconds that a task takes here, whatever is in it."""
_AHEAD = 3
"""Blocks of each worker that are sent before the first of them is answered."""


class Spreading:
    """Carries out work in blocks on the workers of a scheduler, where that is sooner done than here."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @contextmanager
    def spread(self, load: Load) -> Iterator[Each]:
        """Have work of such a load carried out inside the block, as `spread.Spread`."""
        workers = self._sender.workers() if load.nanoseconds >= _LEAST else 0
        if not workers or load.nanoseconds * (1 - 1 / workers) < _BYTE * load.travelling + _TASK * load.tasks:
            yield here
            return
        contents: dict[tuple[Any, ...], Any] = {}
        with self._sender.parts(contents.__getitem__) as parts:
            yield _Blocks(self._sender, parts, contents, load.kind, _AHEAD * workers)


class _Blocks:
    """Blocks and what they share, on the workers, as `spread.Each`.

    `contents` holds what may have to be sent, by name; what is named by its identity has to be held.
    """

    def __init__(
        self, sender: Sender, parts: Parts, contents: dict[tuple[Any, ...], Any], kind: Kind, ahead: int
    ) -> None:
        self._sender, self._parts, self._contents = sender, parts, contents
        self._kind, self._ahead = kind, ahead
        self._calls = 0

    def __call__(
        self,
        function: Callable[..., Answer],
        blocks: Iterable[tuple[Any, ...]],
        *shared: Any,
        number: int | None = None,
    ) -> Iterator[Answer]:
        """Yield the answers in the order of the blocks."""
        self._calls += 1
        if isinstance(blocks, Sequence):  # stay with the workers: another call may be about the same
            kept, number, mine = True, len(blocks), ("blocks", id(blocks))
            self._contents[mine] = blocks
        else:
            kept, mine = False, ("blocks of call", self._calls)
        names = [("shared", id(one)) for one in shared]
        self._contents.update(zip(names, shared, strict=True))

        def tasks() -> Iterator[Task]:
            for place, block in enumerate(blocks):
                self._contents[mine, place] = block
                yield Task(((mine, place), *names), (function, arithmetic()))

        found: dict[int, Answer] = {}
        following = 0
        try:
            with closing(self._sender.answers(_worked_on, tasks(), self._parts, self._ahead)) as answers:
                for done, (place, answer) in enumerate(answers, 1):
                    found[place] = function(*shared, *self._contents[mine, place]) if answer is None else answer[0]
                    if not kept:
                        self._forget((mine, place))
                    tell(self._kind, done, max(done, number or 0))
                    while following in found:
                        yield found.pop(following)
                        following += 1
        finally:  # of blocks that nobody waits for any more
            for name in [] if kept else [name for name in self._contents if name[0] == mine]:
                self._forget(name)

    def _forget(self, name: tuple[Any, ...]) -> None:
        self._parts.drop(name)
        del self._contents[name]


def _worked_on(block: tuple[Any, ...], *more: Any) -> tuple[Any] | None:
    """Call a function on a block, on a worker; None where its processor is of another kind."""
    *shared, function, expected = more
    if arithmetic() != expected:
        return None
    return (function(*shared, *block),)
