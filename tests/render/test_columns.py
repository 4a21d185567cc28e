"""Widths of a table's columns on paper."""

from dataclasses import replace

import pytest

from reportgen.figures import style
from reportgen.figures.labels import extent
from reportgen.render.columns import PADDINGS, SIZES, WIDTH, widths
from reportgen.render.view import Cell, Table, heads

TABLE = Table(
    label="Table 1.",
    caption="Words",
    heads=heads("Name", "Meaning"),
    rows=((Cell("short"), Cell("a sentence that is much longer than one line of paper holds " * 4)),),
)


def test_widths_fill_the_table_and_go_to_the_column_with_more_words():
    name, meaning = widths(TABLE)
    assert name + meaning == pytest.approx(100, abs=0.02)
    assert meaning > 5 * name


def test_every_column_has_room_for_its_longest_word():
    found = widths(replace(TABLE, rows=(*TABLE.rows, (Cell("extraordinarily"), Cell("x")))))
    with style.settings():
        assert found[0] / 100 * WIDTH >= extent("extraordinarily", SIZES["plain"])


def test_numbers_stay_in_one_line():
    low_to_high = Cell("1,234.56 to 2,345.67", style="range")
    found = widths(replace(TABLE, rows=((Cell(TABLE.rows[0][1].text), low_to_high),)))
    with style.settings():
        assert found[1] / 100 * WIDTH >= extent(low_to_high.text, SIZES["plain"]) + PADDINGS["plain"]


def test_a_short_table_shares_out_what_is_left():
    first, second = widths(replace(TABLE, rows=((Cell("aa"), Cell("aa")),), heads=heads("aa", "aa")))
    assert first < second < 100 - first + 0.02  # the second has its space before it


@pytest.mark.parametrize(
    "table",
    [
        replace(TABLE, layout="facts"),
        replace(TABLE, heads=heads(*["Incomprehensibility"] * 12), rows=((Cell("x"),) * 12,)),
    ],
    ids=["set in the style sheet", "no room"],
)
def test_widths_are_left_to_the_style_sheet_or_to_the_typesetter(table):
    assert widths(table) == ()


def test_a_name_without_a_space_takes_no_more_than_a_word_that_may_not_be_broken():
    long = replace(TABLE, rows=((Cell("n" * 500), Cell("x" * 26)),))
    assert widths(long)[0] < 80


def test_names_in_scripts_that_the_face_lacks_have_widths():
    assert len(widths(replace(TABLE, rows=((Cell("住所"), Cell("\N{GRINNING FACE}")),)))) == 2
