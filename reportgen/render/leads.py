"""The leads of signals: nn_dist of each in a table and a figure, and which features of each are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.model import Column, InputFile, Measured, Result, Score
from reportgen.render import scores
from reportgen.render.pictures import Medium, metric_figures
from reportgen.render.readings import reading_cell
from reportgen.render.series_tables import Details, bins
from reportgen.render.view import Cell, Figure, Head, Numbering, Row, Table, capped, heads
from reportgen.rounding import count
from reportgen.words import catalog, sentence

PREFIX = "lead:"
MOST_FIGURES = 12
"""The leads of a standard electrocardiogram; more pictures fill pages that nobody looks at."""
FEWEST_FIGURES = 2


def most_figures(leads: int) -> int:
    """Return how many leads have pictures: up to twelve, one fewer for every ten leads, never below two.

    A page may weigh two megabytes. One lead takes 7 kB for its numbers and 55 kB for its picture in two widths.
    """
    return max(FEWEST_FIGURES, min(MOST_FIGURES, (135 - leads) // 10))


def of_all_leads(found: Mapping[str, Score]) -> dict[str, Score]:
    """Leave out the scores of single leads, which stand in a table of their own."""
    return {name: score for name, score in found.items() if not name.startswith(PREFIX)}


def lead_table(key: str, metric: Measured, result: Result, numbering: Numbering) -> Table | None:
    """Score, reference, threshold and authenticity of each lead; None where the metric has no leads."""
    if not result.leads or not any(name.startswith(PREFIX) for name in metric.scores):
        return None
    rows, shown = capped([_lead(key, lead.name, metric, result) for lead in result.leads])
    distance, share = sentence("unit.distance"), sentence("unit.percent")
    held = scores.holdout_noun(result) if result.holdout.kind == "provided" else ""
    drawn, measured = len(_drawn(metric, result)), len(_measured(metric, result))
    notes = (sentence("leads.shown", shown=drawn, total=measured),) if drawn < measured and drawn else ()
    return Table(
        label=numbering.table(),
        caption=sentence("leads.caption"),
        caption_note=sentence("leads.note"),
        heads=(
            Head(sentence("leads.lead")),
            *(Head(sentence(f"leads.{name}"), distance, numeric=True) for name in ("score", "real", "threshold")),
            Head(sentence("leads.authenticity"), share, numeric=True),
            Head(sentence("leads.held", holdout=held) if held else sentence("leads.held_none"), share, numeric=True),
            Head(sentence("leads.reading")),
        ),
        rows=rows,
        notes=(*shown, *notes),
    )


def lead_figures(
    key: str, metric: Measured, result: Result, medium: Medium, numbering: Numbering
) -> tuple[Figure, ...]:
    """The distances of each lead, at most those of twelve leads: the ones with the lowest score for their reference."""
    figures = []
    for name in _drawn(metric, result):
        for figure in metric_figures(key, _of_lead(metric, name), result, medium, numbering):
            said = {"lead": name, "caption": figure.caption[0].lower() + figure.caption[1:]}
            in_words = sentence("leads.figure", lead=name, caption=figure.picture.alternative)
            figures.append(
                replace(
                    figure,
                    caption=sentence("leads.figure", **said),
                    picture=replace(figure.picture, alternative=in_words),
                )
            )
    return tuple(figures)


def lead_bins(
    key: str, metric: Measured, result: Result, numbering: Numbering, figures: Sequence[Figure]
) -> tuple[Details, ...]:
    """The counts behind the figures of single leads, in the order of `lead_figures`."""
    found = []
    for name, figure in zip(_drawn(metric, result), figures, strict=False):
        if details := bins(key, _of_lead(metric, name), result, numbering, (figure,)):
            caption = sentence("leads.figure", lead=name, caption=scores.inner(details.table.caption))
            found.append(replace(details, table=replace(details.table, caption=caption)))
    return tuple(found)


def files_of_signals(result: Result, numbering: Numbering) -> Table:
    """The sets as read: records, leads and samples of each, and the sampling rate as supplied."""
    names = ("table", "file", "rows", "leads", "samples", "repeated", "role")
    inputs = result.inputs
    sides = [("original", inputs.original), ("synthetic", inputs.synthetic), ("holdout", inputs.holdout)]
    rate = result.settings.sampling_rate
    return Table(
        label=numbering.table(),
        caption=sentence("data.files"),
        heads=heads(*(sentence(f"data.{name}") for name in names), numeric=(2, 3, 4, 5)),
        rows=tuple(_file(side, file, len(result.leads)) for side, file in sides if file is not None),
        notes=(sentence("data.rate", rate="" if rate is None else f"{rate:g}"),),
    )


def features(result: Result, numbering: Numbering) -> Table:
    """What each feature of each lead weighs in the distances, or that it is left out."""
    columns = {column.name: column for column in result.columns}
    titles: dict[str, str] = catalog()["data"]["feature"]
    rows, shown = capped(
        [
            (Cell(lead.name), *(_weight(columns.get(f"{lead.name}: {feature}")) for feature in titles))
            for lead in result.leads
        ]
    )
    used = sum(column.used for column in result.columns)
    total = len(result.columns)
    return Table(
        label=numbering.table(),
        caption=sentence("data.features", used=used, total=total, left_out=total - used),
        caption_note=sentence("data.features_note"),
        heads=(
            Head(sentence("data.lead")),
            *(Head(title, sentence("unit.percent"), numeric=True) for title in titles.values()),
        ),
        rows=rows,
        notes=shown,
    )


def _file(side: str, file: InputFile, leads: int) -> Row:
    sizes = (file.rows, leads, file.samples or 0, file.repeated_rows)
    return (
        Cell(sentence(f"label_side.{side}")),
        Cell(file.name),
        *(Cell(count(size), style="num") for size in sizes),
        Cell(sentence(f"data.role_{side}")),
    )


def _weight(column: Column | None) -> Cell:
    if column is None or column.inertia is None:
        return Cell(sentence("data.not_used"), style="num", tone="none")
    return Cell(scores.share(column.inertia).removesuffix("\N{NO-BREAK SPACE}%"), style="num")


def _of_lead(metric: Measured, name: str) -> Measured:
    """Return the metric as one lead has it, under the names that a table's has."""
    own = f"{PREFIX}{name}:"
    return metric.model_copy(
        update={
            "scores": {key.removeprefix(own): one for key, one in metric.scores.items() if key.startswith(own)},
            "distributions": {
                key.removeprefix(own): one for key, one in metric.distributions.items() if key.startswith(own)
            },
        }
    )


