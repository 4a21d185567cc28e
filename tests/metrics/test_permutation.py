import itertools

import numpy as np
import pytest

from reportgen.distances import RealRows
from reportgen.metrics.permutation import combine, labelings, moments, z_scores


def real_rows(occurrences, originals):
    return RealRows(np.array(occurrences), np.array(originals), np.ones((len(occurrences), 2)))


def test_variance_is_that_of_all_labelings():
    # Five real rows, two of them equal; every choice of two rows is as likely.
    real = real_rows([1, 2, 1, 1], [0, 1, 1, 0])
    each = np.array([[3.0], [0.5], [0.0], [7.0]])
    by_row = np.repeat(each[:, 0], real.occurrences)
    sums = [sum(chosen) for chosen in itertools.combinations(by_row, 2)]
    mean, sd = moments(each, real)
    assert 2 * mean[0] == pytest.approx(np.mean(sums), rel=1e-15)
    assert sd[0] == pytest.approx(np.std(sums), rel=1e-14)


def test_observed_labeling_comes_first():
    # A = 4 on the only original row of four: sum 4, mean 1, sd sqrt(1/4 * 3/4 * 4/3 * (9 + 3)) = sqrt(3).
    z = z_scores(real_rows([1, 1, 1, 1], [1, 0, 0, 0]), np.array([[4.0], [0], [0], [0]]), 5, np.random.default_rng(0))
    assert z.shape == (6, 1)
    assert z[0, 0] == round(np.sqrt(3), 4)


def test_equal_weights_say_nothing():
    z = z_scores(real_rows([1, 2, 1], [1, 1, 0]), np.array([[0.1], [0.2], [0.1]]), 20, np.random.default_rng(0))
    assert not z.any()


def test_labelings_keep_the_number_of_original_rows():
    blocks = np.concatenate(list(labelings(30, 7, 500, np.random.default_rng(0))))
    assert blocks.shape == (500, 30)
    assert (blocks.sum(axis=1) == 7).all()
    # Every row is original in 7 of 30 labelings: 116.7 of 500, sd 9.5.
    assert np.abs(blocks.sum(axis=0) - 500 * 7 / 30).max() < 4 * 9.5


def test_sums_do_not_depend_on_their_order():
    random = np.random.default_rng(1)
    weights = random.lognormal(sigma=6, size=(400, 2))
    order = random.permutation(400)
    labels = random.integers(2, size=400)
    one = z_scores(real_rows(np.ones(400, int), labels), weights, 0, random)
    other = z_scores(real_rows(np.ones(400, int), labels[order]), weights[order], 0, random)
    assert one.tobytes() == other.tobytes()


def test_families_are_combined_as_worked_out_by_hand():
    # Two families of shares .6 and .4 on four labelings. Family 1: z = 3 1 2 0, p = 1/4 3/4 2/4 4/4; family 2, the
    # larger of two: z = 1 5 1 0, p = 3/4 1/4 3/4 4/4. v = min(p1/.6, p2/.4) = .417 .625 .833 1.67: observed .417 is
    # the smallest: p = 1/4, family 1 leads. Seen from the second labeling v = .625: two of four.
    z = np.array([[3.0, 0, 1], [1, 5, 0], [2, 1, -1], [0, -2, 0]])
    families = [(slice(0, 1), 6), (slice(1, 3), 4)]
    first, second = combine(z, families), combine(z, families, 1)
    assert (first.p_value, first.families, first.statistics, first.leading) == (0.25, (0.25, 0.75), (3.0, 1.0), 0)
    assert (second.p_value, second.families, second.leading) == (0.5, (0.75, 0.25), 1)


def test_p_values_are_uniform_where_all_labelings_are_alike():
    # The observed labeling is one of 20 exchangeable ones: p is k/20 with equal chance, up to ties.
    random = np.random.default_rng(2)
    p_values = [combine(random.normal(size=(20, 4)), [(slice(0, 2), 1), (slice(2, 4), 1)]).p_value for _ in range(2000)]
    assert np.mean(np.array(p_values) <= 0.25) == pytest.approx(0.22, abs=0.05)


@pytest.mark.parametrize("rows", [50, 200_000])
def test_rows_that_weigh_nothing_may_be_left_out(rows):
    """To the bit, over several blocks of rows, with rows that repeat and a weight that nobody has."""
    random = np.random.default_rng(0)
    occurrences = random.integers(1, 3, rows)
    real = real_rows(occurrences, np.minimum(occurrences, random.integers(0, 3, rows)))
    some = np.sort(random.choice(rows, rows // 10, replace=False))
    weights = random.random((len(some), 4)) * [1, 10, 0, 1e-9]
    everywhere = np.zeros((rows, 4))
    everywhere[some] = weights
    few, all_ = (
        z_scores(real, values, 8, np.random.default_rng(1), *which)
        for values, which in ((weights, [some]), (everywhere, []))
    )
    assert few.tobytes() == all_.tobytes()
    assert not few[:, 2].any()
    each = weights / occurrences[some, np.newaxis]
    few, all_ = moments(each, real, some), moments(everywhere / occurrences[:, np.newaxis], real)
    assert [one.tobytes() for one in few] == [one.tobytes() for one in all_]
