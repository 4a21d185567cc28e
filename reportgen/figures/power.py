"""Share of trials in which planted near copies were noticed, by their number, with the smallest leak marked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen import rounding
from reportgen.figures import canvas, scales, style
from reportgen.figures.labels import Lettering, letter
from reportgen.figures.marks import Marker
from reportgen.figures.placement import CLEARANCE, Box, Curve, Label, Scene, place

if TYPE_CHECKING:
    from reportgen.figures.marks import Drawing
    from reportgen.model import PowerPoint

_HEIGHT = 116.0
_INSET = 16.0
"""Free length of the x axis before its first and behind its last point."""
_HEADROOM = 8.0
_WORTH = 45.0
"""How much strain of the label it must save to make the figure higher for it."""
_STEP = 1.5
_TICKS_APART = 12.0
_POINT, _MARK = 4.5, 6.0
_NEAR = 11.0
"""A label that stands no further from its mark needs no leader, which would look like a dash."""


@dataclass(frozen=True)
class PowerText:
    """Labels of the figure. A line break in any of them is kept; longer lines are broken to fit."""

    x_label: str
    x_label_narrow: str
    y_label: str
    mark: str
    """Label at the mark, such as "11 rows, 0.55 %"."""


@dataclass(frozen=True)
class Plan:
    """Everything about the figure that is settled before it is drawn."""

    width: float
    height: float
    frame: Box
    x_axis: canvas.Axis
    y_axis: canvas.Axis
    curve: Curve
    """Its one anchor is the mark."""
    target: float
    """Height of the line that a leak has to reach."""
    words: Lettering


def draw_power(
    curve: Sequence[PowerPoint], text: PowerText, *, target: float, smallest: int | None, narrow: bool
) -> Drawing:
    """Draw the share of trials that noticed, in percent, by the number of planted rows.

    Straight lines join the points. `target` is the share (0-1) that counts as noticed, dotted. `smallest` is the number
    of rows at which the curve is marked with a diamond and a line down to the axis; with None the last point is
    labelled instead. The x axis is logarithmic, as the numbers grow by a factor, and has its ticks at them. Raises
    ValueError without any point.
    """
    if not curve:
        msg = "the curve must have at least one point"
        raise ValueError(msg)
    with style.settings():
        plan, label = _best_plan(curve, text, target, smallest, narrow=narrow)
        frame = plan.frame
        sheet = canvas.Sheet(plan.width, plan.height)
        across, target_at = (frame.x0, frame.x1), (plan.target,) * 2
        canvas.line(sheet, across, target_at, style.INK, 0.7, order=1, name="target", dash=style.DOTS)
        xs, ys = plan.curve.corners.T
        canvas.line(
            sheet,
            xs,
            ys,
            style.SYNTHETIC,
            style.THICK,
            order=3,
            name="power",
            dash=style.DASH,
            marker=Marker("circle", _POINT, "white", 1.3),
        )
        if smallest is not None:
            (at, height), *_ = plan.curve.anchors
            canvas.line(sheet, (at, at), (frame.y0, height), style.INK, style.THIN, order=2, name="smallest")
            diamond = Marker("diamond", _MARK, style.INK)
            canvas.line(sheet, (at,), (height,), style.INK, 0, order=6, name="mark", marker=diamond)
        start, end = label.leader
        if math.dist(start, end) > _NEAR:
            canvas.line(sheet, (start[0], end[0]), (start[1], end[1]), style.INK, 0.7, order=5)
        align: canvas.Align = "right" if start[0] > label.box.x1 else "left"
        canvas.write(sheet, plan.words, label.box, align=align, name="smallest", halo=label.covers)
        canvas.draw_frame(sheet, frame, plan.x_axis, plan.y_axis, x_ticks=True)
        return sheet.drawing


def _best_plan(
    curve: Sequence[PowerPoint], text: PowerText, target: float, smallest: int | None, *, narrow: bool
) -> tuple[Plan, Label]:
    """Place the label on the frame or, where it would be far from the mark there, in a band of its own above."""
    width = style.NARROW if narrow else style.WIDE
    words = letter(text.mark, 0.5 * width, bold=True)
    found: list[tuple[float, Plan, Label]] = []
    for index, headroom in enumerate((_HEADROOM, words.height + 3 * CLEARANCE + _POINT)):
        plan = _plan(curve, text, words, target, smallest, headroom, narrow=narrow)
        frame, (mark, *_) = plan.frame, plan.curve.anchors
        scene = Scene(
            area=Box(frame.x0 + 2, frame.y0, frame.x1, frame.y1 + headroom),
            lines=() if smallest is None else (np.array([(mark[0], frame.y0), mark]),),
            # A leader may cross the dotted line, which the mark is near to; the label had better not lie on it.
            avoid=(Box(frame.x0, plan.target - CLEARANCE, frame.x1, plan.target + CLEARANCE),),
        )
        label = place(scene, plan.curve, (words.width, words.height))
        if label is not None:
            found.append((label.strain + _WORTH * index, plan, label))
    _, plan, label = min(found, key=lambda entry: entry[0])
    return plan, label


def _plan(
    curve: Sequence[PowerPoint],
    text: PowerText,
    words: Lettering,
    target: float,
    smallest: int | None,
    headroom: float,
    *,
    narrow: bool,
) -> Plan:
    width = style.NARROW if narrow else style.WIDE
    left = canvas.left_margin(canvas.y_axis(scales.linear(0, 100, 0, _HEIGHT), text.y_label, _HEIGHT))
    right = width - 2 * style.MM
    planted = [point.rows for point in curve]
    # One point alone stands in the middle.
    ends = (planted[0], planted[-1]) if len(planted) > 1 else (planted[0] / _STEP, planted[0] * _STEP)
    x = scales.logarithmic(ends, left + _INSET, right - _INSET)
    label = text.x_label_narrow if narrow else text.x_label
    x_axis = canvas.Axis(_ticks([(x(rows), rounding.count(rows)) for rows in planted]), letter(label, width - 8))
    bottom = canvas.bottom_margin(x_axis)
    y = scales.linear(0, 100, bottom, bottom + _HEIGHT)
    corners = np.array([(x(point.rows), y(100 * point.power)) for point in curve])
    at = corners[-1, 0] if smallest is None else x(smallest)
    mark = np.array([(at, np.interp(at, corners[:, 0], corners[:, 1]))])
    # A line needs two corners.
    corners = corners if len(corners) > 1 else np.repeat(corners, 2, axis=0)
    return Plan(
        width=width,
        height=bottom + _HEIGHT + headroom,
        frame=Box(left, bottom, right, bottom + _HEIGHT),
        x_axis=x_axis,
        y_axis=canvas.y_axis(y, text.y_label, _HEIGHT),
        curve=Curve(corners, mark, np.zeros(1)),
        target=y(100 * target),
        words=words,
    )


def _ticks(all_points: list[tuple[float, str]]) -> tuple[tuple[float, str], ...]:
    """Keep every point's tick or, where they have no room beside each other, every second, third, … from the last."""
    for every in itertools.count(1):
        ticks = all_points[::-1][::every][::-1]
        spans = [canvas.tick_span(tick) for tick in ticks]
        if all(b[0] - a[1] >= _TICKS_APART for a, b in itertools.pairwise(spans)):
            break
    return tuple(ticks)
