import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.read.align import align
from reportgen.read.summary import describe_columns
from reportgen.read.tables import read_table
from reportgen.settings import Settings

LETTERS = list("abcdefghij")


def aligned(original, synthetic=None, holdout=None, **settings):
    synthetic = original if synthetic is None else synthetic
    return align(
        read_table(pd.DataFrame(original), "original"),
        read_table(pd.DataFrame(synthetic), "synthetic"),
        None if holdout is None else read_table(pd.DataFrame(holdout), "holdout"),
        Settings(**settings),
    )


def left_out(partition):
    return {column.name: column.left_out for column in partition.columns if not column.used}


def refusal(*args, **settings):
    with pytest.raises(InputError) as caught:
        aligned(*args, **settings)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_the_order_of_columns_is_that_of_the_original():
    partition = aligned({"b": [1, 2], "a": ["x", "y"]}, {"a": ["y", "y"], "b": [1, 5]})
    assert [column.name for column in partition.columns] == ["b", "a"]
    assert list(partition.synthetic.frame.columns) == ["b", "a"]
    assert partition.synthetic.frame["b"].tolist() == [1, 5]


def test_one_number_column_of_five_rows_is_measured_on():
    # consecutive to within twice their count would be a range of at most 2 * 5 = 10 numbers; 0 to 10 are 11
    assert not left_out(aligned({"x": [0, 10, 3, 4, 1]}, {"x": [5]}))


def test_missing_extra_and_renamed_columns_are_named_in_one_line():
    text = refusal({"a": [1], "b": [1], "C": [1]}, {"a": [1], "c": [1], "d": [1]})
    assert text.startswith("DataFrame (synthetic) writes 'C' as 'c'; has no column 'b'; has 'd' besides")
    assert text.endswith("give it the columns of DataFrame (original)")


def test_the_holdout_needs_the_same_columns():
    assert refusal({"a": [1, 2]}, {"a": [1, 2]}, {"b": [1, 2]}).startswith("DataFrame (holdout)")


@pytest.mark.parametrize("option", ["key", "ignore", "numeric", "categorical"])
def test_a_setting_that_names_no_column_is_an_error_with_the_nearest(option):
    text = refusal({"age": [1, 2], "b": [1, 2]}, **{option: ("Age",)})
    assert text == f"--{option}: there is no column 'Age'; did you mean 'age'?"


def test_a_column_cannot_be_both_number_and_category():
    assert "both" in refusal({"a": [1, 2]}, numeric=("a",), categorical=("a",))


def test_keys_and_ignored_columns_are_left_out_with_their_reason():
    partition = aligned({"a": [1, 5], "b": [1, 5], "c": [1.5, 5]}, key=("a",), ignore=("b",))
    assert set(left_out(partition)) == {"a", "b"}
    assert "--key" in left_out(partition)["a"]
    assert "--ignore" in left_out(partition)["b"]


def test_an_ignored_column_may_disagree_or_be_infinite():
    assert left_out(aligned({"a": [1, np.inf], "b": [1, 9]}, {"a": ["x", "y"], "b": [1, 9]}, ignore=("a",)))


def test_a_column_constant_in_the_real_rows_is_left_out():
    partition = aligned({"a": [1, 1], "b": [1, 9]}, {"a": [1, 2], "b": [1, 9]})
    assert set(left_out(partition)) == {"a"}


def test_a_column_that_varies_in_the_holdout_only_is_used():
    assert not left_out(aligned({"a": [1, 1], "b": [1, 9]}, None, {"a": [7, 1], "b": [1, 9]}))


def test_one_value_and_missing_ones_are_no_constant():
    assert not left_out(aligned({"a": [1, None], "b": [1, 9]}))


def test_a_column_missing_in_all_real_rows_is_named():
    partition = aligned({"a": [None, None], "b": [1, 9]}, {"a": [1, 2], "b": [1, 9]})
    assert set(left_out(partition)) == {"a"}
    assert "All its values are missing in the real rows." in partition.columns[0].remarks


def test_a_column_missing_in_all_synthetic_rows_is_used_and_named():
    partition = aligned({"a": [1.5, 2.0], "b": [1, 9]}, {"a": [None, None], "b": [1, 9]})
    assert not left_out(partition)
    assert partition.columns[0].remarks == ("All its values are missing in the synthetic rows.",)


