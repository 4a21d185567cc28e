"""Neighbours among some of the real rows, taken from the lists of neighbours among all of them.

A list of a row's closest real rows holds its closest original rows too, as far as it reaches: what is found among them
strictly nearer than the list's end is as exact as the list. Only queries whose list ends too soon are searched for.
"""

from __future__ import annotations

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.space.members import members
from reportgen.space.search import nearest, to_rows


def from_lists(
    coordinates: Floats,
    queries: Ints,
    base: Ints,
    k: int,
    lists: tuple[Ints, Floats, Ints, bool],
    *,
    leave_out: Ints | None = None,
    threads: int = 1,
) -> tuple[Floats, Ints]:
    """As `nearest`: the k closest base rows of each query row, by (distance, id), both (queries, k).

    `lists`: places in `coordinates` of the rows of which lists know (U), ascending, each of which is a base row or
    not; distances and positions in U of the closest for each query row, both (queries, length), a row of U itself
    among them; and whether they hold all of U. `base` holds rows of U alone.
    """
    positions, distances, neighbours, complete = lists
    place = np.searchsorted(positions, base)
    one_less = leave_out is not None
    different, rows_of = members(place, k + one_less)
    slot = np.full(len(positions), len(different))
    slot[different] = np.arange(len(different))
    every = np.arange(len(queries))
    found, ids = to_rows(distances, slot[neighbours], rows_of.and_none(), every, k=k, leave_out=leave_out)
    if complete:
        return found, ids
    late = np.flatnonzero(~(found[:, -1] < distances[:, -1]))
    if len(late):
        left = None if leave_out is None else leave_out[late]
        found[late], ids[late] = nearest(coordinates, queries[late], base, k, leave_out=left, threads=threads)
    return found, ids
