"""A result that was changed by hand in one place contradicts itself, and is refused in one line."""

import importlib.util
import json
from pathlib import Path

import pytest

import reportgen
from reportgen.api import parse
from reportgen.model import to_json


@pytest.fixture(scope="module")
def by_hand():
    """The results made by hand that the renderers are tested with."""
    spec = importlib.util.spec_from_file_location("by_hand", Path(__file__).parent / "render" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOT_MEASURED = {"status": "not_measured", "code": "not_selected", "reason": "Not selected."}
LEVEL = ("verdict", "level")
P_VALUE = ("metrics", "leak_test", "scores", "p_value", "value")
EXCESS = ("metrics", "leak_size", "scores", "excess")


def changed(result, *changes):
    """The text of a result in which the value at each path is another."""
    plain = json.loads(to_json(result))
    for path, value in changes:
        part = plain
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = value
    return json.dumps(plain).encode()


def refusal(text):
    with pytest.raises(reportgen.InputError) as caught:
        parse(text, "r.json")
    said = str(caught.value)
    assert said.startswith("r.json: not a valid result")
    assert said.endswith("; was the file changed by hand? assess again")
    assert said.isprintable()
    assert len(said) < 250
    return said


def test_a_result_as_it_was_made_is_taken(by_hand):
    for made in (by_hand.low, by_hand.moderate, by_hand.inconclusive, by_hand.make_result, by_hand.no_holdout):
        result = made()
        assert parse(changed(result), "r.json").result == result


@pytest.mark.parametrize("made", ["make_result", "moderate", "inconclusive", "no_holdout", "approximate"])
def test_a_level_alone_cannot_be_set_to_low(by_hand, made):
    assert "low exactly where the one reason is that no leak was found" in refusal(
        changed(getattr(by_hand, made)(), (LEVEL, "low"))
    )


@pytest.mark.parametrize("made", ["make_result", "moderate", "inconclusive", "no_holdout", "approximate"])
def test_nor_with_the_reason_of_a_low_level(by_hand, made):
    result = getattr(by_hand, made)()
    reasons = json.loads(to_json(by_hand.low()))["verdict"]["reasons"]
    assert "the level is low" in refusal(changed(result, (LEVEL, "low"), (("verdict", "reasons"), reasons)))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (P_VALUE, 0.05, "leak_test.p_value is significant"),  # the level of the test is inclusive
        (("metrics", "leak_test", "scores", "p_mirrored", "value"), 0.01, "leak_test.p_mirrored is significant"),
        (("metrics", "leak_test"), NOT_MEASURED, "leak_test was not measured"),
        (("metrics", "exact_copies"), NOT_MEASURED, "exact_copies was not measured"),
        (("metrics", "nndr"), NOT_MEASURED | {"code": "failed"}, "a metric failed"),
        (("metrics", "exact_copies", "verdict"), "moderate", "a metric argues for another"),
        (("controls", "detectable", "share"), None, "smallest leak that would be noticed is not small enough"),
        (("settings", "thresholds", "smallest_leak"), 0.5, "smallest leak that would be noticed"),  # 0.8 % > 0.5 %
        (("holdout", "shared_persons"), 1, "shares rows or persons with the original"),
        (("holdout", "rows_p_value"), 0.01, "persons of original and holdout differ"),
        (("settings", "thresholds", "fewest_rows"), 2001, "too few rows"),
        (("metrics", "exact_copies", "scores", "synthetic_rows", "reference"), 0.96, "holdout is the synthetic table"),
    ],
)
def test_a_low_level_needs_all_that_bears_it(by_hand, path, value, said):
    assert said in refusal(changed(by_hand.low(), (path, value)))


def test_an_attack_that_does_no_better_than_guessing_leaves_a_low_level_standing(by_hand):
    weak = json.loads(to_json(by_hand.low()))["metrics"]["exact_copies"] | {"verdict": "inconclusive"}
    told = changed(by_hand.low(), (("metrics", "singling_out"), weak | {"notes": ["not_trusted"]}))
    assert parse(told, "r.json").result.verdict.level == "low"
    assert "a metric argues for another" in refusal(changed(by_hand.low(), (("metrics", "singling_out"), weak)))


def test_a_criterion_counts_as_assessed_only_by_an_attack_with_a_risk(by_hand):
    made = json.loads(to_json(by_hand.low()))["metrics"]["exact_copies"]
    rate = {"value": 0.1, "unit": "share", "better": "lower"}
    scores = {"scores": {"risk": rate, "attack_rate": rate}}
    place = ("coverage", "linkability")

    def told(criterion, **metric):
        weak = made | scores | {"verdict": "low", "notes": []} | metric
        return changed(by_hand.low(), (("metrics", "linkability"), weak), (place, criterion))

    yes = {"assessed": True, "code": None, "metrics": ["linkability"]}
    assert parse(told(yes), "r.json").result.coverage.linkability.assessed
    weak = {"verdict": "inconclusive", "notes": ["not_trusted"]}
    # As results were written that have no code yet; reports call it not assessed.
    assert parse(told(yes, **weak), "r.json").result.coverage.linkability.assessed
    assert "a code that says why it is not" in refusal(told(yes | {"code": "not_trusted"}))
    alone = {"scores": {"attack_rate": rate}, "notes": ["no_control"], "verdict": "context"}
    assert "assessed whose attack was not measured" in refusal(told(yes, **alone))
    no = yes | {"assessed": False, "code": "not_trusted"}
    assert not parse(told(no, **weak), "r.json").result.coverage.linkability.assessed


