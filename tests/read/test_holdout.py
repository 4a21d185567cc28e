"""Which rows are compared with which where rows belong to persons."""

import numpy as np

from reportgen.read.holdout import plan_draws


def test_halves_of_an_approximate_holdout_are_halves_of_persons():
    persons = np.random.default_rng(0).permutation(np.repeat(np.arange(30), np.arange(1, 31)))
    plans = plan_draws("approximate", len(persons), 1000, None, 8, np.random.default_rng(1), persons)
    assert len(plans) == 8
    for plan in plans:
        assert not set(persons[plan.queries]) & set(persons[plan.holdout])
        assert len(plan.holdout) == len(plan.synthetic)
    assert len({(len(plan.queries), len(plan.holdout)) for plan in plans}) == 1
    assert len({tuple(plan.queries) for plan in plans}) == 8


def test_each_person_of_the_other_half_gives_one_row():
    # Four persons of ten rows: two of them ask with all their rows, the others give one row each.
    persons = np.repeat(np.arange(4), 10)
    (plan,) = plan_draws("approximate", 40, 100, None, 1, np.random.default_rng(0), persons)
    assert (len(plan.queries), len(plan.holdout), len(plan.synthetic)) == (20, 2, 2)
    assert sorted({*persons[plan.queries], *persons[plan.holdout]}) == [0, 1, 2, 3]


def test_each_holdout_person_gives_one_row_and_the_synthetic_table_as_many():
    # Three holdout persons, of rows 0 and 3, row 1, and rows 2, 4 and 5: every base has three rows.
    held = np.array([0, 1, 2, 0, 2, 2])
    plans = plan_draws("provided", 4, 6, 6, 50, np.random.default_rng(0), np.array([0, 0, 1, 1]), held)
    assert len(plans) == 50
    assert all(plan.queries.tolist() == [0, 1, 2, 3] and not plan.whole for plan in plans)
    assert all(len(set(plan.synthetic.tolist())) == 3 for plan in plans)
    bases = {tuple(plan.holdout.tolist()) for plan in plans}
    assert bases == {(0, 1, 2), (0, 1, 4), (0, 1, 5), (1, 2, 3), (1, 3, 4), (1, 3, 5)}


def test_fewer_synthetic_rows_than_persons_are_as_many_persons():
    held = np.repeat(np.arange(5), 2)
    plans = plan_draws("provided", 10, 3, 10, 20, np.random.default_rng(0), held, held)
    assert all(len(plan.synthetic) == len(set(held[plan.holdout].tolist())) == 3 for plan in plans)


def test_persons_of_one_row_each_are_compared_as_rows():
    (plan,) = plan_draws("provided", 3, 4, 4, 20, np.random.default_rng(0), np.arange(3), np.arange(4))
    assert plan.whole


def test_persons_without_rows_enough_are_not_compared():
    persons = np.array([0] * 9 + [1])
    assert plan_draws("approximate", 10, 10, None, 5, np.random.default_rng(0), persons) == ()
