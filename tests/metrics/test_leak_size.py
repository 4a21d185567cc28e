import numpy as np
import pytest
from scipy.stats import chi2

from reportgen.metrics.leak_size import claims, leak_size, limits, own_ratio_cut


def test_agrees_with_the_oracle(oracle_case):
    pool, synthetic, expected = oracle_case
    size = leak_size(pool.real, synthetic)
    assert {
        "L": size.lower,
        "U": size.upper,
        "c": size.cut,
        "theta": size.theta,
        "v_H": size.squares_holdout,
        "v_T": size.squares_original,
        "w_max": size.largest,
        "x_H": size.anchored_holdout,
        "x_T": size.anchored_original,
    } == pytest.approx(expected["leak_size"], rel=1e-6)


def test_limits_of_single_claims_are_those_of_a_poisson_count():
    # Garwood's limits: chi2(.05, 2x)/2 and chi2(.95, 2x + 2)/2.
    for count in (1, 4, 30):
        assert limits(count, count, 1) == pytest.approx(
            (chi2.ppf(0.05, 2 * count) / 2, chi2.ppf(0.95, 2 * count + 2) / 2)
        )
    # e^-x = .05 at x = 2.9957.
    assert limits(0, 0, 1) == pytest.approx((0, -np.log(0.05)))


def test_twins_count_as_ratio_zero_but_do_not_make_the_cut_zero(found):
    # 98 single rows with ratios .01 … .98 and one row that occurs twice. Of 100 ratios, 0 0 .01 …, the 1 % quantile is
    # at position .99, lower: 0. Of the 98 single rows the .5 % quantile is at position .485: .01.
    within = [[n / 100, 1] for n in range(1, 99)] + [[0.5, 1]]
    real, _ = found([1] * 98 + [2], [1] * 99, [[1, 2]], [[0, 1]], within=within)
    assert own_ratio_cut(real, 0.01) == 0.01
    assert own_ratio_cut(real, 0.2) == pytest.approx(0.18)


def test_cut_is_zero_where_every_row_has_a_twin(found):
    real, _ = found([2, 3], [1, 1], [[1, 2]], [[0, 1]])
    assert own_ratio_cut(real, 0.01) == 0


def test_claims_are_split_over_tied_rows(found):
    real, synthetic = found([1, 1, 1], [1, 1, 0], [[0, 3], [2, 2], [1, 4]], [[0, 1], [1, 2], [0, 2]], times=[2, 1, 3])
    np.testing.assert_array_equal(claims(real, synthetic, 0.3), [5, 0, 0])
    np.testing.assert_array_equal(claims(real, synthetic, 1.0), [5, 0.5, 0.5])


def test_upper_bound_of_a_small_table_is_never_below_three_rows(found):
    real, synthetic = found([1] * 200, [1, 0] * 100, [[1, 1.0]] * 10, [[0, 1]] * 10, within=[[1, 2.0]] * 200)
    size = leak_size(real, synthetic)
    assert (size.theta, size.lower) == (0, 0)
    assert size.upper == pytest.approx(0.3, abs=1e-4)


def test_bounds_hold_the_rows_really_leaked(search, people):
    random = np.random.default_rng(0)
    for _ in range(10):
        original, holdout, synthetic = people(300, random), people(300, random), people(300, random)
        synthetic[:30] = original[:30]
        pool, found = search(original, holdout, synthetic)
        size = leak_size(pool.real, found)
        assert size.lower <= 0.1 <= size.upper
        assert 0.05 <= size.theta <= 0.15
