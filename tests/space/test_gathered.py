"""Rows in some dimensions are those that indexing gives, however dimensions lie and rows are blocked."""

import numpy as np
import pytest

from reportgen.space import gathered as module
from reportgen.space.gathered import gathered


@pytest.mark.parametrize(
    "dimensions", [range(9), (0,), (8,), (0, 1, 2, 5, 6, 8), (0, 2, 4, 6), (4, 5, 1, 2, 0), (3, 3, 2), ()]
)
@pytest.mark.parametrize("numbers", [1, 50, 1 << 15])
def test_rows_in_some_dimensions_are_those_of_indexing(monkeypatch, dimensions, numbers):
    monkeypatch.setattr(module, "_NUMBERS", numbers)
    random = np.random.default_rng(0)
    coordinates, left = random.normal(size=(40, 9)), np.array(dimensions, dtype=np.int64)
    for rows in (random.integers(0, 40, 70), np.zeros(0, dtype=np.int64)):
        found = gathered(coordinates, rows, left)
        np.testing.assert_array_equal(found, coordinates[rows][:, left])
        assert found.flags.c_contiguous


def test_rows_are_written_where_they_are_asked_for():
    coordinates = np.arange(12.0).reshape(4, 3)
    whole = np.full((5, 2), -1.0)
    gathered(coordinates, np.array([3, 0]), np.array([0, 2]), out=whole[1:3])
    np.testing.assert_array_equal(whole, [[-1, -1], [9, 11], [0, 2], [-1, -1], [-1, -1]])
