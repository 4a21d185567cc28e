"""The three families of the leak test, how its level is shared out over them, and how often chance was asked.

Here, because a report is made from the result alone: the test, the verdict and the page must name the same family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Family = Literal["near", "altered", "broad"]
TENTHS: dict[Family, int] = {"near": 6, "altered": 3, "broad": 1}
"""The share of each family in the test's level, in tenths (metrics.md)."""
PERMUTATIONS = 999
"""Permuted labelings behind each p-value, beside the observed one."""
SPLITS = 200
"""Random splits of the real rows behind each null range."""


def standing_out(p_values: Mapping[Family, float]) -> Family:
    """Return the family with the smallest p-value for its share of the level; of several, the first.

    P-values are ranks over a fixed number of labelings. Quotients that are equal as fractions need not be so in
    floating point, and it decides between high and moderate which family is read: so they are rounded.
    """
    return min(TENTHS, key=lambda family: round(p_values[family] / TENTHS[family], 12))
