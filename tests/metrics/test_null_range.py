"""Null ranges against the definition written out in float64, small cases by hand, and a small simulation."""

import math

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.distances import RealLists
from reportgen.metrics import pseudo_tables
from reportgen.metrics.null_range import SPLITS, NullRange, is_shared, null_ranges
from reportgen.metrics.pseudo_tables import HOLDOUT, ORIGINAL, SYNTHETIC, Sizes, splits
from reportgen.settings import Settings


def lists(rows, originals, k, calls=None):
    """The k closest others of each row, by brute force; longer lists too."""
    distances = np.sqrt(((rows[:, np.newaxis] - rows) ** 2).sum(axis=2))
    np.fill_diagonal(distances, -1)  # first in the order, and left out
    order = np.lexsort((np.broadcast_to(np.arange(len(rows)), distances.shape), distances))[:, 1:]
    ascending = np.take_along_axis(distances, order, axis=1)

    def longer(some, number):
        if calls is not None:
            calls.append(len(some))
        return ascending[some, :number], order[some, :number]

    return RealLists(ascending[:, :k].copy(), order[:, :k].copy(), originals, longer)


def closest_two(queries, base, itself=False):
    distances = np.sqrt(((queries[:, np.newaxis] - base) ** 2).sum(axis=2))
    if itself:
        np.fill_diagonal(distances, np.inf)
    distances.sort(axis=1)
    return distances


def ratio(distances):
    first, second = distances[:, 0], distances[:, 1]
    return np.where(second == 0, 1, first / np.where(second == 0, 1, second))


def one_split(original, holdout, synthetic):
    """Every statistic of one split, as the metrics define it."""
    made, held = closest_two(original, synthetic), closest_two(original, holdout)
    real = closest_two(original, original, itself=True)
    r_made, r_held = ratio(made), ratio(held)
    alone = np.argsort(-real[:, 4], kind="stable")[: int(0.05 * len(original))]
    found = {}
    for key, a, b in (
        ("distance_to_closest", made[:, 0], held[:, 0]),
        ("closest_distances_ratio", r_made, r_held),
    ):
        found[key, "median"] = np.log(np.median(a) / np.median(b))
        found[key, "outlier"] = np.log(np.percentile(a, 2.5) / np.percentile(b, 2.5))
        if len(alone) >= 5:
            found[key, "isolated"] = np.log(np.median(a[alone]) / np.median(b[alone]))
        found[key, "tail_share"] = np.mean(a <= np.percentile(b, 2.5))
    tau_d, tau_r = (np.percentile(x, 5, method="midpoint") for x in (held[:, 0], r_held))
    found["closest_rate", "rate"] = 100 * (1 - np.mean((made[:, 0] <= tau_d) & (r_made <= tau_r)))
    s, t, h = closest_two(synthetic, original), real, closest_two(holdout, original)
    found["nndr", "p5"] = np.log(np.percentile(ratio(s), 5) / np.percentile(ratio(t), 5))
    found["nndr", "median"] = np.log(np.median(ratio(s)) / np.median(ratio(t)))
    found["nndr", "excess"] = np.mean(ratio(s) < 0.5) - np.mean(ratio(t) < 0.5)
    found["nndr", "share_below"] = found["nndr", "excess"]
    found["nndr", "excess_over_holdout"] = np.mean(ratio(s) < 0.5) - np.mean(ratio(h) < 0.5)
    found["nn_dist", "score"] = np.log(made[:, 0].mean() / t[:, 0].mean())
    found["nn_dist", "authenticity"] = np.mean(s[:, 0] > np.median(t[:, 0]))
    return found


def brute_force(rows, sizes, seed):
    """The ranges by the definition, on the same splits: deviations times sqrt(lambda) times 1.15."""
    labels = np.concatenate(list(splits(sizes, SPLITS, np.random.default_rng(seed))), axis=1)
    every = [one_split(*(rows[label == table] for table in (ORIGINAL, HOLDOUT, SYNTHETIC))) for label in labels.T]
    scale = 1.15 * math.sqrt(sizes.real / (sizes.original + 2 * min(sizes.holdout, sizes.synthetic)))
    found = {}
    for name in every[0]:
        values = np.array([one[name] for one in every])
        low, high = np.percentile(values, (2.5, 97.5))
        if name[1] in ("rate", "tail_share", "authenticity"):
            full = 100 if name[1] == "rate" else 1
            middle, step = np.median(values), 0.5 * full / sizes.original
            found[name] = (
                max(0, middle + scale * (low - middle) - step),
                min(full, middle + scale * (high - middle) + step),
            )
        elif name[0] == "nndr" and name[1] not in ("p5", "median"):
            found[name] = scale * low, scale * high
        else:
            found[name] = np.exp(scale * low), np.exp(scale * high)
    return found


