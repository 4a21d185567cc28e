"""The level by the order of reading: evidence first, then preconditions, low for the rest."""

import itertools
from dataclasses import replace

import pytest

from reportgen.copies import CopyCounts, Reuse
from reportgen.model import Detectable, Holdout, Measured, NotMeasured, Score
from reportgen.settings import METRIC_KEYS, Settings, Thresholds
from reportgen.verdict.case import Case
from reportgen.verdict.level import judge, metric_verdicts

NONE_COPIED = CopyCounts(2000, 0, 0, 0, 2000, 0, 0, 0, 2000, 0, 0, real_rows_repeat=False, near_twins=True)
PROVIDED = Holdout(kind="provided", rows=2000, draws=1, base_rows=2000, overlap_rows=0, original_overlap_rows=0)
APPROXIMATE = PROVIDED.model_copy(update={"kind": "approximate", "rows": 1000, "draws": 20})
NOTICED = Detectable(rows=16, share=0.008)
UNKNOWN = {"synthetic_in_holdout": None, "synthetic_in_both": None, "holdout_rows": None}
UNKNOWN |= {"holdout_in_original": None, "original_in_holdout": None}


def scored(**values):
    """A measured metric; a tuple is value, low, high, reference."""
    made = {}
    for name, value in values.items():
        number, low, high, reference = value if isinstance(value, tuple) else (value, None, None, None)
        made[name] = Score(value=number, low=low, high=high, reference=reference, unit="ratio", better="lower")
    return Measured(scores=made)


def metrics(
    p=0.5,
    near=0.5,
    altered=0.5,
    broad=0.5,
    mirrored=0.5,
    size=(0.001, 0.0, 0.004, 0.0),
    share=(0.5, 0.48, 0.52, 0.5),
    share_p=0.5,
    auc_p=0.5,
    closer=0.5,
    supported=0.99,
    **others,
):
    """All metrics of a run without a leak, changed where asked."""
    test = scored(p_value=p, p_near=near, p_altered=altered, p_broad=broad, p_mirrored=mirrored, original_rows=5)
    made = {key: NotMeasured(code="not_in_this_version", reason="-") for key in METRIC_KEYS}
    made |= {
        "exact_copies": scored(synthetic_rows=0),
        "leak_test": test,
        "leak_size": scored(excess=size, anchored_original=9, anchored_holdout=8),
        "holdout_share": scored(share=share, p_value=share_p, supported=supported),
        "membership_inference": scored(auc=0.5, p_value=auc_p),
        "closer_than_people": scored(p_value=closer, rows=4),
    }
    return made | others


def without_holdout(**changed):
    absent = NotMeasured(code="no_true_holdout", reason="-")
    keys = ("leak_test", "leak_size", "holdout_share", "membership_inference")
    return metrics(**changed) | dict.fromkeys(keys, absent)


def case(copies=NONE_COPIED, holdout=PROVIDED, measured=None, reuse=(), detectable=NOTICED, **settings):
    return Case(holdout, copies, reuse, measured or metrics(), detectable, Settings(**settings))


def level(*args, **kwargs):
    return judge(case(*args, **kwargs)).level


def codes(*args, **kwargs):
    return [reason.code for reason in judge(case(*args, **kwargs)).reasons]


def copied(rows, **changes):
    """`rows` different original rows stand once each in the synthetic table."""
    counts = {"synthetic_in_original": rows, "original_in_synthetic": rows, "different_originals_copied": rows}
    return replace(NONE_COPIED, **(counts | changes))


def test_nothing_found_and_everything_in_place_is_low():
    verdict = judge(case())
    assert verdict.level == "low"
    assert [reason.code for reason in verdict.reasons] == ["no_leak_found"]
    assert verdict.upper_bound == pytest.approx(0.4)


@pytest.mark.parametrize(("family", "code"), [("near", "leak_test_near"), ("altered", "leak_test_altered")])
def test_a_rejection_led_by_near_or_altered_copies_is_high(family, code):
    found = metrics(p=0.01, **{family: 0.002})
    assert level(measured=found) == "high"
    assert codes(measured=found)[0] == code


def test_a_rejection_led_by_general_closeness_is_moderate_unless_its_size_or_share_is_beyond_the_limit():
    assert level(measured=metrics(p=0.01, broad=0.001)) == "moderate"
    assert level(measured=metrics(p=0.01, broad=0.001, size=(0.03, 0.011, 0.05, 0.0))) == "high"
    assert level(measured=metrics(p=0.01, broad=0.001, size=(0.03, 0.01, 0.05, 0.0))) == "moderate"  # L > limit, not >=
    assert level(measured=metrics(p=0.01, broad=0.001, share=(0.6, 0.551, 0.65, 0.5))) == "high"
    assert level(measured=metrics(p=0.01, broad=0.001, share=(0.6, 0.549, 0.65, 0.5))) == "moderate"


