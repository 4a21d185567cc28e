"""Tables with categories are searched cell by cell; every answer is that of brute force, bit for bit."""

import numpy as np
import pytest

from reportgen.space import cells, exact
from reportgen.space.centred import space_of
from reportgen.space.exact import all_distances, k_nearest


def _table(random, rows, levels, numbers, decimals=1):
    """Categories as indicators of different weight, and rounded numbers, so that many distances are tied."""
    parts = [np.round(random.normal(size=(rows, numbers)), decimals)]
    for number in levels:
        level = np.minimum(random.geometric(0.4, rows) - 1, number - 1)
        weights = 1 + np.arange(number) ** 1.5
        parts.append((level[:, np.newaxis] == np.arange(number)) * weights - 0.3)
    return np.concatenate(parts, axis=1)


def _brute(queries, base, k):
    """By (distance, id), from all distances in float64."""
    distances = all_distances(queries, base)
    ids = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, ids, axis=1), ids


@pytest.fixture
def by_cells(monkeypatch):
    """Go by cells wherever there are any, and count how often that was done."""
    used = []
    monkeypatch.setattr(exact, "_FEWEST_FOR_CELLS", 0)
    monkeypatch.setattr(cells, "worth_it", lambda *_: True)
    within = cells.within
    monkeypatch.setattr(cells, "within", lambda *given: used.append(given[2]) or within(*given))
    return used


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("k", [1, 2, 11, 60])
@pytest.mark.parametrize(
    ("levels", "numbers"), [((3, 4, 2), 3), ((12, 9, 8, 7), 2), ((2,), 8), ((30,), 0), ((2, 2), 1)]
)
def test_neighbours_found_cell_by_cell_are_those_of_brute_force(by_cells, levels, numbers, k, threads):
    random = np.random.default_rng(k)
    base, queries = _table(random, 700, levels, numbers), _table(random, 300, levels, numbers)
    queries[::3] = base[random.integers(0, len(base), 100)]
    queries[1::30] += 40.0 * random.normal(size=queries.shape[1]) * (np.arange(queries.shape[1]) < numbers)
    found = k_nearest(queries, base, k, threads)
    expected = _brute(queries, base, k)
    assert by_cells
    np.testing.assert_array_equal(found[1], expected[1])
    assert found[0].tobytes() == expected[0].tobytes()


@pytest.mark.parametrize("shift", [0.0, 1e4, 1e9])
def test_an_offset_changes_no_neighbour(by_cells, shift):
    random = np.random.default_rng(1)
    base, queries = _table(random, 500, (4, 3), 3, 6), _table(random, 200, (4, 3), 3, 6)
    base[:, :3] += shift
    queries[:, :3] += shift
    found, expected = k_nearest(queries, base, 5), _brute(queries, base, 5)
    assert by_cells
    np.testing.assert_array_equal(found[1], expected[1])
    assert found[0].tobytes() == expected[0].tobytes()


def test_near_copies_in_one_cell_are_told_apart(by_cells):
    random = np.random.default_rng(2)
    base = _table(random, 600, (5, 4, 3), 4, 6)
    queries = base[random.integers(0, 600, 200)]
    queries[:, :4] += 1e-9 * random.normal(size=(200, 4))
    found, expected = k_nearest(queries, base, 3), _brute(queries, base, 3)
    np.testing.assert_array_equal(found[1], expected[1])
    assert found[0].tobytes() == expected[0].tobytes()


def test_a_query_too_far_out_for_sums_is_answered_otherwise(by_cells):
    random = np.random.default_rng(3)
    base, queries = _table(random, 600, (5, 4), 3), _table(random, 100, (5, 4), 3)
    queries[7, 0] = 1e100
    found, expected = k_nearest(queries, base, 2), _brute(queries, base, 2)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])


def test_levels_that_only_queries_or_few_rows_have_are_seen(by_cells):
    random = np.random.default_rng(4)
    base, queries = _table(random, 3000, (5, 4), 3), _table(random, 3000, (5, 4), 3)
    base[:, 6] = -0.3  # a level that no base row has
    base[2999, 5] = 7.5  # a third value that one row of many has: no category
    found, expected = k_nearest(queries, base, 2), _brute(queries, base, 2)
    categories, _ = cells.two_valued(queries, base)
    assert not categories[5]
    assert categories[6]
    np.testing.assert_array_equal(found[1], expected[1])
    assert found[0].tobytes() == expected[0].tobytes()


def test_cells_are_made_where_they_leave_few_rows_to_compare():
    random = np.random.default_rng(5)
    mixed = _table(random, 8000, (6, 6, 5), 2, 6)
    plain = random.normal(size=(8000, 12))
    one_switch = np.concatenate((plain, random.integers(0, 2, (8000, 2)) * 0.01), axis=1)
    assert exact._by_cells(space_of(mixed, mixed), 2) is not None
    assert exact._by_cells(space_of(plain, plain), 2) is None
    assert exact._by_cells(space_of(one_switch, one_switch), 2) is None
    made = exact._by_cells(space_of(mixed, mixed), 2)
    looked_at = len(cells.within(made, np.arange(8000), 2)[0])
    assert looked_at < 8000 * 4
