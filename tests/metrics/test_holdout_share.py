import numpy as np
import pytest

from reportgen.metrics.holdout_share import holdout_share


def share_of(search, original, holdout, synthetic):
    pool, found = search(original, holdout, synthetic)
    return holdout_share(pool.real, found)


def test_agrees_with_the_oracle(oracle_case):
    pool, synthetic, expected = oracle_case
    share = holdout_share(pool.real, synthetic)
    assert share.tied == expected["holdout_share"]["tied"]
    assert (share.share, share.null) == pytest.approx(
        (expected["holdout_share"]["share"], expected["holdout_share"]["null"]), rel=1e-6
    )
    assert share.z == pytest.approx(expected["holdout_share"]["z"], abs=1e-3)


def test_same_table_three_times_is_at_its_null(search, people):
    # Trap 4: every row is tied between the files, and no row between different ones.
    table = people(50, np.random.default_rng(0))
    share = share_of(search, table, np.concatenate((table, table)), table)
    assert (share.share, share.null) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert (share.z, share.p_value, share.tied) == (0, 0.5, 50)


def test_share_and_variance_are_those_worked_out_by_hand(found):
    # Four real rows, two original; one synthetic row sits on the first, one is tied between the second (holdout) and
    # the third (original): share (1 + 1/2)/2. w = 1 1/2 1/2 0, mean 1/2: variance of the sum over T
    # 1/4 * 4/3 * (1/4 + 1/4) = 1/6; the sum is 3/2 against 1: z = 1/2 * sqrt 6.
    real, synthetic = found([1] * 4, [1, 0, 1, 0], [[1, 2], [1, 1]], [[0, 1], [1, 2]])
    share = holdout_share(real, synthetic)
    assert (share.share, share.null, share.tied) == (0.75, 0.5, 1)
    assert share.z == pytest.approx(0.5 * np.sqrt(6))


def test_shared_neighbours_raise_no_false_alarms(search):
    # Trap 9: a binomial interval calls a quarter of these and more unusual.
    random = np.random.default_rng(1)
    flagged, binomial = 0, 0
    for _ in range(200):
        synthetic = 0.3 * random.normal(size=(150, 2)) + 1.5
        share = share_of(search, random.normal(size=(100, 2)), random.normal(size=(100, 2)), synthetic)
        flagged += share.p_value <= 0.05
        binomial += (share.share - 0.5) / np.sqrt(0.25 / 150) > 1.645
    assert 2 <= flagged <= 21  # 10 expected
    assert binomial >= 30


def test_larger_original_is_no_leak(search):
    # Trap 3: the null is n_T/N.
    random = np.random.default_rng(2)
    share = share_of(search, *(random.normal(size=(rows, 3)) for rows in (800, 100, 400)))
    assert share.null == pytest.approx(8 / 9)
    assert abs(share.z) < 3
