import gzip
import hashlib
import io
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.errors import InputError
from reportgen.read.columns import Texts, Typed
from reportgen.read.tables import read_table

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\2\0\0\0"


def cells(table, name):
    column = table.columns[name]
    if isinstance(column, Typed):
        return column.array.to_pylist()
    distinct = [*column.distinct.to_pylist(), None]
    return [distinct[code] for code in column.codes]


def content(table):
    return {name: cells(table, name) for name in table.columns}


@pytest.fixture
def written(tmp_path):
    def write(data, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return path

    return write


def refusal(given, role="original"):
    with pytest.raises(InputError) as caught:
        read_table(given, role)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_csv_is_read_as_texts(written):
    table = read_table(written("a,b\n1,x\n01,y\n"), "original")
    assert content(table) == {"a": ["1", "01"], "b": ["x", "y"]}
    assert table.rows == 2


def test_the_digest_is_that_of_the_bytes(written):
    path = written("a,b\n1,2\n")
    assert read_table(path, "original").source.sha256 == hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    assert read_table(path, "original").source.name == "table.csv"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_detected(written, separator):
    text = f"a{separator}b{separator}c\n1{separator}2,5{separator}x y\n".replace(
        ",5", ".5" if separator == "," else ",5"
    )
    assert cells(read_table(written(text), "original"), "c") == ["x y"]


def test_a_semicolon_in_a_quoted_name_is_no_separator(written):
    assert content(read_table(written('"a;b",c\n1,2\n'), "original")) == {"a;b": ["1"], "c": ["2"]}


def test_a_tsv_is_split_at_tabs_only(written):
    assert content(read_table(written("a,b\tc\n1,2\t3\n", "t.tsv"), "original")) == {"a,b": ["1,2"], "c": ["3"]}


def test_one_column_of_decimal_commas_stays_one_column(written):
    assert content(read_table(written("a\n1,5\n2,5\n"), "original")) == {"a": ["1,5", "2,5"]}


def test_a_byte_order_mark_is_no_part_of_the_first_name(written):
    assert list(read_table(written(b"\xef\xbb\xbfa,b\n1,2\n"), "original").columns) == ["a", "b"]


def test_windows_1252_is_read_and_said(written):
    table = read_table(written("näme;x\n€ä;1\n".encode("cp1252")), "original")
    assert content(table) == {"näme": ["€ä"], "x": ["1"]}
    assert "Windows-1252" in table.remarks[0]


def test_windows_1252_far_behind_the_header_is_read(written):
    rows = b"".join(b"abcdefgh,1\n" for _ in range(200_000))
    table = read_table(written(b"a,b\n" + rows + "ä,1\n".encode("cp1252")), "original")
    assert cells(table, "a")[-1] == "ä"


def test_a_ragged_line_of_a_windows_1252_file_is_named(written):
    assert "line 3 has 3 values" in refusal(written("a,b\n1,2\nä,ö,ü\n".encode("cp1252")))


def test_bytes_outside_windows_1252_are_read_as_latin_1(written):
    table = read_table(written(b"a,b\n\x81\xe4,1\n"), "original")
    assert cells(table, "a") == ["\x81ä"]
    assert "Latin-1" in table.remarks[0]


def test_utf_16_is_read(written):
    assert content(read_table(written("a,b\n漢,1\n".encode("utf-16")), "original")) == {"a": ["漢"], "b": ["1"]}


def test_quoted_line_breaks_windows_line_ends_and_blank_lines_are_read(written):
    table = read_table(written('a,b\r\n1,"x\r\ny"\r\n\r\n2,z\r\n\r\n  \r\n'), "original")
    assert content(table) == {"a": ["1", "2"], "b": ["x\ny", "z"]}


def test_blanks_round_names_and_values_are_stripped(written):
    assert content(read_table(written(" age, job \n39, Private\n40, Private \n"), "original")) == {
        "age": ["39", "40"],
        "job": ["Private", "Private"],
    }


def test_the_shared_adult_table_is_read(shared, tmp_path):
    copy = tmp_path / "adult.csv.gz"
    copy.write_bytes((shared / "data" / "uci_adult" / "adult.data.gz").read_bytes())
    table = read_table(copy, "original")
    assert table.rows == 32_561
    assert list(table.columns)[:5] == ["age", "workclass", "fnlwgt", "education", "education-num"]
    assert set(cells(table, "Salary")) == {"<=50K", ">50K"}


def test_a_ragged_line_is_named_by_its_number_and_not_by_its_cells(written):
    # lines: 1 header, 2-3 one record with a quoted break, 4 blank, 5 the broken one
    text = refusal(written('a,b\n1,"x\ny"\n\nsecret,3,4\n'))
    assert "table.csv: line 5 has 3 values, the header has 2 names" in text
    assert "secret" not in text


def test_one_value_and_one_name_are_said_in_the_singular(written):
    assert "line 3 has 1 value, the header has 2 names" in refusal(written("a,b\n1,2\n3\n4,5\n"))


def test_a_quote_that_is_never_closed_is_named(written):
    text = refusal(written('a,b\n1,2\n3,"secret\n5,6\n7,8\n'))
    assert "line 3 opens a quote" in text
    assert "secret" not in text


def test_a_last_value_of_two_lines_is_read(written):
    assert cells(read_table(written('a,b\n1,"x\ny"\n'), "original"), "b") == ["x\ny"]


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"", "t.csv", "is empty"),
        (b"\n \n\n", "t.csv", "is empty"),
        (b"a,b\n", "t.csv", "no row"),
        (b"a,b\n\n\n", "t.csv", "no row"),
        (b"a,b", "t.csv", "there is a header line and no row; give"),
        (PNG, "t.csv", "no table of text"),
        (PNG, "t.parquet", "no readable parquet"),
        (PNG, "t.feather", "no readable feather"),
        (PNG, "t.npy", "no readable array"),
        (PNG, "t.npz", "no readable array"),
        (b"a,b\n1,2\n", "t.csv.gz", "gzip"),
        (gzip.compress(b"a,b\n1,2\n" * 9999)[:-20], "t.csv.gz", "gzip"),
        (b"a,b\n1,2\n", "t.xlsx", "not known"),
        (b"a,b\n1,2\n", "t", "not known"),
        (b"a,b,a\n1,2,3\n", "t.csv", "more than one column is named 'a'"),
        (b"a,b, a\n1,2,3\n", "t.csv", "more than one column is named 'a'"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(written, data, name, said):
    text = refusal(written(data, name))
    assert said in text
    assert name in text


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    assert "no file 'gone.csv'" in refusal(tmp_path / "gone.csv", "holdout")
    assert "holds no .parquet part" in refusal(tmp_path)


def test_something_else_is_refused():
    assert "not int" in refusal(3)


def test_an_unnamed_column_is_named_as_pandas_does(written):
    assert list(read_table(written(",a\n0,5\n1,6\n"), "original").columns) == ["Unnamed: 0", "a"]


def test_a_separator_at_the_end_of_every_line_makes_no_column(written):
    assert list(read_table(written("a,b,\n1,2,\n3,4,\n"), "original").columns) == ["a", "b"]


def test_one_row_is_read(written):
    assert read_table(written("a,b\n1,2"), "original").rows == 1


HOSTILE = ["a\nb", 'quote"d', "com,ma", "<b>", "x" * 200, "\u202eabc", "🙂", "petal length (cm)", "'; DROP", "漢", "-1"]


def test_hostile_names_survive(written):
    frame = pd.DataFrame([[str(n) for n in range(len(HOSTILE))]] * 2, columns=HOSTILE)
    table = read_table(written(frame.to_csv(index=False)), "original")
    assert content(table) == {name: [str(n)] * 2 for n, name in enumerate(HOSTILE)}


def test_parquet_and_feather_keep_their_types(tmp_path):
    frame = pa.table(
        {
            "i": pa.array([1, None, 2**60], pa.int64()),
            "u": pa.array([1, 2, 2**64 - 1], pa.uint64()),
            "f": pa.array([0.1, None, 1.0], pa.float32()),
            "s": [" a", None, "b"],
            "b": [True, None, False],
            "d": pa.array([date(2020, 1, 31), None, date(1969, 12, 31)]),
            "t": pa.array([datetime(2020, 1, 31, 12, tzinfo=UTC), None, None], pa.timestamp("ns", "Europe/Berlin")),
            "naive": pa.array([datetime(2020, 1, 31, 12), None, None], pa.timestamp("ns")),  # noqa: DTZ001
            "m": [Decimal("1.50"), None, Decimal("2.00")],
            "k": pa.array(["x", None, "y"]).dictionary_encode(),
            "none": pa.nulls(3),
            "__index_level_0__": [7, 8, 9],
        }
    )
    pyarrow.parquet.write_table(frame, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(frame, tmp_path / "t.feather")
    noon = datetime(2020, 1, 31, 12, tzinfo=UTC)
    for name in ("t.parquet", "t.feather"):
        table = read_table(tmp_path / name, "original")
        assert content(table) == {
            "i": [1, None, 2**60],
            "u": [1, 2, 2**64 - 1],
            "f": [0.1, None, 1.0],
            "s": ["a", None, "b"],
            "b": [True, None, False],
            "d": [datetime(2020, 1, 31, tzinfo=UTC), None, datetime(1969, 12, 31, tzinfo=UTC)],
            "t": [noon, None, None],
            "naive": [noon, None, None],
            "m": ["1.50", None, "2.00"],
            "k": ["x", None, "y"],
            "none": [None] * 3,
        }
        assert isinstance(table.columns["k"], Texts)
        assert table.columns["k"].declared


def test_a_nested_column_is_refused_by_name(tmp_path):
    pyarrow.parquet.write_table(pa.table({"ok": [1], "deep": [[1, 2]]}), tmp_path / "t.parquet")
    text = refusal(tmp_path / "t.parquet")
    assert "t.parquet: column 'deep'" in text


def test_a_data_frame_is_read_with_its_name_and_no_digest():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], "Int64"),
            "f": [1.5, np.nan],
            "o": ["x", None],
            "c": pd.Categorical(["u", None]),
            "n": pd.Categorical([1.0, 2.0]),
            "b": [True, False],
            "t": pd.to_datetime(["2020-01-31", None]),
            7: [Decimal("1.5"), np.int64(2)],
        },
        index=["p", "q"],
    )
    table = read_table(frame, "synthetic")
    assert table.source.name == "DataFrame"
    assert table.source.sha256 is None
    assert content(table) == {
        "i": [1, None],
        "f": [1.5, None],
        "o": ["x", None],
        "c": ["u", None],
        "n": ["1", "2"],
        "b": [True, False],
        "t": [datetime(2020, 1, 31, tzinfo=UTC), None],
        "7": ["1.5", "2"],
    }


