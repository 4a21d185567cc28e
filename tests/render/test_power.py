"""The power curve in the holdout section: its words from the data, and where it is absent."""

import re
from html.parser import HTMLParser

import pytest
from pydantic import ValidationError

from reportgen.model import Controls, Detectable, PowerPoint
from reportgen.render.html import render
from reportgen.render.power import power_figure, power_numbers
from reportgen.render.view import Numbering
from reportgen.subject import speaking_of

NBSP = "\N{NO-BREAK SPACE}"


def points(*pairs, trials=100):
    return tuple(PowerPoint(rows=rows, power=power, trials=trials) for rows, power in pairs)


FOUND = {"rows": 11, "share": 0.0055, "curve": points((4, 0.22), (6, 0.39), (9, 0.69), (14, 0.96))}


@pytest.fixture
def with_curve(make):
    def made(**detectable):
        return make(controls=Controls(memorising=None, detectable=Detectable(**detectable)))

    return made


def figure(result):
    found = power_figure(result, "paper", Numbering())
    assert found is not None
    return found


class Images(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.alternatives = []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.alternatives.append(dict(attrs)["alt"])


def test_the_caption_says_from_which_share_a_leak_is_noticed(with_curve):
    assert figure(with_curve(**FOUND)).caption == (
        f"From 0.55{NBSP}% of the rows upwards the tests notice a leak of near-copies in at least 80{NBSP}% of trials"
    )


def test_the_alternative_holds_every_point_and_the_crossing(with_curve):
    assert figure(with_curve(**FOUND)).picture.alternative == (
        "Share of trials that noticed planted near-copies, by their number: "
        f"4 planted, 22{NBSP}%; 6 planted, 39{NBSP}%; 9 planted, 69{NBSP}%; 14 planted, 96{NBSP}%. "
        f"The curve reaches 80{NBSP}% at 11 rows, 0.55{NBSP}% of the synthetic rows."
    )


def test_the_note_tells_noise_and_trials_as_far_as_known(with_curve):
    noted = figure(with_curve(**FOUND)).note
    assert "noise of 0.05 standard deviations" in noted
    assert "table, 100 trials a point." in noted
    unequal = (*points((4, 0.2), trials=25), *points((6, 0.9)))
    assert ", up to 100 trials a point." in figure(with_curve(rows=6, share=0.003, curve=unequal)).note
    unknown = points((4, 0.2), (6, 0.9), trials=None)
    assert "trials a point" not in figure(with_curve(rows=6, share=0.003, curve=unknown)).note


def test_a_leak_noticed_at_the_first_point_is_not_called_read_off_between_two(with_curve):
    noted = figure(with_curve(rows=4, share=0.002, curve=points((4, 0.93)))).note
    assert "Fewer than 4 were not planted." in noted
    assert "between two points" not in noted


def test_without_a_crossing_the_caption_names_the_largest_leak_that_was_not_noticed(with_curve):
    # 346 of the 2,000 synthetic rows are 17.3 %.
    shown = figure(with_curve(curve=points((231, 0.4), (346, 0.64)), search_limit=346))
    assert shown.caption == (
        f"Even 346 near-copies, 17.30{NBSP}% of the rows, were noticed in only 64{NBSP}% of the trials, "
        f"short of 80{NBSP}%"
    )
    assert shown.picture.alternative.endswith(f"The curve stays below 80{NBSP}%.")
    assert "Diamond" not in shown.note


def test_a_curve_of_zeros_says_none(with_curve):
    caption = figure(with_curve(curve=points((4, 0.0), (6, 0.0)), search_limit=6)).caption
    assert f"Even 6 near-copies, 0.30{NBSP}% of the rows, were noticed in none of the trials" in caption


def test_rounding_never_lifts_a_point_to_the_share_that_is_asked_for(with_curve):
    shown = figure(with_curve(curve=points((4, 0.798), trials=500), search_limit=4))
    assert f"only 79.8{NBSP}% of the trials" in shown.caption


@pytest.mark.parametrize("code", ["leak_found", "no_true_holdout", "not_in_this_version"])
def test_no_curve_makes_no_figure(with_curve, code):
    numbering = Numbering()
    assert power_figure(with_curve(code=code, reason="No value."), "screen", numbering) is None
    assert numbering.figure() == "Figure 1."


def test_the_table_lists_every_point(with_curve):
    result = with_curve(**FOUND)
    table = power_numbers(result, figure(result), Numbering()).table
    # 9 of the 2,000 synthetic rows are 0.45 %.
    assert [cell.text for cell in table.rows[2]] == ["9", f"0.45{NBSP}%", "100", f"69{NBSP}%"]
    assert len(table.rows) == 4


def test_the_table_has_no_column_for_trials_that_are_not_known(with_curve):
    result = with_curve(curve=points((4, 0.2), trials=None), search_limit=4)
    assert len(power_numbers(result, figure(result), Numbering()).table.heads) == 3


def test_the_page_shows_the_curve_with_its_numbers_folded_below(results, rendering):
    source = render(results["low"], rendering).decode()
    section = source[source.index('id="holdout"') : source.index('id="metrics"')]
    assert Images(section).alternatives == [figure(results["low"]).picture.alternative]
    assert re.search(r"<details.*?<summary>Numbers behind figure 1</summary>.*?<td[^>]*>94\s%", section, re.DOTALL)


def test_the_page_without_a_curve_has_neither_picture_nor_table_for_it(results, rendering):
    source = render(results["leaky"], rendering).decode()
    section = source[source.index('id="holdout"') : source.index('id="metrics"')]
    assert Images(section).alternatives == []
    assert "<details" not in section


def test_signals_speak_of_records(with_curve):
    with speaking_of("signals"):
        shown = figure(with_curve(**FOUND))
        numbers = power_numbers(with_curve(**FOUND), shown, Numbering())
    words = " ".join(
        (shown.caption, shown.note, shown.picture.alternative, *(head.text for head in numbers.table.heads))
    )
    assert "records" in words
    assert not re.search(r"\brows?\b", words)


def test_a_result_whose_curve_does_not_ascend_is_refused():
    with pytest.raises(ValidationError, match="must ascend"):
        Detectable(curve=points((6, 0.2), (4, 0.3)))
