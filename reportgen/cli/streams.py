"""The three streams: data on stdout, messages and progress on stderr, nothing but errors where quiet was asked for."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

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
    """Let no letter of a name crash the output under LC_ALL=C, nor a stream that the caller has closed."""
    _ASKED.set(Voice())
    with suppress(OSError):
        while (spare := os.open(os.devnull, os.O_RDWR)) < 3:  # what is opened next must not become a standard stream
            pass
        os.close(spare)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 -- open until the end
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        with suppress(OSError, ValueError):  # half a result is no result: wait for a slow reader, as pipes usually do
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

    The line is written over by carriage returns: no colour and no escape code, so that any terminal shows it.
    """
    if quiet() or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda stage, done, total: None  # noqa: ARG005 -- names of a callback
        return
    shown = ""

    def show(stage: str, done: int, total: int) -> None:
        nonlocal shown
        text = f"{stage} {done + 1}/{total}" if total > 1 else stage
        line = escaped(text)[: shutil.get_terminal_size().columns - 1]
        with suppress(OSError):
            sys.stderr.write(f"\r{line:<{len(shown)}}")
            sys.stderr.flush()
        shown = line

    try:
        yield show
    finally:
        with suppress(OSError):
            sys.stderr.write(f"\r{'':<{len(shown)}}\r")
            sys.stderr.flush()
