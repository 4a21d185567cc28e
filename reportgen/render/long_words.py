"""Where a long word may be broken: at the seams of a name, as a reader would, and nowhere else while there is room.

Names of columns and files are long words without blanks. `<wbr>` marks a place for a break and is no character: what is
copied or read aloud from HTML or PDF is the name alone. Alternative texts and everything outside of cells have none.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from reportgen.render.view import LONGEST_WORD

SHORTEST_PIECE = 4
"""Letters; shorter pieces stay with the next, so that no line holds a single letter."""
_SEAM = re.compile(
    r"(?<=[_./:,;|@=+&~#])(?=[^\W_])"  # after a sign within a name
    r"|(?<=[a-z0-9])(?=[A-Z])"  # camelCase
    r"|(?<=[A-Z])(?=[A-Z][a-z])"  # XMLFile
)


def with_breaks(text: str) -> Markup:
    """Escape a text and mark the seams of its long words."""
    if max(map(len, text.split()), default=0) <= LONGEST_WORD:
        return escape(text)
    words = re.split(r"(\s+)", text)
    return Markup("").join(
        Markup("<wbr>").join(map(escape, pieces(word))) if len(word) > LONGEST_WORD else escape(word) for word in words
    )


def pieces(word: str) -> list[str]:
    """Cut a word at its seams; joined, the pieces are the word."""
    found: list[str] = []
    for piece in _SEAM.split(word):
        if found and len(found[-1]) < SHORTEST_PIECE:
            found[-1] += piece
        else:
            found.append(piece)
    if len(found) > 1 and len(found[-1]) < SHORTEST_PIECE:
        found[-2:] = ["".join(found[-2:])]
    return found
