"""A sheet of paper in points: lines, areas and texts at given places, and the axes of a chart.

The figures place everything themselves, because only then can labels keep clear of each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.figures import style
from reportgen.figures.labels import Lettering, extent, letter
from reportgen.figures.marks import Area, Drawing, Line, Marker, Words
from reportgen.figures.placement import Box
from reportgen.figures.scales import Scale, tick_choices, tick_text

if TYPE_CHECKING:
    from reportgen.figures.labels import FigureText

Align = Literal["left", "center", "right"]
Values = Sequence[float] | NDArray[np.float64]
TICK_GAP = 5.0
"""Distance of the tick labels below an axis from it."""
_TICK = 3.0
_EDGE = 2.0
_ASCENT = 0.95
"""Baseline of a line of text below the top of its box, as a multiple of the size."""


@dataclass(frozen=True)
class Sheet:
    """A drawing that is being made, with its size in points."""

    width: float
    height: float
    marks: list[Line | Area | Words] = field(default_factory=list)

    @property
    def drawing(self) -> Drawing:
        """Everything that was drawn so far."""
        return Drawing(self.width, self.height, tuple(self.marks))


@dataclass(frozen=True)
class Axis:
    """One axis of a chart before it is drawn: its ticks, by place, and the lines of its label."""

    ticks: tuple[tuple[float, str], ...]
    label: Lettering
    depth: float = style.TICK_SIZE * style.PITCH
    """Height of the tick labels, where the axis lies below."""

    @property
    def widest(self) -> float:
        """Width of the widest tick label, in points."""
        return max((extent(text, style.TICK_SIZE) for _, text in self.ticks), default=0.0)


def line(
    sheet: Sheet,
    xs: Values,
    ys: Values,
    colour: str,
    width: float,
    *,
    order: float = 2.0,
    name: str = "",
    dash: tuple[float, ...] = (),
    marker: Marker | None = None,
) -> None:
    """Draw a line through places; NaN interrupts it."""
    places = np.stack([np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)], axis=1)
    sheet.marks.append(Line(places, colour, width, order, name, dash, marker))


def area(
    sheet: Sheet,
    shapes: Sequence[Any],
    fill: str,
    *,
    order: float = 1.0,
    name: str = "",
    edge: str = "none",
    edge_width: float = 0.0,
    hatched: bool = False,
) -> None:
    """Fill closed shapes, each of shape (corners, 2), as one."""
    outlines = tuple(np.asarray(shape, dtype=np.float64) for shape in shapes)
    sheet.marks.append(Area(outlines, fill, order, name, edge, edge_width, hatched))


def corners(box: Box) -> tuple[tuple[float, float], ...]:
    """Return the four corners of a box, for `area`."""
    return (box.x0, box.y0), (box.x0, box.y1), (box.x1, box.y1), (box.x1, box.y0)


def write(
    sheet: Sheet,
    lettering: Lettering,
    box: Box,
    colour: str = style.INK,
    *,
    align: Align = "left",
    name: str = "",
    halo: bool = False,
) -> None:
    """Set lines of text from the top of a box downwards. With a halo, what lies behind the box is painted over."""
    if halo:
        area(sheet, [corners(box)], "white", order=6)
    x = {"left": box.x0, "center": (box.x0 + box.x1) / 2, "right": box.x1}[align]
    for index, words in enumerate(lettering.lines):
        baseline = box.y1 - (index * style.PITCH + _ASCENT) * lettering.size
        _put(sheet, x, baseline, words, lettering, colour, align, name)


def _put(
    sheet: Sheet,
    x: float,
    y: float,
    words: str,
    lettering: Lettering,
    colour: str,
    align: Align,
    name: str,
    *,
    turned: bool = False,
) -> None:
    if words.strip():
        sheet.marks.append(Words(words, x, y, lettering.size, lettering.bold, colour, align, name, turned))


def box_at(x: float, top: float, lettering: Lettering, align: Align = "left") -> Box:
    """Return the box of lines of text whose upper left, middle or right is given."""
    left = x - lettering.width * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
    return Box(left, top - lettering.height, left + lettering.width, top)


def tick_span(tick: tuple[float, str]) -> tuple[float, float]:
    """Return both ends of a tick's label below an axis."""
    at, text = tick
    half = extent(text, style.TICK_SIZE) / 2
    return at - half, at + half


