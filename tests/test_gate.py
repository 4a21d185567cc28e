"""A result read against a policy: each kind of rule met, not met, and without a number."""

from datetime import date

import pandas as pd
import pytest

import reportgen
from reportgen.baseline import describe_baseline
from reportgen.gate import evaluate, gate_of
from reportgen.model import Measured, NotMeasured, Reason, Score, Verdict
from reportgen.policy import make_policy

DAY = date(2026, 3, 31)
WAIVED = {"reason": "agreed in review 12", "by": "A. Person", "until": date(2026, 3, 31)}
SHA = "0" * 64


@pytest.fixture(scope="module")
def measured():
    """A real result; what a test is about is put into it by hand."""
    tables = [
        pd.DataFrame({"age": [1.5 * (row + seed) for row in range(40)], "town": list("abcd") * 10}) for seed in range(3)
    ]
    return reportgen.assess(*tables, metric=["closest_rate", "exact_copies"]).result


@pytest.fixture
def made(measured):
    """Make a result of a level with given metrics and other parts."""

    def make(level="low", created="2026-03-01T12:00:00Z", metrics=None, **parts):
        reason = Reason(code="no_leak_found", metric="leak_test", text="No test found a leak.")
        known = {"closest_rate": rate(96.5), "nndr": NotMeasured(code="not_selected", reason="It was not asked for.")}
        return measured.model_copy(
            update={
                "verdict": Verdict(level=level, tolerance=1.0, upper_bound=None, reasons=(reason,)),
                "created": created,
                "metrics": known | (metrics or {}),
                **parts,
            }
        )

    return make


def rate(value, **changes):
    return Measured(scores={"rate": Score(value=value, unit="percent", better="higher", **changes)})


def outcome(report, rule):
    return {one.rule: one for one in report.outcomes}[rule]


def read(result, day=DAY, baseline=None, **policy):
    return evaluate(result, make_policy(policy), day, baseline)


@pytest.mark.parametrize(
    ("level", "fail_on", "met"),
    [
        ("low", "inconclusive", True),
        ("inconclusive", "inconclusive", False),
        ("inconclusive", "moderate", True),
        ("moderate", "moderate", False),
        ("moderate", "high", True),
        ("high", "high", False),
        ("high", "never", True),
    ],
)
def test_the_level_fails_at_the_named_one_or_above(made, level, fail_on, met):
    report = read(made(level), fail_on=fail_on)
    assert report.met is met
    assert outcome(report, "verdict").met is met


def test_a_fault_of_a_metric_fails_the_gate_unless_nothing_is_gated(made):
    failed = {"nndr": NotMeasured(code="failed", reason="A fault.")}
    report = read(made("low", metrics=failed), fail_on="high")
    assert [one.rule for one in report.failing] == ["measured"]
    assert "kept nndr from being measured" in outcome(report, "measured").text
    assert read(made("low", metrics=failed), fail_on="never").met


@pytest.mark.parametrize(
    ("limit", "met"),
    [
        ({"min": 96.5}, True),  # an end passes
        ({"min": 96.6}, False),
        ({"max": 96.5}, True),
        ({"max": 96.4}, False),
        ({"min": 96, "max": 97}, True),
    ],
)
def test_a_limit_holds_for_its_ends(made, limit, met):
    one = outcome(read(made(), closest_rate=limit), "closest_rate.rate")
    assert (one.met, one.value, one.metric) == (met, 96.5, "closest_rate")


def test_a_value_is_not_rounded_across_its_limit(made):
    # 94.99999 with four digits would read 95.00, which passes.
    text = outcome(
        read(made(metrics={"closest_rate": rate(94.99999)}), closest_rate={"min": 95}), "closest_rate.rate"
    ).text
    assert text == "closest_rate.rate is 94.99999 %; the policy asks for at least 95 %."


def test_a_limit_on_what_was_not_measured_fails_with_its_reason(made):
    one = outcome(read(made(), nndr={"max": 1}), "nndr.excess")
    assert (one.met, one.value) == (False, None)
    assert one.text == "nndr.excess was not measured, and a limit on it can't be met: It was not asked for."
    absent = outcome(read(made(), limits={"closest_rate.at_risk": {"max": 10}}), "closest_rate.at_risk")
    assert not absent.met
    assert "no such score" in absent.text
    assert not outcome(read(made(), inference={"max": 1}), "inference.risk").met


def test_a_score_of_reference_zero_is_no_good_score(made):
    # Seed 000 sets a score without a reference to 100 %: it compares nothing.
    zero = {"closest_rate": rate(100, note="reference_zero")}
    one = outcome(read(made(metrics=zero), closest_rate={"min": 95}), "closest_rate.rate")
    assert not one.met
    assert "compares nothing" in one.text


