import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.figures import chart
from reportgen.figures.histogram import bars, draw_histogram, drawn_widths, uneven
from reportgen.figures.labels import FigureText, Threshold

LONG = FigureText(
    x_label="a long label of the x axis, " * 8,
    x_label_narrow="a long narrow label of the x axis, " * 5,
    y_label="rows in a bin with a long label for the y axis as well, in percent of all of them",
    reference="against the holdout rows of a file with a description that nobody expects to be so long, n = 1,000,000",
    synthetic="against_the_synthetic_rows_without_any_space_that_would_allow_a_break_n=1000000",
    zero="exactly zero",
)


@st.composite
def pairs(draw):
    """Two series over shared edges: few or many bins, even or uneven or over many decades, with or without zeros."""
    bins = draw(st.integers(1, 45))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["even", "uneven", "decades", "positive"]))
    edges = {
        "even": np.round(np.arange(bins + 1) * 0.025, 3),
        "uneven": np.concatenate([[0.0], np.cumsum(random.integers(1, 6, bins))]),
        "decades": np.concatenate([[0.0], np.geomspace(1e-9, 1e9, bins + 1)[1:]]),
        "positive": np.geomspace(0.5, 0.5 * 10 ** draw(st.floats(0.5, 12)), bins + 1),
    }[kind]
    edges = np.array([float(f"{edge:.3g}") for edge in edges])  # the model holds round edges only
    series = []
    for _ in range(2):
        skew = draw(st.sampled_from([0.02, 0.3, 1.0, 50.0]))
        n = draw(st.sampled_from([20, 200, 2000, 1_000_000]))
        counts = random.multinomial(n, random.dirichlet(np.full(bins, skew)))
        filled = np.nonzero(counts)[0]
        for end in (filled[0], filled[-1]):
            counts[end] = max(counts[end], 5)
        counts[0] += max(0, 20 - counts.sum())
        zeros = draw(st.sampled_from([0, 1, counts[0] // 2, counts[0]])) if kind != "positive" else 0
        series.append((counts, int(min(zeros, counts[0]))))
    share = draw(st.sampled_from([None, -0.5, 0.0, 0.02, 0.3, 0.5, 0.9, 1.0, 2.0]))
    return tuple(edges.tolist()), series, share, kind in {"decades", "positive"} or draw(st.booleans())


def test_bars_of_even_bins_are_shares_without_the_rows_at_zero(histogram):
    # 20 rows; 5 of the first bin's 8 are at zero: 3, 7 and 5 rows stay, 15 %, 35 % and 25 %; 25 % at zero.
    series = bars(histogram((0, 1, 2, 3), (8, 7, 5), 5), (1.0, 1.0, 1.0))
    assert series.heights == pytest.approx((15.0, 35.0, 25.0))
    assert series.zero == 25.0


def test_areas_of_uneven_bins_are_shares(histogram):
    # The bin of triple width holds half of the rows: a third of 50 % in height.
    series = bars(histogram((0, 1, 2, 5), (5, 5, 10)), (1.0, 1.0, 3.0))
    assert series.heights == pytest.approx((25.0, 25.0, 50.0 / 3))


def test_logarithmic_bins_of_equal_ratio_are_even():
    assert not uneven((0.0, 0.1, 1.0, 10.0), log=True)
    assert uneven((0.0, 0.1, 1.0, 10.0), log=False)
    assert sum(drawn_widths((0.0, 0.1, 1.0, 10.0), log=True)) == pytest.approx(1.0)


def test_uneven_bins_get_the_label_that_says_so(histogram, drawn):
    text = FigureText("x", "x", "rows in a bin, %", "a", "b", "zero", y_label_uneven="rows for a common width, %")
    series = histogram((0, 1, 2, 5), (5, 5, 10))
    shown = drawn(draw_histogram(series, series, text, log=False, threshold=None, narrow=False))
    assert [line.text for line in shown.texts("y-label")] == ["rows for a common width, %"]


def test_edges_must_be_shared(histogram, words):
    with pytest.raises(ValueError, match="same edges"):
        draw_histogram(
            histogram((0, 1), (20,)), histogram((0, 2), (20,)), words, log=False, threshold=None, narrow=False
        )


@pytest.mark.parametrize("narrow", [False, True])
def test_the_bar_at_zero_is_as_high_as_its_share_and_labelled(skewed, words, threshold, drawn, narrow):
    shown = drawn(draw_histogram(*skewed, words, log=False, threshold=threshold, narrow=narrow))
    top = shown.line("synthetic zero")[:, 1].max()
    assert top == pytest.approx(shown.y_of(4.95), abs=0.2)  # 99 of 2,000
    assert [text.text for text in shown.texts("zero share")] == ["4.95\N{NO-BREAK SPACE}%"]
    assert not shown.has_line("reference zero")


def test_steps_are_as_high_as_the_shares(histogram, words, drawn):
    series = histogram((0, 1, 2), (5, 15))
    shown = drawn(draw_histogram(series, series, words, log=False, threshold=None, narrow=False))
    assert shown.line("synthetic")[:, 1] == pytest.approx([shown.y_of(share) for share in (25, 25, 75, 75)], abs=0.2)


@pytest.mark.parametrize(("value", "part"), [(0.25, 0.25), (-1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (7.0, 1.0)])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_threshold_stands_at_its_value_or_at_the_end_of_the_axis(skewed, words, drawn, value, part, narrow):
    shown = drawn(draw_histogram(*skewed, words, log=False, threshold=Threshold(value, "limit"), narrow=narrow))
    steps = shown.line("reference")
    left, right = steps[:, 0].min(), steps[:, 0].max()
    assert shown.line("threshold")[:, 0] == pytest.approx([left + part * (right - left)] * 2)


def test_the_label_of_the_threshold_touches_its_line(skewed, words, threshold, drawn):
    shown = drawn(draw_histogram(*skewed, words, log=False, threshold=threshold, narrow=False))
    at = shown.line("threshold")[0, 0]
    assert all(0 < box.x0 - at < 8 for box in shown.extents("threshold"))


def test_both_widths_are_those_of_the_page(skewed, words):
    for narrow, width in ((False, 174), (True, 92)):
        figure = draw_histogram(*skewed, words, log=False, threshold=None, narrow=narrow)
        assert figure.width / 72 * 25.4 == pytest.approx(width)


@pytest.mark.parametrize("narrow", [False, True])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=pairs())
def test_labels_never_touch_each_other_nor_a_curve_nor_leave_the_figure(histogram, words, drawn, narrow, case):
    edges, series, share, log = case
    reference, synthetic = (histogram(edges, counts, zeros) for counts, zeros in series)
    threshold = None
    if share is not None:
        value = edges[0] + share * (edges[-1] - edges[0])
        threshold = Threshold(
            value, "2.5th percentile of the holdout, 0.229:\n10.4 % of the rows here, 2.5 % in the holdout"
        )
    shown = drawn(draw_histogram(reference, synthetic, words, log=log, threshold=threshold, narrow=narrow))
    assert shown.collisions() == []
    assert shown.crossed() == []
    assert shown.outside() == []


@pytest.mark.parametrize("narrow", [False, True])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=pairs())
def test_long_labels_find_a_clear_place_too(histogram, drawn, narrow, case):
    edges, series, _, log = case
    reference, synthetic = (histogram(edges, counts, zeros) for counts, zeros in series)
    threshold = Threshold((edges[0] + edges[-1]) / 2, "a threshold with a long explanation, " * 6)
    shown = drawn(draw_histogram(reference, synthetic, LONG, log=log, threshold=threshold, narrow=narrow))
    assert shown.collisions() == []
    assert shown.crossed() == []
    assert shown.outside() == []


@pytest.mark.parametrize(
    ("edges", "last"),
    [
        ((0.0, 1.0, 2.0, 100.0), 8.0),  # bins double, so the last is drawn two doublings wide
        ((0.0, 1.0, 2.0, 3.0), 3.0),  # never wider than it is
        ((0.0, 0.5, 1.0), 1.0),
    ],
)
def test_the_bin_of_everything_beyond_does_not_fill_the_axis(edges, last):
    assert chart.with_near_end(edges) == (*edges[:-1], last)
