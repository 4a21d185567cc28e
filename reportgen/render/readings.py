"""What each number means here, in a word or two: chosen from the value and its interval, so that none contradicts them.

One score of a tested metric carries the level that the metric argues for. Every other score is read for itself: beside
its reference, as the chance that it is, or as what it is there for.
"""

from __future__ import annotations

from typing import Literal, get_args

from reportgen.model import Level, Measured, MetricVerdict, Result, Score
from reportgen.render.stance import above, stance, worse
from reportgen.render.view import Cell, Tone
from reportgen.score_names import ATTACKS
from reportgen.words import sentence

Reading = Literal[
    "high",
    "moderate",
    "inconclusive",
    "no_evidence",
    "not_assessed",
    "tolerated",
    "short",
    "rare",
    "within_chance",
    "above",
    "alike",
    "below",
    "closer",
    "closer_in_range",
    "like_reference",
    "farther",
    "no_comparison",
    "part",
    "beside",
]
READINGS: tuple[Reading, ...] = get_args(Reading)

CARRIES = {
    "exact_copies": "synthetic_rows",
    "leak_test": "p_value",
    "leak_size": "excess",
    "holdout_share": "share",
    "membership_inference": "auc",
    "closer_than_people": "p_value",
    "distance_to_closest": "median",
    "closest_distances_ratio": "median",
    "singling_out": "risk",
    "linkability": "risk",
    "inference": "risk",
}
"""The score that a metric's level speaks of. The medians have one only where both lie below their ideal range."""
LEVELS: dict[MetricVerdict, Reading] = {"high": "high", "moderate": "moderate", "inconclusive": "inconclusive"}
"""Levels that a carrying score passes on as they are."""
WON = ("risk", "attack_rate", "p_value")
"""Scores of an attack that tell nothing where it is too weak."""
PARTS = {
    "leak_test": ("p_near", "p_altered", "p_broad", "original_rows", "z:"),
    "leak_size": ("anchored_", "cut"),
}
"""Scores, by how their names begin, of which the carrying one is made: alone they make no statement."""
RARE = 0.05
"""A p-value up to here is never said to be no evidence, whatever limit its test has. The conventional level."""
FINDING = 0.01
"""Up to here a p-value that is no test of the verdict is named among the findings (metrics.md)."""
BARE = ("part", "beside")
"""Readings of scores that make no statement, for which no direction is better or worse by itself."""
SYMBOLS: dict[Reading, str] = {
    "high": "high",
    "moderate": "moderate",
    "rare": "moderate",
    "above": "moderate",
    "closer": "moderate",
}
"""The level whose symbol and colour a reading has; the others have a dash in grey."""


def too_weak(metric: object) -> bool:
    """Whether a metric is an attack that did no better than guessing: it ran, and answers nothing."""
    return isinstance(metric, Measured) and "not_trusted" in metric.notes


def reading(key: str, name: str, metric: Measured, result: Result) -> Reading:
    """Read one score of a metric."""
    score = metric.scores[name]
    if score.note == "reference_zero":
        return "no_comparison"
    if too_weak(metric) and name.rpartition(":")[2] in WON:
        return "not_assessed"
    if any(name.startswith(part) for part in PARTS.get(key, ())):
        return "part"
    if metric.verdict != "context" and name == CARRIES.get(key):
        return _carrying(key, score, metric, result)
    if score.unit == "probability":
        return _chance(name, score, metric)
    if metric.verdict == "context" or key not in CARRIES or key in {"distance_to_closest", "closest_distances_ratio"}:
        return _descriptive(score)
    return _beside(key, name, score, metric)


def _carrying(key: str, score: Score, metric: Measured, result: Result) -> Reading:
    """Read the score that its metric's level speaks of."""
    if key == "exact_copies":
        return _copies(score, metric, result)
    if level := LEVELS.get(metric.verdict):
        return level
    if key == "leak_size":
        return "tolerated" if (score.low or 0) > 0 else "no_evidence"
    if key in ATTACKS:
        return "short" if (score.low or 0) > 0 else "no_evidence"
    p_value = metric.scores.get("p_value")
    rare = p_value is not None and p_value.value <= RARE
    return "short" if rare or worse(score) else "no_evidence"


def _copies(score: Score, metric: Measured, result: Result) -> Reading:
    """Read the count of copies: a level of its metric may speak of reused identifiers instead."""
    codes = {reason.code for reason in result.verdict.reasons if reason.metric == "exact_copies"}
    of_copies = not codes or any(code.startswith("exact_copies") for code in codes)
    if of_copies and (level := LEVELS.get(metric.verdict)):
        return level
    if score.value == 0:
        return "no_evidence"
    return "short" if worse(score) else "within_chance"


def _chance(name: str, score: Score, metric: Measured) -> Reading:
    """Read a p-value, or a share that is measured on the scale of one."""
    if not name.endswith("p_value"):
        return "beside" if score.better == "context" else _compared(score)
    limit = FINDING if name.startswith(("top_", "isolated_")) else RARE
    if score.value <= limit and (metric.verdict in {"high", "moderate"} or limit == FINDING):
        return "rare"
    return "short" if score.value <= RARE else "within_chance"


def _beside(key: str, name: str, score: Score, metric: Measured) -> Reading:
    """Read a score that stands beside the one with the level."""
    if key in ATTACKS and name.rpartition(":")[2] == "attack_rate":
        risk = metric.scores.get("risk")
        return "beside" if risk is None else "above" if (risk.low or 0) > 0 else "within_chance"
    if key == "closer_than_people":
        rare = metric.scores["p_value"].value <= RARE
        return "above" if rare and score.value > (score.reference or 0) else "within_chance"
    return _compared(score)


def _compared(score: Score) -> Reading:
    """Whether the whole interval lies above or below the reference."""
    if score.reference is None or score.low is None or score.high is None or score.better == "context":
        return "beside"
    if above(score):
        return "above"
    return "below" if stance(score) == "below" else "alike"


def _descriptive(score: Score) -> Reading:
    """Read a score that describes: on which side of its reference its whole interval lies."""
    if score.reference is None or score.low is None or score.high is None:
        return "beside"
    if score.better == "context":
        return "above" if above(score) else "below" if stance(score) == "below" else "like_reference"
    if worse(score):
        inside = score.null_low is not None and score.null_high is not None
        inside = inside and (score.null_low or 0) <= score.value <= (score.null_high or 0)
        return "closer_in_range" if inside else "closer"
    apart = stance(score) == "below" if score.better == "lower" else above(score)
    return "farther" if apart else "like_reference"


def reading_cell(key: str, name: str, metric: Measured, result: Result, *, under: str = "") -> Cell:
    """A reading as a cell: symbol and word, and colour last; `under` stands below what a reading is made of."""
    what = reading(key, name, metric, result)
    neutral = what == "above" and metric.scores[name].better == "context"
    symbol, tone = marks(what, result.verdict.level, neutral=neutral)
    return Cell(
        f"{symbol} {sentence(f'reading.{what}')}", style="better", tone=tone, under="" if what in BARE else under
    )


def marks(what: Reading, level: Level, *, neutral: bool = False) -> tuple[str, Tone]:
    """Symbol and colour of a reading.

    A test that found nothing gets its tick only under a low verdict: elsewhere it clears nothing. Where no direction is
    better, no side is a warning.
    """
    if what == "no_evidence" and level == "low":
        return sentence("verdict.symbol.low"), "low"
    name = "context" if neutral else SYMBOLS.get(what, "context")
    tones: dict[str, Tone] = {"high": "high", "moderate": "moderate"}
    return sentence(f"verdict.symbol.{name}"), tones.get(name, "none")
