"""What makes distance metrics look good on a table that leaks, each with its number."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import reportgen


def population(rows, seed):
    """A 6-d Gaussian mixture with 3 % heavy tails."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(scale=2, size=(4, 6))
    values = centres[random.integers(4, size=rows)] + random.normal(size=(rows, 6))
    far = random.uniform(size=rows) < 0.03
    values[far] *= 3
    return values


@pytest.fixture(scope="module")
def triple():
    return population(1000, 1), population(1000, 2), population(1000, 3)


def assess(original, synthetic, holdout=None, **options):
    return reportgen.assess(original, synthetic, holdout, resamples=100, draws=3, **options)


def value(found, metric, score):
    return found.metrics[metric].scores[score].value


def test_copies_made_twice_look_perfect_in_every_seed_score_and_are_high_all_the_same(triple):
    """Trap 1: 20 % of the synthetic rows are copies, each made twice; d1 = d2 = 0 makes the ratio 1."""
    original, synthetic, holdout = triple
    leaky = np.concatenate((np.repeat(original[:100], 2, axis=0), synthetic[200:]))
    found = assess(original, leaky, holdout)
    assert value(found, "closest_distances_ratio", "median") > 100
    assert value(found, "closest_distances_ratio", "outlier") > 90
    rate = found.metrics["closest_rate"].scores["rate"]
    assert rate.value > rate.reference - 0.5
    assert value(found, "closest_distances_ratio", "repeated_copies") >= 100  # and rows that have a pair for neighbours
    assert value(found, "exact_copies", "synthetic_rows") == 0.2
    assert found.verdict.level == "high"


def test_coarse_data_with_a_total_leak_score_100_with_a_note_and_never_low():
    """Trap 2: S = T on three integer columns reads 100 / 100 because the reference is 0."""
    original, holdout = (np.random.default_rng(seed).integers(0, 3, size=(500, 3)) for seed in (1, 2))
    found = assess(original, original.copy(), holdout, numeric=["c0", "c1", "c2"])
    for metric in ("distance_to_closest", "closest_distances_ratio"):
        assert value(found, metric, "median") == 100
    assert found.metrics["distance_to_closest"].scores["median"].note == "reference_zero"
    assert "reference_zero" in {finding.code for finding in found.findings}
    assert found.verdict.level != "low"


@pytest.mark.parametrize("rows", [500, 200])
def test_a_smaller_holdout_does_not_make_independent_rows_look_close(rows):
    """Trap 3: against all 2,000 synthetic rows and 500 holdout rows, ideal rows would score far below 100."""
    original, synthetic, holdout = population(1000, 1), population(2000, 2), population(rows, 3)
    plain = 100 * np.median(nearest(original, synthetic)) / np.median(nearest(original, holdout))
    assert plain < 85
    assert value(assess(original, synthetic, holdout, projection="none"), "distance_to_closest", "median") > 92


def nearest(queries, base):
    return reportgen.nearest_two(queries, base).first


def test_without_a_true_holdout_a_total_leak_can_not_be_low(triple):
    """Trap 5: near copies of all rows; both halves of the original were seen, so no comparison of them has power."""
    original = triple[0]
    near = original + 1e-3 * np.random.default_rng(5).normal(size=original.shape)
    found = assess(original, near)
    assert found.verdict.level == "moderate"  # no comparison with a holdout, but closer than people are to each other
    assert {"closer_than_people", "no_true_holdout"} <= {reason.code for reason in found.verdict.reasons}


def test_a_row_is_left_out_by_its_number_not_by_its_distance(triple):
    """Trap 7: in an original with every row doubled, the closest other original row is at distance 0 and counts."""
    original = np.repeat(triple[0][:300], 2, axis=0)
    found = assess(original, triple[1][:600], triple[2][:600])
    assert found.metrics["nn_dist"].scores["score"].reference == 0
    assert value(found, "nn_dist", "threshold") == 0
    assert "original_rows_repeated" in {finding.code for finding in found.findings}


@pytest.mark.parametrize("dimensions", [2, 5, 10])
def test_the_median_ratio_tends_to_two_to_the_minus_one_over_the_dimension(dimensions):
    """Trap 10: so a fixed 0.5 loses its meaning as columns are added, and only the excess is compared."""
    original, synthetic = (np.random.default_rng(s).uniform(size=(3000, dimensions)) for s in (1, 2))
    found = reportgen.nearest_two(synthetic, original)
    assert np.median(found.ratio) == pytest.approx(2 ** (-1 / dimensions), abs=0.03)


