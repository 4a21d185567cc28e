"""Pictures of a metric: the drawing in the widths that a format needs, its words, and its alternative in words."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

from reportgen.figures.cells import draw_cells
from reportgen.figures.histogram import draw_histogram
from reportgen.figures.labels import FigureText, Threshold
from reportgen.figures.svg import data_uri, to_svg
from reportgen.figures.tail import draw_tail
from reportgen.model import Histogram, Measured, Result
from reportgen.render import scores
from reportgen.render.view import Figure, Numbering, Picture
from reportgen.rounding import count, decimals, significant
from reportgen.words import sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Drawing

Medium = Literal["screen", "paper"]
"""Screen: both widths, letters as paths, so that an <img> needs no font. Paper: one width, real text."""
RATIOS = ("closest_distances_ratio", "nndr")
"""Metrics whose distribution is one of ratios (0-1); the others are distances."""
SERIES = ("holdout", "synthetic")
"""The series of the reference-based metrics; those that compare with real rows alone are in `real_pictures`."""


def metric_figures(
    key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering
) -> tuple[Figure, ...]:
    """Draw what a metric has: histogram and tail of its distribution, or the cells of distance and ratio."""
    figures: list[Figure] = []
    if all(name in metric.distributions for name in SERIES):
        figures += [
            _histogram(key, metric, result, medium, numbering.figure()),
            _tail(key, metric, result, medium, numbering.figure()),
        ]
    if all(name in metric.joint for name in SERIES) and "at_risk" in metric.scores:
        figures.append(_cells(metric, result, medium, numbering.figure()))
    return tuple(figures)


def quantity(key: str) -> str:
    """What a metric's distribution counts rows by, in words."""
    return sentence(f"metric.{key}.quantity")


def value_text(value: float, key: str) -> str:
    """Write a distance or a ratio."""
    return decimals(value, 3, (0, 1)) if key in RATIOS else significant(value, 3)


def quantile(histogram: Histogram, level: float) -> float | None:
    """The value at a level, where it is listed."""
    pairs = dict(zip(histogram.quantiles.levels, histogram.quantiles.values, strict=True))
    return pairs.get(level)


def _histogram(key: str, metric: Measured, result: Result, medium: Medium, label: str) -> Figure:
    reference, synthetic = metric.distributions["holdout"], metric.distributions["synthetic"]
    words = scores.wording(result)
    threshold = _threshold(key, metric, words)
    zeros = bool(reference.zero_count or synthetic.zero_count)
    draw = functools.partial(
        drawn_histogram,
        reference,
        synthetic,
        _text(key, reference, synthetic, words, sentence("figure.axis_rows")),
        log=key == "distance_to_closest",
        threshold=threshold,
    )
    return Figure(
        label=label,
        caption=_histogram_caption(key, metric, words),
        note=sentence(
            "figure.histogram_note",
            n=synthetic.n,
            quantity=quantity(key),
            zeros=zeros,
            far=key == "distance_to_closest",
        ),
        picture=picture(draw, medium, _histogram_alternative(key, metric, words)),
    )


def _tail(key: str, metric: Measured, result: Result, medium: Medium, label: str) -> Figure:
    reference, synthetic = metric.distributions["holdout"], metric.distributions["synthetic"]
    words = scores.wording(result)
    draw = functools.partial(
        drawn_tail,
        reference,
        synthetic,
        _text(key, reference, synthetic, words, sentence("figure.axis_share")),
        threshold=_threshold(key, metric, words),
    )
    return Figure(
        label=label,
        caption=_tail_caption(key, metric, words),
        note=sentence("figure.tail_note", n=synthetic.n, quantity=quantity(key)),
        picture=picture(draw, medium, _tail_alternative(key, metric, words)),
    )


