"""Codes of a verdict's reasons, apart from the model because `--help` lists them and must not load its types."""

from __future__ import annotations

from typing import Literal

EvidenceCode = Literal[
    "leak_test_near",
    "leak_test_altered",
    "leak_test_broad",
    "leak_size_above_tolerance",
    "holdout_share_above_margin",
    "exact_copies_above_tolerance",
    "exact_copies_above_chance",
    "exact_copies_above_twins",
    "identifier_reuse_significant",
    "identifier_reuse",
    "closer_than_people",
    "medians_below_ideal",
    "secondary_test",
]
"""Of a leak: behind a high or moderate level."""
LackCode = Literal[
    "no_true_holdout",
    "holdout_is_synthetic",
    "swapped_roles",
    "leaky_holdout",
    "persons_differ",
    "disjoint_supports",
    "too_few_rows",
    "upper_bound_above_tolerance",
    "smallest_leak_above_tolerance",
    "smallest_leak_unknown",
    "metric_failed",
    "metric_not_selected",
    "metric_not_measured",
]
"""Of what a low level needs and the run has not."""
ReasonCode = Literal[EvidenceCode, LackCode, "no_leak_found"]
