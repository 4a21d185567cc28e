"""The searches behind the verdict's tests, against brute force written out and small cases worked out by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest

from reportgen.metrics.leak_test import leak_test
from reportgen.read.partition import ColumnSchema, Partition, Source, Table
from reportgen.settings import Settings
from reportgen.space.asking import draw_asking
from reportgen.space.dropped import group_columns
from reportgen.space.equal_rows import almost_equal
from reportgen.space.famd import encode
from reportgen.space.planting import NOISE, plant
from reportgen.space.pool import Pool, drawn_down, repeats_stay_within_files


def encoded(original, holdout, synthetic, **settings):
    """Encode frames: numbers and, where the type is object, categories."""
    columns = tuple(
        ColumnSchema(name, "categorical" if original[name].dtype == object else "numeric") for name in original
    )
    tables = [
        None if frame is None else Table(Source("table", None), frame.reset_index(drop=True))
        for frame in (original, holdout, synthetic)
    ]
    partition = Partition(columns=columns, original=tables[0], holdout=tables[1], synthetic=tables[2])
    return encode(partition, Settings(**settings))


def mixed(rows, random, categories=3):
    """Numbers, one of them coarse and one with missing values, and categories; some rows occur twice."""
    frame = pd.DataFrame({"n1": random.normal(size=rows), "n2": random.integers(0, 6, rows).astype(float)})
    frame["n3"] = np.where(random.random(rows) < 0.2, np.nan, random.normal(size=rows).round(1))
    for name in range(categories):
        frame[f"c{name}"] = pd.Series(random.choice(list("abc"), rows), dtype=object)
    return pd.concat([frame.iloc[: rows - rows // 10], frame.iloc[: rows // 10]], ignore_index=True)


@pytest.fixture
def space():
    random = np.random.default_rng(0)
    tables = [mixed(rows, random) for rows in (60, 40, 50)]
    tables[2].iloc[:5] = tables[0].iloc[:5]
    return encoded(*tables)


def brute_distances(queries, base):
    return np.sqrt(((queries[:, np.newaxis] - base) ** 2).sum(axis=2))


def test_counts_are_those_of_the_files(space):
    pool = Pool(space)
    assert pool.real.rows == 100
    assert pool.real.original_rows == 60
    for row, position in enumerate(pool.positions):
        original, holdout = (space.original == position).sum(), (space.holdout == position).sum()
        assert (pool.real.originals[row], pool.real.occurrences[row]) == (original, original + holdout)
    np.testing.assert_array_equal(np.sort(pool.positions), np.union1d(space.original, space.holdout))


def test_neighbours_are_those_of_brute_force(space):
    pool = Pool(space)
    synthetic = pool.synthetic(space.synthetic, np.random.default_rng(0))
    different = np.unique(space.synthetic)
    distances = brute_distances(space.coordinates[different], space.coordinates[pool.positions])
    order = np.lexsort((np.broadcast_to(np.arange(distances.shape[1]), distances.shape), distances))[:, :10]
    np.testing.assert_array_equal(synthetic.real[:, 0], order[:, 0])
    np.testing.assert_allclose(synthetic.distances, np.take_along_axis(distances, order, axis=1), atol=1e-12)
    within = brute_distances(space.coordinates[pool.positions], space.coordinates[pool.positions])
    np.fill_diagonal(within, np.inf)
    np.testing.assert_allclose(pool.real.distances, np.sort(within)[:, :10], rtol=1e-12)
    np.testing.assert_allclose(
        pool.closest_synthetic(space.synthetic),
        brute_distances(space.coordinates[pool.positions], space.coordinates[different]).min(axis=1),
        atol=1e-12,
    )


def test_rows_of_the_pool_are_answered_without_another_search(space):
    # As the memorising control asks: synthetic rows that are real rows find themselves first.
    pool = Pool(space)
    found = pool.synthetic(space.original, np.random.default_rng(0))
    again = Pool(space)
    distances, ids = again._known.of(np.unique(np.concatenate((space.original, space.synthetic))))
    own = np.isin(np.unique(np.concatenate((space.original, space.synthetic))), space.original)
    np.testing.assert_array_equal(found.distances, distances[own])
    np.testing.assert_array_equal(found.real, ids[own])
    assert (found.distances[:, 0] == 0).all()
    np.testing.assert_array_equal(pool.positions[found.real[:, 0]], np.unique(space.original))
    fresh, places = brute_distances(space.coordinates[np.unique(space.original)], space.coordinates[pool.positions]), 10
    np.testing.assert_allclose(found.distances, np.sort(fresh)[:, :places], atol=1e-12)


def test_searches_without_a_column_are_those_of_brute_force(space):
    pool = Pool(space)
    dropped = pool.synthetic(space.synthetic, np.random.default_rng(0)).dropped
    different, times = np.unique(space.synthetic, return_counts=True)
    np.testing.assert_array_equal(dropped.times, times)
    queries, base = space.coordinates[different], space.coordinates[pool.positions]
    ratios, nearest = [], []
    for own in space.layout.slices:
        left = np.setdiff1d(np.arange(queries.shape[1]), np.arange(own.start, own.stop))
        distances = brute_distances(queries[:, left], base[:, left])
        closest = np.sort(distances)[:, :6]
        ratios.append(
            np.where(closest[:, 5] > 0, closest[:, 0] / np.where(closest[:, 5] > 0, closest[:, 5], 1), 1) ** 2
        )
        nearest.append(np.isclose(distances, closest[:, :1], atol=1e-13))
    best = np.min(ratios, axis=0)
    np.testing.assert_allclose(dropped.ratio, best, atol=1e-12)
    np.testing.assert_allclose(np.bincount(dropped.entry, weights=dropped.share), 1)
    for entry, real in zip(dropped.entry, dropped.real, strict=True):
        by_column = [
            np.isclose(ratio[entry], best[entry]) and rows[entry, real]
            for ratio, rows in zip(ratios, nearest, strict=True)
        ]
        assert any(by_column)


def test_equally_good_columns_share_a_row_evenly():
    # The synthetic row equals original row 0 in a and b, row 1 in b and c. Without c it is at distance 0 of row 0,
    # without a of row 1: half of it goes to each.
    real = pd.DataFrame(
        {"a": [0.0, 9, 3, 4, 5, 6, 7, 8], "b": [0.0, 0, 9, 8, 7, 6, 5, 4], "c": [9.0, 0, 5, 4, 3, 2, 1, 7]}
    )
    space = encoded(real.iloc[:4], real.iloc[4:], pd.DataFrame({"a": [0.0], "b": [0.0], "c": [0.0]}), projection="none")
    pool = Pool(space)
    dropped = pool.synthetic(space.synthetic, np.random.default_rng(0)).dropped
    assert dropped.ratio.tolist() == [0]
    shares = dict(zip(pool.positions[dropped.real].tolist(), dropped.share.tolist(), strict=True))
    assert shares == {int(space.original[0]): 0.5, int(space.original[1]): 0.5}


def brute_almost_equal(queries, base, most_columns=2):
    """The definition, choice by choice."""
    columns = queries.shape[1]
    pairs = {}
    for number in range(min(most_columns, columns - 3) + 1):
        for choice in itertools.combinations(range(columns), number):
            left = [column for column in range(columns) if column not in choice]
            for entry, row in enumerate(queries):
                equal = np.flatnonzero((base[:, left] == row[left]).all(axis=1))
                if len(equal) <= 5:
                    for real in equal:
                        pairs[entry, real] = int((base[real] != row).sum())
    return pairs


@pytest.mark.parametrize(("columns", "levels", "rows"), [(3, 4, 40), (4, 3, 60), (5, 3, 150), (7, 2, 100), (8, 3, 300)])
def test_rows_equal_on_nearly_all_columns_are_all_found(columns, levels, rows):
    random = np.random.default_rng([columns, levels])
    base = np.unique(random.integers(levels, size=(rows, columns), dtype=np.int32), axis=0)
    queries = np.unique(random.integers(levels, size=(rows, columns), dtype=np.int32), axis=0)
    found = almost_equal(queries, base, [[column] for column in range(columns)])
    pairs = dict(zip(zip(found.entry.tolist(), found.real.tolist(), strict=True), found.columns.tolist(), strict=True))
    assert len(pairs) == len(found.entry)
    assert pairs == brute_almost_equal(queries, base)
    assert pairs


def test_groups_of_columns_find_the_same_rows_as_single_ones():
    random = np.random.default_rng(0)
    base = random.integers(40, size=(200, 17), dtype=np.int32)
    queries = base[:60].copy()
    for row in queries[:50]:
        row[random.choice(17, random.integers(4), replace=False)] += 1
    queries[50:] = random.integers(40, size=(10, 17))
    one = almost_equal(queries, base, [[column] for column in range(17)])
    grouped = almost_equal(queries, base, group_columns(np.ones(17)))
    for name in ("entry", "real", "columns"):
        np.testing.assert_array_equal(getattr(one, name), getattr(grouped, name))
    assert 30 < len(one.entry) < 60


def test_choice_of_columns_that_matches_more_than_five_rows_is_skipped():
    # Base rows agree with the query on columns 0-2; six differ in column 3 alone, one in no column.
    base = np.array([[1, 1, 1, value] for value in range(7)], dtype=np.int32)
    found = almost_equal(base[:1], base, [[0], [1], [2], [3]])
    assert (found.real.tolist(), found.columns.tolist()) == ([0], [0])
    found = almost_equal(base[:1], base[:5], [[0], [1], [2], [3]])
    assert (found.real.tolist(), found.columns.tolist()) == ([0, 1, 2, 3, 4], [0, 1, 1, 1, 1])


def test_two_columns_are_too_few_to_agree_on():
    codes = np.array([[1, 1]], dtype=np.int32)
    assert len(almost_equal(codes, codes, [[0], [1]]).entry) == 0


def test_columns_are_shared_out_evenly_over_twelve_groups():
    weights = np.random.default_rng(0).random(40)
    groups = group_columns(weights)
    assert sorted(itertools.chain(*groups)) == list(range(40))
    assert len(groups) == 12
    totals = [weights[list(group)].sum() for group in groups]
    assert max(totals) - min(totals) < weights.max()
    assert group_columns(np.ones(12)) == tuple((column,) for column in range(12))


def test_queries_are_drawn_down_but_never_the_base(space):
    pool = Pool(space)
    synthetic = pool.synthetic(space.synthetic, np.random.default_rng(0), most_dropped=20)
    assert synthetic.dropped.times.sum() == 20
    assert synthetic.rows == 50
    drawn = len(synthetic.dropped.times)
    outside = len(np.setdiff1d(space.synthetic, pool.positions))
    assert pool.queries == len(pool.positions) + outside + 6 * drawn
    assert (drawn_down(np.array([3, 0, 2]), 5, np.random.default_rng(0)) == [3, 0, 2]).all()
    drawn = drawn_down(np.array([100, 1, 50]), 60, np.random.default_rng(0))
    assert drawn.sum() == 60
    assert (drawn <= [100, 1, 50]).all()


@pytest.mark.parametrize("settings", [{}, {"components": 4}])
def test_order_of_rows_and_columns_changes_nothing(settings):
    random = np.random.default_rng(1)
    tables = [mixed(rows, random, categories=11) for rows in (120, 80, 90)]
    tests = []
    for names in (list(tables[0]), list(tables[0])[::-1]):
        pool = Pool(encoded(*(table.sample(frac=1, random_state=3)[names] for table in tables), **settings))
        found = pool.synthetic(pool.encoded.synthetic, np.random.default_rng(0))
        tests.append(leak_test(pool.real, found, np.random.default_rng(0), 99))
        tables = [table.sample(frac=1, random_state=4) for table in tables]
    assert tests[0] == tests[1]


def test_components_are_left_out_one_at_a_time():
    random = np.random.default_rng(2)
    space = encoded(*(mixed(60, random) for _ in range(3)), components=4)
    pool = Pool(space)
    assert pool.parts == ((0,), (1,), (2,), (3,))
    synthetic = pool.synthetic(space.synthetic, np.random.default_rng(0))
    queries, base = space.coordinates[np.unique(space.synthetic)], space.coordinates[pool.positions]
    ratios = []
    for axis in range(4):
        closest = np.sort(brute_distances(np.delete(queries, axis, 1), np.delete(base, axis, 1)))[:, :6]
        ratios.append((closest[:, 0] / closest[:, 5]) ** 2)
    np.testing.assert_allclose(synthetic.dropped.ratio, np.min(ratios, axis=0), atol=1e-12)


def test_one_column_cannot_be_left_out():
    random = np.random.default_rng(3)
    space = encoded(*(pd.DataFrame({"n": random.normal(size=30)}) for _ in range(3)))
    synthetic = Pool(space).synthetic(space.synthetic, np.random.default_rng(0))
    assert len(synthetic.dropped.times) == 0
    assert len(synthetic.equal.entry) == 0


@pytest.mark.parametrize("rows", [2, 3, 8])
def test_fewer_rows_than_neighbours_are_all_found(rows):
    random = np.random.default_rng(rows)
    space = encoded(*(pd.DataFrame(random.normal(size=(rows - 1, 2)), columns=["a", "b"]) for _ in range(3)))
    pool = Pool(space)
    synthetic = pool.synthetic(space.synthetic, np.random.default_rng(0))
    k = min(10, 2 * (rows - 1))
    assert synthetic.distances.shape == (rows - 1, k)
    assert pool.real.distances.shape[1] == min(10, 2 * (rows - 1) - 1)
    assert (synthetic.real >= 0).all()


def test_planted_rows_lie_near_the_rows_they_copy(space):
    pool = Pool(space)
    planted = plant(pool, np.random.default_rng(0))
    assert len(planted.copied) == 100  # every real row, as there are fewer than 400
    row = np.repeat(np.arange(len(pool.positions)), pool.real.occurrences)[planted.copied]
    absent = pool.places.codes[row] == space.layout.absent
    numbers = 3 - absent.sum(axis=1)
    # The sum of the squares of so many normal numbers of sd .05, over all copies: 2.4 to 2.9 times … by chi-square.
    place = (planted.found.real == row[:, np.newaxis]).argmax(axis=1)
    at = (planted.found.real == row[:, np.newaxis]).any(axis=1)
    moved = planted.found.distances[np.arange(100), place][at] / NOISE
    assert at.mean() > 0.95
    assert (moved**2).sum() / numbers[at].sum() == pytest.approx(1, abs=0.35)


def test_planted_copies_keep_categories_and_missing_values(space):
    pool = Pool(space)
    planted = plant(pool, np.random.default_rng(0))
    # All three numbers moved, so that no copy equals a real row on all columns but two, unless a number is missing.
    row = np.repeat(np.arange(len(pool.positions)), pool.real.occurrences)[planted.copied]
    missing = (pool.places.codes[row] == space.layout.absent).any(axis=1)
    assert missing.any()
    assert missing[np.unique(planted.found.equal.entry)].all()
    assert set(np.unique(planted.found.equal.columns).tolist()) == {2}


def test_planted_copies_of_categories_are_exact():
    random = np.random.default_rng(4)
    frame = pd.DataFrame({name: pd.Series(random.choice(list("abcd"), 200), dtype=object) for name in "pqrs"})
    space = encoded(frame.iloc[:80], frame.iloc[80:140], frame.iloc[140:])
    planted = plant(Pool(space), random)
    assert not planted.found.distances[:, 0].any()
    assert not planted.found.dropped.ratio[planted.found.dropped.ratio < 1].any()


@pytest.mark.parametrize(("rows", "copies"), [(3000, 400), (10_000, 600), (40_000, 1600)])
def test_enough_is_planted_in_large_tables_for_the_leaks_that_they_would_notice(rows, copies):
    random = np.random.default_rng(0)
    tables = [pd.DataFrame(random.normal(size=(number, 3)), columns=list("abc")) for number in (rows, rows, 10)]
    assert len(plant(Pool(encoded(*tables)), random).copied) == copies


def test_less_is_planted_where_fewer_synthetic_rows_look():
    random = np.random.default_rng(0)
    tables = [pd.DataFrame(random.normal(size=(rows, 3)), columns=list("abc")) for rows in (20_000, 20_000, 10_000)]
    space = encoded(*tables)
    assert len(plant(Pool(space), random).copied) == 1200
    assert len(plant(Pool(space, asking=draw_asking(space, 5000, random)), random).copied) == 600


def test_planted_copies_move_along_the_components():
    random = np.random.default_rng(5)
    space = encoded(*(mixed(60, random) for _ in range(3)), components=3)
    full = encoded(*(mixed(60, random) for _ in range(3)))
    assert space.layout.steps.shape == (6, 3)
    assert (np.abs(space.layout.steps).max(axis=1) > 0).tolist() == [False, False, False, True, True, True]
    assert (np.linalg.norm(space.layout.steps, axis=1) <= 1 + 1e-12).all()
    assert np.linalg.norm(full.layout.steps, axis=1) == pytest.approx([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("k", [1, 8, 25, 99])
def test_row_lists_hold_each_rows_closest_others_and_twins_each_for_themselves(space, k):
    pool = Pool(space, reach=99)
    lists = pool.row_lists(k)
    real = np.concatenate((space.original, space.holdout))
    distances = brute_distances(space.coordinates[real], space.coordinates[real])
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, :k]
    np.testing.assert_allclose(lists.distances, expected, rtol=1e-12)
    np.testing.assert_allclose(np.take_along_axis(distances, lists.ids, axis=1), expected, rtol=1e-12)
    assert lists.originals == 60
    assert (lists.distances[:, 0] == 0).any()  # some rows have a twin
    assert not (lists.ids == np.arange(100)[:, np.newaxis]).any()
    assert all(len(np.unique(row)) == k for row in lists.ids)


@pytest.mark.parametrize("k", [8, 99])
def test_longer_lists_are_those_of_a_longer_reach(space, k):
    rows = np.array([0, 3, 59, 60, 99])
    distances, ids = Pool(space).row_lists(5).longer(rows, k)
    np.testing.assert_array_equal(distances, Pool(space, reach=99).row_lists(k).distances[rows])
    assert all(row not in found for row, found in zip(rows, ids.tolist(), strict=True))


def test_a_longer_reach_changes_nothing_that_the_tests_see(space):
    short, long = Pool(space), Pool(space, reach=40)
    np.testing.assert_array_equal(short.real.distances, long.real.distances)
    for one, other in zip(*(pool._known.of(space.synthetic) for pool in (short, long)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert short.queries == long.queries


def pairs(in_original, in_holdout, across, single=100):
    """Rows that occur twice in the original, twice in the holdout, or once in each; the others once in either."""
    twice = in_original + in_holdout + across
    originals = [2] * in_original + [0] * in_holdout + [1] * across + [1] * single + [0] * single
    return np.array([2] * twice + [1] * 2 * single), np.array(originals)


def test_repeats_within_files_beyond_chance_are_noticed():
    # Half of the pairs are expected within one file: 17 of 17 are 8.5/sqrt(17/4) = 4.12 sd above that, 16 of 16 are 4.
    assert repeats_stay_within_files(*pairs(9, 8, 0))
    assert not repeats_stay_within_files(*pairs(8, 8, 0))
    assert not repeats_stay_within_files(*pairs(100, 100, 190))  # 200 of 390: 0.5 sd
    assert not repeats_stay_within_files(*pairs(0, 0, 50))


def test_without_a_holdout_or_repeats_nothing_stays_within_files():
    assert not repeats_stay_within_files(np.array([2, 2, 1]), np.array([2, 2, 1]))
    assert not repeats_stay_within_files(np.ones(4, dtype=int), np.array([1, 0, 1, 0]))


@pytest.mark.parametrize("doubled", ["original", "holdout"])
def test_a_file_in_which_every_row_stands_twice_is_tested_as_if_each_stood_once(doubled):
    random = np.random.default_rng(0)
    tables = {side: pd.DataFrame(random.normal(size=(60, 3))).add_prefix("n") for side in ("original", "holdout")}
    synthetic = pd.DataFrame(random.normal(size=(50, 3))).add_prefix("n")
    found = []
    for copies in (1, 2):
        files = tables | {doubled: pd.concat([tables[doubled]] * copies)}
        pool = Pool(encoded(files["original"], files["holdout"], synthetic, projection="none"))
        rows = pool.synthetic(pool.encoded.synthetic, np.random.default_rng(0))
        found.append((leak_test(pool.real, rows, np.random.default_rng(0)), pool.real.not_counted))
    assert found[0][0] == found[1][0]
    assert [left for _, left in found] == [0, 60]
