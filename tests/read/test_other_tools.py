"""Tables as other tools write them: read right, or refused in one line that says what to do."""

import datetime as dt
import decimal
import uuid
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import reportgen
from reportgen.errors import InputError
from reportgen.read import lookalikes
from reportgen.read.summary import describe_columns
from reportgen.runner import read_inputs
from reportgen.settings import Settings, make_settings


@pytest.fixture
def read(tmp_path):
    """Read one table, given as text of a file or as a frame, as original and synthetic."""

    def call(given, name="t.csv", encoding="utf-8"):
        if isinstance(given, str):
            path = tmp_path / name
            path.write_bytes(given.encode(encoding))
            given = path
        return read_inputs(given, given, None, Settings())

    return call


def values(partition, name):
    return [None if pd.isna(value) else value for value in partition.original.frame[name]]


def kinds(partition):
    return {column.name: column.kind for column in partition.columns}


def refusal(read, *args, **options):
    with pytest.raises(InputError) as caught:
        read(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_row_numbers_of_pandas_are_an_identifier(read):
    partition = read(pd.DataFrame({"a": [1.5, 2.5, 3.5]}).to_csv())
    assert [column.left_out is None for column in partition.columns] == [False, True]
    assert partition.columns[0].name == "Unnamed: 0"


def test_row_names_and_na_of_r_are_understood(read):
    partition = read('"","x","g"\n"1",1.5,"a"\n"2",NA,NA\n"3",2.5,"b"\n')
    assert partition.columns[0].left_out
    assert values(partition, "x") == [1.5, None, 2.5]
    assert values(partition, "g") == ["a", None, "b"]


def test_a_table_with_blanks_between_its_cells_is_not_taken_for_one_column(read):
    """R's write.table, and tables of fixed width."""
    for text in ('"x" "g"\n"1" 1.5 "a"\n"2" NA "b"\n"3" 2.5 "b"\n', "x  y\n1.5  2\n3.5  4\n5.5  6\n"):
        assert 'declare separator = " " in [schema]' in refusal(read, text)


def test_one_column_of_words_with_blanks_stays_one(read):
    assert values(read("full name\nJohn Smith\nAnn Lee\nBo Li\n"), "full name")[2] == "Bo Li"
    assert values(read("name\nSmith, John\nLee, Ann\nLi, Bo\n"), "name")[2] == "Li, Bo"
    assert values(read("start of it\n2020-01-31 12:30\n2020-01-31 12:31\n"), "start of it")[0].minute == 30


def test_one_column_of_numbers_with_commas_stays_one(read):
    assert values(read("people\n1,234,567\n2,345,678\n3,456,789.5\n"), "people") == [1234567, 2345678, 3456789.5]


@pytest.mark.parametrize("text", ["# made by x\na,b\n1,2\n3,4\n", "Report 2020\na;b;c\n1;2;3\n4;5;6\n"])
def test_a_line_before_the_header_is_refused(read, text):
    assert "remove what stands before the header line" in refusal(read, text)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("sep=;\r\nx;g\r\n1,5;a\r\n2,5;b\r\n", "utf-8"),
        ("sep=,\r\nx,g\r\n1.5,a\r\n2.5,b\r\n", "utf-8-sig"),
        ('"sep=\t"\nx\tg\n1.5\ta\n2.5\tb\n', "utf-16"),
        ("SEP=|\rx|g\r1.5|a\r2.5|b\r", "cp1252"),
    ],
)
def test_the_line_that_tells_excel_the_separator_is_no_header(read, text, encoding):
    partition = read(text, encoding=encoding)
    assert values(partition, "x") == [1.5, 2.5]
    assert values(partition, "g") == ["a", "b"]


def test_lines_are_counted_with_the_one_for_excel(read):
    assert "line 4 has 3 values" in refusal(read, "sep=;\nx;g\n1;a\n2;b;c\n")
    assert "line 4 opens a quote" in refusal(read, 'sep=;\nx;g\n1;a\n2;"b\n3;c\n')


def test_german_numbers_are_read(read):
    partition = read("x;g\n1.234,50;a\n12,00;b\n1.000.000,25;b\n")
    assert values(partition, "x") == [1234.5, 12, 1000000.25]


