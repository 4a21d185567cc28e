"""The three reference-based metrics against values worked out by hand and by a bootstrap written out."""

import numpy as np
import pytest

from reportgen.copies import CopyCounts
from reportgen.distances import NeighbourDistances
from reportgen.metrics import closest_distances_ratio, closest_rate, distance_to_closest
from reportgen.metrics.evidence import Draw, Evidence
from reportgen.model import Measured
from reportgen.settings import Settings

COPIES = CopyCounts(10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, real_rows_repeat=False, near_twins=False)


def neighbours(first, second):
    ids = np.arange(len(first))
    return NeighbourDistances(np.array(first, float), np.array(second, float), ids, ids)


def evidence(*draws, holdout="provided"):
    made = []
    for synthetic, held in draws:
        rows = len(synthetic[0])
        ids = np.arange(rows)
        found = NeighbourDistances(np.array(synthetic[0], float), np.array(synthetic[1], float), ids, ids + rows)
        # the two closest rows of query i are base rows i and i + rows, identical where their distances are equal
        twins = np.where(found.first == found.second, ids, ids + rows)
        made.append(Draw(found, neighbours(*held), np.concatenate((ids, twins)), np.zeros(rows, dtype=bool)))
    return Evidence(holdout, COPIES, tuple(made), {})


def measure(metric, given, **settings):
    outcome = metric.measure(given, Settings(**settings), np.random.default_rng(0))
    assert isinstance(outcome, Measured)
    return outcome


# d1 against the synthetic rows 1..5 (median 3), against the holdout 2..10 in twos (median 6): 50 %.
# 2.5th percentile, linear: position 0.1 of four steps: 1 + 0.1 * 1 = 1.1 against 2 + 0.1 * 2 = 2.2: 50 %.
BY_HAND = (([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]), ([2, 4, 6, 8, 10], [4, 8, 12, 16, 20]))


def test_distance_to_closest_is_the_ratio_of_medians_and_of_lower_tails():
    scores = measure(distance_to_closest, evidence(BY_HAND)).scores
    assert scores["median"].value == pytest.approx(50)
    assert scores["outlier"].value == pytest.approx(50)
    assert scores["median_raw"].value == pytest.approx(3)
    assert scores["median_raw"].reference == pytest.approx(6)
    assert scores["outlier_raw"].value == pytest.approx(1.1)
    assert scores["outlier_raw"].reference == pytest.approx(2.2)
    # at or below 2.2: rows 1 and 2 of five here, row 2 of five in the holdout
    assert scores["tail_share"].value == pytest.approx(0.4)
    assert scores["tail_share"].reference == pytest.approx(0.2)


def test_closest_distances_ratio_compares_ratios_of_the_two_closest_distances():
    # ratios .25 .5 .75 against .5 .5 1: medians .5 and .5; 2.5th percentiles .2625 and .5
    given = evidence((([1, 2, 3], [4, 4, 4]), ([2, 2, 4], [4, 4, 4])))
    scores = measure(closest_distances_ratio, given).scores
    assert scores["median"].value == pytest.approx(100)
    assert scores["outlier"].value == pytest.approx(100 * 0.2625 / 0.5)


def test_ratio_is_one_when_both_neighbours_coincide_with_the_row():
    assert neighbours([0, 0, 1], [0, 2, 4]).ratio.tolist() == [1.0, 0.0, 0.25]


def test_a_reference_of_zero_scores_100_with_a_note_and_without_an_interval():
    given = evidence((([1, 2, 3], [2, 3, 4]), ([0, 0, 1], [1, 1, 1])))
    outcome = measure(distance_to_closest, given)
    assert outcome.scores["median"].value == 100
    assert outcome.scores["median"].note == "reference_zero"
    assert outcome.scores["median"].low is None
    assert "reference_zero" in outcome.notes


