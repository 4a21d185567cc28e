"""leak_test: do synthetic rows point at original rows more than at holdout rows? The primary test, level 5 %.

Eleven weights (`leak_weights`) in three families — near copies, copies with altered columns, general closeness — and
one permutation p-value. A family's statistic is its largest z; p_f is its rank among 999 permuted labelings of the
real rows and the observed one; v = min p_f/share_f; p = the share of labelings with v at most the observed v. Each
synthetic row looks for real rows; lower p speaks for a leak. Needs a true holdout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.distances import Floats, Ints, RealRows, SyntheticRows
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.leak_weights import WEIGHTS, leak_weights
from reportgen.metrics.permutation import combine, spread_out, z_scores
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.settings import Settings
from reportgen.verdict.families import PERMUTATIONS, TENTHS, Family

KEY = "leak_test"
NEEDS: tuple[Need, ...] = ("pool",)

FAMILIES: dict[Family, tuple[slice, int]] = {
    "near": (slice(0, 4), TENTHS["near"]),
    "altered": (slice(4, 9), TENTHS["altered"]),
    "broad": (slice(9, 11), TENTHS["broad"]),
}
"""The weights of each family and its share of the level, in tenths."""
LEVEL = 0.05


@dataclass(frozen=True)
class LeakTest:
    """The outcome of the test.

    `p_mirrored` is the p-value with original and holdout exchanged, on the same labelings. `rows_behind`: the fewest
    original rows that make up the excess of the leading weight. `bandwidths` by weight.
    """

    p_value: float
    p_mirrored: float
    families: dict[Family, float]
    z: dict[str, float]
    bandwidths: dict[str, float]
    leading_family: Family
    leading_weight: str
    rows_behind: int


def leak_test(
    real: RealRows, synthetic: SyntheticRows, random: np.random.Generator, permutations: int = PERMUTATIONS
) -> LeakTest:
    """Test whether the synthetic rows point at original rows more than at holdout rows."""
    weights = leak_weights(real, synthetic)
    z = z_scores(real, weights.values, permutations, random, weights.rows)
    families = list(FAMILIES.values())
    found, mirrored = combine(z, families), combine(-z, families)
    leading: Family = list(FAMILIES)[found.leading]
    columns = FAMILIES[leading][0]
    best = columns.start + int(z[0, columns].argmax())
    return LeakTest(
        p_value=found.p_value,
        p_mirrored=mirrored.p_value,
        families=dict(zip(FAMILIES, found.families, strict=True)),
        z=dict(zip(WEIGHTS, z[0].tolist(), strict=True)),
        bandwidths=weights.bandwidths,
        leading_family=leading,
        leading_weight=WEIGHTS[best],
        rows_behind=rows_behind(real, spread_out(weights.values[:, best], weights.rows, len(real.occurrences))),
    )


def rows_behind(real: RealRows, weight: Floats) -> int:
    """Count the fewest original rows whose weights make up what the original has beyond its share.

    The excess of the sum over original rows is counted up to what it would be without a holdout, (Σ_T A - qΣA)/(1-q).
    0 where there is no excess. `weight`: W_u, shape (rows of U,). With persons they are what is counted, each with the
    sum over all its rows.
    """
    share = real.original_share
    each = weight / real.occurrences
    if real.persons is not None:
        by_person = real.persons.summed(each[real.place][:, np.newaxis])[:, 0]
        return _fewest(by_person, real.persons.labels.astype(np.int64), float(by_person.sum()), share)
    return _fewest(each, real.originals, float(weight.sum()), share)


def _fewest(each: Floats, originals: Ints, total: float, share: float) -> int:
    excess = (float((originals * each).sum()) - share * total) / (1 - share)
    if excess <= 0:
        return 0
    heavy = np.flatnonzero(each)  # the others add nothing
    order = heavy[np.argsort(-each[heavy], kind="stable")]
    reached = np.cumsum(np.repeat(each[order], originals[order]))
    enough = int(np.searchsorted(reached, excess * (1 - 1e-12)))
    return enough + 1 if enough < len(reached) else int(originals.sum())


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Run the test; `original_rows` are those behind the leading family."""
    if evidence.holdout != "provided":
        return "no_true_holdout"
    if evidence.pool is None:
        return "too_few_rows"
    if not evidence.pool.real.testable:
        return "shared_persons"
    found = leak_test(evidence.pool.real, evidence.pool.synthetic, random)
    scores = {
        "p_value": Score(value=found.p_value, unit="probability", better="higher"),
        **{
            f"p_{family}": Score(value=p_value, unit="probability", better="higher")
            for family, p_value in found.families.items()
        },
        "p_mirrored": Score(value=found.p_mirrored, unit="probability", better="context"),
        "original_rows": Score(value=float(found.rows_behind), unit="count", better="lower"),
        **{f"z:{name}": Score(value=z, reference=0.0, unit="ratio", better="lower") for name, z in found.z.items()},
    }
    return Measured(scores=scores)
