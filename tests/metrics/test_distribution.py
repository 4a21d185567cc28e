"""Histograms and cells tell no row apart, whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from reportgen.metrics.distribution import distance_histograms, distance_ratio_cells, ratio_histograms
from reportgen.model import is_round

POSITIVE = st.one_of(st.just(0.0), st.floats(1e-9, 1e9), st.sampled_from([1.0, 2.0, 3.0]))
ROWS = npst.arrays(np.float64, st.integers(20, 120), elements=POSITIVE)


@settings(deadline=None, max_examples=150)
@given(ROWS, ROWS)
def test_outermost_filled_bins_hold_five_rows_of_each_series_and_edges_are_shared(first, second):
    found = distance_histograms({"synthetic": first, "holdout": second})
    assert found["synthetic"].edges == found["holdout"].edges
    for name, rows in (("synthetic", first), ("holdout", second)):
        histogram = found[name]
        filled = [count for count in histogram.counts if count]
        assert filled[0] >= 5
        assert filled[-1] >= 5
        assert sum(histogram.counts) == len(rows) == histogram.n
        assert histogram.zero_count == (rows == 0).sum()
    pooled = np.add(found["synthetic"].counts, found["holdout"].counts)
    assert pooled[0] >= 5
    assert pooled[-1] >= 5


@settings(deadline=None, max_examples=100)
@given(
    npst.arrays(np.float64, 60, elements=st.floats(0, 1)), npst.arrays(np.float64, 60, elements=st.sampled_from([0, 1]))
)
def test_ratio_bins_stay_within_zero_and_one(first, second):
    found = ratio_histograms({"synthetic": first, "holdout": second})
    for histogram in found.values():
        assert histogram.edges[0] == 0
        assert histogram.edges[-1] == 1
        assert sum(histogram.counts) == 60


def test_edges_are_round_numbers():
    rows = np.random.default_rng(1).gamma(3, size=3000)
    histogram = distance_histograms({"synthetic": rows, "holdout": rows * 1.1})["synthetic"]
    assert all(float(f"{edge:.3g}") == edge for edge in histogram.edges)
    assert len(histogram.counts) > 20


def test_edges_depend_on_no_extreme_row():
    """Moving the single nearest and the single farthest row changes no edge."""
    rows = np.random.default_rng(1).gamma(3, size=300)
    moved = rows.copy()
    moved[np.argmin(rows)] /= 3
    moved[np.argmax(rows)] *= 3
    here, there = (distance_histograms({"synthetic": r, "holdout": rows})["synthetic"] for r in (rows, moved))
    assert here.edges[1] == there.edges[1]


def test_quantiles_keep_five_rows_on_either_side():
    rows = np.random.default_rng(1).gamma(3, size=200)
    levels = distance_histograms({"synthetic": rows, "holdout": rows})["synthetic"].quantiles.levels
    assert levels[0] == 0.025  # 200 * 0.025 = 5
    assert levels[-1] == 0.975


def test_below_twenty_rows_there_is_no_distribution():
    rows = np.arange(1.0, 20.0)
    assert distance_histograms({"synthetic": rows, "holdout": rows}) == {}
    assert distance_ratio_cells({"synthetic": rows}, {"synthetic": rows / 20}) == {}


def test_all_distances_zero_make_one_bin():
    found = distance_histograms({"synthetic": np.zeros(30), "holdout": np.zeros(30)})["synthetic"]
    assert found.counts == (30,)
    assert found.zero_count == 30


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_cells_hide_counts_below_five_and_hold_every_row(scale):
    random = np.random.default_rng(2)
    distance, ratio = random.gamma(2, scale, size=500), random.uniform(size=500)
    cells = distance_ratio_cells({"synthetic": distance}, {"synthetic": ratio})["synthetic"]
    counts = np.array(cells.counts)
    x, y = np.array(cells.x_edges), np.array(cells.y_edges)
    plain, _, _ = np.histogram2d(ratio, distance, bins=(y, x))
    assert plain.sum() == 500
    assert ((counts == -1) == ((plain > 0) & (plain < 5))).all()
    assert (counts[counts != -1] == plain[counts != -1]).all()


def test_outermost_bins_hold_five_persons_where_rows_belong_to_persons():
    # Persons 0 and 1 have the 20 smallest and the 20 largest of 400 values each: five rows, but no five persons.
    random = np.random.default_rng(0)
    values = np.sort(random.lognormal(size=400))
    persons = 2 + np.arange(400) % 40
    persons[:20], persons[-20:] = 0, 1
    plain = distance_histograms({"synthetic": values, "holdout": values})["synthetic"]
    found = distance_histograms({"synthetic": values, "holdout": values}, {"synthetic": persons})["synthetic"]

    def holders(histogram, place):
        filled = np.flatnonzero(histogram.counts)[place]
        low, high = histogram.edges[filled], histogram.edges[filled + 1]
        return len(set(persons[(values >= low) & (values < high)].tolist()))

    assert min(holders(plain, 0), holders(plain, -1)) < 5
    assert min(holders(found, 0), holders(found, -1)) >= 5


def test_a_percentile_is_listed_only_with_five_persons_on_either_side():
    values, persons = np.arange(1.0, 401.0), 2 + np.arange(400) % 40
    persons[:60] = 0  # the lowest 15 % are one person's
    plain = ratio_histograms({"synthetic": values / 400})["synthetic"].quantiles.levels
    found = ratio_histograms({"synthetic": values / 400}, {"synthetic": persons})["synthetic"].quantiles.levels
    assert [level for level in plain if level <= 0.1] == [0.025, 0.05, 0.1]
    assert [level for level in found if level <= 0.25] == [0.25]


def test_cells_of_fewer_than_five_persons_are_not_told_apart():
    distance, ratio = np.full(100, 0.55), np.full(100, 0.5)
    distance[:50] = 2.05
    persons = np.arange(100)
    persons[:50] = 0
    cells = distance_ratio_cells({"synthetic": distance}, {"synthetic": ratio}, {"synthetic": persons})["synthetic"]
    assert sorted(count for row in cells.counts for count in row if count) == [-1, 50]


def test_rows_of_fewer_than_twenty_persons_have_no_distribution():
    values, persons = np.linspace(0.1, 0.9, 200), np.arange(200) % 19
    assert ratio_histograms({"synthetic": values}, {"synthetic": persons}) == {}
    assert distance_ratio_cells({"synthetic": values}, {"synthetic": values}, {"synthetic": persons}) == {}


@pytest.mark.parametrize("scale", [1e-300, 1e-15, 1e-13, 1.0, 1e15, 1e150])
def test_edges_are_round_and_increase_at_any_scale(scale):
    random = np.random.default_rng(4)
    rows, ratios = random.gamma(2, size=200) * scale, random.random(200)
    cells = distance_ratio_cells({"synthetic": rows}, {"synthetic": ratios})["synthetic"]
    histogram = distance_histograms({"synthetic": rows})["synthetic"]
    for edges in (cells.x_edges, cells.y_edges, histogram.edges):
        assert all(map(is_round, edges))
        assert np.all(np.diff(edges) > 0)
