"""The summary's figure: which scores it draws, where, and what it says of them in words."""

import html
import math
import re

import pytest

from reportgen.model import Score
from reportgen.render.html import render
from reportgen.render.summary_figure import in_half_widths, summary_figure
from reportgen.render.view import Numbering


def score(value, low=None, high=None, null=(90.0, 110.0), better="higher", unit="percent", reference=100.0):
    return Score(
        value=value,
        low=low,
        high=high,
        reference=reference,
        null_low=null[0],
        null_high=null[1],
        unit=unit,
        better=better,
    )


def with_scores(make, results, **scores):
    """The leaky result, its Distance To Closest with these scores and nothing else with a null range."""
    metrics = dict(results["leaky"].metrics)
    metrics["distance_to_closest"] = metrics["distance_to_closest"].model_copy(update={"scores": scores})
    return make(metrics=metrics)


@pytest.mark.parametrize(
    ("value", "null_range", "better", "expected"),
    [
        (100, (90, 110), "higher", 0),
        (80, (90, 110), "higher", -2),  # two half-widths of 10 below the middle
        (0.06, (0.0, 0.02), "lower", -5),  # .06 lies five half-widths of .01 above the middle .01: more is worse
        (3.0, (4.0, 6.0), "context", -2),  # a distance: closer is on the side of a leak
        (5, (5, 5), "higher", 0),
        (4, (5, 5), "higher", -math.inf),
        (4, (5, 5), "lower", math.inf),
    ],
)
def test_half_widths_by_hand(value, null_range, better, expected):
    assert in_half_widths(value, null_range, score(value, better=better)) == pytest.approx(expected)


def test_without_any_null_range_there_is_no_figure_and_no_number_is_used_up(results):
    numbering = Numbering()
    assert summary_figure(results["leaky"], "paper", numbering) is None
    assert numbering.figure() == "Figure 1."


def test_the_caption_counts_what_lies_wholly_outside_on_the_side_of_a_leak(make, results):
    found = summary_figure(
        with_scores(make, results, median=score(70, 60, 80), outlier=score(85, 70, 95)), "paper", Numbering()
    )
    assert found.caption.startswith("1 of 2 scores lies wholly on the side of a leak")
    none = summary_figure(with_scores(make, results, median=score(100, 95, 105)), "paper", Numbering())
    assert none.caption.startswith("The one score drawn does not lie wholly")
    assert "Arrow" not in none.note
    far = summary_figure(with_scores(make, results, median=score(0, 0, 1)), "paper", Numbering())
    assert "Arrow: off the scale." in far.note


def test_the_alternative_names_each_score_with_its_numbers(make, results):
    found = summary_figure(
        with_scores(make, results, median=score(70, 60, 80), outlier=score(85, 70, 95)), "paper", Numbering()
    )
    words = found.picture.alternative.replace("\N{NO-BREAK SPACE}", " ")
    assert "Distance To Closest: median: 70.0 %, interval 60.0 to 80.0 %, ideal range 90.0 to 110.0 %" in words
    assert "outside on the side of a leak." in words
    assert "on the side of a leak, but its interval reaches the range." in words


def test_a_score_without_a_null_range_is_left_out(make, results):
    plain = score(85, 70, 95).model_copy(update={"null_low": None, "null_high": None})
    found = summary_figure(with_scores(make, results, median=score(100, 95, 105), outlier=plain), "paper", Numbering())
    assert "lower tail" not in found.picture.alternative


def test_the_figure_stands_in_the_summary_in_both_widths(results, rendering):
    page = render(results["with_null_range"], rendering).decode()
    section = re.search(r'<section class="section" id="summary".*?</section>', page, re.DOTALL)[0]
    assert section.index("<picture>") < section.index("<table")
    assert "<source" in section
    assert "ideal range" in html.unescape(re.search(r'alt="([^"]*)"', section)[1])