def _cells(metric: Measured, result: Result, medium: Medium, label: str) -> Figure:
    words = scores.wording(result)
    risk = metric.scores["at_risk"]
    x_threshold, y_threshold = (metric.scores[name].value for name in ("distance_threshold", "ratio_threshold"))
    x_value, y_value = significant(x_threshold, 3), decimals(y_threshold, 3, (0, 1))
    here, there = rows_text(risk.value), rows_text(risk.reference or 0)
    draw = functools.partial(
        _drawn_cells,
        metric.joint["holdout"],
        metric.joint["synthetic"],
        _cells_text(),
        x_threshold=x_threshold,
        y_threshold=y_threshold,
        reference_label=sentence("figure.cells_reference", **words),
        synthetic_label=sentence("figure.cells_synthetic"),
        x_threshold_text=sentence("figure.cells_x_threshold", value=x_value, **words),
        y_threshold_text=sentence("figure.cells_y_threshold", value=y_value, **words),
    )
    return Figure(
        label=label,
        caption=sentence("figure.cells", here=here, there=there, **words),
        note=sentence("figure.cells_note", **words),
        picture=picture(
            draw,
            medium,
            sentence(
                "figure.alt_cells",
                n=asking_rows(result),
                distance=x_value,
                ratio=y_value,
                here=here,
                there=there,
                **words,
            ),
        ),
    )


def asking_rows(result: Result) -> int:
    """How many original rows looked for neighbours: one half of them where halves stand in for a holdout."""
    return result.holdout.rows if result.holdout.kind == "approximate" else result.inputs.original.rows


def rows_text(value: float) -> str:
    """Write a number of rows; a median over draws may lie between two."""
    whole = value == int(value)
    text = count(int(value)) if whole else decimals(value, 1)
    return f"{text} {sentence('figure.row' if value == 1 else 'figure.rows')}"


def _text(key: str, reference: Histogram, synthetic: Histogram, words: dict[str, Any], y_label: str) -> FigureText:
    axis = "axis_ratio" if key == "closest_distances_ratio" else "axis_distance"
    return FigureText(
        x_label=sentence(f"figure.{axis}"),
        x_label_narrow=sentence(f"figure.{axis}_narrow"),
        y_label=y_label,
        reference=sentence("figure.reference_label", n=reference.n, **words),
        synthetic=sentence("figure.synthetic_label", n=synthetic.n),
        zero=sentence("figure.zero"),
        y_label_uneven=sentence("figure.axis_rows_uneven"),
    )


def _cells_text() -> FigureText:
    return FigureText(
        x_label=sentence("figure.cells_x"),
        x_label_narrow=sentence("figure.cells_x"),
        y_label=sentence("figure.cells_y"),
        reference="",
        synthetic="",
        zero=sentence("figure.zero"),
        legend=sentence("figure.cells_legend"),
    )


def _threshold(key: str, metric: Measured, words: dict[str, Any]) -> Threshold | None:
    tail, share = metric.scores.get("outlier_raw"), metric.scores.get("tail_share")
    if tail is None or share is None or tail.reference is None or share.reference is None:
        return None
    line = sentence("figure.threshold", value=value_text(tail.reference, key), **words)
    shares = sentence(
        "figure.threshold_shares", here=scores.share(share.value), there=scores.share(share.reference), **words
    )
    return Threshold(tail.reference, f"{line}:\n{shares}")


def _histogram_caption(key: str, metric: Measured, words: dict[str, Any]) -> str:
    share = metric.scores.get("tail_share")
    if share is not None and share.reference is not None:
        here, there = scores.share(share.value), scores.share(share.reference)
        return sentence("figure.histogram_tail", here=here, there=there, **words)
    here_value, there_value = (quantile(metric.distributions[name], 0.5) for name in ("synthetic", "holdout"))
    if here_value is None or there_value is None:
        return sentence("figure.tail_plain")
    here, there = value_text(here_value, key), value_text(there_value, key)
    return sentence("figure.histogram_median", here=here, there=there, **words)


