import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from reportgen.figures import style
from reportgen.figures.labels import Threshold
from reportgen.figures.marks import Words
from reportgen.figures.tail import cumulated, draw_tail

_SPEC = importlib.util.spec_from_file_location("histogram_cases", Path(__file__).with_name("test_histogram.py"))
_CASES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_CASES)


def test_shares_are_cumulated_at_the_edges_beginning_with_the_rows_at_zero(histogram):
    # 20 rows, 2 at zero; 5, 10 and 20 below the edges 1, 2 and 3.
    assert cumulated(histogram((0, 1, 2, 3), (5, 5, 10), 2)) == (10.0, 25.0, 50.0, 100.0)


def test_the_curve_goes_through_the_share_at_every_edge(histogram, words, drawn):
    series = histogram((1, 10, 100), (10, 90))
    shown = drawn(draw_tail(series, series, words, threshold=None, narrow=False))
    curve = shown.line("synthetic")
    ticks = {
        text.text: (box.y0 + box.y1) / 2
        for text, box in zip(shown.texts("y-tick"), shown.extents("y-tick"), strict=True)
    }
    # From the foot at 1, through 10 % at 10, to 100 % at 100; a decade is as long as between two ticks.
    assert len(curve) == 3
    assert curve[0, 1] == pytest.approx(shown.foot)
    assert curve[2, 1] - curve[1, 1] == pytest.approx(ticks["100"] - ticks["10"], abs=0.3)
    assert curve[1, 0] - curve[0, 0] == pytest.approx(curve[2, 0] - curve[1, 0])


def test_zeros_are_markers_in_their_own_strip(skewed, words, drawn):
    shown = drawn(draw_tail(*skewed, words, threshold=None, narrow=False))
    curve = shown.line("synthetic")
    marker = shown.line("synthetic zero")
    assert marker[0, 0] < curve[:, 0].min()
    assert marker[0, 1] == pytest.approx(curve[0, 1])  # the curve begins at the share of rows at zero
    assert shown.line("reference zero")[0, 1] < shown.foot + 10
    assert {text.text for text in shown.texts("zero share")} == {
        "4.95\N{NO-BREAK SPACE}%",
        "0\N{NO-BREAK SPACE}%",
    }


def test_all_rows_at_zero_make_a_flat_curve_at_the_top(histogram, words, drawn):
    series = histogram((0, 1, 2), (50, 0), 50)
    curve = drawn(draw_tail(series, series, words, threshold=None, narrow=False)).line("synthetic")
    assert np.ptp(curve[:, 1]) == 0


def test_the_threshold_stands_at_its_value(histogram, words, drawn):
    series = histogram((1, 10, 100), (10, 90))
    shown = drawn(draw_tail(series, series, words, threshold=Threshold(10.0, "limit"), narrow=False))
    assert shown.line("threshold")[0, 0] == pytest.approx(shown.line("synthetic")[1, 0])


@pytest.mark.parametrize("narrow", [False, True])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(case=_CASES.pairs())
def test_labels_never_touch_each_other_nor_a_curve_nor_leave_the_figure(histogram, words, drawn, narrow, case):
    edges, series, share, _ = case
    reference, synthetic = (histogram(edges, counts, zeros) for counts, zeros in series)
    threshold = None
    if share is not None:
        threshold = Threshold(
            edges[0] + share * (edges[-1] - edges[0]),
            "2.5th percentile of the holdout, 0.229:\n10.4 % of the rows here",
        )
    shown = drawn(draw_tail(reference, synthetic, words, threshold=threshold, narrow=narrow))
    assert shown.collisions() == []
    assert shown.crossed() == []
    assert shown.outside() == []


@pytest.mark.parametrize("narrow", [False, True])
def test_no_words_wear_the_colour_of_a_line(skewed, words, narrow):
    figure = draw_tail(*skewed, words, threshold=None, narrow=narrow)
    colours = {mark.colour for mark in figure.marks if isinstance(mark, Words)}
    assert not colours & {style.REFERENCE, style.SYNTHETIC}
    assert colours >= {style.REFERENCE_WORDS, style.SYNTHETIC_WORDS}
