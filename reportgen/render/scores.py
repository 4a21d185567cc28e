"""Scores as people read them: label, unit, value, interval, reference, direction and what they argue for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reportgen.model import HoldoutKind, Measured, Metric, Result, Score, Unit
from reportgen.render.view import Cell
from reportgen.rounding import count, decimals, percent, probability, significant
from reportgen.settings import METRIC_KEYS
from reportgen.words import catalog, sentence

DECIMALS = {("closest_rate", "rate"): 2}
"""Percents are printed with one decimal; a rate moves in steps of one row and gets two."""
SUMMARY = {
    "leak_test": ("p_value",),
    "leak_size": ("excess",),
    "holdout_share": ("share",),
    "membership_inference": ("auc", "tpr_at_1pct_fpr"),
    "closer_than_people": ("p_value", "rows"),
    "exact_copies": ("synthetic_rows", "original_rows"),
    "distance_to_closest": ("median", "outlier"),
    "closest_distances_ratio": ("median", "outlier"),
    "closest_rate": ("rate",),
    "nndr": ("p5", "median", "excess", "excess_over_holdout"),
    "nn_dist": ("score", "authenticity"),
    "singling_out": ("risk", "attack_rate"),
    "linkability": ("risk", "attack_rate"),
    "inference": ("risk", "attack_rate"),
}
"""Scores of the summary; the others stand in the metric's own frame. A metric that has none of these shows all."""


def holdout_noun(result: Result) -> str:
    """What the reference is called: never "holdout" alone where the generator saw its rows."""
    return "approximate holdout" if result.holdout.kind == "approximate" else "holdout"


def holdout_kind(result: Result) -> HoldoutKind:
    """What stands for unseen rows; nothing does where the original was to be halved but nothing could be compared."""
    kind = result.holdout.kind
    return "none" if kind == "approximate" and not result.holdout.draws else kind


def rows_are_compared(result: Result) -> bool:
    """Whether rows were held against rows: without a used column no two can be told equal or different."""
    return bool(result.leads) or any(column.used for column in result.columns)