@pytest.mark.parametrize(
    ("original", "holdout", "synthetic"),
    [(160, 160, 160), (120, 60, 90), (90, 140, 70)],
    ids=["equal sizes", "a small holdout", "few synthetic rows"],
)
@pytest.mark.parametrize("k", [None, 6], ids=["lists as long as planned", "lists too short for most splits"])
def test_ranges_are_those_of_brute_force(original, holdout, synthetic, k):
    rows = np.random.default_rng(1).normal(size=(original + holdout, 3))
    rows[5] = rows[0]  # identical rows are listed each for itself
    sizes, calls = Sizes(original, holdout, synthetic), []
    found = null_ranges(lists(rows, original, k or sizes.reach, calls), synthetic, Settings(), np.random.default_rng(3))
    expected = brute_force(rows, sizes, 3)
    if not original == holdout == synthetic:
        del expected["nn_dist", "score"]  # its bases differ in size
    assert found.keys() == expected.keys()
    for name, ends in expected.items():
        assert (found[name].low, found[name].high) == pytest.approx(ends, rel=1e-9), name
    assert bool(calls) or k is None


def test_a_row_with_too_few_neighbours_in_its_list_is_searched_again_and_only_such_a_row():
    rows, calls = np.random.default_rng(2).normal(size=(240, 3)), []
    null_ranges(lists(rows, 120, 239, calls), 120, Settings(), np.random.default_rng(0))
    assert calls == []
    null_ranges(lists(rows, 120, 12, calls), 120, Settings(), np.random.default_rng(0))
    assert calls
    assert max(calls) <= 240


def test_sizes_of_the_pseudo_tables_are_in_proportion_and_use_up_the_real_rows():
    # λ = 2000 / 3000, so 666 rows each: 1998 of 2000.
    assert Sizes(1000, 1000, 1000).pseudo == (666, 666, 666)
    # b = 100, λ = 1100 / 1200: 916 and 91.
    assert Sizes(1000, 100, 5000).pseudo == (916, 91, 91)
    # λ = 2 where few synthetic rows are compared: 300/(100 + 2 x 25).
    assert Sizes(100, 200, 25).pseudo == (200, 50, 50)


def test_every_split_holds_each_row_once():
    sizes = Sizes(60, 40, 50)
    labels = np.concatenate(list(splits(sizes, 30, np.random.default_rng(0))), axis=1)
    assert labels.shape == (100, 30)
    # b = 40, λ = 100/140: 42 and 28 rows, two left over.
    assert [(labels == table).sum(axis=0).tolist() for table in range(4)] == [[42] * 30, [28] * 30, [28] * 30, [2] * 30]


def test_a_range_is_a_factor_a_difference_or_itself():
    assert NullRange(0.5, 2.0, "factor").of(100.0) == (50.0, 200.0)
    assert NullRange(-0.25, 0.5, "difference").of(0.25) == (0.0, 0.75)
    assert NullRange(-0.25, 0.5, "share").of(0.125) == (0.0, 0.625)
    assert NullRange(97.0, 99.0, "itself").of(None) == (97.0, 99.0)
    assert NullRange(0.5, 2.0, "factor").of(None) is None
    assert NullRange(0.5, 2.0, "factor").of(0.0) is None


def test_small_tables_have_no_range():
    rows = np.random.default_rng(0).normal(size=(50, 2))
    assert null_ranges(lists(rows, 25, 40), 25, Settings(), np.random.default_rng(0)) == {}


def test_a_quantile_is_shared_when_several_rows_have_it():
    # 1,000 rows: the sd of the rank of the 2.5th percentile is sqrt(1000 x .025 x .975) = 4.9, so 3 rows are several.
    values = np.arange(1000.0)
    assert not is_shared(values, 0.025)
    values[23:27] = 24.0
    assert is_shared(values, 0.025)
    # Of the median it is 15.8: a shared distance of two rows that are each other's closest is not several.
    values = np.repeat(np.arange(500.0), 2)
    assert not is_shared(values, 0.5)


