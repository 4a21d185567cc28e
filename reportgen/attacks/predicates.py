"""Predicates as boxes: "column is v", "column is at least v", "column is missing", and several of these together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Ints

Codes = NDArray[np.int32]
_PAIRS = 1 << 20
"""Pairs of a predicate and a row that are looked at together."""


@dataclass(frozen=True)
class Predicates:
    """Predicates of the same number of conditions: `columns`, `low` and `high` of shape (predicates, conditions).

    A row fulfils a condition when its code in the column lies from `low` to `high`, both included.
    """

    columns: Ints
    low: Ints
    high: Ints

    def __len__(self) -> int:
        return len(self.columns)

    def some(self, chosen: Ints | NDArray[np.bool_]) -> Predicates:
        """Keep some of them."""
        return Predicates(self.columns[chosen], self.low[chosen], self.high[chosen])


def different(predicates: Predicates) -> Predicates:
    """Leave out repeated ones."""
    key = np.concatenate((predicates.columns, predicates.low, predicates.high), axis=1)
    return predicates.some(np.sort(np.unique(key, axis=0, return_index=True)[1]))


def matches(predicates: Predicates, codes: Codes) -> tuple[Ints, Ints]:
    """Find which rows fulfil which predicates: pairs, both (pairs,), by predicate. `codes`: (columns, rows).

    Of each predicate the condition that the fewest rows fulfil is looked up in the order of its column; the others are
    held against these rows alone.
    """
    order = np.argsort(codes, axis=1, kind="stable")
    first, last = np.empty(predicates.low.shape, dtype=np.int64), np.empty(predicates.low.shape, dtype=np.int64)
    for column in np.unique(predicates.columns):
        here = predicates.columns == column
        ascending = codes[column][order[column]]
        first[here] = np.searchsorted(ascending, predicates.low[here], side="left")
        last[here] = np.searchsorted(ascending, predicates.high[here], side="right")
    best = np.argmin(last - first, axis=1)
    each = np.arange(len(predicates))
    begin, number = first[each, best], (last - first)[each, best]
    column = predicates.columns[each, best]
    found: list[tuple[Ints, Ints]] = []
    for part in _parts(number):
        which = np.repeat(part, number[part])
        within = np.arange(len(which)) - np.repeat(np.cumsum(number[part]) - number[part], number[part])
        rows = order[column[which], begin[which] + within]
        for condition in range(predicates.columns.shape[1]):
            value = codes[predicates.columns[which, condition], rows]
            kept = (value >= predicates.low[which, condition]) & (value <= predicates.high[which, condition])
            which, rows = which[kept], rows[kept]
        found.append((which, rows))
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


def _parts(number: Ints) -> list[Ints]:
    """Cut predicates into parts of about so many candidates; none alone has more than there are rows."""
    block = (np.cumsum(number) - number) // _PAIRS
    return np.split(np.arange(len(number)), np.flatnonzero(np.diff(block)) + 1) if len(number) else []
