import io

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.read.kinds import understand
from reportgen.read.tables import read_table

ROLES = ("original", "synthetic", "holdout")


def tables(*given):
    """Each given list is the column x of one table: a list of strings as a text column, other values as they are."""
    return [
        read_table(values if isinstance(values, pd.DataFrame) else pd.DataFrame({"x": values}), role)
        for values, role in zip(given, ROLES, strict=False)
    ]


def understood(*given, forced=None):
    return understand(tables(*given), ["x"], {} if forced is None else {"x": forced})["x"]


def values(column):
    return [[None if pd.isna(value) else value for value in s] for s in column.series]


def refusal(*given, forced=None):
    with pytest.raises(InputError) as caught:
        understood(*given, forced=forced)
    text = str(caught.value)
    assert "\n" not in text
    assert "'x'" in text
    return text


def test_whole_numbers_are_integers_whether_written_with_a_point_or_not():
    column = understood(["1", "-2", "+3"], ["1.0", "2.", "1e1"])
    assert values(column) == [[1, -2, 3], [1, 2, 10]]
    assert [s.dtype for s in column.series] == ["Int64", "Int64"]


def test_integers_and_floats_of_the_same_numbers_are_equal_across_formats():
    column = understood([1, 2, 3], [1.0, np.nan, 3.0], ["1", "", "3.0"])
    assert values(column) == [[1, 2, 3], [1, None, 3], [1, None, 3]]


def test_one_fraction_makes_the_column_float_in_every_table():
    column = understood(["1", "2"], ["1.5", ".5"])
    assert [s.dtype for s in column.series] == ["float64", "float64"]
    assert values(column) == [[1.0, 2.0], [1.5, 0.5]]


def test_negative_zero_becomes_zero():
    column = understood([-0.0, 1.5], ["-0.0", "2"])
    assert not any(np.signbit(s).any() for s in column.series)


def test_integers_beyond_2_to_the_53_stay_exact():
    # 2^53 and 2^53 + 1 are one number in float64
    column = understood(["9007199254740992", "9007199254740993"], ["9007199254740993.0", "1"])
    assert values(column) == [[2**53, 2**53 + 1], [2**53 + 1, 1]]
    assert column.series[0].dtype == "Int64"


def test_large_integers_beside_fractions_stay_exact():
    column = understood(["9007199254740993", "1.5", ""], [1.0, 9007199254740992.0, 3.0])
    assert values(column) == [[2**53 + 1, 1.5, None], [1, 2**53, 3]]
    assert column.series[0].dtype == object


def test_integers_beyond_64_bits_stay_exact():
    column = understood([str(10**30), str(10**30 + 1)], pd.DataFrame({"x": np.array([2**64 - 1], "u8")}))
    assert values(column) == [[10**30, 10**30 + 1], [2**64 - 1]]


@pytest.mark.parametrize("mark", ["?", "NA", "N/A", "NaN", "nan", "null", "NULL", ""])
def test_marks_are_missing_in_every_column_and_named(mark):
    for others in (["1", "2"], ["a", "b"], ["2020-01-01", "2020-01-02"], ["yes", "no"]):
        column = understood([*others, *([mark] * 5)], others)
        assert values(column)[0][-1] is None
        assert list(column.missing_marks) == ([mark] if mark else [])
        assert column.different_marks == len(column.missing_marks)


def test_a_mark_is_kept_with_the_original_rows_that_hold_it():
    column = understood(["1", "NULL", "2", "NULL"], ["?", "NULL"])
    assert {mark: rows.tolist() for mark, rows in column.missing_marks.items()} == {"NULL": [1, 3]}
    assert column.different_marks == 2


@pytest.mark.parametrize("mark", ["N", "-", "None"])
def test_other_marks_are_missing_only_among_numbers_and_dates(mark):
    assert values(understood(["1", mark], ["1", "2"]))[0] == [1, None]
    assert values(understood(["2020-01-01", mark], ["2020-01-01"]))[0][1] is None
    assert values(understood(["a", mark], ["a", "b"]))[0] == ["a", mark]


