"""How often attacks succeeded: for each a dot on original rows, one on holdout rows, and a stroke for guessing.

What lies between the two dots is the leak; what both lie above guessing is what the data teach about anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.figures import canvas, style
from reportgen.figures.labels import Lettering, extent, legible, letter
from reportgen.figures.marks import Marker
from reportgen.figures.placement import Box

if TYPE_CHECKING:
    from reportgen.figures.marks import Drawing

TICKS = (0, 20, 40, 60, 80, 100)
"""Percent."""
_ROW, _NARROW_ROW = 15.5, 18.0
_GAP, _EDGE = 9.0, 2.0
_WIDEST_NAME, _LEAST_PLOT = 168.0, 120.0
_DOT, _BAR, _MARK = 5.5, 1.6, 5.0
_APART = 2.6
"""Half the distance between the lines of the two dots of a row."""


@dataclass(frozen=True)
class Rate:
    """A share of attempts (0-1) with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RateRow:
    """One attack: its name, what stands at the end of its line, and its rates; `control` is None without a holdout."""

    name: str
    risk: str
    attack: Rate
    control: Rate | None
    baseline: float


@dataclass(frozen=True)
class RatesText:
    """Words of the figure: what each mark is, the head of the risks, the label of the axis."""

    attack: str
    control: str
    baseline: str
    risk_head: str
    x_label: str


@dataclass(frozen=True)
class _Plan:
    width: float
    height: float
    plot: Box
    names: tuple[Lettering, ...]
    tops: tuple[float, ...]
    middles: tuple[float, ...]
    axis: canvas.Axis
    legend: tuple[tuple[Lettering, float, float], ...]
    """The words of each mark, its left end and its middle."""

    def x(self, rate: float) -> float:
        """The place of a rate on the axis."""
        return self.plot.x0 + min(1.0, max(0.0, rate)) * (self.plot.x1 - self.plot.x0)


def draw_rates(rows: Sequence[RateRow], text: RatesText, *, narrow: bool) -> Drawing:
    """Draw the rates of each attack. Raises ValueError without any."""
    if not rows:
        msg = "there must be at least one attack"
        raise ValueError(msg)
    with style.settings():
        plan = _plan(rows, text, narrow=narrow)
        sheet = canvas.Sheet(plan.width, plan.height)
        for tick in TICKS:
            at = plan.x(tick / 100)
            canvas.line(sheet, (at, at), (plan.plot.y0, plan.plot.y1), style.SHADE, style.RULE, order=0, name="grid")
        for place, row in enumerate(rows):
            _draw_row(sheet, plan, place, row, narrow=narrow)
        _draw_legend(sheet, plan, text, with_control=rows[0].control is not None)
        _draw_axis(sheet, plan)
        return sheet.drawing


def _plan(rows: Sequence[RateRow], text: RatesText, *, narrow: bool) -> _Plan:
    width = style.NARROW if narrow else style.WIDE
    risks = max(extent(words, style.SIZE, bold=True) for words in (*(row.risk for row in rows), text.risk_head))
    if narrow:
        left, right = _EDGE + 6, width - _EDGE - 8
        room = width - 2 * _EDGE - risks - _GAP
    else:
        right = width - _EDGE - risks - _GAP
        room = min(
            _WIDEST_NAME, max(extent(line, style.SIZE) for row in rows for line in legible(row.name).split("\n"))
        )
        room = min(room, right - _LEAST_PLOT - _EDGE - _GAP)
        left = _EDGE + max(room, 40.0) + _GAP
    names = tuple(letter(row.name, max(room, 40.0), bold=narrow) for row in rows)
    axis = canvas.Axis(tuple((0.0, str(tick)) for tick in TICKS), letter(text.x_label, width - 8))
    foot = canvas.bottom_margin(axis)
    heights = [name.height + _NARROW_ROW if narrow else max(_ROW, name.height + 5) for name in names]
    top = y = foot + sum(heights)
    tops, middles = [], []
    for name, height in zip(names, heights, strict=True):
        tops.append(y - 2 if narrow else y - (height - name.height) / 2)
        middles.append(y - name.height - _NARROW_ROW / 2 if narrow else y - height / 2)
        y -= height
    legend, used = _legend(rows, text, width, top)
    return _Plan(width, used + 2, Box(left, foot, right, top), names, tuple(tops), tuple(middles), axis, legend)


