"""A small calibration with fixed seeds: what must read low, what must read high, and what must never read low.

The same populations and scenarios as in benchmarks/calibration.py, which counts hundreds of runs.
"""

import numpy as np
import pytest
from generators import Files
from scenarios import BY_NAME

import reportgen

ROWS = 1000


def files(scenario, population, seed, rows=ROWS):
    return BY_NAME[scenario].make(population, rows, np.random.default_rng(seed))


def assess(tables: Files):
    return reportgen.assess(tables.original, tables.synthetic, tables.holdout, resamples=100)


def level(tables):
    return assess(tables).verdict.level


@pytest.mark.parametrize("population", ["A", "B"])
def test_independent_rows_are_mostly_low_and_never_high(population):
    levels = [level(files("ideal", population, seed)) for seed in range(4)]
    assert levels.count("low") >= 2  # asked for: 72 of 100
    assert not {"moderate", "high"} & set(levels)


@pytest.mark.parametrize("population", ["A", "B"])
@pytest.mark.parametrize("scenario", ["interpolated", "5 % near", "5 % exact twice", "5 % one column changed"])
def test_leaks_are_high(population, scenario):
    assert level(files(scenario, population, 1)) == "high"


def test_exchanged_files_are_never_low_and_named():
    found = assess(files("exchanged, 5 % near", "A", 1))
    assert found.verdict.level in ("inconclusive", "moderate")
    assert "swapped_roles" in {reason.code for reason in found.verdict.reasons}


def test_a_holdout_with_original_rows_is_never_low_and_named():
    found = assess(files("leaky holdout", "A", 1))
    assert found.verdict.level != "low"
    assert "leaky_holdout" in {reason.code for reason in found.verdict.reasons}


def test_a_small_table_is_inconclusive_because_it_can_exclude_nothing():
    found = assess(files("ideal", "A", 1, rows=200))
    assert found.verdict.level == "inconclusive"
    assert "upper_bound_above_tolerance" in {reason.code for reason in found.verdict.reasons}


def test_a_smaller_holdout_raises_no_false_alarm():
    levels = [level(files("ideal, holdout n/4", "A", seed)) for seed in range(4)]
    assert not {"high", "moderate"} & set(levels)


def test_natural_doubles_do_not_keep_a_table_from_being_low():
    assert "low" in {level(files("ideal", "C", seed)) for seed in range(1, 4)}


@pytest.mark.parametrize("scenario", ["original doubled, ideal", "holdout doubled, ideal"])
def test_a_file_with_every_row_twice_is_neither_a_leak_nor_exchanged(scenario):
    found = assess(files(scenario, "A", 1, rows=200))
    assert found.verdict.level == "inconclusive"
    assert "swapped_roles" not in {reason.code for reason in found.verdict.reasons}
    counts = {finding.code: finding.count for finding in found.findings}
    assert counts["repeats_not_counted"] == 200


def test_a_leak_from_an_original_with_every_row_twice_is_high():
    assert level(files("original doubled, 5 % near", "A", 1, rows=200)) == "high"


def test_supports_that_do_not_overlap_are_named():
    tables = files("ideal", "A", 1)
    found = assess(Files(tables.original, tables.synthetic + 100, tables.holdout))
    assert "disjoint_supports" in {reason.code for reason in found.verdict.reasons}
    assert found.verdict.level != "low"
