"""Cumulative shares with both axes logarithmic: the tail of very close rows, and the rows at exactly zero beside it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from reportgen.figures import canvas, chart, scales, style
from reportgen.figures.labels import FigureText, Threshold, letter
from reportgen.figures.marks import Marker
from reportgen.figures.placement import Box, Curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.figures.marks import Drawing, Shape
    from reportgen.figures.placement import Points
    from reportgen.model import Histogram

_HEADROOMS = (14.0, 34.0, 60.0)
_HEIGHT = {False: 150.0, True: 170.0}
_MARKER = 6.0
_LABEL_GAP = 5.0
_HIGHEST_FLOOR = 1.0
_ZERO_HIGH, _ZERO_HEADROOM = 30.0, 32.0
_MOST_POINTED_AT = 60


def cumulated(series: Histogram) -> tuple[float, ...]:
    """Return the share of rows below each edge, in percent; at the first edge that of the rows at exactly zero."""
    below = [series.zero_count, *itertools.accumulate(series.counts)]
    return tuple(100 * count / series.n for count in below)


def draw_tail(
    reference: Histogram, synthetic: Histogram, text: FigureText, *, threshold: Threshold | None, narrow: bool
) -> Drawing:
    """Draw the share of rows at a value or nearer, in percent, for both series.

    The curves are exact at every edge of a bin and straight between them. Both axes are logarithmic; a first bin that
    begins at 0 is drawn as wide as the others. Rows at exactly zero are markers in a strip of their own, a triangle at
    the foot of the axis where there are none. Raises ValueError where the edges differ or are negative.
    """
    edges = chart.same_edges(reference, synthetic)
    held, made = cumulated(reference), cumulated(synthetic)
    floor = min(_HIGHEST_FLOOR, min(share for share in (*held, *made) if share > 0) / 2)

    def plan(attempt: chart.Attempt) -> chart.Plan | None:
        # Zero shares near the top have their labels in the headroom. Labels of many lines make the figure higher,
        # never the curves flat.
        headroom = max(attempt.headroom, _ZERO_HEADROOM if max(held[0], made[0]) > _ZERO_HIGH else 0.0)
        tall = _HEIGHT[narrow] + max(0.0, headroom - _HEADROOMS[-1])
        room = chart.furnish(
            text,
            threshold,
            attempt,
            x_of=lambda start, end: scales.logarithmic(edges, start, end),
            y_of=lambda bottom: scales.logarithmic((floor, 100.0), bottom, bottom + tall - headroom),
            y_label=text.y_label,
            most=100.0,
            tall=tall,
            narrow=narrow,
        )
        lower, upper = _points(room, edges, held), _points(room, edges, made)
        below = tuple(Box(a[0], room.plot.y0, b[0], min(a[1], b[1])) for a, b in itertools.pairwise(lower))
        curves = chart.Curves(_curve(lower, upper), _curve(upper, lower), below)
        return chart.lay_out(text, threshold, attempt, room, curves)

    with style.settings():
        best = chart.best_plan(chart.attempts(text, threshold, _HEADROOMS, narrow=narrow), plan)
        room, foot = best.room, best.room.plot.y0
        sheet = canvas.Sheet(room.width, room.height)
        strip = Box(room.frame.x0, foot, room.plot.x0 - 4, room.plot.y1 - 3)
        canvas.area(sheet, [canvas.corners(strip)], style.SHADE, order=0)
        line = best.curves.reference.corners
        fill = np.array([(line[0, 0], foot), *line, (line[-1, 0], foot)])
        canvas.area(sheet, [fill], style.REFERENCE_FILL, hatched=True, order=1)
        canvas.line(sheet, line[:, 0], line[:, 1], style.REFERENCE, style.THIN, order=2, name="reference")
        line = best.curves.synthetic.corners
        canvas.line(
            sheet,
            line[:, 0],
            line[:, 1],
            style.SYNTHETIC,
            style.THICK,
            order=3,
            name="synthetic",
            dash=style.DASH,
        )
        _draw_zeros(sheet, room, held[0], made[0])
        chart.draw_labels(sheet, best)
        canvas.draw_frame(sheet, room.frame, room.x_axis, room.y_axis, x_ticks=True)
        return sheet.drawing


def _points(room: chart.Room, edges: Sequence[float], shares: Sequence[float]) -> Points:
    """Return the curve's corners; it rises from the foot of the axis at the last edge with no row below it."""
    first = next(index for index, share in enumerate(shares) if share > 0)
    corners = [] if first == 0 else [(room.x(edges[first - 1]), room.y.start)]
    corners += [(room.x(edge), room.y(share)) for edge, share in zip(edges[first:], shares[first:], strict=True)]
    return np.array(corners)


def _curve(own: Points, other: Points) -> Curve:
    xs = np.linspace(own[0, 0], own[-1, 0], _MOST_POINTED_AT)
    ys = np.interp(xs, own[:, 0], own[:, 1])
    foot = min(own[0, 1], other[0, 1])
    apart = np.abs(ys - np.interp(xs, other[:, 0], other[:, 1], left=foot))
    return Curve(own, np.stack([xs, ys], axis=1), apart)


def _draw_zeros(sheet: canvas.Sheet, room: chart.Room, held: float, made: float) -> None:
    """Draw a marker for each series in the strip, with its share; two that are close step aside from each other."""
    middle = room.zero_at - 2

    def height(share: float) -> float:
        return room.y(share) if share else room.y.start + _MARKER

    close = abs(height(held) - height(made)) < 2 * _MARKER
    entries: list[tuple[float, str, Shape, str, float]] = sorted(
        [
            (held, style.REFERENCE, "circle", "reference", -_MARKER),
            (made, style.SYNTHETIC, "diamond", "synthetic", _MARKER),
        ]
    )
    words = [
        letter(chart.share_text(entry[0]), chart.STRIP[True], size=style.TICK_SIZE, bold=True) for entry in entries
    ]
    ats = [height(entry[0]) for entry in entries]
    for (share, colour, shape, name, aside), at in zip(entries, ats, strict=True):
        marker = Marker(shape if share else "down", _MARKER, colour)
        x = middle + (aside if close else 0)
        canvas.line(sheet, (x,), (at,), colour, 0, order=6, name=f"{name} zero", marker=marker)
    # Both labels stand above their markers. Where the lower one would reach the upper marker, it goes below its own;
    # where there is no room for that either, or the markers stand beside each other, the labels stand in a pile.
    boxes = [
        canvas.box_at(middle, at + _LABEL_GAP + line.height, line, "center")
        for line, at in zip(words, ats, strict=True)
    ]
    if boxes[0].y1 > ats[1] - _MARKER and not close:
        boxes[0] = canvas.box_at(middle, ats[0] - _LABEL_GAP, words[0], "center")
    if close or boxes[0].y0 < room.plot.y0:
        boxes[0] = canvas.box_at(middle, ats[1] + _LABEL_GAP + words[0].height, words[0], "center")
        boxes[1] = canvas.box_at(middle, boxes[0].y1 + words[1].height, words[1], "center")
    of_words = {"reference": style.REFERENCE_WORDS, "synthetic": style.SYNTHETIC_WORDS}
    for entry, line, box in zip(entries, words, boxes, strict=True):
        canvas.write(sheet, line, box, of_words[entry[3]], align="center", name="zero share")
