"""JUnit XML, by the schema of Apache Ant's JUnit task, which is the strictest of those in use."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.render import render
from reportgen.settings import METRIC_KEYS
from reportgen.shown import escaped

# Element -> (children in order with their repetition as in a regular expression, required attributes, others).
SHAPES = {
    "testsuites": ("(testsuite )*", set(), set()),
    "testsuite": (
        "properties (testcase )*system-out system-err ",
        {"name", "timestamp", "hostname", "tests", "failures", "errors", "time", "package", "id"},
        {"skipped"},
    ),
    "properties": ("(property )*", set(), set()),
    "property": ("", {"name", "value"}, set()),
    "testcase": ("((skipped|error|failure) )?", {"name", "classname", "time"}, set()),
    "failure": ("", {"type"}, {"message"}),
    "error": ("", {"type"}, {"message"}),
    "skipped": ("", set(), {"message"}),
    "system-out": ("", set(), set()),
    "system-err": ("", set(), set()),
}
EVERY = ["leaky", "moderate", "low", "no_holdout", "hostile", "failed", "policy", "hostile_rules", "nothing_measured"]


def suite_of(result, rendering):
    return ET.fromstring(render("r.junit.xml", result, rendering)).find("testsuite")


def cases(result, rendering):
    return {case.get("name"): case for case in suite_of(result, rendering).iter("testcase")}


@pytest.mark.parametrize("name", EVERY)
def test_every_element_has_the_children_and_attributes_of_the_schema(results, rendering, name):
    for element in ET.fromstring(render("r.junit.xml", results[name], rendering)).iter():
        children, required, others = SHAPES[element.tag]
        assert re.fullmatch(children, "".join(f"{child.tag} " for child in element)), element.tag
        assert required <= set(element.attrib) <= required | others, element.tag


@pytest.mark.parametrize("name", EVERY)
def test_counts_are_those_of_the_testcases(results, rendering, name):
    suite = suite_of(results[name], rendering)
    for count, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(count)) == sum(1 for _ in suite.iter(tag)), tag


def test_the_time_of_creation_stands_without_a_zone_and_no_machine_is_named(results, rendering):
    suite = suite_of(results["leaky"], rendering)
    assert suite.get("timestamp") == "2026-11-29T12:30:00"
    assert suite.get("hostname") == "localhost"


def test_there_is_a_testcase_a_rule_of_the_gate_and_one_a_metric(results, rendering):
    found = cases(results["policy"], rendering)
    assert set(METRIC_KEYS) < set(found)
    assert found["closest_rate.rate"].get("classname") == "reportgen.gate"
    assert found["closest_rate"].get("classname") == "reportgen.metrics"


def test_a_failure_says_value_limit_and_sentence_in_its_text(results, rendering):
    failure = cases(results["leaky"], rendering)["exact_copies"].find("failure")
    assert failure.get("message") == "99 synthetic rows are identical to an original row on every used column."
    assert failure.text.splitlines()[0] == failure.get("message")
    assert {"value: 4.95\N{NO-BREAK SPACE}%", "limit: 1.00\N{NO-BREAK SPACE}%"} < set(failure.text.splitlines())


def test_what_was_not_measured_is_skipped_failed_or_an_error_as_the_gate_treats_it(results, rendering):
    assert [child.tag for child in cases(results["leaky"], rendering)["inference"]] == ["skipped"]
    assert [child.tag for child in cases(results["leaky"], rendering)["leak_test"]] == ["failure"]
    assert [child.tag for child in cases(results["failed"], rendering)["closest_rate"]] == ["error"]


def test_a_low_verdict_fails_nothing(results, rendering):
    suite = suite_of(results["low"], rendering)
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    assert not list(cases(results["low"], rendering)["verdict"])


def test_a_waived_rule_is_skipped_with_its_waiver_and_an_unneeded_waiver_is_named(results, rendering):
    suite = suite_of(results["policy"], rendering)
    skipped = next(case for case in suite.iter("testcase") if case.get("name") == "verdict").find("skipped")
    assert "Waived until 2027-01-31 by A. Officer, up to moderate: known twins" in skipped.get("message")
    assert "No rule needed this waiver of tolerance: Waived until 2027-06-30" in suite.find("system-out").text


def test_hostile_text_is_shown_and_nothing_that_xml_cannot_hold_remains(results, rendering):
    content = render("r.junit.xml", results["hostile_rules"], rendering).decode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ufffe\uffff]", content)
    name = suite_of(results["hostile_rules"], rendering).get("name")
    assert name.startswith("</failure>]]> <b>@team")
    assert r"\x07\x0b\x1b[31m\u202e\ufffe\r\n# head" in name


@settings(max_examples=30)
@given(text=st.text(max_size=40))
def test_any_title_leaves_the_document_well_formed(text, make, rendering):
    assert suite_of(make(title=text), rendering).get("name") == escaped(text).strip() or not text.strip()


def test_a_suite_without_a_title_has_a_name_all_the_same(make, rendering):
    assert suite_of(make(title=" "), rendering).get("name") == "reportgen"
