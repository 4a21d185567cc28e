"""The seeds' formulas on the oracle's coordinates: values computed apart from reportgen."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.space.search import nearest_two

SHARED = Path(__file__).parents[3] / "shared"
NAMES = {"original": "trn", "holdout": "hol", "syn_mostly": "syn_mostly", "syn_flip30": "syn_flip30"}


@pytest.fixture(scope="module")
def tables():
    folder = SHARED / "data" / "census2k"
    if not folder.is_dir():
        pytest.skip("the shared data are not beside the checkout")
    raw = {name: pd.read_csv(folder / f"census2k-{part}.csv.gz") for name, part in NAMES.items()}
    real = raw["original"]
    numeric = [name for name in real if pd.api.types.is_numeric_dtype(real[name])]
    coordinates = {}
    for side, table in raw.items():
        columns = [(table[name] - real[name].min()) / (real[name].max() - real[name].min()) for name in numeric]
        for name in (name for name in real if name not in numeric):
            levels = sorted(set().union(*(set(each[name].fillna("NA").astype(str)) for each in raw.values())))
            columns += [(table[name].fillna("NA").astype(str) == level) / np.sqrt(2) for level in levels]
        coordinates[side] = np.column_stack(columns)
    return coordinates


@pytest.fixture(scope="module", params=["syn_flip30", "syn_mostly"])
def case(request, tables):
    expected = json.loads((SHARED / "oracle" / "census2k_expected.json").read_text(encoding="utf-8"))[request.param]
    return tables["original"], tables["holdout"], tables[request.param], expected


def test_distances_and_ratios_of_the_original_rows_agree(case):
    original, holdout, synthetic, expected = case
    to_synthetic, to_holdout = nearest_two(original, synthetic), nearest_two(original, holdout)
    found = {
        "cdr": {
            "median": 100 * np.median(to_synthetic.ratio) / np.median(to_holdout.ratio),
            "median_reference": np.median(to_holdout.ratio),
            "median_synthetic": np.median(to_synthetic.ratio),
            "outlier": 100 * np.percentile(to_synthetic.ratio, 2.5) / np.percentile(to_holdout.ratio, 2.5),
        },
        "dtc": {
            "median": 100 * np.median(to_synthetic.first) / np.median(to_holdout.first),
            "outlier": 100 * np.percentile(to_synthetic.first, 2.5) / np.percentile(to_holdout.first, 2.5),
        },
    }
    for metric, values in found.items():
        assert values == pytest.approx(expected[metric], rel=1e-9)


def test_rows_at_risk_agree(case):
    original, holdout, synthetic, expected = case
    to_synthetic, to_holdout = nearest_two(original, synthetic), nearest_two(original, holdout)
    distance = np.percentile(to_holdout.first, 5, method="midpoint")
    ratio = np.percentile(to_holdout.ratio, 5, method="midpoint")
    at_risk = int(((to_synthetic.first <= distance) & (to_synthetic.ratio <= ratio)).sum())
    assert (distance, ratio) == pytest.approx(
        (expected["closest_rate"]["tau_d"], expected["closest_rate"]["tau_r"]), rel=1e-9
    )
    assert at_risk == expected["closest_rate"]["at_risk"]


def test_distances_within_the_original_agree(case):
    original, _, synthetic, expected = case
    within = nearest_two(original, original, exclude_self=True)
    to_original = nearest_two(synthetic, original)
    threshold = np.median(within.first)
    assert {
        "authenticity": (to_original.first > threshold).mean(),
        "score": nearest_two(original, synthetic).first.mean(),
        "threshold": threshold,
    } == pytest.approx(expected["nn_dist"], rel=1e-9)
    assert {
        "base_median": np.median(within.ratio),
        "base_p5": np.percentile(within.ratio, 5),
        "base_share": (within.ratio < 0.5).mean(),
        "below": (to_original.ratio < 0.5).sum(),
        "median": np.median(to_original.ratio),
        "p5": np.percentile(to_original.ratio, 5),
        "share": (to_original.ratio < 0.5).mean(),
    } == pytest.approx(expected["nndr"], rel=1e-9)