def test_rows_copied_twice_are_counted_because_the_ratio_does_not_see_them():
    # trap 1: two synthetic rows at distance 0 give r = 1
    given = evidence((([0, 0, 3], [0, 0, 4]), ([2, 2, 4], [4, 4, 4])))
    outcome = measure(closest_distances_ratio, given)
    assert outcome.scores["median"].value == pytest.approx(200)
    assert outcome.scores["repeated_copies"].value == 2
    assert "repeated_copies" in outcome.notes


def test_closest_rate_counts_rows_at_or_below_both_thresholds():
    # 21 holdout distances 1..21 with second distance 42, so d and r order alike; 5th percentile: position 1.0 = 2.
    # Against the synthetic rows: 5 rows at d = 2, second 42 (r = 2/42 = tau_r: counts), the others far away.
    held = np.arange(1.0, 22.0)
    made = np.where(np.arange(21) < 5, 2.0, 50.0)
    outcome = measure(closest_rate, evidence(((made, np.where(made == 2, 42, 60)), (held, np.full(21, 42.0)))))
    assert outcome.scores["distance_threshold"].value == pytest.approx(2)
    assert outcome.scores["ratio_threshold"].value == pytest.approx(2 / 42)
    assert outcome.scores["at_risk"].value == 5
    assert outcome.scores["at_risk"].reference == 2
    assert outcome.scores["rate"].value == pytest.approx(100 * (1 - 5 / 21))
    assert outcome.scores["rate"].reference == pytest.approx(100 * (1 - 2 / 21))


def test_closest_rate_thresholds_use_midpoint_interpolation():
    # 5th percentile of 1..11: position 0.5, midpoint of 1 and 2
    held = np.arange(1.0, 12.0)
    outcome = measure(closest_rate, evidence(((held, held * 2), (held, np.full(11, 20.0)))))
    assert outcome.scores["distance_threshold"].value == pytest.approx(1.5)


def test_values_are_medians_over_the_draws():
    far = (([2, 4, 6, 8, 10], [4, 8, 12, 16, 20]), BY_HAND[1])  # 100 %
    near = (([0.5, 1, 1.5, 2, 2.5], [1, 2, 3, 4, 5]), BY_HAND[1])  # 25 %
    outcome = measure(distance_to_closest, evidence(far, BY_HAND, near))
    assert outcome.scores["median"].value == pytest.approx(50)
    assert {"drawn_down", "first_draw_shown"} <= set(outcome.notes)
    assert outcome.scores["median"].low <= 25
    assert outcome.scores["median"].high >= 100


@pytest.mark.parametrize("metric", [distance_to_closest, closest_distances_ratio, closest_rate])
def test_without_a_comparison_there_is_no_value_but_a_reason(metric):
    assert metric.measure(evidence(), Settings(), np.random.default_rng(0)) == "too_few_rows"


@pytest.mark.parametrize("metric", [distance_to_closest, closest_distances_ratio, closest_rate])
def test_the_interval_is_the_plain_paired_bootstraps(metric):
    """Against a bootstrap written out row by row with other random numbers: ends within Monte Carlo error."""
    random = np.random.default_rng(3)
    made, held = np.sort(random.gamma(2, size=(2, 2, 400)), axis=1)
    outcome = measure(metric, evidence((made, held)), resamples=4000)
    score = outcome.scores["rate" if metric is closest_rate else "median"]
    values = []
    other = np.random.default_rng(4)
    for _ in range(4000):
        rows = other.integers(400, size=400)
        (d, r), (dh, rh) = ((one[0][rows], (one[0] / one[1])[rows]) for one in (made, held))
        if metric is distance_to_closest:
            values.append(100 * np.median(d) / np.median(dh))
        elif metric is closest_distances_ratio:
            values.append(100 * np.median(r) / np.median(rh))
        else:
            tau = [np.percentile(x, 5, method="midpoint") for x in (dh, rh)]
            values.append(100 * (1 - np.mean((d <= tau[0]) & (r <= tau[1]))))
    low, high = np.percentile(values, (2.5, 97.5))
    width = high - low
    assert score.low == pytest.approx(low, abs=0.1 * width)
    assert score.high == pytest.approx(high, abs=0.1 * width)