def texts(distinct, rows):
    """Exactly so many distinct texts in so many rows."""
    return [f"t{min(row, distinct - 1)}" for row in range(rows)]


@pytest.mark.parametrize(
    ("distinct", "rows", "expected"), [(18, 20, True), (17, 20, False), (19, 19, False), (90, 100, True)]
)
def test_text_is_an_identifier_from_90_percent_distinct_of_at_least_20(distinct, rows, expected):
    partition = aligned({"a": texts(distinct, rows), "b": np.arange(rows) / 2})
    assert ("a" in left_out(partition)) == expected


def test_missing_texts_do_not_count_as_rows():
    partition = aligned({"a": [*texts(19, 19), None, None], "b": np.arange(21) / 2})
    assert not left_out(partition)


@pytest.mark.parametrize(
    ("words", "distinct", "expected"), [("a b c d", 6, True), ("a b c", 6, False), ("a b c d", 5, False)]
)
def test_free_text_has_more_than_half_distinct_values_and_four_words(words, distinct, expected):
    # the last word makes the text distinct: "a b c d" stands for texts of four words
    stem = words.rsplit(" ", 1)[0]
    partition = aligned({"a": [f"{stem} {t}" for t in texts(distinct, 10)], "b": np.arange(10) / 2})
    assert ("a" in left_out(partition)) == expected


@pytest.mark.parametrize(
    ("name", "numbers", "expected"),
    [
        ("x", [5, 7, 9, 12], True),  # 8 numbers from 5 to 12, twice their count
        ("x", [5, 7, 9, 13], False),
        ("x", [5, 6, 7, 7], False),
        ("x", [5.0, 6.0, 7.0, 8.0], False),
        ("customer_id", [5, 700, 90, 13], True),
        ("ID", [5, 700, 90, 13], True),
        ("index", [5, 700, 90, 13], True),
        ("Unnamed: 0", [5, 700, 90, 13], True),
        ("uuid", [2**60, 2**61, 2**62, 13], True),
        ("customer_id", [5, 5, 90, 13], False),
        ("valid", [5, 700, 90, 13], False),
    ],
)
def test_integers_are_identifiers_when_distinct_and_consecutive_or_named_so(name, numbers, expected):
    partition = aligned({name: numbers, "b": [0.5, 1, 2, 3]})
    assert (name in left_out(partition)) == expected


def test_identifiers_are_judged_on_original_and_holdout_together():
    assert not left_out(aligned({"x": [1, 2], "b": [0.5, 1]}, None, {"x": [2, 3], "b": [0.5, 1]}))
    assert left_out(aligned({"x": [1, 2], "b": [0.5, 1]}, None, {"x": [4, 3], "b": [0.5, 1]}))


def test_dates_are_never_identifiers():
    days = [f"2020-01-{day:02d}" for day in range(1, 29)]
    assert not left_out(aligned({"start_id": days}))


def test_naming_a_column_keeps_it_in():
    numbers = {"x_id": list(range(20)), "t": texts(20, 20), "b": np.arange(20) / 2}
    assert set(left_out(aligned(numbers))) == {"x_id", "t"}
    assert not left_out(aligned(numbers, numeric=("x_id",), categorical=("t",)))


def test_no_column_may_be_left_to_measure_on():
    partition = aligned({"a": [1, 1], "id": [3, 4]})
    assert not partition.used
    assert set(left_out(partition)) == {"a", "id"}


def test_without_projection_all_columns_are_used_as_they_are():
    partition = aligned({"id": [1, 2, 3], "c": [1, 1, 1]}, projection="none")
    assert not left_out(partition)


def test_without_projection_words_and_missing_values_are_errors_naming_the_column():
    assert "column 'a' is categorical" in refusal({"a": ["x", "y"]}, projection="none")
    assert "(synthetic): column 'a' has missing values" in refusal({"a": [1, 2]}, {"a": [1, None]}, projection="none")
    assert not left_out(aligned({"a": [1, 2]}, projection="none"))
    assert set(left_out(aligned({"a": [1, 2], "b": ["x", None]}, projection="none", ignore=("b",)))) == {"b"}


def test_columns_are_described_with_their_missing_and_distinct_values():
    original = {"a": ["x", "?", "y", "x"] * 5, "id": list(range(20))}
    first, second = describe_columns(aligned(original, {"a": ["?", "?"], "id": [1, 2]}))
    assert first.kind == "categorical"
    assert first.used
    assert first.missing.original == 5
    assert first.missing.synthetic == 2
    assert first.missing.holdout is None
    assert first.distinct_original == 2
    assert first.missing_marks == ("?",)
    assert not second.used
    assert second.reason
    assert second.distinct_original == 20


