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


def test_in_the_smallest_half_nothing_is_left_out():
    # Four persons of ten rows: every half has 20 rows, so that nothing has to be drawn down.
    persons = np.repeat(np.arange(4), 10)
    (plan,) = plan_draws("approximate", 40, 100, None, 1, np.random.default_rng(0), persons)
    assert sorted([*plan.queries, *plan.holdout]) == list(range(40))


def test_persons_without_rows_enough_are_not_compared():
    persons = np.array([0] * 9 + [1])
    assert plan_draws("approximate", 10, 10, None, 5, np.random.default_rng(0), persons) == ()
