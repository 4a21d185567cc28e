from typing import get_args

import pytest

from reportgen.model import LEVELS, Detectable, NotMeasured, Reason, ReasonCode, Verdict
from reportgen.render.first_page import first_page
from reportgen.settings import Settings


@pytest.mark.parametrize(
    ("name", "symbol", "word"),
    [
        ("leaky", "✗", "High risk"),
        ("moderate", "!", "Moderate risk"),
        ("inconclusive", "–", "Inconclusive"),
        ("low", "✓", "No leak found above 0.8\N{NO-BREAK SPACE}%"),  # the smallest leak, 0.8 %, is above U = 0.36 %
    ],
)
def test_badge_has_a_symbol_and_words(results, name, symbol, word):
    page = first_page(results[name])
    assert (page.symbol, page.word) == (symbol, word)


def with_verdict(result, **changes):
    """The result with its verdict changed alone, as no run leaves one: words must fit it all the same."""
    return result.model_copy(update={"verdict": result.verdict.model_copy(update=changes)})


def test_low_badge_is_rounded_up(results):
    # U = 0.9001 % is the larger and may not be printed as 0.9 %
    result = with_verdict(results["low"], upper_bound=0.9001)
    assert first_page(result).word == "No leak found above 1\N{NO-BREAK SPACE}%"


def test_low_badge_without_any_bound_says_so(results):
    result = with_verdict(results["leaky"], level="low")
    assert first_page(result).word == "No leak found, size unknown"


@pytest.mark.parametrize("code", get_args(ReasonCode))
def test_every_reason_has_a_headline_and_a_name(results, code):
    reason = Reason(code=code, metric=None, text="Because.")
    page = first_page(with_verdict(results["inconclusive"], reasons=(reason,)))
    assert page.headline.endswith(".")
    assert page.reasons[0].name


def test_headline_is_made_from_the_counts(results):
    assert first_page(results["leaky"]).headline == (
        "99 of the 2,000 synthetic rows are exact copies of original rows. "
        "That is 4.95\N{NO-BREAK SPACE}%; the tolerance declared before the run is 1\N{NO-BREAK SPACE}%."
    )


def test_low_headline_says_what_would_have_been_noticed(results):
    assert first_page(results["low"]).headline == (
        "No test found a leak. A leak of 0.80\N{NO-BREAK SPACE}% of the synthetic rows, made of near copies, would be "
        "noticed in 80\N{NO-BREAK SPACE}% of runs. The tolerance declared before the run is 1\N{NO-BREAK SPACE}%."
    )


def test_headline_falls_back_on_the_reason_where_the_copies_are_not_in_the_result(make, results):
    metrics = results["leaky"].metrics | {"exact_copies": NotMeasured(code="failed", reason="It failed.")}
    assert first_page(make(metrics=metrics)).headline == results["leaky"].verdict.reasons[0].text


def test_share_just_above_the_tolerance_is_not_printed_as_the_tolerance(make):
    # 1.0004 % at a limit of 1 % would round to 1.00 %
    reason = Reason(
        code="exact_copies_above_tolerance", metric="exact_copies", text="x.", value=0.010004, limit=0.01, unit="share"
    )
    result = make(verdict=Verdict(level="high", tolerance=1.0, upper_bound=None, reasons=(reason,)))
    assert first_page(result).reasons[0].value == "1.0004\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("fail_on", [*LEVELS[1:], "never"])
def test_gate_line_agrees_with_the_gate(make, level, fail_on):
    line = first_page(with_verdict(make(settings=Settings(fail_on=fail_on)), level=level)).gate
    if fail_on == "never":
        assert line == "No release gate was set for this run."
    else:
        met = LEVELS.index(level) < LEVELS.index(fail_on)
        assert line.startswith("Release gate met" if met else "Release gate not met")