def test_a_run_declared_with_a_larger_tolerance_fails(made):
    assert read(made(), max_tolerance=1).met
    assert not read(made(), max_tolerance=0.9).met
    # The verdict's own tolerance counts as well: only a file changed by hand has two.
    loose = Verdict(level="low", tolerance=3.0, upper_bound=None, reasons=())
    assert not read(made(verdict=loose), max_tolerance=1).met


def test_a_holdout_may_be_required(made, measured):
    assert read(made(), require_holdout=True).met
    approximate = measured.holdout.model_copy(update={"kind": "approximate"})
    one = outcome(read(made(holdout=approximate), require_holdout=True), "holdout")
    assert not one.met
    assert "random halves" in one.text


@pytest.mark.parametrize(("created", "met"), [("03-01", True), ("02-28", False), ("04-01", False)])
def test_a_result_may_be_too_old_and_none_comes_from_the_future(made, created, met):
    # 30 days before 31 March is 1 March.
    report = read(made(created=f"2026-{created}T23:59:59Z"), max_age_days=30)
    assert outcome(report, "age").met is met


@pytest.mark.parametrize(("least", "met"), [("0.1", True), ("0.1.0", True), ("0.2", False), ("0.1.1", False)])
def test_a_result_of_an_older_program_fails(made, measured, least, met):
    tool = measured.tool.model_copy(update={"version": "0.1.0"})
    assert read(made(tool=tool), min_tool_version=least).met is met


def test_settings_are_pinned_by_value_and_tables_of_limits_whole(made, measured):
    assert read(made(), settings={"seed": 0, "thresholds": {}, "projection": "famd"}).met
    thresholds = measured.settings.thresholds.model_copy(update={"leak_test": 0.01})
    other = made(settings=measured.settings.model_copy(update={"seed": 7, "thresholds": thresholds}))
    report = read(other, settings={"seed": 0, "thresholds": {}})
    assert [one.rule for one in report.failing] == ["settings.seed", "settings.thresholds"]
    assert outcome(report, "settings.seed").text == "The run was declared with seed = 7; the policy asks for 0."
    assert "leak_test 0.01; the policy asks for leak_test 0.05" in outcome(report, "settings.thresholds").text


def test_a_waiver_passes_until_its_day_and_not_after(made):
    policy = {"closest_rate": {"min": 99}, "waivers": [{"rule": "closest_rate", **WAIVED}]}
    report = read(made(), **policy)
    one = outcome(report, "closest_rate.rate")
    assert report.met
    assert (one.met, one.waived.by) == (False, "A. Person")
    assert one.text.endswith("Waived until 2026-03-31 by A. Person: agreed in review 12")

    later = read(made(), day=date(2026, 4, 1), **policy)
    one = outcome(later, "closest_rate.rate")
    assert not later.met
    assert one.waived is None
    assert one.text.endswith("The waiver by A. Person ended on 2026-03-31: agreed in review 12")


def test_a_waiver_that_no_rule_needs_is_named(made):
    report = read(made(), closest_rate={"min": 1}, waivers=[{"rule": "closest_rate", **WAIVED}])
    assert report.met
    assert [waiver.rule for waiver in report.unused] == ["closest_rate.rate"]


def test_a_waiver_of_the_verdict_covers_no_worse_level_than_it_names(made):
    waivers = [{"rule": "verdict", "level": "moderate", **WAIVED}]
    assert read(made("inconclusive"), waivers=waivers).met
    assert read(made("moderate"), waivers=waivers).met
    report = read(made("high"), waivers=waivers)
    assert not report.met
    assert "covers moderate only" in outcome(report, "verdict").text


def older(made, measured, level="low", value=97.0, **parts):
    return describe_baseline(made(level, metrics={"closest_rate": rate(value)}, **parts), "old.json", SHA, measured)


def test_a_score_may_be_worse_than_in_the_baseline_by_so_much(made, measured):
    # 97.0 -> 96.5 is worse by 0.5, in percent points, and exactly representable.
    before = older(made, measured)
    for allowed, met in ((0.5, True), (0.4, False)):
        one = outcome(read(made(), baseline=before, worsening={"closest_rate": allowed}), "baseline.closest_rate.rate")
        assert one.met is met
        assert "is 96.50 % after 97.00 % in the baseline: worse by 0.50 percentage points, and worse" in one.text
        assert f"by at most {allowed} percentage points is allowed." in one.text
        assert one.limit == f"worse by at most {allowed} percentage points"
    better = read(made(metrics={"closest_rate": rate(98)}), baseline=before, worsening={"closest_rate": 0})
    assert better.met


