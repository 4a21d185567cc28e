"""The level by the order of reading: evidence first, then preconditions; and what never reads low."""

import itertools
from dataclasses import replace

import pytest

from reportgen.copies import CopyCounts, Reuse
from reportgen.model import Holdout, Measured, NotMeasured, Score, Verdict
from reportgen.settings import METRIC_KEYS, Settings
from reportgen.verdict.level import gate_is_met, judge, metric_verdicts

NONE_COPIED = CopyCounts(2000, 0, 0, 0, 2000, 0, 0, 0, 2000, 0, 0, real_rows_repeat=False, near_twins=True)
PROVIDED = Holdout(kind="provided", rows=2000, draws=1, base_rows=2000, overlap_rows=0, original_overlap_rows=0)
APPROXIMATE = PROVIDED.model_copy(update={"kind": "approximate", "rows": 1000, "draws": 20})
MEASURED = Measured(scores={"synthetic_rows": Score(value=0.0, unit="share", better="lower")})
METRICS = {key: NotMeasured(code="not_in_this_version", reason="-") for key in METRIC_KEYS} | {"exact_copies": MEASURED}


def copied(rows, **changes):
    """`rows` different original rows stand once each in the synthetic table."""
    counts = {"synthetic_in_original": rows, "original_in_synthetic": rows, "different_originals_copied": rows}
    return replace(NONE_COPIED, **(counts | changes))


def verdict(copies, holdout=PROVIDED, metrics=METRICS, **settings):
    reuse = settings.pop("reuse", ())
    return judge(holdout, copies, reuse, metrics, Settings(**settings))


def codes(given):
    return [reason.code for reason in given.reasons]


def test_no_copies_are_inconclusive_while_the_leak_test_is_missing():
    found = verdict(NONE_COPIED)
    assert found.level == "inconclusive"
    assert codes(found) == ["leak_test_not_measured", "leak_size_not_measured", "smallest_leak_not_measured"]


def test_copies_whose_lower_limit_exceeds_the_tolerance_are_high():
    # 30 of 2,000 are 1.5 %; the one-sided Clopper-Pearson limit is 1.08 %, above 1 %; of 29 it is 1.04 %; of 28 0.99 %
    found = verdict(copied(30))
    assert found.level == "high"
    reason = found.reasons[0]
    assert reason.code == "exact_copies_above_tolerance"
    assert reason.metric == "exact_copies"
    assert reason.value == pytest.approx(0.015)
    assert reason.bound == pytest.approx(0.0108, abs=0.0001)
    assert reason.limit == pytest.approx(0.01)


def test_copies_within_the_tolerance_are_moderate_where_chance_makes_none():
    assert codes(verdict(copied(20)))[0] == "exact_copies_above_chance"
    assert verdict(copied(20)).level == "moderate"


def test_a_larger_tolerance_turns_high_into_moderate_never_into_nothing():
    assert verdict(copied(30), tolerance=5.0).level == "moderate"


def test_as_many_copies_of_holdout_rows_are_chance():
    assert verdict(copied(100, synthetic_in_holdout=100, real_rows_repeat=True)).level == "inconclusive"


def test_one_copy_is_evidence_only_where_real_rows_are_never_nearly_alike():
    assert verdict(copied(1)).level == "inconclusive"
    assert verdict(copied(1, near_twins=False)).level == "moderate"
    assert verdict(copied(2)).level == "moderate"


def test_without_a_true_holdout_copies_count_beyond_the_originals_own_twins():
    unknown = {"synthetic_in_holdout": None, "synthetic_in_both": None, "holdout_rows": None}
    unknown |= {"holdout_in_original": None, "original_in_holdout": None}
    assert verdict(copied(100, **unknown), APPROXIMATE).level == "high"
    found = verdict(copied(20, **unknown), APPROXIMATE)
    assert found.level == "moderate"
    assert codes(found)[:2] == ["exact_copies_above_twins", "no_true_holdout"]
    doubled = copied(1900, original_with_twin=2000, **unknown)  # case 12: every original row doubled
    assert verdict(doubled, APPROXIMATE).level == "inconclusive"


