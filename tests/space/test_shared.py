import numpy as np
import pytest

from reportgen.space import shared
from reportgen.space.search import nearest
from reportgen.space.shared import from_lists


def _lists(coordinates, queries, positions, length):
    distances, ids = nearest(coordinates, queries, positions, length)
    return positions, distances, ids, length >= len(positions)


@pytest.mark.parametrize("length", [3, 8, 40])
@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("levels", [2, 3, 1000])
def test_neighbours_from_lists_are_those_of_a_search(levels, exclude_self, length):
    """Rows on a grid: nearly all distances are tied, and rows repeat."""
    rng = np.random.default_rng(levels)
    rows = np.unique(rng.integers(0, levels, (90, 4)).astype(float), axis=0)
    base = rng.integers(0, len(rows), 60)
    positions = np.unique(np.concatenate([base, rng.integers(0, len(rows), 30)]))
    queries = base if exclude_self else rng.integers(0, len(rows), 50)
    lists = _lists(rows, queries, positions, min(length, len(positions)))
    left = np.arange(len(base)) if exclude_self else None
    found = from_lists(rows, queries, base, 2, lists, leave_out=left)
    expected = nearest(rows, queries, base, 2, exclude_self=exclude_self)
    np.testing.assert_array_equal(found[1], expected[1])
    assert found[0].tobytes() == expected[0].tobytes()


def test_only_queries_whose_list_ends_too_soon_are_searched_for(monkeypatch):
    """Rows 0-9 on a line; the base is 0-4 and the lists hold 3: of row 6 they know 5, 6 and 7, none of the base."""
    rows = np.arange(10.0)[:, np.newaxis]
    lists = _lists(rows, np.array([2, 6]), np.arange(10), 4)
    searched = []
    monkeypatch.setattr(
        shared, "nearest", lambda c, q, *given, **named: searched.extend(q) or nearest(c, q, *given, **named)
    )
    distances, ids = from_lists(rows, np.array([2, 6]), np.arange(5), 1, lists)
    assert searched == [6]
    assert (distances.tolist(), ids.tolist()) == ([[0.0], [2.0]], [[2], [4]])
