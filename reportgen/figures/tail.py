"""Cumulative shares with both axes logarithmic: the tail of very close rows, and the rows at exactly zero beside it."""

from __future__ import annotations

import itertools
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
_HEIGHT = {False: 178.0, True: 170.0}
_MARKER = 6.0
_LABEL_GAP = 5.0
_HIGHEST_FLOOR = 1.0
_MOST_POINTED_AT = 60


def cumulated(series: Histogram) -> tuple[float, ...]:
    """Return the share of rows below each edge, in percent; at the first edge that of the rows at exactly zero."""
    below = [series.zero_count, *itertools.accumulate(series.counts)]
    return tuple(100 * count / series.n for count in below)


def draw_tail(
    reference: Histogram, synthetic: Histogram, text: FigureText, *, threshold: Threshold | None, narrow: bool
) -> Figure:
    """Draw the share of rows at a value or nearer, in percent, for both series.

    The curves are exact at every edge of a bin and straight between them. Both axes are logarithmic; a first bin that
    begins at 0 is drawn as wide as the others. Rows at exactly zero are markers in a strip of their own, a triangle at
    the foot of the axis where there are none. Raises ValueError where the edges differ or are negative.
    """
    edges = chart.same_edges(reference, synthetic)
    held, made = cumulated(reference), cumulated(synthetic)
    width = style.NARROW if narrow else style.WIDE
    with style.settings():

        def build(attempt: chart.Attempt) -> Figure | None:
            return _build(edges, held, made, text, threshold, attempt, width, narrow=narrow)

        return chart.first_that_fits(chart.attempts(text, threshold, width - 40 - _STRIP[narrow], narrow=narrow), build)


def _build(
    edges: Sequence[float],
    held: Sequence[float],
    made: Sequence[float],
    text: FigureText,
    threshold: Threshold | None,
    attempt: chart.Attempt,
    width: float,
    *,
    narrow: bool,
) -> Figure | None:
    band = chart.band_height(threshold, width - 40, attempt)
    # The curves end at 100 % below the headroom; labels of many lines make the figure higher, never the curves flat.
    headroom = attempt.headroom - 15
    tall = _HEIGHT[narrow] + max(0.0, headroom - 50)
    floor = min(_HIGHEST_FLOOR, min(share for share in (*held, *made) if share > 0) / 2)

    def y_scale(bottom: float) -> scales.Scale:
        return scales.logarithmic((floor, 100.0), bottom, bottom + tall - headroom)

    left = max(canvas.left_margin(canvas.y_axis(y_scale(0), text.y_label, pitch=20)), 28.0)
    right = width - style.MM * 2
    strip = left + _STRIP[narrow]
    x = scales.logarithmic(edges, strip, right)
    x_axis = canvas.x_axis(x, canvas.x_label(text, narrow=narrow), width - 8)
    bottom = canvas.bottom_margin(x_axis)
    y = y_scale(bottom)
    y_axis = canvas.y_axis(y, text.y_label, pitch=20)
    frame, plot = Box(left, bottom, right, bottom + tall), Box(strip, bottom, right, bottom + tall)

    lines = _points(x, y, edges, held), _points(x, y, edges, made)
    curves = chart.Curves(
        _curve(lines[0], lines[1]),
        _curve(lines[1], lines[0]),
        avoid=tuple(Box(a[0], bottom, b[0], min(a[1], b[1])) for a, b in itertools.pairwise(lines[0])),
    )
    layout = chart.lay_out(text, threshold, attempt, frame, plot, x, curves)
    if layout is None:
        return None
    sheet = canvas.new_sheet(width, bottom + tall + max(band + 4, 6.0))
    area = np.array([(lines[0][0, 0], bottom), *lines[0], (lines[0][-1, 0], bottom)])
    canvas.area(sheet, [area], style.REFERENCE_FILL, edgecolor=style.HATCH, hatch="////", zorder=1)
    canvas.line(sheet, *lines[0].T, style.REFERENCE, style.THIN, zorder=2, label="reference")
    canvas.line(sheet, *lines[1].T, style.SYNTHETIC, style.THICK, linestyle=style.DASH, zorder=3, label="synthetic")
    canvas.area(sheet, [canvas.corners(Box(left, bottom, strip - 4, bottom + tall - 3))], style.SHADE, zorder=0)
    _draw_zeros(sheet, Box(left, bottom, strip - 4, bottom + tall), y, held[0], made[0])
    middle = (left + strip - 4) / 2
    tick = letter(text.zero, _STRIP[narrow] - 6, size=style.TICK_SIZE)
    canvas.write(sheet, tick, canvas.box_at(middle, bottom - 5, tick, "center"), align="center", name="zero")
    chart.draw_labels(sheet, layout, plot)
    canvas.draw_frame(sheet, frame, x_axis, y_axis, x_ticks=True)
    return sheet.figure


