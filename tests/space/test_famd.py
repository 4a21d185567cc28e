import math

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.read.partition import ColumnSchema, Partition, Source, Table
from reportgen.settings import Settings
from reportgen.space.famd import encode
from reportgen.space.search import search

KINDS = {"n": "numeric", "c": "categorical", "d": "datetime", "b": "boolean"}
DTYPES = {"n": "float64", "c": object, "d": "datetime64[us, UTC]", "b": "boolean"}


def partition(original, synthetic, holdout=None, dtypes=None):
    """Tables from lists of values by column name, whose first letter tells the kind."""
    names = list(original)
    dtypes = DTYPES | (dtypes or {})

    def table(side, values):
        frame = pd.DataFrame({name: pd.Series(values[name], dtype=dtypes[name[0]]) for name in names})
        return Table(Source(f"{side}.csv", None), frame)

    return Partition(
        columns=tuple(ColumnSchema(name, KINDS[name[0]]) for name in names),
        original=table("original", original),
        synthetic=table("synthetic", synthetic),
        holdout=None if holdout is None else table("holdout", holdout),
    )


def encoded(original, synthetic, holdout=None, dtypes=None, **settings):
    return encode(partition(original, synthetic, holdout, dtypes), Settings(**settings))


def distances(space, queries="synthetic", base="original"):
    q, b = (space.coordinates[space.sides[side]] for side in (queries, base))
    return np.sqrt(((q[:, np.newaxis] - b) ** 2).sum(axis=2))


def census(rng, rows):
    """A table of every kind, with missing values, repeated rows and a rare level."""
    pick = rng.integers(0, rows, rows)
    table = {
        "n_income": np.where(rng.random(rows) < 0.1, np.nan, rng.lognormal(size=rows).round(1)),
        "n_age": rng.integers(18, 90, rows).astype(float),
        "c_job": rng.choice(np.array(["nurse", "cook", None, "smith"], dtype=object), rows, p=[0.5, 0.3, 0.15, 0.05]),
        "d_seen": rng.integers(0, 10**9, rows) * 10**6,
        "b_smoker": rng.choice(np.array([True, False, None], dtype=object), rows),
    }
    return {name: list(np.asarray(values)[pick]) for name, values in table.items()}


def reorder(table, rows, columns):
    return {name: [table[name][row] for row in rows] for name in columns}


def test_small_table_has_the_distances_worked_out_by_hand():
    # n: 0 0 0 0 0 and 4 4 4 4 4: mean 2, population sd 2, z = -1 and 1. c: a in 4 rows with b in 6 would be pooled,
    # so 5 each: p = 1/2, two indicators of 1/sqrt(1/2). Synthetic (0, a): 0 from the first, and from (4, b)
    # sqrt((1 - -1)^2 + 2 + 2) = sqrt(8). Synthetic (6, a): z = 2, from (0, a) 3, from (4, b) sqrt(1 + 4).
    real = {"n": [0.0] * 5 + [4.0] * 5, "c": ["a"] * 5 + ["b"] * 5}
    space = encoded(real, {"n": [0.0, 6.0], "c": ["a", "a"]})
    found = distances(space)[:, [0, 5]]
    np.testing.assert_allclose(found, [[0, math.sqrt(8)], [3, math.sqrt(5)]], rtol=1e-15)
    # One for the number, (1 - 1/2) * 2 = 1 for the category.
    assert [space.columns[name].inertia for name in ("n", "c")] == [0.5, 0.5]
    assert (space.dimensions, space.inertia, space.fitted_on) == (3, 1.0, "original")
    assert space.unique_rows == {"original": 2, "synthetic": 2}


def test_original_and_holdout_are_fitted_together_and_alike():
    one, other = {"n": [0.0, 1.0, 5.0]}, {"n": [2.0, 9.0]}
    synthetic = {"n": [3.0, 4.0]}
    space, swapped = encoded(one, synthetic, other), encoded(other, synthetic, one)
    assert space.fitted_on == "original and holdout"
    assert space.coordinates.tobytes() == swapped.coordinates.tobytes()
    # 0 1 5 2 9: mean 3.4, mean square 22.2, variance 22.2 - 11.56 = 10.64.
    assert distances(space)[1, 0] == pytest.approx(4 / math.sqrt(10.64), rel=1e-14)


def test_synthetic_rows_do_not_move_the_scale():
    real = {"n": [0.0, 1.0, 5.0]}
    near, far = encoded(real, {"n": [1.0]}), encoded(real, {"n": [1.0, 1e9]})
    assert distances(near)[0].tobytes() == distances(far)[0].tobytes()


