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

    from matplotlib.figure import Figure

    from reportgen.figures.placement import Points
    from reportgen.model import Histogram

_STRIP = {False: 46.0, True: 40.0}
_BAR = 17.0
_HEIGHT = {False: 164.0, True: 156.0}
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
) -> Figure:
    """Draw both series over shared bins: share of rows in a bin, in percent.

    With `log` the axis is logarithmic; a first bin that begins at 0 is then drawn as wide as the others. Where bins
    differ in width as drawn, heights are shares for the common width (see `bars`) and `text.y_label_uneven` is the
    label. A threshold beyond an end of the axis is drawn at that end. Raises ValueError where the edges differ.
    """
    edges = chart.same_edges(reference, synthetic)
    widths = drawn_widths(edges, log=log)
    held, made = bars(reference, widths), bars(synthetic, widths)
    label = (text.y_label_uneven or text.y_label) if uneven(edges, log=log) else text.y_label
    width = style.NARROW if narrow else style.WIDE

    with style.settings():

        def build(attempt: chart.Attempt) -> Figure | None:
            return _build(edges, held, made, text, label, threshold, attempt, width, log=log, narrow=narrow)

        choices = chart.attempts(text, threshold, width - 40 - _STRIP[narrow], narrow=narrow)
        return chart.first_that_fits(choices, build)


def _build(
    edges: Sequence[float],
    held: Bars,
    made: Bars,
    text: FigureText,
    y_label: str,
    threshold: Threshold | None,
    attempt: chart.Attempt,
    width: float,
    *,
    log: bool,
    narrow: bool,
) -> Figure | None:
    zeros = _zero_labels(held, made)
    headroom = max(attempt.headroom, sum(words.height for words, _ in zeros) + 6)
    band = chart.band_height(threshold, width - 40, attempt)
    # A label of many lines makes the figure higher, never the curves flat.
    tall = _HEIGHT[narrow] + max(0.0, headroom - 64)
    most = max(*held.heights, *made.heights, held.zero, made.zero)
    top = most * tall / (tall - headroom)
    y = canvas.y_axis(scales.linear(0, top, 0, tall), y_label)
    left = max(canvas.left_margin(y), 28.0)
    right = width - style.MM * 2
    strip = left + _STRIP[narrow]
    x = _scale(edges, strip, right, log=log)
    x_axis = canvas.x_axis(x, canvas.x_label(text, narrow=narrow), width - 8)
    bottom = canvas.bottom_margin(x_axis)
    y = canvas.y_axis(scales.linear(0, top, bottom, bottom + tall), y_label)
    frame = Box(left, bottom, right, bottom + tall)
    plot = Box(strip, bottom, right, bottom + tall)

    zero_at = left + _STRIP[narrow] / 2
    per = tall / top
    curves = chart.Curves(
        _curve(x, edges, held, made, bottom, per, zero_at),
        _curve(x, edges, made, held, bottom, per, zero_at),
        avoid=tuple(
            Box(x(a), bottom, x(b), bottom + per * h) for a, b, h in zip(edges, edges[1:], held.heights, strict=False)
        ),
    )
    layout = chart.lay_out(text, threshold, attempt, frame, plot, x, curves)
    if layout is None:
        return None
    sheet = canvas.new_sheet(width, bottom + tall + max(band + 4, 8.5))
    _draw_series(sheet, curves, held, made, bottom, per, zero_at)
    tick = letter(text.zero, _STRIP[narrow] - 4, size=style.TICK_SIZE)
    canvas.write(sheet, tick, canvas.box_at(zero_at, bottom - 5, tick, "center"), align="center", name="zero")
    chart.draw_labels(sheet, layout, plot)
    at = bottom + per * max(held.zero, made.zero) + 2
    for words, colour in zeros:
        box = canvas.box_at(zero_at, at + words.height, words, "center")
        canvas.write(sheet, words, box, colour, align="center", name="zero share")
        at += words.height
    canvas.draw_frame(sheet, frame, x_axis, y, x_ticks=False)
    return sheet.figure


def _scale(edges: Sequence[float], start: float, end: float, *, log: bool) -> scales.Scale:
    return scales.logarithmic(edges, start, end) if log else scales.linear(edges[0], edges[-1], start, end)


def _zero_labels(held: Bars, made: Bars) -> list[tuple[Lettering, str]]:
    """Return the shares at exactly zero, from the lowest label to the highest; the reference's only if there are any."""
    shown = [(made.zero, style.SYNTHETIC)] if made.zero or not held.zero else [(0.0, style.SYNTHETIC)]
    if held.zero:
        shown.append((held.zero, style.REFERENCE))
        shown.sort()
    room = _STRIP[True]
    return [(letter(chart.share_text(share), room, size=style.TICK_SIZE, bold=True), colour) for share, colour in shown]


def _curve(
    x: scales.Scale, edges: Sequence[float], own: Bars, other: Bars, bottom: float, per: float, zero_at: float
) -> Curve:
    def steps(series: Bars) -> list[tuple[float, float]]:
        pairs = zip(itertools.pairwise(edges), series.heights, strict=True)
        return [(x(edge), bottom + per * height) for bin_edges, height in pairs for edge in bin_edges]

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
        pointed.append((zero_at + _BAR / 2, bottom + per * middle, per * (own.zero - middle)))
    places = np.array(pointed)
    return Curve(np.array(corners), places[:, :2], places[:, 2])


def _draw_series(
    sheet: canvas.Sheet, curves: chart.Curves, held: Bars, made: Bars, bottom: float, per: float, zero_at: float
) -> None:
    def outline(curve: Curve) -> Points:
        ends = curve.corners[[0, -1]] * (1, 0) + (0, bottom)
        return np.array([ends[0], *curve.corners, ends[1]])

    reference = outline(curves.reference)
    canvas.area(sheet, [reference], style.REFERENCE_FILL, edgecolor=style.HATCH, hatch="////", zorder=1)
    canvas.line(sheet, reference[:, 0], reference[:, 1], style.REFERENCE, style.THIN, zorder=2, label="reference")
    synthetic = curves.synthetic.corners
    canvas.line(
        sheet,
        synthetic[:, 0],
        synthetic[:, 1],
        style.SYNTHETIC,
        style.THICK,
        linestyle=style.DASH,
        zorder=3,
        label="synthetic",
    )
    for share, fill, colour, line_width, hatch, name in (
        (held.zero, style.REFERENCE_FILL, style.REFERENCE, style.THIN, "////", "reference zero"),
        (made.zero, style.SYNTHETIC_FILL, style.SYNTHETIC, 1.6, None, "synthetic zero"),
    ):
        bar = canvas.corners(Box(zero_at - _BAR / 2, bottom, zero_at + _BAR / 2, bottom + per * share))
        if share:
            canvas.area(sheet, [bar], fill, edgecolor=style.HATCH if hatch else "none", hatch=hatch, zorder=2)
            xs, ys = zip(*bar, strict=True)
            canvas.line(sheet, xs, ys, colour, line_width, zorder=3, label=name)