def medians(distance, ratio):
    """The medians of both metrics as value, upper end of the interval, lower end of the null range."""

    def measured(value, high, null_low):
        ends = {"low": max(0.0, value - 2), "high": high, "null_low": null_low, "null_high": 105.0, "reference": 100.0}
        return Measured(scores={"median": Score(value=value, unit="percent", better="higher", **ends)})

    return metrics(distance_to_closest=measured(*distance), closest_distances_ratio=measured(*ratio))


BELOW = (90.0, 95.0, 96.0)


def test_both_medians_below_their_null_range_are_moderate_and_each_is_named():
    found = case(measured=medians(BELOW, (97.0, 99.0, 98.0)))
    verdict = judge(found)
    assert verdict.level == "moderate"
    reasons = [reason for reason in verdict.reasons if reason.code == "medians_below_ideal"]
    assert [reason.metric for reason in reasons] == ["distance_to_closest", "closest_distances_ratio"]
    assert [(reason.value, reason.bound, reason.limit) for reason in reasons] == [(90, 95, 96), (97, 99, 98)]
    judged = metric_verdicts(verdict, found)
    assert {judged[key].verdict for key in ("distance_to_closest", "closest_distances_ratio")} == {"moderate"}


@pytest.mark.parametrize(
    "ratio",
    [(97.0, 99.0, 96.9), (97.0, 99.0, 97.0), (97.0, 100.0, 98.0), (97.0, None, 98.0), (97.0, 99.0, None)],
    ids=["inside the range", "at its end", "interval reaches 100", "no interval", "no range"],
)
def test_one_median_alone_argues_for_nothing(ratio):
    found = case(measured=medians(BELOW, ratio))
    assert judge(found).level == "low"
    assert metric_verdicts(judge(found), found)["distance_to_closest"].verdict == "context"
    assert level(measured=medians(ratio, BELOW)) == "low"


def test_the_medians_never_make_a_high_level():
    assert level(measured=medians((1.0, 2.0, 96.0), (1.0, 2.0, 98.0))) == "moderate"


def test_the_leading_family_is_the_smallest_p_for_its_share_of_the_level():
    # near .012/.6 = .02, altered .009/.3 = .03, broad .004/.1 = .04
    assert codes(measured=metrics(p=0.02, near=0.012, altered=0.009, broad=0.004))[0] == "leak_test_near"


def test_families_that_stand_out_alike_are_read_in_their_order_whatever_floating_point_makes_of_quotients():
    # Ranks 30, 15 and 5 among 1000 labelings: .03/.6 = .015/.3 = .005/.1. Read as general closeness it were moderate.
    tied = metrics(p=0.05, near=0.03, altered=0.015, broad=0.005)
    assert codes(measured=tied)[0] == "leak_test_near"
    assert level(measured=tied) == "high"


def test_the_level_of_the_test_is_inclusive_and_can_be_set():
    assert level(measured=metrics(p=0.05, near=0.03)) == "high"
    assert level(measured=metrics(p=0.051, near=0.031)) == "low"
    assert level(measured=metrics(p=0.05, near=0.03), thresholds=Thresholds(leak_test=0.04)) == "low"


def test_a_size_beyond_the_tolerance_without_a_rejection_is_moderate():
    assert level(measured=metrics(size=(0.03, 0.011, 0.05, 0.0))) == "moderate"


def test_an_upper_bound_beyond_the_tolerance_is_inconclusive_and_says_how_many_rows_it_takes():
    few = replace(NONE_COPIED, synthetic_rows=200)
    verdict = judge(case(few, measured=metrics(size=(0.0, 0.0, 0.015, 0.0))))
    assert verdict.level == "inconclusive"
    assert verdict.reasons[0].code == "upper_bound_above_tolerance"
    assert "300 synthetic rows" in verdict.reasons[0].text  # 3 / 1 %


def test_the_tolerance_decides_between_low_and_inconclusive_never_excuses_evidence():
    wide = metrics(size=(0.0, 0.0, 0.015, 0.0))
    assert level(measured=wide, tolerance=2.0) == "low"
    assert level(measured=metrics(p=0.001, near=0.001), tolerance=50.0) == "high"


def test_a_smallest_leak_beyond_twice_the_tolerance_or_unknown_is_inconclusive():
    assert codes(detectable=Detectable(rows=42, share=0.021)) == ["smallest_leak_above_tolerance"]
    assert level(detectable=Detectable(rows=40, share=0.02)) == "low"
    assert codes(detectable=Detectable(search_limit=500)) == ["smallest_leak_unknown"]


