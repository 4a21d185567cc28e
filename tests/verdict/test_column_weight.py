"""A column is said to weigh heavily where it does, and not because there are few columns."""

import numpy as np
import pandas as pd

import reportgen


def _heavy(levels):
    random = np.random.default_rng(0)
    tables = [
        pd.DataFrame(random.normal(size=(200, 2)), columns=["x", "y"]).assign(z=random.permutation(200) % levels)
        for _ in range(2)
    ]
    found = reportgen.assess(*tables, metric=["exact_copies"], categorical=["z"]).findings
    return [one.text.split()[1] for one in found if one.code == "column_dominates"]


def test_equal_shares_of_three_columns_are_no_finding():
    assert _heavy(2) == []


def test_a_column_of_many_levels_beside_two_numbers_is_one():
    assert _heavy(10) == ["z"]
