"""Which rows make the holdout."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.read.division import blocks_of, choose, content_numbers, strata_of
from reportgen.read.partition import ColumnSchema

TOWN = ColumnSchema("town", "categorical")


def numbers(size):
    return np.arange(size, dtype=np.uint64)


def test_persons_and_identical_rows_join_blocks_through_each_other():
    # Rows 0 and 1 are one person, 1 and 2 are identical, 3 stands alone: {0, 1, 2} and {3}.
    assert blocks_of(np.array([0, 1, 1, 2]), np.array([5, 5, 7, 9])).tolist() == [0, 0, 0, 1]


def test_single_rows_are_drawn_in_exactly_the_share_of_each_stratum():
    strata = np.repeat([0, 1, 2], [10, 20, 5])
    held = choose(np.arange(35), numbers(35), strata, 0.2, 0)
    assert [int(held[strata == one].sum()) for one in range(3)] == [2, 4, 1]


def test_shares_that_are_no_whole_rows_add_up_to_the_fraction_of_all():
    strata = np.repeat(np.arange(10), 3)  # .2 of 3 is .6: 6 of the 10 strata give a row
    assert choose(np.arange(30), numbers(30), strata, 0.2, 0).sum() == 6


def test_the_draw_goes_by_content_not_by_place():
    frame = pd.DataFrame({"town": [f"town {place}" for place in range(50)]})
    turned = frame.iloc[::-1].reset_index(drop=True)
    held = [
        set(one["town"][choose(np.arange(50), content_numbers(one, [TOWN]), np.zeros(50, int), 0.3, 7)])
        for one in (frame, turned)
    ]
    assert held[0] == held[1]
    assert len(held[0]) == 15


def test_another_seed_draws_other_rows():
    drawn = [choose(np.arange(99), numbers(99), np.zeros(99, int), 0.3, seed).tolist() for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_block_too_large_for_the_holdout_stays_out_of_it():
    blocks = np.array([0] * 60 + list(range(1, 41)))
    held = choose(blocks, numbers(100), np.zeros(100, int), 0.2, 0)
    assert held.sum() == 20
    assert not held[:60].any()


def test_numbers_of_many_values_are_cut_into_ten_bands_and_missing_is_its_own():
    series = pd.Series([*map(float, range(100)), np.nan])
    strata = strata_of(series, ColumnSchema("age", "numeric"))
    assert np.bincount(strata).tolist() == [1, *[10] * 10]


@pytest.mark.parametrize(
    ("series", "kind"),
    [
        (pd.Series([*range(100), pd.NA], dtype="Int64"), "numeric"),
        (pd.Series([*range(100), None], dtype=object), "numeric"),
        (pd.Series([*pd.date_range("2020-01-01", periods=100, tz="UTC"), pd.NaT]), "datetime"),
    ],
)
def test_every_way_to_hold_numbers_and_times_is_cut_alike(series, kind):
    assert np.bincount(strata_of(series, ColumnSchema("age", kind))).tolist() == [1, *[10] * 10]


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=4, max_size=60),
    st.floats(0.05, 0.95),
    st.integers(0, 5),
)
def test_no_block_is_ever_divided(rows, fraction, seed):
    identical, persons = np.array(rows).T
    blocks = blocks_of(identical, persons)
    held = choose(blocks, identical.astype(np.uint64), persons % 3, fraction, seed)
    for of in (identical, persons):
        assert not set(of[held]) & set(of[~held])
