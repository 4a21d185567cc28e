"""Ending on a signal without leaving anything half-written."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from reportgen.cli.faults import Terminated

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def end_on_signals() -> None:
    """End on SIGTERM and SIGHUP as on Ctrl-C: by way of the code that removes temporary files."""
    with suppress(ValueError):  # not in the main thread: there signals are the caller's
        for number in ENDING:
            if signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
                signal.signal(number, _end)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a signal wait until the block is done: writing files takes no time, and all of them or none appear."""
    waiting: list[int] = []
    before: dict[int, Any] = {}
    with suppress(ValueError):
        for number in (signal.SIGINT, *ENDING):
            before[number] = signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        for number in waiting[:1]:
            signal.raise_signal(number)


def _end(number: int, _frame: object) -> None:
    raise Terminated(number)
