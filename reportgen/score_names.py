"""Names of scores as policies write them: `metric`, which stands for its main score, or `metric.score`."""

from __future__ import annotations

import re

METRICS_VERSION = 1
"""Counts the definitions of the metrics: one more wherever a score of the same name means another quantity."""
_RELATIVE = ("median", "outlier", "median_raw", "outlier_raw", "isolated", "isolated_raw", "tail_share")
"""Scores of the metrics that compare with the holdout in percent."""
_RATES = ("risk", "attack_rate", "control_rate", "baseline_rate", "p_value")
"""Scores of one attack."""
ATTACKS = ("singling_out", "linkability", "inference")
"""The attacks, each by the name of the criterion of WP216 that it is on."""
PREDICATES = ("univariate", "multivariate", "profile")
"""Kinds of predicates that single out; scores of one begin with its name."""
_ATTACK = (*_RATES, "attacks", "control_attacks")
SCORES = {
    "exact_copies": ("synthetic_rows", "original_rows", "in_both"),
    "leak_test": (
        "p_value",
        "p_near",
        "p_altered",
        "p_broad",
        "p_mirrored",
        "original_rows",
        "z:near3",
        "z:near12",
        "z:lone6",
        "z:lone25",
        "z:drop6",
        "z:drop25",
        "z:eq1",
        "z:eq2",
        "z:eqL",
        "z:share",
        "z:logr",
    ),
    "leak_size": ("excess", "anchored_original", "anchored_holdout", "cut"),
    "holdout_share": ("share", "p_value", "supported", "tied"),
    "membership_inference": (
        "auc",
        "tpr_at_1pct_fpr",
        "p_value",
        "top_original",
        "top_p_value",
        "isolated_auc",
        "isolated_tpr_at_1pct_fpr",
        "isolated_p_value",
        "isolated_top_original",
        "isolated_top_p_value",
    ),
    "closer_than_people": ("p_value", "rows"),
    "distance_to_closest": _RELATIVE,
    "closest_distances_ratio": _RELATIVE,
    "closest_rate": ("rate", "at_risk", "distance_threshold", "ratio_threshold"),
    "nndr": (
        "excess",
        "p5",
        "median",
        "below_threshold",
        "share_below",
        "excess_over_holdout",
        "holdout_p5",
        "holdout_median",
        "holdout_share_below",
    ),
    "nn_dist": ("score", "threshold", "authenticity"),
    "singling_out": (*_ATTACK, *(f"{kind}_{name}" for kind in PREDICATES for name in _RATES)),
    "linkability": _ATTACK,
    "inference": _ATTACK,
}
"""Every score by metric, the main one first. Not every run has each: some need a holdout.

`closest_distances_ratio.repeated_copies` is none of them: it is there only where it is not 0, and no limit can tell
"none" from "not measured".
"""
_NAMED = {
    "exact_copies": re.compile("column:.+:(reused|p_value)"),
    "nn_dist": re.compile("lead:.+:(score|authenticity|threshold)"),
    "inference": re.compile(f"column:.+:({'|'.join(_RATES)})"),
}
"""Scores of one column or lead, whose names only the data tell."""


def full_name(name: str) -> str:
    """Return `metric.score` for a bare metric; anything else as it is."""
    return f"{name}.{SCORES[name][0]}" if name in SCORES else name


def is_score(name: str) -> bool:
    """Whether `metric.score` can stand in a result."""
    metric, _, score = name.partition(".")
    if metric not in SCORES:
        return False
    named = _NAMED.get(metric)
    return score in SCORES[metric] or bool(named and named.fullmatch(score))


def all_names() -> list[str]:
    """Every bare metric and every `metric.score` whose name the data don't make."""
    return [*SCORES, *(f"{metric}.{score}" for metric, scores in SCORES.items() for score in scores)]
