"""What stands beside a metric's answer: cautions, how to read it, what it cannot show, how to improve it."""

from __future__ import annotations

from typing import Any

from reportgen.model import Measured, NotMeasured, Result
from reportgen.render import scores, tested
from reportgen.render.attacks import halves
from reportgen.render.readings import reading, too_weak
from reportgen.render.stance import stance
from reportgen.rounding import decimals, significant
from reportgen.words import catalog, sentence


def cautions(metric: Measured, result: Result, key: str) -> tuple[str, ...]:
    """The metric's notes in words, with their counts, and what its numbers themselves warn of."""
    noted = {
        code: [name for name, score in scores.ordered_scores(key, metric.scores) if score.note == code]
        for code in ("reference_zero", "ties")
    }
    undefined, tied = noted["reference_zero"], noted["ties"]
    numbers: dict[str, Any] = {
        "names": scores.joined([sentence(f"note.name.{name}") for name in undefined]) or sentence("note.name.score"),
        "many": len(undefined) > 1,
        "tied": scores.joined([sentence(f"note.name.{name}") for name in tied]),
        "many_tied": len(tied) > 1,
        "rows": repeated_copies(key, metric, result),
        "base": result.holdout.base_rows,
        "draws": result.holdout.draws,
        **scores.wording(result),
    }
    texts = [sentence(f"note.{code}", **numbers) for code in metric.notes]
    if key == "closest_rate" and numbers["rows"]:
        texts.append(sentence("note.repeated_copies", **numbers))
    threshold = metric.scores.get("distance_threshold")
    if threshold is not None and threshold.value == 0:
        texts.append(sentence("note.threshold_zero", **numbers))
    original, synthetic = result.inputs.original.rows, result.inputs.synthetic.rows
    if key == "nn_dist" and original != synthetic:
        larger = "larger" if synthetic > original else "smaller"
        texts.append(sentence("note.unequal_sizes", larger=larger, original=original, synthetic=synthetic))
    return tuple(texts)


def repeated_copies(key: str, metric: Measured, result: Result) -> int:
    """Original rows with two identical closest synthetic rows; the Closest Rate takes the count of the same search."""
    ratio = result.metrics.get("closest_distances_ratio") if key == "closest_rate" else metric
    score = ratio.scores.get("repeated_copies") if isinstance(ratio, Measured) else None
    return 0 if score is None else round(score.value)


def how_to_read(key: str, metric: Measured, result: Result) -> str:
    """How to read the metric, with its own thresholds."""
    extra: dict[str, Any] = {"method": 6, "reference": False, "distance": "", "ratio": ""}
    extra |= tested.reading_numbers(result)
    if key == "exact_copies":
        extra["reference"] = metric.scores["synthetic_rows"].reference is not None
    if key == "linkability":
        extra["first"], extra["second"] = halves(result)
        extra["chosen"] = bool(result.settings.link)
    if key == "closest_rate":
        extra["distance"] = significant(metric.scores["distance_threshold"].value, 3)
        extra["ratio"] = decimals(metric.scores["ratio_threshold"].value, 3, (0, 1))
    return _text(key, "read", result, extra)


def limits(key: str, result: Result) -> tuple[str, ...]:
    """What the metric cannot show, and where its form is our own."""
    texts = (_text(key, "cannot", result, tested.reading_numbers(result)), _text(key, "formula", result, {}))
    return tuple(text for text in texts if text)


def table_notes(key: str, result: Result) -> tuple[str, ...]:
    """What it takes to read the table of a metric's scores, where it takes more than their names."""
    text = _text(key, "table_note", result, {})
    return (text,) if text else ()


def improvement(key: str, metric: Measured, result: Result) -> str:
    """What this metric calls for. What every change comes to stands once, at the head of the section."""
    leak = result.verdict.level in {"high", "moderate"}
    if too_weak(metric):
        return sentence("frame.improve_weak")
    if key == "exact_copies" and (
        copies := round(metric.scores["synthetic_rows"].value * result.inputs.synthetic.rows)
    ):
        chance = metric.scores["synthetic_rows"].reference
        name = "some" if calls_for_change(key, metric, result) else "untold" if chance is None else "chance"
        return sentence(f"metric.exact_copies.improve_{name}", copies=copies, small=small_original(result))
    if own := _text(key, "improve", result, {}):
        return own
    if calls_for_change(key, metric, result):
        return sentence("frame.improve_needed", what=_text(key, "improve_what", result, {}))
    if metric.verdict == "inconclusive":
        return sentence("frame.improve_rows")
    compared = [stance(score) for score in scores.summary_scores(key, metric).values() if score.reference is not None]
    name = "unknown" if compared and set(compared) == {"unknown"} else "not_needed"
    return sentence(f"frame.improve_{name}", evidence=leak)


def calls_for_change(key: str, metric: Measured, result: Result) -> bool:
    """Whether a tested metric argues for a leak, or a descriptive score lies closer than its reference and range."""
    if metric.verdict != "context":
        return metric.verdict in {"high", "moderate"}
    return any(reading(key, name, metric, result) == "closer" for name in scores.summary_scores(key, metric))


def to_measure(metric: NotMeasured, result: Result) -> str:
    """What it takes to measure a metric that has no value."""
    return sentence(f"unmeasured.to_measure_{metric.code}", small=small_original(result))


def small_original(result: Result) -> bool:
    """Whether the original has too few rows for a part of them to be set aside."""
    return any(finding.code == "small_original" for finding in result.findings)


def _text(key: str, name: str, result: Result, extra: dict[str, Any]) -> str:
    if name not in catalog()["metric"].get(key, {}):
        return ""
    return sentence(f"metric.{key}.{name}", **(scores.wording(result) | extra))
