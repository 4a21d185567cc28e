"""Exact nearest neighbours where rows belong to persons: never a row of one's own, or one row of each person.

How many rows have to be looked through isn't known beforehand: a person may have a thousand rows around one place. So
the search goes deeper until every query has its neighbours, and where it would have to go through much of the base, all
of it is looked at instead. Every answer is proven by `k_nearest` or compared with every base row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.persons import Booleans
from reportgen.space.exact import all_distances, k_nearest
from reportgen.space.search import nearest

_AT_ONCE = 1 << 20
"""Most neighbours held at once."""
_DEEPER = 4
_FEW_PERSONS = 50
"""The rows of so few persons are searched person by person, each among the rows of the others."""
_MOST_OF_ALL = 32
"""Where one in so many places would be a candidate, all are compared: that is faster than proving candidates."""


def nearest_others(
    coordinates: Floats, rows: Ints, persons: Ints, k: int, threads: int = 1, *, asking: Ints | None = None
) -> tuple[Floats, Ints]:
    """Find the k closest rows of other persons for each of some rows: distances and ids, both (rows, k).

    `rows`: positions in `coordinates`, `persons`: whose each is, from 0; ids are positions in `rows`. Identical rows
    count one by one, in the order of their ids. Where fewer than k rows of other persons exist the rest is inf and -1.
    `asking`: the positions in `rows` that are answered, in their order; None for all.
    """
    base, place, often = np.unique(rows, return_inverse=True, return_counts=True)
    starts = np.cumsum(often) - often
    by_place = np.argsort(place, kind="stable")
    own_keys, own_counts = np.unique(place * (persons.max() + 1) + persons, return_counts=True)

    def others_at(places: Ints, person: Ints) -> Ints:
        """How many rows of other persons there are at these places, (queries, places)."""
        keys = places * (persons.max() + 1) + person[:, np.newaxis]
        found = np.minimum(np.searchsorted(own_keys, keys), len(own_keys) - 1)
        rest: Ints = often[places] - np.where(own_keys[found] == keys, own_counts[found], 0)
        return rest

    distances, ids = np.full((len(rows), k), np.inf), np.full((len(rows), k), -1, dtype=np.int64)
    asked = np.arange(len(rows)) if asking is None else asking
    waiting = asked
    rows_each = -(-len(rows) // len(np.unique(persons)))
    for depth in _depths(k + rows_each, len(base)):
        if depth > k + rows_each and len(whose := np.unique(persons[waiting])) <= _FEW_PERSONS:
            for person in whose:
                mine, others = waiting[persons[waiting] == person], np.flatnonzero(persons != person)
                if len(others):
                    distances[mine], found = nearest(coordinates, rows[mine], rows[others], k, threads=threads)
                    ids[mine] = np.where(found < 0, -1, others[found])
            break
        late = []
        for some in _parts(waiting, depth):
            # Rows at one place have the same places around them.
            asked, which = np.unique(place[some], return_inverse=True)
            answer = k_nearest(coordinates[base[asked]], coordinates[base], depth, threads)
            near, places = answer[0][which], answer[1][which]
            reached = np.cumsum(others_at(places, persons[some]), axis=1)
            done = np.flatnonzero((reached[:, -1] >= k) | (depth == len(base)))
            late.append(some[reached[:, -1] < k])
            for number in range(k):
                enough = done[reached[done, -1] > number]
                at = (reached[enough] <= number).sum(axis=1)
                before = np.where(at > 0, reached[enough, np.maximum(at - 1, 0)], 0)
                distances[some[enough], number] = near[enough, at]
                first = starts[places[enough, at]]
                ids[some[enough], number] = _pick(by_place, persons, first, persons[some[enough]], number - before)
        waiting = np.concatenate(late)
        if not len(waiting):
            break
    return (distances, ids) if asking is None else (distances[asked], ids[asked])


def _pick(by_place: Ints, persons: Ints, first: Ints, person: Ints, skip: Ints) -> Ints:
    """The row at each place, from `first` in `by_place`, that is another's and has `skip` such rows before it."""
    at, skip = first.copy(), skip.copy()
    walking = np.arange(len(at))
    while len(walking):
        other = persons[by_place[at[walking]]] != person[walking]
        walking = walking[~(other & (skip[walking] == 0))]
        skip[walking] -= persons[by_place[at[walking]]] != person[walking]
        at[walking] += 1
    return by_place[at]


