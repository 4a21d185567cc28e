import html
import itertools
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.render import render
from reportgen.render.long_words import SHORTEST_PIECE, pieces, with_breaks
from reportgen.render.view import LONGEST_WORD

SNAKE = "systolic_blood_pressure_at_the_second_visit"
CAMEL = "patientDischargeDepartmentXMLFileName"


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        (SNAKE, "systolic_|blood_|pressure_|at_the_|second_|visit"),
        (CAMEL, "patient|Discharge|Department|XMLFile|Name"),
        ("clinic.laboratory.haematology.value_12", "clinic.|laboratory.|haematology.|value_12"),
        ("https://example.org/register/of/discharges", "https://|example.|org/|register/|of/discharges"),
        ("n" * 40, "n" * 40),
        ("_" * 40, "_" * 40),
        ("a_" * 20, "|".join(["a_a_"] * 10)),
    ],
)
def test_a_name_is_cut_at_its_seams(word, cut):
    assert "|".join(pieces(word)) == cut


@given(st.text(max_size=200))
def test_nothing_is_lost_and_nothing_added_but_places_for_breaks(text):
    marked = str(with_breaks(text))
    assert html.unescape(marked.replace("<wbr>", "")) == text
    assert not re.search("<(?!wbr>)", marked)


@given(st.text(alphabet="aB1_.", max_size=100))
def test_no_piece_but_the_only_one_is_shorter_than_four_letters(word):
    found = pieces(word)
    assert len(found) == 1 or min(map(len, found)) >= SHORTEST_PIECE


def test_short_words_have_no_places_for_breaks():
    assert with_breaks("a_name_of_just_26_letters_" + " " + "hours_per_week") == (
        "a_name_of_just_26_letters_ hours_per_week"
    )
    assert len("a_name_of_just_26_letters_") == LONGEST_WORD


@pytest.fixture(scope="module")
def named(make):
    plain = make()
    columns = tuple(plain.columns[0].model_copy(update={"name": name}) for name in (SNAKE, CAMEL))
    return plain.model_copy(update={"columns": columns})


def test_cells_have_them_and_alternatives_have_not(named, rendering):
    page = render("r.html", named, rendering).decode()
    assert (
        '<th scope="row" class="breakable">systolic_<wbr>blood_<wbr>pressure_<wbr>at_the_<wbr>second_<wbr>visit</th>'
        in page
    )
    assert '<th scope="row" class="breakable">patient<wbr>Discharge<wbr>Department<wbr>XMLFile<wbr>Name</th>' in page
    assert "wbr" not in "".join(re.findall(r'(?:alt|aria-label|content)="[^"]*"', page))
    assert "\N{ZERO WIDTH SPACE}" not in page


def test_paper_breaks_lines_there_and_its_text_has_no_sign_for_it(named, rendering, tmp_path):
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    (tmp_path / "r.pdf").write_bytes(render("r.pdf", named, rendering))
    text = subprocess.run(
        ["pdftotext", "-raw", "r.pdf", "-"], capture_output=True, check=True, cwd=tmp_path
    ).stdout.decode()
    for name in (SNAKE, CAMEL):
        lines = re.search("\n?".join(name), text)[0].split("\n")
        ends = list(itertools.accumulate(map(len, lines)))
        assert len(lines) > 1
        assert set(ends) <= set(itertools.accumulate(map(len, pieces(name))))
    assert "\N{ZERO WIDTH SPACE}" not in text
