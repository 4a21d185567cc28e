"""The words of each metric's frame that follow from its numbers: the answer, how to read it, how to improve it."""

from __future__ import annotations

from typing import Any, Literal

from reportgen.model import Measured, Result, Score
from reportgen.render import scores
from reportgen.render.pair import asking_rows, value_text
from reportgen.rounding import decimals, significant
from reportgen.words import catalog, sentence

Stance = Literal["below", "not_below", "unknown"]
RELATIVE = ("distance_to_closest", "closest_distances_ratio")


def stance(score: Score | None) -> Stance:
    """Whether the whole interval lies below the reference; without an interval the value alone decides."""
    if score is None or score.note == "reference_zero" or score.reference is None:
        return "unknown"
    highest = score.value if score.high is None else score.high
    return "below" if highest < score.reference else "not_below"


def worse(score: Score) -> bool:
    """Whether the whole interval lies on the side of a leak."""
    if score.better == "higher":
        return stance(score) == "below"
    if score.better != "lower" or score.low is None or score.reference is None:
        return False
    return score.low > score.reference


def answer(key: str, metric: Measured, result: Result) -> str:
    """Answer the metric's question in one or two sentences made from its numbers."""
    if key == "exact_copies":
        return _copies(metric, result)
    if key in RELATIVE:
        return _relative(key, metric, result)
    if key == "closest_rate":
        return _rate(metric, result)
    if key == "nndr":
        return _nndr(metric, result)
    if key == "nn_dist" and "authenticity" in metric.scores:
        return _nn_dist(metric)
    return _listed(key, metric, result)


def _nndr(metric: Measured, result: Result) -> str:
    found = metric.scores
    share, excess, over = found["share_below"], found["excess"], found.get("excess_over_holdout")
    lead = "worse" if worse(excess if over is None else over) else "not_worse"
    numbers: dict[str, Any] = {
        "lead": sentence(f"metric.nndr.lead_{lead}"),
        "share": scores.share(share.value),
        "threshold": f"{result.settings.nndr_threshold:g}",
        "baseline": scores.share(share.reference or 0),
    }
    if over is None:
        return sentence("metric.nndr.answer", excess=scores.number(excess.value, "share"), **numbers)
    held = scores.share(found["holdout_share_below"].value)
    return sentence("metric.nndr.answer_holdout", held=held, over=scores.number(over.value, "share"), **numbers)


def _nn_dist(metric: Measured) -> str:
    score, new = metric.scores["score"], metric.scores["authenticity"]
    numbers: dict[str, Any] = {
        "score": significant(score.value, 3),
        "baseline": significant(score.reference or 0, 3),
        "share": scores.share(new.value),
        "threshold": significant(metric.scores["threshold"].value, 3),
    }
    if new.reference is None:
        return sentence("metric.nn_dist.answer", **numbers)
    return sentence("metric.nn_dist.answer_holdout", held=scores.share(new.reference), **numbers)


def _copies(metric: Measured, result: Result) -> str:
    score, again = metric.scores["synthetic_rows"], metric.scores["original_rows"]
    rows = result.inputs.synthetic.rows
    copies = round(score.value * rows)
    chance = ""
    if score.reference is not None:
        chance = sentence("metric.exact_copies.answer_chance", chance=round(score.reference * rows))
    if not copies:
        return sentence("metric.exact_copies.answer_none", rows=rows, chance=chance)
    return sentence(
        "metric.exact_copies.answer_some",
        copies=copies,
        rows=rows,
        share=scores.share(score.value, (result.verdict.tolerance / 100,)),
        chance=chance,
        again=round(again.value),
    )


def _relative(key: str, metric: Measured, result: Result) -> str:
    words = scores.wording(result)
    median, outlier = metric.scores["median"], metric.scores["outlier"]
    stances = stance(median), stance(outlier)
    parts = [_lead(key, *stances, words)]
    tail, share = metric.scores.get("outlier_raw"), metric.scores.get("tail_share")
    if stances[1] == "unknown":
        tail = None
    if tail is not None and share is not None and tail.reference is not None and share.reference is not None:
        shares = {"share": scores.share(share.value), "reference": scores.share(share.reference)}
        parts.append(sentence(f"metric.{key}.tail", threshold=value_text(tail.reference, key), **shares, **words))
    texts = {
        name: scores.with_unit(score.value, score.unit, () if score.reference is None else (score.reference,))
        for name, score in (("median", median), ("outlier", outlier))
    }
    match tuple(one != "unknown" for one in stances):
        case (True, True):
            parts.append(sentence(f"metric.{key}.scores", **texts, **words))
        case (True, False):
            parts.append(sentence(f"metric.{key}.scores_median", **texts, **words))
        case (False, True):
            parts.append(sentence(f"metric.{key}.scores_outlier", **texts, **words))
    return " ".join(parts)


