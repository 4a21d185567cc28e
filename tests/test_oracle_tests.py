"""The tests behind the verdict through the whole job, against values computed apart from reportgen."""

import importlib.util
import json

import pytest

import reportgen


@pytest.fixture(scope="module")
def tables(shared, tmp_path_factory):
    """The oracle's tables as files, and what holds for them."""
    folder = tmp_path_factory.mktemp("oracle")
    script = importlib.util.spec_from_file_location("tables", shared / "oracle" / "leak_test_tables.py")
    module = importlib.util.module_from_spec(script)
    script.loader.exec_module(module)
    module.main(folder)
    return folder, json.loads((shared / "oracle" / "leak_test_expected.json").read_text())["tables"]


@pytest.mark.parametrize("name", ["synthetic", "independent"])
def test_every_value_agrees_within_the_stated_tolerance(tables, name):
    folder, expected = tables[0], tables[1][name]
    found = reportgen.assess(
        folder / "original.csv", folder / f"{name}.csv", folder / "holdout.csv", projection="none", resamples=100
    ).metrics
    test = found["leak_test"].scores
    for weight, z in expected["leak_test"]["z"].items():
        assert test[f"z:{weight}"].value == pytest.approx(z, abs=1e-3), weight
    for p in ("p_value", "p_near", "p_altered", "p_broad"):
        by = expected["leak_test"][p]
        assert test[p].value == pytest.approx(by, abs=4 * (by * (1 - by) / 1000) ** 0.5), p
    excess, by = found["leak_size"].scores["excess"], expected["leak_size"]
    assert (excess.value, excess.low, excess.high) == pytest.approx((by["theta"], by["L"], by["U"]), rel=1e-6)
    assert found["leak_size"].scores["anchored_original"].value == pytest.approx(by["x_T"], rel=1e-6)
    assert found["leak_size"].scores["anchored_holdout"].value == pytest.approx(by["x_H"], rel=1e-6)
    share = found["holdout_share"].scores
    assert share["share"].value == pytest.approx(expected["holdout_share"]["share"], rel=1e-6)
    assert share["share"].reference == pytest.approx(expected["holdout_share"]["null"], rel=1e-6)
    assert share["tied"].value == expected["holdout_share"]["tied"]
    auc = found["membership_inference"].scores["auc"].value
    assert auc == pytest.approx(expected["membership_inference"]["auc"], rel=1e-6)
    copies, by = found["exact_copies"].scores, expected["exact_copies"]
    assert round(500 * copies["synthetic_rows"].value) == by["to_original"]
    assert round(500 * copies["synthetic_rows"].reference) == by["to_holdout"]
    assert round(500 * copies["in_both"].value) == by["to_both"]
    assert copies["original_rows"].value == by["original_rows_reemitted"]
