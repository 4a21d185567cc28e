"""What the user declares of columns and files overrules detection and is binding."""

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.read.summary import describe_columns
from reportgen.runner import read_inputs
from reportgen.settings import make_settings


def read(original, synthetic=None, **options):
    """Read two tables of one column x: lists of texts or other values, or frames."""
    tables = [
        table if isinstance(table, pd.DataFrame) else pd.DataFrame({"x": table})
        for table in (original, original if synthetic is None else synthetic)
    ]
    return read_inputs(tables[0], tables[1], None, make_settings(options))


def column(form, original, synthetic=None, **options):
    return read(original, synthetic, schema={"columns": {"x": form}}, **options)


def values(partition, side="original"):
    return [None if pd.isna(value) else value for value in getattr(partition, side).frame["x"]]


def refusal(form, original, synthetic=None, **options):
    with pytest.raises(InputError) as caught:
        column(form, original, synthetic, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert "secret" not in text
    return text


def test_a_number_may_be_declared_a_category_and_is_then_measured_on():
    partition = column({"kind": "categorical"}, [1, 2, 2.0])
    assert values(partition) == ["1", "2", "2"]
    (described,) = describe_columns(partition)
    assert (described.kind, described.used) == ("categorical", True)
    assert described.remarks == ("Declared categorical in [schema].",)


def test_a_declared_kind_keeps_what_looks_like_an_identifier():
    assert read(list(range(30))).columns[0].left_out
    assert column({"kind": "numeric"}, list(range(30))).columns[0].left_out is None


@pytest.mark.parametrize(("kind", "reason"), [("identifier", "an identifier"), ("ignore", "left out as declared")])
def test_identifiers_and_ignored_columns_are_left_out_with_their_reason(kind, reason):
    (found,) = column({"kind": kind}, [1, 5, 5], ["a", "b", "c"]).columns
    assert reason in found.left_out
    assert "[schema]" in found.left_out
    assert found.kind == "categorical"


def test_declared_numbers_that_are_none_are_counted_and_never_shown():
    text = refusal({"kind": "numeric"}, ["1", "2"], ["secret", "2", "secret", "secret too"])
    assert text == (
        "DataFrame (synthetic): column 'x' holds words in 3 rows, which cannot be read as numbers; correct them, list "
        "them as missing in [schema], or don't call it numeric"
    )


def test_numbers_with_an_open_comma_ask_for_the_declaration():
    assert "in 1 row, which cannot be read as numbers; declare decimal or thousands" in refusal(
        {"kind": "numeric"}, ["1,234", "5"]
    )  # fmt: skip


def test_marks_that_are_declared_are_missing_and_the_usual_ones_are_not():
    partition = column({"kind": "categorical", "missing": ["none", "-9"]}, ["NA", "none", "-9", "-9.0", "", "?"] * 5)
    assert values(partition)[:6] == ["NA", None, None, None, None, "?"]
    assert partition.columns[0].missing_marks == ("-9", "none")


def test_a_declared_mark_is_missing_in_stored_numbers_too():
    partition = column({"missing": ["-9", "unknown"]}, ["1", "-9", "unknown"] * 5, [1.0, -9.0, np.nan])
    assert values(partition)[:3] == [1, None, None]
    assert values(partition, "synthetic") == [1, None, None]
    assert partition.columns[0].missing_marks == ("-9", "unknown")


def test_marks_for_all_columns_are_declared_once():
    partition = read(["a", "none"], schema={"missing": "none"})
    assert values(partition) == ["a", None]


def test_declared_decimals_and_thousands_are_read():
    partition = column({"decimal": ",", "thousands": "."}, ["1.234,5", "2", "-1.000"], [1234.5, 2, -1000])
    assert values(partition) == values(partition, "synthetic") == [1234.5, 2, -1000]
    assert partition.columns[0].kind == "numeric"
    assert values(column({"thousands": "'"}, ["1'234.5", "12"])) == [1234.5, 12]
    assert values(column({"decimal": ",", "thousands": " "}, ["1\u202f234,5", "1\u00a0000", "1 000"])) == [
        1234.5,
        1000,
        1000,
    ]


def test_a_comma_that_detection_leaves_open_is_settled_by_the_declaration():
    assert read(["1,234", "5,678"]).columns[0].kind == "categorical"
    assert values(read(["1,234", "5,678"], schema={"decimal": ","})) == [1.234, 5.678]
    assert values(read(["1,234", "5,678"], schema={"thousands": ","})) == [1234, 5678]


def test_a_number_written_otherwise_than_declared_is_an_error_with_its_count():
    assert "in 2 rows, which cannot be read as numbers" in refusal({"decimal": ","}, ["1,5", "2.5", "1.000,5"])
    assert "in 1 row, which" in refusal({"thousands": ","}, ["1,5", "2.5"])


def test_words_are_words_where_marks_are_declared_for_all_columns():
    partition = read(pd.DataFrame({"x": ["1,5", "2"], "c": ["a,b", "c"]}), schema={"decimal": ","})
    assert [found.kind for found in partition.columns] == ["numeric", "categorical"]


def test_large_whole_numbers_stay_exact_when_declared():
    assert values(column({"thousands": " "}, ["9 007 199 254 740 993", "9007199254740992"])) == [2**53 + 1, 2**53]


def test_a_date_format_is_followed():
    partition = column({"date_format": "%d%b%Y"}, ["01jan2020", "31DEC2020", "."], ["02Feb2021", "", "01Jan1969"])
    assert partition.columns[0].kind == "datetime"
    assert values(partition) == [pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-12-31", tz="UTC"), None]
    assert values(partition, "synthetic")[2] == pd.Timestamp("1969-01-01", tz="UTC")


def test_a_date_format_may_have_a_zone():
    partition = column({"date_format": "%d/%m/%Y %H:%M %z"}, ["31/01/2020 01:30 +0200", "30/01/2020 12:00 +0000"])
    assert values(partition)[0] == pd.Timestamp("2020-01-30 23:30", tz="UTC")


def test_numbers_and_stored_times_are_dates_where_a_format_is_declared():
    partition = column({"date_format": "%Y%m%d"}, [20200131, 20200201], pd.to_datetime(["2020-01-31", None]))
    assert values(partition) == [pd.Timestamp("2020-01-31", tz="UTC"), pd.Timestamp("2020-02-01", tz="UTC")]
    assert values(partition, "synthetic") == [pd.Timestamp("2020-01-31", tz="UTC"), None]


@pytest.mark.parametrize(("day_first", "month"), [(True, 2), (False, 1)])
def test_the_order_of_day_and_month_is_declared_for_one_column_or_all(day_first, month):
    day = 1 if day_first else 2
    expected = [pd.Timestamp(year=2020, month=month, day=day, tz="UTC")] * 2
    assert values(column({"day_first": day_first}, ["1/2/2020", "1/2/2020"])) == expected
    assert values(read(["1/2/2020", "1/2/2020"], schema={"day_first": day_first})) == expected


def test_declared_dates_that_are_none_are_counted_and_never_shown():
    form = {"date_format": "%d.%m.%Y"}
    assert "declared datetime and holds in 2 rows what is no date" in refusal(form, ["secret", "31.2.2020", "1.1.2020"])
    assert "declare a date_format, or day_first" in refusal({"kind": "datetime"}, ["1/2/2020", "3/4/2020"])
    assert "in 2 rows" in refusal({"kind": "datetime"}, [1.5, 2.5])


def test_declared_truth_values_may_be_words_of_several_pairs_and_numbers():
    partition = column({"kind": "boolean"}, ["yes", "F", "1", "0", ""], [1, 0, 0, 1, None])
    assert values(partition) == [True, False, True, False, None]
    assert values(partition, "synthetic") == [True, False, False, True, None]


def test_declared_truth_values_that_are_none_are_counted():
    assert "column 'x' is declared boolean and holds words in 2 rows" in refusal(
        {"kind": "boolean"}, ["yes", "secret", "secret"]
    )  # fmt: skip
    assert "holds numbers in 1 row, which" in refusal({"kind": "boolean"}, [0, 1, 2])
    assert "holds dates in 1 row, which" in refusal({"kind": "boolean"}, pd.to_datetime(["2020-01-01"]))


def test_a_declared_column_that_is_not_there_is_an_error_with_the_nearest():
    with pytest.raises(InputError, match=r"^\[schema\.columns\]: there is no column 'X'; did you mean 'x'\?$"):
        read([1, 2], schema={"columns": {"X": {"kind": "numeric"}}})


@pytest.mark.parametrize("option", ["numeric", "key", "ignore"])
def test_an_option_that_says_otherwise_is_an_error(option):
    text = refusal({"kind": "categorical"}, [1, 2], **{option: "x"})
    assert text == f"column 'x' is declared categorical in [schema] and named by --{option}; choose one"
    assert column({"kind": "categorical"}, [1, 2], categorical="x").columns[0].kind == "categorical"


def two_columns(**options):
    table = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1.5, 2.0, 0.5, 1.0]})
    return read_inputs(table, table, None, make_settings(options))


