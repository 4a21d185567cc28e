"""What speaks for a leak, read in the order of metrics.md: each piece of evidence as a level and a reason."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from reportgen.model import Reason, Unit
from reportgen.verdict import secondary
from reportgen.verdict.case import Case
from reportgen.verdict.copied import copies_evidence, reuse_evidence
from reportgen.verdict.families import TENTHS, Family, standing_out
from reportgen.words import sentence


class Evidence(NamedTuple):
    """One piece of evidence and the level it argues for."""

    level: Literal["high", "moderate"]
    reason: Reason


def find_evidence(case: Case) -> list[Evidence]:
    """Collect all evidence of a leak, high before moderate, the most telling first."""
    primary = _leak_test(case)
    named = {evidence.reason.metric for evidence in primary}
    found = [
        *primary,
        *(Evidence(level, reason) for level, reason in copies_evidence(case)),
        *(Evidence(level, reason) for level, reason in reuse_evidence(case)),
        *_closer_than_people(case),
        *_medians_below_ideal(case),
        *(Evidence("moderate", reason) for reason in secondary.significant(case) if reason.metric not in named),
    ]
    if case.persons_differ:
        found = [_without_labels(evidence) for evidence in found]
    return sorted(found, key=lambda evidence: evidence.level != "high")


def _without_labels(evidence: Evidence) -> Evidence:
    """Lower evidence that rests on labels of persons to moderate, where these can't be exchanged.

    A person of thirty rows draws more synthetic rows than one of two, whoever was seen by the generator: labels of such
    persons are no chance. A count of copies needs none.
    """
    return evidence if evidence.reason.code == "exact_copies_above_tolerance" else evidence._replace(level="moderate")


def rejects(case: Case) -> bool:
    """Whether the leak test rejects."""
    p_value = case.value("leak_test", "p_value")
    return p_value is not None and p_value <= case.settings.thresholds.leak_test


def _leak_test(case: Case) -> list[Evidence]:
    """Read the primary test with what it takes to call a leak high, and the lower bound of its size without it."""
    size, share = _size_above(case), _share_above(case)
    if not rejects(case):
        return [Evidence("moderate", size)] if size is not None else []
    family = standing_out({name: case.value("leak_test", f"p_{name}") or 0.0 for name in TENTHS})
    high = family != "broad" or size is not None or share is not None
    level: Literal["high", "moderate"] = "high" if high else "moderate"
    found = [Evidence(level, _rejection(case, family))]
    found += [Evidence("high", reason) for reason in (size, share) if reason is not None]
    return found


def _rejection(case: Case, family: Family) -> Reason:
    p_value = case.value("leak_test", "p_value") or 0.0
    limit = case.settings.thresholds.leak_test
    behind = case.value("leak_test", "original_rows")
    return _reason(
        f"leak_test_{family}",
        "leak_test",
        {"value": p_value, "limit": limit, "unit": "probability"},
        p=p_value,
        limit=limit,
        behind=None if behind is None else round(behind),
    )


def _size_above(case: Case) -> Reason | None:
    excess = case.score("leak_size", "excess")
    if excess is None or excess.low is None or excess.low <= case.tolerance:
        return None
    return _reason(
        "leak_size_above_tolerance",
        "leak_size",
        {"value": excess.value, "bound": excess.low, "limit": case.tolerance, "unit": "share"},
        share=100 * excess.value,
        bound=100 * excess.low,
        limit=100 * case.tolerance,
        original=case.value("leak_size", "anchored_original"),
        held=case.value("leak_size", "anchored_holdout"),
    )


def _share_above(case: Case) -> Reason | None:
    share = case.score("holdout_share", "share")
    if share is None or share.low is None or share.reference is None:
        return None
    limit = share.reference + case.settings.thresholds.holdout_share_margin / 100
    if share.low <= limit:
        return None
    return _reason(
        "holdout_share_above_margin",
        "holdout_share",
        {"value": share.value, "bound": share.low, "limit": limit, "unit": "share"},
        share=100 * share.value,
        bound=100 * share.low,
        limit=100 * limit,
        null=100 * share.reference,
    )


def _closer_than_people(case: Case) -> list[Evidence]:
    p_value = case.value("closer_than_people", "p_value")
    thresholds = case.settings.thresholds
    true_holdout = case.holdout.kind == "provided"
    limit = thresholds.closer_than_people if true_holdout else thresholds.closer_than_people_alone
    if p_value is None or p_value > limit:
        return []
    rows = case.value("closer_than_people", "rows") or 0.0
    numbers: dict[str, float | Unit] = {"value": p_value, "limit": limit, "unit": "probability"}
    reason = _reason("closer_than_people", "closer_than_people", numbers, p=p_value, limit=limit, rows=round(rows))
    return [Evidence("moderate", reason)]


PAIR = ("distance_to_closest", "closest_distances_ratio")
"""The seeds' metrics whose medians make evidence together, never one of them alone (seed 000)."""


def _medians_below_ideal(case: Case) -> list[Evidence]:
    """Read both medians: below what an ideal generator reads at these sizes, and surely below the holdout's."""
    found = []
    for key in PAIR:
        score = case.score(key, "median")
        if score is None or score.high is None or score.null_low is None or score.reference is None:
            return []
        if score.value >= score.null_low or score.high >= score.reference:
            return []
        numbers: dict[str, float | Unit] = {
            "value": score.value,
            "bound": score.high,
            "limit": score.null_low,
            "unit": "percent",
        }
        words = {"key": key, "median": score.value, "high": score.high, "ideal": score.null_low}
        found.append(Evidence("moderate", _reason("medians_below_ideal", key, numbers, **words)))
    return found


def _reason(code: str, metric: str, fields: dict[str, Any], **numbers: Any) -> Reason:
    text = sentence(f"reason.{code}", **numbers)
    return Reason.model_validate({"code": code, "metric": metric, "text": text, **fields})
