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
    from collections.abc import Callable

    from reportgen.figures.scales import Scale
    from reportgen.model import Histogram

_LEADING_GAP = 4.0


@dataclass(frozen=True)
class Attempt:
    """One way to make room for labels: free height above the curves, how wide labels may be, label above the axes."""

    headroom: float
    widest: float
    band: bool


@dataclass(frozen=True)
class Layout:
    """The labels of a chart as placed: two series, and the threshold with the place of its line."""

    series: tuple[tuple[Lettering, Label], tuple[Lettering, Label]]
    threshold: tuple[Lettering, Box, float] | None


@dataclass(frozen=True)
class Curves:
    """Both series as drawn in a frame, with what must stay clear besides them."""

    reference: Curve
    synthetic: Curve
    taken: tuple[Box, ...] = ()
    avoid: tuple[Box, ...] = ()


def same_edges(reference: Histogram, synthetic: Histogram) -> tuple[float, ...]:
    """Return the edges that both series share; raise ValueError where they differ or zeros are not in the first bin."""
    if reference.edges != synthetic.edges:
        msg = "both histograms must have the same edges"
        raise ValueError(msg)
    for series in (reference, synthetic):
        if series.zero_count > series.counts[0]:
            msg = "rows at exactly zero must be in the first bin"
            raise ValueError(msg)
    return reference.edges


def attempts(text: FigureText, threshold: Threshold | None, width: float, *, narrow: bool) -> list[Attempt]:
    """List the ways to make room, the most pleasing first; the last one always has room."""
    last = 0.42 * width
    heights = [letter(words, last, bold=True).height for words in (text.reference, text.synthetic)]
    room = sum(heights) + max(heights) + 5 * CLEARANCE + 8
    band = narrow and threshold is not None
    return [
        Attempt(27, 0.62 * width, band),
        Attempt(44, 0.62 * width, band),
        Attempt(44, 0.42 * width, band),
        Attempt(64, 0.42 * width, band),
        Attempt(max(64, room), last, band=threshold is not None),
    ]


def band_height(threshold: Threshold | None, width: float, attempt: Attempt) -> float:
    """Return the height of a threshold's label above the axes; 0 where it stands inside them."""
    if threshold is None or not attempt.band:
        return 0.0
    return letter(threshold.text, width).height + 5


def lay_out(
    text: FigureText, threshold: Threshold | None, attempt: Attempt, frame: Box, plot: Box, x: Scale, curves: Curves
) -> Layout | None:
    """Place all labels, or return None where one would touch something. `plot` is the frame without the zero strip."""
    scene = Scene(area=Box(plot.x0 + 2, plot.y0 + 2, plot.x1, plot.y1), taken=curves.taken, avoid=curves.avoid)
    marked = None
    if threshold is not None:
        at = x(threshold.value)
        marked = _at_threshold(threshold, attempt, frame, plot, at, scene, curves)
        if marked is None:
            return None
        stop = plot.y1 + 3 if attempt.band else plot.y1 - 3
        scene = replace(scene, taken=(*scene.taken, marked[1]), lines=(np.array([(at, plot.y0), (at, stop)]),))
    words = tuple(letter(label, attempt.widest, bold=True) for label in (text.reference, text.synthetic))
    sizes = tuple((lettering.width, lettering.height) for lettering in words)
    pair = place_pair(scene, (curves.reference, curves.synthetic), (sizes[0], sizes[1]))
    if pair is None:
        return None
    return Layout(((words[0], pair[0]), (words[1], pair[1])), marked)


def _at_threshold(
    threshold: Threshold, attempt: Attempt, frame: Box, plot: Box, at: float, scene: Scene, curves: Curves
) -> tuple[Lettering, Box, float] | None:
    if attempt.band:
        words = letter(threshold.text, frame.x1 - frame.x0)
        left = max(frame.x0, min(at, frame.x1 - words.width))
        return words, canvas.box_at(left, plot.y1 + 3 + words.height, words), at
    words = letter(threshold.text, 0.6 * (plot.x1 - plot.x0))
    for left in (at + _LEADING_GAP, at - _LEADING_GAP - words.width):
        box = canvas.box_at(left, plot.y1 - 4, words)
        if clear(scene, (curves.reference, curves.synthetic), box):
            return words, box, at
    return None


def draw_labels(sheet: canvas.Sheet, layout: Layout, plot: Box) -> None:
    """Draw the labels, their leaders, and the threshold's line with the shade below it."""
    if layout.threshold is not None:
        words, box, at = layout.threshold
        top = box.y0 - 1 if box.y0 > plot.y1 else plot.y1 - 3
        shade = Box(plot.x0, plot.y0, at, min(top, plot.y1))
        if at > plot.x0:
            canvas.area(sheet, [canvas.corners(shade)], style.SHADE, zorder=0)
        canvas.line(sheet, (at, at), (plot.y0, top), style.INK, style.THIN, zorder=5, label="threshold")
        canvas.write(sheet, words, box, name="threshold")
    names = ("reference", "synthetic")
    for name, colour, (words, label) in zip(names, (style.REFERENCE, style.SYNTHETIC), layout.series, strict=True):
        start, end = label.leader
        canvas.line(sheet, (start[0], end[0]), (start[1], end[1]), colour, 0.7, zorder=6)
        align: canvas.Align = "right" if start[0] == label.box.x1 else "left"
        canvas.write(sheet, words, label.box, colour, align=align, name=name, halo=label.covers)


def first_that_fits(choices: list[Attempt], build: Callable[[Attempt], T | None]) -> T:
    """Return what the first attempt with room for all labels gives."""
    for attempt in choices:
        result = build(attempt)
        if result is not None:
            return result
    msg = "no room for the labels"
    raise AssertionError(msg)


def share_text(share: float) -> str:
    """Write a share of rows in percent, so that it never looks like none when it is not."""
    return rounding.percent(share, 2 if share else 0, (0.0,))
