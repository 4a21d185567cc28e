import pytest
from matplotlib.font_manager import get_font

from reportgen._resources import resource
from reportgen.figures.labels import SIGNS, extent, legible, letter


def test_text_that_fits_stays_on_one_line():
    assert letter("against the holdout", 500.0).lines == ("against the holdout",)


def test_own_line_breaks_are_kept():
    assert letter("one\ntwo", 500.0).lines == ("one", "two")


def test_long_text_is_broken_at_spaces_into_lines_that_fit_and_lose_no_word():
    text = "against the synthetic rows of this file, n = 2,000"
    lettering = letter(text, 90.0, bold=True)
    assert " ".join(lettering.lines) == text
    assert all(extent(line, lettering.size, bold=True) <= 90.0 for line in lettering.lines)
    assert lettering.width == max(extent(line, lettering.size, bold=True) for line in lettering.lines)


def test_lines_of_broken_text_are_about_equally_long():
    lettering = letter("against the holdout rows, n = 2,000", 125.0, bold=True)
    first, second = (extent(line, lettering.size, bold=True) for line in lettering.lines)
    assert 0.6 < first / second < 1.7


def test_a_word_longer_than_a_line_is_broken_inside():
    lettering = letter("x" * 200, 50.0)
    assert "".join(lettering.lines) == "x" * 200
    assert lettering.width <= 50.0


def test_words_are_not_broken_where_a_space_would_do():
    assert letter("exactly zero", 34.0, size=8.0).lines == ("exactly", "zero")


def test_no_break_space_is_no_place_to_break():
    assert letter("10.4\N{NO-BREAK SPACE}% here", 38.0).lines == ("10.4\N{NO-BREAK SPACE}%", "here")


def test_signs_that_the_faces_lack_are_replaced():
    assert legible("a\N{GRINNING FACE}\x00\ud800b\nc") == "a???b\nc"


@pytest.mark.parametrize("face", ["Regular", "SemiBold"])
def test_the_known_signs_are_those_of_the_packaged_faces(face):
    has = get_font(str(resource("assets", "fonts", f"ReportgenSans-{face}.ttf"))).get_charmap()
    assert frozenset(map(chr, has)) == SIGNS


def test_empty_text_is_one_empty_line():
    assert (letter("", 100.0).lines, letter("", 100.0).width) == (("",), 0.0)
