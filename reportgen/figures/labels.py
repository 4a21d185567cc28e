"""The words of a figure, and how they are measured and broken into lines. The catalog makes them; nothing here does."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from reportgen.figures import style

REPLACEMENT = "?"
"""Stands for characters that the packaged faces lack."""
_RANGES = (
    "20-7e a0-17f 218-21b 2bc 2c6 2da 2dc 384-38a 38c 38e-3a1 3a3-3ce 400-45f 1e9e 2010-201e 2020-2023 2026 202f-2030"
    " 2032-2033 2039-203a 2044 2070 2074 2080-2082 20ac 2122 2126 2190-2193 2202 2206 2211-2212 2215 221a 221e 222b "
    "2248 2260 2264-2265 25a0-25a1 25b2-25b3 25c6 25cb 25cf 2713 2717"
)
SIGNS = frozenset(
    chr(code)
    for ends in (part.split("-") for part in _RANGES.split())
    for code in range(int(ends[0], 16), int(ends[-1], 16) + 1)
)
"""The characters that both packaged faces have; known without loading them."""


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
    return "".join(sign if sign == "\n" or sign in SIGNS else REPLACEMENT for sign in text.strip("\n"))


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