def test_secondary_tests_share_one_correction_at_one_percent():
    assert level(measured=metrics(auc_p=0.004)) == "moderate"  # times 2 is .008
    assert level(measured=metrics(auc_p=0.006)) == "low"  # times 2 is .012
    assert codes(measured=metrics(auc_p=0.004))[0] == "secondary_test"


def test_closer_than_people_is_moderate_at_one_percent_and_without_a_holdout_at_five():
    assert level(measured=metrics(closer=0.01)) == "moderate"
    assert level(measured=metrics(closer=0.02)) == "low"
    alone = replace(NONE_COPIED, **UNKNOWN)
    assert level(alone, APPROXIMATE, without_holdout(closer=0.05)) == "moderate"
    assert level(alone, APPROXIMATE, without_holdout(closer=0.06)) == "inconclusive"


def test_copies_where_chance_makes_none_are_moderate():
    assert codes(copied(20))[0] == "exact_copies_above_chance"
    assert level(copied(20)) == "moderate"
    assert level(copied(20, synthetic_in_holdout=1)) == "low"
    assert level(copied(20, real_rows_repeat=True)) == "low"


def test_one_copy_is_evidence_only_where_real_rows_are_never_nearly_alike():
    assert level(copied(1)) == "low"
    assert level(copied(1, near_twins=False)) == "moderate"
    assert level(copied(2)) == "moderate"


def test_copies_beyond_the_tolerance_are_high_where_the_leak_test_is_not_measured():
    # 30 of 2,000 are 1.5 %; the one-sided Clopper-Pearson limit is 1.08 %, above 1 %
    unselected = metrics(leak_test=NotMeasured(code="not_selected", reason="-"))
    verdict = judge(case(copied(30), measured=unselected))
    assert verdict.level == "high"
    reason = verdict.reasons[0]
    assert (reason.code, reason.metric) == ("exact_copies_above_tolerance", "exact_copies")
    assert reason.value == pytest.approx(0.015)
    assert reason.bound == pytest.approx(0.0108, abs=0.0001)
    assert reason.limit == pytest.approx(0.01)
    assert "1.08" in reason.text
    assert "1.00" in reason.text


def test_without_a_true_holdout_copies_count_beyond_the_originals_own_twins_and_nothing_is_low():
    found = without_holdout()
    assert level(copied(100, **UNKNOWN), APPROXIMATE, found) == "high"
    assert codes(copied(20, **UNKNOWN), APPROXIMATE, found) == ["exact_copies_above_twins", "no_true_holdout"]
    doubled = copied(1900, original_with_twin=2000, **UNKNOWN)  # case 12: every original row doubled
    assert level(doubled, APPROXIMATE, found) == "inconclusive"
    assert codes(replace(NONE_COPIED, **UNKNOWN), APPROXIMATE, found) == ["no_true_holdout"]


def test_a_holdout_that_is_the_synthetic_table_caps_the_level_at_moderate():
    same = copied(2000, synthetic_in_holdout=1950)
    assert "holdout_is_synthetic" in codes(same)
    assert level(same, measured=metrics(p=0.001, near=0.001)) == "moderate"


def test_exchanged_files_are_named_and_cap_the_level_at_moderate():
    assert codes(measured=metrics(mirrored=0.01)) == ["swapped_roles"]
    assert level(measured=metrics(mirrored=0.01)) == "inconclusive"
    assert level(copied(30), measured=metrics(mirrored=0.01)) == "moderate"
    assert level(measured=metrics(mirrored=0.01), reuse=(Reuse("name", 100, 60, 2, 0.001),)) == "moderate"


def test_files_are_not_exchanged_where_the_rows_surely_lie_closer_to_the_original():
    closer = {"mirrored": 0.001, "share": (0.7, 0.6, 0.8, 0.5)}
    assert level(measured=metrics(**closer)) == "inconclusive"
    assert level(measured=metrics(**closer, p=0.001, near=0.001)) == "high"
    assert "swapped_roles" not in codes(measured=metrics(**closer, p=0.001, near=0.001))
    unsure = closer | {"share": (0.52, 0.49, 0.55, 0.5)}
    assert level(measured=metrics(**unsure, p=0.001, near=0.001)) == "moderate"


def test_a_leaky_holdout_is_named():
    leaky = PROVIDED.model_copy(update={"overlap_rows": 40, "original_overlap_rows": 40, "overlap_p_value": 0.002})
    shared = replace(NONE_COPIED, holdout_in_original=40)
    assert codes(shared, leaky) == ["leaky_holdout"]
    assert level(shared, leaky.model_copy(update={"overlap_p_value": 0.4})) == "low"