@pytest.mark.parametrize("components", ["all", 4])
def test_order_of_rows_and_columns_changes_no_bit(components):
    rng = np.random.default_rng(0)
    sides = [census(rng, rows) for rows in (120, 90, 80)]
    names = list(sides[0])
    space = encoded(*sides, components=components)
    orders = [rng.permutation(rows) for rows in (120, 90, 80)]
    shuffled = encoded(
        *(reorder(table, order, names[::-1]) for table, order in zip(sides, orders, strict=True)),
        components=components,
    )
    assert shuffled.coordinates.tobytes() == space.coordinates.tobytes()
    for name, order in zip(("original", "synthetic", "holdout"), orders, strict=True):
        np.testing.assert_array_equal(shuffled.sides[name], space.sides[name][order])
    assert shuffled.columns == space.columns


@pytest.mark.parametrize("components", ["all", 4])
def test_row_has_the_same_distances_alone_as_among_others(components):
    rng = np.random.default_rng(1)
    original, synthetic = census(rng, 100), census(rng, 60)
    whole = encoded(original, synthetic, components=components)
    for row in range(0, 60, 7):
        alone = encoded(original, reorder(synthetic, [row], list(synthetic)), components=components)
        point, among = alone.coordinates[alone.synthetic[0]], whole.coordinates[whole.synthetic[row]]
        assert point.tobytes() == among.tobytes()


def test_identical_rows_are_at_distance_zero_exactly():
    rng = np.random.default_rng(2)
    original = census(rng, 100)
    space = encoded(original, original, census(rng, 50), components=3)
    np.testing.assert_array_equal(space.original, space.synthetic)
    found = search(space.coordinates, space.synthetic, space.original)
    assert not found.first.any()


def test_rows_that_differ_in_one_category_are_equally_far_wherever_they_are():
    rng = np.random.default_rng(3)
    numbers = list(rng.normal(loc=1e6, size=30))
    real = {"n": numbers + numbers, "n2": numbers[::-1] * 2, "c": ["a"] * 30 + ["b"] * 30}
    space = encoded(real, real)
    found = search(space.coordinates, space.original[:30], space.original[30:])
    assert len(set(found.first[found.first_id == np.arange(30)])) == 1


def test_constant_offset_changes_no_distance():
    values = [0.0, 3.0, 5.0, 12.0]
    plain = encoded({"n": values}, {"n": [4.0]})
    moved = encoded({"n": [value + 1e9 for value in values]}, {"n": [4.0 + 1e9]})
    assert distances(moved).tobytes() == distances(plain).tobytes()


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_unit_of_a_column_changes_no_distance(scale):
    values = np.array([0.0, 3.0, 5.0, 12.0])
    plain, scaled = encoded({"n": values}, {"n": [4.0]}), encoded({"n": values * scale}, {"n": [4.0 * scale]})
    np.testing.assert_allclose(distances(scaled), distances(plain), rtol=1e-14)


def test_integers_beyond_two_to_the_53_are_told_apart():
    # Apart by 1, 2 and 3: mean 1.5, variance (2.25 + .25) * 2 / 4 = 1.25.
    values = [2**62 + step for step in range(4)]
    for dtype in ("Int64", object):
        space = encoded({"n": values}, {"n": [2**62 + 2]}, dtypes={"n": dtype})
        np.testing.assert_allclose(distances(space)[0], np.array([2, 1, 0, 1]) / math.sqrt(1.25), rtol=1e-15)


def test_fractions_beside_large_integers_are_subtracted_exactly():
    values = [10**18, 10**18 + 1, 10**18 + 2, 0.5]
    space = encoded({"n": values}, {"n": values}, dtypes={"n": object})
    assert space.unique_rows["original"] == 4
    found = distances(space)
    assert found[0, 1] * 2 == found[0, 2] > 0


@pytest.mark.parametrize("dtype", ["float64", "Int64", object])
def test_same_numbers_are_the_same_whatever_holds_them(dtype):
    values, synthetic = [3, 70, -4, 11, 11], [5, 9]
    space = encoded({"n": values}, {"n": synthetic}, dtypes={"n": dtype})
    floats = encoded({"n": values}, {"n": synthetic})
    assert space.coordinates.tobytes() == floats.coordinates.tobytes()


def test_extreme_integers_do_not_overflow():
    space = encoded({"n": [-(2**63), 2**63 - 1]}, {"n": [0]}, dtypes={"n": "Int64"})
    np.testing.assert_allclose(distances(space), [[1, 1]], rtol=1e-15)


