"""What changed between two assessments: verdict and scores against their intervals, inputs, settings, versions.

Both are only judged where both results describe synthetic tables of one size, measured against the same real rows in
the same coordinates by the same definitions (`reportgen.baseline`). Otherwise the differences are named, and nothing is
called better or worse.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from reportgen.baseline import compares_nothing, differences, worse_by
from reportgen.bounds import MOST_COLUMNS, Name
from reportgen.declared import hide_marks
from reportgen.model import (
    LEVELS,
    BaselineDifference,
    Created,
    Digest,
    Level,
    Measured,
    MetricKey,
    Part,
    Result,
    Score,
    Unit,
    Version,
    digest,
)
from reportgen.settings import WORDS

Direction = Literal["same", "better", "worse", "higher", "lower"]
_WORDS_ONLY = (*WORDS, "lang")
"""Settings that are words of a report: no change of a measurement."""


class Assessed(Part):
    """One of the two results."""

    name: Name
    sha256: Digest
    created: Created
    version: Version
    level: Level
    upper_bound: float | None


class Reading(Part):
    """One score in one result, with its 95 % interval."""

    value: float
    low: float | None
    high: float | None


class ScoreChange(Part):
    """One score in both results; None where one of them lacks it."""

    metric: MetricKey
    score: str
    unit: Unit
    before: Reading | None
    now: Reading | None
    direction: Direction | None
    """None where the results do not compare, or one lacks the score."""
    clear: bool
    """Whether the two intervals share no value: the change is larger than chance makes it. False without intervals."""


class Change(Part):
    """One fact that differs: an input's hash or size, a setting, a version."""

    name: Annotated[str, Field(max_length=1000)]
    before: JsonValue
    now: JsonValue


class Comparison(Part):
    """Everything that changed from an older to a newer result."""

    format: Literal["reportgen comparison 1"] = "reportgen comparison 1"
    older: Assessed
    newer: Assessed
    differences: tuple[BaselineDifference, ...]
    """What keeps the two from comparing; empty where they do."""
    verdict: Direction | None
    """Which way the level went; None where the results do not compare."""
    worse: bool | None
    """Whether the level or, clearly, a score is worse; None, not known, where the results do not compare."""
    lost: tuple[MetricKey, ...] = ()
    """Metrics that the older result measured and the newer does not: nothing shows that these are no worse."""
    scores: Annotated[tuple[ScoreChange, ...], Field(max_length=4 * MOST_COLUMNS)]
    inputs: tuple[Change, ...]
    settings: tuple[Change, ...]
    versions: tuple[Change, ...]


def compare(older: Result, newer: Result, names: tuple[str, str], shown: dict[str, tuple[str, ...]]) -> Comparison:
    """Compare two results. `names` are those of their files, `shown` the scores to compare, by metric."""
    kept = tuple(differences(older, newer))
    scores = tuple(_scores(older, newer, shown, judged=not kept))
    before, now = (LEVELS.index(one.verdict.level) for one in (older, newer))
    return Comparison(
        older=_assessed(older, names[0]),
        newer=_assessed(newer, names[1]),
        differences=kept,
        verdict=None if kept else "same" if before == now else "worse" if now > before else "better",
        worse=None if kept else now > before or any(one.clear and one.direction == "worse" for one in scores),
        lost=tuple(
            key
            for key, metric in older.metrics.items()
            if isinstance(metric, Measured) and not isinstance(newer.metrics.get(key), Measured)
        ),
        scores=scores,
        inputs=tuple(_inputs(older, newer)),
        settings=tuple(_changes(_settings(older), _settings(newer))),
        versions=tuple(_changes(_versions(older), _versions(newer))),
    )


def to_json(comparison: Comparison) -> str:
    """Serialise: sorted keys, unrounded numbers, the same text for equal comparisons."""
    plain = comparison.model_dump(mode="json")
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _assessed(result: Result, name: str) -> Assessed:
    return Assessed(
        name=name,
        sha256=digest(result),
        created=result.created,
        version=result.tool.version,
        level=result.verdict.level,
        upper_bound=result.verdict.upper_bound,
    )


def _scores(older: Result, newer: Result, shown: dict[str, tuple[str, ...]], *, judged: bool) -> Iterator[ScoreChange]:
    for metric, names in shown.items():
        for name in names:
            before, now = (_score(result, metric, name) for result in (older, newer))
            of = now or before
            if of is None:
                continue
            both = judged and before is not None and now is not None
            yield ScoreChange(
                metric=metric,
                score=name,
                unit=of.unit,
                before=_reading(before),
                now=_reading(now),
                direction=direction(now, before) if both and now is not None and before is not None else None,
                clear=both and now is not None and before is not None and apart(before, now),
            )


def direction(now: Score, before: Score) -> Direction:
    """Tell which way a score went: better or worse where it has a direction, otherwise higher or lower."""
    if now.value == before.value:
        return "same"
    if compares_nothing(now) or compares_nothing(before):
        return "higher" if now.value > before.value else "lower"
    return "worse" if worse_by(now, before.value) > 0 else "better"


def apart(one: Score, other: Score) -> bool:
    """Whether the 95 % intervals of two scores share no value; False where one has no interval."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.high < other.low or other.high < one.low


def _score(result: Result, metric: str, name: str) -> Score | None:
    measured = result.metrics.get(metric)
    return measured.scores.get(name) if isinstance(measured, Measured) else None


def _reading(score: Score | None) -> Reading | None:
    return None if score is None else Reading(value=score.value, low=score.low, high=score.high)


def _inputs(older: Result, newer: Result) -> Iterator[Change]:
    for side in ("original", "synthetic", "holdout"):
        before, now = (getattr(result.inputs, side) for result in (older, newer))
        for field in ("name", "rows", "columns", "sha256", "content_sha256"):
            values = [None if file is None else getattr(file, field) for file in (before, now)]
            if values[0] != values[1]:
                yield Change(name=f"{side}.{field}", before=values[0], now=values[1])


def _settings(result: Result) -> dict[str, Any]:
    """The settings by name, tables of settings flattened; missing marks that may not be named are counted."""
    plain = result.settings.model_dump(mode="json", exclude=set(_WORDS_ONLY))
    if result.settings.no_category_names:
        plain = hide_marks(plain, str)
    return dict(_flat(plain))


def _flat(table: dict[str, Any], where: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{where}{name}.")
        else:
            yield f"{where}{name}", value


def _versions(result: Result) -> dict[str, Any]:
    return {"reportgen": result.tool.version, "metrics": result.tool.metrics, **result.environment}


def _changes(before: dict[str, Any], now: dict[str, Any]) -> Iterator[Change]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield Change(name=name[:1000], before=before.get(name), now=now.get(name))
