"""Tables of several releases as one."""

import numpy as np
import pandas as pd
import pytest

from reportgen.declared import FileForm
from reportgen.errors import InputError
from reportgen.read.pooling import RememberingReader, pooled
from reportgen.read.tables import read_table


def read(given):
    return read_table(given, "synthetic")


def test_rows_stand_under_each_other_column_by_name():
    one = read(pd.DataFrame({"a": [1, 2], "b": ["x", None]}))
    two = read(pd.DataFrame({"b": ["z"], "a": [3]}))
    both = pooled([one, two], "all")
    assert (both.rows, both.source.name, list(both.columns)) == (3, "all", ["a", "b"])
    assert both.columns["a"].array.to_pylist() == [1, 2, 3]
    texts = both.columns["b"]
    assert [None if code < 0 else texts.distinct[code].as_py() for code in texts.codes] == ["x", None, "z"]


def test_columns_of_other_types_meet_as_their_texts():
    both = pooled([read(pd.DataFrame({"a": [1, 2]})), read(pd.DataFrame({"a": ["3", "x"]}))], "all")
    assert both.columns["a"].distinct.to_pylist() == ["1", "2", "3", "x"]


def test_records_of_signals_stand_under_each_other():
    both = pooled([read(np.zeros((2, 3, 4))), read(np.ones((5, 3, 4)))], "all")
    assert both.values.shape == (7, 3, 4)
    with pytest.raises(InputError, match="one shape"):
        pooled([read(np.zeros((2, 3, 4))), read(np.ones((5, 2, 4)))], "all")


def test_a_file_is_read_once_in_each_role(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    reader = RememberingReader()
    first = reader(str(path), "original", FileForm())
    path.write_text("a,b\n9,9\n9,9\n")
    assert reader(str(path), "original", FileForm()) is first
    assert reader(str(path), "holdout", FileForm()) is not first
    assert reader(first, "synthetic", FileForm()).role == "synthetic"