def test_missing_number_takes_the_median_and_an_indicator():
    # 0 2 4 10 and one missing: median 3, filled 0 2 4 10 3: mean 3.8, mean square 25.8, variance 11.36. Missing in
    # 1 of 5: the indicator is worth 1 / sqrt(.2 * .8) = 2.5. A 3 that is there differs by the indicator alone.
    space = encoded({"n": [0.0, 2.0, 4.0, 10.0, np.nan]}, {"n": [3.0, np.nan]})
    found = distances(space)
    assert found[0, 4] == 2.5
    assert found[1, 4] == 0
    assert found[1, 1] == pytest.approx(math.hypot(1 / math.sqrt(11.36), 2.5), rel=1e-14)
    assert space.columns["n"].missing_only_in_synthetic == 0


def test_number_missing_only_in_synthetic_rows_weighs_one_and_is_counted():
    space = encoded({"n": [0.0, 2.0, 4.0]}, {"n": [2.0, np.nan, np.nan]})
    assert distances(space)[:, 1].tolist() == [0, 1, 1]
    assert space.columns["n"].missing_only_in_synthetic == 2
    assert space.columns["n"].inertia == 1.0


def test_column_missing_in_all_real_rows_compares_presence_alone():
    real = {"n": [np.nan] * 3, "n2": [0.0, 1.0, 2.0]}
    space = encoded(real, {"n": [7.0, np.nan], "n2": [1.0, 1.0]})
    assert distances(space)[:, 1].tolist() == [1, 0]
    assert space.columns["n"].inertia == 0


def test_missing_category_is_a_level_of_its_own():
    # a, b, missing at 5 of 15 each: p = 1/3, so two different levels are sqrt(3 + 3) apart.
    space = encoded({"c": ["a"] * 5 + ["b"] * 5 + [None] * 5}, {"c": [None, "a"]})
    np.testing.assert_allclose(distances(space)[:, [0, 14]], [[math.sqrt(6), 0], [0, math.sqrt(6)]], rtol=1e-15)


def test_level_unseen_in_real_rows_is_the_zero_indicator_and_counted():
    # a and b at 5 of 10: the zero indicator is sqrt(2) from both, whatever the level's name.
    space = encoded({"c": ["a"] * 5 + ["b"] * 5}, {"c": ["x", "y", "a", None]})
    found = distances(space)
    np.testing.assert_allclose(found[[0, 1, 3]], math.sqrt(2), rtol=1e-15)
    assert space.columns["c"].unseen_rows == 2
    assert space.columns["c"].missing_only_in_synthetic == 1
    assert space.unique_rows["synthetic"] == 2


def test_levels_with_fewer_than_five_real_rows_are_one_level():
    original = {"c": ["a"] * 5 + ["b"] * 4 + ["c"]}
    space = encoded(original, {"c": ["b", "c"]})
    assert space.columns["c"].pooled_levels == 2
    assert space.unique_rows == {"original": 2, "synthetic": 1}
    # a and the pooled level at 5 of 10 each.
    np.testing.assert_allclose(distances(space)[0, 0], 2, rtol=1e-15)


def test_rows_of_the_holdout_count_towards_the_five():
    space = encoded({"c": ["a"] * 5 + ["b"] * 4}, {"c": ["a"]}, {"c": ["a"] * 5 + ["b"]})
    assert space.columns["c"].pooled_levels == 0


def test_real_level_named_rare_stays_apart_from_the_pooled_ones():
    original = {"c": ["(rare)"] * 5 + ["a", "b"] + ["z"] * 5}
    space = encoded(original, original)
    assert space.columns["c"].pooled_levels == 2
    assert space.unique_rows["original"] == 3


def test_fifty_most_frequent_levels_are_kept_and_ties_go_by_name():
    # 60 levels of five rows and one of six, the last by name: it is kept with the first 49 of the others.
    levels = [f"level {number:02}" for number in range(60) for _ in range(5)] + ["zulu"] * 6
    space = encoded({"c": levels}, {"c": ["level 48", "level 49", "level 59", "zulu"]})
    assert space.columns["c"].pooled_levels == 11
    assert space.dimensions == 51
    assert space.synthetic[1] == space.synthetic[2]
    assert len(set(space.synthetic.tolist())) == 3


def test_boolean_is_a_category():
    space = encoded({"b": [True] * 5 + [False] * 5}, {"b": [True, False]})
    np.testing.assert_allclose(distances(space)[:, [0, 9]], [[0, 2], [2, 0]], rtol=1e-15)


def test_time_is_a_number():
    # A day, two and four after 1970: mean 7/3, variance 21/3 - 49/9 = 14/9 days.
    days = pd.to_datetime(["1970-01-02", "1970-01-03", "1970-01-05"], utc=True).as_unit("us")
    space = encoded({"d": days}, {"d": [days[0], pd.NaT]})
    np.testing.assert_allclose(distances(space)[0], np.array([0, 1, 3]) / math.sqrt(14 / 9), rtol=1e-14, atol=1e-15)
    assert space.columns["d"].missing_only_in_synthetic == 1


