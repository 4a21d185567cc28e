"""membership_inference: can an attacker with the synthetic table tell original rows from holdout rows?

The attacker scores each real row x by log d1(x, all other real rows) - log d1(x, S): close to the synthetic rows for
how far it is from people. Rows found exactly in S come above all others, whatever else holds, without an epsilon. AUC
(ties half) with DeLong's interval, p by Mann-Whitney (one-sided, ties corrected), the share of original rows found
while at most 1 % of the holdout rows are called members, and the original rows among the 1 % highest scores
(hypergeometric); the same for the 5 % most isolated real rows. Each real row looks for its closest synthetic row. Lower
is better; secondary. Needs a true holdout.

With persons (`--group`) rows are attacked as before, but what is certain is counted in persons: DeLong's variance is
that of clustered data (Obuchowski, Biometrics 53, 1997), the p-value that of mid-ranks summed over persons under
permuted labels of these, the share found has as many rows behind it as its clustered variance is worth (Korn and
Graubard, Survey Methodology 24, 1998), and the highest scores are compared with 999 permuted labelings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from reportgen.distances import Floats, Ints, RealRows
from reportgen.metrics.clustered import against_labelings, auc_variance, rank_test, worth
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.hypergeometric import at_least
from reportgen.metrics.leak_weights import loneliness
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.persons import Persons
from reportgen.settings import Settings
from reportgen.verdict.families import PERMUTATIONS
from reportgen.verdict.intervals import clopper_pearson

KEY = "membership_inference"
NEEDS: tuple[Need, ...] = ("pool",)

CONFIDENCE = 0.95
FALSE_POSITIVES = 0.01
TOP = 0.01
ISOLATED = 0.05
FEWEST = 5
"""An attack on fewer rows of a side says nothing."""


@dataclass(frozen=True)
class Attack:
    """One attack. `auc` with a 95 % interval (DeLong) and `p_value` (Mann-Whitney, one-sided).

    `auc_null`: 95 % of attacks on rows that the generator never saw come within so much of 0.5.

    `found`: share of original rows above every threshold-crossing 1 % of the holdout rows, with a 95 % interval.
    `top_original` of the `top` rows with the highest scores are original rows, `top_expected` by chance; rows tied
    at the end belong to them.
    """

    original_rows: int
    holdout_rows: int
    auc: float
    auc_low: float
    auc_high: float
    auc_null: float
    p_value: float
    found: float
    found_low: float
    found_high: float
    top: int
    top_original: int
    top_expected: float
    top_p_value: float


@dataclass(frozen=True)
class MembershipInference:
    """The attack on all real rows and on the most isolated ones; None where these are too few on a side."""

    all: Attack
    isolated: Attack | None


def membership_inference(real: RealRows, to_synthetic: Floats) -> MembershipInference:
    """Attack with the distance of each row of U to its closest synthetic row, shape (rows of U,)."""
    scores = attack_scores(real, to_synthetic)
    holdouts = real.occurrences - real.originals
    some = isolated(real)
    enough = min(real.originals[some].sum(), holdouts[some].sum()) >= FEWEST
    return MembershipInference(
        all=attack(scores, real.originals, holdouts),
        isolated=attack(scores[some], real.originals[some], holdouts[some]) if enough else None,
    )


def membership_of_persons(
    real: RealRows, persons: Persons, to_synthetic: Floats, random: np.random.Generator
) -> MembershipInference:
    """The same attack on rows that belong to persons; on the isolated ones where five persons of either side have one.

    `persons`: those of `real`, of whom each side has one that the other has not; `random` draws labelings of them.
    """
    scores, place, some = attack_scores(real, to_synthetic), real.place, np.sort(isolated(real))
    every = attack(scores, *_sides(persons, place, len(scores)))
    chosen = np.isin(place, some)
    few = Persons(np.unique(persons.person[chosen], return_inverse=True)[1], persons.original[chosen])
    enough = min(few.originals, few.holdouts) >= FEWEST and few.testable
    own, position = scores[some], np.searchsorted(some, place[chosen])
    return MembershipInference(
        all=_clustered(every, scores[place], persons, random),
        isolated=_clustered(attack(own, *_sides(few, position, len(own))), own[position], few, random)
        if enough
        else None,
    )


def _sides(persons: Persons, place: Ints, rows: int) -> tuple[Ints, Ints]:
    """How many original and holdout rows there are at each place, both (rows,)."""
    inside, outside = (np.bincount(place[mine], minlength=rows) for mine in (persons.original, ~persons.original))
    return inside, outside


def _clustered(found: Attack, scores: Floats, persons: Persons, random: np.random.Generator) -> Attack:
    """Put into an attack what is certain of it where rows of one person belong together. `scores`: (rows,)."""
    _, place, often = np.unique(scores, return_inverse=True, return_counts=True)
    reach = float(ndtri((1 + CONFIDENCE) / 2)) * math.sqrt(auc_variance(place, persons))
    # Rows above the threshold and among the highest scores: places from the top, ties together, as `attack` took them.
    taken_out = np.cumsum(np.bincount(place[~persons.original], minlength=len(often))[::-1])
    called = int(np.searchsorted(taken_out, FALSE_POSITIVES * found.holdout_rows, side="right"))
    hit = (place >= len(often) - called)[persons.original]
    rows = worth(hit, persons.person[persons.original])
    low, high = clopper_pearson(float(hit.mean()) * rows, rows, CONFIDENCE)
    last = int(np.searchsorted(np.cumsum(often[::-1]), found.top))
    expected, top_p_value = against_labelings(place >= len(often) - 1 - last, persons, PERMUTATIONS, random)
    return replace(
        found,
        auc_low=max(0.0, found.auc - reach),
        auc_high=min(1.0, found.auc + reach),
        p_value=rank_test(place, persons),
        found_low=low,
        found_high=high,
        top_expected=expected,
        top_p_value=top_p_value,
    )


def attack_scores(real: RealRows, to_synthetic: Floats) -> Floats:
    """The attacker's score of each row of U; a row that occurs more often has another real row at distance 0."""
    others = np.where(real.twins, 0.0, real.distances[:, 0])
    scores = np.full(len(others), np.inf)
    away = to_synthetic > 0
    scores[away] = -np.inf
    away &= others > 0
    scores[away] = np.log(others[away]) - np.log(to_synthetic[away])
    return scores


