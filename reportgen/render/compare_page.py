"""A comparison of two assessments as people read it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from reportgen.changes import Change, Comparison, Reading, ScoreChange, to_json
from reportgen.model import LEVELS, Level, Measured, Result
from reportgen.render import scores
from reportgen.render.context import report_date
from reportgen.render.table_page import Section, TablePage
from reportgen.render.view import Cell, Head, Numbering, Row, Table, capped, heads
from reportgen.shown import one_line
from reportgen.subject import in_its_words
from reportgen.words import sentence

LONGEST_VALUE = 200


def shown_scores(older: Result, newer: Result) -> dict[str, tuple[str, ...]]:
    """Name the scores of the summary of either result, by metric in the order of the report."""
    found: dict[str, tuple[str, ...]] = {}
    for result in (newer, older):
        for key, metric in scores.ordered_metrics(result):
            if isinstance(metric, Measured):
                names = (*found.get(key, ()), *scores.summary_scores(key, metric))
                found[key] = tuple(dict.fromkeys(names))
    return found


def closing(comparison: Comparison) -> str | None:
    """Say in one line why a comparison does not pass --fail-on-worse; None where it does."""
    if comparison.worse:
        worse = [one for one in comparison.scores if one.clear and one.direction == "worse"]
        return sentence("compare.closing_worse", verdict=comparison.verdict, scores=_full_names(worse))
    if comparison.differences:
        return sentence("compare.closing_incomparable", what=_differences(comparison))
    return sentence("compare.closing_lost", metrics=comparison.lost) if comparison.lost else None


@in_its_words
def compare_page(newer: Result, comparison: Comparison) -> TablePage:
    """Lay out the comparison; `newer` is the later of its results, whose words are used."""
    data = to_json(comparison)
    numbering = Numbering()
    comparable, shown = not comparison.differences, not comparison.differences and not comparison.lost
    # "No worse" than a bad verdict is still bad: the badge keeps the colour of the later verdict.
    kept: Level = comparison.newer.level if shown else max(comparison.newer.level, "inconclusive", key=LEVELS.index)
    tone: Level = "high" if comparison.worse else kept
    clear = [one for one in comparison.scores if one.clear]
    # A verdict that falls because a metric was left out is not better; where nothing compares it went no way at all.
    verdict = None if comparison.verdict == "better" and comparison.lost else comparison.verdict
    headline = sentence("compare.headline", verdict=verdict, older=comparison.older.level, newer=comparison.newer.level)
    reading = (
        sentence("compare.clear", worse=_full_names(clear, "worse"), better=_full_names(clear, "better"))
        if comparable
        else sentence("compare.incomparable", what=_differences(comparison))
    )
    if comparison.lost:
        reading = f"{reading} {sentence('compare.lost', metrics=comparison.lost)}"
    word = "worse" if comparison.worse else "not_worse" if shown else "incomparable" if not comparable else "open"
    return TablePage(
        language=newer.settings.lang,
        kicker=sentence("compare.kicker"),
        title=sentence("compare.title", older=comparison.older.name, newer=comparison.newer.name),
        description=headline,
        lede=sentence("compare.lede", title=newer.title),
        level=tone,
        symbol={"worse": "✗", "incomparable": "–", "open": "–", "not_worse": "="}[word],
        word=sentence(f"compare.word_{word}"),
        headline=headline,
        gate=reading,
        sections=_sections(newer, comparison, numbering),
        created=newer.created,
        date=report_date(newer.created),
        data=data,
        digest=hashlib.sha256(data.encode()).hexdigest(),
    )


def _differences(comparison: Comparison) -> list[str]:
    return [sentence(f"rule.difference_{name}") for name in comparison.differences]


def _full_names(changes: Sequence[ScoreChange], direction: str | None = None) -> list[str]:
    return [f"{one.metric}.{one_line(one.score)}" for one in changes if direction in {None, one.direction}]


def _sections(newer: Result, comparison: Comparison, numbering: Numbering) -> tuple[Section, ...]:
    return (
        Section(sentence("compare.results"), "results", tables=(_results(comparison, numbering),)),
        Section(
            sentence("compare.scores"),
            "scores",
            (sentence("compare.read"),),
            (_scores(newer, comparison, numbering),),
        ),
        _changed("inputs", comparison.inputs, numbering),
        _changed("settings", comparison.settings, numbering),
        _changed("versions", comparison.versions, numbering),
    )


def _results(comparison: Comparison, numbering: Numbering) -> Table:
    rows = [
        (
            Cell(sentence(f"compare.{side}")),
            Cell(one.name),
            Cell(one.level),
            Cell("–" if one.upper_bound is None else scores.with_unit(one.upper_bound, "percent"), style="num"),
            Cell(one.created[:10]),
            Cell(one.version),
            Cell(one.sha256[:12], style="hash"),
        )
        for side, one in (("older", comparison.older), ("newer", comparison.newer))
    ]
    columns = ("result", "file", "level", "bound", "created", "version", "sha256")
    return Table(
        label=numbering.table(),
        caption=sentence("compare.results_caption"),
        heads=heads(*(sentence(f"compare.head_{name}") for name in columns), numeric=(3,)),
        rows=tuple(rows),
        layout="wide",
    )


def _scores(newer: Result, comparison: Comparison, numbering: Numbering) -> Table:
    rows: list[Row] = [
        (
            Cell(scores.title(newer, one.metric, one.score)),
            Cell(_number(one, one.before, one.now), style="num"),
            Cell(_number(one, one.now, one.before), style="num"),
            Cell(_reading(one, comparable=not comparison.differences)),
        )
        for one in comparison.scores
    ]
    shown, notes = capped(rows)
    return Table(
        label=numbering.table(),
        caption=sentence("compare.scores_caption"),
        heads=(
            Head(sentence("change.score")),
            Head(sentence("compare.older"), numeric=True),
            Head(sentence("compare.newer"), numeric=True),
            Head(sentence("change.change")),
        ),
        rows=shown,
        notes=notes,
        layout="wide",
    )


def _number(one: ScoreChange, reading: Reading | None, other: Reading | None) -> str:
    if reading is None:
        return "–"
    limits = () if other is None else (other.value,)
    places = scores.places(one.metric, one.score)
    value = scores.with_unit(reading.value, one.unit, limits, places)
    if reading.low is None or reading.high is None:
        return value
    ends = [scores.number(end, one.unit, (), places) for end in (reading.low, reading.high)]
    return sentence("compare.interval", value=value, low=ends[0], high=ends[1])


def _reading(one: ScoreChange, *, comparable: bool) -> str:
    if one.before is None or one.now is None:
        return sentence("compare.only_newer" if one.before is None else "compare.only_older")
    if not comparable or one.direction is None:
        return sentence("compare.no_reading")
    word = sentence(f"change.{one.direction}")
    if one.direction == "same" or None in {one.before.low, one.before.high, one.now.low, one.now.high}:
        return word
    return sentence("compare.beyond" if one.clear else "compare.within", word=word)


def _changed(name: str, changes: Sequence[Change], numbering: Numbering) -> Section:
    title = sentence(f"compare.{name}")
    if not changes:
        return Section(title, name, (sentence("compare.nothing"),))
    rows, notes = capped([(Cell(one.name), Cell(_value(one.before)), Cell(_value(one.now))) for one in changes])
    table = Table(
        label=numbering.table(),
        caption=sentence(f"compare.{name}_caption"),
        heads=heads(sentence("compare.what"), sentence("compare.older"), sentence("compare.newer")),
        rows=rows,
        notes=notes,
    )
    return Section(title, name, tables=(table,))


def _value(value: object) -> str:
    if value is None:
        return sentence("compare.none")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
