import itertools

import numpy as np
import pandas as pd
import pytest

from reportgen.attacks.singling_out import permuted_p, singling_out
from reportgen.attacks.targets import Targets, targets


def attack(rows, most=2000, seed=0):
    found = targets(rows.original, rows.holdout, None, np.random.default_rng(seed))
    assert isinstance(found, Targets)
    return singling_out(rows, found, most, np.random.default_rng(seed))


def test_a_table_of_copies_isolates_original_rows_and_hardly_any_holdout_rows(read, people):
    original, holdout = people(300, 0), people(300, 1)
    found = attack(read(original, original.sample(frac=1, random_state=2), holdout))
    for kind in ("univariate", "multivariate"):
        assert found[kind].attack.rate == 1.0  # what only one copy has only one original row has
        assert found[kind].control.rate < 0.6
        assert found[kind].p_value == 1 / 2000
        assert found[kind].baseline < 0.3


def test_copies_made_twice_isolate_as_copies_made_once(read, people):
    original, holdout = people(300, 0), people(300, 1)
    once, twice = (read(original, pd.concat([original] * times), holdout) for times in (1, 2))
    assert attack(once) == attack(twice)


def test_univariate_predicates_are_values_of_one_row_and_extremes_of_one_row(read):
    # In the synthetic rows: x = 1 and x = 9 once each, so x is 1, x is 9, x <= 1, x >= 9; town c once.
    synthetic = pd.DataFrame({"x": [1.0, 4, 4, 9], "town": ["a", "a", "c", "a"]})
    # In the original x = 9 is one row of 20 and x >= 9 are two; x = 1 and town c never occur.
    x = [5.0] * 9 + [6.0] * 9 + [9.0, 10.0]
    original = pd.DataFrame({"x": x, "town": ["a", "b"] * 10})
    found = attack(read(original, synthetic, original))["univariate"]
    assert found.attack == (1, 5)
    assert found.attack == found.control


def test_a_missing_value_of_one_row_is_a_predicate(read):
    synthetic = pd.DataFrame({"x": [1.0, 1, 2, 2, np.nan], "y": [1.0, 2, 1, 2, 1]})
    original = pd.DataFrame({"x": [3.0] * 10 + [4.0] * 9 + [np.nan], "y": [1.0, 2] * 10})
    holdout = pd.DataFrame({"x": [3.0] * 10 + [4.0] * 10, "y": [1.0, 2] * 10})
    found = attack(read(original, synthetic, holdout))["univariate"]
    assert found.attack == (1, 1)
    assert found.control == (0, 1)


def test_three_columns_of_few_values_end_at_once(read):
    random = np.random.default_rng(0)
    tables = [pd.DataFrame({name: random.integers(0, 2, 400) for name in "abc"}) for _ in range(3)]
    found = attack(read(*tables))
    assert found["multivariate"].attack.number <= 8 * 3  # so many different predicates there are that isolate a row
    assert found["multivariate"].attack.hits == 0
    assert found["multivariate"].p_value == 1.0


def test_where_no_synthetic_row_stands_out_there_is_no_predicate(read):
    # All 256 rows of eight columns of two values: whichever five are known, eight rows agree.
    every = pd.DataFrame(itertools.product([0, 1], repeat=8), columns=list("abcdefgh"))
    assert attack(read(every, every, every)) == {}


def test_original_and_holdout_are_drawn_to_one_size(read, people):
    # Of few rows more can be isolated: without equal sizes a small holdout would hide a leak, and a large one feign it.
    rows = read(people(900, 0), people(400, 1), people(100, 2))
    found = attack(rows)["multivariate"]
    assert found.p_value > 0.01


def test_without_a_holdout_there_are_attack_and_baseline(read, people):
    found = attack(read(people(100, 0), people(100, 1)))["univariate"]
    assert found.control is None
    assert found.p_value is None


def test_the_number_of_predicates_is_bounded(read, people):
    found = attack(read(people(200, 0), people(200, 1), people(200, 2)), most=30)
    assert all(one.attack.number <= 30 for one in found.values())


def test_the_p_value_is_the_share_of_labelings_with_as_large_a_difference():
    # Three predicates on 6 rows, 3 of them original: {0}, {1, 3}, {2, 4, 5}. All 20 labelings, written out.
    sets = [{0}, {1, 3}, {2, 4, 5}]

    def difference(labelled):
        inside = [len(rows & labelled) for rows in sets]
        outside = [len(rows - labelled) for rows in sets]
        return sum(one == 1 for one in inside) - sum(one == 1 for one in outside)

    observed = difference({0, 1, 2})
    all_of_them = [difference(set(chosen)) >= observed for chosen in itertools.combinations(range(6), 3)]
    pairs = [(place, row) for place, rows in enumerate(sets) for row in sorted(rows)]
    which, row = (np.array(one) for one in zip(*pairs, strict=True))
    found = permuted_p(which, row, 3, 3, np.random.default_rng(0))
    assert found == pytest.approx(sum(all_of_them) / 20, abs=0.04)


def test_a_predicate_that_nobody_fulfils_gives_no_evidence():
    nothing = np.zeros(0, dtype=np.int64)
    assert permuted_p(nothing, nothing, 5, 5, np.random.default_rng(0)) == 1.0


def test_the_same_random_numbers_make_the_same_attack(read, people):
    rows = read(people(60, 0), people(60, 1), people(60, 2))
    assert attack(rows) == attack(rows)
    assert attack(rows) != attack(rows, seed=1)
