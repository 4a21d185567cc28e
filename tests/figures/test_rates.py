import pytest

from reportgen.figures.rates import Rate, RateRow, RatesText, draw_rates

TEXT = RatesText("on original rows", "on holdout rows", "by guessing", "Risk", "attempts that succeeded, %")


CONTROL = Rate(0.4, 0.3, 0.5)


def row(name="income", control=CONTROL):
    return RateRow(name, "33.3 %", Rate(0.6, 0.5, 0.7), control, 0.2)


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", ["income", "a name of many words, longer than there is room for", "x" * 120])
def test_words_stay_on_the_sheet_and_clear_of_each_other(drawn, narrow, name):
    shown = drawn(draw_rates([row(name), row()], TEXT, narrow=narrow))
    assert [words.text for words in shown.texts("risk")] == ["33.3 %"] * 2
    assert shown.outside() == []
    assert shown.collisions() == []


def test_the_attack_lies_right_of_its_control_and_both_of_guessing():
    sheet = draw_rates([row()], TEXT, narrow=False)
    dots = [line.places[0, 0] for line in sheet.named("dot")]
    guess = sheet.named("baseline")[0]
    control, attack = dots[:2]
    assert guess.places[0, 0] < control < attack


def test_without_a_control_there_is_no_square():
    sheet = draw_rates([row(control=None)], TEXT, narrow=False)
    markers = [line.marker.shape for line in sheet.named("dot")]
    assert set(markers) == {"circle"}


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        draw_rates([], TEXT, narrow=False)
