"""Section 4: a fixed frame for each metric, and a table for those not selected or not part of this version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reportgen.model import Measured, NotMeasured, Result, Score
from reportgen.render import advice, answers, scores
from reportgen.render.attacks import of_all_attacks, rates_figure, rates_table
from reportgen.render.leads import lead_bins, lead_figures, lead_table, of_all_leads
from reportgen.render.pictures import Medium, metric_figures
from reportgen.render.readings import reading_cell
from reportgen.render.score_summary import LISTED, anchor, has_null_range, listed_anchor, metric_name
from reportgen.render.series_tables import Details, bins, cell_counts, percentiles
from reportgen.render.view import Cell, Figure, Head, Note, Numbering, Row, Table, heads
from reportgen.words import sentence

RAW = {"median": "median_raw", "outlier": "outlier_raw", "isolated": "isolated_raw"}
"""Scores in percent of the reference, and the quantity they compare."""
INTERVALS = {
    "exact_copies": "exact_copies",
    "distance_to_closest": "paired",
    "closest_distances_ratio": "paired",
    "closest_rate": "paired",
    "nndr": "unpaired",
    "nn_dist": "nn_dist",
    "leak_size": "leak_size",
    "holdout_share": "holdout_share",
    "membership_inference": "membership_inference",
    "singling_out": "attack",
    "linkability": "attack",
    "inference": "attack",
}
"""How the intervals of each metric are made, by the name of the sentence that says it."""


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
    details: tuple[Details, ...]
    after: tuple[Note, ...]


@dataclass(frozen=True)
class Listed:
    """Metrics without a frame of their own, for one reason."""

    number: str
    anchor: str
    title: str
    table: Table


@dataclass(frozen=True)
class MetricSection:
    """Section 4."""

    advice: Note | None
    """How to improve the scores, said once; None where no metric was measured."""
    frames: tuple[Frame, ...]
    listed: tuple[Listed, ...]


def metric_section(result: Result, medium: Medium, numbering: Numbering, section: int) -> MetricSection:
    """Build the frames; metrics that were not selected, or are not part of this version, share one table each."""
    frames: list[Frame] = []
    without: dict[str, list[str]] = {code: [] for code in LISTED}
    for key, metric in scores.ordered_metrics(result):
        number = f"{section}.{len(frames) + 1}"
        if isinstance(metric, Measured):
            frames.append(_measured(key, metric, result, medium, numbering, number))
        elif metric.code in without:
            without[metric.code].append(key)
        else:
            frames.append(_not_measured(key, metric, result, number))
    listed: list[Listed] = []
    for code, keys in without.items():
        if keys:
            number, title = f"{section}.{len(frames) + len(listed) + 1}", sentence(f"label.{code}")
            listed.append(Listed(number, listed_anchor(code), title, _listed(code, keys, numbering)))
    measured = any(frame.measured for frame in frames)
    head = Note(sentence("label.improve_all"), (sentence("frame.improve_shared"),)) if measured else None
    return MetricSection(head, tuple(frames), tuple(listed))


def _measured(key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering, number: str) -> Frame:
    whole = metric_figures(key, metric, result, medium, numbering)
    whole = (*whole, *rates_figure(key, metric, result, medium, numbering))
    by_lead_drawn = lead_figures(key, metric, result, medium, numbering)
    before = [Note(sentence("label.answer"), (answers.answer(key, metric, result),), "answer")]
    if notes := advice.cautions(metric, result, key):
        before.append(Note(sentence("label.caution"), notes))
    tables = [_score_table(key, metric, result, numbering)]
    if rates := rates_table(key, metric, result, numbering):
        tables.append(rates)
    if by_lead := lead_table(key, metric, result, numbering):
        tables.append(by_lead)
    if listed := percentiles(key, metric, result, numbering):
        tables.append(listed)
    # On paper the bins would fill pages; the attached result holds them.
    details: list[Details] = []
    if medium == "screen":
        behind = (bins(key, metric, result, numbering, whole), cell_counts(metric, result, numbering, whole))
        details = [one for one in behind if one is not None]
        details += lead_bins(key, metric, result, numbering, by_lead_drawn)
    after = [
        Note(sentence("label.read"), (advice.how_to_read(key, metric, result),)),
        Note(sentence("label.cannot"), advice.limits(key, result)),
        Note(sentence("label.improve"), (advice.improvement(key, metric, result),)),
    ]
    return _frame(key, number, before, after, (*whole, *by_lead_drawn), tables, details)


def _not_measured(key: str, metric: NotMeasured, result: Result, number: str) -> Frame:
    before = [Note(sentence("label.answer"), (sentence("unmeasured.status"), metric.reason), "status")]
    after = [
        Note(sentence("label.to_measure"), (advice.to_measure(metric, result),)),
        Note(
            sentence("label.leaves_open"),
            (sentence(f"unmeasured.leaves_open{'_failed' if metric.code == 'failed' else ''}"),),
        ),
    ]
    return _frame(key, number, before, after)


def _frame(
    key: str,
    number: str,
    before: Sequence[Note],
    after: Sequence[Note],
    figures: tuple[Figure, ...] = (),
    tables: Sequence[Table] = (),
    details: Sequence[Details] = (),
) -> Frame:
    """Put a metric's question in front of what answers it."""
    question = Note(sentence("label.question"), (sentence(f"metric.{key}.question"),), "question")
    return Frame(
        number=number,
        anchor=anchor(key),
        title=metric_name(key),
        meta=f"{key} · {sentence(f'metric.{key}.meta')}",
        measured=bool(tables),
        before=(question, *before),
        figures=figures,
        tables=tuple(tables),
        details=tuple(details),
        after=tuple(note for note in after if any(note.paragraphs)),
    )


