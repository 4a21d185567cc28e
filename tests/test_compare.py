"""What changed between two results."""

import json
import re

import pandas as pd
import pytest

import reportgen
from reportgen.changes import apart, compare, direction, to_json
from reportgen.model import Score
from reportgen.render.compare_page import closing, compare_page
from reportgen.render.table_page import text


def score(value, low=None, high=None, better="higher", note=None):
    return Score(value=value, low=low, high=high, unit="percent", better=better, note=note)


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        (score(90), score(95), "worse"),
        (score(90, better="lower"), score(95, better="lower"), "better"),
        (score(95), score(95), "same"),
        (score(90, better="context"), score(95, better="context"), "lower"),
        (score(96, note="reference_zero"), score(95), "higher"),  # 100 % by definition: neither better nor worse
    ],
)
def test_the_way_a_score_went(now, before, expected):
    assert direction(now, before) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (score(90, 88, 92), score(95, 93, 97), True),
        (score(95, 93, 97), score(90, 88, 92), True),
        (score(90, 88, 93), score(95, 93, 97), False),  # they share 93
        (score(90), score(95, 93, 97), False),  # without an interval nothing is clear
    ],
)
def test_intervals_that_share_no_value_are_apart(one, other, expected):
    assert apart(one, other) is expected


def changed(result, **scores):
    """The result with other values of closest_rate.rate."""
    metric = result.metrics["closest_rate"]
    rate = metric.scores["rate"].model_copy(update=scores)
    measured = metric.model_copy(update={"scores": {**metric.scores, "rate": rate}})
    return result.model_copy(update={"metrics": {**result.metrics, "closest_rate": measured}})


SHOWN = {"closest_rate": ("rate",)}


@pytest.fixture(scope="module")
def result():
    tables = [
        pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)], "town": list("abcdef") * 10})
        for seed in range(3)
    ]
    return changed(
        reportgen.assess(*tables, metric=["closest_rate", "exact_copies"]).result, value=95.0, low=93.0, high=97.0
    )


def test_equal_results_change_nothing(result):
    found = compare(result, result, ("a", "b"), SHOWN)
    assert (found.verdict, found.worse, found.differences) == ("same", False, ())
    assert (found.inputs, found.settings, found.versions) == ((), (), ())
    assert (found.scores[0].direction, found.scores[0].clear) == ("same", False)


def test_a_score_is_worse_only_beyond_its_interval(result):
    within = compare(result, changed(result, value=94.0, low=92.0, high=96.0), ("a", "b"), SHOWN)
    assert (within.scores[0].direction, within.worse) == ("worse", False)
    beyond = compare(result, changed(result, value=90.0, low=88.0, high=92.0), ("a", "b"), SHOWN)
    assert (beyond.scores[0].clear, beyond.worse) == (True, True)


def test_a_worse_level_is_worse_and_a_better_one_is_not(result):
    high = result.model_copy(update={"verdict": result.verdict.model_copy(update={"level": "high"})})
    assert compare(result, high, ("a", "b"), SHOWN).worse
    better = compare(high, result, ("a", "b"), SHOWN)
    assert (better.verdict, better.worse) == ("better", False)


@pytest.mark.parametrize("what", ["metrics", "holdout", "space"])
def test_scores_are_not_judged_where_definition_holdout_or_space_differ(result, what):
    other = {
        "metrics": {"tool": result.tool.model_copy(update={"metrics": 2})},
        "holdout": {"holdout": result.holdout.model_copy(update={"kind": "approximate"})},
        "space": {"space": result.space.model_copy(update={"components": 1})},
    }[what]
    newer = changed(result, value=1.0, low=0.0, high=2.0).model_copy(update=other)
    found = compare(result, newer, ("a", "b"), SHOWN)
    assert found.differences == (what,)
    assert found.scores[0].direction is None
    assert (found.verdict, found.worse) == (None, None)


def other_original(result, level):
    """A result about other original rows, with another verdict."""
    of = result.inputs.original.model_copy(update={"content_sha256": "0" * 64})
    return result.model_copy(
        update={
            "inputs": result.inputs.model_copy(update={"original": of}),
            "verdict": result.verdict.model_copy(update={"level": level}),
        }
    )


@pytest.mark.parametrize("levels", [("inconclusive", "high"), ("high", "inconclusive"), ("high", "high")])
def test_of_two_that_do_not_compare_nothing_says_that_one_is_better_or_worse(result, levels):
    older = result.model_copy(update={"verdict": result.verdict.model_copy(update={"level": levels[0]})})
    found = compare(older, other_original(result, levels[1]), ("a", "b"), SHOWN)
    said = json.loads(to_json(found))
    assert (said["differences"], said["verdict"], said["worse"]) == (["original"], None, None)
    shown = compare_page(result, found)
    assert (shown.word, shown.symbol) == ("Not comparable", "–")
    assert shown.headline == f"The verdict is {levels[0]} in the earlier result and {levels[1]} in the later one."
    for words in (shown.headline, shown.description, shown.gate, text(shown), closing(found)):
        assert not re.search("gets|stays|better|(?<!no )(?<!fail-on-)worse", words)
    assert closing(found).startswith("not comparable")


def test_a_verdict_that_falls_as_a_metric_is_dropped_is_not_called_better(result):
    older = result.model_copy(update={"verdict": result.verdict.model_copy(update={"level": "high"})})
    kept = {key: one for key, one in result.metrics.items() if key != "exact_copies"}
    shown = compare_page(result, compare(older, result.model_copy(update={"metrics": kept}), ("a", "b"), SHOWN))
    assert shown.headline == "The verdict is high in the earlier result and inconclusive in the later one."


def test_settings_and_versions_that_differ_are_named(result):
    newer = result.model_copy(
        update={
            "settings": result.settings.model_copy(update={"seed": 3}),
            "environment": {**result.environment, "numpy": "9.9"},
        }
    )
    found = compare(result, newer, ("a", "b"), SHOWN)
    assert [(one.name, one.before, one.now) for one in found.settings] == [("seed", 0, 3)]
    assert [(one.name, one.now) for one in found.versions] == [("numpy", "9.9")]


def test_missing_marks_are_counted_where_categories_may_not_be_named(result):
    declared = result.settings.declared.model_copy(update={"missing": ("Rare Disease",)})
    update = {"declared": declared, "no_category_names": True}
    newer = result.model_copy(update={"settings": result.settings.model_copy(update=update)})
    assert "Rare Disease" not in compare(result, newer, ("a", "b"), SHOWN).model_dump_json()
