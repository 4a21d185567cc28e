"""Ranks, counts and first places are those of np.unique."""

import numpy as np
import pytest

from reportgen.ranks import counted, grouped, number_of_different, ranked

ARRAYS = {
    "integers": np.random.default_rng(0).integers(-5, 5, size=1000),
    "all different": np.random.default_rng(1).permutation(1000),
    "one": np.zeros(7),
    "empty": np.zeros(0),
    "missing": np.array([np.nan, 2.5, -1.0, np.nan, 2.5, np.inf, -np.inf]),
    "missing alone": np.full(4, np.nan),
    "unsigned": np.array([2**64 - 1, 0, 2**63], dtype=np.uint64),
}


@pytest.mark.parametrize("values", ARRAYS.values(), ids=list(ARRAYS))
def test_what_is_found_is_what_numpy_finds(values):
    before = values.copy()
    different, first, ranks, counts = np.unique(values, return_index=True, return_inverse=True, return_counts=True)
    for found, expected in (
        (ranked(values), (different, ranks)),
        (grouped(values), (first, ranks)),
        (counted(values), (different, counts)),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
    assert number_of_different(values) == len(different)
    np.testing.assert_array_equal(values, before)
