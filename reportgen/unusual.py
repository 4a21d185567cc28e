"""Files of valid form that say what no assessment says, and memory that ran out meanwhile."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import InputError, ReportgenError, raised_at


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, also while a library was being loaded: the loader then says so in its own words."""
    if isinstance(error, ImportError):
        return any(words in str(error) for words in ("failed to map segment", "annot allocate memory"))
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


@contextmanager
def refused_if_unusual(result: str, doing: str) -> Iterator[None]:
    """Turn a fault into an InputError that names the result: a file of valid form can say what no assessment says.

    For example it can lack a score, hold one of 1e308, or be of the 99th month. `doing` is what was being done to it.
    """
    try:
        yield
    except (ReportgenError, OSError):
        raise
    except Exception as error:
        if is_out_of_memory(error):
            raise
        where = f"{type(error).__name__} at {raised_at(error)}"
        msg = f"{Path(result).name}: cannot be {doing} ({where}); was it changed by hand? assess again"
        raise InputError(msg) from error
