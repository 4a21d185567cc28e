"""Foreign text as it may be shown on one line of a message or a terminal: names of files and columns are hostile."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 60
"""Characters shown of a name; the middle of a longer one is left out."""
NOT_SHOWN = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters but tab and the ends of lines
    r"\u2028\u2029\u202a-\u202e\u2066-\u2069"  # ends of lines in scripts, and what turns the direction of writing
    r"\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff"  # no characters, and marks of annotations
)
"""What no page holds as it is, for the brackets of a regular expression."""
_BREAKING = re.compile(f"[{NOT_SHOWN}\t\n\r]")
_INVISIBLE = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
"""Unicode categories that break a line, turn the direction of writing, or show nothing."""
_UNSEEN = (*_INVISIBLE, "Zs")
_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]|[\ufffe\uffff]")
"""Code points that are no characters; XML holds neither the last two of them nor most of `Cc`."""


def one_line(text: str) -> str:
    r"""Escape what breaks a line or turns its direction, as \n or \u202e, and leave out the middle of a long text."""
    if len(text) > LONGEST:
        half = (LONGEST - 1) // 2
        text = f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{text[-half:]}"
    return escaped(text)


def escaped(text: str) -> str:
    """Escape what breaks a line, turns its direction or commands a terminal."""
    return "".join(
        character.encode("unicode_escape").decode("ascii")
        if unicodedata.category(character) in _INVISIBLE or _NONCHARACTERS.match(character)
        else character
        for character in text
    )


def visible(text: str) -> str:
    r"""Escape for a page what breaks a line or turns its direction, as \n or \u202e.

    Marks that words of some languages need, such as joiners, stay, unlike in `escaped`, where there is more than those.
    """
    if all(unicodedata.category(character) in _UNSEEN for character in text):
        return escaped(text)
    return _BREAKING.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def shown_name(name: str) -> str:
    """Return a hostile name on one line, in quotes."""
    return f"'{one_line(name)}'"


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'x'?)" with the known name nearest to a mistyped one, or "" where none is near."""
    import difflib  # costs time, and is needed only where something is wrong

    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
