"""Names of columns as they may be shown on one line of a message, and the nearest of the known ones."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

LONGEST = 60
"""Characters shown of a name; the middle of a longer one is left out."""
_INVISIBLE = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Unicode categories that break a line, turn the direction of writing, or show nothing."""


def one_line(text: str) -> str:
    r"""Escape what breaks a line or turns its direction, as \n or \u202e, and leave out the middle of a long text."""
    if len(text) > LONGEST:
        half = (LONGEST - 1) // 2
        text = f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{text[-half:]}"
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _INVISIBLE
        else character
        for character in text
    )


def shown_name(name: str) -> str:
    """Return a hostile name on one line, in quotes."""
    return f"'{one_line(name)}'"


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