def isolated(real: RealRows) -> Ints:
    """The positions in U of the most isolated 5 % of the real rows, by the distance to the fifth other row of U."""
    order = np.argsort(-loneliness(real.distances), kind="stable")
    number = int(np.searchsorted(np.cumsum(real.occurrences[order]), ISOLATED * real.rows, side="right"))
    return order[:number]


def attack(scores: Floats, originals: Ints, holdouts: Ints) -> Attack:
    """Evaluate scores, shape (rows,), that `originals` and `holdouts` rows share; both sides have some."""
    _, place = np.unique(-scores, return_inverse=True)  # the highest score first, ties together
    inside, outside = (np.bincount(place, weights=rows).astype(np.int64) for rows in (originals, holdouts))
    members, others = int(inside.sum()), int(outside.sum())
    taken_in, taken_out = np.cumsum(inside), np.cumsum(outside)
    above_in = (members - taken_in + inside / 2) / members  # members with a lower score than a row of this place
    below_out = (others - taken_out + outside / 2) / others
    auc = float((inside * below_out).sum()) / members
    normal = float(ndtri((1 + CONFIDENCE) / 2))
    reach = normal * math.sqrt(_variance(inside, below_out) + _variance(outside, above_in))
    called = int(np.searchsorted(taken_out, FALSE_POSITIVES * others, side="right"))
    hits = int(taken_in[called - 1]) if called else 0
    low, high = clopper_pearson(hits, members, CONFIDENCE)
    last = int(np.searchsorted(taken_in + taken_out, max(1, math.ceil(TOP * (members + others)))))
    top, top_in = int(taken_in[last] + taken_out[last]), int(taken_in[last])
    return Attack(
        original_rows=members,
        holdout_rows=others,
        auc=auc,
        auc_low=max(0.0, auc - reach),
        auc_high=min(1.0, auc + reach),
        auc_null=min(0.5, normal * math.sqrt(_null_variance(inside, outside)) / members / others),
        p_value=_mann_whitney(auc, inside, outside),
        found=hits / members,
        found_low=low,
        found_high=high,
        top=top,
        top_original=top_in,
        top_expected=top * members / (members + others),
        top_p_value=at_least(top_in, members, others, top),
    )


