"""What changed since the baseline: the scores of the summary beside their older values."""

from __future__ import annotations

from reportgen.baseline import worse_by
from reportgen.model import Baseline, Measured, Result, Score
from reportgen.render import scores
from reportgen.render.view import Cell, Head, Numbering, Row, Table, capped
from reportgen.words import sentence


def change_record(result: Result, numbering: Numbering) -> tuple[Table, ...]:
    """Build the table, none where the run had no baseline."""
    older = result.baseline
    if older is None:
        return ()
    rows: list[Row] = []
    for key, metric in scores.ordered_metrics(result):
        if isinstance(metric, Measured):
            for name, score in scores.summary_scores(key, metric).items():
                rows.append(_row(result, older, key, name, score))
    shown, notes = capped(rows)
    what = [sentence(f"rule.difference_{name}") for name in older.differences]
    return (
        Table(
            label=numbering.table(),
            caption=sentence("change.caption"),
            caption_note=sentence(
                "change.note", name=older.name, created=older.created[:10], sha256=older.sha256[:12], what=what
            ),
            heads=(
                Head(sentence("change.score")),
                Head(sentence("change.before"), numeric=True),
                Head(sentence("change.now"), numeric=True),
                Head(sentence("change.change")),
            ),
            rows=shown,
            notes=notes,
            layout="wide",
        ),
    )


def _row(result: Result, older: Baseline, key: str, name: str, score: Score) -> Row:
    before = older.scores.get(key, {}).get(name)
    limits = () if before is None else (before,)
    now = scores.number(score.value, score.unit, limits, scores.places(key, name))
    title = Cell(scores.title(result, key, name), unit=scores.unit_words(result, key, name, score))
    if before is None:
        return title, Cell("–", style="num"), Cell(now, style="num"), Cell(sentence("change.unknown"), tone="none")
    then = scores.number(before, score.unit, (score.value,), scores.places(key, name))
    return title, Cell(then, style="num"), Cell(now, style="num"), Cell(sentence(f"change.{_direction(score, before)}"))


def _direction(score: Score, before: float) -> str:
    if score.value == before:
        return "same"
    if score.better == "context":
        return "higher" if score.value > before else "lower"
    return "worse" if worse_by(score, before) > 0 else "better"
