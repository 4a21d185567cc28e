"""OpenMetrics, read again by two parsers: that of OpenMetrics, and that of Prometheus' older text format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from reportgen.render import render
from reportgen.render.openmetrics import _escaped
from reportgen.settings import Settings

EVERY = ["leaky", "moderate", "low", "no_holdout", "hostile", "failed", "policy", "hostile_rules", "nothing_measured"]


def exposition(result, rendering):
    return render("r.prom", result, rendering).decode()


def samples(result, rendering):
    families = openmetrics(exposition(result, rendering))
    return {(one.name, tuple(one.labels.values())): one.value for family in families for one in family.samples}


@pytest.mark.parametrize("name", EVERY)
def test_both_parsers_read_the_same_samples(results, rendering, name):
    text = exposition(results[name], rendering)
    found = [[sample for family in parse(text) for sample in family.samples] for parse in (openmetrics, prometheus)]
    assert found[0] == found[1] != []
    assert text.endswith("\n# EOF\n")


@pytest.mark.parametrize("name", EVERY)
def test_every_family_has_type_and_help_and_a_unit_where_its_name_has_one(results, rendering, name):
    for family in openmetrics(exposition(results[name], rendering)):
        assert family.type == "gauge"
        assert family.documentation
        assert (family.unit != "") is family.name.endswith(("_ratio", "_seconds"))


@pytest.mark.parametrize("name", EVERY)
def test_no_series_stands_twice(results, rendering, name):
    families = list(openmetrics(exposition(results[name], rendering)))
    every = [(one.name, tuple(one.labels.items())) for family in families for one in family.samples]
    assert len(every) == len(set(every))


def test_values_are_those_of_the_result_unrounded(results, rendering):
    found = samples(results["leaky"], rendering)
    rate = results["leaky"].metrics["closest_rate"].scores["rate"]
    assert found["reportgen_score", ("closest_rate", "rate")] == rate.value
    assert found["reportgen_score_low", ("closest_rate", "rate")] == rate.low
    assert found["reportgen_score_high", ("closest_rate", "rate")] == rate.high
    assert found["reportgen_score_reference", ("closest_rate", "rate")] == 98.05
    assert samples(results["with_null_range"], rendering)["reportgen_score_null_low", ("closest_rate", "rate")] == 97.65
    assert 'reportgen_score{metric="closest_rate",score="rate"} 93.35\n' in exposition(results["leaky"], rendering)


def test_the_verdict_is_one_of_four_and_a_number(results, rendering):
    for name, level, number in (("low", "low", 0), ("inconclusive", "inconclusive", 1), ("leaky", "high", 3)):
        found = samples(results[name], rendering)
        states = {labels[0]: value for (family, labels), value in found.items() if family == "reportgen_verdict"}
        assert states == {one: float(one == level) for one in ("low", "inconclusive", "moderate", "high")}
        assert found["reportgen_verdict_level", ()] == number


def test_the_gate_and_its_rules_are_numbers(results, rendering):
    found = samples(results["policy"], rendering)
    assert found["reportgen_gate_met", ()] == 0
    assert found["reportgen_rule_failed", ("gate", "leak_test.p_value")] == 1
    assert found["reportgen_rule_failed", ("gate", "verdict")] == 0
    assert found["reportgen_rule_waived", ("verdict",)] == 1
    assert found["reportgen_waiver_until_seconds", ("verdict",)] == 1801353600  # date -d 2027-01-31T00:00:00Z +%s
    assert samples(results["low"], rendering)["reportgen_gate_met", ()] == 1


def test_what_makes_no_verdict_or_was_not_measured_has_no_series_that_looks_passed(results, rendering):
    found = samples(results["low"], rendering)
    assert ("reportgen_rule_failed", ("metrics", "closest_rate")) not in found
    assert ("reportgen_metric_verdict_level", ("closest_rate",)) not in found
    assert found["reportgen_metric_measured", ("inference",)] == 0
    assert not any(name == "reportgen_score" and labels[0] == "inference" for name, labels in found)


def test_a_run_without_a_gate_reads_met_and_still_tells_the_level(make, rendering):
    found = samples(make(settings=Settings(fail_on="never")), rendering)
    assert (found["reportgen_gate_met", ()], found["reportgen_verdict_level", ()]) == (1, 3)


def test_names_that_differ_by_a_line_break_and_by_its_two_signs_stay_apart(results, rendering):
    names = {labels[1] for _, labels in samples(results["hostile_rules"], rendering) if len(labels) == 2}
    assert r"column:a\nb:reused" in names
    assert r"column:a\\nb:reused" in names


@given(st.sets(st.text(max_size=12), min_size=2, max_size=6))
def test_any_labels_are_read_again_and_no_two_become_one(names):
    lines = [f'm{{name="{_escaped(name)}"}} 1.0' for name in names]
    text = "\n".join(("# TYPE m gauge", *lines, "# EOF", ""))
    for parse in (openmetrics, prometheus):
        read = {one.labels["name"] for family in parse(text) for one in family.samples}
        assert len(read) == len(names)
        assert {name for name in names if name.isalnum()} <= read
