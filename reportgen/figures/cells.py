"""Counts in a grid of two values, reference and synthetic side by side, with the region at risk outlined."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.figures import canvas, scales, style
from reportgen.figures.labels import FigureText, Lettering, letter
from reportgen.figures.placement import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.figures.marks import Drawing
    from reportgen.model import Cells

STEPS = (1, 5, 10, 20, 50)
"""Fewest rows of a cell in each shade. A cell of 1-4 rows holds -1."""
_STEP_TEXTS = ("1–4", "5–9", "10–19", "20–49", "≥ 50")
_HEIGHT = 130.0
_GAP = 14.0
_APART = 8.0
_SKEW = 50.0
_SAMPLES = 25
_OUTLINE = 1.5


@dataclass(frozen=True)
class Panel:
    """One grid with its frame on the figure, and what is drawn around it."""

    cells: Cells
    frame: Box
    x: scales.Scale
    y: scales.Scale
    shades: tuple[str, ...]
    title: Lettering
    colour: str


def shade_step(count: int) -> int | None:
    """Return the shade of a cell by its number of rows (-1: 1-4 rows), None for an empty cell."""
    if count == 0:
        return None
    return max(0, sum(count >= least for least in STEPS) - 1)


def draw_cells(
    reference: Cells,
    synthetic: Cells,
    text: FigureText,
    *,
    x_threshold: float,
    y_threshold: float,
    reference_label: str,
    synthetic_label: str,
    x_threshold_text: str,
    y_threshold_text: str,
    narrow: bool,
) -> Drawing:
    """Draw both grids, beside each other or, when narrow, one above the other.

    Both thresholds are dotted lines, the region at or below both is outlined. Five shades tell the rows in a cell; the
    first is for 1 to 4. The x axis is linear, or logarithmic where the widths of its bins differ by more than a factor
    of 50. The last column, which holds everything beyond, is drawn no wider than the one before it. A threshold beyond
    an end of an axis is drawn at that end. Raises ValueError where the edges differ.
    """
    if reference.x_edges != synthetic.x_edges or reference.y_edges != synthetic.y_edges:
        msg = "both grids must have the same edges"
        raise ValueError(msg)
    reference, synthetic = (_with_narrow_end(cells) for cells in (reference, synthetic))
    with style.settings():
        width = style.NARROW if narrow else style.WIDE
        y_axis = canvas.y_axis(
            scales.linear(reference.y_edges[0], reference.y_edges[-1], 0, _HEIGHT), text.y_label, _HEIGHT, pitch=40
        )
        left = max(canvas.left_margin(y_axis), 28.0)
        right_left = left - y_axis.label.height - 3
        across = width - left - 6 if narrow else (width - left - _GAP - right_left - 6) / 2
        titles = [
            letter(words, across, size=style.TITLE_SIZE, bold=True) for words in (reference_label, synthetic_label)
        ]
        x_words = letter(x_threshold_text, across)
        head = max(title.height for title in titles) + 3 + x_words.height + 6
        x_axis = canvas.x_axis(_x_scale(reference.x_edges, 0, across), canvas.x_label(text, narrow=narrow), across)
        legend_words = letter(text.legend, width - left, size=style.SIZE)
        one_row = legend_words.width + 10 + _legend_width() + left <= width
        foot = (18.0 if one_row or not text.legend else 18.0 + legend_words.height) + 4
        below = canvas.bottom_margin(x_axis)
        if narrow:
            bottoms = (foot + below + _HEIGHT + head + _APART + below, foot + below)
            lefts = (left, left)
        else:
            bottoms = (foot + below,) * 2
            lefts = (left, left + across + _GAP + right_left)
        sheet = canvas.Sheet(width, bottoms[0] + _HEIGHT + head)
        panels = [
            Panel(
                cells,
                Box(x0, bottom, x0 + across, bottom + _HEIGHT),
                _x_scale(cells.x_edges, x0, x0 + across),
                scales.linear(cells.y_edges[0], cells.y_edges[-1], bottom, bottom + _HEIGHT),
                shades,
                title,
                colour,
            )
            for cells, x0, bottom, shades, title, colour in zip(
                (reference, synthetic),
                lefts,
                bottoms,
                (style.REFERENCE_STEPS, style.SYNTHETIC_STEPS),
                titles,
                (style.REFERENCE_WORDS, style.SYNTHETIC_WORDS),
                strict=True,
            )
        ]
        for index, panel in enumerate(panels):
            _draw_panel(sheet, panel)
            _draw_thresholds(sheet, panel, x_threshold, y_threshold, x_words, letter(y_threshold_text, 0.8 * across))
            y = canvas.y_axis(panel.y, text.y_label if narrow or index == 0 else "", _HEIGHT, pitch=40)
            x = canvas.x_axis(panel.x, canvas.x_label(text, narrow=narrow), across)
            canvas.draw_frame(sheet, panel.frame, x, y, x_ticks=True)
        _draw_legend(sheet, left, legend_words, one_row=one_row)
        return sheet.drawing


def _with_narrow_end(cells: Cells) -> Cells:
    """Draw a last column that holds everything beyond no wider than the one before it."""
    *inner, beyond = cells.x_edges
    if len(inner) < 2:
        return cells
    width = inner[-1] - inner[-2]
    return cells.model_copy(update={"x_edges": (*inner, min(beyond, inner[-1] + width))})


def _x_scale(edges: Sequence[float], start: float, end: float) -> scales.Scale:
    widths = [b - a for a, b in itertools.pairwise(edges)]
    skewed = max(widths) > _SKEW * min(widths) and edges[0] >= 0
    return scales.logarithmic(edges, start, end) if skewed else scales.linear(edges[0], edges[-1], start, end)


def _draw_panel(sheet: canvas.Sheet, panel: Panel) -> None:
    xs, ys = [panel.x(edge) for edge in panel.cells.x_edges], [panel.y(edge) for edge in panel.cells.y_edges]
    fine = min(b - a for edges in (xs, ys) for a, b in itertools.pairwise(edges))
    for step, shade in enumerate(panel.shades):
        shapes = [
            canvas.corners(Box(xs[column], ys[row], xs[column + 1], ys[row + 1]))
            for row, counts in enumerate(panel.cells.counts)
            for column, count in enumerate(counts)
            if shade_step(count) == step
        ]
        if shapes:
            # White gaps tell cells apart; where cells are tiny they would hide them.
            canvas.area(sheet, shapes, shade, edge="white", edge_width=min(0.5, fine / 8), order=2, name=f"step {step}")


def _draw_thresholds(
    sheet: canvas.Sheet, panel: Panel, x_threshold: float, y_threshold: float, x_words: Lettering, y_words: Lettering
) -> None:
    frame, at_x, at_y = panel.frame, panel.x(x_threshold), panel.y(y_threshold)
    canvas.line(sheet, (at_x, at_x), (at_y, frame.y1 + 4), style.INK, 0.8, dash=style.DOTS, order=3, name="x threshold")
    canvas.line(sheet, (at_x, frame.x1), (at_y, at_y), style.INK, 0.8, dash=style.DOTS, order=3, name="y threshold")
    region = canvas.corners(Box(frame.x0, frame.y0, at_x, at_y))
    canvas.area(sheet, [region], "none", edge=style.INK, edge_width=_OUTLINE, order=6, name="region")
    left = max(frame.x0, min(at_x - 1, frame.x1 - x_words.width))
    x_box = canvas.box_at(left, frame.y1 + 5 + x_words.height, x_words)
    canvas.write(sheet, x_words, x_box, name="x threshold")
    canvas.write(
        sheet,
        panel.title,
        canvas.box_at(frame.x0, x_box.y1 + 3 + panel.title.height, panel.title),
        panel.colour,
        name="title",
    )
    y_box = _quiet_place(panel, at_x, at_y, y_words)
    canvas.write(sheet, y_words, y_box, name="y threshold", halo=_rows_under(panel, y_box) > 0)


def _quiet_place(panel: Panel, at_x: float, at_y: float, words: Lettering) -> Box:
    """Return a place along the threshold of y, above or below it, that covers the fewest rows, best far right."""
    frame = panel.frame
    right = frame.x1 - words.width
    left = min(at_x + 5, right)
    choices = []
    for rank in range(_SAMPLES):
        x = right - (right - left) * rank / (_SAMPLES - 1)
        for top in (at_y + 2 + words.height, at_y - 2):
            box = canvas.box_at(x, top, words)
            if frame.y0 + 1 <= box.y0 and box.y1 <= frame.y1:
                choices.append((_rows_under(panel, box), rank, box))
    return min(choices)[2]


def _rows_under(panel: Panel, box: Box) -> float:
    """Return about how many rows the cells that a box touches hold; each small cell counts as one row."""
    xs, ys = [panel.x(edge) for edge in panel.cells.x_edges], [panel.y(edge) for edge in panel.cells.y_edges]
    return math.fsum(
        abs(count)
        for row, counts in enumerate(panel.cells.counts)
        for column, count in enumerate(counts)
        if count and box.meets(Box(xs[column], ys[row], xs[column + 1], ys[row + 1]))
    )


def _legend_width() -> float:
    return sum(letter(words, 100, size=style.TICK_SIZE).width + 30 for words in _STEP_TEXTS)


def _draw_legend(sheet: canvas.Sheet, left: float, head: Lettering, *, one_row: bool) -> None:
    x = left
    if head.width and not one_row:
        canvas.write(sheet, head, canvas.box_at(left, 17 + head.height, head), name="legend")
    elif head.width:
        canvas.write(sheet, head, canvas.box_at(x, 8 + head.height / 2, head), name="legend")
        x += head.width + 10
    for words, reference, synthetic in zip(_STEP_TEXTS, style.REFERENCE_STEPS, style.SYNTHETIC_STEPS, strict=True):
        canvas.area(sheet, [canvas.corners(Box(x, 8, x + 11, 15))], reference)
        canvas.area(sheet, [canvas.corners(Box(x, 1, x + 11, 8))], synthetic)
        lettering = letter(words, 100, size=style.TICK_SIZE)
        canvas.write(sheet, lettering, canvas.box_at(x + 14, 8 + lettering.height / 2, lettering), name="legend")
        x += lettering.width + 30
