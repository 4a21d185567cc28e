"""Ending on a signal without leaving anything half-written."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from reportgen.cli.faults import Terminated

GRACE = 1.0
"""Seconds in which a further signal is part of the same request: `timeout` sends each twice, to process and group."""
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def end_on_signals() -> None:
    """End on SIGTERM and SIGHUP as on Ctrl-C: by way of the code that removes temporary files."""
    asked = [-GRACE]

    def end(number: int, _frame: object) -> None:
        before, asked[0] = asked[0], time.monotonic()
        if asked[0] - before >= GRACE:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    with suppress(ValueError):  # not in the main thread: there signals are the caller's
        for number in (signal.SIGINT, *ENDING):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # nohup has it ignored
                signal.signal(number, end)


def ignore_signals() -> None:
    """Let nothing stop the last steps, which remove what libraries keep in the folder for temporary files."""
    with suppress(ValueError):
        for number in (signal.SIGINT, *ENDING):
            signal.signal(number, signal.SIG_IGN)


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