@pytest.mark.parametrize("mark", [".", ".A", ".z", "._", "\\N", "NULL", "#N/A", "#DIV/0!", "<NA>", "NaT", "NA"])
def test_missing_numbers_of_sas_stata_postgres_excel_and_pandas_are_missing_and_named(read, mark):
    partition = read("x,g\n" + f"1.5,a\n{mark},b\n2.5,c\n" * 5)
    assert values(partition, "x")[:3] == [1.5, None, 2.5]
    assert partition.columns[0].missing_marks == (mark,)


@pytest.mark.parametrize("mark", ["\\N", "NULL", "#N/A", "#REF!"])
def test_missing_words_of_databases_and_spreadsheets_are_missing(read, mark):
    assert values(read(f"x,g\n1.5,a\n2.5,{mark}\n"), "g") == ["a", None]


def test_a_table_of_postgres_is_understood(read):
    partition = read("n\tok\n1.5\tt\n\\N\tf\n3\t\\N\n", name="t.tsv")
    assert kinds(partition) == {"n": "numeric", "ok": "boolean"}
    assert values(partition, "ok") == [True, False, None]


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16", "utf-8-sig"])
def test_every_byte_order_mark_is_known(read, encoding):
    assert values(read("x,g\n1.5,ä\n2.5,漢\n", encoding=encoding), "g") == ["ä", "漢"]


@pytest.mark.parametrize(
    "cells",
    [
        ["1.5", "2.5", "3", "4", "5", "Total"],
        ["1 234,5", "3 000,0", "1 000,0", "2 345,0", "5 000,0"],
        ["1%", "2%", "3%", "4%", "5.5 %"],
        ["$1.50", "$3.00", "$2", "$4", "$5"],
    ],
)
def test_numbers_that_stay_categories_are_hinted_at(read, cells):
    partition = read(pd.DataFrame({"x": cells * 5}))
    assert kinds(partition) == {"x": "categorical"}
    assert partition.columns[0].remarks == (lookalikes.NUMBERS,)


@pytest.mark.parametrize(
    "cells",
    [
        ["01JAN2020", "02FEB2021", "31DEC1999", "01jan2021", "02jan2021"],
        ["31.01.20", "01.02.21", "02.02.21", "03.02.21", "04.02.21"],
        ["1/31/2020 1:05 PM", "2/1/2020 2:05 AM", "2/2/2020 2:05 AM", "2/3/2020 2:05 AM", "2/4/2020 2:05 AM"],
        ["Mon, 31 Jan 2020", "Tue, 01 Feb 2020", "Wed, 02 Feb 2020", "Thu, 03 Feb 2020", "Fri, 04 Feb 2020"],
    ],
)
def test_dates_that_stay_categories_are_hinted_at(read, cells):
    assert read(pd.DataFrame({"x": cells * 5})).columns[0].remarks == (lookalikes.DATES,)


@pytest.mark.parametrize("cells", [["a", "b", "c", "d", "e"], ["20-29", "30-39", "40-49", "50-59", "60+"]])
def test_plain_categories_are_not_hinted_at(read, cells):
    assert read(pd.DataFrame({"x": cells * 5})).columns[0].remarks == ()


def test_the_types_of_pandas_are_read(read):
    frame = pd.DataFrame(
        {
            1: pd.array([1, None, 5], "Int64"),
            "b": pd.array([True, None, False], "boolean"),
            "s": pd.array(["x", None, "y"], "string"),
            "f": pd.array([0.1, None, 2], "Float32"),
            "arrow": pd.array([1, None, 7], "int64[pyarrow]"),
            "sparse": pd.arrays.SparseArray([0.0, np.nan, 1.5]),
            "unused": pd.Categorical(["x", None, "y"], categories=["x", "y", "z"]),
            "zoned": pd.to_datetime(["2020-07-01", None, "2020-01-01"]).tz_localize("Europe/Berlin"),
            "decimal": [decimal.Decimal("1.50"), None, decimal.Decimal("2.25")],
            "date": [dt.date(2020, 1, 31), None, dt.date(2020, 2, 1)],
            "time": [dt.time(12, 30), None, dt.time(13)],
            "mixed": pd.Series(["a", None, np.float32(0.1)], dtype=object),
        }
    )
    partition = read(frame)
    assert kinds(partition) == {
        "1": "numeric", "b": "boolean", "s": "categorical", "f": "numeric", "arrow": "numeric", "sparse": "numeric",
        "unused": "categorical", "zoned": "datetime", "decimal": "numeric", "date": "datetime", "time": "categorical",
        "mixed": "categorical",
    }  # fmt: skip
    assert all(values(partition, name)[1] is None for name in kinds(partition))
    assert values(partition, "f")[0] == 0.1
    assert values(partition, "zoned")[0] == pd.Timestamp("2020-06-30 22:00", tz="UTC")
    assert values(partition, "decimal") == [1.5, None, 2.25]
    assert values(partition, "time")[0] == "12:30:00"
    assert values(partition, "mixed") == ["a", None, "0.1"]
    assert describe_columns(partition)[6].distinct_original == 2  # levels that no row has do not count


