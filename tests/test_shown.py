"""Foreign text on one line."""

from reportgen.shown import LONGEST, escaped, one_line


def test_what_breaks_a_line_or_commands_a_terminal_is_escaped_at_any_length():
    assert escaped("a\r\n\x1b[31m\u202e\udcff" + "b" * 100) == r"a\r\n\x1b[31m\u202e\udcff" + "b" * 100


def test_code_points_that_are_no_characters_are_escaped():
    assert escaped("a\ufffe\uffff\ufdd0b") == r"a\ufffe\uffff\ufdd0b"


def test_one_line_is_bounded():
    assert len(one_line("x" * 10_000)) <= LONGEST