def _lead(key: str, median: Stance, outlier: Stance, words: dict[str, Any]) -> str:
    below = {name for name, one in (("median", median), ("tail", outlier)) if one == "below"}
    if len(below) == 2:
        name = "both"
    elif below:
        name = below.pop()
    else:
        name = "unknown" if median == outlier == "unknown" else "neither"
    known: dict[str, Any] = {"median_known": median != "unknown", "tail_known": outlier != "unknown"}
    return sentence(f"metric.{key}.lead_{name}", **known, **words)


def _rate(metric: Measured, result: Result) -> str:
    words = scores.wording(result)
    rate, risk = metric.scores["rate"], metric.scores["at_risk"]
    rows = asking_rows(result)
    numbers: dict[str, Any] = {
        "at_risk": scores.number(risk.value, "count"),
        "rows": rows,
        "share": scores.share(risk.value / rows),
        "rate": scores.with_unit(rate.value, "percent", (100,), 2),
    }
    if rate.reference is None or risk.reference is None:
        return sentence("metric.closest_rate.answer_alone", **numbers, **words)
    return sentence(
        "metric.closest_rate.answer",
        reference=scores.number(risk.reference, "count"),
        reference_share=scores.share(risk.reference / rows),
        reference_rate=scores.with_unit(rate.reference, "percent", (100,), 2),
        **numbers,
        **words,
    )


def _listed(key: str, metric: Measured, result: Result) -> str:
    parts = [
        f"{scores.label(result, key, name)}: {scores.with_unit(score.value, score.unit)}"
        for name, score in scores.summary_scores(key, metric).items()
    ]
    return "; ".join(parts) + "."


def reading(key: str, metric: Measured, result: Result) -> str:
    """How to read the metric, with its own thresholds."""
    extra: dict[str, Any] = {"method": 6, "reference": False, "distance": "", "ratio": ""}
    if key == "exact_copies":
        extra["reference"] = metric.scores["synthetic_rows"].reference is not None
    if key == "closest_rate":
        extra["distance"] = significant(metric.scores["distance_threshold"].value, 3)
        extra["ratio"] = decimals(metric.scores["ratio_threshold"].value, 3, (0, 1))
    return _text(key, "read", result, extra)


def limits(key: str, result: Result) -> tuple[str, ...]:
    """What the metric cannot show, and where its form is our own."""
    return tuple(text for text in (_text(key, "cannot", result, {}), _text(key, "formula", result, {})) if text)


def improvement(key: str, metric: Measured, result: Result) -> str:
    """What would raise the score, said differently where nothing calls for it."""
    shared = sentence("frame.improve_shared")
    if key == "exact_copies":
        copies = round(metric.scores["synthetic_rows"].value * result.inputs.synthetic.rows)
        if copies and _calls_for_change(key, metric):
            return sentence("metric.exact_copies.improve_some", copies=copies, shared=shared)
    what = _text(key, "improve_what", result, {})
    if not what:
        return _text(key, "improve", result, {"shared": _lower(shared)})
    if _calls_for_change(key, metric):
        return sentence("frame.improve_needed", what=what, shared=_lower(shared))
    return sentence("frame.improve_not_needed", shared=_lower(shared))


def _calls_for_change(key: str, metric: Measured) -> bool:
    if metric.verdict in {"high", "moderate"}:
        return True
    shown = scores.summary_scores(key, metric).values()
    return any(worse(score) for score in shown)


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _text(key: str, name: str, result: Result, extra: dict[str, Any]) -> str:
    if name not in catalog()["metric"].get(key, {}):
        return ""
    return sentence(f"metric.{key}.{name}", **scores.wording(result), **extra)


def cautions(metric: Measured, result: Result, key: str) -> tuple[str, ...]:
    """The metric's notes in words, with their counts."""
    undefined = [name for name, score in scores.ordered_scores(key, metric.scores) if score.note == "reference_zero"]
    repeated = metric.scores.get("repeated_copies")
    numbers: dict[str, Any] = {
        "names": " and ".join(sentence(f"note.name.{name}") for name in undefined) or sentence("note.name.score"),
        "many": len(undefined) > 1,
        "rows": round(repeated.value) if repeated is not None else 0,
        "base": result.holdout.base_rows,
        "draws": result.holdout.draws,
    }
    return tuple(sentence(f"note.{code}", **numbers, **scores.wording(result)) for code in metric.notes)