def _variance(often: Ints, placements: Floats) -> float:
    """DeLong's variance of one side: that of the mean of its placements (Biometrics 44, 1988)."""
    number = int(often.sum())
    if number < 2:
        return 0.25
    mean = float((often * placements).sum()) / number
    return float((often * (placements - mean) ** 2).sum()) / (number - 1) / number


def _mann_whitney(auc: float, inside: Ints, outside: Ints) -> float:
    """One-sided p-value that members score higher: normal, corrected for ties and continuity."""
    members, others = int(inside.sum()), int(outside.sum())
    variance = _null_variance(inside, outside)
    if variance <= 0:
        return 1.0
    return float(ndtr(-(auc * members * others - members * others / 2 - 0.5) / math.sqrt(variance)))


def _null_variance(inside: Ints, outside: Ints) -> float:
    """Mann and Whitney's variance of the number of pairs in the right order, 0 where all scores are tied."""
    members, others = int(inside.sum()), int(outside.sum())
    rows = members + others
    ties = (inside + outside).astype(np.float64)
    return max(0.0, members * others / 12 * (rows + 1 - float((ties**3 - ties).sum()) / (rows * (rows - 1))))


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the attack on all real rows and, where they are enough, on the most isolated ones."""
    if evidence.holdout != "provided":
        return "no_true_holdout"
    if evidence.pool is None or evidence.pool.to_synthetic is None:
        return "too_few_rows"
    if not evidence.pool.real.testable:
        return "shared_persons"
    real, to_synthetic = evidence.pool.real.sample, evidence.pool.to_synthetic
    if real is not evidence.pool.real:
        to_synthetic = to_synthetic[evidence.pool.real.sampled]
        if not real.testable or min(real.original_rows, real.rows - real.original_rows) < FEWEST:
            return "too_few_rows"  # among those drawn
    if real.persons is None:
        found = membership_inference(real, to_synthetic)
    else:
        found = membership_of_persons(real, real.persons, to_synthetic, random)
    scores = _scores(found.all, "")
    if found.isolated is not None:
        scores |= _scores(found.isolated, "isolated_")
    return Measured(scores=scores)


def _scores(found: Attack, prefix: str) -> dict[str, Score]:
    auc = Score(
        value=found.auc,
        low=found.auc_low,
        high=found.auc_high,
        reference=0.5,
        null_low=0.5 - found.auc_null,
        null_high=0.5 + found.auc_null,
        unit="probability",
        better="lower",
    )
    hits = Score(
        value=found.found,
        low=found.found_low,
        high=found.found_high,
        reference=FALSE_POSITIVES,
        unit="share",
        better="lower",
    )
    low, high = clopper_pearson(found.top_original, found.top, CONFIDENCE)
    top = Score(
        value=float(found.top_original),
        low=low * found.top,
        high=high * found.top,
        reference=found.top_expected,
        unit="count",
        better="lower",
    )
    return {
        f"{prefix}auc": auc,
        f"{prefix}tpr_at_1pct_fpr": hits,
        f"{prefix}p_value": Score(value=found.p_value, unit="probability", better="higher"),
        f"{prefix}top_original": top,
        f"{prefix}top_p_value": Score(value=found.top_p_value, unit="probability", better="higher"),
    }