def joined(names: Sequence[str]) -> str:
    """Write "A", "A and B", "A, B and C"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def wording(result: Result) -> dict[str, Any]:
    """Words and settings that nearly every sentence on a metric may use."""
    return {
        "holdout": holdout_noun(result),
        "kind": result.holdout.kind,
        "approximate": result.holdout.kind == "approximate",
        "tail": ordinal(result.settings.tail_percentile),
        "tail_percent": percent_of(result.settings.tail_percentile),
        "percentile": ordinal(result.settings.closest_rate_percentile),
        "percentile_percent": percent_of(result.settings.closest_rate_percentile),
    }


def ordinal(number: float) -> str:
    """Write 5 as "5th", 2.5 as "2.5th", 1 as "1st"."""
    text = f"{number:g}"
    teen = number in (11, 12, 13)
    return text + ("th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th") if "." not in text else "th")


def percent_of(number: float) -> str:
    """Write a declared percentage with no more digits than it was declared with: "1 %", "2.5 %"."""
    return f"{number:g}\N{NO-BREAK SPACE}%"


def share(value: float, limits: Iterable[float] = ()) -> str:
    """Write a share (0-1) in percent; 0 and 1 are reached only by what equals them."""
    return percent(100 * value, 2, (0, 100, *(100 * limit for limit in limits)))


def number(value: float, unit: Unit, limits: Iterable[float] = (), places: int = 1) -> str:
    """Write a value in its unit, without naming the unit; rounding crosses none of the limits."""
    # Only a limit that the value differs from can be crossed; an equal one that is no round number would cost digits.
    limits = [limit for limit in limits if not math.isclose(value, limit)]
    if unit == "percent":
        return decimals(value, places, (0, *limits))
    if unit == "share":
        return decimals(100 * value, 2, (0, 100, *(100 * limit for limit in limits)))
    if unit == "count":
        return count(int(value)) if value == int(value) else decimals(value, 1, limits)
    if unit == "probability" and value < 1:
        return probability(value, limits)
    if unit == "distance":
        return significant(value, 3, (0, *limits))
    return decimals(value, 3, (0, 1, *limits))


def with_unit(value: float, unit: Unit, limits: Iterable[float] = (), places: int = 1) -> str:
    """Write a value with its sign: percents and shares with "%", everything else bare."""
    text = number(value, unit, limits, places)
    return f"{text}\N{NO-BREAK SPACE}%" if unit in {"percent", "share"} else text


def places(metric: str, name: str) -> int:
    """How many decimals a percent of this score gets."""
    return DECIMALS.get((metric, name), 1)


def label(result: Result, metric: str, name: str) -> str:
    """The name of a score; its key where the catalog has none, as for one score a column."""
    if name.startswith("column:"):
        column, _, what = name.removeprefix("column:").rpartition(":")
        return sentence(f"metric.{metric}.score.column_{what}", column=column)
    return _entry(result, metric, name) or name


def short_name(metric: str) -> str:
    """The name of a metric where several stand in a row."""
    name = "short" if "short" in catalog()["metric"].get(metric, {}) else "name"
    return sentence(f"metric.{metric}.{name}")


def title(result: Result, metric: str, name: str) -> str:
    """A score with its metric: "Distance To Closest: median"; the score alone where both are called alike."""
    of, what = short_name(metric), label(result, metric, name)
    return of if what == of else f"{of}: {inner(what)}"


def together(result: Result, metric: str, names: Sequence[str]) -> str:
    """Several scores of one metric: "NNDR (median, 5th percentile)"; the metric alone where its score is called so."""
    of = short_name(metric)
    labels = [text for text in (label(result, metric, name) for name in names) if text != of]
    return f"{of} ({', '.join(inner(text) for text in labels)})" if labels else of


def inner(text: str) -> str:
    """The text as it stands inside a sentence: a capital goes, an abbreviation such as "AUC" keeps its own."""
    return text if text[:2].isupper() else f"{text[0].lower()}{text[1:]}"


def unit_words(result: Result, metric: str, name: str, score: Score) -> str:
    """The unit of a score in words, "% of synthetic rows"."""
    return _entry(result, metric, f"{name}_unit") or sentence(f"unit.{score.unit}")


def _entry(result: Result, metric: str, name: str) -> str:
    words = catalog()["metric"].get(metric, {}).get("score", {})
    return sentence(f"metric.{metric}.score.{name}", **wording(result)) if name in words else ""


def ordered_metrics(result: Result) -> tuple[tuple[str, Metric], ...]:
    """The metrics in the order of the report: a result that was read from its file has them by name."""
    order = {key: place for place, key in enumerate(METRIC_KEYS)}
    return tuple(sorted(result.metrics.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0])))


def ordered_scores(metric: str, scores: Mapping[str, Score]) -> tuple[tuple[str, Score], ...]:
    """The scores of a metric in the order of the catalog, those it does not name behind them."""
    order = {name: place for place, name in enumerate(catalog()["metric"].get(metric, {}).get("score", {}))}
    return tuple(sorted(scores.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0])))


def summary_scores(metric: str, measured: Measured) -> dict[str, Score]:
    """The scores of a metric that the summary shows: its own, and columns whose values recur beyond the reference."""
    found = {name: measured.scores[name] for name in SUMMARY.get(metric, ()) if name in measured.scores}
    found |= {name: score for name, score in measured.scores.items() if name.endswith(":reused") and _beyond(score)}
    return found or dict(ordered_scores(metric, measured.scores))


def _beyond(score: Score) -> bool:
    return score.reference is not None and score.low is not None and score.low > score.reference


def value_cell(score: Score, metric: str, name: str, *, strong: bool = False) -> Cell:
    """The value of a score."""
    limits = () if score.reference is None else (score.reference,)
    return Cell(number(score.value, score.unit, limits, places(metric, name)), style="num", strong=strong)


def interval_cell(score: Score, metric: str, name: str) -> Cell:
    """The 95 % interval of a score, or a dash."""
    return range_cell(score.low, score.high, score, places(metric, name))


def range_cell(low: float | None, high: float | None, score: Score, digits: int) -> Cell:
    """A range of a score's values, or a dash where it was not computed."""
    if low is None or high is None:
        return Cell("–", style="range")
    limits = () if score.reference is None else (score.reference,)
    texts = [number(end, score.unit, limits, digits) for end in (low, high)]
    return Cell(sentence("summary.to", low=texts[0], high=texts[1]), style="range")


def reference_cell(score: Score, metric: str, name: str) -> Cell:
    """The same quantity on the reference, or a dash."""
    if score.reference is None:
        return Cell("–", style="num")
    return Cell(number(score.reference, score.unit, (), places(metric, name)), style="num")


def better_cell(score: Score) -> Cell:
    """Which direction is better for privacy: arrow and word."""
    return Cell(sentence(f"better.{score.better}"), style="better")
