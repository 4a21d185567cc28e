"""Clopper-Pearson limits against published and hand-worked values."""

import pytest

from reportgen.verdict.intervals import clopper_pearson, lower_limit


def test_no_hit_in_100_only_bounds_the_share_at_three_percent():
    # upper one-sided 95 % limit of 0 of n is 1 - 0.05^(1/n): 0.0295 for n = 100
    assert clopper_pearson(0, 100, confidence=0.90) == (0.0, pytest.approx(1 - 0.05 ** (1 / 100)))


def test_all_hits_mirror_no_hit():
    low, high = clopper_pearson(100, 100)
    assert high == 1.0
    assert low == pytest.approx(0.025 ** (1 / 100))


def test_ninety_nine_of_two_thousand():
    # shared/mock: 4.04 to 5.99 %, one-sided 4.18 %
    low, high = clopper_pearson(99, 2000)
    assert (round(100 * low, 2), round(100 * high, 2)) == (4.04, 5.99)
    assert round(100 * lower_limit(99, 2000), 2) == 4.18


def test_one_hit_in_one_row():
    assert lower_limit(1, 1) == pytest.approx(0.05)
    assert lower_limit(0, 1) == 0.0
