"""The in-toto statement: what it vouches for, and how the run went."""

import hashlib
import json
import re

import pytest

from reportgen import model
from reportgen.render import render, render_together
from reportgen.settings import Settings

EVERY = ["leaky", "moderate", "low", "no_holdout", "hostile", "failed", "policy", "hostile_rules", "nothing_measured"]


def described_part(result, name):
    """The descriptor of a part of the result, recomputed from the result file as an auditor would."""
    part = json.loads(model.to_json(result))[name]
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digests = {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    return {"name": name, "digest": digests, "mediaType": "application/json"}


def statement(result, rendering):
    return json.loads(render("r.intoto.json", result, rendering))


@pytest.mark.parametrize("name", EVERY)
def test_it_is_a_statement_with_the_fields_of_the_predicate(results, rendering, name):
    found = statement(results[name], rendering)
    assert list(found) == ["_type", "subject", "predicateType", "predicate"]
    assert found["_type"] == "https://in-toto.io/Statement/v1"
    assert found["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert list(found["predicate"]) == ["result", "configuration", "passedTests", "warnedTests", "failedTests"]
    assert found["predicate"]["result"] in ("PASSED", "WARNED", "FAILED")
    for subject in found["subject"]:
        assert re.fullmatch("[0-9a-f]{64}", subject["digest"]["sha256"])
    for descriptor in found["predicate"]["configuration"]:
        assert {"uri", "digest"} & set(descriptor)  # a descriptor needs one of them


def test_alone_it_vouches_for_the_synthetic_file_and_the_result(results, rendering):
    subjects = statement(results["leaky"], rendering)["subject"]
    assert subjects == [
        {"name": "syn.csv.gz", "digest": {"sha256": "b" * 64}},
        {"name": "result.json", "digest": {"sha256": model.digest(results["leaky"])}},
    ]


def test_with_others_it_vouches_for_each_and_names_the_result_once(results, rendering):
    names = ["out/r.intoto.json", "out/r.junit.xml", "out/r.json", "r.md"]
    made = render_together(names, results["leaky"], rendering).contents
    subjects = {one["name"]: one["digest"]["sha256"] for one in json.loads(made["out/r.intoto.json"])["subject"]}
    assert list(subjects) == ["syn.csv.gz", "r.json", "r.junit.xml", "r.md"]
    for name in names[1:]:
        assert subjects[name.rpartition("/")[2]] == hashlib.sha256(made[name]).hexdigest()


def test_two_statements_of_one_run_do_not_vouch_for_each_other(results, rendering):
    made = render_together(["a.intoto.json", "b.intoto.json", "r.md"], results["leaky"], rendering).contents
    assert made["a.intoto.json"] == made["b.intoto.json"]
    assert b'"a.intoto.json"' not in made["b.intoto.json"]


def test_a_name_that_is_no_text_is_written_down_all_the_same(results, rendering):
    made = render_together(["a\udcff.md", "r.intoto.json"], results["leaky"], rendering).contents
    assert [one["name"] for one in json.loads(made["r.intoto.json"])["subject"]][1] == "a\N{REPLACEMENT CHARACTER}.md"


def test_a_table_in_memory_is_named_by_the_digest_of_its_content(results, rendering, make):
    inputs = results["leaky"].inputs
    changed = inputs.model_copy(update={"synthetic": inputs.synthetic.model_copy(update={"sha256": None})})
    assert statement(make(inputs=changed), rendering)["subject"][0]["digest"] == {"reportgenContentSha256": "0" * 64}


def test_the_configuration_is_the_real_tables_the_settings_and_the_program(results, rendering):
    found = statement(results["leaky"], rendering)["predicate"]["configuration"]
    assert found[0] == {"name": "trn.csv.gz", "digest": {"sha256": "e" * 64}, "annotations": {"role": "original"}}
    assert found[1] == {"name": "hol.csv.gz", "digest": {"sha256": "f" * 64}, "annotations": {"role": "holdout"}}
    assert found[2] == described_part(results["leaky"], "settings")
    assert found[3:] == [{"name": "reportgen", "uri": "pkg:pypi/reportgen@0.1.0"}]


def test_a_policy_and_a_baseline_belong_to_the_configuration(results, rendering):
    older = model.Baseline(
        name="old.json", sha256="c" * 64, created="2026-01-01T00:00:00Z", version="0.0.9", level="low", scores={}
    )
    changed = results["policy"].model_copy(update={"baseline": older})
    found = statement(changed, rendering)["predicate"]["configuration"]
    assert {"name": "old.json", "digest": {"sha256": "c" * 64}, "annotations": {"role": "baseline"}} in found
    assert described_part(changed, "policy") in found


@pytest.mark.parametrize(
    ("name", "result"), [("low", "PASSED"), ("leaky", "FAILED"), ("failed", "FAILED"), ("tolerated", "WARNED")]
)
def test_the_result_follows_the_gate_and_the_level(results, rendering, name, result):
    assert statement(results[name], rendering)["predicate"]["result"] == result


def test_rules_stand_in_the_list_of_their_outcome(results, rendering):
    found = statement(results["policy"], rendering)["predicate"]
    assert found["passedTests"] == ["measured", "closest_rate.rate"]
    assert found["warnedTests"] == ["verdict", "exact_copies", "leak_test"]
    assert found["failedTests"] == ["distance_to_closest.outlier", "leak_test.p_value"]


def test_a_gate_that_is_met_above_low_has_passed_with_a_warning(results, rendering):
    met = results["inconclusive"].model_copy(update={"settings": Settings(fail_on="moderate")})
    found = statement(met, rendering)["predicate"]
    assert found["result"] == "WARNED"
    assert "verdict" in found["warnedTests"]
    assert "verdict" not in found["passedTests"]


def test_what_only_describes_or_was_not_measured_stands_in_no_list(results, rendering):
    found = statement(results["low"], rendering)["predicate"]
    named = {*found["passedTests"], *found["warnedTests"], *found["failedTests"]}
    assert not {"closest_rate", "inference"} & named
