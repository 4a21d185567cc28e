"""What the histogram and the tail have in common: two series, a strip for zeros, a threshold, and their labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from reportgen import rounding
from reportgen.figures import canvas, style
from reportgen.figures.labels import FigureText, Lettering, Threshold, letter
from reportgen.figures.placement import CLEARANCE, Box, Curve, Label, Scene, clear, place_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.figures.scales import Scale
    from reportgen.model import Histogram

STRIP = {False: 46.0, True: 40.0}
"""Width of the strip left of the axis that holds the rows at exactly zero, wide and narrow."""
_LEAST_LEFT = 28.0
_RIGHT = 2 * style.MM
_GAP = 4.0
_EASY = 45.0
_WORTH = 12.0
_WIDEST_LABEL, _NARROW_LABEL = 0.62, 0.42


@dataclass(frozen=True)
class Attempt:
    """One way to make room for labels: free height above the curves, how wide labels may be, label above the axes."""

    headroom: float
    widest: float
    band: bool


@dataclass(frozen=True)
class Room:
    """The places of a chart's parts on its sheet."""

    width: float
    height: float
    frame: Box
    plot: Box
    """The frame without the strip for zeros."""
    x: Scale
    y: Scale
    x_axis: canvas.Axis
    y_axis: canvas.Axis
    zero: Lettering

    @property
    def zero_at(self) -> float:
        """Middle of the strip for zeros."""
        return (self.frame.x0 + self.plot.x0) / 2


@dataclass(frozen=True)
class Curves:
    """Both series as drawn, and boxes that labels had better not cover."""

    reference: Curve
    synthetic: Curve
    avoid: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Layout:
    """The labels of a chart as placed: reference, synthetic, and the threshold's with the place of its line."""

    series: tuple[tuple[Lettering, Label], tuple[Lettering, Label]]
    threshold: tuple[Lettering, Box, float] | None

    @property
    def strain(self) -> float:
        """How far the labels are from their curves and what they cover; small is good."""
        return sum(label.strain for _, label in self.series)


@dataclass(frozen=True)
class Plan:
    """Everything about a chart that is settled before it is drawn."""

    room: Room
    curves: Curves
    layout: Layout


def same_edges(reference: Histogram, synthetic: Histogram) -> tuple[float, ...]:
    """Return the edges that both series share, as they are drawn (see `with_near_end`).

    Raises ValueError where they differ.
    """
    if reference.edges != synthetic.edges:
        msg = "both histograms must have the same edges"
        raise ValueError(msg)
    return with_near_end(reference.edges)


def with_near_end(edges: tuple[float, ...]) -> tuple[float, ...]:
    """Bring the last edge near where the last bin, which holds everything beyond, would fill much of the axis.

    The edge of a distribution's far end is a power of ten, so that it tells nothing of the farthest row. Drawn to scale
    on a logarithmic axis, the bin before it could be most of the picture; it gets the width of two bins.
    """
    if len(edges) < 4 or edges[-3] <= 0:
        return edges
    ratio = edges[-2] / edges[-3]
    return (*edges[:-1], min(edges[-1], edges[-2] * ratio**2))


def share_text(share: float) -> str:
    """Write a share of rows in percent, so that it never looks like none or all when it is not."""
    return rounding.percent(share, 0 if share in {0, 100} else 2, (0.0, 100.0))


def attempts(
    text: FigureText, threshold: Threshold | None, headrooms: tuple[float, float, float], *, narrow: bool
) -> list[Attempt]:
    """List the ways to make room, the most pleasing first; the last one always has room."""
    plot = (style.NARROW if narrow else style.WIDE) - 40 - STRIP[narrow]
    last = _NARROW_LABEL * plot
    heights = [letter(words, last, bold=True).height for words in (text.reference, text.synthetic)]
    enough = sum(heights) + max(heights) + 5 * CLEARANCE + 8
    band = narrow and threshold is not None
    small, middle, large = headrooms
    return [
        Attempt(small, _WIDEST_LABEL * plot, band),
        Attempt(small, last, band),
        Attempt(middle, last, band),
        Attempt(large, last, band),
        Attempt(max(large, enough), last, band=threshold is not None),
    ]


