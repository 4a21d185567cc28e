"""The three streams: data on stdout, messages and progress on stderr, nothing but errors where quiet was asked for."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass

from reportgen.shown import escaped

_TRUE = ("1", "true", "yes", "on", "y", "t")


@dataclass(frozen=True)
class Voice:
    """How much is said."""

    quiet: bool = False
    verbose: bool = False


_ASKED: ContextVar[Voice] = ContextVar("voice")


def speak(*, quiet: bool, verbose: bool) -> None:
    """Set how much is said from here on."""
    _ASKED.set(Voice(quiet, verbose))


def _voice() -> Voice:
    return _ASKED.get(Voice())


def prepare() -> None:
    """Let no letter of a name crash the output under LC_ALL=C, nor a stream that the caller has closed.

    Of a closed stderr what is said is lost, and the exit code tells it. Data that a closed stdout was to take are not:
    it stays a stream that can't be written to, as the system has it, so that the first write fails.
    """
    _ASKED.set(Voice())
    with suppress(OSError):
        while (spare := os.open(os.devnull, os.O_RDWR)) < 3:  # what is opened next must not become a standard stream
            pass
        os.close(spare)
    for name, access in (("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, access), "w", encoding="utf-8"))  # noqa: PTH123, SIM115 -- kept
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            # Of an unbuffered stream (PYTHONUNBUFFERED) Python loses without a word what one write doesn't take.
            stream = open(stream.fileno(), "w", buffering=1, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        # Half a result is no result: wait for a slow reader, as pipes usually do, and as Windows always does.
        with suppress(OSError, ValueError, AttributeError):
            os.set_blocking(stream.fileno(), True)


def abandon_stdout() -> None:
    """Send what is still buffered for stdout nowhere, so that Python does not complain about it when it exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def quiet() -> bool:
    """Whether nothing but errors is to be said."""
    return _voice().quiet


def verbose(words: Sequence[str] = ()) -> bool:
    """Whether more is to be said. `words` are the command's, for errors that come before they are understood."""
    return (
        _voice().verbose
        or os.environ.get("REPORTGEN_VERBOSE", "").lower() in _TRUE
        or any(word == "--verbose" or re.fullmatch("-q*v[qv]*", word) for word in words)
    )


def say(message: str) -> None:
    """Tell the user on stderr, unless quiet. Names of files and columns may be hostile to a terminal."""
    if not quiet():
        _print(message)


def detail(message: str) -> None:
    """Tell the user on stderr what only `-v` asks for."""
    if _voice().verbose:
        _print(message)


def conclude(message: str) -> None:
    """Write the closing line of a gate that is not met: said even when quiet."""
    _print(message)


def complain(message: str) -> None:
    """Write the one line of an error."""
    _print(f"reportgen: error: {' '.join(message.split())}")


def _print(message: str) -> None:
    with suppress(OSError, ValueError):  # nobody is left to tell; the exit code says it
        print(escaped(message), file=sys.stderr, flush=True)


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show the stage with its counts on a terminal, on one line that goes away; say nothing anywhere else.

    The line is written over by carriage returns: no colour and no escape code, so that any terminal shows it. With
    `-v` the seconds of each stage follow at the end, everywhere.
    """
    line, clock = _Line(shown=_on_terminal()), _Clock()

    def show(stage: str, done: int, total: int) -> None:
        clock.start(stage)
        line.write(f"{stage} {done + 1}/{total}" if total > 1 else stage)

    try:
        yield show
    finally:
        line.write("")
        clock.start("")
        if clock.seconds:
            detail(", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in clock.seconds.items()))


def _on_terminal() -> bool:
    return not quiet() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class _Line:
    """One line of a terminal that is written over."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._last = ""

    def write(self, text: str) -> None:
        if not self._shown or text == self._last:
            return
        text = escaped(text)[: shutil.get_terminal_size().columns - 1]
        with suppress(OSError, ValueError):
            sys.stderr.write(f"\r{text:<{len(self._last)}}" + ("" if text else "\r"))
            sys.stderr.flush()
        self._last = text


class _Clock:
    """The seconds that each stage took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage, self._since = "", 0.0

    def start(self, stage: str) -> None:
        now = time.perf_counter()
        if self._stage:
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage, now
