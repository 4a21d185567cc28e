"""Section 2: every metric with its value, interval, reference, direction, unit and verdict word."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.model import Measured, MetricVerdict, NotMeasured, Result
from reportgen.render import scores
from reportgen.render.view import Cell, Head, Numbering, Row, Table
from reportgen.words import sentence


@dataclass(frozen=True)
class Summary:
    """Section 2."""

    text: str
    table: Table


def summary(result: Result, numbering: Numbering) -> Summary:
    """Build the summary."""
    with_null = has_null_range(result)
    with_reference = has_reference(result)
    rows: list[Row] = []
    for key, metric in scores.ordered_metrics(result):
        if isinstance(metric, Measured):
            rows += _measured(result, key, metric, with_null=with_null, with_reference=with_reference)
        else:
            rows.append(_not_measured(key, metric, spans=4 + with_null + with_reference))
    names = (
        "value",
        "interval",
        *(["reference"] if with_reference else []),
        *(["null_range"] if with_null else []),
    )
    note = "caption_note_none" if result.holdout.kind == "none" else "caption_note"
    return Summary(
        text=_text(result),
        table=Table(
            label=numbering.table(),
            caption=sentence("summary.caption"),
            caption_note=sentence(f"summary.{note}", holdout=scores.holdout_noun(result)),
            heads=(
                Head(sentence("summary.score")),
                *(Head(sentence(f"summary.{name}"), numeric=True) for name in names),
                Head(sentence("summary.better")),
                Head(sentence("summary.reading")),
            ),
            rows=tuple(rows),
            notes=(sentence("summary.descriptive"),) if _named(result, "context") else (),
            layout="wide",
        ),
    )


def has_null_range(result: Result) -> bool:
    """Whether any score knows what an ideal generator reads; without one there is no column of dashes."""
    return any(
        score.null_low is not None
        for metric in result.metrics.values()
        if isinstance(metric, Measured)
        for score in metric.scores.values()
    )


def has_reference(result: Result) -> bool:
    """Whether any score has a reference; without a holdout there may be none."""
    return any(
        score.reference is not None
        for metric in result.metrics.values()
        if isinstance(metric, Measured)
        for score in metric.scores.values()
    )


def metric_name(key: str) -> str:
    """The name of a metric in words."""
    return sentence(f"metric.{key}.name")


def anchor(key: str) -> str:
    """The id of a metric's frame."""
    return f"metric-{key.replace('_', '-')}"


def joined(names: list[str]) -> str:
    """Write "A", "A and B", "A, B and C"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _measured(result: Result, key: str, metric: Measured, *, with_null: bool, with_reference: bool) -> list[Row]:
    rows: list[Row] = []
    shown = scores.summary_scores(key, metric)
    for name, score in shown.items():
        title = metric_name(key)
        what = scores.label(result, key, name)
        title = title if what == title else f"{title}: {what[0].lower()}{what[1:]}"
        rows.append(
            (
                Cell(title, unit=scores.unit_words(result, key, name, score), href=f"#{anchor(key)}"),
                scores.value_cell(score, key, name),
                scores.interval_cell(score, key, name),
                *([scores.reference_cell(score, key, name)] if with_reference else []),
                *(
                    [scores.range_cell(score.null_low, score.null_high, score, scores.places(key, name))]
                    if with_null
                    else []
                ),
                scores.better_cell(score),
                scores.reading_cell(metric),
            )
        )
    return rows


def _not_measured(key: str, metric: NotMeasured, spans: int) -> Row:
    absent = metric.code == "not_in_this_version"
    words = sentence("summary.absent_here" if absent else "summary.no_value")
    href = "" if absent else f"#{anchor(key)}"
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
            parts.append(sentence("summary.argues", names=joined(names), one=len(names) == 1, level=level))
    if measured and not alarming:
        names = _named(result, "context")
        key = "argues_none" if names else "argues_nothing"
        parts.append(sentence(f"summary.{key}", names=joined(names), one=len(names) == 1))
    if absent:
        parts.append(sentence("summary.absent", absent=absent))
    if other:
        parts.append(sentence("summary.unmeasured", unmeasured=other))
    return " ".join(parts)