def furnish(
    text: FigureText,
    threshold: Threshold | None,
    attempt: Attempt,
    *,
    x_of: Callable[[float, float], Scale],
    y_of: Callable[[float], Scale],
    y_label: str,
    most: float,
    tall: float,
    narrow: bool,
) -> Room:
    """Find a place for every part of a chart whose frame is `tall` points high.

    `x_of` makes the x scale between two places, `y_of` the y scale above a place. No tick of y is above `most`.
    """
    width = style.NARROW if narrow else style.WIDE
    left = max(canvas.left_margin(canvas.y_axis(y_of(0), y_label, tall, most=most)), _LEAST_LEFT)
    right = width - _RIGHT
    strip = left + STRIP[narrow]
    x = x_of(strip, right)
    x_axis = canvas.x_axis(x, canvas.x_label(text, narrow=narrow), width - 8)
    free = 2 * (STRIP[narrow] / 2 - 4)
    if x_axis.ticks:
        free = min(free, 2 * (canvas.tick_span(x_axis.ticks[0])[0] - 4 - (left + strip) / 2))
    zero = letter(text.zero, free, size=style.TICK_SIZE)
    x_axis = replace(x_axis, depth=max(x_axis.depth, zero.height))
    bottom = canvas.bottom_margin(x_axis)
    y = y_of(bottom)
    above = 8.0
    if threshold is not None and attempt.band:
        above = letter(threshold.text, right - left).height + 3 + 4
    return Room(
        width=width,
        height=bottom + tall + above,
        frame=Box(left, bottom, right, bottom + tall),
        plot=Box(strip, bottom, right, bottom + tall),
        x=x,
        y=y,
        x_axis=x_axis,
        y_axis=canvas.y_axis(y, y_label, tall, most=most),
        zero=zero,
    )


def lay_out(text: FigureText, threshold: Threshold | None, attempt: Attempt, room: Room, curves: Curves) -> Plan | None:
    """Place all labels, or return None where one would touch something."""
    plot = room.plot
    scene = Scene(area=Box(plot.x0 + 2, plot.y0 + 2, plot.x1, plot.y1), avoid=curves.avoid)
    marked = None
    if threshold is not None:
        marked = _at_threshold(threshold, attempt, room, scene, curves)
        if marked is None:
            return None
        _, box, at = marked
        scene = replace(scene, taken=(box,), lines=(np.array([(at, plot.y0), (at, plot.y1)]),))
    words = [letter(label, attempt.widest, bold=True) for label in (text.reference, text.synthetic)]
    sizes = [(lettering.width, lettering.height) for lettering in words]
    pair = place_pair(scene, (curves.reference, curves.synthetic), (sizes[0], sizes[1]))
    if pair is None:
        return None
    return Plan(room, curves, Layout(((words[0], pair[0]), (words[1], pair[1])), marked))


def _at_threshold(
    threshold: Threshold, attempt: Attempt, room: Room, scene: Scene, curves: Curves
) -> tuple[Lettering, Box, float] | None:
    at, frame, plot = room.x(threshold.value), room.frame, room.plot
    if attempt.band:
        words = letter(threshold.text, frame.x1 - frame.x0)
        left = max(frame.x0, min(at, frame.x1 - words.width))
        return words, canvas.box_at(left, plot.y1 + 3 + words.height, words), at
    words = letter(threshold.text, 0.6 * (plot.x1 - plot.x0))
    for left in (at + _GAP, at - _GAP - words.width):
        box = canvas.box_at(left, plot.y1 - 4, words)
        if clear(scene, (curves.reference, curves.synthetic), box):
            return words, box, at
    return None


def best_plan(choices: Sequence[Attempt], plan: Callable[[Attempt], Plan | None]) -> Plan:
    """Return the plan of the first attempt whose labels stand close to their curves, else the best of all."""
    found: list[tuple[float, Plan]] = []
    for index, attempt in enumerate(choices):
        made = plan(attempt)
        if made is None:
            continue
        if made.layout.strain < _EASY:
            found.append((made.layout.strain + _WORTH * index, made))
            break
        # Room above the curves makes them flatter, so it must buy something.
        found.append((made.layout.strain + _WORTH * index, made))
    return min(found, key=lambda entry: entry[0])[1]


def draw_labels(sheet: canvas.Sheet, plan: Plan) -> None:
    """Draw the labels with their leaders, the threshold's line with the shade below it, and the tick under zeros."""
    room, plot = plan.room, plan.room.plot
    if plan.layout.threshold is not None:
        words, box, at = plan.layout.threshold
        top = plot.y1 + 3 if box.y0 > plot.y1 else plot.y1 - 3
        if at > plot.x0:
            canvas.area(sheet, [canvas.corners(Box(plot.x0, plot.y0, at, min(top, plot.y1)))], style.SHADE, order=0)
        canvas.line(sheet, (at, at), (plot.y0, top), style.INK, style.THIN, order=5, name="threshold")
        canvas.write(sheet, words, box, name="threshold")
    names = ("reference", "synthetic")
    colours = ((style.REFERENCE, style.REFERENCE_WORDS), (style.SYNTHETIC, style.SYNTHETIC_WORDS))
    for name, (colour, of_words), (words, label) in zip(names, colours, plan.layout.series, strict=True):
        start, end = label.leader
        canvas.line(sheet, (start[0], end[0]), (start[1], end[1]), colour, 0.7, order=6)
        align: canvas.Align = "right" if start[0] > label.box.x1 else "left"
        canvas.write(sheet, words, label.box, of_words, align=align, name=name, halo=label.covers)
    tick = canvas.box_at(room.zero_at, plot.y0 - canvas.TICK_GAP, room.zero, "center")
    canvas.write(sheet, room.zero, tick, align="center", name="zero")
