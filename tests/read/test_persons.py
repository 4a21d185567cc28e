"""The column of --group, and columns that look as if they should be it."""

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import InputError
from reportgen.read.align import align
from reportgen.read.left_out import BY_GROUP
from reportgen.read.person_key import LIKE_A_KEY, likeness, name_of_person
from reportgen.read.reuse import left_out_texts
from reportgen.read.summary import describe_columns
from reportgen.read.tables import read_table
from reportgen.settings import Settings
from reportgen.space.famd import encode


def aligned(original, synthetic=None, holdout=None, **settings):
    return align(
        read_table(pd.DataFrame(original), "original"),
        read_table(pd.DataFrame(original if synthetic is None else synthetic), "synthetic"),
        None if holdout is None else read_table(pd.DataFrame(holdout), "holdout"),
        Settings(**settings),
    )


def refusal(*args, **settings):
    with pytest.raises(InputError) as caught:
        aligned(*args, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


WHO = {"who": ["a", "b", "a", "c"], "x": [1.5, 2, 3, 4], "c": list("uvuv")}


def test_equal_values_are_one_person_on_both_sides():
    found = aligned(WHO, holdout={"who": ["d", "b"], "x": [1.5, 2], "c": ["u", "v"]}, group="who").persons
    assert found.person.tolist() == [0, 1, 0, 2, 3, 1]
    assert found.original.tolist() == [True] * 4 + [False] * 2
    assert found.shared == 1


@pytest.mark.parametrize("values", [["1", "2", "1", "3"], [1, 2, 1, 3], [1.0, 2.0, 1.0, 3.0], list("abac")])
def test_persons_may_be_named_by_numbers_or_words(values):
    assert aligned(WHO | {"who": values}, group="who").persons.person.tolist() == [0, 1, 0, 2]


def test_the_column_is_left_out_of_the_distances_and_checked_for_reuse():
    partition = aligned(WHO, group="who")
    assert {column.name: column.left_out for column in partition.columns if not column.used} == {"who": BY_GROUP}
    assert [codes.name for codes in left_out_texts(partition)] == ["who"]
    assert "--group" in BY_GROUP


def test_an_unknown_column_is_refused_with_the_one_that_was_meant():
    assert refusal(WHO, group="Who") == "--group: there is no column 'Who'; did you mean 'who'?"


@pytest.mark.parametrize("option", ["key", "ignore", "numeric", "categorical"])
def test_a_column_of_persons_that_another_option_names_too_is_refused(option):
    text = refusal(WHO, group="who", **{option: ["who"]})
    assert "'who' is named by both --group and " + f"--{option}" in text


def test_a_real_row_without_a_person_is_refused_by_number_and_never_by_value():
    text = refusal(WHO, holdout=WHO | {"who": ["a", None, "secret", ""]}, group="who")
    assert "(holdout): column 'who' is empty in 2 rows" in text
    assert "secret" not in text


def test_a_synthetic_row_needs_no_person():
    assert aligned(WHO, WHO | {"who": [None] * 4}, group="who").persons.number == 3


def test_one_person_alone_is_refused():
    assert "fewer than two persons" in refusal(WHO | {"who": ["a"] * 4}, WHO, group="who")


def test_a_level_is_rare_when_fewer_than_five_persons_have_it():
    # "x" stands in 20 rows of four persons, "y" in five rows of five persons, "z" in the others.
    who = np.repeat(np.arange(30), 5)
    level = np.where(who < 4, "x", "z").astype(object)
    level[[20, 25, 30, 35, 40]] = "y"
    table = {"who": who, "level": level, "n": np.random.default_rng(0).normal(size=150)}
    assert encode(aligned(table), Settings()).columns["level"].pooled_levels == 0
    assert encode(aligned(table, group="who"), Settings(group="who")).columns["level"].pooled_levels == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [
        *(
            (name, "plainly")
            for name in ("patient_id", "PatientID", "customer no", "id_user", "subjid", "household.key")
        ),
        *((name, "perhaps") for name in ("patient", "store_id", "id", "Subject", "uuid", "ssn", "session-id")),
        *((name, "no") for name in ("age", "worker_class_code", "number", "key", "paid", "users", "member_since", "")),
    ],
)
def test_what_a_name_says_of_persons(name, says):
    assert name_of_person(name) == says