def _legend(
    rows: Sequence[RateRow], text: RatesText, width: float, top: float
) -> tuple[tuple[tuple[Lettering, float, float], ...], float]:
    """Set the marks and their words from left to right above the plot, on as many lines as they need."""
    words = [text.attack, *([] if rows[0].control is None else [text.control]), text.baseline]
    lines: list[list[tuple[Lettering, float]]] = [[]]
    at = _EDGE
    # The head of the risks ends the first line.
    end = width - _EDGE - extent(text.risk_head, style.SIZE, bold=True) - _GAP
    for one in words:
        lettering = letter(one, width - 2 * _EDGE - 14)
        if lines[-1] and at + 14 + lettering.width > end:
            lines.append([])
            at, end = _EDGE, width - _EDGE
        lines[-1].append((lettering, at))
        at += 14 + lettering.width + 2 * _GAP
    placed = []
    y = top + 6
    for line in reversed(lines):
        height = max(lettering.height for lettering, _ in line)
        placed += [(lettering, at, y + height / 2) for lettering, at in line]
        y += height + 2
    order = {id(lettering): place for place, (lettering, _) in enumerate(one for line in lines for one in line)}
    return tuple(sorted(placed, key=lambda one: order[id(one[0])])), y


def _draw_row(sheet: canvas.Sheet, plan: _Plan, place: int, row: RateRow, *, narrow: bool) -> None:
    name, top, middle = plan.names[place], plan.tops[place], plan.middles[place]
    canvas.write(sheet, name, canvas.box_at(_EDGE, top, name), name="name", halo=narrow)
    risk = letter(row.risk, plan.width, bold=True)
    risk_top = top if narrow else middle + risk.height / 2
    box = canvas.box_at(plan.width - _EDGE, risk_top, risk, "right")
    canvas.write(sheet, risk, box, align="right", name="risk", halo=narrow)
    at = plan.x(row.baseline)
    canvas.line(sheet, (at, at), (middle - _MARK, middle + _MARK), style.MUTED, 1.4, order=2, name="baseline")
    if row.control is not None:
        _draw_rate(sheet, plan, row.control, middle - _APART, attack=False)
    _draw_rate(sheet, plan, row.attack, middle + _APART, attack=True)


def _draw_rate(sheet: canvas.Sheet, plan: _Plan, rate: Rate, y: float, *, attack: bool) -> None:
    colour = style.SYNTHETIC if attack else style.REFERENCE
    canvas.line(sheet, (plan.x(rate.low), plan.x(rate.high)), (y, y), colour, _BAR, order=3, name="interval")
    _dot(sheet, plan.x(rate.value), y, attack=attack)


def _dot(sheet: canvas.Sheet, x: float, y: float, *, attack: bool) -> None:
    """A filled circle for the attack, an empty square for its control: told apart without colour."""
    colour = style.SYNTHETIC if attack else style.REFERENCE
    face = colour if attack else "white"
    marker = Marker("circle" if attack else "square", _DOT, face, 1.4)
    canvas.line(sheet, (x,), (y,), colour, 0, order=4, name="dot", marker=marker)


def _draw_legend(sheet: canvas.Sheet, plan: _Plan, text: RatesText, *, with_control: bool) -> None:
    marks = ["attack", *(["control"] if with_control else []), "baseline"]
    for mark, (words, left, middle) in zip(marks, plan.legend, strict=True):
        if mark == "baseline":
            canvas.line(sheet, (left + 5, left + 5), (middle - _MARK, middle + _MARK), style.MUTED, 1.4, order=2)
        else:
            _dot(sheet, left + 5, middle, attack=mark == "attack")
        canvas.write(sheet, words, canvas.box_at(left + 14, middle + words.height / 2, words), name="legend")
    head = letter(text.risk_head, plan.width, bold=True)
    box = canvas.box_at(plan.width - _EDGE, plan.legend[0][2] + head.height / 2, head, "right")
    canvas.write(sheet, head, box, align="right", name="head")


def _draw_axis(sheet: canvas.Sheet, plan: _Plan) -> None:
    y, nan = plan.plot.y0, float("nan")
    canvas.line(sheet, (plan.plot.x0, plan.plot.x1), (y, y), style.MUTED, style.RULE, order=5, name="frame")
    xs = [value for tick in TICKS for value in (plan.x(tick / 100), plan.x(tick / 100), nan)]
    canvas.line(sheet, xs, [y - 3, y, nan] * len(TICKS), style.MUTED, style.RULE, order=5)
    for tick, (_, words) in zip(TICKS, plan.axis.ticks, strict=True):
        lettering = letter(words, plan.width, size=style.TICK_SIZE)
        box = canvas.box_at(plan.x(tick / 100), y - canvas.TICK_GAP, lettering, "center")
        canvas.write(sheet, lettering, box, align="center", name="x-tick")
    label = plan.axis.label
    middle = min(max((plan.plot.x0 + plan.plot.x1) / 2, label.width / 2), plan.width - label.width / 2)
    box = canvas.box_at(middle, y - canvas.bottom_margin(plan.axis) + 2 + label.height, label, "center")
    canvas.write(sheet, label, box, align="center", name="x-label")
