"""Two step histograms over each other, with the rows at exactly zero as bars of their own left of the axis."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

import numpy as np

from reportgen.figures import canvas, chart, scales, style
from reportgen.figures.labels import FigureText, Lettering, Threshold, letter
from reportgen.figures.placement import Box, Curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.figures.marks import Drawing
    from reportgen.model import Histogram

_BAR = 17.0
_HEIGHT = {False: 148.0, True: 156.0}
_HEADROOMS = (27.0, 44.0, 64.0)
_MOST_POINTED_AT = 60
_RISE = 8.0


@dataclass(frozen=True)
class Bars:
    """One series in percent of its rows: those at exactly zero, and the rest by bin as drawn."""

    zero: float
    heights: tuple[float, ...]


def bars(series: Histogram, widths: Sequence[float]) -> Bars:
    """Return the heights of a series' bins, given their widths as drawn.

    A bin of the common width is as high as its share of the rows, in percent; a wider one is lower, so that areas can
    be compared. Rows at exactly zero are taken out of the first bin.
    """
    common = median_low(widths)
    first, *rest = series.counts
    counts = (first - series.zero_count, *rest)
    heights = tuple(100 * count / series.n * common / width for count, width in zip(counts, widths, strict=True))
    return Bars(100 * series.zero_count / series.n, heights)


def drawn_widths(edges: Sequence[float], *, log: bool) -> tuple[float, ...]:
    """Return the widths of the bins as drawn on an axis of length 1."""
    scale = _scale(edges, 0.0, 1.0, log=log)
    return tuple(scale(b) - scale(a) for a, b in itertools.pairwise(edges))


def uneven(edges: Sequence[float], *, log: bool) -> bool:
    """Whether bins differ in width as drawn by more than 2 %, so that heights are no shares of rows in a bin."""
    widths = drawn_widths(edges, log=log)
    return max(widths) > 1.02 * min(widths)


def draw_histogram(
    reference: Histogram,
    synthetic: Histogram,
    text: FigureText,
    *,
    log: bool,
    threshold: Threshold | None,
    narrow: bool,
) -> Drawing:
    """Draw both series over shared bins: share of rows in a bin, in percent.

    With `log` the axis is logarithmic; a first bin that begins at 0 is then drawn as wide as the others. Where bins
    differ in width as drawn, heights are shares for the common width (see `bars`) and `text.y_label_uneven` is the
    label. A threshold beyond an end of the axis is drawn at that end. Raises ValueError where the edges differ.
    """
    edges = chart.same_edges(reference, synthetic)
    widths = drawn_widths(edges, log=log)
    held, made = bars(reference, widths), bars(synthetic, widths)
    y_label = (text.y_label_uneven or text.y_label) if uneven(edges, log=log) else text.y_label
    zeros = _zero_labels(held, made)
    most = max(*held.heights, *made.heights, held.zero, made.zero)

    def plan(attempt: chart.Attempt) -> chart.Plan | None:
        headroom = max(attempt.headroom, sum(words.height for words, _ in zeros) + 6)
        # Labels of many lines make the figure higher, never the bars flat.
        tall = _HEIGHT[narrow] + max(0.0, headroom - _HEADROOMS[-1])
        top = most * tall / (tall - headroom)
        room = chart.furnish(
            text,
            threshold,
            attempt,
            x_of=lambda start, end: _scale(edges, start, end, log=log),
            y_of=lambda bottom: scales.linear(0, top, bottom, bottom + tall),
            y_label=y_label,
            most=max(most, 100.0),
            tall=tall,
            narrow=narrow,
        )
        foot = room.plot.y0
        bins = zip(itertools.pairwise(edges), held.heights, strict=True)
        filled = tuple(Box(room.x(a), foot, room.x(b), room.y(height)) for (a, b), height in bins)
        curves = chart.Curves(_curve(room, edges, held, made), _curve(room, edges, made, held), filled)
        return chart.lay_out(text, threshold, attempt, room, curves)

    with style.settings():
        best = chart.best_plan(chart.attempts(text, threshold, _HEADROOMS, narrow=narrow), plan)
        sheet = canvas.Sheet(best.room.width, best.room.height)
        _draw_series(sheet, best, held, made)
        chart.draw_labels(sheet, best)
        at = best.room.y(max(held.zero, made.zero)) + 2
        for words, colour in zeros:
            box = canvas.box_at(best.room.zero_at, at + words.height, words, "center")
            canvas.write(sheet, words, box, colour, align="center", name="zero share")
            at += words.height
        canvas.draw_frame(sheet, best.room.frame, best.room.x_axis, best.room.y_axis, x_ticks=False)
        return sheet.drawing


def _scale(edges: Sequence[float], start: float, end: float, *, log: bool) -> scales.Scale:
    return scales.logarithmic(edges, start, end) if log else scales.linear(edges[0], edges[-1], start, end)


def _zero_labels(held: Bars, made: Bars) -> list[tuple[Lettering, str]]:
    """Return the shares at exactly zero, the lowest label first; the reference's only if it has any."""
    shown = [(made.zero, style.SYNTHETIC_WORDS)]
    if held.zero:
        shown.append((held.zero, style.REFERENCE_WORDS))
        shown.sort()
    room = chart.STRIP[True]
    return [(letter(chart.share_text(share), room, size=style.TICK_SIZE, bold=True), colour) for share, colour in shown]


