"""Exact copies: synthetic rows identical to an original row on all used columns, by value as read, not by distance.

Beside it the share identical to a holdout row, which is what chance produces. Shares of synthetic rows, lower is
better; the interval is Clopper-Pearson's. Text columns that take no part in the distances (identifiers, free text) are
checked for reuse: the share of their distinct synthetic values that occur in the original, against the holdout.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.evidence import Evidence, Need
from reportgen.model import Better, Measured, NotMeasuredCode, Score
from reportgen.settings import Settings
from reportgen.verdict.intervals import clopper_pearson

KEY = "exact_copies"
NEEDS: tuple[Need, ...] = ()


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the counts of identical rows as shares with their interval."""
    copies = evidence.copies
    rows = copies.synthetic_rows
    low, high = clopper_pearson(copies.synthetic_in_original, rows)
    chance = None if copies.synthetic_in_holdout is None else copies.synthetic_in_holdout / rows
    again_by_chance = None if copies.original_in_holdout is None else float(copies.original_in_holdout)
    again_low, again_high = clopper_pearson(copies.original_in_synthetic, copies.original_rows)
    scores = {
        "synthetic_rows": Score(
            value=copies.synthetic_in_original / rows,
            low=low,
            high=high,
            reference=chance,
            unit="share",
            better="lower",
        ),
        "original_rows": Score(
            value=float(copies.original_in_synthetic),
            low=again_low * copies.original_rows,
            high=again_high * copies.original_rows,
            reference=again_by_chance,
            unit="count",
            better="lower",
        ),
    }
    if copies.synthetic_in_both is not None:
        scores["in_both"] = _counted(copies.synthetic_in_both, rows, None, "context")
    for reuse in evidence.reuse:
        reference = None if reuse.in_holdout is None else _share(reuse.in_holdout, reuse.distinct)
        scores[f"column:{reuse.column}:reused"] = _counted(reuse.in_original, reuse.distinct, reference, "lower")
        if reuse.p_value is not None:
            p_value = Score(value=reuse.p_value, unit="probability", better="context")
            scores[f"column:{reuse.column}:p_value"] = p_value
    return Measured(scores=scores)


def _counted(part: int, whole: int, reference: float | None, better: Better) -> Score:
    """A counted share with its interval; of nothing, 0 without one."""
    low, high = clopper_pearson(part, whole) if whole else (None, None)
    value = _share(part, whole)
    return Score(value=value, low=low, high=high, reference=reference, unit="share", better=better)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
