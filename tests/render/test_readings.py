"""What a row says its number means: chosen from the value and its interval, at the edges of each reading."""

import pytest

from reportgen.model import Measured, Reason, Score
from reportgen.render.readings import ATTACKS, CARRIES, READINGS, marks, reading, reading_cell
from reportgen.render.score_summary import summary
from reportgen.render.view import Numbering
from reportgen.words import catalog, sentence


def share(value, low, high, reference=None, **more):
    return Score(value=value, low=low, high=high, reference=reference, unit="share", better="lower", **more)


def percent(value, low, high, null=None):
    ends = {} if null is None else {"null_low": null[0], "null_high": null[1]}
    return Score(value=value, low=low, high=high, reference=100, unit="percent", better="higher", **ends)


def p(value):
    return Score(value=value, unit="probability", better="higher")


def read(make, key, name, scores, verdict="low", notes=(), **changes):
    metric = Measured(scores=scores, verdict=verdict, notes=notes)
    return reading(key, name, metric, make(**changes))


@pytest.mark.parametrize(
    ("value", "expected"), [(0.051, "no_evidence"), (0.05, "short"), (0.011, "short"), (1.0, "no_evidence")]
)
def test_a_p_value_up_to_the_conventional_level_is_never_no_evidence(make, value, expected):
    assert read(make, "closer_than_people", "p_value", {"p_value": p(value)}) == expected


@pytest.mark.parametrize("level", ["high", "moderate", "inconclusive"])
def test_the_score_that_carries_a_level_says_that_level(make, level):
    assert read(make, "leak_test", "p_value", {"p_value": p(0.5)}, verdict=level) == level


@pytest.mark.parametrize(
    ("low", "value", "expected"),
    [(0.5005, 0.518, "short"), (0.5, 0.518, "no_evidence"), (0.4999, 0.518, "no_evidence")],
)
def test_an_interval_wholly_beyond_guessing_is_never_no_evidence(make, low, value, expected):
    auc = Score(value=value, low=low, high=0.54, reference=0.5, unit="probability", better="lower")
    assert read(make, "membership_inference", "auc", {"auc": auc, "p_value": p(0.06)}) == expected


def test_a_rare_p_value_that_its_correction_lifts_above_the_limit_is_short_of_it(make):
    auc = Score(value=0.518, low=0.4999, high=0.536, reference=0.5, unit="probability", better="lower")
    assert read(make, "membership_inference", "auc", {"auc": auc, "p_value": p(0.026)}) == "short"


@pytest.mark.parametrize(("low", "expected"), [(0.0, "no_evidence"), (0.0001, "tolerated")])
def test_a_leak_surely_there_but_within_the_tolerance_is_called_so(make, low, expected):
    assert read(make, "leak_size", "excess", {"excess": share(0.004, low, 0.009)}) == expected


@pytest.mark.parametrize("key", ATTACKS)
@pytest.mark.parametrize(("low", "risk", "rate"), [(0.0, "no_evidence", "within_chance"), (0.004, "short", "above")])
def test_a_risk_whose_interval_leaves_0_out_is_never_no_evidence(make, key, low, risk, rate):
    # the rate of the attack alone lies above the control's estimate in both cases: only the risk knows both errors
    scores = {"risk": share(0.02, low, 0.04), "attack_rate": share(0.56, 0.54, 0.58, 0.53)}
    assert read(make, key, "risk", scores) == risk
    assert read(make, key, "attack_rate", scores) == rate


@pytest.mark.parametrize("key", ATTACKS)
@pytest.mark.parametrize("name", ["risk", "attack_rate", "p_value"])
def test_nothing_is_read_from_an_attack_that_is_too_weak(make, key, name):
    scores = {"risk": share(0.0, 0.0, 0.01), "attack_rate": share(0.1, 0.09, 0.11, 0.05), "p_value": p(0.001)}
    assert read(make, key, name, scores, verdict="inconclusive", notes=("not_trusted",)) == "not_assessed"


@pytest.mark.parametrize(
    ("value", "low", "reference", "expected"),
    [
        (0.0, 0.0, 0.0, "no_evidence"),
        (0.002, 0.001, 0.002, "within_chance"),
        (0.002, 0.0011, 0.001, "short"),
        (0.002, 0.001, None, "within_chance"),
    ],
)
def test_copies_are_read_beside_chance(make, value, low, reference, expected):
    assert read(make, "exact_copies", "synthetic_rows", {"synthetic_rows": share(value, low, 0.01, reference)}) == (
        expected
    )


