"""What has to hold before a low level could be given; each failure is a reason that says what to do."""

from __future__ import annotations

from typing import Any

from reportgen.codes import ReasonCode
from reportgen.copies import CopyCounts
from reportgen.model import Holdout, NotMeasured, Reason
from reportgen.settings import Thresholds
from reportgen.verdict.case import Case, persons_differ
from reportgen.verdict.evidence import rejects
from reportgen.verdict.intervals import lower_limit
from reportgen.words import sentence

SMALL_ORIGINAL = 500
"""Below so many original rows a real holdout would be too small to set aside (seed 000)."""


def is_leaky(holdout: Holdout, copies: CopyCounts, thresholds: Thresholds) -> bool:
    """Whether original rows stand in the holdout more often than twins by nature would (metrics.md, trap 6).

    Persons on both sides are another matter (`copies.shared_persons`): rows can be alike by nature, but nobody is two
    persons, so that one of them is enough to say that the generator has seen what it should not have.
    """
    if holdout.kind != "provided" or not holdout.overlap_rows or not copies.holdout_rows:
        return False
    share = holdout.overlap_rows / copies.holdout_rows
    own_twins = copies.original_with_twin / copies.original_rows
    p_value = 1.0 if holdout.overlap_p_value is None else holdout.overlap_p_value
    # In coarse tables nearly every row has a twin on either side; only a share surely above the original's own counts.
    beyond_twins = lower_limit(holdout.overlap_rows, copies.holdout_rows) > own_twins
    return p_value <= thresholds.leaky_holdout or (share > thresholds.leaky_share / 100 and beyond_twins)


def rows_of_persons(copies: CopyCounts, holdout: Holdout) -> dict[str, Any]:
    """Numbers for the sentences on it: rows of a person on average on either side."""
    original, held = copies.original_persons or 1, copies.holdout_persons or 1
    each = {"original": copies.original_rows / original, "held": (copies.holdout_rows or 0) / held}
    return {**each, "p": holdout.rows_p_value}


def holdout_is_synthetic(copies: CopyCounts, thresholds: Thresholds) -> bool:
    """Whether nearly every synthetic row has an identical holdout row: the wrong file was given as holdout."""
    return (copies.synthetic_in_holdout or 0) >= thresholds.same_as_holdout / 100 * copies.synthetic_rows


def is_swapped(case: Case) -> bool:
    """Whether the synthetic rows point at the holdout: the mirrored leak test rejects.

    Where the leak test itself rejects too and the rows surely lie closer to the original, they don't.
    """
    mirrored = case.value("leak_test", "p_mirrored")
    if mirrored is None or mirrored > case.settings.thresholds.swapped_roles:
        return False
    share = case.score("holdout_share", "share")
    closer = share is not None and share.low is not None and share.low > (share.reference or 0.0)
    return not (closer and rejects(case))


def failed(case: Case, *, found: bool) -> list[Reason]:
    """All preconditions of a low level that don't hold, most fundamental first.

    Where evidence of a leak was found, what this run could have excluded is beside the point.
    """
    return [*_of_the_rows(case), *_of_the_metrics(case), *([] if found else _of_the_bounds(case))]


def _of_the_rows(case: Case) -> list[Reason]:
    copies, holdout, thresholds = case.copies, case.holdout, case.settings.thresholds
    reasons = []
    if holdout.kind != "provided":
        people = copies.original_people
        reasons.append(_reason("no_true_holdout", small=people < SMALL_ORIGINAL, rows=people))
    if holdout_is_synthetic(copies, thresholds):
        same = copies.synthetic_in_holdout
        reasons.append(_reason("holdout_is_synthetic", same=same, rows=copies.synthetic_rows))
    if is_swapped(case):
        p_value = case.value("leak_test", "p_mirrored")
        reasons.append(_reason("swapped_roles", "leak_test", p=p_value, limit=thresholds.swapped_roles))
    if copies.shared_persons:
        reasons.append(_reason("leaky_holdout", shared=copies.shared_persons, persons=copies.holdout_persons))
    if is_leaky(holdout, copies, thresholds):
        reasons.append(_reason("leaky_holdout", overlap=holdout.overlap_rows, rows=copies.holdout_rows, shared=0))
    if persons_differ(holdout, thresholds):
        reasons.append(_reason("persons_differ", **rows_of_persons(copies, holdout)))
    supported = case.value("holdout_share", "supported")
    if supported is not None and supported < thresholds.disjoint_supports / 100:
        reasons.append(_reason("disjoint_supports", "holdout_share", share=100 * supported))
    people = min(copies.original_people, copies.holdout_people or copies.original_people)
    fewest = min(people, copies.synthetic_rows)
    if fewest < thresholds.fewest_rows:
        real = people <= copies.synthetic_rows
        reasons.append(_reason("too_few_rows", fewest=fewest, needed=thresholds.fewest_rows, real=real))
    return reasons


def _of_the_metrics(case: Case) -> list[Reason]:
    without = {key: metric.code for key, metric in case.metrics.items() if isinstance(metric, NotMeasured)}
    reasons = [_reason("metric_failed", key, key=key) for key, code in without.items() if code == "failed"]
    for key in ("exact_copies", "leak_test", "leak_size"):
        code = without.get(key)
        if code == "not_selected":
            reasons.append(_reason("metric_not_selected", key, key=key))
        elif code not in (None, "failed", "no_true_holdout"):  # the missing holdout is a reason of its own
            reasons.append(_reason("metric_not_measured", key, key=key))
    return reasons


def _of_the_bounds(case: Case) -> list[Reason]:
    """The upper bound on the leak's size, and the smallest leak that would have been noticed."""
    reasons = []
    excess = case.score("leak_size", "excess")
    rows = case.looking
    if excess is not None and excess.high is not None and excess.high > case.tolerance:
        numbers: dict[str, Any] = {
            "bound": 100 * excess.high,
            "limit": 100 * case.tolerance,
            "enough": _enough_rows(case.tolerance),
            "drawn": case.drawn_down,
        }
        text = sentence("reason.upper_bound_above_tolerance", rows=rows, **numbers)
        reasons.append(
            Reason(
                code="upper_bound_above_tolerance",
                metric="leak_size",
                text=text,
                value=excess.value,
                bound=excess.high,
                limit=case.tolerance,
                unit="share",
            )
        )
    if case.measured("leak_test") and not rejects(case):
        reasons += _smallest_leak(case)
    return reasons


def _smallest_leak(case: Case) -> list[Reason]:
    share = case.detectable.share
    limit = case.settings.thresholds.smallest_leak * case.tolerance
    if share is not None and share <= limit:
        return []
    if share is None:
        tried = case.detectable.search_limit
        text = sentence(
            "reason.smallest_leak_unknown", tried=tried, rows=case.copies.synthetic_rows, drawn=case.drawn_down
        )
        return [Reason(code="smallest_leak_unknown", metric="leak_test", text=text)]
    text = sentence("reason.smallest_leak_above_tolerance", share=100 * share, limit=100 * limit, drawn=case.drawn_down)
    return [
        Reason(
            code="smallest_leak_above_tolerance", metric="leak_test", text=text, value=share, limit=limit, unit="share"
        )
    ]


def _enough_rows(tolerance: float) -> int | None:
    """Fewer synthetic rows than 3 divided by the tolerance can never be low: no row anchored still allows three."""
    return None if tolerance == 0 else -int(-3 // tolerance)


def _reason(code: ReasonCode, metric: str | None = None, **numbers: Any) -> Reason:
    return Reason(code=code, metric=metric, text=sentence(f"reason.{code}", **numbers))
