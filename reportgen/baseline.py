"""An older result as the baseline of a newer one, and what keeps their scores from comparing.

A difference of two scores means something where both describe synthetic tables of one size, measured against the same
real rows, in the same coordinates, by the same definitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reportgen.declared import mask_marks
from reportgen.model import Baseline, BaselineDifference, Measured, Result, Score
from reportgen.settings import LISTS, WORDS, Settings

NO_DEFINITION = (
    *LISTS,  # they show in the columns, and in which metrics were measured
    "projection",  # these two show in the coordinates
    "components",
    "seed",
    "draws",
    "resamples",
    "dropped_queries",
    "max_queries",
    "fail_on",
    "lead_names",
    "sampling_rate",
    *WORDS,
    "no_category_names",
    "lang",
)
"""Settings that define neither a score nor a level: they select, make numbers more precise, or are words."""


def compares_nothing(score: Score) -> bool:
    """Whether a larger or smaller value of a score is neither better nor worse."""
    return score.better == "context" or score.note == "reference_zero"


def worse_by(score: Score, before: float) -> float:
    """Return by how much a score that has a direction is worse than it was, in its unit; negative where better."""
    return before - score.value if score.better == "higher" else score.value - before


def describe_baseline(older: Result, name: str, sha256: str, newer: Result) -> Baseline:
    """Keep of an older result what the gate and the reports need. `name` is its file's, `sha256` that of its bytes."""
    return Baseline(
        name=name,
        sha256=sha256,
        created=older.created,
        version=older.tool.version,
        level=older.verdict.level,
        scores={
            key: {score: one.value for score, one in metric.scores.items()}
            for key, metric in older.metrics.items()
            if isinstance(metric, Measured)
        },
        differences=tuple(differences(older, newer)),
    )


def differences(older: Result, newer: Result) -> Iterator[BaselineDifference]:
    """Name every aspect in which two results differ so that a difference of their scores would mean nothing."""
    aspects: dict[BaselineDifference, tuple[Any, Any]] = {
        "original": (older.inputs.original.content_sha256, newer.inputs.original.content_sha256),
        "holdout": (_holdout(older), _holdout(newer)),
        "columns": (_columns(older), _columns(newer)),
        "space": (_space(older), _space(newer)),
        "sizes": (_sizes(older), _sizes(newer)),
        "metrics": (older.tool.metrics, newer.tool.metrics),
        "settings": (_definitions(older.settings), _definitions(newer.settings)),
    }
    for name, (before, now) in aspects.items():
        if before != now:
            yield name


def _sizes(result: Result) -> tuple[object, ...]:
    """The rows of the synthetic table, and how many of each looked for their neighbours where not all did."""
    return result.inputs.synthetic.rows, result.search.looking


def _holdout(result: Result) -> tuple[str, str | None]:
    file = result.inputs.holdout
    return result.holdout.kind, None if file is None else file.content_sha256


def _columns(result: Result) -> list[tuple[str, str]]:
    return sorted((column.name, column.kind) for column in result.columns if column.used)


def _space(result: Result) -> tuple[object, ...]:
    space = result.space
    return space.projection, space.components, space.fitted_on, [lead.flat for lead in result.leads]


def _definitions(settings: Settings) -> dict[str, Any]:
    plain = settings.model_dump(exclude=set(NO_DEFINITION))
    return plain | {"declared": mask_marks(plain["declared"])}  # one of the two may name no text of a cell
