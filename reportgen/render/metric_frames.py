"""Section 4: a fixed frame for each metric, and one table for the tests that this version does not have."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from reportgen.model import Histogram, Measured, NotMeasured, Result, Score
from reportgen.render import answers, scores
from reportgen.render.pictures import Medium, metric_figures, quantity, value_text
from reportgen.render.real_pictures import real_figures
from reportgen.render.score_summary import anchor, has_null_range, metric_name
from reportgen.render.view import Cell, Figure, Head, Note, Numbering, Row, Table, heads
from reportgen.rounding import count
from reportgen.words import catalog, sentence

RAW = {"median": "median_raw", "outlier": "outlier_raw", "isolated": "isolated_raw"}
"""Scores in percent of the reference, and the quantity they compare."""
REAL = ("nndr", "nn_dist")
"""Metrics whose reference is the original rows among themselves."""
SERIES = ("synthetic", "original", "holdout")
"""Series of a distribution in the order of the page."""


@dataclass(frozen=True)
class Details:
    """A table that can be folded away on a screen."""

    summary: str
    table: Table


@dataclass(frozen=True)
class Frame:
    """One metric: question, answer, figures, tables, how to read it, what it cannot show, how to improve it."""

    number: str
    anchor: str
    title: str
    meta: str
    measured: bool
    before: tuple[Note, ...]
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]
    details: Details | None
    after: tuple[Note, ...]


@dataclass(frozen=True)
class MetricSection:
    """Section 4."""

    frames: tuple[Frame, ...]
    absent: Table | None
    absent_number: str


def metric_section(result: Result, medium: Medium, numbering: Numbering, section: int) -> MetricSection:
    """Build the frames; tests that are not part of this version share one table."""
    frames: list[Frame] = []
    absent: list[str] = []
    for key, metric in scores.ordered_metrics(result):
        number = f"{section}.{len(frames) + 1}"
        if isinstance(metric, Measured):
            frames.append(_measured(key, metric, result, medium, numbering, number))
        elif metric.code == "not_in_this_version":
            absent.append(key)
        else:
            frames.append(_not_measured(key, metric, number))
    return MetricSection(
        frames=tuple(frames),
        absent=_absent(absent, numbering) if absent else None,
        absent_number=f"{section}.{len(frames) + 1}",
    )


def _measured(key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering, number: str) -> Frame:
    draw = real_figures if key in REAL else metric_figures
    figures = draw(key, metric, result, medium, numbering)
    before = [
        Note(sentence("label.question"), (sentence(f"metric.{key}.question"),), "question"),
        Note(sentence("label.answer"), (answers.answer(key, metric, result),), "answer"),
    ]
    if notes := answers.cautions(metric, result, key):
        before.append(Note(sentence("label.caution"), notes))
    tables = [_score_table(key, metric, result, numbering)]
    details = None
    if _series(metric):
        tables.append(_percentiles(key, metric, result, numbering))
        if medium == "screen":  # on paper the bins would fill pages; the attached result holds them
            details = _details(key, metric, result, numbering, figures)
    after = [
        (sentence("label.read"), (answers.reading(key, metric, result),)),
        (sentence("label.cannot"), answers.limits(key, result)),
        (sentence("label.improve"), (answers.improvement(key, metric, result),)),
    ]
    return Frame(
        number=number,
        anchor=anchor(key),
        title=metric_name(key),
        meta=f"{key} · {sentence(f'metric.{key}.meta')}",
        measured=True,
        before=tuple(before),
        figures=figures,
        tables=tuple(tables),
        details=details,
        after=tuple(Note(side, texts) for side, texts in after if any(texts)),
    )


def _not_measured(key: str, metric: NotMeasured, number: str) -> Frame:
    return Frame(
        number=number,
        anchor=anchor(key),
        title=metric_name(key),
        meta=f"{key} · {sentence(f'metric.{key}.meta')}",
        measured=False,
        before=(
            Note(sentence("label.question"), (sentence(f"metric.{key}.question"),), "question"),
            Note(sentence("label.answer"), (sentence("unmeasured.status"), metric.reason), "status"),
        ),
        figures=(),
        tables=(),
        details=None,
        after=(
            Note(sentence("label.to_measure"), (sentence(f"unmeasured.to_measure_{metric.code}"),)),
            Note(sentence("label.leaves_open"), (sentence("unmeasured.leaves_open"),)),
        ),
    )


def _absent(keys: list[str], numbering: Numbering) -> Table:
    return Table(
        label=numbering.table(),
        caption=sentence("frame.absent_caption"),
        caption_note=sentence("frame.absent_note"),
        heads=heads(*(sentence(f"frame.absent_{name}") for name in ("name", "question", "key"))),
        rows=tuple((Cell(metric_name(key)), Cell(sentence(f"metric.{key}.question")), Cell(key)) for key in keys),
    )


def _score_table(key: str, metric: Measured, result: Result, numbering: Numbering) -> Table:
    """All scores of a metric; those in percent of the reference stand beside the quantities they compare."""
    paired = any(raw in metric.scores for raw in RAW.values())
    hidden = set(RAW.values()) if paired else set()
    with_null = has_null_range(result)
    words = scores.wording(result)
    columns = [
        Head(sentence("frame.synthetic"), numeric=True),
        Head(sentence("frame.holdout", **words), numeric=True),
    ]
    rows = [
        _score_row(key, name, score, metric, result, paired=paired, with_null=with_null)
        for name, score in scores.ordered_scores(key, metric.scores)
        if name not in hidden
    ]
    referenced = any(score.reference is not None for score in metric.scores.values())
    return Table(
        label=numbering.table(),
        caption=sentence("frame.scores", name=metric_name(key)),
        heads=(
            Head(sentence("frame.score")),
            *(columns if paired else []),
            Head(sentence("summary.value"), numeric=True),
            Head(sentence("summary.interval"), numeric=True),
            *([] if paired or not referenced else [Head(sentence("summary.reference"), numeric=True)]),
            *([Head(sentence("summary.null_range"), numeric=True)] if with_null else []),
            Head(sentence("summary.better")),
        ),
        rows=tuple(rows),
    )


def _score_row(
    key: str, name: str, score: Score, metric: Measured, result: Result, *, paired: bool, with_null: bool
) -> Row:
    head = Cell(scores.label(result, key, name), unit=scores.unit_words(result, key, name, score))
    null = [scores.range_cell(score.null_low, score.null_high, score, scores.places(key, name))] if with_null else []
    tail = (*null, scores.better_cell(score))
    value = scores.value_cell(score, key, name, strong=True)
    interval = scores.interval_cell(score, key, name)
    if not paired:
        referenced = any(one.reference is not None for one in metric.scores.values())
        reference = [scores.reference_cell(score, key, name)] if referenced else []
        return (head, value, interval, *reference, *tail)
    raw = metric.scores.get(RAW.get(name, ""))
    blank = Cell("–", style="num")
    if raw is None:  # a score that is no percentage of a reference: its own value stands under "synthetic"
        return (
            head,
            scores.value_cell(score, key, name),
            scores.reference_cell(score, key, name),
            blank,
            interval,
            *tail,
        )
    return (
        head,
        scores.value_cell(raw, key, RAW[name]),
        scores.reference_cell(raw, key, RAW[name]),
        value,
        interval,
        *tail,
    )


def _details(key: str, metric: Measured, result: Result, numbering: Numbering, figures: tuple[Figure, ...]) -> Details:
    names = " and ".join(figure.name.split()[-1] for figure in figures)
    summary = sentence("label.bins_behind", names=names, many=len(figures) > 1)
    return Details(summary, _bins(key, metric, result, numbering))


def _series(metric: Measured) -> dict[str, Histogram]:
    return {name: metric.distributions[name] for name in SERIES if name in metric.distributions}


def _series_name(key: str, name: str, result: Result) -> str:
    if name in catalog()["metric"].get(key, {}).get("series", {}):
        return sentence(f"metric.{key}.series.{name}")
    return sentence(f"frame.against_{name}", **scores.wording(result))


def _percentiles(key: str, metric: Measured, result: Result, numbering: Numbering) -> Table:
    series = _series(metric)
    listed = {name: dict(zip(one.quantiles.levels, one.quantiles.values, strict=True)) for name, one in series.items()}
    shared = set.intersection(*(set(values) for values in listed.values()))
    levels = sorted(level for level in shared if 0.02 <= level <= 0.98)
    rows = [
        (
            Cell(_series_name(key, name, result) + sentence("frame.n", n=one.n)),
            *(Cell(value_text(listed[name][level], key), style="num") for level in levels),
        )
        for name, one in series.items()
    ]
    return Table(
        label=numbering.table(),
        caption=sentence("frame.percentiles", quantity=quantity(key)),
        heads=(
            Head(sentence("frame.against")),
            *(Head(f"{100 * level:g}", numeric=True) for level in levels),
        ),
        rows=tuple(rows),
    )


def _bins(key: str, metric: Measured, result: Result, numbering: Numbering) -> Table:
    series = _series(metric)
    edges = next(iter(series.values())).edges
    rows: list[Row] = [
        (
            Cell(value_text(low, key)),
            Cell(value_text(high, key), style="num"),
            *(Cell(count(one.counts[place]), style="num") for one in series.values()),
        )
        for place, (low, high) in enumerate(itertools.pairwise(edges))
    ]
    if any(one.zero_count for one in series.values()):
        zeros = (Cell(count(one.zero_count), style="num") for one in series.values())
        rows.insert(1, (Cell(sentence("frame.rows_zero")), Cell("–", style="num"), *zeros))
    return Table(
        label=numbering.table(),
        caption=sentence("frame.bins", quantity=quantity(key)),
        heads=heads(
            sentence("frame.from"),
            sentence("frame.below"),
            *(_series_name(key, name, result) for name in series),
            numeric=range(1, 2 + len(series)),
        ),
        rows=tuple(rows),
    )