def tables(rows, seed, columns=4):
    random = np.random.default_rng([seed, rows])
    return [pd.DataFrame(random.normal(size=(rows, columns)), columns=list("abcd")[:columns]) for _ in range(3)]


SEEDED = (
    ("distance_to_closest", "median"),
    ("distance_to_closest", "outlier"),
    ("closest_distances_ratio", "median"),
    ("closest_distances_ratio", "outlier"),
    ("closest_rate", "rate"),
    ("nndr", "excess"),
    ("nndr", "p5"),
)


def test_ideal_tables_lie_inside_and_copies_outside():
    """40 ideal runs of 7 scores; 280 draws of .95 hold 252 or more in all but 1 of 1,000 cases, and of .90 too."""
    inside = 0
    for seed in range(40):
        original, synthetic, holdout = tables(200, seed)
        metrics = reportgen.assess(original, synthetic, holdout, resamples=100, metric=list(dict(SEEDED))).metrics
        scores = [metrics[key].scores[name] for key, name in SEEDED]
        inside += sum(score.null_low <= score.value <= score.null_high for score in scores)
    assert 252 <= inside <= 280
    synthetic.iloc[:100] = original.iloc[:100]
    metrics = reportgen.assess(original, synthetic, holdout, resamples=100, metric=list(dict(SEEDED))).metrics
    for key, name in SEEDED:
        score = metrics[key].scores[name]
        assert score.value < score.null_low if score.better == "higher" else score.value > score.null_high, (key, name)


def test_a_range_stands_around_its_reference_and_depends_on_no_synthetic_row():
    original, synthetic, holdout = tables(200, 1)
    first = reportgen.assess(original, synthetic, holdout, resamples=100).metrics
    second = reportgen.assess(original, synthetic * 3, holdout, resamples=100).metrics
    for key, name in SEEDED:
        one, other = first[key].scores[name], second[key].scores[name]
        assert (one.null_low, one.null_high) == (other.null_low, other.null_high)
        if key != "closest_rate":
            assert one.null_low < one.reference < one.null_high


def test_coarse_tables_say_why_they_have_no_range():
    original, synthetic, holdout = (table.round() for table in tables(300, 1, columns=3))
    metric = reportgen.assess(original, synthetic, holdout, resamples=100).metrics["closest_distances_ratio"]
    assert metric.scores["median"].note == "ties"
    assert metric.scores["median"].null_low is None
    assert "ties" in metric.notes


def test_twins_that_make_the_percentile_zero_in_some_splits_are_ties_too():
    original, synthetic, holdout = tables(300, 1)
    for table in (original, synthetic, holdout):
        table.iloc[:6] = 0.0  # 2 % of the rows are the same: less than 2.5 % here, more in some splits
    scores = reportgen.assess(original, synthetic, holdout, resamples=100).metrics["distance_to_closest"].scores
    assert scores["outlier"].note == "ties"
    assert scores["outlier"].null_low is None
    assert scores["median"].null_low is not None


def test_small_tables_have_neither_a_range_nor_a_note():
    metrics = reportgen.assess(*tables(25, 1), resamples=100).metrics
    for metric in metrics.values():
        assert "ties" not in getattr(metric, "notes", ())


def test_without_a_true_holdout_there_is_no_range():
    original, synthetic, _ = tables(200, 1)
    for metric in reportgen.assess(original, synthetic, resamples=100).metrics.values():
        for score in getattr(metric, "scores", {}).values():
            assert score.null_low is None
            assert score.note != "ties"


@pytest.mark.parametrize("listed", [None, np.arange(0, 60, 2)])
def test_splits_are_the_same_however_many_are_answered_together(monkeypatch, listed):
    """Also where a block of random numbers serves rows with a list and rows without one after the other."""
    sizes = Sizes(30, 30, 30)
    monkeypatch.setattr(pseudo_tables, "_CELLS", 4 * sizes.real)

    def blocks(together):
        monkeypatch.setattr(pseudo_tables, "_TOGETHER", together)
        return list(splits(sizes, 30, np.random.default_rng(0), listed))

    one_by_one, together = blocks(1), blocks(20)
    assert [len(block.T) for block in one_by_one] == [4] * 7 + [2]
    assert [len(block.T) for block in together] == [20, 10]
    np.testing.assert_array_equal(np.concatenate(together, axis=1), np.concatenate(one_by_one, axis=1))
