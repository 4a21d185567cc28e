import pytest

from reportgen.model import Score
from reportgen.render import scores
from reportgen.render.answers import answer, cautions, improvement, stance, worse

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
        f"The Closest Rate is 93.35{NBSP}% against 98.05{NBSP}%."
    )


def test_nndr_stands_beside_real_rows(results):
    assert of(results, "real_rows", "nndr") == (
        f"Yes. 18.00{NBSP}% of the synthetic rows have a ratio below 0.5; of the holdout rows it is 14.40{NBSP}%, "
        f"an excess of 3.60 points. Among the original rows themselves it is 13.90{NBSP}%."
    )


def test_nn_dist_takes_no_side(results):
    text = of(results, "real_rows", "nn_dist")
    assert text.startswith("An original row lies 3.05 from its closest synthetic row on average, and 3.39 from its")
    result = results["real_rows"]
    assert improvement("nn_dist", result.metrics["nn_dist"], result).startswith("There is no better direction")


def test_lower_score_is_worse_only_with_its_whole_interval():
    score = Score(value=0.02, low=0.0, high=0.04, reference=0.0, unit="share", better="lower")
    assert not worse(score)
    assert worse(score.model_copy(update={"low": 0.001}))
    assert not worse(score.model_copy(update={"low": 0.001, "reference": None}))


def test_advice_is_given_only_where_something_calls_for_it(results):
    leaky, clean = results["leaky"], results["inconclusive"]
    for key in ("exact_copies", "distance_to_closest", "closest_rate"):
        assert improvement(key, clean.metrics[key], clean).startswith("Nothing measured here calls for a change.")
        assert not improvement(key, leaky.metrics[key], leaky).startswith("Nothing")


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


def test_value_just_below_its_reference_is_not_printed_as_the_reference():
    assert scores.number(99.96, "percent", (100,)) == "99.96"


def test_value_equal_to_its_reference_needs_no_more_digits():
    assert scores.number(100 * (1 - 5 / 150), "percent", (100 * (1 - 5 / 150),), 2) == "96.67"


def test_count_between_two_rows_keeps_its_half():
    assert scores.number(12.5, "count") == "12.5"
    assert scores.number(2000.0, "count") == "2,000"
