"""A base that is read block by block: the same bytes as in memory, whatever the blocks, and a bounded memory."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import reportgen
from reportgen.errors import InputError
from reportgen.read.stream import number_stream
from reportgen.space import equal_rows, streamed
from reportgen.space.exact import k_nearest_here
from reportgen.space.search import nearest_two
from reportgen.space.streamed import count_identical


def _random(random):
    return random.normal(size=(300, 8)), random.normal(size=(900, 8))


def _copies(random):
    base = random.normal(size=(600, 8))
    base = np.concatenate([base, base[::-1], base[:50]])
    return np.concatenate([base[::3], random.normal(size=(50, 8))]), base


def _near_duplicates(random):
    centres = random.normal(size=(6, 8))
    base = np.repeat(centres, 150, axis=0) + 1e-7 * random.normal(size=(900, 8))
    return base[::5] + 1e-9 * random.normal(size=(180, 8)), base


def _offset(random):
    return random.normal(size=(300, 8)) + 1e6, random.normal(size=(900, 8)) + 1e6


def _categories(random):
    return random.integers(0, 2, (400, 8)).astype(float), random.integers(0, 2, (900, 8)).astype(float)


def _sorted(random):
    queries, base = _random(random)
    return queries, base[np.argsort(base[:, 0])]


def _all_the_same(_random):
    return np.ones((5, 8)), np.ones((900, 8))


CASES = {
    case.__name__.strip("_"): case
    for case in (_random, _copies, _near_duplicates, _offset, _categories, _sorted, _all_the_same)
}


def written(folder, base, *, parts=3, group=77):
    """Write rows as a folder of parts with small row groups."""
    folder.mkdir(exist_ok=True)
    for number, part in enumerate(np.array_split(base, parts)):
        frame = pd.DataFrame(part, columns=[f"c{place}" for place in range(base.shape[1])])
        frame.to_parquet(folder / f"part-{number}.parquet", row_group_size=group)
    return folder


def same_bytes(one, other):
    names = ("first", "second", "first_id", "second_id")
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in names)


@pytest.fixture
def rows_a_block(monkeypatch):
    def set_rows(rows):
        monkeypatch.setattr(streamed, "BLOCK", rows * 8 * 8)

    return set_rows


@pytest.mark.parametrize(
    ("case", "rows"), [("copies", 1), ("random", 1), *((case, rows) for case in CASES for rows in (100, 256, 5000))]
)
def test_neighbours_are_those_of_the_search_in_memory_byte_for_byte(case, rows, rows_a_block, tmp_path):
    queries, base = CASES[case](np.random.default_rng(3))
    rows_a_block(rows)
    folder = written(tmp_path / "base", base)
    for jobs in (1, 3):
        assert same_bytes(nearest_two(queries, folder, jobs=jobs), nearest_two(queries, base))


@pytest.mark.parametrize("case", CASES)
def test_a_row_is_left_out_of_its_own_neighbours(case, rows_a_block, tmp_path):
    _, base = CASES[case](np.random.default_rng(4))
    rows_a_block(256)
    folder = written(tmp_path / "base", base)
    assert same_bytes(nearest_two(base, folder, exclude_self=True), nearest_two(base, base, exclude_self=True))
    assert same_bytes(nearest_two(folder, folder, exclude_self=True), nearest_two(base, base, exclude_self=True))


def test_neighbours_are_those_of_brute_force(rows_a_block, tmp_path):
    queries, base = _copies(np.random.default_rng(5))
    rows_a_block(100)
    found = nearest_two(queries, written(tmp_path / "base", base))
    distances = np.sqrt(((queries[:, np.newaxis] - base) ** 2).sum(axis=2))
    ids = np.argsort(distances, axis=1, kind="stable")[:, :2]
    np.testing.assert_array_equal(np.column_stack([found.first_id, found.second_id]), ids)
    near = np.take_along_axis(distances, ids, axis=1)
    np.testing.assert_allclose(np.column_stack([found.first, found.second]), near, rtol=1e-12, atol=0)


@pytest.mark.parametrize("case", CASES)
def test_identical_rows_are_counted_as_by_comparing_all(case, rows_a_block, tmp_path):
    queries, base = CASES[case](np.random.default_rng(6))
    rows_a_block(100)
    expected = (queries[:, np.newaxis] == base).all(axis=2).sum(axis=1)
    np.testing.assert_array_equal(count_identical(queries, written(tmp_path / "base", base)), expected)
    np.testing.assert_array_equal(reportgen.count_identical(queries, base), expected)


def test_different_rows_of_one_hash_are_told_apart(rows_a_block, tmp_path, monkeypatch):
    queries, base = _copies(np.random.default_rng(7))
    expected, near = count_identical(queries, base), nearest_two(queries, base)
    monkeypatch.setattr(streamed, "_row_hashes", lambda rows: (rows[:, 0] > 0).astype(np.uint64))
    rows_a_block(100)
    folder = written(tmp_path / "base", base)
    np.testing.assert_array_equal(count_identical(queries, folder), expected)
    assert same_bytes(nearest_two(queries, folder), near)


@pytest.mark.parametrize("width", [2, 5, 8, 20, 130])
def test_a_pair_of_rows_has_one_distance_however_many_are_compared_with_it(width):
    random = np.random.default_rng(width)
    queries, base = random.normal(size=(60, width)), random.normal(size=(1500, width))
    together = k_nearest_here(queries, base, 1)
    for row in range(len(queries)):
        alone = k_nearest_here(queries[row : row + 1], base[together[1][row]], 1)[0]
        assert alone.tobytes() == together[0][row : row + 1].tobytes()
    two = nearest_two(queries[:1], base[:1])
    assert two.first.tobytes() == nearest_two(queries[:30], base[:1]).first[:1].tobytes()


def test_minus_zero_is_zero(tmp_path):
    folder = written(tmp_path / "base", np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 2.0]]), parts=1)
    assert count_identical([[-0.0, 1.0]], folder).tolist() == [2]
    assert nearest_two([[-0.0, 1.0]], folder).second.tolist() == [0.0]


def test_hashes_use_every_bit_of_every_number():
    rows = np.array([[1.0, 2.0]] * 4)
    rows[1, 0], rows[2, 1] = np.nextafter(1.0, 2), np.nextafter(2.0, 1)
    rows[3] = [2.0, 1.0]
    assert len(np.unique(streamed._row_hashes(rows))) == 4
    assert streamed._row_hashes(rows).dtype == equal_rows.column_keys(np.zeros((1, 1), np.int32)).dtype


def test_columns_are_taken_by_name_where_queries_have_names(tmp_path):
    queries, base = _random(np.random.default_rng(8))
    folder = written(tmp_path / "base", base)
    frame = pd.DataFrame(queries, columns=[f"c{place}" for place in range(8)])[["c3", "c0", "c7"]]
    assert same_bytes(nearest_two(frame, folder), nearest_two(queries[:, [3, 0, 7]], base[:, [3, 0, 7]]))


def test_whole_numbers_and_truth_values_are_numbers(tmp_path):
    frame = pd.DataFrame({"a": np.arange(50), "b": np.arange(50) % 2 == 0, "c": np.arange(50, dtype=np.float32) / 8})
    frame.to_parquet(tmp_path / "base.parquet")
    assert same_bytes(nearest_two(frame, tmp_path / "base.parquet"), nearest_two(frame, frame.astype(float)))


def test_every_block_but_the_last_is_full(tmp_path):
    base = np.random.default_rng(9).normal(size=(900, 8))
    stream = number_stream(written(tmp_path / "base", base), "base")
    blocks = list(stream.blocks(256))
    assert [len(block) for block in blocks] == [256, 256, 256, 132]
    np.testing.assert_array_equal(np.concatenate(blocks), base)


def bad(tmp_path, **columns):
    pd.DataFrame({"a": [1.0, 2.0], **columns}).to_parquet(tmp_path / "bad.parquet", index=False)
    return tmp_path / "bad.parquet"


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"b": [1.0, None]}, "bad.parquet: column 'b' holds missing"),
        ({"b": [1.0, np.inf]}, "bad.parquet: column 'b' holds missing or infinite"),
        ({"b": ["secret", "x"]}, "bad.parquet: column 'b' holds"),
        ({"b": pd.to_datetime(["2020-01-01", "2021-01-01"])}, "bad.parquet: column 'b' holds timestamp"),
        ({}, "queries have 2 columns and base has 1"),
        ({"b": [1e150, 2.0]}, "numbers beyond 1e144"),
    ],
)
def test_what_cannot_be_searched_is_one_line(tmp_path, columns, words):
    with pytest.raises(InputError) as caught:
        nearest_two([[1.0, 2.0]], bad(tmp_path, **columns))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_numbers_that_all_lie_within_nothing_are_refused_and_not_rounded(tmp_path):
    base = np.random.default_rng(0).normal(size=(40, 3)) * 1e-160
    with pytest.raises(InputError, match="within 1e-144"):
        nearest_two(base, written(tmp_path / "base", base, parts=1))


def test_files_that_are_no_base_are_one_line(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "empty").mkdir()
    two = tmp_path / "two"
    two.mkdir()
    pd.DataFrame({"a": [1.0]}).to_parquet(two / "1.parquet")
    pd.DataFrame({"b": [1.0]}).to_parquet(two / "2.parquet")
    for name, words in {
        "broken.parquet": "no readable parquet file",
        "a.csv": "is no .parquet file",
        "none.parquet": "is no .parquet file",
        "empty": "holds no .parquet part",
        "two": "2.parquet has no column a",
    }.items():
        with pytest.raises(InputError) as caught:
            nearest_two([[1.0]], tmp_path / name)
        assert words in str(caught.value).replace("'", "")
        assert "\n" not in str(caught.value)


def test_a_base_without_rows_has_no_neighbours(tmp_path):
    pa.parquet.write_table(pa.table({"a": pa.array([], pa.float64())}), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="no base row is left"):
        nearest_two([[1.0]], tmp_path / "none.parquet")
    assert count_identical([[1.0]], tmp_path / "none.parquet").tolist() == [0]


PEAK = """
import re, sys
from pathlib import Path
import numpy as np
from reportgen import count_identical, nearest_two
from reportgen.space import streamed
streamed.BLOCK = 1 << 20
queries = np.zeros((50, 16))
nearest_two(queries, sys.argv[1])
count_identical(queries, sys.argv[1])
def peak():  # of this process alone; what getrusage tells begins with the peak of the process that started it
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
nearest_two(queries, sys.argv[2])
count_identical(queries, sys.argv[2])
print(peak() - before)
"""


def test_memory_does_not_grow_with_the_base(tmp_path):
    random = np.random.default_rng(1)
    small = written(tmp_path / "small", random.normal(size=(20_000, 16)), parts=2, group=10_000)
    large = written(tmp_path / "large", random.normal(size=(600_000, 16)), parts=2, group=10_000)  # 77 MB
    words = [sys.executable, "-c", PEAK, str(small), str(large)]
    grown = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert grown < 30_000  # kB