def test_a_column_of_new_ids_would_hide_a_leak_and_is_left_out(triple):
    """Trap 12: 5 % exact copies with ids of their own."""
    original, synthetic, holdout = (pd.DataFrame(table, columns=list("abcdef")) for table in triple)
    synthetic[:50] = original[:50]
    tables = [table.assign(row_id=np.arange(1000) + 1000 * i) for i, table in enumerate((original, holdout, synthetic))]
    original, holdout, synthetic = tables
    found = assess(original, synthetic, holdout)
    assert [column.name for column in found.columns if not column.used] == ["row_id"]
    assert value(found, "exact_copies", "synthetic_rows") == 0.05
    assert value(found, "distance_to_closest", "outlier") == 0
    hidden = assess(original, synthetic, holdout, numeric=["row_id"])
    assert value(hidden, "exact_copies", "synthetic_rows") == 0
    assert value(hidden, "distance_to_closest", "outlier") > 50


def test_raw_units_would_hide_a_leak_in_all_columns_but_the_largest(triple):
    """Trap 13: all rows copied, with 0.3 sd of noise in the one column that decides raw distances."""
    scale = [1, 1, 1, 1, 1, 1e4]
    original, _, holdout = (table * scale for table in triple)
    synthetic = original + np.random.default_rng(6).normal(size=(1000, 1)) * [0, 0, 0, 0, 0, 0.3e4]
    raw = value(assess(original, synthetic, holdout, projection="none"), "distance_to_closest", "median")
    scaled = value(assess(original, synthetic, holdout), "distance_to_closest", "median")
    assert scaled < 60
    assert raw > 90


def test_the_memorising_control_stands_beside_every_metric(triple):
    found = assess(*triple)
    control = found.result.controls.memorising
    assert set(control.scores) == {key for key, metric in found.metrics.items() if metric.status == "measured"}
    assert control.scores["nndr"]["p5"].value == 0
    assert control.scores["nndr"]["excess"].value > 0.3
    assert control.scores["nn_dist"]["score"].value < 0.7 * value(found, "nn_dist", "score")


DESCRIBING = ("exact_copies", "nndr", "nn_dist")
TABLES = npst.arrays(
    np.float64, st.tuples(st.integers(6, 30), st.just(3)), elements=st.sampled_from([0.0, 0.5, 1.0, 2.5])
)


@settings(max_examples=5)
@given(TABLES, TABLES, TABLES, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_changes_nothing(original, synthetic, holdout, random):
    columns = random.sample(range(3), 3)
    shuffled = [
        table[random.sample(range(len(table)), len(table))][:, columns] for table in (original, synthetic, holdout)
    ]
    names = [[f"c{i}" for i in range(3)], [f"c{i}" for i in columns]]
    first, second = (
        assess(*(pd.DataFrame(table, columns=by) for table in tables), projection="none")
        for tables, by in (((original, synthetic, holdout), names[0]), (shuffled, names[1]))
    )
    assert first.metrics == second.metrics
    assert first.verdict == second.verdict


@settings(max_examples=15)
@given(TABLES, TABLES, TABLES)
def test_doubling_the_synthetic_rows_keeps_shares_of_copies_and_every_score_of_synthetic_rows(
    original, synthetic, holdout
):
    once = assess(original, synthetic, holdout, projection="none", metric=DESCRIBING)
    twice = assess(original, np.repeat(synthetic, 2, axis=0), holdout, projection="none", metric=DESCRIBING)
    assert value(once, "exact_copies", "synthetic_rows") == value(twice, "exact_copies", "synthetic_rows")
    assert value(once, "exact_copies", "original_rows") == value(twice, "exact_copies", "original_rows")
    for metric, score in (("nndr", "share_below"), ("nn_dist", "authenticity"), ("nn_dist", "score")):
        assert value(once, metric, score) == pytest.approx(value(twice, metric, score))


@settings(max_examples=15)
@given(TABLES, TABLES, TABLES)
def test_fewer_synthetic_rows_are_never_nearer_to_the_original(original, synthetic, holdout):
    whole = assess(original, synthetic, holdout, projection="none", metric=DESCRIBING)
    part = assess(original, synthetic[: len(synthetic) // 2], holdout, projection="none", metric=DESCRIBING)
    assert value(part, "nn_dist", "score") >= value(whole, "nn_dist", "score")
    assert value(part, "exact_copies", "original_rows") <= value(whole, "exact_copies", "original_rows")
