"""Intervals: which scores have one, what they hold by hand, and how they speak for bases that were drawn down."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.metrics.bootstrap import intervals
from reportgen.model import Measured
from reportgen.verdict.intervals import clopper_pearson

WITHOUT = {
    ("leak_test", "original_rows"),  # follows from which weight leads
    ("leak_size", "cut"),  # a limit
    ("closer_than_people", "rows"),  # belongs to the cut that decides
    ("distance_to_closest", "repeated_copies"),  # a count that only warns
    ("closest_distances_ratio", "repeated_copies"),
}
"""Beside p-values and z, which measure chance themselves."""


def tables(rows, seed):
    random = np.random.default_rng([seed, *rows])
    return [pd.DataFrame(random.normal(size=(number, 4)), columns=list("abcd")) for number in rows]


@pytest.fixture(scope="module")
def found():
    original, synthetic, holdout = tables((300, 300, 300), 1)
    synthetic.iloc[:30] = original.iloc[:30]
    for table in (original, synthetic, holdout):
        table["name"] = [f"person {number}" for number in range(len(table))]
    return reportgen.assess(original, synthetic, holdout, resamples=300)


def scores(found):
    return {
        (key, name): score
        for key, metric in found.metrics.items()
        if isinstance(metric, Measured)
        for name, score in metric.scores.items()
    }


def test_every_estimate_has_an_interval_and_no_p_value_has_one(found):
    lacking = {place for place, score in scores(found).items() if score.low is None or score.high is None}
    chance = {place for place in scores(found) if place[1].split(":")[-1].startswith(("p_", "top_p_"))}
    chance |= {place for place in scores(found) if place[1].startswith("z:") or place[1].endswith("p_value")}
    # What guessing brings is reckoned or is one guess a target; how many were attacked is no estimate.
    chosen = {place for place in scores(found) if place[1].split(":")[-1].endswith(("baseline_rate", "attacks"))}
    assert lacking <= chance | chosen | WITHOUT
    assert chance <= lacking


def test_values_lie_in_their_intervals(found):
    """Medians and shares are in the middle of their resamples; only the bounds of leak_size may leave theta out."""
    for place, score in scores(found).items():
        if score.low is not None:
            assert score.low <= score.value <= score.high, place


def test_counts_are_limited_as_their_shares_are(found):
    low, high = clopper_pearson(30, 300)
    again = found.metrics["exact_copies"].scores["original_rows"]
    assert (again.value, again.low, again.high) == (30, pytest.approx(300 * low), pytest.approx(300 * high))
    nndr = found.metrics["nndr"].scores
    assert nndr["below_threshold"].low == pytest.approx(300 * nndr["share_below"].low)
    rate = found.metrics["closest_rate"].scores
    assert 100 * (1 - rate["at_risk"].low / 300) == pytest.approx(rate["rate"].high)


def test_an_interval_spans_draws_as_well_as_resamples():
    """Two draws without any spread of their own, at 1 and at 3: the range over both is 1 to 3."""
    draws = [(np.full(50, 1.0),), (np.full(50, 3.0),)]

    def mean(series):
        return series[0].mean(axis=1)[np.newaxis]

    assert intervals(draws, mean, 1000, np.random.default_rng(0)) == [(1.0, 3.0)]
    assert intervals(draws[:1], mean, 1000, np.random.default_rng(0)) == [(1.0, 1.0)]


def test_of_twenty_draws_each_is_resampled_fifty_times():
    sizes = []

    def count(series):
        sizes.append(len(series[0]))
        return series[0].mean(axis=1)[np.newaxis]

    intervals([(np.arange(30.0),)] * 20, count, 1000, np.random.default_rng(0))
    assert sizes == [50] * 20


def test_ideal_tables_with_a_small_holdout_rarely_read_surely_below_the_holdout():
    """600 rows against bases of 60: of 60 such runs one draw alone read so in 9, twenty draws in none."""
    below = 0
    for seed in range(20):
        original, synthetic, holdout = tables((600, 600, 60), seed)
        found = reportgen.assess(original, synthetic, holdout, resamples=400, metric="distance_to_closest")
        below += found.metrics["distance_to_closest"].scores["median"].high < 100
    assert below <= 3
