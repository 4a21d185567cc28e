"""Section 2: every metric with its value, interval, reference, direction, unit and what it argues for."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from reportgen.model import Measured, MetricVerdict, NotMeasured, Result, Score
from reportgen.render import scores
from reportgen.render.pair import DRAWN
from reportgen.render.pictures import Medium
from reportgen.render.readings import reading_cell, too_weak
from reportgen.render.stance import descriptive
from reportgen.render.summary_figure import summary_figure
from reportgen.render.view import Cell, Figure, Head, Numbering, Row, Table
from reportgen.words import sentence

LISTED = ("not_selected", "not_in_this_version")
"""Reasons for which metrics without a value share one table, in the order of the page; other reasons have a frame."""


@dataclass(frozen=True)
class Summary:
    """Section 2."""

    text: str
    figure: Figure | None
    table: Table


def summary(result: Result, medium: Medium, numbering: Numbering) -> Summary:
    """Build the summary: what the verdict rests on, what describes, and what has no value."""
    names = (
        "value",
        "interval",
        *(["reference"] if has_reference(result) else []),
        *(["null_range"] if has_null_range(result) else []),
    )
    heads = (
        Head(sentence("summary.score")),
        *(Head(sentence(f"summary.{name}"), numeric=True) for name in names),
        Head(sentence("summary.better")),
        Head(sentence("summary.reading")),
    )
    groups: dict[str, list[Row]] = {"tested": [], "weak": [], "descriptive": [], "without": []}
    for key, metric in scores.ordered_metrics(result):
        if isinstance(metric, NotMeasured):
            groups["without"].append(_not_measured(key, metric, spans=len(heads) - 1))
        else:
            groups[_group(metric)] += _measured(result, key, metric)
    figure = summary_figure(result, medium, numbering)
    rows: list[Row] = []
    for name, members in groups.items():
        if members:
            rows += [(Cell(sentence(f"summary.group_{name}"), span=len(heads)),), *members]
    return Summary(
        text=_text(result),
        figure=figure,
        table=Table(
            label=numbering.table(),
            caption=sentence("summary.caption", null=has_null_range(result)),
            caption_note=f"{_reference_note(result)} {sentence('summary.arrow')}".strip(),
            heads=heads,
            rows=tuple(rows),
            notes=tuple(sentence(f"summary.{name}") for name in ("tested", "descriptive") if groups[name]),
            layout="wide",
        ),
    )


def _group(metric: Measured) -> str:
    """Where a metric stands: an attack that is too weak to tell anything clears nothing."""
    if metric.verdict == "context":
        return "descriptive"
    return "weak" if too_weak(metric) and metric.verdict == "inconclusive" else "tested"


def _reference_note(result: Result) -> str:
    """What the reference of each metric is: the holdout, or the original rows among themselves."""
    if not has_reference(result):
        return ""
    measured = [key for key, metric in result.metrics.items() if isinstance(metric, Measured)]
    real = [scores.short_name(key) for key, drawn in DRAWN.items() if drawn.reference == "original" and key in measured]
    kind = scores.holdout_kind(result)
    return sentence("summary.reference_note", kind=kind, real=scores.joined(real), holdout=scores.holdout_noun(result))


def has_null_range(result: Result) -> bool:
    """Whether any score knows what an ideal generator reads; without one there is no column of dashes."""
    return _any_score(result, lambda score: score.null_low is not None)


def has_reference(result: Result) -> bool:
    """Whether any score has a reference; without a holdout there may be none."""
    return _any_score(result, lambda score: score.reference is not None)


def _any_score(result: Result, holds: Callable[[Score], bool]) -> bool:
    measured = (metric for metric in result.metrics.values() if isinstance(metric, Measured))
    return any(holds(score) for metric in measured for score in metric.scores.values())


def metric_name(key: str) -> str:
    """The name of a metric in words."""
    return sentence(f"metric.{key}.name")


def anchor(key: str) -> str:
    """The id of a metric's frame."""
    return f"metric-{key.replace('_', '-')}"


def listed_anchor(code: str) -> str:
    """The id of the table that lists the metrics without a value for one of the reasons in `LISTED`."""
    return code.replace("_", "-")


def _measured(result: Result, key: str, metric: Measured) -> list[Row]:
    rows: list[Row] = []
    with_reference, with_null = has_reference(result), has_null_range(result)
    for name, score in scores.summary_scores(key, metric).items():
        null = scores.range_cell(score.null_low, score.null_high, score, scores.places(key, name))
        rows.append(
            (
                Cell(
                    scores.title(result, key, name),
                    unit=scores.unit_words(result, key, name, score),
                    href=f"#{anchor(key)}",
                ),
                scores.value_cell(score, key, name),
                scores.interval_cell(score, key, name),
                *([scores.reference_cell(score, key, name)] if with_reference else []),
                *([null] if with_null else []),
                scores.better_cell(score),
                reading_cell(key, name, metric, result),
            )
        )
    return rows


def _not_measured(key: str, metric: NotMeasured, spans: int) -> Row:
    absent = metric.code == "not_in_this_version"
    words = sentence("summary.absent_here" if absent else "summary.no_value")
    href = "" if absent else f"#{listed_anchor(metric.code) if metric.code in LISTED else anchor(key)}"
    return (Cell(metric_name(key), href=href), Cell(f"– {words}", tone="none", span=spans))


def _named(result: Result, verdict: MetricVerdict) -> list[str]:
    return [
        metric_name(key)
        for key, metric in scores.ordered_metrics(result)
        if isinstance(metric, Measured) and metric.verdict == verdict
    ]


def _text(result: Result) -> str:
    metrics = result.metrics.values()
    measured = sum(isinstance(metric, Measured) for metric in metrics)
    absent = sum(isinstance(metric, NotMeasured) and metric.code == "not_in_this_version" for metric in metrics)
    other = len(result.metrics) - measured - absent
    parts = [sentence("summary.measured", measured=measured, total=len(result.metrics))]
    alarming = False
    for level in ("high", "moderate"):
        if names := _named(result, level):
            alarming = True
            parts.append(sentence("summary.argues", names=scores.joined(names), one=len(names) == 1, level=level))
    if measured and not alarming:
        parts.append(sentence("summary.argues_nothing"))
    weak = [metric_name(key) for key, metric in scores.ordered_metrics(result) if too_weak(metric)]
    if weak:
        parts.append(sentence("summary.weak", names=scores.joined(weak), one=len(weak) == 1))
    if describing := described(result):
        parts.append(describing)
    if absent:
        parts.append(sentence("summary.absent", absent=absent))
    if other:
        parts.append(sentence("summary.unmeasured", unmeasured=other))
    return " ".join(parts)


def described(result: Result) -> str:
    """How many of the scores that only describe lie wholly on the side of closeness, and which; "" without any."""
    found = descriptive(result)
    if not found:
        return ""
    closer = [one for one in found if one.closer]
    titles = [
        scores.together(result, key, [one.name for one in group])
        for key, group in itertools.groupby(closer, lambda one: one.key)
    ]
    return sentence("summary.described", total=len(found), closer=len(closer), titles="; ".join(titles))
