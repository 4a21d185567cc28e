"""Which rows are members of a group of identical ones: looked up for some groups at a time, never listed for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Ints


@dataclass(frozen=True)
class RowsOf:
    """The first `width` row ids of each group at most: group i has those from `starts[i]` on in `rows`, ascending.

    `starts` and `counts`, shape (groups,); `counts` are those of all its rows.
    """

    rows: Ints
    starts: Ints
    counts: Ints
    width: int

    def __getitem__(self, groups: Ints) -> Ints:
        """Return the rows of some groups, (…, width), -1 where one has fewer."""
        places = np.arange(self.width)
        inside = places < self.counts[groups][..., np.newaxis]
        found: Ints = np.where(
            inside, self.rows[np.where(inside, self.starts[groups][..., np.newaxis] + places, 0)], -1
        )
        return found

    @property
    def first(self) -> Ints:
        """The first row of each group, shape (groups,)."""
        return self.rows[self.starts]

    def some(self, groups: Ints) -> RowsOf:
        """Return some groups, in the order given."""
        return RowsOf(self.rows, self.starts[groups], self.counts[groups], self.width)

    def and_none(self) -> RowsOf:
        """Return the groups and one more, of no rows."""
        return RowsOf(self.rows, np.append(self.starts, 0), np.append(self.counts, 0), self.width)


def members(groups: Ints, most: int) -> tuple[Ints, RowsOf]:
    """Return the different groups by their first row, and the first `most` rows of each. `groups`: shape (rows,).

    In this order a tie between groups goes to the one with the smaller row id.
    """
    if _ascend(groups):
        every = np.arange(len(groups))
        return groups, RowsOf(every, every, np.ones(len(groups), dtype=np.uint8), 1)
    rows = np.argsort(groups, kind="stable")
    ordered = groups[rows]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    del ordered
    order = np.argsort(rows[starts])
    counts, starts = np.diff(starts, append=len(rows))[order], starts[order]
    return groups[rows[starts]], RowsOf(rows, starts, counts, min(most, int(counts.max())))


def _ascend(groups: NDArray[np.int64]) -> bool:
    """Whether no two rows are of one group, and groups are in the order of their rows already."""
    return bool((groups[1:] > groups[:-1]).all())
