"""Several names in one message, and the nearest of the known ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from reportgen.bounds import LONGEST_NAME
from reportgen.errors import InputError
from reportgen.shown import one_line, shown_name

__all__ = ["like_cells", "nearest_name", "one_line", "refuse_names", "shown_name", "shown_names"]

_LIKE_A_CELL = re.compile(r"[+-]?\d[\d.,]*([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.DOTALL)


def refuse_names(names: Iterable[str], label: str) -> None:
    """Raise InputError where a column's name is no text, or longer than any report could show."""
    for name in names:
        if len(name) > LONGEST_NAME:
            msg = f"{label}: the name of column {shown_name(name)} is longer than {LONGEST_NAME} characters; shorten it"
            raise InputError(msg)
        try:
            name.encode()
        except UnicodeEncodeError:
            msg = f"{label}: the name of column {shown_name(name)} is no text (half of a character); rename it"
            raise InputError(msg) from None


def like_cells(names: Iterable[str]) -> bool:
    """Whether some names are numbers or dates: mostly a line of data is then taken for the header.

    Its values are those of a person, and no message may quote them.
    """
    return any(_LIKE_A_CELL.fullmatch(name) for name in names)


def shown_names(names: Iterable[str], most: int = 5) -> str:
    """Return up to `most` names, and how many more there are."""
    every = list(names)
    shown = ", ".join(shown_name(name) for name in every[:most])
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like this one, or None where none is alike."""
    candidates = list(known)
    for candidate in candidates:
        if candidate.strip().casefold() == name.strip().casefold():
            return candidate
    return next(iter(difflib.get_close_matches(name, candidates, n=1)), None)
