"""The list of rules behind the pipeline formats."""

import pytest

from reportgen.render.checks import checks, waiver_lines
from reportgen.settings import METRIC_KEYS, Settings


def found(result):
    return {rule.name: rule for rule in checks(result).rules}


def test_the_gate_comes_first_and_then_every_metric(results):
    names = [rule.name for rule in checks(results["leaky"]).rules]
    assert names == ["verdict", "measured", *METRIC_KEYS]


def test_what_argues_for_the_level_that_the_gate_fails_on_fails(results):
    rules = found(results["leaky"])
    assert rules["verdict"].finding == "failed"
    assert rules["exact_copies"].finding == "failed"
    assert rules["exact_copies"].message == "99 synthetic rows are identical to an original row on every used column."
    assert rules["exact_copies"].details[:3] == (
        "value: 4.95\N{NO-BREAK SPACE}%",
        "bound: 4.18\N{NO-BREAK SPACE}%",
        "limit: 1.00\N{NO-BREAK SPACE}%",
    )


def test_a_metric_that_the_verdict_needs_and_that_was_not_measured_fails(results):
    rule = found(results["leaky"])["leak_test"]
    assert rule.finding == "failed"
    assert rule.message.startswith("Not measured. Not part of this version. ")


def test_a_test_that_found_nothing_passes_and_a_score_that_only_describes_never_does(results):
    rules = found(results["low"])
    assert rules["verdict"].finding == rules["exact_copies"].finding == "passed"
    assert rules["closest_rate"].finding == "skipped"
    assert rules["closest_rate"].message.startswith("Describes and makes no verdict. ")


def test_without_a_gate_nothing_fails_and_a_leak_is_still_not_passed(results):
    rules = found(results["tolerated"])
    assert rules["verdict"].finding == rules["exact_copies"].finding == "warned"
    assert "Argues for high risk" in rules["exact_copies"].message
    assert not {"failed", "error"} & {rule.finding for rule in rules.values()}


def test_evidence_below_the_level_that_the_gate_fails_on_is_noted(results):
    moderate = results["moderate"]
    rules = found(moderate.model_copy(update={"settings": Settings(fail_on="high")}))
    assert rules["verdict"].finding == "passed"
    assert rules["exact_copies"].finding == "warned"


def test_a_measurement_that_broke_down_is_an_error_unless_there_is_no_gate(results):
    rules = found(results["failed"])
    assert (rules["measured"].finding, rules["closest_rate"].finding) == ("failed", "error")
    without = results["failed"].model_copy(update={"settings": Settings(fail_on="never")})
    assert found(without)["closest_rate"].finding == "warned"


def test_what_is_waived_is_noted_and_no_metric_fails_behind_it(results):
    rules = found(results["policy"])
    assert rules["verdict"].finding == "warned"
    assert "Waived until 2027-01-31 by A. Officer, up to moderate: known twins" in rules["verdict"].message
    assert rules["exact_copies"].finding == "warned"


def test_limits_of_a_policy_pass_fail_and_fail_again_when_their_waiver_ended(results):
    rules = found(results["policy"])
    assert rules["closest_rate.rate"].finding == "passed"
    assert rules["leak_test.p_value"].finding == "failed"  # not measured, and a limit on it never passes
    assert rules["distance_to_closest.outlier"].finding == "failed"
    assert "ended on 2026-01-31" in rules["distance_to_closest.outlier"].message


def test_a_waiver_that_nothing_needed_is_named(results):
    assert waiver_lines(checks(results["policy"]).gate) == (
        "No rule needed this waiver of tolerance: Waived until 2027-06-30 by C. Officer: never needed",
    )


@pytest.mark.parametrize(
    "name", ["leaky", "moderate", "low", "inconclusive", "no_holdout", "failed", "policy", "tolerated"]
)
def test_a_rule_fails_or_errs_exactly_where_the_gate_is_not_met(results, name):
    listed = checks(results[name])
    assert listed.gate.met is not bool({"failed", "error"} & {rule.finding for rule in listed.rules})