@pytest.mark.parametrize(
    "column",
    [
        pd.to_timedelta([1, 2], unit="D"),
        [1j, 2j],
        [[1], [2]],
        [{"a": 1}, {"a": 2}],
        [b"x", b"y"],
        pd.period_range("2020-01", periods=2, freq="M"),
        pd.interval_range(0, 2),
        np.array([0.1, 0.2], dtype=np.longdouble),
        pd.array([[1], [2]], pd.ArrowDtype(pa.list_(pa.int64()))),
    ],
)
def test_what_is_neither_number_nor_text_nor_time_in_a_frame_is_refused_by_name(read, column):
    if getattr(column, "dtype", None) == np.longdouble and np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("a long double is a float64 here")
    text = refusal(read, pd.DataFrame({"fine": [1.5, 2.5], "odd": column}))
    assert "original DataFrame: column 'odd' holds" in text
    assert "convert it" in text


def parquet(tmp_path, **columns):
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_the_types_of_parquet_are_read(read, tmp_path):
    path = parquet(
        tmp_path,
        level=pa.array(["x", None, "y"]).dictionary_encode(),
        code=pa.array([1, None, 7]).dictionary_encode(),
        price=pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
        huge=pa.array([decimal.Decimal(10**30 + 1), None, decimal.Decimal(3)], pa.decimal128(38, 0)),
        time=pa.array([dt.time(1, 2, 3), None, dt.time(4, 5)]),
        text=pa.array(["x", None, "y"], pa.large_string()),
        day=pa.array([1, None, 3], pa.date32()),
        day64=pa.array([86_400_000, None, 0], pa.date64()),
        half=pa.array([np.float16(0.1), None, np.float16(2)], pa.float16()),
        far=pa.array([10**14, None, 0], pa.timestamp("s")),
    )
    partition = read(path)
    assert kinds(partition) == {
        "level": "categorical", "code": "numeric", "price": "numeric", "huge": "numeric", "time": "categorical",
        "text": "categorical", "day": "datetime", "day64": "datetime", "half": "numeric", "far": "datetime",
    }  # fmt: skip
    assert values(partition, "huge")[0] == 10**30 + 1
    assert values(partition, "half")[0] == 0.1
    assert all(values(partition, name)[1] is None for name in kinds(partition))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"x", b"y"]),  # geometries, as GeoParquet stores them
        pa.array([b"xx", b"yy"], pa.binary(2)),
        pa.array([1, 2], pa.duration("s")),
        pa.array([[1], [2]]),
        pa.array([{"x": 1}, {"x": 2}]),
        pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        pa.array([b"a", b"b"]).dictionary_encode(),
    ],
)
def test_what_is_neither_number_nor_text_nor_time_in_parquet_is_refused_by_name(read, tmp_path, column):
    path = parquet(tmp_path, fine=[1.5, 2.5], odd=column)
    with pytest.raises(InputError, match=r"^t\.parquet: column 'odd' holds .*; leave it out or convert it$"):
        read_inputs(path, path, None, Settings())


