"""The summary for a terminal: verdict, reasons and every measured score, as plain text."""

from __future__ import annotations

import textwrap

from reportgen.gate import gate_of
from reportgen.model import Measured, Result
from reportgen.render import scores
from reportgen.render.first_page import first_page
from reportgen.render.score_summary import metric_name
from reportgen.subject import in_its_words
from reportgen.words import sentence

WIDTH = 100


@in_its_words
def render_terminal(result: Result) -> str:
    """Return the summary, with a line break at the end."""
    page = first_page(result)
    lines = [f"{page.symbol} {page.word.upper()}   {result.title}", *_wrapped(page.headline), ""]
    for reason in page.reasons:
        lines += _wrapped(f"- {reason.text}", "  ")
    lines += ["", *_table(result), "", *_wrapped(page.gate)]
    for outcome in gate_of(result).outcomes:
        if not outcome.met and result.policy is not None:
            lines += _wrapped(f"- {outcome.rule}: {outcome.text}", "  ")
    lines.append("")
    return "\n".join(lines)


def _table(result: Result) -> list[str]:
    rows = [(*(sentence(f"summary.{name}") for name in ("score", "value", "reference")), "")]
    for key, metric in scores.ordered_metrics(result):
        if not isinstance(metric, Measured):
            continue
        for name, score in scores.summary_scores(key, metric).items():
            what = dict.fromkeys(
                (metric_name(key), scores.label(result, key, name))
            )  # one word where both are the same
            value = scores.value_cell(score, key, name).text
            reference = scores.reference_cell(score, key, name).text
            rows.append((": ".join(what), value, reference, scores.unit_words(result, key, name, score)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip() for row in rows]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent)
