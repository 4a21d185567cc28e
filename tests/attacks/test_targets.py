import numpy as np

from reportgen.attacks.targets import Targets, targets
from reportgen.persons import Persons


def test_all_rows_are_attacked_where_nothing_else_is_known():
    found = targets(np.arange(30), np.arange(30, 55), None, np.random.default_rng(0))
    assert found.original.tolist() == list(range(30))
    assert found.holdout.tolist() == list(range(30, 55))


def test_at_most_so_many_are_drawn():
    found = Targets(np.arange(30), np.arange(30, 55)).drawn(10, np.random.default_rng(0))
    assert len(set(found.original.tolist())) == len(set(found.holdout.tolist())) == 10


def test_one_row_of_each_person_is_attacked_and_nobody_who_is_on_both_sides():
    # Persons 0-24 have three original rows each, 20-49 one holdout row: 20-24 are on both sides.
    person = np.concatenate((np.repeat(np.arange(25), 3), np.arange(20, 50)))
    original = np.arange(105) < 75
    found = targets(np.arange(75), np.arange(75, 105), Persons(person, original), np.random.default_rng(0))
    assert sorted(person[found.original].tolist()) == list(range(20))
    assert sorted(person[found.holdout].tolist()) == list(range(25, 50))


def test_which_row_of_a_person_is_attacked_is_chance():
    person = np.repeat(np.arange(300), 3)
    found = targets(np.arange(900), None, Persons(person, np.ones(900, dtype=bool)), np.random.default_rng(0))
    assert np.bincount(found.original % 3).min() > 60


def test_repeats_within_one_file_count_once():
    found = targets(np.tile(np.arange(100), 3), np.arange(100, 200), None, np.random.default_rng(0))
    assert found.original.tolist() == list(range(100))


def test_too_few_people_are_not_attacked():
    assert targets(np.arange(19), np.arange(30), None, np.random.default_rng(0)) == "too_few_targets"
    everybody = Persons(np.tile(np.arange(30), 2), np.arange(60) < 30)
    assert targets(np.arange(30), np.arange(30), everybody, np.random.default_rng(0)) == "shared_persons"
