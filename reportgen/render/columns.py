"""Widths of a table's columns on paper, from the packaged face's own measures.

A typesetter finds them by setting every cell twice, in one line and as narrow as it can, which is a tenth of the time
that a PDF takes. Here the widths of letters are added up. What comes out is what CSS calls automatic table layout.
"""

from __future__ import annotations

import functools

from reportgen.figures import style
from reportgen.figures.labels import extent, legible
from reportgen.render.view import LONGEST_WORD, Cell, Table

WIDTH = 174 * style.MM
"""Of the text on A4, in points, as print.css has it."""
SIZES = {"plain": 8.6, "wide": 8.6, "grid": 7.4}
"""Size of the letters in points by the table's layout, as print.css has them."""
PADDINGS = {"plain": 10.7, "wide": 10.7, "grid": 4.9}
"""Left of every cell but the first."""
_SPARE = 1.02
"""Columns are a little wider than measured: sizes are rounded."""
_MOST_LETTERS = 300
"""More than a line of paper holds."""
_NO_WRAP = frozenset({"num", "range", "better"})


def widths(table: Table) -> tuple[float, ...]:
    """Return the width of each column in percent of the table's; empty where they are not to be set.

    That is so where the style sheet sets them, and where the longest words have no room beside each other.
    """
    if table.layout == "facts" or not table.heads:
        return ()
    size, padding = SIZES[table.layout], PADDINGS[table.layout]
    least, most = [], []
    with style.settings():
        for place, head in enumerate(table.heads):
            texts = [(head.text, True, False), (head.unit, False, False)]
            texts += [text for row in table.shown if (cell := _single(row, place)) for text in _texts(cell)]
            measured = [_measured(text, bold=bold, whole=whole) for text, bold, whole in texts if text]
            before = padding if place else 0.0
            least.append(before + size * _SPARE * max((narrow for narrow, _ in measured), default=0.0))
            most.append(before + size * _SPARE * max((wide for _, wide in measured), default=0.0))
    free = WIDTH - sum(least)
    if free < 0:
        return ()
    if sum(most) <= WIDTH:
        found = [width * WIDTH / sum(most) for width in most]
    else:
        wanted = [wide - narrow for wide, narrow in zip(most, least, strict=True)]
        found = [narrow + free * want / sum(wanted) for narrow, want in zip(least, wanted, strict=True)]
    return tuple(round(100 * width / WIDTH, 2) for width in found)


def _single(row: tuple[Cell, ...], place: int) -> Cell | None:
    """The cell of a column, where it is in one column alone."""
    if len(row) == 1 or any(cell.span > 1 for cell in row[: place + 1]):
        return None
    return row[place]


def _texts(cell: Cell) -> list[tuple[str, bool, bool]]:
    """The lines of a cell, whether each is bold and whether it stays in one line."""
    whole = cell.style in _NO_WRAP or bool(cell.tone)
    bold = cell.strong or cell.tone in {"high", "moderate"}
    text = f"{cell.text}, {cell.unit}" if cell.unit else cell.text
    return [(text, bold, whole), (cell.under, False, whole)]


def _measured(text: str, *, bold: bool, whole: bool) -> tuple[float, float]:
    """Return the narrowest and the widest that a line may be, as multiples of the size of its letters."""
    words = legible(text[:_MOST_LETTERS]).split()
    lengths = [_length(word, bold=bold) for word in words]
    wide = sum(lengths) + extent(" ", 1.0, bold=bold) * (len(words) - 1)
    if whole or not words:
        return max(wide, 0.0), max(wide, 0.0)
    return max(length * min(1, LONGEST_WORD / len(word)) for word, length in zip(words, lengths, strict=True)), wide


@functools.lru_cache(maxsize=4096)
def _length(word: str, *, bold: bool) -> float:
    return sum(extent(letter, 1.0, bold=bold) for letter in word)
