"""Every error in one line, with its exit code."""

from __future__ import annotations

import errno
import sys
import traceback

import typer

from reportgen.errors import InputError, InternalError, ReportgenError, raised_at
from reportgen.output import NO_SPACE
from reportgen.unusual import is_out_of_memory

MET, NOT_MET, WRONG_INPUT, WRONG_ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer exports neither
_ClickError: type[Exception] = _UsageError.__mro__[1]


class Terminated(BaseException):
    """A signal asks the process to end; like KeyboardInterrupt no Exception, so that nothing holds it up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def in_words(error: BaseException) -> tuple[str, int]:
    """Return the line and the exit code of an error."""
    if isinstance(error, InputError):
        return str(error), WRONG_INPUT
    if isinstance(error, InternalError):
        return f"{error}; -v shows the traceback", WRONG_ENVIRONMENT
    if isinstance(error, ReportgenError):
        return str(error), WRONG_ENVIRONMENT
    if isinstance(error, _ClickError):
        message = getattr(error, "format_message", lambda: "")().strip() or "wrong command"
        return f"{message.splitlines()[0]} (see reportgen --help)", WRONG_INPUT
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return "interrupted; nothing was left half-written", INTERRUPTED
    if isinstance(error, Terminated):
        return "terminated; nothing was left half-written", 128 + error.number
    if is_out_of_memory(error):
        return "out of memory; use fewer rows or a larger machine", WRONG_ENVIRONMENT
    if isinstance(error, OSError) and error.errno in NO_SPACE:
        return f"cannot write: {error.strerror}; free some space", WRONG_ENVIRONMENT
    if isinstance(error, OSError) and error.errno == errno.EBADF:  # `>&-`, or opened for reading only
        return "cannot write: standard output is closed; leave it open, or name files with -o", WRONG_ENVIRONMENT
    # The kind of the error and its place, without its text, which may quote a cell.
    where = f"{type(error).__name__} at {raised_at(error)}"
    return f"internal error: {where}; -v shows the traceback", WRONG_ENVIRONMENT


def print_where(error: BaseException) -> None:
    """Print where an error was raised, without its text, which may quote a cell."""
    traceback.print_tb(error.__traceback__)
    print(type(error).__name__, file=sys.stderr)