def test_hostile_names_are_aligned():
    names = ["a\nb", 'quote"d', "com,ma", "<b>", "x" * 200, "\u202eabc", "🙂", "petal length (cm)", "trailing "]
    rows = [[float(n) for n in range(len(names))], [n + 0.5 for n in range(len(names))]]
    partition = aligned(pd.DataFrame(rows, columns=names))
    assert [column.name for column in partition.used] == [name.strip() for name in names]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            ("census2k/census2k-trn.csv.gz", "census2k/census2k-syn_mostly.csv.gz", "census2k/census2k-hol.csv.gz"),
            set(),
        ),
        (
            (
                "student_placements/student_placements_real.csv",
                "student_placements/student_placements_synthetic.csv",
            ),
            {"student_id"},
        ),
        (("sdnist_na2019/na2019_1000.csv", "sdnist_na2019/na2019_1000.csv"), {"Unnamed: 0"}),
        (("penguins/penguins_train.csv", "penguins/penguins_BN_syn.csv", "penguins/penguins_test.csv"), set()),
        (("penguins/penguins_train.csv", "penguins/penguins_noise_baseline.csv", "penguins/penguins_test.csv"), set()),
        (("adult100_anonymeter/adults_ori.csv", "adult100_anonymeter/adults_syn.csv"), set()),
        (("sdmetrics_timeseries/timeseries_real.csv", "sdmetrics_timeseries/timeseries_synthetic.csv"), set()),
        (("sdmetrics_multitable/users_real.csv", "sdmetrics_multitable/users_synthetic.csv"), {"user_id"}),
    ],
)
def test_what_is_left_out_of_the_shared_tables(shared, files, expected):
    tables = [read_table(shared / "data" / file, role) for file, role in zip(files, ROLES, strict=False)]
    partition = align(tables[0], tables[1], tables[2] if len(tables) == 3 else None, Settings())
    assert set(left_out(partition)) == expected


ROLES = ("original", "synthetic", "holdout")


def test_a_column_missing_throughout_one_table_is_named_with_it():
    full, empty = {"x": ["a", "b"], "y": [1.5, 2.5]}, {"x": [None, None], "y": [1.5, 2.5]}
    said = {
        "synthetic": aligned(full, empty, full),
        "original": aligned(empty, full, full),
        "holdout": aligned(full, full, empty),
        "real": aligned(empty, full, empty),
    }
    for name, partition in said.items():
        assert partition.columns[0].remarks == (f"All its values are missing in the {name} rows.",)


def marks(original, synthetic, **settings):
    columns = aligned({"x": original}, {"x": synthetic}, **settings).columns[0]
    return columns.missing_marks, columns.other_marks


@pytest.mark.parametrize(("original", "synthetic"), [(4, 0), (0, 9), (4, 9)])
def test_a_mark_that_fewer_than_five_original_rows_hold_is_not_named(original, synthetic):
    assert marks(["1", "2"] + ["NULL"] * original, ["1", "2"] + ["NULL"] * synthetic) == ((), True)


def test_a_declared_mark_is_named_where_five_original_rows_hold_it():
    schema = {"missing": ["-9", "withheld"]}
    five, four = ["1", "-9", "-9.0", "-9", "-9", "-9"], ["withheld"] * 4
    assert marks(five + four, ["1", "2"], schema=schema) == (("-9",), True)
    assert marks(five, ["1", "2"], schema=schema) == (("-9",), False)
    assert marks([1.0, -9.0, -9.0, -9.0, -9.0, -9.0], [1.0, 2.0], schema=schema) == (("-9",), False)


def test_no_mark_is_named_where_no_category_may_be():
    assert marks(["1"] + ["?"] * 9, ["1", "2"], no_category_names=True) == ((), True)


def test_with_persons_a_mark_is_named_where_five_persons_hold_it():
    def found(persons):
        table = {"x": ["1"] + ["?"] * 9, "who": ["a", *persons]}
        return aligned(table, {"x": ["1"], "who": ["z"]}, group="who").columns[0].missing_marks

    assert found("bbbbbcccc") == ()
    assert found("bcdebcdeb") == ()
    assert found("bcdefbcde") == ("?",)