def test_a_holdout_that_is_the_synthetic_table_caps_the_level_at_moderate():
    found = verdict(copied(2000, synthetic_in_holdout=1950))
    assert "holdout_is_synthetic" in codes(found)
    assert found.level == "moderate"


def test_a_leaky_holdout_is_named():
    leaky = PROVIDED.model_copy(update={"overlap_rows": 40, "original_overlap_rows": 40, "overlap_p_value": 0.002})
    assert "leaky_holdout" in codes(verdict(replace(NONE_COPIED, holdout_in_original=40), leaky))
    natural = leaky.model_copy(update={"overlap_p_value": 0.4})
    assert "leaky_holdout" not in codes(verdict(replace(NONE_COPIED, holdout_in_original=40), natural))


def test_fewer_than_twenty_rows_are_named():
    assert "too_few_rows" in codes(verdict(replace(NONE_COPIED, holdout_rows=19)))
    assert "too_few_rows" not in codes(verdict(replace(NONE_COPIED, holdout_rows=20)))


def test_reused_identifiers_are_high_when_significant_and_moderate_when_none_is_in_the_holdout():
    assert codes(verdict(NONE_COPIED, reuse=(Reuse("name", 100, 60, 2, 0.001),)))[0] == "identifier_reuse_significant"
    assert verdict(NONE_COPIED, reuse=(Reuse("name", 100, 60, 2, 0.001),)).level == "high"
    assert verdict(NONE_COPIED, reuse=(Reuse("name", 100, 2, 0, 0.2),)).level == "moderate"
    assert verdict(NONE_COPIED, reuse=(Reuse("name", 100, 2, 1, 0.6),)).level == "inconclusive"
    assert verdict(NONE_COPIED, reuse=(Reuse("name", 100, 0, 0, 1.0),)).level == "inconclusive"
    assert verdict(NONE_COPIED, APPROXIMATE, reuse=(Reuse("name", 100, 60, None, None),)).level == "inconclusive"


def test_a_failed_metric_and_an_unselected_one_are_named():
    failed = METRICS | {"closest_rate": NotMeasured(code="failed", reason="-")}
    assert "metric_failed" in codes(verdict(NONE_COPIED, metrics=failed))
    unselected = METRICS | {"exact_copies": NotMeasured(code="not_selected", reason="-")}
    found = verdict(copied(2000), metrics=unselected)
    assert found.level == "inconclusive"
    assert "metric_not_selected" in codes(found)


def test_no_combination_of_evidence_reads_low_in_this_version():
    counts = (0, 1, 2, 28, 30, 2000)
    for rows, held, twins, near, holdout in itertools.product(
        counts, counts, (0, 2000), (False, True), (PROVIDED, APPROXIMATE)
    ):
        given = copied(
            rows,
            synthetic_in_holdout=held if holdout is PROVIDED else None,
            original_with_twin=twins,
            real_rows_repeat=bool(twins),
            near_twins=near,
        )
        assert verdict(given, holdout).level != "low"


def test_the_metric_argues_for_the_level_it_made():
    found = verdict(copied(30))
    assert metric_verdicts(found, METRICS)["exact_copies"].verdict == "high"
    assert metric_verdicts(verdict(copied(20)), METRICS)["exact_copies"].verdict == "moderate"
    assert metric_verdicts(verdict(NONE_COPIED), METRICS)["exact_copies"].verdict == "low"


def test_reasons_never_round_across_their_limit():
    # 20,001 of 2,000,000 at 1 %: the limit lies at 0.9885 %, which two decimals would keep below 1.00
    text = verdict(copied(30)).reasons[0].text
    assert "1.08" in text
    assert "1.00" in text


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
def test_the_gate_fails_at_the_named_level_or_above(level, fail_on, met):
    given = Verdict(level=level, tolerance=1, upper_bound=None, reasons=())
    assert gate_is_met(given, fail_on) is met


def test_a_failed_metric_fails_every_gate_but_never():
    failed = METRICS | {"closest_rate": NotMeasured(code="failed", reason="-")}
    found = verdict(NONE_COPIED, metrics=failed)
    assert not gate_is_met(found, "high")
    assert gate_is_met(found, "never")
