from reportgen.read.naming import nearest_name, shown_name, shown_names


def test_control_characters_and_turns_of_direction_are_escaped():
    assert shown_name("a\nb\t\u202ec\u2028") == r"'a\nb\t\u202ec\u2028'"


def test_letters_of_any_script_and_emoji_are_shown():
    assert shown_name("größe 漢 🙂 <b>") == "'größe 漢 🙂 <b>'"


def test_a_long_name_keeps_its_two_ends():
    shown = shown_name("a" * 100 + "z" * 100)
    assert len(shown) <= 62
    assert shown.startswith("'aaa")
    assert shown.endswith("zzz'")


def test_many_names_are_counted():
    assert shown_names("abcdefg", most=2) == "'a', 'b' and 5 more"


def test_the_nearest_name_ignores_case_and_blanks_first():
    assert nearest_name("AGE ", ["wage", "age"]) == "age"
    assert nearest_name("educaton", ["age", "education"]) == "education"
    assert nearest_name("qqq", ["age"]) is None
