"""Rounding never crosses a limit."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reportgen import rounding

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "digits", "limits", "text"),
    [
        (99.96, 1, (), "100.0"),
        (99.96, 1, (100,), "99.96"),
        (100.0, 1, (100,), "100.0"),
        (1.0000001, 2, (1,), "1.0000001"),
        (-0.4, 0, (), "0"),
        (-2.5, 1, (), "\N{MINUS SIGN}2.5"),
        (12345.678, 1, (), "12,345.7"),
        (0.0, 2, (), "0.00"),
        (1.192092896e-07, 2, (1.192092896e-07,), "0.0000001192092896"),
    ],
)
def test_decimals(value, digits, limits, text):
    assert rounding.decimals(value, digits, limits) == text


@settings(deadline=None)
@given(st.floats(1e-9, 200), st.floats(1e-9, 200))
def test_a_rounded_number_stays_on_its_side_of_the_limit(value, limit):
    assume(value == limit or abs(value - limit) > 1e-12)
    shown = float(rounding.decimals(value, 2, (limit,)).replace(",", ""))
    assert (shown > limit) == (value > limit)
    assert (shown < limit) == (value < limit)


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.38712, "0.387"), (12.3456, "12.3"), (1234.5, "1,234"), (0.00012345, "0.000123")]
)
def test_significant(value, text):
    assert rounding.significant(value) == text


def test_percent_and_count():
    assert rounding.percent(4.95) == f"4.95{NBSP}%"
    assert rounding.count(2000) == "2,000"


def test_a_number_of_hundreds_of_digits_is_written_with_an_exponent():
    assert rounding.decimals(1e300, 1) == "1.00e+300"
    assert rounding.decimals(-2e15, 1) == "−2.00e+15"
    assert rounding.decimals(1.004e20, 1, (1e20,)) == "1.004e+20"  # 1.00e+20 would be the limit itself
    assert rounding.count(10**300) == "1.00e+300"
    assert rounding.count(10**17) == "100,000,000,000,000,000"
