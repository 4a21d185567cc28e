"""The title as it stands in the running head of every page but the first: one line, cut here rather than by the CSS.

WeasyPrint 70 can cut a line too (`text-overflow: ellipsis`), but then names the whole rest of the line as the meaning
of the sign "…", which makes the table of characters invalid and the text of every page wrong to search and to copy.
"""

from __future__ import annotations

from reportgen.figures import style
from reportgen.figures.labels import extent, legible

WIDTH = 120 * style.MM
"""Of the title's box in the running head, in points, as running.css has it."""
SIZE = 8.0
"""Of its letters, in points."""
_MORE = "…"
_SPARE = 0.98
"""Lines are a little shorter than the box: sizes are rounded."""


def running_title(title: str) -> str:
    """Return the title, or as many of its first letters as fit with a sign that there are more."""
    room, width = WIDTH * _SPARE, 0.0
    fits = 0
    with style.settings():
        for place, sign in enumerate(title):
            width += _extent(sign)
            if width > room:
                return title[:fits].rstrip() + _MORE
            if width + _extent(_MORE) <= room:
                fits = place + 1
    return title


def _extent(sign: str) -> float:
    """Width of one letter in points; those of other faces are taken for as wide as high, as Chinese ones are."""
    return SIZE if legible(sign) != sign else extent(sign, SIZE)