def test_intervals_of_pandas_are_categories():
    assert cells(read_table(pd.DataFrame({"a": pd.cut([1, 5], [0, 2, 9])}), "original"), "a") == ["(0, 2]", "(2, 9]"]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame({"a": []}), "no row"),
        (pd.DataFrame(index=[1, 2]), "no column"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column is named 'a'"),
        (pd.DataFrame({("a", "b"): [1]}), "several levels"),
        (pd.DataFrame({"a": [[1], [2]]}), "column 'a'"),
        (pd.DataFrame({"a": [1j]}), "column 'a'"),
        (pd.DataFrame({"a": pd.to_timedelta([1], unit="s")}), "column 'a'"),
    ],
)
def test_a_data_frame_that_is_no_table_is_refused(frame, said):
    text = refusal(frame, "synthetic")
    assert said in text
    assert text.startswith("synthetic DataFrame")


def test_two_dimensional_arrays_are_tables(tmp_path):
    array = np.array([[1, 2], [3, 4]])
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "one.npz", only=array.astype(">f8"))
    np.savez(tmp_path / "two.npz", x=array, y=array + 1)
    expected = {"c0": [1, 3], "c1": [2, 4]}
    assert content(read_table(array, "original")) == expected
    assert content(read_table(tmp_path / "a.npy", "original")) == expected
    assert content(read_table(tmp_path / "one.npz", "original")) == expected
    assert content(read_table(f"{tmp_path / 'two.npz'}:y", "original")) == {"c0": [2, 4], "c1": [3, 5]}
    assert "KEY one of 'x', 'y'" in refusal(tmp_path / "two.npz")
    assert "no array 'z'" in refusal(f"{tmp_path / 'two.npz'}:z")


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros(()), "neither a table nor a set of signals"),
        (np.zeros(3), "shape 3 is neither a table nor a set of signals"),
        (np.zeros((2, 3, 4, 5)), "shape 2x3x4x5 is neither a table nor a set of signals"),
        (np.array([[1, "a"]], dtype=object), "neither a table"),
        (np.zeros((2, 2), dtype=complex), "neither a table"),
        (np.zeros((2, 2), dtype="datetime64[s]"), "neither a table"),
        (np.zeros((0, 2)), "no row"),
        (np.zeros((2, 0)), "no column"),
    ],
)
def test_other_arrays_are_refused(array, said):
    assert said in refusal(array)


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "refused" in refusal(tmp_path / "a.npy")


