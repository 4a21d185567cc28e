"""Different values of an array and their ranks, as `np.unique` gives them, in half of its memory.

An array of as many values as a large table has rows is what a run on disk holds, and what it holds beside it to sort it
is most of what it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def ranked(values: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the different values, ascending, and the rank of each value among them; all NaN are one, the last."""
    order = np.argsort(values)
    ordered = values[order]
    new = _new(ordered)
    different = ordered[new]
    del ordered
    return different, _ranks(order, new)


def grouped(values: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return where each different value, ascending, stands first, and the rank of each value among them."""
    order = np.argsort(values, kind="stable")
    new = _new(values[order])
    return order[new], _ranks(order, new)


def counted(values: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the different values, ascending, and how often each occurs."""
    ordered = np.sort(np.asarray(values))
    starts = np.flatnonzero(_new(ordered))
    return ordered[starts], np.diff(starts, append=len(ordered))


def number_of_different(values: NDArray[Any]) -> int:
    """Count the different values; all NaN are one. What `np.unique` counts by hashes takes fifty bytes a value."""
    return int(_new(np.sort(np.asarray(values))).sum())


def _new(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the values that differ from the one before; NaN, which stand last, are equal to each other."""
    new = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    if ordered.dtype.kind == "f" and len(ordered) and np.isnan(ordered[-1]):
        new[np.searchsorted(ordered, ordered[-1]) + 1 :] = False
    return new


def _ranks(order: Ints, new: NDArray[np.bool_]) -> Ints:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(new)
    ranks -= 1
    return ranks