@pytest.mark.parametrize(
    ("first", "second"),
    [("key", "numeric"), ("key", "categorical"), ("key", "ignore"), ("ignore", "categorical"), ("ignore", "numeric")],
)
def test_two_options_that_contradict_each_other_are_an_error(first, second):
    with pytest.raises(InputError) as caught:
        two_columns(**{first: "x", second: "x"})
    assert str(caught.value) == f"column 'x' is named by both --{first} and --{second}; choose one"
    two_columns(**{first: ["x", "x"], second: "y"})


@pytest.mark.parametrize("kind", ["ignore", "numeric", "categorical"])
def test_a_column_of_persons_is_of_no_other_kind(kind):
    with pytest.raises(InputError) as caught:
        two_columns(group="x", schema={"columns": {"x": {"kind": kind}}})
    assert str(caught.value) == (
        f"column 'x' is declared {kind} in [schema] and named by --group; a column of persons is left out of the "
        "distances as it is, so leave out its kind for it"
    )


def test_a_column_of_persons_may_be_declared_an_identifier_and_have_missing_marks():
    for form in ({"kind": "identifier"}, {"missing": ["-9"]}):
        partition = two_columns(group="x", schema={"columns": {"x": form}})
        assert partition.persons.number == 4


def test_one_column_declared_under_two_spellings_of_its_name_is_an_error():
    with pytest.raises(InputError) as caught:
        make_settings({"schema": {"columns": {"age": {"kind": "numeric"}, " age ": {"kind": "categorical"}}}})
    assert str(caught.value) == (
        "setting 'schema.columns': column 'age' is declared twice, with and without blanks at its ends; leave one"
    )