def test_gate_line_names_a_failed_measurement(make):
    failed = Reason(code="metric_failed", metric="closest_rate", text="It failed.")
    verdict = Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(failed,))
    metrics = make().metrics | {"closest_rate": NotMeasured(code="failed", reason="It failed.")}
    line = first_page(make(verdict=verdict, metrics=metrics, settings=Settings(fail_on="high"))).gate
    assert line == "Release gate not met: a measurement failed."


def test_unknown_smallest_leak_is_said_with_its_consequence(results):
    page = first_page(results["inconclusive"])
    assert page.smallest_value == "Not known"
    assert page.smallest_text.endswith("Without that figure a low verdict is out of reach.")


def test_known_smallest_leak_is_a_share_with_its_trials(results):
    page = first_page(results["low"])
    assert page.smallest_value == "0.80\N{NO-BREAK SPACE}%"
    assert page.smallest_text.startswith("16 near-copies among 2,000 synthetic rows")
    assert "80\N{NO-BREAK SPACE}% of runs" in page.smallest_text


def test_table_of_files_says_when_a_table_came_from_memory(make, results):
    inputs = results["leaky"].inputs
    memory = inputs.model_copy(update={"synthetic": inputs.synthetic.model_copy(update={"sha256": None})})
    cell = first_page(make(inputs=memory)).compared[1][-1]
    assert (cell.text, cell.under) == (inputs.synthetic.content_sha256[:12], "parsed table")


def test_descriptive_scores_stand_behind_the_reasons(results):
    last = first_page(results["leaky"]).reasons[-1]
    assert last.name == "Descriptive scores"
    assert last.text.startswith("5 of the 5 descriptive scores with a reference lie wholly on the side of closeness: ")
    assert "Distance To Closest (median, lower tail, 2.5th percentile); " in last.text


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.003, "p\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}0.003"), (0.0, "p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}0.001")],
)
def test_p_of_a_reason_is_called_p_and_never_zero(make, p, shown):
    reason = Reason(code="leak_test_near", metric="leak_test", text="x.", value=p, unit="probability")
    page = first_page(make(verdict=Verdict(level="high", tolerance=1.0, upper_bound=None, reasons=(reason,))))
    assert page.reasons[0].value == shown


def test_half_a_table_that_nothing_could_be_compared_on_stands_for_nothing(make, results):
    result = results["approximate"]
    idle = result.model_copy(update={"holdout": result.holdout.model_copy(update={"draws": 0, "base_rows": 0})})
    page = first_page(idle)
    assert "stand in" not in page.lede
    assert not [limit for limit in page.limits if "halves" in limit]


def test_reasons_that_stand_elsewhere_change_nothing_about_the_smallest_leak(results):
    crowded = first_page(results["crowded"])  # six reasons, of which page 1 holds five
    assert [reason.name for reason in crowded.reasons[-2:]] == ["Further reasons", "Descriptive scores"]
    assert crowded.smallest_text == first_page(results["leaky"]).smallest_text


def test_a_bound_that_is_too_high_stands_beside_its_reason_and_not_the_estimate_below_it(make):
    reasons = (
        Reason(
            code="upper_bound_above_tolerance",
            metric="leak_size",
            text="Up to 2 %.",
            value=0.0,
            bound=0.02,
            limit=0.01,
            unit="share",
        ),
        Reason(
            code="smallest_leak_above_tolerance", metric="leak_test", text="4 %.", value=0.04, limit=0.02, unit="share"
        ),
    )
    bound, smallest = first_page(with_verdict(make(), level="inconclusive", reasons=reasons)).reasons[:2]
    assert (bound.value, bound.name) == ("≤ 2.00\N{NO-BREAK SPACE}%", "Leak size")
    assert (smallest.value, smallest.name) == ("4.00\N{NO-BREAK SPACE}%", "Smallest leak")


def test_a_smallest_leak_is_not_sought_where_one_was_found(make):
    found = Detectable(code="leak_found", reason="The leak test rejects already.")
    controls = make().controls.model_copy(update={"detectable": found})
    page = first_page(make(controls=controls))
    assert (page.smallest_value, page.smallest_text) == ("Not sought", "The leak test rejects already.")
