import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.attempts import Attempts, Tries
from reportgen.metrics.attack_rates import measured, outcome, risk_of, surest, trusted
from reportgen.verdict.intervals import wilson


def test_wilson_interval_by_hand():
    # 8 of 10, z = 1.96: (0.8 + .1921 ± 1.96·√(.016 + .0096))/1.3841, Newcombe (1998): .4902 to .9433
    assert wilson(8, 10) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
    assert wilson(0, 10) == (0.0, pytest.approx(0.2775, abs=1e-4))


def test_risk_is_what_the_attack_wins_of_the_room_that_the_control_leaves():
    found = risk_of(Tries(60, 100), Tries(20, 100))
    assert found.value == pytest.approx(0.5)  # (.6 - .2)/(1 - .2)
    # Delta method by hand, standard errors of Wilson's intervals: attack (.5020, .6906), control (.1334, .2888).
    attack, control = (high - low for low, high in (wilson(60, 100), wilson(20, 100)))
    room = 1 - sum(wilson(20, 100)) / 2
    reach = math.hypot(attack / 2 / room, 0.4 * control / 2 / room**2)
    assert (found.low, found.high) == (pytest.approx(0.5 - reach), pytest.approx(0.5 + reach))


def test_risk_by_hand_at_none_and_all():
    # 0 of 10 against 0 of 10: Wilson (0, .2775), room 1 - .1388 = .8612;
    # √(.2775² + (1/.8612)²·.2775²)/(2·.8612) = .2469.
    found = risk_of(Tries(0, 10), Tries(0, 10))
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(0.2469, abs=2e-4)
    # 10 of 10 against 0 of 10: all that the control leaves; the control's own chance no longer counts, .2775/(2·.8612).
    found = risk_of(Tries(10, 10), Tries(0, 10))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 - 0.1611, abs=2e-4)
    # 10 of 10 against 10 of 10: no room, no risk, and an interval that says how little this tells.
    found = risk_of(Tries(10, 10), Tries(10, 10))
    assert (found.value, found.low, found.high) == (0.0, 0.0, pytest.approx(1.0))


def test_the_p_values_of_a_family_are_those_of_holm():
    # .01·3, .02·2 and .03·1, each at least the one before: .03, .04, .04. Nothing above 1.
    some = {name: attempts(12, p_value=p) for name, p in (("c", 0.03), ("a", 0.01), ("b", 0.02))}
    found = measured(some, prefix="column:").scores
    assert [found[f"column:{name}:p_value"].value for name in "abc"] == pytest.approx([0.03, 0.04, 0.04])
    assert found["p_value"].value == pytest.approx(0.03)
    high = {name: attempts(12, p_value=0.6) for name in "ab"}
    assert measured(high, prefix="column:").scores["p_value"].value == 1.0


@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_risk_and_interval_are_finite_and_within_0_and_1(attacks, controls, data):
    found = risk_of(
        Tries(data.draw(st.integers(0, attacks)), attacks), Tries(data.draw(st.integers(0, controls)), controls)
    )
    assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("attack", [0, 50])
@pytest.mark.parametrize("control", [0, 50])
def test_intervals_have_some_width_at_none_and_all(attack, control):
    found = risk_of(Tries(attack, 50), Tries(control, 50))
    assert found.value == (1.0 if attack and not control else 0.0)
    assert found.high > found.low or (not attack and control)


def attempts(hits, control=10, baseline=0.05, p_value=0.5):
    return Attempts(Tries(hits, 100), None if control is None else Tries(control, 100), baseline, p_value)


def test_an_attack_that_does_not_surely_do_better_than_guessing_is_not_trusted():
    # Wilson's lower bound of 11 in 100 is .0625, of 8 in 100 .0411: above and below a guess that is right in 5 %.
    assert wilson(11, 100)[0] == pytest.approx(0.0625, abs=1e-4)
    assert wilson(8, 100)[0] == pytest.approx(0.0411, abs=1e-4)
    assert trusted(attempts(11))
    assert not trusted(attempts(8))
    assert not trusted(attempts(0))
    assert "not_trusted" in measured({"": attempts(8)}).notes
    assert measured({"": attempts(8)}).scores["attack_rate"].note == "not_trusted"
    assert measured({"": attempts(11)}).scores["attack_rate"].note is None


def test_a_baseline_that_was_counted_has_chance_of_its_own():
    # Newcombe (1998), his example of 56 in 70 against 48 in 80: the difference .2 lies between .0524 and .3339.
    def against(hits, guesses):
        return trusted(Attempts(Tries(56, 70), None, hits / guesses, None, guesses))

    low = 0.2 - math.hypot(0.8 - wilson(56, 70)[0], wilson(48, 80)[1] - 0.6)
    assert low == pytest.approx(0.0524, abs=1e-4)
    assert against(48, 80)
    assert not against(58, 80)  # .725
    assert trusted(Attempts(Tries(56, 70), None, 0.68, None))  # reckoned: Wilson's lower bound is .6924
    assert not trusted(Attempts(Tries(56, 70), None, 0.70, None))
    found = measured({"": Attempts(Tries(56, 70), None, 0.6, None, 80)}).scores["baseline_rate"]
    assert (found.low, found.high) == wilson(48, 80)


def test_a_family_tells_something_where_any_of_its_attacks_does():
    some = measured({"a": attempts(4), "b": attempts(40, control=40)}, prefix="column:")
    assert some.notes == ("partly_trusted",)
    assert some.scores["attack_rate"] == some.scores["column:b:attack_rate"]  # whose risk is 0 as well
    assert some.scores["column:a:attack_rate"].note == "not_trusted"
    assert measured({"a": attempts(4), "b": attempts(3)}, prefix="column:").notes == ("not_trusted",)
    assert measured({"a": attempts(40), "b": attempts(30)}, prefix="column:").notes == ()


def test_an_error_on_the_way_is_raised_where_the_metric_is_measured_and_a_code_is_told():
    with pytest.raises(ZeroDivisionError):
        outcome(ZeroDivisionError())
    assert outcome("too_few_columns") == "too_few_columns"


def test_without_a_control_there_is_no_risk_and_the_note_says_so():
    found = measured({"": attempts(50, None, p_value=None)})
    assert set(found.scores) == {"attack_rate", "baseline_rate", "attacks"}
    assert found.notes == ("no_control",)


def test_the_scores_of_the_family_are_those_of_the_surest_attack():
    found = measured({"a": attempts(12, p_value=0.4), "b": attempts(60, p_value=0.01)}, prefix="column:")
    assert found.scores["risk"] == found.scores["column:b:risk"]
    assert found.scores["p_value"].value == 0.02  # Holm: twice the smaller
    assert found.scores["column:a:p_value"].value == 0.4


def test_of_attacks_that_surely_won_nothing_the_first_or_the_largest_stands_for_all():
    both = {"a": attempts(10), "b": attempts(11)}
    assert surest(both) == "b"
    assert surest(both, by_value=False) == "a"
