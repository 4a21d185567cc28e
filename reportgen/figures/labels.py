"""The words of a figure, and how they are measured and broken into lines. The catalog makes them; nothing here does."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from reportgen.figures import style

REPLACEMENT = "?"
"""Stands for characters that the packaged faces lack."""


@dataclass(frozen=True)
class FigureText:
    """Labels of one figure. A line break in any of them is kept; longer lines are broken to fit."""

    x_label: str
    x_label_narrow: str
    y_label: str
    reference: str
    """Label at the reference's curve, such as "against the holdout rows, n = 2,000"."""
    synthetic: str
    """Label at the synthetic rows' curve."""
    zero: str
    """Tick under the rows at exactly zero."""
    y_label_uneven: str = ""
    """Takes the place of `y_label` in a histogram whose bins are not equally wide as drawn (`histogram.uneven`)."""
    legend: str = ""
    """Head of the legend of `draw_cells`, such as "rows in a cell"."""


@dataclass(frozen=True)
class Threshold:
    """A vertical line at a value of the x axis, and the label that stands at it."""

    value: float
    text: str


@dataclass(frozen=True)
class Lettering:
    """Lines of text with the size of the box that they fill, in points."""

    lines: tuple[str, ...]
    size: float
    bold: bool
    width: float

    @property
    def height(self) -> float:
        """Height of all lines, in points."""
        return len(self.lines) * self.size * style.PITCH


def letter(text: str, width: float, *, size: float = style.SIZE, bold: bool = False) -> Lettering:
    """Break a text into lines of at most `width` points: at its own line breaks, at spaces, else inside words."""
    lines = [line for paragraph in legible(text).split("\n") for line in _balanced(paragraph, width, size, bold=bold)]
    return Lettering(tuple(lines), size, bold, max(extent(line, size, bold=bold) for line in lines))


def extent(line: str, size: float, *, bold: bool = False) -> float:
    """Return the width of one line of text in points, as the SVG will show it."""
    words = line.split(" ")
    return (sum(_word_extent(word, bold=bold) for word in words) + (len(words) - 1) * space(bold=bold)) * size


def space(*, bold: bool) -> float:
    """Return the width of a space as a part of the size. Neither face sets letters closer to a space."""
    return _word_extent(" ", bold=bold)


@functools.lru_cache(maxsize=4096)
def _word_extent(word: str, *, bold: bool) -> float:
    if not word:
        return 0.0
    width, _, _ = style.toolbox().text_to_path.get_text_width_height_descent(word, style.face(100.0, bold=bold), False)  # noqa: FBT003 -- matplotlib's own signature
    return float(width) / 100


def legible(text: str) -> str:
    """Return the text with every character that the packaged faces lack replaced: hostile text is no reason to fail."""
    glyphs = style.toolbox().glyphs
    return "".join(sign if sign == "\n" or ord(sign) in glyphs else REPLACEMENT for sign in text.strip("\n"))


def _balanced(paragraph: str, width: float, size: float, *, bold: bool) -> list[str]:
    """Break a paragraph into as few lines as the width allows, about equally long."""
    lines = _broken(paragraph, width, size, bold=bold)
    narrower = width
    least = max(extent(word, size, bold=bold) for word in paragraph.split(" "))
    while len(lines) > 1 and narrower - size / 2 > least:
        narrower -= size / 2
        tried = _broken(paragraph, narrower, size, bold=bold)
        if len(tried) > len(lines):
            break
        lines = tried
    return lines


def _broken(paragraph: str, width: float, size: float, *, bold: bool) -> list[str]:
    lines: list[str] = []
    current = ""
    for word in paragraph.split(" "):
        longer = f"{current} {word}" if current else word
        if extent(longer, size, bold=bold) <= width:
            current = longer
            continue
        if current:
            lines.append(current)
        current = word
        while extent(current, size, bold=bold) > width and len(current) > 1:
            fits = next(
                n for n in range(len(current) - 1, 0, -1) if n == 1 or extent(current[:n], size, bold=bold) <= width
            )
            lines.append(current[:fits])
            current = current[fits:]
    return [*lines, current]