def test_a_table_of_nothing_but_such_a_mark_is_missing_beside_numbers():
    assert values(understood(["N", "N"], ["1", "2"])) == [[None, None], [1, 2]]


def test_a_column_missing_in_one_table_takes_the_kind_of_the_others():
    for nothing in (["", "?"], [np.nan, np.nan], pd.DataFrame({"x": pd.to_datetime([None, None])})):
        assert understood(nothing, ["1", "2"]).kind == "numeric"
        assert understood(["a", "b"], nothing).kind == "categorical"
        assert understood(["2020-01-01", "2020-01-02"], nothing).kind == "datetime"
        assert values(understood(nothing, [True, False])) == [[None, None], [True, False]]


def test_a_column_missing_everywhere_is_a_category():
    column = understood(["", ""], [None, None])
    assert column.kind == "categorical"
    assert values(column) == [[None, None], [None, None]]


@pytest.mark.parametrize("words", [("true", "false"), ("YES", "No"), ("T", "f"), ("y", "N")])
def test_words_for_true_and_false_are_boolean_in_any_case(words):
    column = understood([words[0], words[1], ""], [True, False, None])
    assert column.kind == "boolean"
    assert values(column) == [[True, False, None], [True, False, None]]
    assert [s.dtype for s in column.series] == ["boolean", "boolean"]


def test_zero_and_one_are_boolean_only_beside_words():
    assert understood(["0", "1"], [0, 1]).kind == "numeric"
    column = understood(["0", "1"], ["yes", "no"], [1.0, np.nan])
    assert column.kind == "boolean"
    assert values(column) == [[False, True], [True, False], [True, None]]


def test_other_numbers_beside_truth_values_are_an_error():
    text = refusal(["0", "2"], ["yes", "no"])
    assert "numbers in DataFrame (original) and truth values in DataFrame (synthetic)" in text
    assert "--categorical 'x'" in text


def test_one_sex_only_in_a_small_table_is_no_truth_value():
    assert values(understood(["F", "M"], ["F", "F"])) == [["F", "M"], ["F", "F"]]


def test_two_letters_of_different_pairs_are_categories():
    assert understood(["F", "N"], ["F", "N"]).kind == "categorical"


def test_numbers_in_one_table_and_words_in_another_are_an_error_without_their_values():
    text = refusal(["1", "2"], ["1", "secret"])
    assert "numbers in DataFrame (original) and words in DataFrame (synthetic)" in text
    assert "secret" not in text


def test_categorical_is_the_way_out_of_the_conflict():
    column = understood([1.0, 2.0, np.nan], ["1", "secret", "2.0"], forced="categorical")
    assert values(column) == [["1", "2", None], ["1", "secret", "2"]]


def test_a_declared_category_beside_numbers_is_a_category():
    frame = pd.DataFrame({"x": pd.Categorical(["1", "2"])})
    assert values(understood(frame, [1, 2])) == [["1", "2"], ["1", "2"]]
    assert understood(frame, ["1", "2.0"]).kind == "categorical"


def test_postal_codes_with_leading_zeros_are_categories():
    column = understood(["01234", "99999"], ["12345", "12346"])
    assert values(column) == [["01234", "99999"], ["12345", "12346"]]
    assert any("leading zeros" in remark for remark in column.remarks)
    assert refusal(["01234", "99999"], [1234, 99999])


def test_numeric_reads_leading_zeros_as_numbers():
    assert values(understood(["007", "1"], ["7", "1"], forced="numeric")) == [[7, 1], [7, 1]]


def test_numeric_refuses_words():
    text = refusal(["1", "2"], ["1", "secret"], forced="numeric")
    assert "DataFrame (synthetic): column 'x' holds words" in text
    assert "secret" not in text


def test_numeric_makes_numbers_of_stored_truth_values():
    assert values(understood([True, False], ["1", "0"], forced="numeric")) == [[1, 0], [1, 0]]


