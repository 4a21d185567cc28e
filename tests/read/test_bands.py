"""Parts of a table that may be named: no rare level, no extreme value, hostile names on one line."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.read.align import align
from reportgen.read.bands import regions_of
from reportgen.read.tables import read_table
from reportgen.settings import Settings


def parts(original, holdout=None):
    """Names of the parts of a one-column table, and the rows in them."""
    tables = [pd.DataFrame(original), pd.DataFrame(original), pd.DataFrame(original if holdout is None else holdout)]
    for table in tables:
        table["other"] = np.arange(len(table)) * 1.7
    read = [read_table(table, name) for table, name in zip(tables, ("original", "synthetic", "holdout"), strict=True)]
    partition = align(*read, Settings())
    return {part.name: part.rows for part in regions_of(partition, partition.columns[0])}


def test_categories_of_five_original_rows_are_named_and_rarer_ones_are_not():
    kinds = {"job": ["cook"] * 20 + ["judge"] * 5 + ["pope"] * 4}
    found = parts(kinds, {"job": ["cook"] * 20 + ["judge"] * 5 + ["pope"] * 20})
    assert list(found) == ["job is 'cook'", "job is 'judge'"]  # 24 popes are real, but only 4 of them original
    assert found["job is 'judge'"].sum() == 10
    assert found["job is 'judge'"].tolist().index(True) == 20


def test_missing_values_are_a_part_of_their_own():
    assert list(parts({"job": ["cook"] * 10 + [None] * 6})) == ["job is missing", "job is 'cook'"]
    found = parts({"pay": [1.0] * 10 + [np.nan] * 6 + [2.0] * 10})
    assert found["pay is missing"].sum() == 12
    # Deciles of ten 1 and ten 2: the cut at 2 leaves the missing rows on neither side.
    assert found["pay is 2 or more"].sum() == found["pay is below 2"].sum() == 20


def test_a_column_of_one_level_has_no_part():
    assert parts({"job": ["cook"] * 30}) == {}


def test_bands_end_at_deciles_of_two_digits():
    # 0 to 1990 in steps of 10: the deciles are 199, 398, …, 1791, rounded 200, 400, …, 1800.
    found = parts({"pay": np.arange(200) * 10.0})
    assert "pay is below 200" in found
    assert "pay is from 200 to below 400" in found
    assert "pay is from 200 to below 600" in found
    assert "pay is 1,800 or more" in found
    assert "pay is from 200 to below 800" not in found
    assert found["pay is from 200 to below 400"].sum() == 40
    assert found["pay is 1,800 or more"][:200].tolist() == [False] * 180 + [True] * 20


def test_dates_are_cut_at_years_and_within_one_year_at_months():
    days = pd.date_range("2001-01-01", periods=100, freq="73D", tz="UTC")
    assert "day is from 2004 to below 2006" in parts({"day": days})
    within = parts({"day": pd.date_range("2001-01-01", periods=100, freq="3D", tz="UTC")})
    assert "day is from 2001-03 to below 2001-04" in within


def test_booleans_and_whole_numbers_are_read_as_they_are():
    assert set(parts({"member": [True] * 12 + [False] * 8})) == {"member is 'True'", "member is 'False'"}
    assert "age is 40 or more" in parts({"age": [20] * 30 + [40] * 30})
    assert "age is 2,000 or more" in parts({"age": [10**3] * 30 + [2 * 10**3] * 30})


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("<b>a\nb</b>", r"job is '<b>a\nb</b>'"),
        ("\u202ecba", r"job is '\u202ecba'"),
        ("x" * 200, "job is '" + "x" * 29 + "…" + "x" * 29 + "'"),
        ("漢字 'a', \"b\"", "job is '漢字 'a', \"b\"'"),
    ],
)
def test_hostile_names_stay_on_one_line(level, shown):
    assert shown in parts({"job": [level] * 10 + ["cook"] * 10})
    assert shown.replace("job", "a\\nb", 1) in parts({"a\nb": [level] * 10 + ["cook"] * 10})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.floats(-1e9, 1e9), st.sampled_from([0.0, 1e12, -1e12, 3.25])), min_size=20, max_size=120))
def test_an_end_of_a_band_has_five_original_rows_on_either_side(values):
    values = np.array(values)
    for name in parts({"pay": values}):
        if "missing" in name:
            continue
        ends = [float(end) for end in re.findall(r"-?\d[\d.]*(?:e[+-]\d+)?", name.replace(",", "").replace("−", "-"))]
        assert ends, name
        for end in ends:
            assert float(f"{end:.1e}") == end
            assert (values < end).sum() >= 5
            assert (values >= end).sum() >= 5
