"""holdout_share: the share of synthetic rows whose closest real row is an original one, against n_T/N.

Each synthetic row looks for its closest real row; one tied between rows is split over them, and a row of U counts for
the original by the share of its occurrences there, so that the null is n_T/N at any sizes. The variance is that of a
random labeling of the real rows: synthetic rows that share neighbours make a binomial one too small. With persons
(`--group`) it is that of a random labeling of persons, whose share is the null. Lower is better; secondary. Needs a
true holdout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from reportgen.distances import Floats, RealRows, SyntheticRows
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.permutation import moments
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.settings import Settings
from reportgen.verdict.intervals import clopper_pearson

KEY = "holdout_share"
NEEDS: tuple[Need, ...] = ("pool",)

CONFIDENCE = 0.95


@dataclass(frozen=True)
class HoldoutShare:
    """Shares (0-1) of the synthetic rows. `low` and `high`: 95 % interval; `p_value` one-sided.

    `null`: n_T/N; `null_low`, `null_high`: 95 % of random labelings of the real rows read a share between.
    `tied`: synthetic rows whose closest rows include original and holdout rows.
    """

    share: float
    low: float
    high: float
    null: float
    null_low: float
    null_high: float
    z: float
    p_value: float
    tied: int


def holdout_share(real: RealRows, synthetic: SyntheticRows) -> HoldoutShare:
    """Compute the share, its interval and its one-sided p-value from the permutation variance."""
    nearest, own = synthetic.nearest, real.original_shares
    weights = synthetic.times[:, np.newaxis] * nearest
    claimed = np.bincount(synthetic.real.ravel(), weights=weights.ravel(), minlength=len(own)).astype(np.float64)
    rows, null = synthetic.rows, _null(real, claimed)
    share = float((claimed * own).sum()) / rows
    sd = float(moments((claimed / real.occurrences)[:, np.newaxis], real)[1][0]) / rows
    z = (share - null) / sd if sd > 0 else 0.0
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * sd
    of_original = own[synthetic.real]
    from_both = ((nearest > 0) & (of_original > 0)).any(axis=1) & ((nearest > 0) & (of_original < 1)).any(axis=1)
    return HoldoutShare(
        share=share,
        low=max(0.0, share - reach),
        high=min(1.0, share + reach),
        null=null,
        null_low=max(0.0, null - reach),
        null_high=min(1.0, null + reach),
        z=z,
        p_value=float(ndtr(-z)),
        tied=int(synthetic.times[from_both].sum()),
    )


def _null(real: RealRows, claimed: Floats) -> float:
    """The share that is expected over all labelings: q, and all of what belongs to a person on both sides."""
    if real.persons is None:
        return real.original_rows / real.rows
    each = (claimed / real.occurrences)[real.place]
    fixed = each[~real.persons.moves & real.persons.original].sum()
    return float(fixed + real.original_share * each[real.persons.moves].sum()) / float(each.sum())


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the share with its null, and the synthetic rows that lie where real rows are."""
    if evidence.holdout != "provided":
        return "no_true_holdout"
    if evidence.pool is None:
        return "too_few_rows"
    if not evidence.pool.real.testable:
        return "shared_persons"
    found = holdout_share(evidence.pool.real, evidence.pool.synthetic)
    rows, supported = evidence.pool.synthetic.rows, evidence.pool.supported
    tied, near = clopper_pearson(found.tied, rows), clopper_pearson(round(supported * rows), rows)
    share = Score(
        value=found.share,
        low=found.low,
        high=found.high,
        reference=found.null,
        null_low=found.null_low,
        null_high=found.null_high,
        unit="share",
        better="lower",
    )
    scores = {
        "share": share,
        "p_value": Score(value=found.p_value, unit="probability", better="higher"),
        "tied": Score(value=float(found.tied), low=tied[0] * rows, high=tied[1] * rows, unit="count", better="context"),
        "supported": Score(value=supported, low=near[0], high=near[1], unit="share", better="context"),
    }
    if evidence.pool.real.not_counted:
        scores["not_counted"] = Score(value=float(evidence.pool.real.not_counted), unit="count", better="context")
    return Measured(scores=scores)
