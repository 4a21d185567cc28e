"""What a run will take is told before anything is read, and refused in one line where it is not there."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import reportgen
from reportgen.declared import FileForm
from reportgen.errors import InputError
from reportgen.read import memory
from reportgen.read.sketch import Sketch, sketch_of
from reportgen.settings import Settings

GIGA = 10**9


def sketch(given, **settings):
    return sketch_of(given, "original", FileForm(), Settings(**settings), 10**12)


def check(given, available, *, measure=True, held=0, **settings):
    tables = {side: (given, FileForm()) for side in ("original", "synthetic")}
    memory.check_memory(tables, Settings(**settings), available, held, measure=measure)


def table(rows):
    return pa.table({"x": np.zeros(rows), "n": np.arange(rows) % 7, "town": [f"t{row % 9}" for row in range(rows)]})


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.csv", "t.csv.gz", "t.tsv"])
def test_rows_columns_and_dimensions_are_told_from_every_format(tmp_path, name):
    path, stored = tmp_path / name, table(20_000)
    if name == "t.parquet":
        pyarrow.parquet.write_table(stored, path)
    elif name == "t.feather":
        pyarrow.feather.write_feather(stored, path)
    else:
        stored.to_pandas().to_csv(path, index=False, sep="\t" if "tsv" in name else ",")
    found = sketch(path)
    assert found.rows == pytest.approx(20_000, rel=0.01)
    assert found.columns == 3
    assert found.dimensions == 1 + 1 + 9  # two numbers and nine towns


def test_a_folder_has_the_rows_of_all_its_parts(tmp_path):
    (tmp_path / "parts").mkdir()
    for place in range(3):
        pyarrow.parquet.write_table(table(100), tmp_path / "parts" / f"{place}.parquet")
    assert (sketch(tmp_path / "parts").rows, sketch(tmp_path / "parts").dimensions) == (300, 11)


def test_tables_in_memory_and_arrays_are_told_by_their_shape(tmp_path):
    frame = table(50).to_pandas()
    assert (sketch(frame).rows, sketch(frame).dimensions) == (50, 11)
    array = np.zeros((30, 4), dtype=np.float32)
    np.save(tmp_path / "a.npy", array)
    np.savez_compressed(tmp_path / "a.npz", x=array, y=array[:5])
    for given in (array, tmp_path / "a.npy", f"{tmp_path / 'a.npz'}:x"):
        assert (sketch(given).rows, sketch(given).columns) == (30, 4)
    assert sketch(f"{tmp_path / 'a.npz'}:y").rows == 5
    assert sketch(np.zeros((6, 2, 10))).dimensions == 14  # seven features of two leads


def test_an_ignored_column_takes_no_coordinates():
    frame = table(50).to_pandas()
    assert sketch(frame, ignore=("town",)).dimensions == 2
    assert sketch(frame, key=("x",)).dimensions == 10


def test_identifiers_take_no_coordinates_but_hold_their_texts():
    frame = pd.DataFrame({"id": [f"person {row}" for row in range(500)], "x": np.arange(500) / 7})
    found = sketch(frame)
    assert found.dimensions == 1
    assert found.distinct > 100


@pytest.mark.parametrize(
    ("rows", "dimensions", "columns", "measured"),
    [(30_000, 20, 20, 421), (30_000, 100, 100, 532), (60_000, 100, 100, 796), (30_000, 800, 40, 1153)],
)
def test_the_estimate_is_near_the_measured_peaks(rows, dimensions, columns, measured):
    """The peaks of the module's docstring, MB."""
    estimated = memory._needed([Sketch(rows, columns, dimensions, 0.0)], measure=True) / 1e6
    assert measured * 0.95 < estimated < measured * 1.15


@pytest.mark.parametrize(("rows", "measured"), [((40_000, 10_000, 10_000), 527), ((160_000, 40_000, 40_000), 948)])
def test_the_estimate_is_near_the_measured_peaks_where_few_rows_look(rows, measured):
    tables = [Sketch(one, 20, 20, 0.0) for one in rows]
    estimated = memory._needed(tables, measure=True, most=500) / 1e6
    assert measured * 0.95 < estimated < measured * 1.15
    assert memory._needed(tables, measure=True, most=10**6) == memory._needed(tables, measure=True)


