import subprocess
import sys

import faiss
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

import reportgen
from reportgen.errors import InputError
from reportgen.space import exact, shards
from reportgen.space.members import members
from reportgen.space.search import nearest, nearest_two, search


def brute(queries, base, k=2, exclude_self=False):
    """Plain float64 direct differences, squares added column by column, ties to the smaller id."""
    squared = np.zeros((len(queries), len(base)))
    for column in range(queries.shape[1]):
        squared += (queries[:, column, np.newaxis] - base[:, column]) ** 2
    distances = np.sqrt(squared)
    if exclude_self:
        np.fill_diagonal(distances, np.inf)
    ids = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, ids, axis=1), ids


def assert_exact(found, queries, base, exclude_self=False):
    distances, ids = brute(queries, base, exclude_self=exclude_self)
    np.testing.assert_array_equal(np.column_stack([found.first_id, found.second_id]), ids)
    np.testing.assert_allclose(np.column_stack([found.first, found.second]), distances, rtol=1e-12, atol=0)


def same_bytes(one, other):
    return all(
        getattr(one, name).tobytes() == getattr(other, name).tobytes()
        for name in ("first", "second", "first_id", "second_id")
    )


def _random(rng, width):
    return rng.normal(size=(300, width)), rng.normal(size=(400, width))


def _copies(rng, width):
    base = rng.normal(size=(400, width))
    return np.concatenate([base[:150], rng.normal(size=(50, width))]), base


def _copies_twice(rng, width):
    base = rng.normal(size=(200, width))
    return base[:150], np.concatenate([base, base[::-1]])


def _near_copies(rng, width):
    base = rng.normal(size=(400, width))
    return base[:200] + 1e-7 * rng.normal(size=(200, width)), base


def _offset(rng, width):
    return rng.normal(size=(300, width)) + 1e4, rng.normal(size=(400, width)) + 1e4


def _near_duplicates(rng, width):
    centres = rng.normal(size=(6, width))
    base = np.repeat(centres, 100, axis=0) + 1e-6 * rng.normal(size=(600, width))
    return centres[rng.integers(0, 6, 200)] + 1e-6 * rng.normal(size=(200, width)), base


def _grid(rng, width):
    return rng.integers(0, 3, (300, width)).astype(float), rng.integers(0, 3, (500, width)).astype(float)


def _million_fold(rng, width):
    scales = np.where(np.arange(width) % 2, 1e6, 1.0)
    return rng.normal(size=(300, width)) * scales, rng.normal(size=(400, width)) * scales


def _far_query(rng, width):
    queries, base = _random(rng, width)
    queries[0] *= 1e30
    return queries, base


def _far_base_row(rng, width):
    queries, base = _random(rng, width)
    base[7] *= 1e30
    return queries, base


CASES = {
    case.__name__.strip("_"): case
    for case in (
        _random,
        _copies,
        _copies_twice,
        _near_copies,
        _offset,
        _near_duplicates,
        _grid,
        _million_fold,
        _far_query,
        _far_base_row,
    )
}


@pytest.fixture
def small_shards(monkeypatch):
    """Search every base in shards of few rows; return a list that says whether it was done."""
    done, within = [], shards.within
    monkeypatch.setattr(exact, "_LARGE", 0)
    monkeypatch.setattr(exact, "_DENSE", 0)
    monkeypatch.setattr(exact, "_DENSE_OF_LARGE", 0)
    monkeypatch.setattr(shards, "_ROWS", 20)
    monkeypatch.setattr(shards, "_FEWEST_ROWS", 20)
    monkeypatch.setattr(shards, "within", lambda *given: done.append(True) or within(*given))
    return done


@pytest.mark.parametrize("width", [1, 2, 5, 20, 100])
@pytest.mark.parametrize("case", CASES)
def test_neighbours_are_those_of_float64_brute_force(case, width):
    queries, base = CASES[case](np.random.default_rng(width), width)
    assert_exact(nearest_two(queries, base), queries, base)


@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("width", [1, 2, 5, 20])
@pytest.mark.parametrize("case", CASES)
def test_neighbours_proposed_by_a_tree_are_those_of_brute_force(case, width, exclude_self, monkeypatch):
    monkeypatch.setattr(exact, "_FEWEST_FOR_A_TREE", 2)
    monkeypatch.setattr(exact, "_DENSE", 20)
    queries, base = CASES[case](np.random.default_rng(width), width)
    queries = base if exclude_self else queries
    assert_exact(nearest_two(queries, base, exclude_self), queries, base, exclude_self)


@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("width", [1, 5, 20])
@pytest.mark.parametrize("case", CASES)
def test_neighbours_found_shard_by_shard_are_those_of_brute_force(case, width, exclude_self, small_shards):
    queries, base = CASES[case](np.random.default_rng(width), width)
    queries = base if exclude_self else queries
    assert_exact(nearest_two(queries, base, exclude_self), queries, base, exclude_self)
    assert small_shards