def test_a_gzipped_csv_equals_the_plain_one(written):
    data = b"a,b\n1,x\n"
    plain, packed = (
        read_table(written(data), "original"),
        read_table(written(gzip.compress(data), "t.CSV.GZ"), "original"),
    )
    assert content(plain) == content(packed)


def test_strings_read_from_memory_and_file_are_alike(written):
    frame = pd.DataFrame({"a": ["x", " y ", "x"]})
    buffer = io.StringIO()
    frame.to_csv(buffer, index=False)
    assert content(read_table(written(buffer.getvalue()), "original")) == content(read_table(frame, "original"))


def test_any_language_is_read_in_the_c_locale(written, tmp_path):
    path = written("näme,漢\nä,字\n", "täble.csv")
    program = (
        "import sys; from reportgen.read.tables import read_table; "
        "table = read_table(sys.argv[1], 'original'); "
        "read = list(table.columns), table.columns['\\u6f22'].distinct.to_pylist(); "
        "sys.exit(read != (['n\\xe4me', '\\u6f22'], ['\\u5b57']))"
    )
    environment = {"LC_ALL": "C", "PATH": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run([sys.executable, "-c", program, path], env=environment, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr


@settings(deadline=None, max_examples=150)
@given(
    data=st.one_of(
        st.binary(max_size=60),
        st.text(alphabet='a1,;\t|"\n\r \u00e4.', max_size=60).map(lambda text: text.encode("utf-8")),
    ),
    suffix=st.sampled_from([".csv", ".tsv", ".csv.gz", ".parquet", ".feather", ".npy", ".npz"]),
)
def test_any_bytes_are_a_table_or_refused_in_one_line(tmp_path_factory, data, suffix):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
    said, lengths = "", {0}
    try:
        table = read_table(path, "original")
        lengths = {len(column) - table.rows for column in table.columns.values()}
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    assert lengths == {0}


def test_a_pipe_or_device_is_refused_before_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "endless.csv"):
        with pytest.raises(InputError, match=f"original: '{name}' is no regular file; save the table as a file"):
            read_table(tmp_path / name, "original")


def test_a_path_that_no_file_can_have_is_an_absent_file():
    for path in ("a" * 5000 + ".csv", "a\0b.csv", "a" * 5000 + ".npz:key"):
        with pytest.raises(InputError, match="original: there is no file 'a"):
            read_table(path, "original")


def test_an_empty_path_is_no_folder():
    with pytest.raises(InputError, match="original: its path is empty; name a file"):
        read_table("", "original")


def test_a_file_name_that_is_no_text_is_still_named(tmp_path):
    path = os.fsencode(tmp_path) + b"/bad\xff.csv"
    with open(path, "w") as file:  # noqa: PTH123 -- a path of bytes
        file.write("x,y\n1,2\n3,4\n")
    assert read_table(path, "original").source.name == "bad\N{REPLACEMENT CHARACTER}.csv"


def test_line_ends_inside_cells_are_the_same_on_every_system(tmp_path):
    for name, end in (("unix", "\n"), ("windows", "\r\n"), ("old", "\r")):
        (tmp_path / f"{name}.csv").write_bytes(f'x,y{end}"a{end}b",1{end}"c",2{end}'.encode())
        column = read_table(tmp_path / f"{name}.csv", "original").columns["x"]
        assert column.distinct.to_pylist() == ["a\nb", "c"]


class Opaque:
    """An object whose text is its address in memory."""


@pytest.mark.parametrize("value", [Opaque(), len, b"1", {"a": 1}, [1], range(3), pd.DataFrame({"a": [1]}), 1j])
def test_python_objects_without_a_text_of_their_own_are_refused(value):
    frame = pd.DataFrame({"x": [0.5, 1.5], "odd": pd.Series([value, value], dtype=object)})
    with pytest.raises(InputError, match="original DataFrame: column 'odd' holds object values of a kind"):
        read_table(frame, "original")


def test_objects_that_are_times_keep_their_instant():
    values = [np.datetime64("2020-01-31T01:00:00", "ns"), np.datetime64("NaT", "ns"), pd.NaT]
    column = read_table(pd.DataFrame({"t": pd.Series(values, dtype=object)}), "original").columns["t"]
    assert column.distinct.to_pylist() == ["2020-01-31 01:00:00"]
    assert column.codes.tolist() == [0, -1, -1]


def test_sparse_columns_and_categories_of_mixed_type_are_read():
    frame = pd.DataFrame(
        {
            "sparse": pd.arrays.SparseArray([0, 1, 0]),
            "mixed": pd.Categorical(pd.Series(["a", 1, 2.0], dtype=object)),
        }
    )
    columns = read_table(frame, "original").columns
    assert columns["sparse"].array.to_pylist() == [0, 1, 0]
    assert sorted(columns["mixed"].distinct.to_pylist()) == ["1", "2", "a"]


def test_masked_elements_of_an_array_are_missing():
    array = np.ma.array([[1.5, 2.5], [3.5, 4.5]], mask=[[False, True], [False, False]])
    columns = read_table(array, "original").columns
    assert columns["c0"].array.to_pylist() == [1.5, 3.5]
    assert columns["c1"].array.to_pylist() == [None, 4.5]


def test_a_header_too_long_to_be_looked_at_is_refused(tmp_path):
    for names in (["a", "b" * 2_000_000], [f"column number {place}" for place in range(100_000)]):
        (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
        with pytest.raises(InputError, match=r"t\.csv: its header line, or a name in it, is too long"):
            read_table(tmp_path / "t.csv", "original")