def test_the_upper_bound_of_a_low_level_lies_within_the_tolerance(by_hand):
    # Both together, as who knows where the bound stands would do it: 1.2 % against 1 %.
    edits = ((*EXCESS, "high"), 0.012), (("verdict", "upper_bound"), 1.2)
    assert "upper bound is not within the tolerance" in refusal(changed(by_hand.low(), *edits))


def test_rows_shared_with_the_original_beyond_chance_bear_no_low_level(by_hand):
    edits = (("holdout", "overlap_rows"), 40), (("holdout", "overlap_p_value"), 0.001)
    assert "shares rows" in refusal(changed(by_hand.low(), *edits))


@pytest.mark.parametrize(
    ("made", "path", "value", "said"),
    [
        ("low", ("verdict", "upper_bound"), 0.1, "the verdict's upper bound"),
        ("low", ("verdict", "tolerance"), 2.0, "the verdict's tolerance"),
        ("low", ("verdict", "reasons"), [], "low exactly where"),
        ("inconclusive", ("verdict", "reasons"), [], "no reason says what is missing"),
        ("low", LEVEL, "inconclusive", "low exactly where the one reason"),
        ("make_result", LEVEL, "inconclusive", "or one tells of a leak"),
        ("make_result", ("verdict", "reasons"), [], "high without a reason that tells of a leak"),
        ("inconclusive", LEVEL, "moderate", "moderate without a reason that tells of a leak"),
        ("inconclusive", LEVEL, "high", "high without a reason that tells of a leak"),
        ("low", ("inputs", "holdout"), None, "exactly where its kind is provided"),
        ("approximate", ("holdout", "kind"), "provided", "exactly where its kind is provided"),
        ("low", ("holdout", "kind"), "approximate", "exactly where its kind is provided"),
        ("low", ("holdout", "rows"), 1999, "differ from those of its file"),
        ("low", ("holdout", "overlap_rows"), 2001, "differ from those of its file"),
        ("low", ("holdout", "original_overlap_rows"), 2001, "more original rows are told of"),
        ("approximate", ("holdout", "rows"), 4001, "more original rows are told of"),
        ("low", ("inputs", "synthetic", "repeated_rows"), 2000, "than a file has rows"),
        ("low", ("inputs", "original", "persons"), 2001, "than a file has rows"),
        ("low", ("search", "unique_rows", "synthetic"), 2001, "than a file has rows"),
        ("low", ("search", "unique_rows", "holdout"), None, "of a file that was not given, or not of one"),
        ("low", ("search", "certified"), 5999, "not every search is certified"),
        ("low", ("columns", 0, "missing", "synthetic"), 2001, "more values of a column"),
        ("low", ("columns", 0, "missing", "holdout"), None, "of a holdout that was not given, or not"),
        ("low", ("columns", 0, "distinct_original"), 2001, "more values of a column"),
        ("low", ("controls", "memorising", "rows"), 2001, "replaced more rows"),
        ("low", ("controls", "detectable", "rows"), 4, "smallest leak's rows and share differ"),
        ("low", ("coverage", "linkability", "assessed"), True, "assessed whose attack was not measured"),
        ("low", (*EXCESS, "value"), 0.004, "leak_size.excess does not hold its value"),
        ("low", (*EXCESS, "low"), 0.005, "ends before it begins"),
        ("low", (*EXCESS, "high"), 1.5, "a share is outside of its range"),
        ("low", P_VALUE, -0.1, "a probability is outside of its range"),
        ("make_result", ("metrics", "closest_rate", "scores", "rate", "value"), -95.0, "a percent is outside"),
    ],
)
def test_what_no_run_leaves_together_is_refused(by_hand, made, path, value, said):
    assert said in refusal(changed(getattr(by_hand, made)(), (path, value)))


def test_a_table_without_rows_is_no_fault_of_the_loader(by_hand):
    assert refusal(changed(by_hand.low(), (("inputs", "synthetic", "rows"), 0)))


def test_the_commands_refuse_it_in_one_line(run, by_hand, tmp_path):
    (tmp_path / "r.json").write_bytes(changed(by_hand.make_result(), (LEVEL, "low")))
    for words in (("check", "r.json"), ("render", "r.json", "-o", "r.html")):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert err.startswith("reportgen: error: r.json: not a valid result (the level is low exactly where")
        assert err.count("\n") == 1
    assert not (tmp_path / "r.html").exists()
