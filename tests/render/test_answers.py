import pytest

from reportgen.metrics.null_range import QUOTIENTS
from reportgen.model import Score
from reportgen.render import scores
from reportgen.render.advice import cautions, improvement
from reportgen.render.answers import answer
from reportgen.render.stance import descriptive, stance, worse
from reportgen.words import catalog

APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
NBSP = "\N{NO-BREAK SPACE}"


def of(results, name, key):
    result = results[name]
    return answer(key, result.metrics[key], result)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (Score(value=90, low=85, high=99.9, reference=100, unit="percent", better="higher"), "below"),
        (Score(value=90, low=85, high=100, reference=100, unit="percent", better="higher"), "not_below"),
        (Score(value=90, reference=100, unit="percent", better="higher"), "below"),
        (Score(value=100, reference=100, unit="percent", better="higher", note="reference_zero"), "unknown"),
        (Score(value=90, unit="percent", better="higher"), "unknown"),
        (None, "unknown"),
    ],
)
def test_score_is_below_only_with_its_whole_interval(score, expected):
    assert stance(score) == expected


def test_copies_are_counted_beside_chance(results):
    assert of(results, "leaky", "exact_copies") == (
        f"Yes. 99 of the 2,000 synthetic rows (4.95{NBSP}%) equal an original row in every used column; "
        "none equals a holdout row. 99 original rows are found again."
    )


def test_no_copies_is_not_called_more_than_that(results):
    assert of(results, "inconclusive", "exact_copies") == (
        "No. Not one of the 2,000 synthetic rows equals an original row in every used column; "
        "none equals a holdout row."
    )


def test_copies_without_a_holdout_claim_no_comparison(results):
    assert "holdout" not in of(results, "no_holdout", "exact_copies")


def test_low_scores_answer_yes_with_the_tail(results):
    assert of(results, "leaky", "closest_distances_ratio") == (
        "Yes, both for the typical row and in the lower tail. "
        f"10.40{NBSP}% of the original rows have a ratio of 0.229 or less; "
        f"measured against the holdout it is 2.50{NBSP}%. "
        f"The lower tail scores 0.0{NBSP}% of the holdout{APOSTROPHE}s, the median 95.3{NBSP}%."
    )


def test_high_scores_answer_not_measurably(results):
    assert of(results, "inconclusive", "distance_to_closest").startswith(
        "Not measurably: no interval lies wholly below"
    )


def test_reference_of_zero_answers_that_it_cannot_be_told(results):
    text = of(results, "reference_zero", "distance_to_closest")
    assert text.startswith(f"This cannot be told: the holdout{APOSTROPHE}s own value is 0")
    assert "scores" not in text


def test_rate_stands_beside_the_holdouts(results):
    assert of(results, "leaky", "closest_rate") == (
        f"133 of 2,000, which is 6.65{NBSP}%; measured against the holdout it is 39, or 1.95{NBSP}%. "
        f"The Closest Rate is 93.35{NBSP}% against 98.05{NBSP}%; its whole interval lies below."
    )


def test_nndr_stands_beside_real_rows(results):
    assert of(results, "real_rows", "nndr") == (
        f"Yes. 18.00{NBSP}% of the synthetic rows have a ratio below 0.5; of the holdout rows it is 14.40{NBSP}%, "
        f"an excess of 3.60 percentage points. Among the original rows themselves it is 13.90{NBSP}%."
    )


def test_nn_dist_below_the_real_rows_own_is_called_closeness_and_nothing_better(results):
    text = of(results, "real_rows", "nn_dist")  # 3.05, interval to 3.14, against 3.39
    assert text.startswith("Closer than original rows lie to each other, which is closeness and not quality: ")
    assert "neither good nor bad" in text
    result = results["real_rows"]
    assert improvement("nn_dist", result.metrics["nn_dist"], result).startswith("There is no better direction")


@pytest.mark.parametrize(("low", "high", "lead"), [(3.3, 3.5, "About as far as"), (3.4, 3.6, "Farther than")])
def test_nn_dist_says_on_which_side_its_whole_interval_lies(results, low, high, lead):
    result = results["real_rows"]
    metric = result.metrics["nn_dist"]
    score = metric.scores["score"].model_copy(update={"low": low, "high": high})  # the real rows' own is 3.39
    changed = metric.model_copy(update={"scores": metric.scores | {"score": score}})
    assert answer("nn_dist", changed, result).startswith(lead)


def test_unequal_tables_warn_of_comparing_their_averages(make, results):
    result = results["real_rows"]
    metric = result.metrics["nn_dist"]
    assert cautions(metric, result, "nn_dist") == ()
    file = result.inputs.synthetic.model_copy(update={"rows": 5000})
    larger = result.model_copy(update={"inputs": result.inputs.model_copy(update={"synthetic": file})})
    assert cautions(metric, larger, "nn_dist")[0].startswith(
        "The synthetic table is larger than the original (5,000 and 2,000 rows)."
    )


def test_descriptive_scores_on_the_side_of_closeness_are_counted(results):
    found = descriptive(results["leaky"])
    # medians 90.5-95.2 and 92.4-97.2, tails 0, rate to 94.36 against 98.05: all wholly below
    assert [one.closer for one in found] == [True] * 5
    # 110, 146, 103 and 100 % reach 100 or more, and the rate of 98.70 reaches 99.71
    assert [one.closer for one in descriptive(results["inconclusive"])] == [False] * 5


