"""Tables held on disk give the very result that they give in memory, and leave nothing behind."""

import os
import signal
import stat
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import reportgen
from reportgen import model, pace, runner
from reportgen.declared import FileForm
from reportgen.errors import EnvironmentLacking, InputError
from reportgen.read import memory, shelf
from reportgen.read.parquet_folder import read_parts
from reportgen.read.parquet_stream import StoredColumns, open_parts
from reportgen.read.shelf import Arrays, Shelf, keep
from reportgen.read.sketch import Sketch
from reportgen.read.tables import read_streamed, read_table
from reportgen.settings import Settings, make_settings
from reportgen.space import on_disk

GIGA = 10**9


def mixed(seed, rows):
    """Columns of every kind, with missing values, repeats, an identifier and one that is constant."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(rows, 3))
    gone = random.random(rows) < 0.05
    towns = np.array([f"town {number}" for number in range(30)])
    return pa.table(
        {
            "length": hidden[:, 0] + 0.4 * random.normal(size=rows),
            "weight": pa.array(np.round(hidden[:, 0] * 10), mask=gone),
            "narrow": pa.array(hidden[:, 1].astype(np.float32)),
            "count": pa.array(random.poisson(3, size=rows)),
            "large": pa.array(2**60 + random.integers(0, 1000, size=rows)),
            "town": pa.array(towns[np.minimum(random.geometric(0.15, size=rows) - 1, 29)].tolist(), mask=gone[::-1]),
            "kind": pa.array(["a" if one else "b" for one in hidden[:, 2] > 0]).dictionary_encode(),
            "smoker": pa.array(hidden[:, 1] > 1, mask=random.random(rows) < 0.02),
            "born": pa.array((np.datetime64("1950-01-01") + random.integers(0, 20_000, size=rows)).astype("M8[D]")),
            "code": pa.array([f"p{number:09}" for number in random.integers(0, 10**9, size=rows)]),
            "same": pa.array(np.ones(rows)),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Original as parts of several row groups, synthetic with copies of it, and holdout."""
    folder = tmp_path_factory.mktemp("tables")
    original = mixed(1, 1200)
    (folder / "original").mkdir()
    for part in range(3):
        rows = original.slice(400 * part, 400)
        pyarrow.parquet.write_table(rows, folder / "original" / f"part-{part}.parquet", row_group_size=150)
    copied = pa.concat_tables([mixed(2, 460), original.slice(3, 40), original.slice(3, 5)])
    pyarrow.parquet.write_table(copied, folder / "synthetic.parquet", row_group_size=100)
    pyarrow.parquet.write_table(mixed(3, 500), folder / "holdout.parquet")
    return folder