def test_separator_and_encoding_of_each_file_may_be_declared(tmp_path):
    (tmp_path / "a.csv").write_bytes("x:y\nж,1:2\nщ,1:3\n".encode("koi8-r"))
    (tmp_path / "b.csv").write_bytes("x;y\nж,1;2\n".encode("utf-16-le"))
    schema = {"separator": ":", "encoding": "koi8-r", "synthetic": {"separator": ";", "encoding": "utf-16-le"}}
    partition = read_inputs(tmp_path / "a.csv", tmp_path / "b.csv", None, make_settings({"schema": schema}))
    assert values(partition) == ["ж,1", "щ,1"]
    assert values(partition, "synthetic") == ["ж,1"]
    assert partition.original.remarks == ("The text of a.csv was read as koi8-r.",)


def test_bytes_that_are_not_in_the_declared_encoding_are_an_error(tmp_path):
    (tmp_path / "a.csv").write_bytes("x,y\nä,1\n".encode("latin-1"))
    settings = make_settings({"schema": {"encoding": "utf-8"}})
    with pytest.raises(InputError, match=r"^a\.csv: its text is not utf-8, as \[schema\] declares; correct"):
        read_inputs(tmp_path / "a.csv", tmp_path / "a.csv", None, settings)


def test_a_declared_separator_that_does_not_occur_makes_one_column(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    settings = make_settings({"schema": {"separator": "|"}})
    partition = read_inputs(tmp_path / "a.csv", tmp_path / "a.csv", None, settings)
    assert [found.name for found in partition.columns] == ["x,y"]