def test_score_without_a_comparison_counts_on_no_side(results):
    names = [(one.key, one.name) for one in descriptive(results["reference_zero"])]
    assert ("distance_to_closest", "median") not in names


def test_repeated_copies_qualify_what_the_ratio_and_the_rate_say(results):
    result = results["approximate"]  # 12.5 rows in the median of its draws, printed as 12
    text = answer("closest_distances_ratio", result.metrics["closest_distances_ratio"], result)
    assert ("two identical closest synthetic rows" in text) is ("Not measurably" in text)
    assert "12 rows with two identical closest synthetic rows cannot count as at risk." in of(
        results, "approximate", "closest_rate"
    )


def test_copies_that_chance_explains_are_not_said_to_call_for_nothing(make, results):
    metric = results["leaky"].metrics["exact_copies"]
    chance = metric.scores["synthetic_rows"].model_copy(update={"reference": 0.0495})
    changed = metric.model_copy(update={"verdict": "low", "scores": metric.scores | {"synthetic_rows": chance}})
    text = improvement("exact_copies", changed, make(metrics=results["leaky"].metrics | {"exact_copies": changed}))
    assert text.startswith("No more synthetic rows equal an original row than equal a holdout row")


def test_advice_in_a_report_of_high_risk_points_to_what_the_verdict_rests_on(results):
    result = results["leaky"]
    calm = results["inconclusive"].metrics["closest_rate"]
    assert improvement("closest_rate", calm, result).startswith(
        "This score alone calls for no change; what the verdict rests on does."
    )


def test_lower_score_is_worse_only_with_its_whole_interval():
    score = Score(value=0.02, low=0.0, high=0.04, reference=0.0, unit="share", better="lower")
    assert not worse(score)
    assert worse(score.model_copy(update={"low": 0.001}))
    assert not worse(score.model_copy(update={"low": 0.001, "reference": None}))


def test_advice_is_given_only_where_something_calls_for_it(results):
    leaky, clean = results["leaky"], results["inconclusive"]
    for key in ("exact_copies", "distance_to_closest", "closest_rate"):
        assert improvement(key, clean.metrics[key], clean).startswith("This score alone calls for no change.")
        assert not improvement(key, leaky.metrics[key], leaky).startswith("This score alone")


def test_advice_begins_with_what_to_do_to_the_score():
    whats = [entry["improve_what"] for entry in catalog()["metric"].values() if "improve_what" in entry]
    assert len(whats) >= 10
    assert {what.split()[0] for what in whats} <= {"raise", "lower", "bring"}  # it stands behind "To "


def test_caution_of_an_approximate_holdout_names_the_splits(results):
    result = results["approximate"]
    texts = cautions(result.metrics["distance_to_closest"], result, "distance_to_closest")
    assert texts[0].startswith("There is no true holdout. In each of 20 random splits")
    assert "The generator saw both halves" in texts[0]


def test_every_note_has_its_words(results):
    from typing import get_args

    from reportgen.model import NoteCode

    metric = results["reference_zero"].metrics["distance_to_closest"].model_copy(update={"notes": get_args(NoteCode)})
    assert len(cautions(metric, results["reference_zero"], "distance_to_closest")) == len(get_args(NoteCode))


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (5, "5th"), (11, "11th"), (21, "21st"), (2.5, "2.5th")]
)
def test_ordinals(number, text):
    assert scores.ordinal(number) == text


@pytest.mark.parametrize(("text", "expected"), [("Median", "median"), ("AUC", "AUC"), ("p-value", "p-value")])
def test_abbreviations_keep_their_capitals_inside_a_sentence(text, expected):
    assert scores.inner(text) == expected


def test_halves_of_an_odd_table_are_counted_by_those_that_ask(results):
    from reportgen.render.pair import asking_rows

    inputs = results["approximate"].inputs
    odd = inputs.model_copy(update={"original": inputs.original.model_copy(update={"rows": 4001})})
    assert asking_rows(results["approximate"].model_copy(update={"inputs": odd})) == 2001  # 2,000 stand for unseen rows


def test_value_just_below_its_reference_is_not_printed_as_the_reference():
    assert scores.number(99.96, "percent", (100,)) == "99.96"


def test_value_equal_to_its_reference_needs_no_more_digits():
    assert scores.number(100 * (1 - 5 / 150), "percent", (100 * (1 - 5 / 150),), 2) == "96.67"


def test_count_between_two_rows_keeps_its_half():
    assert scores.number(12.5, "count") == "12.5"
    assert scores.number(2000.0, "count") == "2,000"


@pytest.mark.parametrize(("key", "name"), sorted(QUOTIENTS))
def test_every_score_that_ties_leave_without_an_ideal_range_has_a_name_in_the_caution(results, key, name):
    """The 5th percentile of NNDR had none, and a table of days with a copy of it no report."""
    result = next(one for one in results.values() if one.metrics[key].status == "measured")
    metric = result.metrics[key]
    tied = metric.scores[name].model_copy(update={"note": "ties", "null_low": None, "null_high": None})
    noted = metric.model_copy(update={"scores": metric.scores | {name: tied}, "notes": ("ties",)})
    assert any(text.startswith("No ideal range is given for the ") for text in cautions(noted, result, key))
