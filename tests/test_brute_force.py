"""The whole job with `--projection none` against float64 brute force written out here, to 1e-9."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

import reportgen


def closest_two(queries, base, itself=False):
    distances = np.sqrt(((queries[:, None, :] - base[None, :, :]) ** 2).sum(axis=2))
    if itself:  # by row id: another row at the same place still counts
        np.fill_diagonal(distances, np.inf)
    distances.sort(axis=1)
    return distances[:, 0], distances[:, 1]


def ratio(first, second):
    return np.where(second == 0, 1, first / np.where(second == 0, 1, second))


def brute_force(original, synthetic, holdout):
    (d, second), (dh, second_h) = closest_two(original, synthetic), closest_two(original, holdout)
    r, rh = ratio(d, second), ratio(dh, second_h)
    (real, real_second), (made, made_second) = (
        closest_two(original, original, itself=True),
        closest_two(synthetic, original),
    )
    held, held_second = closest_two(holdout, original)
    r_made, r_real, r_held = ratio(made, made_second), ratio(real, real_second), ratio(held, held_second)
    tau = np.median(real)
    tau_d, tau_r = (np.percentile(x, 5, method="midpoint") for x in (dh, rh))

    def relative(x, xh, level):
        reference = np.percentile(xh, level)
        return 100.0 if reference == 0 else 100 * np.percentile(x, level) / reference

    return {
        ("distance_to_closest", "median"): relative(d, dh, 50),
        ("distance_to_closest", "outlier"): relative(d, dh, 2.5),
        ("distance_to_closest", "median_raw"): np.median(d),
        ("closest_distances_ratio", "median"): relative(r, rh, 50),
        ("closest_distances_ratio", "outlier"): relative(r, rh, 2.5),
        ("closest_distances_ratio", "outlier_raw"): np.percentile(r, 2.5),
        ("closest_rate", "rate"): 100 * (1 - np.mean((d <= tau_d) & (r <= tau_r))),
        ("closest_rate", "distance_threshold"): tau_d,
        ("closest_rate", "ratio_threshold"): tau_r,
        ("nndr", "p5"): np.percentile(r_made, 5),
        ("nndr", "median"): np.median(r_made),
        ("nndr", "below_threshold"): np.sum(r_made < 0.5),
        ("nndr", "share_below"): np.mean(r_made < 0.5),
        ("nndr", "excess"): np.mean(r_made < 0.5) - np.mean(r_real < 0.5),
        ("nndr", "holdout_p5"): np.percentile(r_held, 5),
        ("nndr", "holdout_median"): np.median(r_held),
        ("nndr", "holdout_share_below"): np.mean(r_held < 0.5),
        ("nndr", "excess_over_holdout"): np.mean(r_made < 0.5) - np.mean(r_held < 0.5),
        ("nn_dist", "score"): np.mean(d),
        ("nn_dist", "threshold"): tau,
        ("nn_dist", "authenticity"): np.mean(made > tau),
    }


def plain(rows, seed, columns=4):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def with_copies(original, synthetic, times=1):
    made = synthetic.copy()
    copied = np.repeat(original[:20], times, axis=0)
    made[: len(copied)] = copied
    return made


CASES = {
    "independent": lambda: (plain(300, 1), plain(300, 2), plain(300, 3)),
    "exact copies": lambda: (plain(300, 1), with_copies(plain(300, 1), plain(300, 2)), plain(300, 3)),
    "copies made twice": lambda: (plain(300, 1), with_copies(plain(300, 1), plain(300, 2), 2), plain(300, 3)),
    "near copies": lambda: (plain(300, 1), with_copies(plain(300, 1) + 1e-7, plain(300, 2)), plain(300, 3)),
    "an offset of 1e4": lambda: (plain(300, 1) + 1e4, plain(300, 2) + 1e4, plain(300, 3) + 1e4),
    "integers with ties": lambda: tuple(np.round(2 * plain(300, s, 3)) for s in (1, 2, 3)),
    "duplicates everywhere": lambda: tuple(np.round(plain(300, s, 2)) for s in (1, 2, 3)),
    "one column": lambda: tuple(plain(300, s, 1) for s in (1, 2, 3)),
    "columns of very different scale": lambda: tuple(plain(300, s) * [1, 1e6, 1e-6, 1] for s in (1, 2, 3)),
}


@pytest.mark.parametrize("case", CASES)
def test_every_score_equals_brute_force(case):
    original, synthetic, holdout = CASES[case]()
    found = reportgen.assess(original, synthetic, holdout, projection="none", resamples=100)
    for (metric, score), expected in brute_force(original, synthetic, holdout).items():
        assert found.metrics[metric].scores[score].value == pytest.approx(expected, rel=1e-9, abs=1e-12), (
            metric,
            score,
        )


@pytest.mark.parametrize("rows", [200, 150], ids=["equal sizes", "holdout smaller, drawn down"])
def test_the_order_of_rows_and_columns_changes_nothing(rows):
    original, synthetic, holdout = (
        pd.DataFrame(np.round(plain(n, s), 1), columns=list("abcd")) for n, s in ((200, 1), (200, 2), (rows, 3))
    )
    shuffled = [table.sample(frac=1, random_state=4)[list("dbca")] for table in (original, synthetic, holdout)]
    first = reportgen.assess(original, synthetic, holdout, resamples=100)
    second = reportgen.assess(*shuffled, resamples=100)
    assert first.metrics == second.metrics
    assert first.result.controls == second.result.controls


@pytest.mark.parametrize("name", ["syn_mostly", "syn_flip30"])
def test_values_computed_apart_from_reportgen_agree(shared, tmp_path, name):
    script = importlib.util.spec_from_file_location("coordinates", shared / "oracle" / "census2k_coordinates.py")
    module = importlib.util.module_from_spec(script)
    script.loader.exec_module(module)
    module.main(shared / "data" / "census2k", tmp_path)
    expected = pd.read_json(shared / "oracle" / "census2k_expected.json")[name]
    found = reportgen.assess(
        tmp_path / "original.csv", tmp_path / f"{name}.csv", tmp_path / "holdout.csv", projection="none", resamples=100
    ).metrics
    for score in ("median", "outlier"):
        for key, short in (("distance_to_closest", "dtc"), ("closest_distances_ratio", "cdr")):
            assert found[key].scores[score].value == pytest.approx(expected[short][score], rel=1e-9)
    ratio = found["closest_distances_ratio"].scores["median_raw"]
    assert ratio.value == pytest.approx(expected["cdr"]["median_synthetic"], rel=1e-9)
    assert ratio.reference == pytest.approx(expected["cdr"]["median_reference"], rel=1e-9)
    for score, short in (("p5", "p5"), ("median", "median"), ("share_below", "share"), ("below_threshold", "below")):
        assert found["nndr"].scores[score].value == pytest.approx(expected["nndr"][short], rel=1e-9)
    for score, short in (("p5", "base_p5"), ("median", "base_median"), ("share_below", "base_share")):
        assert found["nndr"].scores[score].reference == pytest.approx(expected["nndr"][short], rel=1e-9)
    for score in ("score", "threshold", "authenticity"):
        assert found["nn_dist"].scores[score].value == pytest.approx(expected["nn_dist"][score], rel=1e-9)
    rate, by = found["closest_rate"].scores, expected["closest_rate"]
    assert rate["rate"].value == pytest.approx(by["closest_rate"], rel=1e-9)
    assert rate["at_risk"].value == by["at_risk"]
    assert rate["distance_threshold"].value == pytest.approx(by["tau_d"], rel=1e-9)
    assert rate["ratio_threshold"].value == pytest.approx(by["tau_r"], rel=1e-9)
