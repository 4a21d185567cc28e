"""The answers of the tests behind the verdict, made from their numbers."""

from __future__ import annotations

from typing import Any

from reportgen.model import Measured, Result
from reportgen.render import scores
from reportgen.rounding import decimals, p_value
from reportgen.verdict.families import PERMUTATIONS, TENTHS, standing_out
from reportgen.words import sentence

KEYS = ("leak_test", "leak_size", "holdout_share", "membership_inference", "closer_than_people")


def answer(key: str, metric: Measured, result: Result) -> str:
    """Answer a test's question."""
    if key == "leak_test":
        return _leak_test(metric, result)
    if key == "leak_size":
        return _leak_size(metric, result)
    if key == "holdout_share":
        return _holdout_share(metric)
    if key == "membership_inference":
        return _membership(metric)
    return _closer(metric, result)


def reading_numbers(result: Result) -> dict[str, Any]:
    """Numbers that the texts on how to read a test and what it cannot show may use."""
    level = result.settings.thresholds.leak_test
    drawn = result.search.looking
    rows = result.inputs.synthetic.rows if drawn is None else drawn.synthetic
    return {
        "permutations": PERMUTATIONS,
        "level": f"{level:g}",
        "level_percent": scores.percent_of(100 * level),
        "rows": rows,
        "tolerance": scores.percent_of(result.settings.inference_tolerance),
        "floor": scores.share(min(1.0, 3 / rows)),
    }


def _leak_test(metric: Measured, result: Result) -> str:
    p, level = metric.scores["p_value"].value, result.settings.thresholds.leak_test
    words = {"p": p_value(p, (level,)), "level": f"{level:g}"}
    if p > level:
        return sentence("metric.leak_test.answer_keeps", **words)
    family = standing_out({name: metric.scores[f"p_{name}"].value for name in TENTHS})
    rows = round(metric.scores["original_rows"].value)
    behind = sentence("metric.leak_test.behind", rows=rows) if rows else ""
    named = sentence(f"metric.leak_test.family_{family}")
    return sentence("metric.leak_test.answer_rejects", family=named, behind=behind, **words)


def _leak_size(metric: Measured, result: Result) -> str:
    excess = metric.scores["excess"]
    limit = (result.settings.tolerance / 100,)
    return sentence(
        "metric.leak_size.answer",
        excess=scores.share(excess.value, limit),
        low=scores.share(excess.low or 0.0, limit),
        high=scores.share(1.0 if excess.high is None else excess.high, limit),
        original=scores.number(metric.scores["anchored_original"].value, "count"),
        held=scores.number(metric.scores["anchored_holdout"].value, "count"),
        tolerance=scores.percent_of(result.settings.tolerance),
    )


def _holdout_share(metric: Measured) -> str:
    share = metric.scores["share"]
    texts = {
        name: scores.share(value)
        for name, value in (("share", share.value), ("low", share.low), ("high", share.high), ("null", share.reference))
        if value is not None
    }
    return sentence("metric.holdout_share.answer", p=p_value(metric.scores["p_value"].value), **texts)


def _membership(metric: Measured) -> str:
    auc = metric.scores["auc"]
    texts = {
        name: scores.share(value)
        for name, value in (("auc", auc.value), ("low", auc.low), ("high", auc.high))
        if value is not None
    }
    found = scores.share(metric.scores["tpr_at_1pct_fpr"].value)
    return sentence(
        "metric.membership_inference.answer", p=p_value(metric.scores["p_value"].value), found=found, **texts
    )


def _closer(metric: Measured, result: Result) -> str:
    thresholds = result.settings.thresholds
    alone = result.holdout.kind != "provided"
    limit = thresholds.closer_than_people_alone if alone else thresholds.closer_than_people
    p, rows = metric.scores["p_value"].value, metric.scores["rows"]
    number = rows.value
    text = scores.number(number, "count")
    return sentence(
        f"metric.closer_than_people.answer_{'rejects' if p <= limit else 'keeps'}",
        rows=sentence("metric.closer_than_people.so_many", text=text, one=number == 1),
        expected=decimals(rows.reference or 0.0, 1),
        p=p_value(p, (limit,)),
    )