def x_axis(scale: Scale, label: str, width: float) -> Axis:
    """Choose as many ticks as have room beside each other, and break the label to a width."""
    ticks: tuple[tuple[float, str], ...] = ()
    for values in tick_choices(scale):
        ticks = tuple((scale(value), tick_text(value)) for value in values)
        spans = [tick_span(tick) for tick in ticks]
        if ticks and all(b[0] - a[1] >= 12 for a, b in itertools.pairwise(spans)):
            break
    return Axis(ticks, letter(label, width))


def y_axis(scale: Scale, label: str, height: float, *, pitch: float = 16.0, most: float = math.inf) -> Axis:
    """Choose ticks that are at least `pitch` points apart and not above `most`, and break the label to a height."""
    ticks: tuple[tuple[float, str], ...] = ()
    for values in tick_choices(scale):
        ticks = tuple((scale(value), tick_text(value)) for value in values if value <= most)
        if ticks and all(b[0] - a[0] >= pitch for a, b in itertools.pairwise(ticks)):
            break
    return Axis(ticks, letter(label, height))


def left_margin(y: Axis) -> float:
    """Return what an axis on the left needs for its label, its tick labels and its ticks, in points."""
    return _EDGE + y.label.height + 3 + y.widest + 3 + _TICK


def bottom_margin(x: Axis) -> float:
    """Return what an axis below needs for its tick labels and its label, in points."""
    return TICK_GAP + x.depth + 4 + x.label.height + 2


def draw_frame(sheet: Sheet, frame: Box, x: Axis, y: Axis, *, x_ticks: bool) -> None:
    """Draw the two spines with ticks and labels. Ticks of x are marked only where `x_ticks` says so."""
    line(
        sheet,
        (frame.x0, frame.x0, frame.x1),
        (frame.y1, frame.y0, frame.y0),
        style.MUTED,
        style.RULE,
        order=5,
        name="frame",
    )
    nan = float("nan")
    marks = [(frame.x0 - _TICK, frame.x0, at, at) for at, _ in y.ticks]
    marks += [(at, at, frame.y0 - _TICK, frame.y0) for at, _ in x.ticks] if x_ticks else []
    xs = [value for mark in marks for value in (mark[0], mark[1], nan)]
    ys = [value for mark in marks for value in (mark[2], mark[3], nan)]
    if marks:
        line(sheet, xs, ys, style.MUTED, style.RULE, order=5)
    for at, text in x.ticks:
        words = Lettering((text,), style.TICK_SIZE, bold=False, width=extent(text, style.TICK_SIZE))
        middle = min(max(at, words.width / 2), sheet.width - words.width / 2)
        write(sheet, words, box_at(middle, frame.y0 - TICK_GAP, words, "center"), align="center", name="x-tick")
    for at, text in y.ticks:
        words = Lettering((text,), style.TICK_SIZE, bold=False, width=extent(text, style.TICK_SIZE))
        write(
            sheet,
            words,
            box_at(frame.x0 - _TICK - 3, at + words.height / 2 - 0.4, words, "right"),
            align="right",
            name="y-tick",
        )
    top = frame.y0 - bottom_margin(x) + 2 + x.label.height
    middle = min(max((frame.x0 + frame.x1) / 2, x.label.width / 2), sheet.width - x.label.width / 2)
    write(sheet, x.label, box_at(middle, top, x.label, "center"), align="center", name="x-label")
    left = frame.x0 - left_margin(y) + _EDGE
    for index, label_line in enumerate(y.label.lines):
        at = left + (index * style.PITCH + _ASCENT) * y.label.size
        middle = (frame.y0 + frame.y1) / 2
        _put(sheet, at, middle, label_line, y.label, style.INK, "center", "y-label", turned=True)


def x_label(text: FigureText, *, narrow: bool) -> str:
    """Return the label of the x axis for the width of the figure."""
    return text.x_label_narrow if narrow else text.x_label