def test_no_copies_are_not_called_high_because_an_identifier_is_reused(make, results):
    reason = Reason(code="identifier_reuse_significant", metric="exact_copies", text="Reused.")
    verdict = results["leaky"].verdict.model_copy(update={"reasons": (reason,)})
    reused = share(0.4, 0.3, 0.5, 0.0)
    scores = {"synthetic_rows": share(0.0, 0.0, 0.002, 0.0), "column:name:reused": reused}
    assert read(make, "exact_copies", "synthetic_rows", scores, verdict="high") == "high"  # its own reasons are copies
    found = Measured(scores=scores, verdict="high")
    result = make(verdict=verdict, metrics=results["leaky"].metrics | {"exact_copies": found})
    assert reading("exact_copies", "synthetic_rows", found, result) == "no_evidence"
    assert reading("exact_copies", "column:name:reused", found, result) == "above"
    names = [row[0].text for row in summary(result, "paper", Numbering()).table.rows]
    assert "Exact copies: column name: original values among its distinct values" in names


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (percent(90, 80, 99.9), "closer"),
        (percent(90, 80, 100), "like_reference"),
        (percent(110, 100, 120), "like_reference"),
        (percent(110, 100.1, 120), "farther"),
        (percent(95, 92, 98, (94, 106)), "closer_in_range"),
        (percent(94, 92, 98, (94, 106)), "closer_in_range"),
        (percent(93.9, 92, 98, (94, 106)), "closer"),
        (Score(value=100, reference=100, unit="percent", better="higher", note="reference_zero"), "no_comparison"),
        (Score(value=90, reference=100, unit="percent", better="higher"), "beside"),
    ],
)
def test_a_descriptive_score_is_read_by_its_whole_interval(make, score, expected):
    assert read(make, "distance_to_closest", "outlier", {"outlier": score}, verdict="context") == expected


@pytest.mark.parametrize(("low", "high", "expected"), [(3.5, 4, "above"), (3, 3.3, "below"), (3, 4, "like_reference")])
def test_a_score_without_a_better_direction_is_read_without_a_warning(make, low, high, expected):
    score = Score(value=(low + high) / 2, low=low, high=high, reference=3.4, unit="distance", better="context")
    metric = Measured(scores={"score": score})
    assert reading("nn_dist", "score", metric, make()) == expected
    assert reading_cell("nn_dist", "score", metric, make()).tone == "none"


def test_a_median_argues_with_its_pair_and_a_tail_beside_it_is_read_for_itself(make):
    scores = {"median": percent(90, 85, 95, (96, 104)), "outlier": percent(120, 105, 140)}
    assert read(make, "distance_to_closest", "median", scores, verdict="moderate") == "moderate"
    assert read(make, "distance_to_closest", "outlier", scores, verdict="moderate") == "farther"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("top_p_value", 0.01, "rare"),
        ("top_p_value", 0.0101, "short"),
        ("isolated_p_value", 0.05, "short"),
        ("isolated_p_value", 0.0501, "within_chance"),
        ("p_value", 0.009, "short"),
    ],
)
def test_p_values_beside_a_test_that_found_nothing(make, name, value, expected):
    assert read(make, "membership_inference", name, {name: p(value)}) == expected


def test_the_share_found_by_an_attack_is_no_less_than_its_interval_says(make):
    found = share(0.0933, 0.0629, 0.1321, 0.01)
    assert read(make, "membership_inference", "tpr_at_1pct_fpr", {"tpr_at_1pct_fpr": found}) == "above"


@pytest.mark.parametrize("name", ["p_near", "z:eqL", "original_rows"])
def test_parts_of_the_leak_test_make_no_statement_of_their_own(make, name):
    z = Score(value=3.0, reference=0.0, unit="ratio", better="lower")
    assert read(make, "leak_test", name, {name: z, "p_value": p(0.2)}) == "part"


def test_a_tick_stands_only_under_a_low_verdict():
    assert marks("no_evidence", "low") == (sentence("verdict.symbol.low"), "low")
    for level in ("inconclusive", "moderate", "high"):
        assert marks("no_evidence", level) == (sentence("verdict.symbol.context"), "none")
    assert marks("not_assessed", "low")[1] == "none"


def test_every_reading_has_its_words_and_every_entry_is_a_reading():
    assert set(catalog()["reading"]) == set(READINGS)


def test_every_metric_with_a_level_has_the_score_that_carries_it():
    from reportgen.verdict.level import TESTED

    assert set(CARRIES) == {*TESTED, "distance_to_closest", "closest_distances_ratio"}


WARNING = {"high", "moderate", "closer", "above", "rare", "short", "tolerated", "closer_in_range", "inconclusive"}


def test_no_row_of_any_report_is_calm_beside_an_interval_that_is_not(results):
    """Where the whole interval lies on the side of a leak, no reading says that all is as usual."""
    checked = 0
    for result in results.values():
        for key, metric in result.metrics.items():
            if not isinstance(metric, Measured):
                continue
            for name, score in metric.scores.items():
                if score.reference is None or score.low is None or score.better == "context" or score.note:
                    continue
                beyond = score.low > score.reference if score.better == "lower" else score.high < score.reference
                what = reading(key, name, metric, result)
                if beyond and what not in {"part", "not_assessed"} and name != "attack_rate":
                    assert what in WARNING, (key, name, what)
                    checked += 1
    assert checked > 20
