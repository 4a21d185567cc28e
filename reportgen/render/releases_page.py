"""The comparison of several releases as people read it."""

from __future__ import annotations

import hashlib

from reportgen.model import Measured, Result
from reportgen.releases import Release, Releases, to_json
from reportgen.render import scores
from reportgen.render.context import report_date
from reportgen.render.table_page import Section, TablePage
from reportgen.render.view import Cell, Head, Numbering, Row, Table, capped, heads
from reportgen.subject import in_its_words
from reportgen.words import sentence

SYMBOLS = {"low": "✓", "inconclusive": "–", "moderate": "!", "high": "✗"}


@in_its_words
def releases_page(result: Result, releases: Releases, results: dict[str, Result]) -> TablePage:
    """Lay out the comparison. `results` are those of every release by name, `result` one of them, for its words."""
    data, numbering = to_json(releases), Numbering()
    worst = releases.worst
    single = [one for one in releases.releases if not one.together]
    together = next((one for one in releases.releases if one.together), None)
    return TablePage(
        language=result.settings.lang,
        kicker=sentence("releases.kicker"),
        title=sentence("releases.title", number=len(single), original=result.inputs.original.name),
        description=sentence("releases.headline", worst=worst),
        lede=sentence("releases.lede"),
        level=worst,
        symbol=SYMBOLS[worst],
        word=sentence("releases.word", worst=worst),
        headline=sentence("releases.headline", worst=worst),
        gate=sentence(
            "releases.gate",
            failing=[one.name for one in releases.releases if not one.gate_met],
            together=None if together is None else together.level,
        ),
        sections=(
            Section(sentence("releases.verdicts"), "verdicts", tables=(_verdicts(releases, numbering),)),
            Section(sentence("releases.scores"), "scores", tables=(_scores(result, results, numbering),)),
            Section(sentence("releases.together"), "together", (sentence("releases.together_text"),)),
        ),
        created=result.created,
        date=report_date(result.created),
        data=data,
        digest=hashlib.sha256(data.encode()).hexdigest(),
    )


def _name(one: Release) -> str:
    return sentence("releases.all") if one.together else one.name


def _verdicts(releases: Releases, numbering: Numbering) -> Table:
    rows: list[Row] = [
        (
            Cell(_name(one)),
            Cell(f"{one.rows:,}", style="num"),
            Cell(one.level),
            Cell(sentence(f"releases.{'met' if one.gate_met else 'not_met'}")),
            Cell("–" if one.upper_bound is None else scores.with_unit(one.upper_bound, "percent"), style="num"),
            Cell("–" if one.smallest_leak is None else scores.share(one.smallest_leak), style="num"),
            Cell(one.reason),
        )
        for one in releases.releases
    ]
    shown, notes = capped(rows)
    columns = ("release", "rows", "level", "gate_head", "bound", "smallest", "reason")
    return Table(
        label=numbering.table(),
        caption=sentence("releases.verdicts_caption"),
        heads=heads(*(sentence(f"releases.{name}") for name in columns), numeric=(1, 4, 5)),
        rows=shown,
        notes=notes,
        layout="wide",
    )


def _scores(result: Result, results: dict[str, Result], numbering: Numbering) -> Table:
    """Give the scores of the summary, one row a score and release."""
    rows: list[Row] = []
    for key, metric in scores.ordered_metrics(result):
        if not isinstance(metric, Measured):
            continue
        for name in scores.summary_scores(key, metric):
            for release, other in results.items():
                measured = other.metrics.get(key)
                score = measured.scores.get(name) if isinstance(measured, Measured) else None
                if score is not None:
                    rows.append(
                        (
                            Cell(scores.title(result, key, name)),
                            Cell(release),
                            scores.value_cell(score, key, name),
                            scores.interval_cell(score, key, name),
                            scores.reference_cell(score, key, name),
                        )
                    )
    shown, notes = capped(rows)
    return Table(
        label=numbering.table(),
        caption=sentence("releases.scores_caption"),
        heads=(
            Head(sentence("summary.score")),
            Head(sentence("releases.release")),
            *(Head(sentence(f"summary.{name}"), numeric=True) for name in ("value", "interval", "reference")),
        ),
        rows=shown,
        notes=notes,
        layout="wide",
    )
