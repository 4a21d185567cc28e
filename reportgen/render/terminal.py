"""The summary for a terminal: verdict, reasons and every measured score, as plain text."""

from __future__ import annotations

import textwrap

from reportgen.model import Measured, Result
from reportgen.render import scores
from reportgen.render.first_page import first_page
from reportgen.render.score_summary import metric_name

WIDTH = 100


def render_terminal(result: Result) -> str:
    """Return the summary, lines of at most 100 characters, with a line break at the end."""
    page = first_page(result)
    lines = [f"{page.symbol} {page.word.upper()}   {result.title}", *_wrapped(page.headline), ""]
    for reason in page.reasons:
        lines += _wrapped(f"- {reason.text}", "  ")
    lines.append("")
    for key, metric in result.metrics.items():
        if not isinstance(metric, Measured):
            continue
        for name, score in scores.summary_scores(key, metric).items():
            places = scores.places(key, name)
            limits = () if score.reference is None else (score.reference,)
            value = scores.number(score.value, score.unit, limits, places)
            reference = "" if score.reference is None else scores.number(score.reference, score.unit, (), places)
            unit = scores.unit_words(result, key, name, score)
            what = f"{metric_name(key)}: {scores.label(result, key, name)}"
            lines.append(f"{what:<50} {value:>9}  reference {reference or '–':>7}  {unit}")
    return "\n".join((*lines, "", *_wrapped(page.gate), ""))


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent)
