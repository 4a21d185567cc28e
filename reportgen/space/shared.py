"""Neighbours among some of the real rows, taken from the lists of neighbours among all of them.

A list of a row's closest real rows holds its closest original rows too, as far as it reaches: what is found among them
strictly nearer than the list's end is as exact as the list. Only queries whose list ends too soon are searched for.
"""

from __future__ import annotations

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.space.search import members, nearest, to_rows


def from_lists(
    coordinates: Floats,
    queries: Ints,
    base: Ints,
    k: int,
    lists: tuple[Ints, Floats, Ints, bool],
    *,
    exclude_self: bool = False,
    threads: int = 1,
) -> tuple[Floats, Ints]:
    """As `nearest`: the k closest base rows of each query row, by (distance, id), both (queries, k).

    `lists`: places in `coordinates` of the rows of which lists know (U), ascending, each of which is a base row or
    not; distances and positions in U of the closest for each query row, both (queries, length), a row of U itself
    among them; and whether they hold all of U. `base` holds rows of U alone.
    """
    positions, distances, neighbours, complete = lists
    place = np.searchsorted(positions, base)
    different, rows_of = members(place, k + exclude_self)
    slot = np.full(len(positions), len(different))
    slot[different] = np.arange(len(different))
    rows_of = np.concatenate((rows_of, np.full((1, rows_of.shape[1]), -1)))
    every = np.arange(len(queries))
    found, ids = to_rows(distances, slot[neighbours], rows_of, every, k=k, leave_out=every if exclude_self else None)
    if complete:
        return found, ids
    late = np.flatnonzero(~(found[:, -1] < distances[:, -1]))
    if len(late):
        more, more_ids = nearest(coordinates, queries[late], base, k + exclude_self, threads=threads)
        if exclude_self:
            itself = more_ids == late[:, np.newaxis]
            itself[:, -1] |= ~itself.any(axis=1)  # one of more than k identical rows may not find itself
            more, more_ids = more[~itself].reshape(-1, k), more_ids[~itself].reshape(-1, k)
        found[late], ids[late] = more, more_ids
    return found, ids
