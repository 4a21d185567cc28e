import math

import numpy as np
import pytest

from reportgen.distances import RealRows
from reportgen.metrics.leak_test import leak_test
from reportgen.metrics.leak_weights import (
    AMONG_REPEATING,
    WEIGHTS,
    WIDEST,
    bandwidth,
    leak_weights,
    loneliness,
    near_shares,
    uniqueness,
)


def once(rows):
    return np.ones(rows, dtype=np.int64)


def test_bandwidth_lets_the_number_asked_for_count():
    # Eight rows at x = 1/2: 8 e^(-1/4h^2) = 2 at h^2 = 1/(4 ln 4).
    assert bandwidth(np.full(8, 0.5), 2, once(8)) == pytest.approx(1 / (2 * math.sqrt(math.log(4))), rel=1e-12)


def test_bandwidth_counts_half_of_few_rows_at_most():
    # Four rows: min(25, 4/2) = 2, so 4 e^(-1/4h^2) = 2 at h^2 = 1/(4 ln 2).
    assert bandwidth(np.full(4, 0.5), 25, once(4)) == pytest.approx(1 / (2 * math.sqrt(math.log(2))), rel=1e-12)


def test_bandwidth_counts_a_row_as_often_as_it_occurs():
    squares = np.array([0.1, 0.3, 0.0, 0.7])
    times = np.array([2, 1, 3, 4])
    assert bandwidth(squares, 3, times) == pytest.approx(bandwidth(np.repeat(squares, times), 3, once(10)), rel=1e-12)


@pytest.mark.parametrize("squares", [[0.0] * 10, [0.0] * 7 + [0.5] * 3, []])
def test_bandwidth_is_the_widest_where_too_few_rows_lie_above_zero(squares):
    assert bandwidth(np.array(squares), 3, once(len(squares))) == WIDEST


def test_bandwidth_stands_the_smallest_numbers():
    width = bandwidth(np.array([5e-324, 1e-300, 1e-300, 0.2, 0.4, 0.9, 1.0, 1.0]), 3, once(8))
    assert 0 < width < 1


def test_equally_lonely_rows_share_their_average_rank():
    # Fifth distances 1 2 2 5: ranks from 0 are 0, 1.5, 1.5, 3; a half more, over four rows.
    distances = np.tile(np.array([[1.0], [2], [2], [5]]), (1, 5))
    np.testing.assert_array_equal(loneliness(distances), [0.125, 0.5, 0.5, 0.875])


def test_weight_of_a_near_row_is_shared_by_distance():
    # d = 1, 2, 4: R^2 = 1/16, shares e^0 : e^(-3/(32 h^2)) : e^(-15/(32 h^2)), at h^2 = 1/32: 1 : e^-3 : e^-15.
    squares = np.array([[1.0, 4, 16]]) / 16
    parts = np.exp([0.0, -3, -15])
    expected = math.exp(-1) * parts / parts.sum()
    np.testing.assert_allclose(near_shares(squares, math.sqrt(1 / 32)), [expected], rtol=1e-14)


def test_rows_tied_for_the_closest_share_a_synthetic_row(found):
    # The first synthetic row is tied between rows 0 and 1, the second sits on row 2; R = 1/2, 0 (ln .01 at least).
    real, synthetic = found([1, 1, 1], [1, 0, 1], [[1, 1, 2], [0, 3, 3]], [[0, 1, 2], [2, 0, 1]], times=[1, 2])
    values = leak_weights(real, synthetic).values
    np.testing.assert_array_equal(values[:, WEIGHTS.index("share")], [0.5, 0.5, 2])
    np.testing.assert_allclose(
        values[:, WEIGHTS.index("logr")], [0.5 * math.log(2), 0.5 * math.log(2), 2 * math.log(100)], rtol=1e-15
    )


def test_weights_do_not_depend_on_who_is_original(found):
    given = ([[1, 1, 2], [0, 3, 3]], [[0, 1, 2], [2, 0, 1]])
    one, other = (leak_weights(*found([1, 2, 1], originals, *given)).values for originals in ([1, 0, 1], [0, 2, 0]))
    assert one.tobytes() == other.tobytes()


def test_all_synthetic_rows_weigh_together_what_they_are(search, people):
    random = np.random.default_rng(3)
    pool, synthetic = search(*(people(rows, random) for rows in (150, 90, 120)))
    sums = dict(zip(WEIGHTS, leak_weights(pool.real, synthetic).values.sum(axis=0), strict=True))
    assert sums["share"] == pytest.approx(120)
    assert sums["near3"] == pytest.approx(3)  # no row sits at distance 0
    assert sums["near12"] == pytest.approx(12)
    assert sums["lone25"] < 25


def ring(occurrences):
    """Rows in a ring, each with the next ten as its closest."""
    rows = len(occurrences)
    neighbours = (np.arange(rows)[:, np.newaxis] + np.arange(1, 11)) % rows
    return RealRows(np.array(occurrences), np.zeros(rows, dtype=np.int64), np.ones((rows, 10)), neighbours=neighbours)


def test_rows_weigh_less_where_repeating_rows_concentrate():
    # 400 rows of which the first three occur twice, p = .0075: of eleven rows two repeat with probability .003, three
    # with .00007. All three are among row 0 and the ten after it, and among those after the eight rows before row 0.
    expected = np.ones(400)
    expected[[0, *range(392, 400)]] = AMONG_REPEATING
    np.testing.assert_array_equal(uniqueness(ring([2] * 3 + [1] * 397)), expected)


def test_rows_that_repeat_everywhere_change_nothing():
    np.testing.assert_array_equal(uniqueness(ring([2] * 15)), np.ones(15))
    np.testing.assert_array_equal(uniqueness(ring([2, 1] * 15)), np.ones(30))


def test_without_repeating_rows_nothing_weighs_less(search, people):
    random = np.random.default_rng(3)
    pool, synthetic = search(*(people(rows, random) for rows in (150, 90, 120)))
    real = pool.real
    assert real.neighbours is not None
    plain = RealRows(real.occurrences, real.originals, real.distances)
    assert leak_weights(real, synthetic).values.tobytes() == leak_weights(plain, synthetic).values.tobytes()


def people_and_pupils(random):
    """600 rows, 30 of which have few ways to be: pupils, of whom any two may be the same."""
    pupils = 5 + np.stack([random.integers(levels, size=30) for levels in (4, 3, 2, 2)], axis=1)
    return np.concatenate([pupils, random.normal(size=(570, 4))])


def test_natural_doubles_do_not_hide_near_copies(search):
    random = np.random.default_rng(0)
    original, holdout, synthetic = (people_and_pupils(random) for _ in range(3))
    synthetic[-9:] = original[-9:] + 0.02 * random.normal(size=(9, 4))
    pool, found = search(original, holdout, synthetic)
    blind = RealRows(pool.real.occurrences, pool.real.originals, pool.real.distances)
    seeing, unseeing = (leak_test(real, found, np.random.default_rng(0)).p_value for real in (pool.real, blind))
    assert seeing <= 0.01
    assert unseeing > 0.05