def test_decimal_commas_are_read_and_said():
    column = understood(["1,5", "2", "1.234,25"], ["1.5", "2", "1234.25"])
    assert values(column) == [[1.5, 2.0, 1234.25]] * 2
    assert column.remarks == ("Decimal commas in DataFrame were read as decimal points.",)


def test_commas_between_thousands_are_read_and_said():
    column = understood(["1,234.5", "1,234,567"], ["1234.5", "1234567"])
    assert values(column) == [[1234.5, 1234567.0]] * 2
    assert "thousands" in column.remarks[0]


def test_a_comma_before_three_digits_stays_open_and_is_said():
    column = understood(["1,234", "5"], ["6,789", "5"])
    assert column.kind == "categorical"
    assert "decimals or thousands" in column.remarks[0]
    assert "decimals or thousands" in refusal(["1,234", "5"], [1, 2])


@pytest.mark.parametrize(("elsewhere", "expected"), [("0,5", 1.234), ("0.5", 1234)])
def test_another_column_of_the_table_settles_an_open_comma(elsewhere, expected):
    given = tables(*[pd.DataFrame({"x": ["1,234"], "y": [elsewhere]})] * 2)
    assert understand(given, ["x"], {})["x"].series[0].tolist() == [expected]


def test_a_point_before_three_digits_is_between_thousands_where_decimals_have_commas():
    given = tables(*[pd.DataFrame({"x": ["1.234"], "y": ["0,5"]})] * 2)
    column = understand(given, ["x"], {})["x"]
    assert column.series[0].tolist() == [1234]
    assert "thousands" in column.remarks[0]


@pytest.mark.parametrize("infinite", ["inf", "-Infinity", "1e999", np.inf])
def test_an_infinite_number_is_an_error_naming_table_and_column(infinite):
    given = ["1.5", infinite] if isinstance(infinite, str) else [1.5, infinite]
    assert "DataFrame (synthetic): column 'x' holds infinite values" in refusal(["1", "2"], given)


def test_numbers_whose_variance_overflows_are_an_error():
    assert "variance overflows" in refusal(["1e200", "-1e200"], ["1", "2"])
    assert "variance overflows" in refusal(["1", "2"], [1e300, -1e300])


def test_the_table_with_the_largest_number_is_named():
    assert "DataFrame (synthetic): column 'x'" in refusal(["1", "2"], [1e300, -1e300])
    assert "DataFrame (original): column 'x'" in refusal([1e200, -1e200], ["1", "2"])


def test_numbers_below_that_are_read():
    assert understood(["1e100", "-1e100"], ["1", "2"]).kind == "numeric"


def test_dates_of_many_forms_in_one_column_are_one_kind():
    column = understood(
        ["2020-01-31", "2020/1/31", "31.1.2020", "2020-01-31T00:00Z", "2020-01-31 01:00:00.000+01:00", "31/1/2020"],
        pd.DataFrame({"x": pd.to_datetime(["2020-01-31"])}),
    )
    assert column.kind == "datetime"
    assert [s.dtype for s in column.series] == ["datetime64[us, UTC]"] * 2
    assert {value for s in values(column) for value in s} == {pd.Timestamp("2020-01-31", tz="UTC")}
    assert column.remarks == ("Dates such as 1/2/2020 in DataFrame were read day first.",)


def test_fractions_of_seconds_are_kept_to_the_microsecond():
    column = understood(["2020-01-31T12:34:56.123456789", "1969-12-31 23:59:59,5"], ["2020-01-31"])
    assert values(column)[0] == [
        pd.Timestamp("2020-01-31T12:34:56.123456Z"),
        pd.Timestamp("1969-12-31T23:59:59.5Z"),
    ]


def test_one_day_above_twelve_settles_the_order_for_all_tables():
    column = understood(["1/2/2020", "3/2/2020"], ["2/13/2020"])
    assert values(column)[0] == [pd.Timestamp("2020-01-02", tz="UTC"), pd.Timestamp("2020-03-02", tz="UTC")]