def nearest_persons(
    coordinates: Floats,
    queries: Ints,
    base: Ints,
    owners: Ints,
    k: int,
    *,
    own: Ints | None = None,
    threads: int = 1,
) -> tuple[Floats, Ints]:
    """Find the closest base row of each of the k closest owners: distances and ids, (queries, k), by (distance, id).

    `queries` and `base`: positions in `coordinates`; ids are positions in `base`, `owners`, shape (base rows,), says
    whose each is. `own`, shape (queries,): the owner who is left out for each query. There must be k others.
    """
    # Of the rows of one owner at one place the first stands for all; k + 1 owners at a place are always enough.
    first = np.unique(base * (int(owners.max()) + 1) + owners, return_index=True)[1]
    order = np.lexsort((first, base[first]))
    different, start, often = np.unique(base[first][order], return_index=True, return_counts=True)
    slot = np.arange(min(k + 1, int(often.max())))
    inside = slot < often[:, np.newaxis]
    members = np.where(inside, first[order][np.where(inside, start[:, np.newaxis] + slot, 0)], -1)
    distances, ids = np.full((len(queries), k), np.inf), np.full((len(queries), k), -1, dtype=np.int64)
    waiting = np.arange(len(queries))
    rows_each = -(-len(base) // len(np.unique(owners)))
    for depth in _depths((k + 1) * rows_each, len(different)):
        if depth * _MOST_OF_ALL >= len(different):
            by_owner = np.lexsort((np.arange(len(base)), owners))
            for some in _parts(waiting, len(base)):
                asked, which = np.unique(queries[some], return_inverse=True)
                mine = None if own is None else own[some]
                closest = _of_every_owner(coordinates[asked], coordinates[base[by_owner]], owners[by_owner], by_owner)
                distances[some], ids[some] = _closest_owners(closest[0][which], closest[1][which], owners, mine, k)
            break
        late = []
        for some in _parts(waiting, depth * members.shape[1]):
            asked, which = np.unique(queries[some], return_inverse=True)
            answer = k_nearest(coordinates[asked], coordinates[different], depth, threads)
            near, places = answer[0][which], answer[1][which]
            found = members[places].reshape(len(some), -1)
            away = np.repeat(near, members.shape[1], axis=1)
            absent = found < 0
            order_ids = np.where(absent, np.iinfo(np.int64).max, found)
            ranked = np.lexsort((order_ids, away), axis=-1)
            found, away, absent = (np.take_along_axis(part, ranked, axis=1) for part in (found, away, absent))
            whose = np.where(absent, -1, owners[found])
            counts = _first_of_each(whose) & ~absent
            if own is not None:
                counts &= whose != own[some, np.newaxis]
            done = counts.sum(axis=1) >= k
            late.append(some[~done])
            chosen = np.argsort(~counts[done], axis=1, kind="stable")[:, :k]
            distances[some[done]] = np.take_along_axis(away[done], chosen, axis=1)
            ids[some[done]] = np.take_along_axis(found[done], chosen, axis=1)
        waiting = np.concatenate(late)
        if not len(waiting):
            break
    return distances, ids


def _of_every_owner(queries: Floats, base: Floats, owners: Ints, ids: Ints) -> tuple[Floats, Ints]:
    """The closest row of every owner, and its id, both (queries, owners); `base` and `ids` are ordered by owner, id."""
    starts = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
    lengths = np.diff(np.r_[starts, len(owners)])
    distances = all_distances(queries, base)
    closest = np.minimum.reduceat(distances, starts, axis=1)
    reached = np.where(distances == np.repeat(closest, lengths, axis=1), ids, np.iinfo(np.int64).max)
    return closest, np.minimum.reduceat(reached, starts, axis=1)


def _closest_owners(distances: Floats, ids: Ints, owners: Ints, own: Ints | None, k: int) -> tuple[Floats, Ints]:
    """Keep the k closest of the rows found, by (distance, id), without the owner who is left out for each query."""
    away = distances if own is None else np.where(owners[ids] == own[:, np.newaxis], np.inf, distances)
    order = np.lexsort((ids, away), axis=-1)[:, :k]
    return np.take_along_axis(away, order, axis=1), np.take_along_axis(ids, order, axis=1)


def _first_of_each(values: Ints) -> Booleans:
    """Mark, in each line, the first place at which each value stands."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    first = np.ones(values.shape, dtype=bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    marks = np.empty(values.shape, dtype=bool)
    np.put_along_axis(marks, order, first, axis=1)
    return marks


def _depths(first: int, last: int) -> Iterator[int]:
    """Yield depths of the search, ever deeper, up to the whole base."""
    depth = min(first, last)
    while depth < last:
        yield depth
        depth *= _DEEPER
    yield last


def _parts(queries: Ints, width: int) -> Iterator[Ints]:
    """Cut queries into parts whose answers fit into memory; one at least, empty where there are none."""
    step = max(1, _AT_ONCE // width)
    for start in range(0, max(len(queries), 1), step):
        yield queries[start : start + step]
