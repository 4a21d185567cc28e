"""Persons of rows: who is permuted, summed and told apart."""

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.persons import Persons, canonical, distinct_pairs, first_per_person, person_labelings


def persons(original, holdout=()):
    person = np.array([*original, *holdout], dtype=np.int64)
    return Persons(person, np.arange(len(person)) < len(original))


def test_a_person_on_both_sides_is_counted_on_both_and_not_permuted():
    found = persons([0, 0, 1, 2], [2, 3])
    assert (found.number, found.originals, found.holdouts, found.shared) == (4, 3, 2, 1)
    assert found.permuted.tolist() == [0, 1, 3]
    assert found.labels.tolist() == [True, True, False]


def test_values_are_summed_over_the_rows_of_each_permuted_person():
    found = persons([0, 0, 1, 2], [2, 3])
    sums = found.summed(np.array([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]]))
    assert sums.tolist() == [[3.0], [4.0], [32.0]]  # person 2 is on both sides


def test_rows_take_the_label_of_their_person_and_those_of_a_shared_person_keep_their_own():
    found = persons([0, 0, 1, 2], [2, 3])
    relabelled = found.relabelled(np.array([0, 1, 1], dtype=np.uint8))
    assert relabelled.tolist() == [False, False, True, True, False, True]


def test_without_a_person_of_its_own_a_side_has_no_label_to_exchange():
    assert persons([0, 1], [2]).testable
    assert not persons([0, 1], [1, 0]).testable
    assert not persons([0, 1], [1]).testable


def test_every_labeling_calls_as_many_persons_original_as_are():
    drawn = np.concatenate(list(person_labelings(persons([0, 0, 0, 1], [2, 3, 3]), 50, np.random.default_rng(0))))
    assert drawn.shape == (50, 4)
    assert set(drawn.sum(axis=1).tolist()) == {2}


def test_numbers_of_persons_depend_neither_on_names_nor_on_the_order_of_rows():
    random = np.random.default_rng(0)
    contents, person = random.integers(6, size=40), random.permutation(np.arange(40) % 12)
    original = np.arange(40) < 25
    first = canonical(Persons(person, original), contents)
    order, renamed = random.permutation(40), random.permutation(12)[person]
    again = canonical(Persons(renamed[order], original[order]), contents[order])

    def rows(found, by):
        return sorted(zip(found.person.tolist(), by.tolist(), found.original.tolist(), strict=True))

    assert rows(first, contents) == rows(again, contents[order])


def test_rows_of_a_person_count_once_in_the_first_bin_and_in_a_pair():
    assert first_per_person(np.array([1, 0, 1]), np.array([4, 3, 2])).tolist() == [3, 2]
    left, right = distinct_pairs(np.array([2, 0, 2, 2]), np.array([1, 0, 1, 0]))
    assert list(zip(left.tolist(), right.tolist(), strict=True)) == [(0, 0), (2, 0), (2, 1)]


def test_unequal_numbers_of_rows_are_told_by_the_labels_of_persons():
    # Two original persons of 3 rows and two holdout persons of 1: Σ = 6, mean 4, variance 1/4 · 4/3 · 4 = 4/3.
    found = persons([0, 0, 0, 1, 1, 1], [2, 3])
    assert found.rows_p_value() == pytest.approx(2 * norm.sf(2 / np.sqrt(4 / 3)))
    assert persons([0, 0, 1, 1], [2, 2]).rows_p_value() == 1.0
    assert persons([0, 1], [0, 1]).rows_p_value() is None
