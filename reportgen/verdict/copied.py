"""Evidence by identical values: exact copies of original rows, and reused identifiers."""

from __future__ import annotations

from typing import Literal

from reportgen.codes import ReasonCode
from reportgen.copies import CopyCounts, Reuse
from reportgen.model import HoldoutKind, Reason
from reportgen.verdict.case import Case
from reportgen.verdict.intervals import lower_limit
from reportgen.words import sentence

Found = list[tuple[Literal["high", "moderate"], Reason]]


def copies_evidence(case: Case) -> Found:
    """Read the exact copies.

    Without a true holdout, or without a leak test that can make the level high: high when the one-sided 95 %
    Clopper-Pearson limit of their share lies above what chance explains plus the tolerance; without a true holdout,
    moderate when it lies above what chance explains. With a true holdout, moderate where chance makes no copies: none
    between the synthetic rows and the holdout or among the real rows, if two different rows are copied or no two real
    rows differ in one column only.
    """
    if not case.measured("exact_copies"):
        return []
    copies, kind, tolerance = case.copies, case.holdout.kind, case.settings.tolerance
    bound, chance = lower_limit(copies.synthetic_in_original, copies.synthetic_rows), _chance(copies, kind)
    tested = kind == "provided" and case.measured("leak_test") and not case.persons_differ
    if not tested and bound > chance + case.tolerance:
        return [("high", _copies_reason("exact_copies_above_tolerance", copies, kind, tolerance))]
    if kind != "provided":
        above = bound > chance
        return [("moderate", _copies_reason("exact_copies_above_twins", copies, kind, 0.0))] if above else []
    impossible_by_chance = not copies.synthetic_in_holdout and not copies.real_rows_repeat
    telling = copies.different_originals_copied >= 2 or not copies.near_twins
    if copies.synthetic_in_original and impossible_by_chance and telling:
        return [("moderate", _copies_reason("exact_copies_above_chance", copies, kind, 0.0))]
    return []


def reuse_evidence(case: Case) -> Found:
    """Read the reuse of identifiers: high where relabelling can't explain it, moderate where the holdout has none.

    Values that recur by chance, such as days, argue for nothing unless relabelling can't explain them.
    """
    if not case.measured("exact_copies"):
        return []
    found: Found = []
    for reuse in case.reuse:
        if reuse.p_value is not None and reuse.p_value <= case.settings.thresholds.identifier_reuse:
            found.append(("high", _reuse_reason("identifier_reuse_significant", reuse)))
        elif reuse.in_original and reuse.in_holdout == 0 and reuse.names:
            found.append(("moderate", _reuse_reason("identifier_reuse", reuse)))
    return found


def _reuse_reason(code: ReasonCode, reuse: Reuse) -> Reason:
    text = sentence(
        f"reason.{code}",
        column=reuse.column,
        reused=reuse.in_original,
        distinct=reuse.distinct,
        held=reuse.in_holdout,
        p=reuse.p_value,
    )
    share = reuse.in_original / reuse.distinct
    return Reason(code=code, metric="exact_copies", text=text, value=share, unit="share")


def _chance(copies: CopyCounts, kind: HoldoutKind) -> float:
    """Share of synthetic rows that may equal an original row without a leak."""
    if kind == "provided":
        return (copies.synthetic_in_holdout or 0) / copies.synthetic_rows
    return copies.original_with_twin / copies.original_rows


def _copies_reason(code: ReasonCode, copies: CopyCounts, kind: HoldoutKind, tolerance: float) -> Reason:
    share = copies.synthetic_in_original / copies.synthetic_rows
    bound = lower_limit(copies.synthetic_in_original, copies.synthetic_rows)
    limit = _chance(copies, kind) + tolerance / 100
    text = sentence(
        f"reason.{code}",
        copies=copies.synthetic_in_original,
        rows=copies.synthetic_rows,
        share=100 * share,
        bound=100 * bound,
        limit=100 * limit,
        chance=100 * _chance(copies, kind),
        tolerance=tolerance,
        provided=kind == "provided",
    )
    return Reason(code=code, metric="exact_copies", text=text, value=share, bound=bound, limit=limit, unit="share")
