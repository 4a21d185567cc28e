"""The answer to each metric's question, made from its numbers."""

from __future__ import annotations

from typing import Any

from reportgen.model import Measured, Result
from reportgen.render import attacks, scores, tested
from reportgen.render.advice import repeated_copies
from reportgen.render.pair import asking_rows, value_text
from reportgen.render.stance import Stance, above, stance, worse
from reportgen.rounding import significant
from reportgen.score_names import ATTACKS
from reportgen.words import sentence

RELATIVE = ("distance_to_closest", "closest_distances_ratio")


def answer(key: str, metric: Measured, result: Result) -> str:
    """Answer the metric's question in one or two sentences made from its numbers."""
    if key == "exact_copies":
        return _copies(metric, result)
    if key in RELATIVE:
        return _relative(key, metric, result)
    if key == "closest_rate":
        return _rate(metric, result)
    if key in ATTACKS and "attacks" in metric.scores:
        return attacks.answer(key, metric, result)
    if key in tested.KEYS:
        return tested.answer(key, metric, result)
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
    threshold = metric.scores.get("threshold")
    side = "closer" if stance(score) == "below" else "farther" if above(score) else "alike"
    numbers: dict[str, Any] = {
        "lead": sentence(f"metric.nn_dist.lead_{side}"),
        "score": significant(score.value, 3),
        "baseline": significant(score.reference or 0, 3),
        "share": scores.share(new.value),
        "threshold": "" if threshold is None else significant(threshold.value, 3),
        "held": "" if new.reference is None else scores.share(new.reference),
    }
    return sentence("metric.nn_dist.answer", **numbers)


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
    if key == "closest_distances_ratio" and "below" not in stances and (blind := repeated_copies(key, metric, result)):
        parts.append(sentence("metric.closest_distances_ratio.blind", rows=blind))
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
    numbers["blind"] = repeated_copies("closest_rate", metric, result)
    return sentence(
        "metric.closest_rate.answer",
        closer=worse(rate),
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
