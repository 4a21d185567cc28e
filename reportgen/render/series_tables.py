"""The distributions of a metric in figures: percentiles, and the counts behind its pictures."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from reportgen.model import Cells, Histogram, Measured, Result
from reportgen.render import scores
from reportgen.render.pair import first_draw, quantity, value_text
from reportgen.render.view import Cell, Figure, Head, Numbering, Row, Table, heads
from reportgen.rounding import count, decimals, significant
from reportgen.words import catalog, sentence

SERIES = ("synthetic", "original", "holdout")
"""Series of a distribution in the order of the page."""


@dataclass(frozen=True)
class Details:
    """A table that can be folded away on a screen."""

    summary: str
    table: Table


def percentiles(key: str, metric: Measured, result: Result, numbering: Numbering) -> Table | None:
    """The percentiles that all series of a metric list; None where it has no series."""
    series = _series(metric)
    listed = [dict(zip(one.quantiles.levels, one.quantiles.values, strict=True)) for one in series.values()]
    levels = sorted(level for level in set.intersection(*map(set, listed)) if 0.02 <= level <= 0.98) if listed else []
    if not levels:
        return None
    return Table(
        label=numbering.table(),
        caption=sentence("frame.percentiles", quantity=quantity(key)),
        caption_note=first_draw(metric, result).strip(),
        heads=(Head(sentence("frame.against")), *(Head(f"{100 * level:g}", numeric=True) for level in levels)),
        rows=tuple(
            (
                Cell(_name(key, name, result) + sentence("frame.n", n=one.n)),
                *(Cell(value_text(values[level], key), style="num") for level in levels),
            )
            for (name, one), values in zip(series.items(), listed, strict=True)
        ),
    )


def bins(
    key: str, metric: Measured, result: Result, numbering: Numbering, figures: tuple[Figure, ...]
) -> Details | None:
    """The counts behind the figures; None where the metric has no series."""
    series = _series(metric)
    if not series:
        return None
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
    names = scores.joined([figure.name.split()[-1] for figure in figures])
    return Details(
        sentence("label.bins_behind", names=names, many=len(figures) > 1),
        Table(
            label=numbering.table(),
            caption=sentence("frame.bins", quantity=quantity(key)),
            heads=heads(
                sentence("frame.from"),
                sentence("frame.below"),
                *(_name(key, name, result) for name in series),
                numeric=range(1, 2 + len(series)),
            ),
            rows=tuple(rows),
        ),
    )


def cell_counts(metric: Measured, result: Result, numbering: Numbering, figures: tuple[Figure, ...]) -> Details | None:
    """The counts behind the cells of distance and ratio, a row each distance; None where the metric has no cells."""
    names = [name for name in SERIES if name in metric.joint]
    if not names or not figures:
        return None
    columns = metric.joint[names[0]].y_edges[:-1]
    rows: list[Row] = []
    for name in names:
        rows.append((Cell(sentence(f"frame.cells_{name}", **scores.wording(result)), span=1 + len(columns)),))
        rows += _cell_rows(metric.joint[name])
    return Details(
        sentence("label.bins_behind", names=figures[-1].name.split()[-1], many=False),
        Table(
            label=numbering.table(),
            caption=sentence("frame.cells"),
            caption_note=f"{sentence('frame.cells_note')}{first_draw(metric, result)}",
            heads=heads(
                sentence("frame.cells_from"),
                *(decimals(edge, 2) for edge in columns),
                numeric=range(1, 1 + len(columns)),
            ),
            rows=tuple(rows),
            layout="grid",
        ),
    )


def _cell_rows(cells: Cells) -> list[Row]:
    """A row for every distance at which a row lies."""
    by_distance = zip(*cells.counts, strict=True)
    return [
        (Cell(significant(low, 3)), *(Cell(_cell_count(number), style="num") for number in counts))
        for low, counts in zip(cells.x_edges[:-1], by_distance, strict=True)
        if any(counts)
    ]


def _cell_count(number: int) -> str:
    return sentence("frame.cells_few") if number < 0 else count(number)


def _series(metric: Measured) -> dict[str, Histogram]:
    return {name: metric.distributions[name] for name in SERIES if name in metric.distributions}


def _name(key: str, name: str, result: Result) -> str:
    own = catalog()["metric"].get(key, {}).get("series", {})
    return sentence(f"metric.{key}.series.{name}" if name in own else f"frame.series.{name}", **scores.wording(result))
