"""The example signals: what they are said to be, and what is found in them."""

import importlib.util
import sys

import numpy as np
import pytest

import reportgen

SETS = ("original", "holdout", "synthetic_good", "synthetic_leaky")


@pytest.fixture(scope="module")
def folder(adult):
    return adult.parent / "ecg"


@pytest.fixture(scope="module")
def sets(folder):
    return {name: np.load(folder / f"{name}.npz")["records"] for name in SETS}


def flat(records):
    return {record.tobytes() for record in records}


def test_all_sets_have_the_shape_and_size_that_the_readme_gives(folder, sets):
    assert {array.shape for array in sets.values()} == {(300, 2, 720)}
    assert {array.dtype for array in sets.values()} == {np.dtype(np.int16)}
    assert all((folder / f"{name}.npz").stat().st_size < 1_000_000 for name in SETS)


def test_the_good_set_has_no_record_of_a_real_set_and_the_leaky_one_fifteen(sets):
    real = flat(sets["original"]) | flat(sets["holdout"])
    assert not flat(sets["synthetic_good"]) & real
    assert len(flat(sets["synthetic_leaky"]) & flat(sets["original"])) == 15
    assert not flat(sets["synthetic_leaky"]) & flat(sets["holdout"])


def test_no_good_record_lies_as_close_to_a_real_one_in_any_lead_as_the_near_copies_do(sets):
    """Root mean square of the differences of samples: near copies have noise of one unit and its rounding."""
    original, good = (sets[name].astype(float) for name in ("original", "synthetic_good"))
    for lead in range(2):
        one, other = good[:, lead], original[:, lead]
        pairs = (one**2).sum(axis=1)[:, np.newaxis] + (other**2).sum(axis=1) - 2 * one @ other.T
        assert np.sqrt(pairs.min() / 720) > 5


def test_the_leaky_control_is_high_and_the_good_set_is_not(folder):
    def level(name):
        files = (folder / "original.npz", folder / f"{name}.npz", folder / "holdout.npz")
        return reportgen.assess(*files, lead_names="MLII,V5", resamples=100).verdict.level

    assert level("synthetic_leaky") == "high"
    assert level("synthetic_good") == "low"


def test_the_generator_makes_the_good_set_again(folder, sets, monkeypatch):
    """Another machine may round a few samples the other way."""
    script = importlib.util.spec_from_file_location("synthesise", folder / "synthesise.py")
    made = importlib.util.module_from_spec(script)
    monkeypatch.setitem(sys.modules, "synthesise", made)
    script.loader.exec_module(made)
    original = sets["original"]
    again = made.generate(made.fit(original.astype(float)), original.shape[1:], np.random.default_rng(made.SEED))
    assert np.abs(again.astype(int) - sets["synthetic_good"]).max() <= 1