def test_coarse_tables_whose_rows_have_twins_everywhere_are_no_leaky_holdout():
    overlap = {"overlap_rows": 400, "original_overlap_rows": 400, "overlap_p_value": 0.9, "rows": 400}
    coarse = replace(NONE_COPIED, original_rows=400, holdout_rows=400, holdout_in_original=400, original_with_twin=398)
    assert "leaky_holdout" not in codes(coarse, PROVIDED.model_copy(update=overlap))
    unlike = replace(coarse, original_with_twin=40)
    assert "leaky_holdout" in codes(unlike, PROVIDED.model_copy(update=overlap))


def test_supports_that_do_not_overlap_are_named():
    assert codes(measured=metrics(supported=0.04)) == ["disjoint_supports"]
    assert level(measured=metrics(supported=0.05)) == "low"


def test_fewer_than_twenty_rows_are_named():
    assert codes(replace(NONE_COPIED, holdout_rows=19)) == ["too_few_rows"]
    assert level(replace(NONE_COPIED, holdout_rows=20)) == "low"


def test_reused_identifiers_are_high_when_significant_and_moderate_when_none_is_in_the_holdout():
    assert codes(reuse=(Reuse("name", 100, 60, 2, 0.001),))[0] == "identifier_reuse_significant"
    assert level(reuse=(Reuse("name", 100, 60, 2, 0.001),)) == "high"
    assert level(reuse=(Reuse("name", 100, 2, 0, 0.2),)) == "moderate"
    assert level(reuse=(Reuse("name", 100, 2, 1, 0.6),)) == "low"
    assert level(reuse=(Reuse("day", 100, 2, 0, 0.2, names=False),)) == "low"
    assert level(reuse=(Reuse("day", 100, 60, 2, 0.001, names=False),)) == "high"
    alone = replace(NONE_COPIED, **UNKNOWN)
    assert level(alone, APPROXIMATE, without_holdout(), reuse=(Reuse("name", 100, 60, None, None),)) == "inconclusive"


@pytest.mark.parametrize("key", ["exact_copies", "leak_test", "leak_size"])
def test_what_a_low_level_needs_must_be_measured(key):
    for code, reason in (("not_selected", "metric_not_selected"), ("too_few_rows", "metric_not_measured")):
        found = metrics(**{key: NotMeasured(code=code, reason="-")})
        assert level(measured=found) == "inconclusive"
        assert reason in codes(measured=found)


@pytest.mark.parametrize("key", ["exact_copies", "leak_test", "closest_rate", "membership_inference"])
def test_any_failed_metric_is_named_and_nothing_is_low(key):
    found = metrics(**{key: NotMeasured(code="failed", reason="-")})
    assert level(measured=found) == "inconclusive"
    assert "metric_failed" in codes(measured=found)


HIGH = {"p": 0.001, "near": 0.001}
MODERATE = [{"p": 0.01, "broad": 0.001}, {"size": (0.03, 0.02, 0.05, 0.0)}, {"closer": 0.001}, {"auc_p": 0.001}]
PRECONDITIONS = [
    {"copies": replace(NONE_COPIED, holdout_rows=19)},
    {"detectable": Detectable(search_limit=500)},
    {"found": {"supported": 0.0}},
    {"found": {"size": (0.0, 0.0, 0.02, 0.0)}},
    {"found": {"closest_rate": NotMeasured(code="failed", reason="-")}},
    {"found": {"mirrored": 0.001}},
]


def test_every_combination_of_evidence_has_the_one_level_that_the_order_gives():
    for high, moderate, missing in itertools.product(
        (None, HIGH),
        [None, *MODERATE],
        itertools.chain([()], *(itertools.combinations(PRECONDITIONS, n) for n in (1, 2))),
    ):
        changed = {}
        kept = {"copies": NONE_COPIED, "detectable": NOTICED}
        for one in missing:
            changed |= one.get("found", {})
            kept |= {name: value for name, value in one.items() if name != "found"}
        changed |= (moderate or {}) | (high or {})
        swapped = "mirrored" in changed
        expected = "high" if high else "moderate" if moderate else "inconclusive" if missing else "low"
        if expected == "high" and swapped:
            expected = "moderate"
        assert level(measured=metrics(**changed), **kept) == expected


def test_a_metric_argues_for_its_own_level_and_the_seeds_scores_for_none():
    measured = case(
        copied(30), measured=metrics(closest_rate=scored(rate=98.0), size=(0.0, 0.0, 0.02, 0.0), auc_p=0.001)
    )
    argued = {
        key: metric.verdict
        for key, metric in metric_verdicts(judge(measured), measured).items()
        if isinstance(metric, Measured)
    }
    assert argued == {
        "exact_copies": "moderate",
        "leak_test": "low",
        "leak_size": "inconclusive",
        "holdout_share": "low",
        "membership_inference": "moderate",
        "closer_than_people": "low",
        "closest_rate": "context",
    }