def test_likeness_is_the_part_of_the_difference_that_goes_with_the_value():
    codes = np.repeat(np.arange(50), 4)
    random = np.random.default_rng(0)
    assert likeness(codes, (codes % 2 * 1.0, False), ordered=False) == 1
    assert likeness(codes, (random.normal(size=200), True), ordered=False) == pytest.approx(0, abs=0.15)
    # Variance 1 between and 1 within: one half goes with the value.
    both = np.repeat(random.normal(size=50), 4) + random.normal(size=200)
    assert likeness(codes, (both, True), ordered=False) == pytest.approx(0.5, abs=0.15)
    # A trend along the values is no likeness of one value where values are numbers.
    assert likeness(codes, (codes + random.normal(size=200), True), ordered=True) == pytest.approx(0.1, abs=0.3)
    assert likeness(np.arange(200), (both, True), ordered=False) is None


def panel(persons=60, each=6, seed=0, within=0.2):
    """Repeated measurements: what belongs to the person hardly changes, the visit does."""
    random = np.random.default_rng(seed)
    who = np.repeat(np.arange(persons), each)
    return {
        "number": random.permutation(persons)[who] + 1000,
        "height": random.normal(170, 10, persons)[who].round(1),
        "sex": random.choice(["f", "m"], persons)[who],
        "pulse": random.normal(70, 10, persons)[who] + within * random.normal(size=len(who)),
        "visit": np.tile(np.arange(each), persons),
    }


@pytest.mark.parametrize("name", ["number", "patient_id", "store_id"])
def test_a_key_of_several_rows_is_named(name):
    table = {name if column == "number" else column: values for column, values in panel().items()}
    partition = aligned(table)
    assert (partition.person_key.column, partition.person_key.values, partition.person_key.rows) == (name, 60, 360)
    assert [column.name for column in describe_columns(partition) if LIKE_A_KEY in column.remarks] == [name]


def test_a_key_that_is_named_with_group_is_not_named_again():
    assert aligned(panel(), group="number").person_key is None


def test_a_key_is_found_whatever_the_order_of_rows():
    table = pd.DataFrame(panel())
    assert aligned(table.sample(frac=1, random_state=1)).person_key == aligned(table).person_key


def test_columns_of_people_who_have_one_row_each_are_no_keys():
    random = np.random.default_rng(3)
    rows = 600
    age = random.integers(18, 90, rows)
    table = {
        "person_id": np.arange(rows),
        "age": age,
        "schooling": (age // 10 + random.integers(0, 4, rows)),
        "town": random.choice([f"town {i}" for i in range(40)], rows),
        "region_id": random.integers(0, 12, rows),
        "income": random.lognormal(10, 0.5, rows).round(-2).astype(int),
        "subject": random.choice(["maths", "physics", "music"], rows),
    }
    assert aligned(table).person_key is None


@pytest.mark.parametrize(
    ("original", "synthetic", "key"),
    [
        ("sdmetrics_timeseries/timeseries_real.csv", "sdmetrics_timeseries/timeseries_synthetic.csv", "store_id"),
        ("census2k/census2k-trn.csv.gz", "census2k/census2k-syn_mostly.csv.gz", None),
        ("penguins/penguins_train.csv", "penguins/penguins_BN_syn.csv", None),
        ("adult100_anonymeter/adults_ori.csv", "adult100_anonymeter/adults_syn.csv", None),
        ("sdnist_na2019/na2019_1000.csv", "sdnist_na2019/na2019_1000.csv", None),
        ("student_placements/student_placements_real.csv", "student_placements/student_placements_synthetic.csv", None),
    ],
)
def test_in_public_tables_keys_of_persons_are_named_and_nothing_else(shared, original, synthetic, key):
    tables = [
        read_table(shared / "data" / name, side) for name, side in ((original, "original"), (synthetic, "synthetic"))
    ]
    found = align(*tables, None, Settings()).person_key
    assert (None if found is None else found.column) == key


@pytest.mark.parametrize(
    ("numbers", "checked"), [([1, 2, 1, 3], []), ([71_303_501, 2, 71_303_501, 40_000_003], ["who"])]
)
def test_numbers_of_persons_are_checked_for_reuse_where_they_are_names(numbers, checked):
    partition = aligned(WHO | {"who": numbers}, group="who")
    assert [codes.name for codes in left_out_texts(partition)] == checked
