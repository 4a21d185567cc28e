import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.figures.scales import linear, logarithmic, tick_choices, tick_text


def test_linear_scale_puts_the_ends_at_the_ends_and_the_middle_in_the_middle():
    scale = linear(2.0, 4.0, 100.0, 200.0)
    assert [scale(2.0), scale(3.0), scale(4.0)] == [100.0, 150.0, 200.0]


def test_logarithmic_scale_gives_each_decade_the_same_length():
    scale = logarithmic((0.01, 0.1, 1.0, 10.0), 0.0, 300.0)
    assert [round(scale(value), 6) for value in (0.01, 0.1, 1.0, 10.0)] == [0, 100, 200, 300]


def test_first_bin_from_zero_is_as_wide_as_the_others_on_a_logarithmic_scale():
    # Three decades and the bin from 0 make four equal parts.
    scale = logarithmic((0.0, 0.01, 0.1, 1.0, 10.0), 0.0, 400.0)
    assert [round(scale(value), 6) for value in (0.0, 0.005, 0.01, 0.1, 10.0)] == [0, 50, 100, 200, 400]


def test_values_beyond_the_ends_lie_on_the_ends():
    for scale in (
        linear(1.0, 2.0, 10.0, 20.0),
        logarithmic((1.0, 2.0), 10.0, 20.0),
        logarithmic((0.0, 1.0, 2.0), 10.0, 20.0),
    ):
        assert (scale(-5.0), scale(1e12)) == (10.0, 20.0)


def test_logarithmic_scale_refuses_negative_edges():
    with pytest.raises(ValueError, match="not negative"):
        logarithmic((-1.0, 1.0), 0.0, 1.0)


@given(st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=20, unique=True), st.booleans(), st.data())
def test_scales_keep_the_order_of_values(values, from_zero, data):
    edges = ([0.0] if from_zero else []) + sorted(values)
    if any(b / a < 1 + 1e-6 for a, b in zip(sorted(values), sorted(values)[1:], strict=False)):
        return
    scale = logarithmic(edges, 0.0, 500.0)
    a, b = sorted(data.draw(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9))))
    assert 0.0 <= scale(a) <= scale(b) + 1e-9 <= 500.0 + 1e-6


@given(st.floats(1e-9, 1e8), st.floats(1.001, 1e12))
def test_ticks_are_inside_the_axis_and_told_apart_by_their_text(low, factor):
    for scale in (linear(low, low * factor, 0, 1), logarithmic((low, low * factor), 0, 1)):
        for ticks in tick_choices(scale):
            slack = 1e-8 * low * factor
            assert all(low - slack <= tick <= low * factor + slack for tick in ticks)
            texts = [tick_text(tick) for tick in ticks]
            assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.25, "0.25"),
        (1.0, "1"),
        (20_000.0, "20,000"),
        (-3.0, "−3"),
        (1e-6, "1e−6"),
        (3e7, "3e7"),
        (0.001, "0.001"),
    ],
)
def test_ticks_are_written_plainly_or_with_an_exponent(value, text):
    assert tick_text(value) == text


def test_linear_ticks_of_a_ratio_are_round():
    assert (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) in list(tick_choices(linear(0.0, 1.0, 0.0, 1.0)))
