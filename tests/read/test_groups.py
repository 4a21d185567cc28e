import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.read.align import align
from reportgen.read.groups import identical_rows, near_twins, repeated_rows
from reportgen.read.tables import read_table
from reportgen.settings import Settings


def partition(original, synthetic, holdout=None, **options):
    return align(
        read_table(pd.DataFrame(original), "original"),
        read_table(pd.DataFrame(synthetic), "synthetic"),
        None if holdout is None else read_table(pd.DataFrame(holdout), "holdout"),
        Settings(**options),
    )


def test_equal_rows_of_all_tables_share_an_id():
    groups = identical_rows(
        partition({"x": [1.5, 2, 1.5], "c": ["a", "b", "a"]}, {"x": [2, 2], "c": ["b", "a"]}, {"x": [2], "c": ["a"]})
    )
    first, second, third = groups.original
    assert first == third != second
    assert groups.synthetic[0] == second
    assert groups.holdout[0] == groups.synthetic[1]
    assert len({first, second, groups.holdout[0]}) == 3
    assert groups.original.dtype == np.int64


@pytest.mark.parametrize("columns", [["x"], ["x", "c"]])
def test_ids_run_from_0_in_the_order_of_first_appearance(columns):
    frame = pd.DataFrame({"x": [0.5, 2, 0.5, 9], "c": ["a", "b", "a", "b"]})[columns]
    groups = identical_rows(partition(frame, frame.iloc[::-1]))
    assert groups.original.tolist() == [0, 1, 0, 2]
    assert groups.synthetic.tolist() == [2, 0, 1, 0]


def test_there_are_no_holdout_ids_without_a_holdout():
    assert identical_rows(partition({"x": [1, 9]}, {"x": [1, 9]})).holdout is None


def test_negative_zero_equals_zero_and_missing_equals_missing():
    groups = identical_rows(
        partition(
            {"x": [0.0, np.nan, 0.5], "c": ["a", None, "b"]},
            {"x": [-0.0, np.nan, 0.5], "c": ["a", None, None]},
        )
    )
    assert groups.synthetic[:2].tolist() == groups.original[:2].tolist()
    assert groups.synthetic[2] not in groups.original


def test_integers_beyond_2_to_the_53_are_equal_only_if_equal():
    groups = identical_rows(partition({"x": [2**53, 5, 5]}, {"x": [2**53 + 1, 2**53, 5]}))
    assert groups.synthetic.tolist()[1:] == groups.original.tolist()[:2]
    assert groups.synthetic[0] not in groups.original


def test_large_integers_beside_fractions_are_equal_only_if_equal():
    groups = identical_rows(partition({"x": [str(2**53), "5", "0.5"]}, {"x": [str(2**53 + 1), f"{2**53}.0", "5.0"]}))
    assert groups.synthetic.tolist()[1:] == groups.original.tolist()[:2]
    assert groups.synthetic[0] not in groups.original


def test_an_integer_equals_the_float_of_the_same_number():
    groups = identical_rows(partition({"x": [1, 9, 9]}, {"x": [1.0, 9.5]}))
    assert groups.synthetic[0] == groups.original[0]
    assert groups.synthetic[1] not in groups.original


def test_columns_that_are_left_out_do_not_tell_rows_apart():
    groups = identical_rows(partition({"x": [1, 1, 5], "k": [1, 2, 3]}, {"x": [1], "k": [9]}, key=("k",)))
    assert groups.original[0] == groups.original[1] == groups.synthetic[0]


def test_repeated_rows_are_those_beyond_the_first():
    assert repeated_rows(np.array([4, 2, 4, 4, 2, 7])) == 3
    assert repeated_rows(np.array([1])) == 0


def test_near_twins_agree_on_all_columns_but_one():
    rows = {"a": [1, 1, 2], "b": ["x", "x", "y"], "c": [0.5, 1.5, 2.5]}
    assert near_twins(partition(rows, rows))
    assert not near_twins(partition(rows | {"b": ["x", "z", "y"]}, rows))


def test_identical_rows_are_no_near_twins():
    rows = {"a": [1, 1, 2], "b": ["x", "x", "y"], "c": [0.5, 0.5, 2.5]}
    assert not near_twins(partition(rows, rows))


def test_near_twins_may_lie_in_original_and_holdout_but_not_in_synthetic():
    rows, twin = {"a": [1.5, 2], "b": ["x", "y"]}, {"a": [1.5, 5], "b": ["z", "w"]}
    assert near_twins(partition(rows, rows, twin))
    assert not near_twins(partition(rows, twin))


ROW = st.tuples(st.sampled_from([0.5, 1, 2]), st.sampled_from("ab"), st.sampled_from([True, False, None]))


@settings(deadline=None, max_examples=40)
@given(st.lists(ROW, min_size=3, max_size=12), st.lists(ROW, min_size=1, max_size=6), st.randoms())
def test_groups_and_near_twins_agree_with_comparing_every_pair(real, synthetic, random):
    real = [(0.5, "a", True), (2, "b", False), *real]  # so that no column is constant
    random.shuffle(real)
    given_tables = partition(pd.DataFrame(real, columns=list("xyz")), pd.DataFrame(synthetic, columns=list("xyz")))
    groups = identical_rows(given_tables)
    ids = [*groups.original, *groups.synthetic]
    rows = [*real, *synthetic]
    assert all((ids[i] == ids[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i))
    different = sorted(set(real), key=repr)
    pairs = [(a, b) for a in different for b in different if a != b]
    assert near_twins(given_tables) == any(sum(p != q for p, q in zip(a, b, strict=True)) == 1 for a, b in pairs)


def test_the_shared_leaky_control_holds_the_copies_its_source_names(shared):
    # SOURCES.md: 4.95 % of 2000 rows are identical to training rows; syn_mostly has none
    tables = [
        read_table(shared / "data" / "census2k" / f"census2k-{name}.csv.gz", role)
        for name, role in (("trn", "original"), ("syn_flip30", "synthetic"), ("syn_mostly", "synthetic"))
    ]
    for table, copies in ((tables[1], 99), (tables[2], 0)):
        groups = identical_rows(align(tables[0], table, None, Settings()))
        assert np.isin(groups.synthetic, groups.original).sum() == copies


@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_of_rows_does_not_change_which_are_equal(seed):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": random.integers(0, 3, 50), "c": random.choice(list("ab"), 50)})
    order = random.permutation(50)
    straight = identical_rows(partition(frame, frame)).original
    shuffled = identical_rows(partition(frame.iloc[order], frame)).original
    assert ((straight[order][:, None] == straight[order]) == (shuffled[:, None] == shuffled)).all()


def test_rows_of_one_person_are_no_near_twins():
    table = {"who": ["a", "a", "b", "c"], "x": [1.5, 1.5, 9, 7], "y": [1.5, 2, 3, 4], "z": [5, 5, 6, 7]}
    assert near_twins(partition(table, table, key="who"))
    assert not near_twins(partition(table, table, group="who"))


def test_rows_of_two_persons_are_near_twins_even_where_one_repeats_the_row():
    table = {"who": ["a", "a", "b", "c"], "x": [1.5, 1.5, 1.5, 7], "y": [1, 1, 3, 4], "z": [5, 5, 5, 7]}
    assert near_twins(partition(table, table, group="who"))


def test_two_persons_with_the_very_same_row_are_no_near_twins():
    table = {"who": ["a", "a", "b", "c"], "x": [1.5, 1.5, 1.5, 7], "y": [1, 1, 1, 4], "z": [5, 5, 5, 7]}
    assert not near_twins(partition(table, table, group="who"))