def test_times_beyond_the_year_9999_are_measured(tmp_path):
    far = pa.array([(10**14 + 3600 * 24 * row * row) for row in range(30)], pa.timestamp("s"))
    path = parquet(tmp_path, far=far, x=np.arange(30) / 7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = reportgen.assess(path, path, resamples=100, draws=2)
    assert found.metrics["exact_copies"].scores["synthetic_rows"].value == 1
    assert found.rendered("x.html")


def test_uuids_json_and_bytes_of_truth_are_read_by_what_they_hold(read, tmp_path):
    """As DuckDB and Arrow write them."""
    names = [uuid.UUID(int=number) for number in (1, 2)]
    extended = [("u", "uuid", [*(one.bytes for one in names), None]), ("b", "bool8", [1, 0, None])]
    columns = {
        name: pa.ExtensionArray.from_storage(getattr(pa, kind)(), pa.array(held, getattr(pa, kind)().storage_type))
        for name, kind, held in extended
        if hasattr(pa, kind)  # newer than the oldest pyarrow that will do
    }
    partition = read(parquet(tmp_path, x=[1.5, 2.5, 3.5], **columns))
    if "u" in columns:
        assert values(partition, "u") == [*map(str, names), None]
    if "b" in columns:
        assert values(partition, "b") == [1, 0, None]


def test_categories_of_polars_are_read(tmp_path):
    """Its Feather files hold dictionaries of string views."""
    levels = pa.array(["x", None, "y", "x"]).dictionary_encode()
    viewed = pa.DictionaryArray.from_arrays(levels.indices.cast(pa.uint32()), levels.dictionary.cast(pa.string_view()))
    pyarrow.feather.write_feather(pa.table({"c": viewed, "x": [1.5, 2.5, 3.5, 4.5]}), tmp_path / "t.feather")
    partition = read_inputs(tmp_path / "t.feather", tmp_path / "t.feather", None, Settings())
    assert values(partition, "c") == ["x", None, "y", "x"]


def test_the_first_version_of_feather_is_read_without_a_warning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pyarrow.feather.write_feather(pa.table({"x": [1.5, 2.5]}), tmp_path / "t.feather", version=1)
    assert values(read_inputs(tmp_path / "t.feather", tmp_path / "t.feather", None, Settings()), "x") == [1.5, 2.5]


@pytest.mark.parametrize("cell", ['"say \\"hi\\" now"', 'say \\"hi'])
def test_quotes_that_a_backslash_escapes_are_refused_with_their_line(read, cell):
    """Spark, MySQL, pandas with an escapechar."""
    text = refusal(read, f"x,g\n1.5,a\n2.5,{cell}\n3.5,b\n")
    assert text == (
        "t.csv: line 3 writes a quote inside a cell with a backslash before it; save the file with doubled quotes "
        '("") instead'
    )


def test_a_backslash_that_escapes_nothing_stays_a_backslash(read):
    partition = read('x,g\n1.5,"C:\\"\n2.5,"say \\""hi"\n3.5,"\\"\n4.5,a\\b\n')
    assert values(partition, "g") == ["C:\\", 'say \\"hi', "\\", "a\\b"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark_is_refused_with_the_declaration_that_reads_it(read, tmp_path, encoding):
    assert f'declare encoding = "{encoding}" in [schema]' in refusal(read, "x,g\n1.5,a\n2.5,b\n", encoding=encoding)
    settings = make_settings({"schema": {"encoding": encoding}})
    assert values(read_inputs(tmp_path / "t.csv", tmp_path / "t.csv", None, settings), "g") == ["a", "b"]


@pytest.mark.parametrize("cells", [["31JAN2020", "01FEB2021", "02FEB2021", "03FEB2021", "04FEB2021"]])
@pytest.mark.parametrize("stored", [True, False])
def test_dates_of_sas_beside_dates_of_another_tool_are_refused_and_read_once_declared(tmp_path, cells, stored):
    """As categories no day of one file would be one of the other, and a copy of every day would be none."""
    days = pd.to_datetime(pd.Series(cells), format="%d%b%Y")
    path = tmp_path / "sas.csv"
    pd.DataFrame({"day": cells, "x": range(5)}).to_csv(path, index=False)
    other = pd.DataFrame({"day": days if stored else days.astype(str), "x": range(5)})
    with pytest.raises(InputError, match=r"look like dates of a form that is not known: .* declare their date_format"):
        read_inputs(other, path, None, Settings())
    form = {"schema": {"columns": {"day": {"kind": "datetime", "date_format": "%d%b%Y"}}}}
    if stored:
        partition = read_inputs(other, path, None, make_settings(form))
        assert partition.synthetic.frame["day"].tolist() == partition.original.frame["day"].tolist()


def test_some_dates_that_are_no_days_stay_categories(read):
    partition = read(pd.DataFrame({"day": ["2020-01-31", "2020-02-30", "2020-03-01"]}))
    assert kinds(partition) == {"day": "categorical"}
