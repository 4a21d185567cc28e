"""Pictures of the metrics that compare synthetic rows with the original rows among themselves."""

from __future__ import annotations

import functools
from typing import Any

from reportgen.figures.labels import FigureText, Threshold
from reportgen.model import Histogram, Measured, Result
from reportgen.render import scores
from reportgen.render.pictures import Medium, drawn_histogram, drawn_tail, picture, quantile, quantity, value_text
from reportgen.render.view import Figure, Numbering
from reportgen.words import sentence

TAIL_LEVELS = (0.01, 0.025, 0.05, 0.1, 0.25)


def real_figures(
    key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering
) -> tuple[Figure, ...]:
    """Draw the distribution over the original rows' own, and for a ratio its tail."""
    if not all(name in metric.distributions for name in ("synthetic", "original")):
        return ()
    figures = [_histogram(key, metric, result, medium, numbering.figure())]
    if key == "nndr":
        figures.append(_tail(key, metric, result, medium, numbering.figure()))
    return tuple(figures)


def _say(key: str, name: str, **numbers: Any) -> str:
    return sentence(f"metric.{key}.figure.{name}", **numbers)


def _histogram(key: str, metric: Measured, result: Result, medium: Medium, label: str) -> Figure:
    original, synthetic = metric.distributions["original"], metric.distributions["synthetic"]
    draw = functools.partial(
        drawn_histogram,
        original,
        synthetic,
        _text(key, original, synthetic, _say(key, "rows")),
        log=key == "nn_dist",
        threshold=_threshold(key, metric, result),
    )
    zeros = bool(original.zero_count or synthetic.zero_count)
    note = _say(key, "note", n=synthetic.n, base=original.n, quantity=quantity(key), zeros=zeros)
    return Figure(label, _caption(key, metric, result), note, picture(draw, medium, _alternative(key, metric, result)))


def _tail(key: str, metric: Measured, result: Result, medium: Medium, label: str) -> Figure:
    original, synthetic = metric.distributions["original"], metric.distributions["synthetic"]
    draw = functools.partial(
        drawn_tail,
        original,
        synthetic,
        _text(key, original, synthetic, _say(key, "share")),
        threshold=_threshold(key, metric, result),
    )
    parts = [
        _say(key, "tail_caption", level=scores.percent_of(100 * level), here=here, there=there)
        for level in TAIL_LEVELS
        if (here := _value(key, synthetic, level)) and (there := _value(key, original, level))
    ]
    caption = parts[0] if parts else sentence("figure.tail_plain")
    alternative = ". ".join([sentence("figure.alt_start", quantity=quantity(key)).rstrip("."), *parts]) + "."
    return Figure(label, caption, _say(key, "tail_note", quantity=quantity(key)), picture(draw, medium, alternative))


def _text(key: str, original: Histogram, synthetic: Histogram, y_label: str) -> FigureText:
    return FigureText(
        x_label=_say(key, "axis"),
        x_label_narrow=_say(key, "axis_narrow"),
        y_label=y_label,
        reference=_say(key, "reference", n=original.n),
        synthetic=_say(key, "synthetic", n=synthetic.n),
        zero=sentence("figure.zero"),
        y_label_uneven=sentence("figure.axis_any_rows_uneven"),
    )


def _threshold(key: str, metric: Measured, result: Result) -> Threshold | None:
    share = metric.scores.get("share_below")
    if key != "nndr" or share is None or share.reference is None:
        return None
    value = result.settings.nndr_threshold
    shares = {"here": scores.share(share.value), "there": scores.share(share.reference)}
    return Threshold(value, f"{_say(key, 'threshold', value=f'{value:g}')}:\n{_say(key, 'threshold_shares', **shares)}")


def _value(key: str, histogram: Histogram, level: float) -> str:
    value = quantile(histogram, level)
    return "" if value is None else value_text(value, key)


def _caption(key: str, metric: Measured, result: Result) -> str:
    share = metric.scores.get("share_below")
    if share is not None and share.reference is not None:
        shares = {"here": scores.share(share.value), "there": scores.share(share.reference)}
        return _say(key, "caption", value=f"{result.settings.nndr_threshold:g}", **shares)
    medians = [_value(key, metric.distributions[name], 0.5) for name in ("synthetic", "original")]
    if not all(medians):
        return _say(key, "caption_plain")
    return _say(key, "caption", median=medians[0], median_reference=medians[1])


def _alternative(key: str, metric: Measured, result: Result) -> str:
    original, synthetic = metric.distributions["original"], metric.distributions["synthetic"]
    start = f"{sentence('figure.alt_start', quantity=quantity(key))} {_caption(key, metric, result)}."
    zeros = ""
    if original.zero_count or synthetic.zero_count:
        zeros = f"{_say(key, 'alternative_zeros', here=synthetic.zero_count, there=original.zero_count)} "
    median, other = _value(key, synthetic, 0.5), _value(key, original, 0.5)
    if not median or not other:
        return f"{start} {zeros}".strip()
    return f"{start} {_say(key, 'alternative', zeros=zeros, median=median, median_reference=other)}"
