"""Counts of rows that are identical across tables: by value as read, never by distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class CopyCounts:
    """Rows identical on all used columns, as read. What concerns the holdout is None without a true holdout."""

    synthetic_rows: int
    synthetic_in_original: int
    synthetic_in_holdout: int | None
    synthetic_in_both: int | None
    original_rows: int
    original_in_synthetic: int
    """Original rows that occur again in the synthetic table."""
    different_originals_copied: int
    """How many different rows those are."""
    original_with_twin: int
    """Original rows with an identical other original row."""
    holdout_rows: int | None
    holdout_in_original: int | None
    original_in_holdout: int | None
    real_rows_repeat: bool
    """Whether any two rows of original and holdout together are identical."""
    near_twins: bool
    """Whether two different rows of original and holdout agree on all used columns but one."""


def count_copies(original: Ids, synthetic: Ids, holdout: Ids | None, *, near_twins: bool) -> CopyCounts:
    """Count identical rows from the ids of identical rows, each shape (rows,), equal ids meaning equal rows."""
    in_original = np.isin(synthetic, original)
    again = np.isin(original, synthetic)
    in_holdout = None if holdout is None else np.isin(synthetic, holdout)
    real = original if holdout is None else np.concatenate((original, holdout))
    return CopyCounts(
        synthetic_rows=len(synthetic),
        synthetic_in_original=int(in_original.sum()),
        synthetic_in_holdout=None if in_holdout is None else int(in_holdout.sum()),
        synthetic_in_both=None if in_holdout is None else int((in_original & in_holdout).sum()),
        original_rows=len(original),
        original_in_synthetic=int(again.sum()),
        different_originals_copied=len(np.unique(original[again])),
        original_with_twin=int(_repeated(original).sum()),
        holdout_rows=None if holdout is None else len(holdout),
        holdout_in_original=None if holdout is None else int(np.isin(holdout, original).sum()),
        original_in_holdout=None if holdout is None else int(np.isin(original, holdout).sum()),
        real_rows_repeat=bool(_repeated(real).any()),
        near_twins=near_twins,
    )


def _repeated(ids: Ids) -> NDArray[np.bool_]:
    """Mark the rows whose id occurs more than once."""
    _, inverse, counts = np.unique(ids, return_inverse=True, return_counts=True)
    marks: NDArray[np.bool_] = counts[inverse] > 1
    return marks


def overlap_p_value(original: Ids, holdout: Ids, random: np.random.Generator, relabellings: int = 499) -> float:
    """How unusual it is that so many original rows have an identical holdout row.

    The share of random relabellings of all real rows (the observed one included) in which at least as many rows
    labelled original have an identical row labelled holdout. Twins by nature fall on both sides as often as on one;
    rows copied across always lie on both (metrics.md, trap 6). Returns 1.0 without any overlap.
    """
    observed = int(np.isin(original, holdout).sum())
    if not observed:
        return 1.0
    real = np.concatenate((original, holdout))
    members = real[_repeated(real)]  # only these can ever overlap
    _, group = np.unique(members, return_inverse=True)
    as_large = 1
    for _ in range(relabellings):
        labelled = int(random.hypergeometric(len(original), len(holdout), len(members)))
        is_original = random.permutation(np.arange(len(members)) < labelled)
        originals = np.bincount(group[is_original], minlength=group.max() + 1)
        holdouts = np.bincount(group[~is_original], minlength=group.max() + 1)
        as_large += int(originals[holdouts > 0].sum()) >= observed
    return as_large / (relabellings + 1)