def test_inertia_counts_levels_and_missing_indicators():
    # n: number and indicator, 2; c: three levels, 3 - 1 = 2; n2: 1.
    real = {"n": [np.nan] + [float(i) for i in range(14)], "c": ["a", "b", "c"] * 5, "n2": list(range(15))}
    space = encoded(real, real)
    assert [space.columns[name].inertia for name in real] == pytest.approx([0.4, 0.4, 0.2], rel=1e-14)


def test_all_components_keep_the_distances():
    rng = np.random.default_rng(4)
    original, synthetic = census(rng, 100), census(rng, 60)
    whole = encoded(original, synthetic)
    with pytest.raises(InputError, match="give at most") as caught:
        encoded(original, synthetic, components=1000)
    most = int(str(caught.value).rsplit(" ", 1)[1])
    rotated = encoded(original, synthetic, components=most)
    assert rotated.inertia == pytest.approx(1)
    assert rotated.dimensions == most < whole.dimensions
    np.testing.assert_allclose(distances(rotated, "original"), distances(whole, "original"), rtol=1e-9, atol=1e-12)


def test_leading_components_are_those_of_a_singular_value_decomposition():
    rng = np.random.default_rng(5)
    original = {name: list(rng.normal(size=50)) for name in ("n1", "n2", "n3", "n4")}
    original["n2"] = [a + 0.3 * b for a, b in zip(original["n1"], original["n2"], strict=True)]
    space = encoded(original, {name: values[:5] for name, values in original.items()}, components=2)
    z = np.array([original[name] for name in original])
    z = (z - z.mean(axis=1, keepdims=True)) / z.std(axis=1, keepdims=True)
    scores, values, _ = np.linalg.svd(z.T, full_matrices=False)
    assert space.inertia == pytest.approx((values[:2] ** 2).sum() / (values**2).sum(), rel=1e-12)
    expected = scores[:, :2] * values[:2]
    np.testing.assert_allclose(np.abs(space.coordinates[space.original]), np.abs(expected), rtol=1e-9, atol=1e-12)


def test_projection_none_takes_the_columns_as_they_are():
    original, synthetic = {"n2": [0.1, 7.0], "n1": [3.0, 1e6]}, {"n2": [0.1], "n1": [-2.0]}
    space = encoded(original, synthetic, projection="none")
    assert space.coordinates[space.original].tolist() == [[3.0, 0.1], [1e6, 7.0]]
    assert (space.dimensions, space.fitted_on) == (2, None)


def test_projection_none_tells_large_integers_apart():
    values = [2**60, 2**60 + 1, 2**60 + 2]
    space = encoded({"n": values}, {"n": values[:1]}, dtypes={"n": "Int64"}, projection="none")
    assert distances(space).tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("real", "synthetic", "settings", "words"),
    [
        ({"c": ["a"]}, {"c": ["a"]}, {"projection": "none"}, "column 'c': is categorical"),
        ({"n": [1.0]}, {"n": [np.nan]}, {"projection": "none"}, "column 'n': has missing values"),
        ({"n": [1.0, 2.0]}, {"n": [np.inf]}, {}, "column 'n': holds infinite"),
        ({"n": [1.0, 2.0]}, {"n": [np.inf]}, {"projection": "none"}, "column 'n': holds infinite"),
        ({"n": [0.0, 1e-300]}, {"n": [1e300]}, {}, "column 'n': holds numbers too far apart"),
        ({"n": [1.0, 2.0]}, {"n": [1.0]}, {"projection": "none", "components": 1}, "'components'"),
        ({"n": [1.0, 2.0]}, {"n": [1.0]}, {"components": 2}, "give at most 1$"),
        ({"n": []}, {"n": [1.0]}, {}, "original.csv: has no rows"),
    ],
)
def test_what_cannot_be_encoded_is_refused_in_one_line(real, synthetic, settings, words):
    with pytest.raises(InputError, match=words) as caught:
        encoded(real, synthetic, **settings)
    assert "\n" not in str(caught.value)


def test_nothing_can_be_written_into_the_coordinates():
    space = encoded({"n": [1.0, 2.0]}, {"n": [1.0]})
    assert space.coordinates.flags.c_contiguous
    for array in (space.coordinates, space.original, space.synthetic):
        assert not array.flags.writeable


def test_without_a_used_column_there_are_no_dimensions():
    partition = Partition((), *(Table(Source(name, None), pd.DataFrame(index=range(3))) for name in "ts"), None)
    encoded = encode(partition, Settings())
    assert encoded.dimensions == 0
    assert encoded.coordinates.shape == (1, 0)
    assert encoded.original.tolist() == [0, 0, 0]
