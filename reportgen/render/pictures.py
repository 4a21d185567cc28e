"""Pictures of a metric: the drawing in the widths that a format needs, its words, and its alternative in words."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

from reportgen.figures.cells import draw_cells
from reportgen.figures.histogram import draw_histogram
from reportgen.figures.labels import FigureText, Threshold
from reportgen.figures.svg import data_uri, to_svg
from reportgen.figures.tail import draw_tail
from reportgen.model import Cells, Histogram, Measured, Result
from reportgen.render import scores
from reportgen.render.pair import Pair, asking_rows, first_draw, pair_of, rows_text
from reportgen.render.view import Figure, Numbering, Picture
from reportgen.rounding import decimals, significant
from reportgen.words import sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.figures.marks import Drawing

Medium = Literal["screen", "paper"]
"""Screen: both widths, letters as paths, so that an <img> needs no font. Paper: one width, real text."""


def metric_figures(
    key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering
) -> tuple[Figure, ...]:
    """Draw what a metric has: histogram and tail of its distribution, or the cells of distance and ratio."""
    figures: list[Figure] = []
    if pair := pair_of(key, metric, result):
        figures.append(_histogram(pair, medium, numbering.figure()))
        if pair.drawn.tail:
            figures.append(_tail(pair, medium, numbering.figure()))
    if {"holdout", "synthetic"} <= set(metric.joint) and "at_risk" in metric.scores:
        figures.append(_cells(metric, result, medium, numbering.figure()))
    return tuple(figures)


def _histogram(pair: Pair, medium: Medium, label: str) -> Figure:
    draw = functools.partial(
        _drawn_histogram,
        pair.reference,
        pair.synthetic,
        _text(pair, pair.say("rows")),
        log=pair.drawn.logarithmic,
        threshold=_threshold(pair),
    )
    return Figure(label, _histogram_caption(pair), pair.say("note"), picture(draw, medium, _histogram_in_words(pair)))


def _histogram_caption(pair: Pair) -> str:
    if pair.mark is not None:
        return pair.say("caption", **pair.shares())
    if medians := pair.at(0.5):
        return pair.say("caption_median", **medians)
    return pair.say("caption_plain")


def _histogram_in_words(pair: Pair) -> str:
    parts = [pair.say("alternative")]
    if pair.mark is not None:
        parts.append(pair.say("alternative_threshold", **pair.shares()))
    parts += _zeros_in_words(pair)
    if medians := pair.at(0.5):
        parts.append(pair.say("alternative_medians", **medians))
    return " ".join(parts)


def _tail(pair: Pair, medium: Medium, label: str) -> Figure:
    draw = functools.partial(
        _drawn_tail, pair.reference, pair.synthetic, _text(pair, pair.say("share")), threshold=_threshold(pair)
    )
    levels = pair.levels()
    if pair.words["zeros"]:
        caption = pair.say("tail_zero")
    elif levels:
        caption = pair.say("tail_level", level=levels[0][0], **levels[0][1])
    else:
        caption = pair.say("tail_plain")
    parts = [pair.say("alternative_tail"), *_zeros_in_words(pair)]
    parts += [pair.say("alternative_level", level=level, **texts) for level, texts in levels]
    return Figure(label, caption, pair.say("tail_note"), picture(draw, medium, " ".join(parts)))


def _zeros_in_words(pair: Pair) -> list[str]:
    return [pair.say("alternative_zeros")] if pair.words["zeros"] else []


def _text(pair: Pair, y_label: str) -> FigureText:
    return FigureText(
        x_label=pair.say("axis"),
        x_label_narrow=pair.say("axis_narrow"),
        y_label=y_label,
        reference=pair.say("reference"),
        synthetic=pair.say("synthetic"),
        zero=pair.say("zero"),
        y_label_uneven=pair.say("rows_uneven"),
    )


def _threshold(pair: Pair) -> Threshold | None:
    return None if pair.mark is None else Threshold(pair.mark.value, pair.say("threshold", **pair.shares()))


def _cells(metric: Measured, result: Result, medium: Medium, label: str) -> Figure:
    words = scores.wording(result)
    risk = metric.scores["at_risk"]
    rows = asking_rows(result)
    x_threshold, y_threshold = (metric.scores[name].value for name in ("distance_threshold", "ratio_threshold"))
    x_value, y_value = significant(x_threshold, 3), decimals(y_threshold, 3, (0, 1))
    counts = {"here": risk.value, "there": risk.reference or 0}
    texts = {side: rows_text(value) for side, value in counts.items()}
    inside = {
        side: sentence("figure.cells_at_risk", rows=texts[side], share=scores.share(counts[side] / rows))
        for side in counts
    }
    draw = functools.partial(
        _drawn_cells,
        metric.joint["holdout"],
        metric.joint["synthetic"],
        FigureText(
            x_label=sentence("figure.cells_x"),
            x_label_narrow=sentence("figure.cells_x"),
            y_label=sentence("figure.cells_y"),
            reference="",
            synthetic="",
            zero=sentence("figure.zero"),
            legend=sentence("figure.cells_legend"),
        ),
        x_threshold=x_threshold,
        y_threshold=y_threshold,
        reference_label=f"{sentence('figure.cells_reference', **words)}\n{inside['there']}",
        synthetic_label=f"{sentence('figure.cells_synthetic')}\n{inside['here']}",
        x_threshold_text=sentence("figure.cells_x_threshold", value=x_value, **words),
        y_threshold_text=sentence("figure.cells_y_threshold", value=y_value, **words),
    )
    in_words = sentence("figure.alternative_cells", n=rows, distance=x_value, ratio=y_value, **texts, **words)
    return Figure(
        label=label,
        caption=sentence("figure.cells", **texts, **words),
        note=sentence("figure.cells_note", first_draw=first_draw(metric, result), **words),
        picture=picture(draw, medium, in_words),
    )


def picture(draw: Callable[..., Drawing], medium: Medium, in_words: str) -> Picture:
    """Draw in the widths that the medium needs."""
    on_paper = medium == "paper"
    wide = data_uri(to_svg(draw(narrow=False), as_text=on_paper))
    narrow = "" if on_paper else data_uri(to_svg(draw(narrow=True), as_text=False))
    return Picture(wide, narrow, in_words)


# A drawing costs far more than saving it, and HTML and PDF of one result save the same wide ones.
@functools.lru_cache(maxsize=32)
def _drawn_histogram(reference: Histogram, synthetic: Histogram, text: FigureText, **how: Any) -> Drawing:
    return draw_histogram(reference, synthetic, text, **how)


@functools.lru_cache(maxsize=32)
def _drawn_tail(reference: Histogram, synthetic: Histogram, text: FigureText, **how: Any) -> Drawing:
    return draw_tail(reference, synthetic, text, **how)


@functools.lru_cache(maxsize=8)
def _drawn_cells(reference: Cells, synthetic: Cells, text: FigureText, **how: Any) -> Drawing:
    return draw_cells(reference, synthetic, text, **how)
