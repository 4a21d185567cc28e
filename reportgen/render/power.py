"""The power curve of the detectable-leak control: how often so many planted near copies were noticed."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from reportgen.figures.power import PowerText, draw_power
from reportgen.model import Detectable, PowerPoint, Result
from reportgen.render import scores
from reportgen.render.pictures import Medium, picture
from reportgen.render.series_tables import Details
from reportgen.render.view import Cell, Figure, Head, Numbering, Table
from reportgen.rounding import count, percent
from reportgen.words import sentence

if TYPE_CHECKING:
    from reportgen.figures.marks import Drawing


def power_figure(result: Result, medium: Medium, numbering: Numbering) -> Figure | None:
    """Draw the curve with the smallest leak that would be noticed; None where the result holds no curve."""
    detectable = result.controls.detectable
    if not detectable.curve:
        return None
    words = _words(result)
    text = PowerText(
        x_label=sentence("power.axis", **words),
        x_label_narrow=sentence("power.axis_narrow", **words),
        y_label=sentence("power.noticed_axis"),
        mark=sentence("power.mark", **words),
    )
    smallest = detectable.rows if words["found"] else None
    draw = functools.partial(_drawn, detectable.curve, text, target=detectable.power, smallest=smallest)
    return Figure(
        label=numbering.figure(),
        caption=sentence("power.caption", **words),
        note=sentence("power.note", **words),
        picture=picture(draw, medium, sentence("power.alternative", **words)),
    )


def power_numbers(result: Result, figure: Figure, numbering: Numbering) -> Details:
    """The points of the curve as a table."""
    detectable, synthetic = result.controls.detectable, result.inputs.synthetic.rows
    counted = all(point.trials for point in detectable.curve)
    return Details(
        sentence("power.numbers", name=figure.name.split()[-1]),
        Table(
            label=numbering.table(),
            caption=sentence("power.table"),
            heads=(
                Head(sentence("power.planted")),
                Head(sentence("power.share"), numeric=True),
                *([Head(sentence("power.trials"), numeric=True)] if counted else []),
                Head(sentence("power.noticed"), numeric=True),
            ),
            rows=tuple(
                (
                    Cell(count(point.rows)),
                    Cell(_of_rows(point.rows, synthetic), style="num"),
                    *([Cell(count(point.trials or 0), style="num")] if counted else []),
                    Cell(_noticed(point, detectable), style="num"),
                )
                for point in detectable.curve
            ),
        ),
    )


def _words(result: Result) -> dict[str, Any]:
    """What every sentence about the curve may use; `rows` and `share` are those of the leak that is marked."""
    detectable, synthetic = result.controls.detectable, result.inputs.synthetic.rows
    last = detectable.curve[-1]
    found = detectable.rows is not None and detectable.share is not None
    trials = {point.trials for point in detectable.curve}
    return {
        "found": found,
        "rows": detectable.rows if found else last.rows,
        "share": scores.share(detectable.share or 0) if found else _of_rows(last.rows, synthetic),
        "noticed": _noticed(last, detectable),
        "never": not last.power,
        "power": percent(100 * detectable.power, 0),
        "noise": detectable.noise_sd,
        "synthetic": synthetic,
        "first": detectable.curve[0].rows,
        "at_first": found and detectable.rows == detectable.curve[0].rows,
        "trials": None if None in trials else max(point.trials or 0 for point in detectable.curve),
        "fewer": len(trials) > 1,
        "points": [(point.rows, _noticed(point, detectable)) for point in detectable.curve],
    }


def _noticed(point: PowerPoint, detectable: Detectable) -> str:
    """The share of trials that noticed, on its side of the share that is asked for."""
    return percent(100 * point.power, 0, (0, 100, 100 * detectable.power))


def _of_rows(rows: int, synthetic: int) -> str:
    return scores.share(rows / synthetic) if synthetic else "–"


@functools.lru_cache(maxsize=8)
def _drawn(curve: tuple[PowerPoint, ...], text: PowerText, **how: Any) -> Drawing:
    return draw_power(curve, text, **how)