@pytest.mark.parametrize("dates", [["1/2/2020", "2/3/2020"], ["13/1/2020", "1/13/2020"], ["2020-02-30", "2020-01-01"]])
def test_dates_that_are_open_or_no_days_are_categories_and_said(dates):
    column = understood(dates, dates)
    assert column.kind == "categorical"
    assert "dates" in column.remarks[0]


def test_dates_beside_other_texts_are_categories_and_said():
    column = understood(["2020-01-01", "2020-01-02"], ["2020-01-01", "soon"])
    assert column.kind == "categorical"
    assert column.remarks == ("Not all of its values can be read as dates: read as categories.",)


def test_stored_times_beside_words_are_an_error():
    assert "dates in DataFrame (original) and words" in refusal(
        pd.DataFrame({"x": pd.to_datetime(["2020-01-31"])}), ["soon"]
    )


def test_years_beside_dates_are_an_error():
    assert "numbers" in refusal(["2020", "2021"], ["2020-01-01"])


def test_categories_keep_case_and_whole_numbers_among_them_lose_the_point():
    assert values(understood(["a", "A", "1.0", "1.10"], ["1", "b"])) == [["a", "A", "1", "1.10"], ["1", "b"]]


def test_truth_words_beside_a_third_word_are_categories():
    assert values(understood(["Yes", "No"], ["Yes", "maybe"])) == [["Yes", "No"], ["Yes", "maybe"]]


def test_a_column_that_nothing_is_measured_on_never_stops_the_run():
    column = understand(tables(["1", "inf"], ["word", "2"]), ["x"], {}, lenient=["x"])["x"]
    assert values(column) == [["1", "inf"], ["word", "2"]]


def test_whole_says_that_the_real_tables_write_integers():
    assert understood(["1", "2"], ["1.5"]).whole
    assert not understood(["1.0", "2.0"], ["1"]).whole
    assert not understood(["1", "2"], ["1"], ["1.0"]).whole


def test_a_hostile_name_is_shown_on_one_line():
    name = "a\nb\u202e" + "c" * 200
    given = [read_table(pd.DataFrame({name: v}), r) for v, r in ((["1"], "original"), (["w"], "synthetic"))]
    with pytest.raises(InputError) as caught:
        understand(given, [name], {})
    assert r"a\nb\u202ecc" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_kinds_of_the_shared_student_table(shared):
    folder = shared / "data" / "student_placements"
    given = [
        read_table(folder / f"student_placements_{name}.csv", role)
        for name, role in (("real", "original"), ("synthetic", "synthetic"))
    ]
    kinds = {name: column.kind for name, column in understand(given, list(given[0].columns), {}).items()}
    assert {name for name, kind in kinds.items() if kind == "datetime"} == {"start_date", "end_date"}
    assert {name for name, kind in kinds.items() if kind == "boolean"} == {"work_experience", "placed"}
    assert {name for name, kind in kinds.items() if kind == "categorical"} == {
        "gender", "high_spec", "degree_type", "mba_spec",
    }  # fmt: skip


def test_text_and_typed_forms_of_one_table_agree():
    frame = pd.DataFrame({"x": [0.1, 1 / 3, 1e-300, 123456789.123, np.nan]})
    text = pd.read_csv(io.StringIO(frame.to_csv(index=False)), dtype=str, keep_default_na=False)
    one, other = understood(frame, text).series
    pd.testing.assert_series_equal(one, other)


def test_truth_values_that_no_other_table_knows_are_refused():
    text = refusal(["True", "False"], ["ja", "nein"])
    assert "truth values in DataFrame (original) and words in DataFrame (synthetic)" in text
    assert "--categorical 'x'" in text
    # One of them alone may be a category by chance.
    assert understood(["a", "b"], ["a", "b"], ["n", "n"]).kind == "categorical"
    assert understood(["yes", "no"], ["yes", "no", "maybe"]).kind == "categorical"