def result(folder, *, disk, holdout="holdout.parquet", synthetic="synthetic.parquet", threads=1, **settings):
    context = runner.Run("2026-01-01T00:00:00Z", "assess", "0", {}, threads=threads, on_disk=disk)
    held = None if holdout is None else str(folder / holdout)
    tables = str(folder / "original"), str(folder / synthetic), held
    return model.to_json(runner.run(*tables, make_settings(settings), context))


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of some hundred rows, and nearly nothing that is few enough to stay in memory."""
    monkeypatch.setattr(on_disk, "BLOCK", 30_000)
    monkeypatch.setattr(on_disk, "_FEW_POINTS", 8)
    monkeypatch.setattr(shelf, "FEW_TEXTS", 4)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_queries": 150, "threads": 2},
        {"holdout": None, "metric": ["closest_rate", "nndr", "exact_copies", "inference"]},
        {"projection": "none", "ignore": ["town", "kind", "smoker", "born", "code", "weight", "same"]},
        {"key": ["code"], "categorical": ["count"], "max_queries": 300},
    ],
)
def test_the_result_is_that_of_tables_in_memory_byte_for_byte(files, small_blocks, settings):
    assert result(files, disk=True, **settings) == result(files, disk=False, **settings)


def test_one_table_of_another_format_is_held_on_disk_beside_parquet(files, small_blocks):
    pyarrow.parquet.read_table(files / "synthetic.parquet").to_pandas().to_csv(files / "s.csv", index=False)
    settings = {"synthetic": "s.csv", "max_queries": 100}
    assert result(files, disk=True, **settings) == result(files, disk=False, **settings)


def test_what_is_not_held_on_disk_is_measured_all_the_same(files):
    settings = {"components": 3, "metric": ["closest_rate"]}
    assert result(files, disk=True, **settings) == result(files, disk=False, **settings)


def test_which_tables_can_be_held_on_disk_is_told_in_words(files):
    parquet, frame = str(files / "original"), pd.DataFrame({"x": [1.0]})
    assert memory.why_in_memory({"original": (parquet, FileForm())}, Settings()) is None
    assert memory.why_in_memory({"original": (frame, FileForm())}, Settings()) == ""
    for settings in ({"group": "code"}, {"components": 2}):
        said = memory.why_in_memory({"original": (parquet, FileForm())}, make_settings(settings))
        assert said == f"with --{next(iter(settings))} tables are held in memory"


@pytest.mark.parametrize("text", [[], ["a"], [f"ü {number}" for number in range(9)], [1, 2.5, 2**70]])
def test_a_column_comes_from_disk_as_it_was_put_there(small_blocks, text):
    columns = [
        pd.Series([1.5, np.nan, -0.0]),
        pd.Series([1, None, 2**60 + 1], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series(pd.to_datetime(["2020-01-01T00:00:00.0", None, "1969-12-31T23:59:59.5"], utc=True).as_unit("us")),
        pd.Series([*text, None, *text[:2]], dtype=object),
    ]
    with Shelf() as kept:
        for column in columns:
            found = keep(column, kept).load("x")
            assert found.name == "x"
            pd.testing.assert_series_equal(found, column, check_names=False)
            assert list(map(type, found)) == list(map(type, column))


def test_arrays_are_the_same_on_disk_and_in_memory():
    arrays = [np.arange(5), np.zeros(0), np.ones((3, 2), dtype=np.int32)]
    with Shelf() as kept:
        there, here = Arrays(kept), Arrays(None)
        for array in arrays:
            there.append(array)
            here.append(array)
        assert len(there) == len(here) == 3
        for one, other in zip(there, here, strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)


@pytest.mark.parametrize("rows", [[], [5], [999, 0, 3, 3], range(1000), range(0, 1000, 7)])
def test_rows_on_disk_are_those_in_memory(monkeypatch, rows):
    monkeypatch.setattr(on_disk, "_AT_ONCE", 3)
    monkeypatch.setattr(on_disk, "BLOCK", 1000)
    array, chosen = np.random.default_rng(0).integers(99, size=(1000, 4)), np.array(rows, dtype=np.int64)
    columns = np.array([2, 0])
    with Shelf() as kept:
        there = kept.put(array)
        np.testing.assert_array_equal(on_disk.some_rows(there, chosen), array[chosen])
        np.testing.assert_array_equal(on_disk.RowsAt(there, chosen)[:], array[chosen])
        outside, turned = on_disk.OnDisk(there), on_disk.OnDisk(kept.put(array.T))
        for key in (chosen, np.ix_(chosen, columns), 7, slice(3, 30)):
            np.testing.assert_array_equal(outside[key], array[key])
        for key in ((slice(None), chosen), (slice(1, 3), chosen), 2):
            np.testing.assert_array_equal(turned[key], array.T[key])


def test_the_file_has_no_name_and_is_nobody_elses(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with Shelf() as kept:
        kept.put(np.arange(1000))
        assert list(tmp_path.iterdir()) == []
        assert stat.S_IMODE(os.fstat(kept._file.fileno()).st_mode) == 0o600
        assert os.fstat(kept._file.fileno()).st_nlink == 0


def test_a_full_disk_is_said_in_one_line_and_never_a_signal(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with Shelf() as kept:
        monkeypatch.setattr(os, "posix_fallocate", full)
        for ask in (lambda: kept.room((10,), np.float64), lambda: kept.put(np.ones(10))):
            with pytest.raises(EnvironmentLacking, match=r"cannot be written \(No space left on device\); set TMPDIR"):
                ask()


def test_the_rows_that_time_allows_are_told_by_searches_on_disk(files, small_blocks, monkeypatch):
    """The trials are those of tables in memory, and search where the run will."""
    asked, given = {}, {}
    plain = pace.nearest
    for disk in (False, True):
        partition = runner.read_inputs(
            str(files / "original"), str(files / "synthetic.parquet"), None, Settings(), on_disk=disk
        )
        encoded = runner.encode(partition, Settings())

        def nearest(coordinates, queries, base, k, *, threads, disk=disk):
            found = plain(coordinates, queries, base, k, threads=threads)
            asked[disk] = isinstance(coordinates, np.memmap), len(queries), base.tolist(), found[0].tobytes()
            return found

        monkeypatch.setattr(pace, "nearest", nearest)
        monkeypatch.setattr(pace, "number", lambda *what, disk=disk: given.update({disk: what[3]}))
        clock = iter(range(100))
        pace.picker(10, 1, 0.0, lambda: next(clock), Settings())(encoded)  # noqa: B023 -- called here
    assert [asked[disk][0] for disk in (False, True)] == [False, True]
    assert asked[True][1:] == asked[False][1:]
    assert given[True] == given[False]


def test_a_part_that_changes_while_it_is_read_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"x": [1.0, 2.0], "y": [1.0, 2.0]}), path)
    table = read_streamed(str(path), "original")
    assert table.columns["x"].array.to_pylist() == [1.0, 2.0]
    pyarrow.parquet.write_table(pa.table({"x": [1.0, 2.0], "y": [1.0, 3.0]}), path)
    os.utime(path, ns=(1, 1))
    with pytest.raises(InputError, match=r"^t\.parquet: changed while it was read"):
        table.columns["y"]


@pytest.mark.parametrize(
    "tables",
    [
        [{" x ": [1.0], "a.b": [2], "a": ["t"], "__index_level_0__": [5]}, {"a": ["u"], "a.b": [3], "x": [2.5]}],
        [
            {"x": pa.array(["a", "b"]).dictionary_encode(), "d": [None, None]},
            {"x": pa.array(["c", None]).dictionary_encode(), "d": [1, 2]},
        ],
        [{"x": pa.array([1.5], pa.float16()), "t": pa.array(["1.50"], pa.string_view())}],
    ],
)
def test_columns_read_alone_are_those_of_the_whole_table(tmp_path, tables):
    for number, columns in enumerate(tables):
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / f"{number}.parquet")
    for given in (str(tmp_path), str(tmp_path / "0.parquet")):
        whole, streamed = read_table(given, "original"), read_streamed(given, "original")
        assert list(streamed.columns) == list(whole.columns)
        assert (streamed.rows, streamed.source, streamed.remarks) == (whole.rows, whole.source, whole.remarks)
        for name, column in whole.columns.items():
            other = streamed.columns[name]
            assert type(other) is type(column)
            for field in ("array", "distinct", "codes", "declared"):
                one, two = getattr(column, field, None), getattr(other, field, None)
                assert (one.to_pylist() == two.to_pylist()) if isinstance(one, pa.Array) else np.array_equal(one, two)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ([{"x": [1.0]}, {"y": [1.0]}], "has no column 'x', unlike '0.parquet'"),
        ([{"x": [1.0]}, {"x": ["a"]}], "stores column 'x' as string, another part as double"),
        ([{"x": [1.0], " x": [2.0]}], "more than one column is named 'x'"),
        ([{"x": pa.array([], pa.float64())}], "there are columns and no row"),
        ([{"x": [[1.0]]}], "column 'x' holds list"),
    ],
)
def test_errors_are_those_of_tables_in_memory(tmp_path, tables, said):
    for number, columns in enumerate(tables):
        pyarrow.parquet.write_table(pa.table(list(columns.values()), list(columns)), tmp_path / f"{number}.parquet")
    errors = []
    for read in (read_table, read_streamed):
        with pytest.raises(InputError) as caught:
            list(read(str(tmp_path), "original").columns.values())
        errors.append(str(caught.value))
    assert said in errors[0]
    assert errors[0] == errors[1]


def test_a_damaged_part_is_refused_when_its_column_is_read(tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"x": np.random.default_rng(0).normal(size=5000)}), path)
    content = bytearray(path.read_bytes())
    content[8:4000] = b"\xff" * 3992
    path.write_bytes(content)
    table = read_streamed(str(path), "original")
    with pytest.raises(InputError, match=r"^t\.parquet: this is no readable parquet file; write it anew$"):
        table.columns["x"]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(("instead", "said"), [(None, "is gone since"), (os.mkfifo, "is no regular file any more")])
def test_a_part_that_is_gone_or_a_pipe_ends_the_reading_in_one_line(tmp_path, instead, said, whole):
    parts = [tmp_path / f"{number}.parquet" for number in range(2)]
    for part in parts:
        pyarrow.parquet.write_table(pa.table({"x": [1.0, 2.0]}), part)
    table = read_streamed(str(parts[1] if whole else tmp_path), "original")
    parts[1].unlink()
    if instead is not None:
        instead(parts[1])
    with pytest.raises(InputError, match=r"1\.parquet'? (this )?" + said if not whole else "this " + said):
        table.columns["x"]
    with pytest.raises(InputError, match=said):
        open_parts(parts, "people")
    with pytest.raises(InputError, match=said):
        read_parts(parts, "people")


def test_columns_are_not_kept_by_who_reads_them(files, monkeypatch):
    read = []
    plain = StoredColumns.read
    monkeypatch.setattr(StoredColumns, "read", lambda self, name: read.append(name) or plain(self, name))
    table = read_streamed(str(files / "original"), "original")
    assert read == []
    assert len(table.columns["length"]) == len(table.columns["length"]) == 1200
    assert read == ["length", "length"]


def run_alone(code, *words, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, words)],
        env=os.environ | environment,
        stdout=-1,
        text=True,
    )


def test_a_killed_run_leaves_no_file(files, tmp_path):
    code = """
        import sys, time
        from reportgen import runner
        from reportgen.settings import Settings
        folder = sys.argv[1]
        paths = f"{folder}/original", f"{folder}/synthetic.parquet", None
        partition = runner.read_inputs(*paths, Settings(), on_disk=True)
        print(partition.shelf._end, flush=True)
        time.sleep(60)
    """
    process = run_alone(code, files, TMPDIR=str(tmp_path))
    assert int(process.stdout.readline()) > 50_000
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []


PEAK = """
    import re, sys
    from pathlib import Path
    from reportgen import runner
    from reportgen.read.groups import identical_rows
    from reportgen.settings import Settings
    small, large, on_disk = *sys.argv[1:3], sys.argv[3] == "True"
    def take(path):
        partition = runner.read_inputs(path, path, None, Settings(), on_disk=on_disk)
        identical_rows(partition)
        return runner.encode(partition, Settings())
    def peak():  # of this process alone; what getrusage tells begins with the peak of the process that started it
        return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
    take(small)  # loads what is needed
    before = peak()
    encoded = take(large)
    print((peak() - before) * 1024)
