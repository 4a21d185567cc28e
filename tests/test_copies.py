"""Counts of identical rows and the test for a leaky holdout."""

import numpy as np
import pytest

from reportgen.copies import ColumnCodes, count_copies, holm, overlap_p_value, reuse_of
from reportgen.persons import Persons


def test_counts_by_hand():
    # original 1 1 2 3, synthetic 1 2 2 9 7, holdout 2 7
    counts = count_copies(np.array([1, 1, 2, 3]), np.array([1, 2, 2, 9, 7]), np.array([2, 7]), near_twins=False)
    assert counts.synthetic_in_original == 3
    assert counts.synthetic_in_holdout == 3
    assert counts.synthetic_in_both == 2
    assert counts.original_in_synthetic == 3
    assert counts.different_originals_copied == 2
    assert counts.original_with_twin == 2
    assert counts.holdout_in_original == 1
    assert counts.original_in_holdout == 1
    assert counts.real_rows_repeat


def test_without_a_holdout_nothing_is_said_of_one():
    counts = count_copies(np.array([1, 2]), np.array([1]), None, near_twins=False)
    assert counts.synthetic_in_holdout is None
    assert counts.holdout_rows is None
    assert not counts.real_rows_repeat


def test_copying_two_percent_of_the_original_into_the_holdout_is_noticed():
    original = np.arange(1000)
    holdout = np.concatenate((original[:20], np.arange(2000, 2980)))
    assert overlap_p_value(original, holdout, np.random.default_rng(0)) <= 0.01


def test_natural_twins_are_not_noticed():
    """Rows drawn from one population in which rows repeat: few p-values at or below .01 in 60 runs."""
    flagged = 0
    for run in range(60):
        random = np.random.default_rng(run)
        real = random.integers(20_000, size=2000)
        flagged += overlap_p_value(real[:1000], real[1000:], random) <= 0.01
    assert flagged <= 3  # expected 0.6; P(more than 3) < 0.4 %


def test_no_overlap_has_a_p_value_of_one():
    assert overlap_p_value(np.arange(5), np.arange(5, 9), np.random.default_rng(0)) == 1.0


@pytest.mark.parametrize("size", [(100, 100), (100, 20)])
def test_identical_files_are_noticed(size):
    original = np.arange(size[0])
    assert overlap_p_value(original, original[: size[1]], np.random.default_rng(0)) <= 0.01


def codes(original, synthetic, holdout):
    return ColumnCodes("name", *(None if part is None else np.array(part) for part in (original, synthetic, holdout)))


def test_reused_values_are_counted_once_each_and_missing_is_none():
    (found,) = reuse_of([codes([1, 2, 3, -1], [1, 1, 2, 9, -1], [2, 8])], np.random.default_rng(0))
    assert (found.distinct, found.in_original, found.in_holdout) == (3, 2, 1)


def test_reused_names_are_noticed_and_common_names_are_not():
    original, holdout = np.arange(500), np.arange(500, 1000)
    (reused,) = reuse_of([codes(original, original[:20], holdout)], np.random.default_rng(0))
    assert reused.p_value <= 0.002
    common = np.arange(50)  # every name occurs on both sides
    (shared,) = reuse_of([codes(np.tile(common, 10), common, np.tile(common, 10))], np.random.default_rng(0))
    assert shared.p_value == 1.0


def test_the_p_value_of_unique_values_is_hypergeometric():
    # 3 reused values, all in the original, of 10 + 10 real rows: C(10,3)/C(20,3) = 120/1140 = 0.105
    (found,) = reuse_of([codes(range(10), [0, 1, 2], range(10, 20))], np.random.default_rng(0), relabellings=4999)
    assert found.p_value == pytest.approx(0.105, abs=0.02)


def test_without_a_true_holdout_reuse_is_counted_and_not_tested():
    (found,) = reuse_of([codes([1, 2], [2, 3], None)], np.random.default_rng(0))
    assert (found.in_original, found.in_holdout, found.p_value) == (1, None, None)


def test_holm_by_hand():
    # sorted .01 .02 .04 times 3, 2, 1: .03 .04 .04, running maximum .03 .04 .04
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([]) == []


def of_sides(original, holdout):
    return Persons(np.array([*original, *holdout]), np.arange(len(original) + len(holdout)) < len(original))


def test_rows_that_a_person_repeats_are_no_twins():
    # original 1 1 of person 0, 2 of person 1 and 2 of person 2; holdout 3 3 of person 3
    original, holdout = np.array([1, 1, 2, 2]), np.array([3, 3])
    persons = of_sides([0, 0, 1, 2], [3, 3])
    counts = count_copies(original, np.array([1]), holdout, near_twins=False, persons=persons)
    assert counts.original_with_twin == 2
    assert counts.real_rows_repeat
    assert (counts.original_people, counts.holdout_people, counts.shared_persons) == (3, 1, 0)
    alone = count_copies(original[:2], np.array([1]), holdout, near_twins=False, persons=of_sides([0, 0], [3, 3]))
    assert (alone.original_with_twin, alone.real_rows_repeat) == (0, False)


def test_rows_that_one_person_repeats_make_no_holdout_leaky():
    # One person's row, 30 times in the original, and once, another person's, in the holdout. By rows 30 of 31 twins
    # hardly ever fall on one side; by person the first is original and the second not in 71/171 · 100/170 = .244.
    original = np.concatenate((np.zeros(30, dtype=np.int64), np.arange(1, 71)))
    holdout = np.concatenate((np.zeros(1, dtype=np.int64), np.arange(100, 199)))
    persons = of_sides(np.concatenate((np.zeros(30, dtype=np.int64), np.arange(1, 71))), 71 + np.arange(100))
    assert overlap_p_value(original, holdout, np.random.default_rng(0)) <= 0.01
    by_person = overlap_p_value(original, holdout, np.random.default_rng(0), persons=persons)
    assert by_person == pytest.approx(0.244, abs=0.06)


def test_reuse_is_compared_with_relabelled_persons():
    # Six values that occur again, all of one original person with six rows: by rows p = 2^-6, by person 1/2.
    original, holdout = codes(range(100), range(6), range(100, 200)).original, np.arange(100, 200)
    column = codes(original, range(6), holdout)
    persons = of_sides(np.concatenate((np.zeros(6, dtype=np.int64), np.arange(1, 95))), 95 + np.arange(100))
    (by_row,) = reuse_of([column], np.random.default_rng(0))
    (by_person,) = reuse_of([column], np.random.default_rng(0), persons=persons)
    assert by_row.p_value < 0.05
    assert by_person.p_value == pytest.approx(95 / 195, abs=0.06)


def test_without_persons_of_its_own_nothing_is_relabelled():
    persons = of_sides([0, 1], [0, 1])
    assert overlap_p_value(np.array([5, 6]), np.array([5, 7]), np.random.default_rng(0), persons=persons) == 1.0