@pytest.mark.parametrize("k", [1, 3, 10, 20])
def test_any_number_of_neighbours_is_found_shard_by_shard(k, small_shards):
    queries, base = _grid(np.random.default_rng(k), 4)  # nearly every distance is tied
    distances, ids = nearest(np.concatenate([queries, base]), np.arange(300), np.arange(300, 800), k)
    expected = brute(queries, base, k)
    np.testing.assert_array_equal(ids, expected[1])
    np.testing.assert_allclose(distances, expected[0], rtol=1e-12)
    assert small_shards


def test_shards_prove_nearly_every_row_and_give_the_same_bytes_in_blocks_and_threads(monkeypatch):
    rng = np.random.default_rng(3)
    queries, base = rng.normal(size=(6000, 12)), rng.normal(size=(21_000, 12))
    flat = exact.k_nearest(queries[:500], base, 3)
    alone, waiting = exact.k_nearest(queries, base, 3), []
    monkeypatch.setattr(exact, "_nearest_candidates", lambda *given, **_: waiting.append(given))
    monkeypatch.setattr(exact, "_QUERIES", 700)
    for threads in (1, 2, 4):
        found = exact.k_nearest(queries, base, 3, threads)
        assert [part.tobytes() for part in found] == [part.tobytes() for part in alone]
    assert not waiting
    monkeypatch.undo()
    monkeypatch.setattr(exact, "_LARGE", 10**9)
    assert [part.tobytes() for part in exact.k_nearest(queries[:500], base, 3)] == [part.tobytes() for part in flat]


def test_faiss_is_left_as_it_was():
    before = faiss.cvar.distance_compute_blas_threshold, faiss.cvar.distance_compute_blas_query_bs
    nearest_two(np.eye(30), np.eye(30))
    assert (faiss.cvar.distance_compute_blas_threshold, faiss.cvar.distance_compute_blas_query_bs) == before


