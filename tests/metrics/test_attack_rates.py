import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.attempts import Attempts, Tries
from reportgen.metrics.attack_rates import measured, risk_of, surest, trusted
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


def test_an_attack_that_does_no_better_than_guessing_is_not_trusted():
    assert trusted(attempts(6))
    assert not trusted(attempts(5))
    assert "not_trusted" in measured({"": attempts(5)}, prefix="", alone=True).notes


def test_without_a_control_there_is_no_risk_and_the_note_says_so():
    found = measured({"": attempts(50, None, p_value=None)}, prefix="", alone=True)
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
