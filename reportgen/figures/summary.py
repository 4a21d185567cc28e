"""All scores that have a null range on one axis: each with its interval, in half-widths of the range.

The range is a hatched band that all rows share, so that percents, ratios and shares stand beside each other. More leak
lies to the left.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.figures import canvas, style
from reportgen.figures.labels import Lettering, extent, letter
from reportgen.figures.marks import Marker
from reportgen.figures.placement import Box

if TYPE_CHECKING:
    from reportgen.figures.marks import Drawing

LEAST, MOST = -6.0, 4.0
"""Ends of the axis; beyond them an arrow stands for the dot."""
TICKS = (-6, -4, -2, -1, 0, 1, 2, 4)
_ROW, _NARROW_ROW = 13.0, 16.0
_BETWEEN = 8.0
_GAP = 9.0
_WIDEST_NAME = 168.0
_LEAST_PLOT = 120.0
_DOT, _BAR, _ARROW = 5.5, 1.6, 14.0
_MARK = 4.6
_EDGE = 2.0


@dataclass(frozen=True)
class ScoreRow:
    """One score: its words, and its places in half-widths of the null range from its middle, negative for more leak.

    `low` and `high` are the ends of the interval, `low` the one of more leak; the value itself where there is none.
    `reference` is None where there is none. Rows of another `group` than the one above are set apart.
    """

    name: str
    value: str
    ideal: str
    at: float
    low: float
    high: float
    reference: float | None
    group: str

    @property
    def leaks(self) -> bool:
        """Whether the whole interval lies outside the range, on the side of a leak."""
        return max(self.at, self.high) < -1


@dataclass(frozen=True)
class SummaryText:
    """Words of the figure."""

    more: str
    less: str
    ideal: str
    value_head: str
    x_label: str
    x_label_narrow: str


@dataclass(frozen=True)
class _Placed:
    """A row with its place: the upper end of its lettering, and the height of its dot."""

    row: ScoreRow
    name: Lettering
    top: float
    middle: float


@dataclass(frozen=True)
class _Plan:
    width: float
    height: float
    plot: Box
    rows: tuple[_Placed, ...]
    rules: tuple[float, ...]
    value_end: float
    axis: canvas.Axis

    def x(self, at: float) -> float:
        """The place of a number of half-widths, in points; beyond the axis its end."""
        part = (min(max(at, LEAST), MOST) - LEAST) / (MOST - LEAST)
        return self.plot.x0 + part * (self.plot.x1 - self.plot.x0)


def draw_summary(rows: Sequence[ScoreRow], text: SummaryText, *, narrow: bool) -> Drawing:
    """Draw a dot with its interval for each row. Raises ValueError without any row."""
    if not rows:
        msg = "there must be at least one score with a null range"
        raise ValueError(msg)
    with style.settings():
        plan = _plan(rows, text, narrow=narrow)
        sheet = canvas.Sheet(plan.width, plan.height)
        band = Box(plan.x(-1), plan.plot.y0, plan.x(1), plan.plot.y1)
        canvas.area(sheet, [canvas.corners(band)], style.REFERENCE_FILL, hatched=True, order=0)
        for y in plan.rules:
            canvas.line(sheet, (_EDGE, plan.width - _EDGE), (y, y), style.MUTED, 0.4, order=1, name="rule")
        for placed in plan.rows:
            _draw_row(sheet, plan, placed, narrow=narrow)
        _draw_heads(sheet, plan, text, narrow=narrow)
        _draw_axis(sheet, plan)
        return sheet.drawing


def _plan(rows: Sequence[ScoreRow], text: SummaryText, *, narrow: bool) -> _Plan:
    width = style.NARROW if narrow else style.WIDE
    value = max(extent(words, style.SIZE, bold=True) for words in (*(row.value for row in rows), text.value_head))
    ideal = max(extent(words, style.SIZE) for words in (*(row.ideal for row in rows), text.ideal))
    if narrow:
        left, right = _EDGE + 4, width - _EDGE - 4
        room = width - 2 * _EDGE - value - _GAP
    else:
        right = width - _EDGE - ideal - _GAP - value - _GAP
        room = min(_WIDEST_NAME, max(extent(row.name, style.SIZE) for row in rows))
        room = min(room, right - _LEAST_PLOT - _EDGE - _GAP)
        left = _EDGE + room + _GAP
    names = [letter(row.name, max(room, 40.0), bold=narrow) for row in rows]
    label = letter(text.x_label_narrow if narrow else text.x_label, width - 8)
    axis = canvas.Axis(tuple((0.0, f"{abs(tick)}") for tick in TICKS), label)
    foot = canvas.bottom_margin(axis)
    heights = [name.height + _NARROW_ROW if narrow else max(_ROW, name.height + 3) for name in names]
    breaks = sum(above.group != below.group for above, below in itertools.pairwise(rows))
    top = y = foot + sum(heights) + breaks * _BETWEEN
    placed, rules = [], []
    for place, (row, name, height) in enumerate(zip(rows, names, heights, strict=True)):
        if place and row.group != rows[place - 1].group:
            rules.append(y - _BETWEEN / 2)
            y -= _BETWEEN
        if narrow:
            placed.append(_Placed(row, name, y - 2, y - name.height - _NARROW_ROW / 2 - 1))
        else:
            placed.append(_Placed(row, name, y - (height - name.height) / 2, y - height / 2))
        y -= height
    head = letter(text.ideal, width, bold=True).height + 6
    return _Plan(
        width=width,
        height=top + head,
        plot=Box(left, foot, right, top),
        rows=tuple(placed),
        rules=tuple(rules),
        value_end=right + _GAP + value,
        axis=axis,
    )


def _draw_row(sheet: canvas.Sheet, plan: _Plan, placed: _Placed, *, narrow: bool) -> None:
    row, middle = placed.row, placed.middle
    canvas.write(sheet, placed.name, canvas.box_at(_EDGE, placed.top, placed.name), name="name", halo=narrow)
    value = letter(row.value, plan.width, bold=True)
    if narrow:
        end, top = plan.width - _EDGE, placed.top
    else:
        end, top = plan.value_end, middle + value.height / 2
        ideal = letter(row.ideal, plan.width)
        box = canvas.box_at(plan.width - _EDGE, middle + ideal.height / 2, ideal, "right")
        canvas.write(sheet, ideal, box, style.MUTED, align="right", name="ideal")
    canvas.write(sheet, value, canvas.box_at(end, top, value, "right"), align="right", name="value", halo=narrow)
    if row.reference is not None and LEAST <= row.reference <= MOST:
        at, reach = plan.x(row.reference), _MARK
        canvas.line(sheet, (at, at), (middle - reach, middle + reach), style.REFERENCE, 1.4, order=2, name="reference")
    face = style.SYNTHETIC if row.leaks else "white"
    if LEAST <= row.at <= MOST:
        ends = plan.x(row.low), plan.x(row.high)
        canvas.line(sheet, ends, (middle, middle), style.SYNTHETIC, _BAR, order=3, name="interval")
        dot = Marker("circle", _DOT, face, 1.4)
        canvas.line(sheet, (plan.x(row.at),), (middle,), style.SYNTHETIC, 0, order=4, name="dot", marker=dot)
        return
    end, inwards = (plan.plot.x0 + 2, 1) if row.at < LEAST else (plan.plot.x1 - 2, -1)
    canvas.line(sheet, (end, end + inwards * _ARROW), (middle, middle), style.SYNTHETIC, _BAR, order=3, name="interval")
    arrow = Marker("left" if inwards > 0 else "right", _DOT, face, 1.4)
    canvas.line(sheet, (end,), (middle,), style.SYNTHETIC, 0, order=4, name="dot", marker=arrow)


def _draw_heads(sheet: canvas.Sheet, plan: _Plan, text: SummaryText, *, narrow: bool) -> None:
    top = plan.height - 1
    places: list[tuple[str, float, canvas.Align, str]] = [
        (text.more, plan.plot.x0, "left", style.INK),
        (text.ideal, plan.x(0), "center", style.REFERENCE),
        (text.less, plan.plot.x1, "right", style.INK),
    ]
    if not narrow:
        places.append((text.value_head, plan.value_end, "right", style.INK))
        places.append((text.ideal, plan.width - _EDGE, "right", style.REFERENCE))
    for words, x, align, colour in places:
        head = letter(words, plan.width, bold=True)
        canvas.write(sheet, head, canvas.box_at(x, top, head, align), colour, align=align, name="head")


def _draw_axis(sheet: canvas.Sheet, plan: _Plan) -> None:
    y, nan = plan.plot.y0, float("nan")
    canvas.line(sheet, (plan.plot.x0, plan.plot.x1), (y, y), style.MUTED, style.RULE, order=5, name="frame")
    xs = [value for tick in TICKS for value in (plan.x(tick), plan.x(tick), nan)]
    canvas.line(sheet, xs, [y - 3, y, nan] * len(TICKS), style.MUTED, style.RULE, order=5)
    for tick, (_, words) in zip(TICKS, plan.axis.ticks, strict=True):
        lettering = letter(words, plan.width, size=style.TICK_SIZE)
        box = canvas.box_at(plan.x(tick), y - canvas.TICK_GAP, lettering, "center")
        canvas.write(sheet, lettering, box, align="center", name="x-tick")
    label = plan.axis.label
    middle = min(max((plan.plot.x0 + plan.plot.x1) / 2, label.width / 2), plan.width - label.width / 2)
    box = canvas.box_at(middle, y - canvas.bottom_margin(plan.axis) + 2 + label.height, label, "center")
    canvas.write(sheet, label, box, align="center", name="x-label")