def test_no_matrix_of_all_pairs_is_ever_held():
    """Of 32,500 rows x 19 columns, 4,000 queried: a matrix of their distances would take 1 GB."""
    code = (
        "import numpy, reportgen\n"
        "one, other = (numpy.random.default_rng(s).normal(size=(32_500, 19)) for s in (1, 2))\n"
        "reportgen.nearest_two(one[:4000], other)\n"
        "status = open('/proc/self/status').read()\n"  # the peak that getrusage tells is that of the parent as well
        "print(status.partition('VmHWM:')[2].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 600_000  # kB


@pytest.mark.parametrize("columns", [1, 5])
def test_rows_too_dense_for_float32_are_not_compared_with_all_others(columns, monkeypatch):
    """30,000 numbers, alone and beside a rare category: float32 tells none of them from its neighbours."""

    def compare_all(*_):
        pytest.fail("every row was compared with all others")

    monkeypatch.setattr(exact, "_nearest_of_all", compare_all)
    rng = np.random.default_rng(7)
    base = np.zeros((30_000, columns))
    base[:, 0] = np.sort(rng.uniform(0, 1, 30_000))
    base[::1000, 1:] = 30.0
    queries = base[rng.permutation(30_000)[:500]] + 1e-9
    found, ids = nearest(np.concatenate([queries, base]), np.arange(500), np.arange(500, 30_500), 2)
    distances, expected = brute(queries, base)
    np.testing.assert_array_equal(ids, expected)
    np.testing.assert_allclose(found, distances, rtol=1e-12)


@pytest.mark.parametrize("width", [1, 2, 5, 20, 100])
@pytest.mark.parametrize("case", CASES)
def test_neighbours_without_the_row_itself_are_those_of_brute_force(case, width):
    _, base = CASES[case](np.random.default_rng(width), width)
    assert_exact(nearest_two(base, base, exclude_self=True), base, base, exclude_self=True)


@pytest.mark.parametrize("scale", [2.0**100, 2.0**-100, 2.0**900, 2.0**-900])
def test_scale_of_the_coordinates_changes_nothing_but_the_scale(scale):
    queries, base = _random(np.random.default_rng(3), 5)
    plain, scaled = nearest_two(queries, base), nearest_two(queries * scale, base * scale)
    np.testing.assert_array_equal(scaled.first_id, plain.first_id)
    np.testing.assert_array_equal(scaled.second_id, plain.second_id)
    np.testing.assert_allclose(scaled.second / scale, plain.second, rtol=1e-15)


def test_float32_gets_neighbours_wrong_where_ours_are_right():
    queries, base = _offset(np.random.default_rng(0), 20)
    queries = np.repeat(queries, 30, axis=0)  # from 128,000 numbers on FAISS multiplies instead of subtracting
    index = faiss.IndexFlatL2(20)
    index.add(base.astype(np.float32))
    _, plain = index.search(queries.astype(np.float32), 2)
    _, truth = brute(queries, base)
    assert (plain[:, 0] != truth[:, 0]).mean() > 0.5
    assert_exact(nearest_two(queries, base), queries, base)


def test_cluster_larger_than_any_number_of_candidates_is_searched_in_full():
    rng = np.random.default_rng(5)
    base = np.ones(20) + 1e-7 * rng.normal(size=(3000, 20))
    queries = np.ones(20) + 1e-7 * rng.normal(size=(100, 20))
    base = np.concatenate([base, 50 * rng.normal(size=(500, 20))])
    assert_exact(nearest_two(queries, base), queries, base)


def test_tie_beyond_the_candidates_goes_to_the_smallest_id():
    # 200 unit vectors and their negatives, all at distance 1 from the origin: ids 0 and 1 win.
    base = np.concatenate([np.eye(200), -np.eye(200)])
    found = nearest_two(np.zeros((1, 200)), base)
    assert (found.first_id[0], found.second_id[0]) == (0, 1)
    assert (found.first[0], found.second[0]) == (1.0, 1.0)


def test_tie_between_a_repeated_row_and_another_goes_by_row_id():
    # Rows 0 and 2 are at 1 on the one side, row 1 at 1 on the other.
    found = nearest_two([[0.0]], [[1.0], [-1.0], [1.0]])
    assert (found.first_id[0], found.second_id[0]) == (0, 1)


def test_identical_base_row_is_a_neighbour_of_its_own():
    found = nearest_two([[1.0]], [[5.0], [1.0], [1.0]])
    assert (found.first[0], found.second[0]) == (0.0, 0.0)
    assert (found.first_id[0], found.second_id[0]) == (1, 2)


def test_row_leaves_out_itself_but_not_its_twin():
    rows = [[1.0], [1.0], [4.0]]
    found = nearest_two(rows, rows, exclude_self=True)
    assert found.first.tolist() == [0.0, 0.0, 3.0]
    assert found.first_id.tolist() == [1, 0, 0]
    assert found.second.tolist() == [3.0, 3.0, 3.0]
    assert found.second_id.tolist() == [2, 2, 1]


def test_all_rows_identical_are_at_distance_zero():
    rows = np.full((50, 3), 1e4 + 0.1)
    found = nearest_two(rows, rows, exclude_self=True)
    assert not found.first.any()
    assert not found.second.any()
    assert found.first_id.tolist() == [1] + [0] * 49
    assert found.second_id.tolist() == [2, 2] + [1] * 48


def test_single_base_row_leaves_the_second_neighbour_infinite():
    found = nearest_two([[0.0], [3.0]], [[1.0]])
    assert found.first.tolist() == [1.0, 2.0]
    assert np.isinf(found.second).all()
    assert found.second_id.tolist() == [-1, -1]
    assert found.ratio.tolist() == [0.0, 0.0]


def test_two_base_rows_without_oneself_leave_one():
    found = nearest_two([[0.0], [3.0]], [[0.0], [3.0]], exclude_self=True)
    assert found.first.tolist() == [3.0, 3.0]
    assert found.first_id.tolist() == [1, 0]
    assert found.second_id.tolist() == [-1, -1]


def test_zero_and_negative_zero_are_the_same_place():
    found = nearest_two([[-0.0]], [[0.0], [-0.0]])
    assert (found.first[0], found.second[0]) == (0.0, 0.0)


@pytest.mark.parametrize("case", ["near_duplicates", "grid", "offset", "random"])
def test_threads_change_no_byte(case):
    queries, base = CASES[case](np.random.default_rng(1), 20)
    rows = np.concatenate([queries, base])
    positions = np.arange(len(rows))
    q, b = positions[: len(queries)], positions[len(queries) :]
    assert same_bytes(search(rows, q, b, threads=1), search(rows, q, b, threads=2))


@pytest.mark.parametrize("case", ["near_duplicates", "grid", "offset", "random"])
def test_batch_and_order_of_the_queries_change_no_byte(case):
    rng = np.random.default_rng(2)
    queries, base = CASES[case](rng, 5)
    whole = nearest_two(queries, base)
    order = rng.permutation(len(queries))
    shuffled = nearest_two(queries[order], base)
    for name in ("first", "second", "first_id", "second_id"):
        assert getattr(shuffled, name).tobytes() == getattr(whole, name)[order].tobytes()
    for row in range(0, len(queries), 10):
        alone = nearest_two(queries[row : row + 1], base)
        assert (alone.first[0], alone.second[0]) == (whole.first[row], whole.second[row])
        assert (alone.first_id[0], alone.second_id[0]) == (whole.first_id[row], whole.second_id[row])


@pytest.mark.parametrize("k", [1, 3, 10, 40])
@pytest.mark.parametrize("case", ["random", "copies_twice", "grid", "near_duplicates"])
@pytest.mark.parametrize("exclude_self", [False, True])
def test_more_neighbours_are_those_of_brute_force(k, case, exclude_self):
    queries, base = CASES[case](np.random.default_rng(4), 5)
    queries = base if exclude_self else queries
    rows, groups = np.unique(np.concatenate([queries, base]), axis=0, return_inverse=True)
    q, b = groups[: len(queries)], groups[len(queries) :]
    found, found_ids = nearest(rows, q, b, k, exclude_self=exclude_self)
    distances, ids = brute(queries, base, k, exclude_self=exclude_self)
    np.testing.assert_array_equal(found_ids, ids)
    np.testing.assert_allclose(found, distances, rtol=1e-12, atol=0)


def test_fewer_base_rows_than_neighbours_are_filled_up():
    found, ids = nearest(np.array([[0.0], [1.0], [5.0]]), np.array([0]), np.array([1, 2]), 4)
    assert found.tolist() == [[1.0, 5.0, np.inf, np.inf]]
    assert ids.tolist() == [[0, 1, -1, -1]]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_small_integer_tables_agree_with_brute_force(data):
    width = data.draw(st.integers(1, 3))
    cell = st.integers(-2, 2).map(float)
    table = st.lists(st.lists(cell, min_size=width, max_size=width), min_size=3, max_size=30)
    base = np.array(data.draw(table))
    exclude_self = data.draw(st.booleans())
    queries = base if exclude_self else np.array(data.draw(table))
    assert_exact(nearest_two(queries, base, exclude_self), queries, base, exclude_self)


def test_threads_of_faiss_and_blas_stay_as_they_were():
    def threads():
        return faiss.omp_get_max_threads(), [pool["num_threads"] for pool in threadpool_info()]

    before = threads()
    queries, base = _random(np.random.default_rng(0), 100)
    nearest_two(queries, base)
    assert threads() == before


def test_frames_are_accepted_and_the_answer_is_read_only():
    found = reportgen.nearest_two(pd.DataFrame({"a": [0, 4]}), pd.DataFrame({"a": [1, 2]}))
    assert found.first.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        found.first[0] = 9.0


def test_no_queries_give_no_answers():
    assert len(nearest_two(np.zeros((0, 2)), np.zeros((3, 2))).first) == 0


@pytest.mark.parametrize(
    ("queries", "base", "exclude_self", "words"),
    [
        ([[np.nan]], [[1.0]], False, "queries: holds missing"),
        ([[1.0]], [[np.inf]], False, "base: holds missing or infinite"),
        ([[1.0, 2.0]], [[1.0]], False, "2 columns and base has 1"),
        ([1.0], [[1.0]], False, "two dimensions"),
        (np.zeros((2, 0)), np.zeros((2, 0)), False, "at least one column"),
        ([["a"]], [[1.0]], False, "numbers alone"),
        (pd.DataFrame({"a": [1, None]}, dtype="Int64"), [[1.0]], False, "queries: "),
        ([[1.0]], np.zeros((0, 1)), False, "no base row"),
        ([[1.0]], [[1.0]], True, "no base row"),
        ([[1.0]], [[1.0], [2.0]], True, "number of rows"),
        ([[1e305]], [[1.0]], False, "beyond 1e300"),
    ],
)
def test_unfit_input_is_refused_in_one_line(queries, base, exclude_self, words):
    with pytest.raises(InputError, match=words) as caught:
        nearest_two(queries, base, exclude_self=exclude_self)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("groups", [[7], [2, 5, 9], [9, 2, 5], [3, 3, 1, 3, 0, 1, 3], [4, 4, 4, 4]])
@pytest.mark.parametrize("most", [1, 2, 6])
def test_the_rows_of_a_group_are_its_first_ones(groups, most):
    places = {group: [row for row, one in enumerate(groups) if one == group] for group in dict.fromkeys(groups)}
    width = min(most, max(map(len, places.values())))
    expected = [(rows + [-1] * width)[:width] for rows in places.values()]
    different, rows_of = members(np.array(groups), most)
    np.testing.assert_array_equal(different, list(places))
    every = np.arange(len(different))
    assert rows_of.width == width
    np.testing.assert_array_equal(rows_of[every], expected)
    np.testing.assert_array_equal(rows_of[every[:, np.newaxis]], np.array(expected)[:, np.newaxis])
    np.testing.assert_array_equal(rows_of.first, [rows[0] for rows in places.values()])
    np.testing.assert_array_equal(rows_of.some(every[::-1])[every], expected[::-1])
    np.testing.assert_array_equal(rows_of.and_none()[np.append(every, len(every))], [*expected, [-1] * width])