def _measured(metric: Measured, result: Result) -> list[str]:
    return [lead.name for lead in result.leads if f"{PREFIX}{lead.name}:score" in metric.scores]


def _drawn(metric: Measured, result: Result) -> Sequence[str]:
    """The leads that have a figure, in the order of the leads."""
    drawable = [name for name in _measured(metric, result) if f"{PREFIX}{name}:synthetic" in metric.distributions]

    def closeness(name: str) -> float:
        score = metric.scores[f"{PREFIX}{name}:score"]
        return score.value / score.reference if score.reference else float("inf")

    chosen = set(sorted(drawable, key=closeness)[: most_figures(len(result.leads))])
    return [name for name in drawable if name in chosen]


def _lead(key: str, name: str, metric: Measured, result: Result) -> Row:
    of_lead = _of_lead(metric, name)
    own = of_lead.scores
    if "score" not in own:
        return (Cell(name), Cell(sentence("leads.flat"), tone="none", span=6))
    score, new = own["score"], own["authenticity"]
    return (
        Cell(name),
        _with_interval(score, key, "score"),
        scores.reference_cell(score, key, "score"),
        scores.value_cell(own["threshold"], key, "threshold"),
        _with_interval(new, key, "authenticity"),
        scores.reference_cell(new, key, "authenticity"),
        reading_cell(key, "score", of_lead, result),
    )


def _with_interval(score: Score, key: str, name: str) -> Cell:
    interval = scores.interval_cell(score, key, name).text
    return replace(scores.value_cell(score, key, name), under="" if score.low is None else interval)