def _tail_caption(key: str, metric: Measured, words: dict[str, Any]) -> str:
    reference, synthetic = metric.distributions["holdout"], metric.distributions["synthetic"]
    if reference.zero_count or synthetic.zero_count:
        return sentence("figure.tail_zero", here=synthetic.zero_count, there=reference.zero_count, **words)
    for level in (0.01, 0.025, 0.05, 0.1, 0.25):
        here, there = quantile(synthetic, level), quantile(reference, level)
        if here is not None and there is not None:
            texts = {"here": value_text(here, key), "there": value_text(there, key)}
            return sentence("figure.tail_quantile", level=scores.percent_of(100 * level), **texts, **words)
    return sentence("figure.tail_plain")


def _zeros(metric: Measured, words: dict[str, Any]) -> str:
    here, there = (metric.distributions[name].zero_count for name in ("synthetic", "holdout"))
    return f"{sentence('figure.alt_zeros', here=here, there=there, **words)} " if here or there else ""


def _histogram_alternative(key: str, metric: Measured, words: dict[str, Any]) -> str:
    tail, share = metric.scores.get("outlier_raw"), metric.scores.get("tail_share")
    threshold = ""
    if tail is not None and share is not None and tail.reference is not None and share.reference is not None:
        shares = {"here": scores.share(share.value), "there": scores.share(share.reference)}
        value = value_text(tail.reference, key)
        threshold = f"{sentence('figure.alt_threshold', value=value, **shares, **words)} "
    synthetic = metric.distributions["synthetic"]
    here, there = quantile(synthetic, 0.5), quantile(metric.distributions["holdout"], 0.5)
    common: dict[str, Any] = {
        "quantity": quantity(key),
        "n": synthetic.n,
        "threshold": threshold,
        "zeros": _zeros(metric, words),
    }
    if here is None or there is None:
        return sentence("figure.alt_histogram_plain", **common).strip()
    medians = {"median": value_text(here, key), "median_reference": value_text(there, key)}
    return sentence("figure.alt_histogram", **common, **medians, **words)


def _tail_alternative(key: str, metric: Measured, words: dict[str, Any]) -> str:
    reference, synthetic = metric.distributions["holdout"], metric.distributions["synthetic"]
    parts = []
    for level in (0.01, 0.025, 0.05, 0.1):
        here, there = quantile(synthetic, level), quantile(reference, level)
        if here is not None and there is not None:
            texts = {"here": value_text(here, key), "there": value_text(there, key)}
            parts.append(sentence("figure.alt_quantile", level=scores.percent_of(100 * level), **texts, **words))
    return sentence(
        "figure.alt_tail",
        n=synthetic.n,
        quantity=quantity(key),
        zeros=_zeros(metric, words),
        quantiles=" ".join(parts),
    ).strip()


def picture(draw: Callable[..., Drawing], medium: Medium, alternative: str) -> Picture:
    """Draw in the widths that the medium needs."""
    on_paper = medium == "paper"
    wide = data_uri(to_svg(draw(narrow=False), as_text=on_paper))
    narrow = "" if on_paper else data_uri(to_svg(draw(narrow=True), as_text=False))
    return Picture(wide, narrow, alternative)


# A drawing costs far more than saving it, and HTML and PDF of one result save the same wide ones.
@functools.lru_cache(maxsize=32)
def drawn_histogram(reference: Histogram, synthetic: Histogram, text: FigureText, **how: Any) -> Drawing:
    """Draw a histogram, or return the drawing that another format has already asked for."""
    return draw_histogram(reference, synthetic, text, **how)


@functools.lru_cache(maxsize=32)
def drawn_tail(reference: Histogram, synthetic: Histogram, text: FigureText, **how: Any) -> Drawing:
    """Draw a tail, or return the drawing that another format has already asked for."""
    return draw_tail(reference, synthetic, text, **how)


@functools.lru_cache(maxsize=8)
def _drawn_cells(reference: Any, synthetic: Any, text: FigureText, **how: Any) -> Drawing:
    return draw_cells(reference, synthetic, text, **how)
