"""A folder of Parquet parts is one table; a folder of several tables is refused."""

import hashlib
import os
import subprocess

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import reportgen
from reportgen.errors import InputError
from reportgen.read.columns import Texts
from reportgen.read.tables import read_table


def write(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def folder(tmp_path):
    """Two parts; made in the wrong order, so that the order is not that of the folder's entries by chance."""
    write(tmp_path / "people" / "part-2.parquet", x=[30, 40], town=["c", "d"])
    write(tmp_path / "people" / "part-1.parquet", x=[10, 20], town=["a", "b"])
    return tmp_path / "people"


def refusal(path):
    with pytest.raises(InputError) as caught:
        read_table(path, "original")
    text = str(caught.value)
    assert "\n" not in text
    assert str(path.parent) not in text
    return text


def numbers(table, name="x"):
    return table.columns[name].array.to_pylist()


def texts(table, name="town"):
    column = table.columns[name]
    return [[*column.distinct.to_pylist(), None][code] for code in column.codes]


def test_parts_are_one_table_in_the_order_of_their_names(folder):
    write(folder / "part-10.parquet", x=[15], town=["e"])
    table = read_table(folder, "original")
    assert numbers(table) == [10, 20, 15, 30, 40]  # "part-1.", "part-10", "part-2."
    assert texts(table) == ["a", "b", "e", "c", "d"]
    assert table.source.name == "people"
    assert table.remarks == ()


@pytest.mark.parametrize("given", ["people", "people/", "./people/.", "people/../people"])
def test_the_name_is_that_of_the_folder_however_it_is_written(folder, given, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert read_table(given, "original").source.name == "people"


def test_the_folder_itself_may_be_where_one_stands(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert read_table(".", "original").source.name == "people"


def test_the_hash_is_that_of_what_sha256sum_prints(folder):
    (folder / "_SUCCESS").write_text("")
    write(folder / "with \\ and blank.parquet", x=[5], town=["f"])
    command = "LC_ALL=C sha256sum [!._]*.parquet"
    listed = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, check=True)
    assert listed.stdout.count(b"\n") == 3
    assert read_table(folder, "original").source.sha256 == hashlib.sha256(listed.stdout).hexdigest()


def test_the_contents_digest_and_every_number_are_those_of_the_table_in_one_file(tmp_path):
    frames = [
        pd.DataFrame(
            {"x": np.random.default_rng(s).normal(size=60), "c": np.random.default_rng(s).choice(list("abc"), 60)}
        )
        for s in (1, 2, 3)
    ]
    whole, parts = [], []
    for place, frame in enumerate(frames):
        whole.append(tmp_path / f"{place}.parquet")
        frame.to_parquet(whole[-1])
        parts.append(tmp_path / f"folder {place}")
        parts[-1].mkdir()
        for start in (0, 25):
            frame[start : start + (25 if not start else 99)].to_parquet(parts[-1] / f"part-{start:02d}.parquet")
    one, other = (reportgen.assess(*paths, resamples=100, metric="exact_copies").result for paths in (whole, parts))
    assert one.metrics == other.metrics
    for side in ("original", "synthetic", "holdout"):
        assert getattr(one.inputs, side).content_sha256 == getattr(other.inputs, side).content_sha256
    assert other.inputs.original.name == "folder 0"
    assert "'folder 0'" in other.command


def test_bookkeeping_of_writers_is_not_looked_at(folder):
    for name in ("_SUCCESS", "_metadata", ".part-1.parquet.crc", "_hidden.parquet", ".hidden.parquet"):
        (folder / name).write_bytes(b"no table")
    (folder / "_delta_log").mkdir()
    assert numbers(read_table(folder, "original")) == [10, 20, 30, 40]
    assert read_table(folder, "original").remarks == ()


def test_other_files_are_left_and_counted(folder):
    (folder / "README.txt").write_text("about")
    assert read_table(folder, "original").remarks == (
        "One other file in people is no part of it and was not read.",
    )  # fmt: skip
    (folder / "schema.json").write_text("{}")
    assert read_table(folder, "original").remarks[0].startswith("2 other files in people")


def test_a_folder_below_is_refused(folder):
    write(folder / "year=2020" / "part.parquet", x=[1])
    assert "the folder 'people' holds the folder 'year=2020'" in refusal(folder)
    write(folder.parent / "parted" / "month=1" / "part.parquet", x=[1])
    assert "holds the folder 'month=1'" in refusal(folder.parent / "parted")


def test_links_to_parts_are_followed_and_one_that_leads_nowhere_is_named(folder):
    outside = write(folder.parent / "outside.parquet", x=[50], town=["e"])
    (folder / "part-3.parquet").symlink_to(outside)
    assert numbers(read_table(folder, "original"))[-1] == 50
    (folder / "part-4.parquet").symlink_to(folder / "gone")
    assert "'part-4.parquet' in the folder 'people' is no regular file" in refusal(folder)


def test_a_link_to_the_folder_has_the_links_name(folder):
    link = folder.parent / "link"
    link.symlink_to(folder, target_is_directory=True)
    assert read_table(link, "original").source.name == "link"


def test_a_pipe_among_the_parts_is_refused_before_it_is_read(folder):
    os.mkfifo(folder / "pipe.parquet")
    assert "'pipe.parquet' in the folder 'people' is no regular file" in refusal(folder)


def test_a_folder_without_parts_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    assert "the folder 'empty' holds no .parquet part" in refusal(tmp_path / "empty")


def test_a_folder_with_one_other_table_says_to_give_that(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.csv").write_text("x\n1\n")
    assert refusal(tmp_path / "one").endswith("the folder 'one' holds no .parquet part; give 'a.csv' in it")


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("a.csv", "b.parquet"), ("a.csv.gz", "b.feather", "c.npz")])
def test_a_folder_of_several_tables_is_refused_with_what_to_do(tmp_path, names):
    (tmp_path / "many").mkdir()
    for name in names:
        (tmp_path / "many" / name).write_bytes(b"x\n1\n")
    text = refusal(tmp_path / "many")
    assert "the folder 'many' holds several tables ('" in text
    assert "one table of one row a record: join them into one first, or give one file of them" in text


def test_the_shared_folder_of_several_tables_is_refused(shared):
    text = refusal(shared / "data" / "sdmetrics_multitable")
    assert "'sdmetrics_multitable' holds several tables ('sessions_real.csv'" in text
    assert "join them" in text


def test_parts_with_other_columns_are_named_and_taken_for_another_table(folder):
    write(folder / "part-3.parquet", x=[1])
    assert "people: part 'part-3.parquet' has no column 'town', unlike 'part-1.parquet'" in refusal(folder)
    assert "join them" in refusal(folder)
    write(folder / "part-3.parquet", x=[1], town=["a"], more=[1])
    assert "part 'part-3.parquet' has the column 'more' besides, unlike 'part-1.parquet'" in refusal(folder)


def test_a_part_that_stores_a_column_in_another_type_is_named(folder):
    write(folder / "part-3.parquet", x=[1.5], town=["a"])
    assert "people: part 'part-3.parquet' stores column 'x' as double, another part as int64" in refusal(folder)


def test_the_order_of_columns_and_the_way_text_is_stored_may_differ_between_parts(folder):
    write(folder / "part-3.parquet", town=pa.array(["e"], pa.large_string()), x=[50])
    table = read_table(folder, "original")
    assert numbers(table)[-1] == 50
    assert texts(table)[-1] == "e"


def test_a_column_missing_throughout_one_part_has_the_type_of_the_others(folder):
    write(folder / "part-0.parquet", x=pa.nulls(2), town=pa.nulls(2))
    table = read_table(folder, "original")
    assert numbers(table) == [None, None, 10, 20, 30, 40]
    assert texts(table)[:3] == [None, None, "a"]


def test_categories_keep_their_names_where_each_part_numbers_them_anew(tmp_path):
    for place, (values, index) in enumerate([(["b", "a"], pa.int8()), (["c", None, "b"], pa.int32())]):
        encoded = pa.array(values).dictionary_encode().cast(pa.dictionary(index, pa.string()))
        write(tmp_path / "cats" / f"{place}.parquet", town=encoded)
    write(tmp_path / "cats" / "2.parquet", town=pa.nulls(1))
    table = read_table(tmp_path / "cats", "original")
    assert texts(table) == ["b", "a", "c", None, "b", None]
    assert isinstance(table.columns["town"], Texts)
    assert table.columns["town"].declared


def test_row_labels_of_pandas_are_no_column_in_any_part(tmp_path):
    frame = pd.DataFrame({"x": [1, 2, 3]}, index=[7, 8, 9])
    (tmp_path / "rows").mkdir()
    frame.to_parquet(tmp_path / "rows" / "a.parquet")
    frame.reset_index(drop=True).to_parquet(tmp_path / "rows" / "b.parquet")
    assert list(read_table(tmp_path / "rows", "original").columns) == ["x"]


@pytest.mark.parametrize("data", [b"", b"PAR1 and nothing else"])
def test_a_damaged_part_is_named(folder, data):
    (folder / "part-3.parquet").write_bytes(data)
    assert "people: part 'part-3.parquet' is no readable parquet file" in refusal(folder)


def test_a_doubled_column_in_a_part_is_named(folder):
    pyarrow.parquet.write_table(pa.table([[1], [2]], names=["x", "x "]), folder / "part-0.parquet")
    assert "part 'part-0.parquet': more than one column is named 'x'" in refusal(folder)


def test_a_nested_column_is_refused_by_folder_and_column(tmp_path):
    write(tmp_path / "deep" / "0.parquet", x=[[1, 2]])
    assert "deep: column 'x' holds list" in refusal(tmp_path / "deep")
