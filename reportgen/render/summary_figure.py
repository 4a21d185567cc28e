"""The summary's figure: every score that has a null range, with its interval, against that range."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

from reportgen.figures.summary import LEAST, MOST, ScoreRow, SummaryText, draw_summary
from reportgen.model import Measured, Result, Score
from reportgen.render import scores
from reportgen.render.pictures import Medium, picture
from reportgen.render.view import Figure, Numbering
from reportgen.shown import escaped
from reportgen.verdict.evidence import PAIR
from reportgen.words import sentence

if TYPE_CHECKING:
    from reportgen.figures.marks import Drawing


def summary_figure(result: Result, medium: Medium, numbering: Numbering) -> Figure | None:
    """Draw the scores of the summary that have a null range; None where none has one."""
    found = [(row, words) for group in ("tested", "descriptive") for row, words in _rows(result, group)]
    if not found:
        return None
    rows = tuple(row for row, _ in found)
    text = SummaryText(
        **{
            name: sentence(f"summary_figure.{name}")
            for name in ("more", "less", "ideal", "value_head", "x_label", "x_label_narrow")
        }
    )
    total, leaking = len(rows), sum(row.leaks for row in rows)
    beyond = any(not LEAST <= row.at <= MOST for row in rows)
    return Figure(
        label=numbering.figure(),
        caption=sentence("summary_figure.caption", total=total, leaking=leaking),
        note=sentence("summary_figure.note", beyond=beyond, elsewhere=_rests_elsewhere(result) and not leaking),
        picture=picture(
            functools.partial(_drawn, rows, text),
            medium,
            " ".join(
                [sentence("summary_figure.alternative", total=total, leaking=leaking), *(words for _, words in found)]
            ),
        ),
    )


def _rests_elsewhere(result: Result) -> bool:
    """Whether a leak was found by scores that have no null range and stand in no row of the figure."""
    return result.verdict.level in {"high", "moderate"} and not any(
        reason.metric in {"holdout_share", "membership_inference", *PAIR} for reason in result.verdict.reasons
    )


def _rows(result: Result, group: str) -> list[tuple[ScoreRow, str]]:
    """The rows of one group, each with what the picture's alternative says of it."""
    return [
        _row(result, key, name, score, group)
        for key, metric in scores.ordered_metrics(result)
        if isinstance(metric, Measured) and (metric.verdict == "context") == (group == "descriptive")
        for name, score in scores.summary_scores(key, metric).items()
        # What is neither better high nor low has no side of more leak on which to stand.
        if score.null_low is not None and score.null_high is not None and score.better != "context"
    ]


def _row(result: Result, key: str, name: str, score: Score, group: str) -> tuple[ScoreRow, str]:
    ends = score.null_low or 0.0, score.null_high or 0.0
    digits = scores.places(key, name)
    sign = _sign(result, key, name, score)

    def place(value: float) -> float:
        return in_half_widths(value, ends, score)

    def words(low: float, high: float) -> str:
        texts = [scores.number(end, score.unit, (), digits) for end in (low, high)]
        return sentence("summary.to", low=texts[0], high=f"{texts[1]}{sign}")

    interval = None if score.low is None or score.high is None else (score.low, score.high)
    places = sorted(place(end) for end in interval or (score.value, score.value))
    row = ScoreRow(
        name=escaped(scores.title(result, key, name)),
        value=f"{scores.number(score.value, score.unit, (), digits)}{sign}",
        ideal=words(*ends),
        at=place(score.value),
        low=places[0],
        high=places[1],
        reference=None if score.reference is None else place(score.reference),
        group=group,
    )
    where = "leak" if row.leaks else "inside" if abs(row.at) <= 1 else "closer" if row.at < 0 else "farther"
    return row, sentence(
        "summary_figure.alternative_row",
        name=row.name,
        value=row.value,
        interval=words(*interval) if interval else "",
        ideal=row.ideal,
        where=sentence(f"summary_figure.where_{where}"),
    )


def _sign(result: Result, key: str, name: str, score: Score) -> str:
    """What stands behind each number, as percents, points and bare ratios share a column."""
    points = sentence("summary_figure.points")
    if scores.unit_words(result, key, name, score) == points:
        return f"\N{NO-BREAK SPACE}{sentence('summary_figure.points_short')}"
    return "\N{NO-BREAK SPACE}%" if score.unit in {"percent", "share"} else ""


def in_half_widths(value: float, null_range: tuple[float, float], score: Score) -> float:
    """Measure a value from the middle of a range in half-widths of it, negative where it speaks of more leak.

    Of a range without width, what differs
    from it is infinitely far from it.
    """
    low, high = null_range
    half = (high - low) / 2
    away = (value - (low + high) / 2) * (-1.0 if score.better == "lower" else 1.0)
    if half > 0:
        return away / half
    return math.copysign(math.inf, away) if away else 0.0


# HTML and PDF of one result save the same wide drawing.
@functools.lru_cache(maxsize=8)
def _drawn(rows: tuple[ScoreRow, ...], text: SummaryText, **how: Any) -> Drawing:
    return draw_summary(rows, text, **how)