def _points(x: scales.Scale, y: scales.Scale, edges: Sequence[float], shares: Sequence[float]) -> Points:
    """Return the curve's corners; it rises from the foot of the axis at the last edge with no row below it."""
    first = next(index for index, share in enumerate(shares) if share > 0)
    corners = (
        [(x(edges[first]), y(shares[first]))]
        if first == 0
        else [(x(edges[first - 1]), y.start), (x(edges[first]), y(shares[first]))]
    )
    corners += [(x(edge), y(share)) for edge, share in zip(edges[first + 1 :], shares[first + 1 :], strict=True)]
    return np.array(corners)


def _curve(own: Points, other: Points) -> Curve:
    xs = np.linspace(own[0, 0], own[-1, 0], _MOST_POINTED_AT)
    ys = np.interp(xs, own[:, 0], own[:, 1])
    foot = min(own[0, 1], other[0, 1])
    apart = np.abs(ys - np.interp(xs, other[:, 0], other[:, 1], left=foot))
    return Curve(own, np.stack([xs, ys], axis=1), apart)


def _draw_zeros(sheet: canvas.Sheet, strip: Box, y: scales.Scale, held: float, made: float) -> None:
    """Draw a marker for each series in the strip, with its share; two that are close step aside from each other."""
    middle = (strip.x0 + strip.x1) / 2
    close = abs(y(held or y.low) - y(made or y.low)) < 2 * _MARKER
    series = [
        (held, style.REFERENCE, "o", "reference zero", -_MARKER if close else 0.0),
        (made, style.SYNTHETIC, "D", "synthetic zero", _MARKER if close else 0.0),
    ]
    series.sort(key=lambda entry: entry[0])
    labels: list[tuple[Lettering, Box, str]] = []
    for share, colour, marker, name, aside in series:
        at = y(share) if share else y.start + _MARKER
        canvas.line(
            sheet,
            (middle + aside,),
            (at,),
            colour,
            0,
            marker=marker if share else "v",
            markersize=_MARKER,
            zorder=6,
            label=name,
            markeredgewidth=0,
        )
        words = letter(chart.share_text(share), strip.x1 - strip.x0, size=style.TICK_SIZE, bold=True)
        labels.append((words, canvas.box_at(middle, at + _LABEL_GAP + words.height, words, "center"), colour))
    # Both labels stand above their markers; the upper one moves up where it would touch the lower one or its marker,
    # and the lower one below its marker where it would touch the upper marker.
    (low, low_box, low_colour), (high, high_box, high_colour) = labels
    if close:
        high_box = canvas.box_at(middle, low_box.y1 + high.height, high, "center")
    elif low_box.y1 > high_box.y0 - 2 * _LABEL_GAP - _MARKER / 2:
        below = low_box.y0 - _LABEL_GAP - _LABEL_GAP
        if below - low.height > strip.y0:
            low_box = canvas.box_at(middle, below, low, "center")
        else:
            high_box = canvas.box_at(middle, high_box.y1 + 1, high, "center")
    for words, box, colour, name in ((low, low_box, low_colour, "low"), (high, high_box, high_colour, "high")):
        canvas.write(sheet, words, box, colour, align="center", name=f"zero share {name}")
