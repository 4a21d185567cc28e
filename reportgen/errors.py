"""The errors that reportgen raises on purpose.

    ReportgenError
    ├── InputError          the command, a setting, a file or its contents is wrong; exit code 2
    ├── EnvironmentLacking  this machine cannot do it, for example Pango is missing; exit code 3
    └── InternalError       a fault of the program; exit code 3

The text of every error is one line: which file, which column, what to do. It never holds the value of a cell.
"""

import traceback
from pathlib import Path


class ReportgenError(Exception):
    """Base of all errors raised on purpose; its text is one line for the user."""


class InputError(ReportgenError):
    """The command or its input is wrong. The command line exits with 2."""


class InternalError(ReportgenError):
    """A fault of the program, named by its kind and place: the text of the error it stands for may quote a cell."""


class EnvironmentLacking(ReportgenError):  # noqa: N818 -- reads better where it is raised than "…Error"
    """The machine lacks something that the task needs. The command line exits with 3."""


def raised_at(error: BaseException) -> str:
    """Name the line that raised an error, as in "famd.py:12". Its text may quote a cell and is not for showing."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "an unknown line"


def without_its_text(error: Exception) -> InternalError:
    """Return what may be shown of an error that nobody expected; its traceback stays, for a report of the fault."""
    fault = InternalError(f"internal error: {type(error).__name__} at {raised_at(error)}")
    return fault.with_traceback(error.__traceback__)