def test_a_score_that_is_better_when_lower_gets_worse_upwards(made, measured):
    def copies(value):
        return {"exact_copies": Measured(scores={"synthetic_rows": Score(value=value, unit="share", better="lower")})}

    before = describe_baseline(made(metrics=copies(0.25)), "old.json", SHA, measured)
    allowed = {"worsening": {"exact_copies": 0.125}}
    worse = outcome(read(made(metrics=copies(0.5)), baseline=before, **allowed), "baseline.exact_copies.synthetic_rows")
    assert worse.text == (
        "exact_copies.synthetic_rows is 50.00 % after 25.00 % in the baseline: worse by 25.00 percentage points, "
        "and worse by at most 12.5 percentage points is allowed."
    )
    assert read(made(metrics=copies(0.375)), baseline=before, **allowed).met
    assert not read(made(metrics=copies(0.5)), baseline=before, **allowed).met
    assert read(made(metrics=copies(0.0)), baseline=before, **allowed).met


@pytest.mark.parametrize(
    ("unit", "value", "most", "shown", "limit"),
    [
        ("share", 0.05, 0.07, "5.00 %", "at most 7 %"),
        ("share", 0.070001, 0.07, "7.0001 %", "at most 7 %"),
        ("percent", 94.2, 99.5, "94.20 %", "at most 99.5 %"),
        ("count", 1234.0, 1000, "1,234", "at most 1000"),
        ("probability", 0.05, 0.05, "0.050", "at most 0.05"),
        ("probability", 0.0004, 0.01, "0.00040", "at most 0.01"),
        ("ratio", 0.123456, 0.5, "0.1235", "at most 0.5"),
    ],
)
def test_values_and_limits_are_written_in_the_unit_of_the_score(made, unit, value, most, shown, limit):
    metrics = {"nndr": Measured(scores={"median": Score(value=value, unit=unit, better="lower")})}
    one = outcome(read(made(metrics=metrics), limits={"nndr.median": {"max": most}}), "nndr.median")
    assert (one.text, one.limit) == (f"nndr.median is {shown}; the policy asks for {limit}.", limit)
    assert one.value == value


@pytest.mark.parametrize(("days", "words"), [(30, "at most 30 days"), (1, "at most 1 day"), (0.5, "at most 0.5 days")])
def test_the_largest_age_is_in_days(made, days, words):
    one = outcome(read(made(), day=date(2026, 4, 15), max_age_days=days), "age")
    assert (one.limit, one.text) == (
        words,
        f"The result is 45 days old on 2026-04-15; the policy allows {words}.",
    )


def test_the_level_must_be_no_worse_than_the_baselines(made, measured):
    before = older(made, measured, "low")
    assert not read(made("inconclusive"), baseline=before, fail_on="moderate").met
    assert read(made("inconclusive"), baseline=before, fail_on="never").met
    assert read(made("low"), baseline=older(made, measured, "high"), fail_on="moderate").met


def test_allowances_without_a_baseline_fail(made):
    one = outcome(read(made(), worsening={"closest_rate": 1}), "baseline")
    assert not one.met
    assert "--baseline" in one.text


def test_a_baseline_of_other_rows_is_not_comparable_unless_that_is_waived(made, measured):
    original = measured.inputs.original.model_copy(update={"content_sha256": "1" * 64})
    inputs = measured.inputs.model_copy(update={"original": original})
    before = older(made, measured, inputs=inputs)
    report = read(made(), baseline=before, worsening={"closest_rate": 1})
    assert [one.rule for one in report.failing] == ["baseline", "baseline.verdict", "baseline.closest_rate.rate"]
    assert "is not comparable: other original rows." in outcome(report, "baseline").text
    waived = read(made(), baseline=before, worsening={"closest_rate": 1}, waivers=[{"rule": "baseline", **WAIVED}])
    assert waived.met
    assert outcome(waived, "baseline.closest_rate.rate").met


def test_reports_read_the_policy_that_the_result_carries_on_the_day_it_was_created(made):
    policy = make_policy({"closest_rate": {"min": 99}, "waivers": [{"rule": "closest_rate", **WAIVED}]})
    assert gate_of(made(created="2026-03-31T23:00:00Z", policy=policy)).met
    assert not gate_of(made(created="2026-04-01T01:00:00Z", policy=policy)).met


def test_a_result_without_a_policy_is_read_by_its_own_level_to_fail_on(made, measured):
    for fail_on, met in (("moderate", True), ("inconclusive", False)):
        settings = measured.settings.model_copy(update={"fail_on": fail_on})
        assert gate_of(made("inconclusive", settings=settings)).met is met
