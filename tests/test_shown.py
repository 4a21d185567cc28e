"""Foreign text on one line."""

from reportgen.shown import LONGEST, escaped, one_line, visible


def test_what_breaks_a_line_or_commands_a_terminal_is_escaped_at_any_length():
    assert escaped("a\r\n\x1b[31m\u202e\udcff" + "b" * 100) == r"a\r\n\x1b[31m\u202e\udcff" + "b" * 100


def test_a_page_shows_what_breaks_lines_and_keeps_what_joins_letters():
    assert visible("a\r\n\t\x07\u202e\u2028\u2066b") == r"a\r\n\t\x07\u202e\u2028\u2066b"
    persian = "\u0645\u06cc\u200c\u062e\u0648\u0627"
    assert visible(persian) == persian
    assert visible("\u200b") == r"\u200b"  # a name of nothing that is seen
    assert visible("\u200d \u200b") == r"\u200d \u200b"
    assert visible(" ") == " "


def test_code_points_that_are_no_characters_are_escaped():
    assert escaped("a\ufffe\uffff\ufdd0b") == r"a\ufffe\uffff\ufdd0b"


def test_one_line_is_bounded():
    assert len(one_line("x" * 10_000)) <= LONGEST