def _listed(code: str, keys: list[str], numbering: Numbering) -> Table:
    return Table(
        label=numbering.table(),
        caption=sentence(f"frame.{code}_caption"),
        caption_note=sentence(f"frame.{code}_note"),
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
    referenced = any(score.reference is not None for score in metric.scores.values())
    rows = [
        _score_row(key, name, score, metric, result, paired=paired, referenced=referenced, with_null=with_null)
        for name, score in scores.ordered_scores(key, of_all_attacks(key, of_all_leads(metric.scores)))
        if name not in hidden
    ]
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
            Head(sentence("summary.reading")),
        ),
        rows=tuple(rows),
        notes=(*_intervals(key, metric, result), *advice.table_notes(key, result)),
    )


def _intervals(key: str, metric: Measured, result: Result) -> tuple[str, ...]:
    """How the intervals of a metric were made, where it has any and that is known."""
    made = INTERVALS.get(key)
    if made is None or all(score.low is None for score in metric.scores.values()):
        return ()
    draws = result.holdout.draws
    numbers: dict[str, Any] = {"rows": result.inputs.synthetic.rows, "draws": draws}
    return (sentence(f"frame.interval_{made}", resamples=result.settings.resamples, **numbers),)


def _score_row(
    key: str,
    name: str,
    score: Score,
    metric: Measured,
    result: Result,
    *,
    paired: bool,
    referenced: bool,
    with_null: bool,
) -> Row:
    head = Cell(scores.label(result, key, name), unit=scores.unit_words(result, key, name, score))
    null = [scores.range_cell(score.null_low, score.null_high, score, scores.places(key, name))] if with_null else []
    tail = (*null, reading_cell(key, name, metric, result, under=scores.better_cell(score).text))
    value = scores.value_cell(score, key, name, strong=True)
    interval = scores.interval_cell(score, key, name)
    if not paired:
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
    its_interval = "" if raw.low is None else scores.interval_cell(raw, key, RAW[name]).text
    return (
        head,
        replace(scores.value_cell(raw, key, RAW[name]), under=its_interval),
        scores.reference_cell(raw, key, RAW[name]),
        value,
        interval,
        *tail,
    )