def _curve(room: chart.Room, edges: Sequence[float], own: Bars, other: Bars) -> Curve:
    def steps(series: Bars) -> list[tuple[float, float]]:
        pairs = zip(itertools.pairwise(edges), series.heights, strict=True)
        return [(room.x(edge), room.y(height)) for bin_edges, height in pairs for edge in bin_edges]

    corners, others = steps(own), steps(other)
    pointed: list[tuple[float, float, float]] = []
    for (x0, y0), (x1, _), (_, there) in zip(corners[::2], corners[1::2], others[::2], strict=True):
        pointed.append(((x0 + x1) / 2, y0, abs(y0 - there)))
    # A rise may be pointed to where it goes beyond that of the other curve.
    for (at, y0), (_, y1), (_, there0), (_, there1) in zip(
        corners[1::2], corners[2::2], others[1::2], others[2::2], strict=False
    ):
        free_from = max(min(y0, y1), there0, there1)
        if max(y0, y1) - free_from > _RISE:
            pointed.append((at, (free_from + max(y0, y1)) / 2, (max(y0, y1) - free_from) / 2))
    pointed.sort(key=lambda place: -place[2])
    del pointed[_MOST_POINTED_AT:]
    if own.zero > other.zero and own.zero > max(own.heights):
        # Most rows are at zero: the bar there shows the series better than the flat line beside it.
        middle = (own.zero + other.zero) / 2
        pointed.append((room.zero_at + _BAR / 2, room.y(middle), room.y(own.zero) - room.y(middle)))
    places = np.array(pointed)
    return Curve(np.array(corners), places[:, :2], places[:, 2])


def _draw_series(sheet: canvas.Sheet, plan: chart.Plan, held: Bars, made: Bars) -> None:
    room, foot = plan.room, plan.room.plot.y0
    steps = plan.curves.reference.corners
    outline = np.array([(steps[0, 0], foot), *steps, (steps[-1, 0], foot)])
    canvas.area(sheet, [outline], style.REFERENCE_FILL, hatched=True, order=1)
    canvas.line(sheet, outline[:, 0], outline[:, 1], style.REFERENCE, style.THIN, order=2, name="reference")
    steps = plan.curves.synthetic.corners
    colour, width = style.SYNTHETIC, style.THICK
    canvas.line(sheet, steps[:, 0], steps[:, 1], colour, width, order=3, name="synthetic", dash=style.DASH)
    left, right = room.zero_at - _BAR / 2, room.zero_at + _BAR / 2
    if held.zero:
        bar = canvas.corners(Box(left, foot, right, room.y(held.zero)))
        canvas.area(sheet, [bar], style.REFERENCE_FILL, hatched=True, order=2)
        xs, ys = zip(*bar, strict=True)
        canvas.line(sheet, xs, ys, style.REFERENCE, style.THIN, order=4, name="reference zero")
    if made.zero:
        bar = canvas.corners(Box(left, foot, right, room.y(made.zero)))
        # The reference's hatch shows through where the bars share a place.
        canvas.area(sheet, [bar], "none" if held.zero else style.SYNTHETIC_FILL, order=1)
        xs, ys = zip(*bar, strict=True)
        canvas.line(sheet, xs, ys, style.SYNTHETIC, 1.6, order=3, name="synthetic zero")