"""


def test_what_is_held_in_memory_is_a_column_and_a_block(tmp_path):
    rows, columns = 150_000, 24
    random = np.random.default_rng(0)
    table = pa.table({f"c{place}": random.normal(size=rows) for place in range(columns)})
    paths = tmp_path / "small.parquet", tmp_path / "large.parquet"
    for path, part in zip(paths, (table[:100], table), strict=True):
        pyarrow.parquet.write_table(part, path, row_group_size=20_000)
    taken = {}
    for disk in (False, True):
        process = run_alone(PEAK, *paths, disk, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        taken[disk] = int(process.communicate()[0])
        assert process.returncode == 0
    cells = rows * columns * 8
    assert taken[False] > 4 * cells  # of two tables: the columns as stored and as read, codes and coordinates
    assert taken[True] < 3 * on_disk.BLOCK  # one being made, one being written, and a few columns
    assert taken[True] < taken[False] / 3


def test_five_million_rows_are_not_refused_where_they_fit_on_disk(monkeypatch):
    sizes = {"original": 5_000_000, "synthetic": 50_000, "holdout": 50_000}
    sketches = {side: Sketch(rows, 20, 20, 0.0) for side, rows in sizes.items()}
    monkeypatch.setattr(memory, "_sketches", lambda *_: sketches)
    monkeypatch.setattr(memory, "free_disk", lambda: 100 * GIGA)
    given = {side: ("t.parquet", FileForm()) for side in sizes}

    def asked(available, *, may_stream=True, **settings):
        made = make_settings(settings)
        return memory.check_memory(given, made, available, 0, measure=True, may_stream=may_stream)

    few = {"max_queries": 50_000}
    assert asked(4 * GIGA, **few) is True
    assert asked(100 * GIGA, **few) is True  # 12 GB could be held, and need not be
    with pytest.raises(InputError, match=r"about 12\.\d GB would be needed"):
        asked(4 * GIGA, may_stream=False, **few)
    with pytest.raises(InputError, match="with --group tables are held in memory"):
        asked(4 * GIGA, group="c1", **few)
    with pytest.raises(InputError, match=r"--max-queries \d+"):
        asked(4 * GIGA)
    monkeypatch.setattr(memory, "free_disk", lambda: GIGA)
    assert asked(100 * GIGA, **few) is False
    with pytest.raises(InputError, match="of temporary files would do instead: set TMPDIR"):
        asked(4 * GIGA, **few)


@pytest.mark.parametrize(
    ("rows", "most", "measured"),
    [
        ((60_000, 5_000), 300, 328),
        ((200_000, 10_000), 500, 459),
        ((1_000_000, 20_000), 500, 747),
        ((5_000_000, 50_000), 500, 750),
    ],
)
def test_what_is_told_to_be_needed_on_disk_is_more_than_was_measured(rows, most, measured):
    """Peaks in MB; of the largest table, that of its stages, measured apart."""
    tables = [Sketch(one, 20, 20, 0.0) for one in (*rows, rows[1])]
    assert measured < memory._on_disk(tables, most=most) / 1e6 < 3 * measured


def test_the_function_and_the_command_decide_for_themselves(files, run, monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr("reportgen.available.available_memory", lambda: 10 * GIGA)
    shelves = []
    plain = Shelf.__init__
    monkeypatch.setattr(Shelf, "__init__", lambda self: shelves.append(self) or plain(self))
    tables = [str(files / name) for name in ("original", "synthetic.parquet", "holdout.parquet")]
    held = reportgen.assess(*tables, metric=["closest_rate"]).to_json()
    assert shelves == []
    monkeypatch.setattr(memory, "_COMFORTABLE", 1)
    assert reportgen.assess(*tables, metric=["closest_rate"]).to_json() == held
    assert shelves
    shelves.clear()
    words = [*tables[:2], "--holdout", tables[2]]
    assert run("assess", *words, "-m", "closest_rate", "-o", str(tmp_path / "r.json"), "--fail-on", "never")[0] == 0
    assert shelves
    shelves.clear()
    code, out, _ = run("assess", *words, "--dry-run")
    assert (code, out.count("\tused")) == (0, 9)
    assert shelves


def test_what_fits_easily_is_held_in_memory(files):
    tables = {"original": (str(files / "original"), FileForm())}
    available = 10 * GIGA
    assert memory.check_memory(tables, Settings(), available, 0, measure=True, may_stream=True) is False


def test_a_tmpdir_that_cannot_be_used_is_refused_and_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    with pytest.raises(EnvironmentLacking, match="TMPDIR is no folder to write in"):
        Shelf().put(np.zeros(1000))
    assert shelf.free_disk() == 0
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert shelf.free_disk() > 0
    assert Shelf().put(np.arange(1000.0))[-1] == 999
