import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.attacks.predicates import Predicates, different, matches


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 4), st.integers(0, 30))
def test_a_predicate_matches_the_rows_that_fulfil_all_its_conditions(seed, rows, conditions, number):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 6, (4, rows)).astype(np.int32)
    ends = np.sort(random.integers(0, 6, (2, number, conditions)), axis=0)
    asked = Predicates(random.integers(0, 4, (number, conditions)), ends[0], ends[1])
    which, found = matches(asked, codes)
    expected = {
        (predicate, row)
        for predicate in range(number)
        for row in range(rows)
        if all(
            asked.low[predicate, c] <= codes[asked.columns[predicate, c], row] <= asked.high[predicate, c]
            for c in range(conditions)
        )
    }
    assert set(zip(which.tolist(), found.tolist(), strict=True)) == expected
    assert len(which) == len(expected)
    assert (np.diff(which) >= 0).all()


def test_blocks_of_candidates_do_not_change_what_is_found(monkeypatch):
    random = np.random.default_rng(0)
    codes = random.integers(0, 9, (3, 50)).astype(np.int32)
    asked = Predicates(random.integers(0, 3, (40, 2)), np.zeros((40, 2), dtype=int), random.integers(0, 9, (40, 2)))
    whole = matches(asked, codes)
    monkeypatch.setattr("reportgen.attacks.predicates._PAIRS", 7)
    for one, other in zip(whole, matches(asked, codes), strict=True):
        np.testing.assert_array_equal(one, other)


def test_repeated_predicates_are_kept_once():
    asked = Predicates(np.array([[1], [0], [1]]), np.array([[2], [2], [2]]), np.array([[3], [3], [3]]))
    assert different(asked).columns.tolist() == [[1], [0]]