def test_where_fewer_queries_would_fit_they_are_advised_instead_of_fewer_rows():
    frame = pd.DataFrame({"x": np.zeros(100_000)})
    with pytest.raises(InputError) as caught:
        check(frame, available=700_000_000)
    # 270 MB + 200,000 rows x (1,400 + 32 + 16) bytes + 2 x 16,384 x 2,800 (at least 120 MB) = 680 MB
    assert str(caught.value).endswith("; let fewer rows look for their neighbours, in all rows (--max-queries 16384)")
    check(frame, available=700_000_000, max_queries=16384)
    with pytest.raises(InputError, match="take about"):
        check(frame, available=700_000_000, max_queries=90_000)


def test_beyond_what_is_there_one_line_says_what_is_needed_what_is_there_and_what_to_do():
    frame = pd.DataFrame({"x": np.zeros(100_000)})
    with pytest.raises(InputError) as caught:
        check(frame, available=500_000_000, held=100_000_000)
    # 270 MB + 200,000 rows x (4,200 + 32 + 16) bytes = 1.1 GB; (600 - 270) / 1,120 = 29 %
    assert str(caught.value) == (
        "memory: about 1.1 GB would be needed and 0.6 GB is there (original about 100,000 rows x 1 column, synthetic "
        "about 100,000 rows x 1 column); take about 29 % of the rows, leave out columns (--ignore, or out of the "
        "files), or use a larger machine"
    )
    check(frame, available=1_200_000_000)
    check(frame, available=None)
    check(frame, available=500_000_000, measure=False)


def test_what_cannot_be_told_is_left_to_reading(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    for given in (tmp_path / "gone.csv", tmp_path / "broken.parquet", tmp_path / "t.xlsx", 3, ""):
        check(given, available=GIGA)


def test_the_packed_size_of_a_text_is_not_trusted(tmp_path):
    path = tmp_path / "t.csv.gz"
    line = b"1234567,7654321\n"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b"a,b\n")
        for _ in range(40):
            stream.write(line * 2**16)
    assert path.stat().st_size < 1_000_000
    assert sketch(path).rows == pytest.approx(40 * 2**16, rel=0.01)
    with pytest.raises(InputError, match="would be needed"):
        check(path, available=300_000_000, measure=False)
    # It is unpacked no further than what could be held.
    assert sketch_of(path, "original", FileForm(), Settings(), 10**6).rows < 500_000


def test_a_header_that_promises_more_than_memory_is_refused_before_anything_is_allocated(tmp_path):
    path = tmp_path / "a.npy"
    with path.open("wb") as stream:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**9, 100)}
        np.lib.format.write_array_header_1_0(stream, header)
    with pytest.raises(InputError, match="original about 1,000,000,000 rows"):
        check(path, available=100 * GIGA)


def test_a_parquet_of_few_bytes_and_many_rows_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    constant = pa.table({"x": pa.array(np.zeros(200_000, dtype=np.int8))})
    with pyarrow.parquet.ParquetWriter(path, constant.schema) as writer:
        for _ in range(50):
            writer.write_table(constant)
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="original about 10,000,000 rows"):
        reportgen_reads(path, available=2 * GIGA)


def reportgen_reads(path, available):
    from reportgen.runner import read_inputs

    read_inputs(path, path, None, Settings(), memory=available, measure=True)


def test_a_file_of_4_gb_on_a_machine_of_2_gb_is_refused(tmp_path, monkeypatch):
    """Case 30: the file is sparse, so that it takes no disk; its first lines tell the width of a row."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1.25,2.5,xyz\n" * 50_000)
    os.truncate(path, 4 * GIGA)
    monkeypatch.setattr("reportgen.available.available_memory", lambda: 2 * GIGA)
    monkeypatch.setattr("reportgen.available.resident_memory", lambda: 0)  # however much other tests have loaded
    with pytest.raises(InputError, match=r"^memory: about .* GB would be needed and 2\.0 GB is there"):
        reportgen.assess(path, path)


def test_under_a_limit_of_address_space_the_command_ends_with_2_and_one_line(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200_000, 3)))
    frame.columns = list("abc")
    frame.to_parquet(tmp_path / "t.parquet")
    run = f"ulimit -v {2 * 2**20}; exec '{sys.executable}' -m reportgen assess t.parquet t.parquet --holdout t.parquet"
    done = subprocess.run(["/bin/sh", "-c", run], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("reportgen: error: memory: about ")
    assert done.stderr.count("\n") == 1
