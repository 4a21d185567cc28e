"""What speaks for a leak, read in the order of metrics.md, each piece of evidence as a reason with its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.copies import CopyCounts, Reuse
from reportgen.model import HoldoutKind, Reason, ReasonCode
from reportgen.verdict.intervals import lower_limit
from reportgen.words import sentence

CODES: tuple[ReasonCode, ...] = (
    "exact_copies_above_tolerance",
    "exact_copies_above_chance",
    "exact_copies_above_twins",
    "identifier_reuse_significant",
    "identifier_reuse",
)
"""Reasons that are evidence of a leak, as distinct from what a low level lacks."""
REUSE_P_VALUE = 0.05
"""Level of the test for reused identifiers, after Holm over the columns."""


def reuse_high(reuse: Sequence[Reuse]) -> list[Reason]:
    """Reused identifiers: more distinct synthetic values occur among the original rows than relabelling explains."""
    return [
        _reuse_reason("identifier_reuse_significant", one)
        for one in reuse
        if one.p_value is not None and one.p_value <= REUSE_P_VALUE
    ]


def reuse_moderate(reuse: Sequence[Reuse]) -> list[Reason]:
    """Identifiers that occur among the original rows and nowhere in the holdout, too few to be significant."""
    return [_reuse_reason("identifier_reuse", one) for one in reuse if one.in_original and one.in_holdout == 0]


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


def high(copies: CopyCounts, kind: HoldoutKind, tolerance: float) -> list[Reason]:
    """Evidence for a high level. `tolerance` in percent of the synthetic rows.

    Exact copies: the one-sided 95 % Clopper-Pearson limit of their share lies above the share that chance explains
    (rows identical to a holdout row; without a true holdout, original rows with a twin) plus the tolerance.
    """
    if lower_limit(copies.synthetic_in_original, copies.synthetic_rows) > _chance(copies, kind) + tolerance / 100:
        return [_copies_reason("exact_copies_above_tolerance", copies, kind, tolerance)]
    return []


def moderate(copies: CopyCounts, kind: HoldoutKind) -> list[Reason]:
    """Evidence for a moderate level.

    With a true holdout: exact copies of original rows where chance makes none, neither between the synthetic rows and
    the holdout nor among the real rows, if two different rows are copied or real rows are far enough apart that no two
    differ in one column only. Without one: the limit of `high` at a tolerance of zero.
    """
    if kind != "provided":
        limit = lower_limit(copies.synthetic_in_original, copies.synthetic_rows)
        return [_copies_reason("exact_copies_above_twins", copies, kind, 0.0)] if limit > _chance(copies, kind) else []
    impossible_by_chance = not copies.synthetic_in_holdout and not copies.real_rows_repeat
    telling = copies.different_originals_copied >= 2 or not copies.near_twins
    if copies.synthetic_in_original and impossible_by_chance and telling:
        return [_copies_reason("exact_copies_above_chance", copies, kind, 0.0)]
    return []


def _chance(copies: CopyCounts, kind: HoldoutKind) -> float:
    """Share of synthetic rows that may equal an original row without a leak."""
    if kind == "provided":
        return (copies.synthetic_in_holdout or 0) / copies.synthetic_rows
    return copies.original_with_twin / copies.original_rows


def _copies_reason(code: str, copies: CopyCounts, kind: HoldoutKind, tolerance: float) -> Reason:
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
    return Reason.model_validate(
        {
            "code": code,
            "metric": "exact_copies",
            "text": text,
            "value": share,
            "bound": bound,
            "limit": limit,
            "unit": "share",
        }
    )
