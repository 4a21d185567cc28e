"""The k nearest base rows without one part of the dimensions after the other, exactly, from shared matrix products.

|x - y|^2 without a part of the dimensions is that over all of them less that over the part. So the product over all is
made once for a tile of queries, and for each part only the product over its own few dimensions: all of these together
cost as much as one search. With lengths over all d dimensions, centred on the base, the difference in float32 errs by

    e (|x| + |y|)^2 <= 2e |x|^2 + 2e |y|^2,    e = (d + d_part + 40) 2^-24

Base rows carry their 2e |y|^2 with them, so that no difference lies more than 2e |x|^2 above the exact square. What the
nearest rows of all dimensions have without a part (float64) bounds the k-th square t from above, and the product over
the part is added to t: one comparison of two products tells which rows may lie within it. They are measured exactly
(float64, as `Space.pairs` does), so that no row is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints
from reportgen.space.candidates import Singles, in_threads, propose
from reportgen.space.centred import (
    FARTHEST,
    OVERFLOW_PROVES_NOTHING,
    SINGLE,
    SINGLE_UNDERFLOW,
    Space,
    relative,
    space_of,
)
from reportgen.space.delegated import delegate
from reportgen.space.exact import cut_queries

FEWEST_ROWS, MOST_ROWS = 200, 20_000
"""Rows of a base for which products are shared: of 20,000 census rows (109 dimensions) 5,000 queries took 4.0 s against
4.7 s one by one, of 60,000 rows 14.4 s against 10.9 s, as an index leaves most rows of a large base aside."""
_BOUNDING = 6
"""So many more than k of the nearest rows of all dimensions bound the k-th distance without a part."""
_MOST_BELOW, _MOST_EACH = 2048, 64
"""More sums below their limit than this times k, or more candidates, are too many: the query has no answer here."""
_QUERIES = 4096
_TILE = 1 << 20
"""Sums worked on at once, 4 MB: of fewer queries the products take longer."""
_FEWEST_IN_A_TILE = 16
_PLAIN = 2.0**400
"""Coordinates are less and spread more than its inverse: no search without a part scales differences."""
_OUT_OF_REACH = -(2.0**126)
_ROUNDING = 2.0**-40
"""More than sums of squares err in float64, in parts of them."""

Booleans = NDArray[np.bool_]
_Pairs = tuple[Ints, Ints, Floats]
"""Pairs of a query and a base row without a part, each (pairs,): part * queries + query; the base row; and by how much
its sum is below what it may be."""
Answer = tuple[Floats, Ints, Booleans]
"""Distances and ids of the k nearest, both (queries, k), by (distance, id); and which queries have them, (queries,)."""


@dataclass(frozen=True)
class Shared:
    """Queries and base, prepared for the searches of the k nearest without each part.

    `kept`, (parts, dimensions): 1 for the dimensions that are left without each part, 0 for its own. `base`: centred,
    in float32. `whole`, (dimensions + 1, base rows), and each of `own`, (dimensions of a part + 2, base rows): the base
    turned over, with |y|^2 as one more row; the second with a row of 1. `lengths`, (base rows,): |y|^2. `error`: e.
    """

    space: Space
    parts: tuple[Ints, ...]
    kept: Floats
    base: Singles
    whole: Singles
    own: tuple[Singles, ...]
    k: int
    lengths: Floats
    error: float


def share(queries: Floats, base: Floats, parts: Sequence[Ints], k: int) -> Shared | None:
    """Prepare the searches for the k nearest base rows without each part of the dimensions, where sharing should pay.

    `queries` (n, d) and `base` (m, d) as for `exact.k_nearest`; `parts`: the dimensions that are left out, never all.
    None where it should not: for a base too small or too large, numbers too large or too close to each other, or
    where this process is not the one that searches.
    """
    if delegate() is not None or not len(queries) or not max(FEWEST_ROWS, 4 * k) <= len(base) <= MOST_ROWS:
        return None
    kept = np.ones((len(parts), base.shape[1]))
    for place, part in enumerate(parts):
        kept[place, part] = 0.0
    space = space_of(queries, base)
    if not _plain(space, kept > 0):
        return None
    centred = space.centre(base)
    squares = np.square(centred)
    error = relative((base.shape[1] + max(map(len, parts)) + 40) * SINGLE)
    turned = centred.T.astype(np.float32)
    return Shared(
        space,
        tuple(parts),
        kept,
        np.ascontiguousarray(turned.T),
        np.vstack((turned, (squares.sum(axis=1) * (1 - 2 * error)).astype(np.float32))),
        tuple(
            np.vstack((turned[part], squares[:, part].sum(axis=1), np.ones(len(base)))).astype(np.float32)
            for part in parts
        ),
        k,
        squares.sum(axis=1),
        error,
    )


def _plain(space: Space, kept: Booleans) -> bool:
    """Whether no search without a part would have to scale differences before it squares them."""
    largest = np.max([np.maximum(rows.max(axis=0), -rows.min(axis=0)) for rows in (space.queries, space.base)], axis=0)
    spread = np.maximum(space.base.max(axis=0) - space.shift, space.shift - space.base.min(axis=0))
    return all(left.any() and largest[left].max() < _PLAIN and spread[left].max() > 1 / _PLAIN for left in kept)


def nearest_without(shared: Shared, threads: int = 1, *, smallest_ratio: bool = False) -> list[Answer]:
    """Find the k nearest base rows without each part, to the bit as `k_nearest` finds them in what is left.

    Queries that too many base rows are near to, or that lie too far out, have no answer here. With `smallest_ratio`
    only those parts are answered for a query that may have the smallest d_1/d_k (taken as 1 where d_k is 0); or none.
    """
    waiting = cut_queries(np.arange(len(shared.space.queries)), _QUERIES, threads)
    found = in_threads(lambda rows: _block(shared, rows, smallest_ratio=smallest_ratio), waiting, threads)
    distances, ids, answered = (np.concatenate(arrays, axis=1) for arrays in zip(*found, strict=True))
    return list(zip(distances, ids, answered, strict=True))


@OVERFLOW_PROVES_NOTHING
def _block(shared: Shared, rows: Ints, *, smallest_ratio: bool) -> tuple[Floats, Ints, Booleans]:
    """Answer query `rows` without each part: distances, ids, (parts, rows, k), and whether there are, (parts, rows)."""
    space, k = shared.space, shared.k
    centred = space.centre(space.queries[rows])
    within = np.abs(centred).max(axis=1) < FARTHEST
    centred[~within] = 0.0
    singles = centred.astype(np.float32)
    number = min(k + _BOUNDING, len(shared.base))
    proposed = propose(singles, shared.base, number)[2]
    squares = np.square(centred)
    lengths = squares.sum(axis=1)
    asking = np.hstack((-2 * singles, np.ones((len(rows), 1), dtype=np.float32)))
    found = []
    step = max(_FEWEST_IN_A_TILE, _TILE // len(shared.base))
    sums = np.empty((2, step, len(shared.base)), dtype=np.float32)
    room = sums, np.empty(sums.shape[1:], dtype=bool)
    for start in range(0, len(rows), step):
        tile = slice(start, start + step)
        reach = _reach(shared, rows[tile], proposed[tile])
        # What a sum may be at most for a row within reach; for queries too far out no row is.
        slack = 3 * shared.error * (lengths[tile] + reach) + SINGLE_UNDERFLOW
        most = np.where(within[tile], reach - shared.kept @ squares[tile].T + slack, _OUT_OF_REACH)
        pairs, reach = _candidates(shared, asking[tile], most, reach, slack, room)
        choose = _with_smallest_ratio if smallest_ratio else _nearest_of
        found.append(choose(shared, rows[tile], pairs, reach))
    distances, ids, answered = (np.concatenate(arrays, axis=1) for arrays in zip(*found, strict=True))
    return distances, ids, answered


def _reach(shared: Shared, rows: Ints, proposed: Ints) -> Floats:
    """Bound the k-th square without each part from above, (parts, rows), by those of some base rows, (rows, number)."""
    space = shared.space
    difference = (space.queries[rows][:, np.newaxis] - space.base[proposed]) * 2.0**space.scale
    squares = np.square(difference, out=difference).reshape(-1, difference.shape[2]) @ shared.kept.T
    nearest = np.partition(squares.reshape(*proposed.shape, -1), shared.k - 1, axis=1)[:, shared.k - 1]
    return nearest.T * (1 + _ROUNDING)


def _candidates(
    shared: Shared, asking: Singles, most: Floats, reach: Floats, slack: Floats, room: tuple[Singles, Booleans]
) -> tuple[_Pairs, Floats]:
    """Find the base rows whose sums without a part are at `most`, (parts, queries); all but where they are too many.

    Beside them `reach` anew, (parts, queries), as far as they lower it. `asking`, (queries, dimensions + 1): -2x and 1.
    `room`: for two times the sums of so many queries at least, and for which are within.
    """
    over_all, over_part = (sums[: len(asking)] for sums in room[0])
    np.matmul(asking, shared.whole, out=over_all)
    limits = np.nextafter(most.astype(np.float32), np.float32(np.inf))
    found, bounds = [], []
    for place, (part, own) in enumerate(zip(shared.parts, shared.own, strict=True)):
        np.matmul(np.column_stack((asking[:, part], asking[:, -1], limits[place])), own, out=over_part)
        near = np.flatnonzero(np.less_equal(over_all, over_part, out=room[1][: len(asking)]))
        query, other = np.divmod(near, over_all.shape[1])
        few = (np.bincount(query, minlength=len(asking)) <= _MOST_BELOW * shared.k)[query]
        near, query, other = near[few], query[few], other[few]
        below = over_all.ravel()[near].astype(np.float64) - over_part.ravel()[near]
        (query, other, below), bound = _tightened(shared, (query, other, below), reach[place], slack[place])
        found.append((place * len(asking) + query, other, below))
        bounds.append(bound)
    group, other, below = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return (group, other, below), np.stack(bounds)


def _tightened(shared: Shared, pairs: _Pairs, reach: Floats, slack: Floats) -> tuple[_Pairs, Floats]:
    """Bound the k-th square anew from the candidates without one part, where these are many; keep those within it.

    `pairs` by query, `reach` and `slack`, (queries,). A square is above its sum by 2e |x|^2 + 4e |y|^2 at most, and
    its limit by the slack, which is more than 2e |x|^2 as well.
    """
    query, other, below = pairs
    counts = np.bincount(query, minlength=len(reach))
    many = np.flatnonzero(counts[query] > shared.k + _BOUNDING)
    if not len(many):
        return pairs, reach
    owner = query[many]
    highest = below[many] + (reach + 2 * slack)[owner] + 4 * shared.error * shared.lengths[other[many]]
    order = np.lexsort((highest, owner))
    crowded, first = np.unique(owner[order], return_index=True)
    bound = reach.copy()
    bound[crowded] = np.minimum(bound[crowded], highest[order][first + shared.k - 1] * (1 + _ROUNDING))
    kept = below <= (bound - reach + _ROUNDING * reach)[query]
    kept &= np.bincount(query[kept], minlength=len(reach))[query] <= _MOST_EACH * shared.k
    # What was below its limit by so much is so much less below the new one.
    return (query[kept], other[kept], below[kept] + (reach - bound)[query[kept]]), bound


def _nearest_of(shared: Shared, rows: Ints, pairs: _Pairs, reach: Floats) -> tuple[Floats, Ints, Booleans]:
    """Measure pairs; keep the k smallest (distance, id) of each part and query, of `reach.shape`."""
    (group, other, _), k = pairs, shared.k
    place, query = np.divmod(group, len(rows))
    away = shared.space.pairs(rows[query], other, shared.kept, place)
    order = np.lexsort((other, away, group))
    counts = np.bincount(group, minlength=reach.size)
    answered = counts >= k
    distances, ids = np.full((reach.size, k), np.inf), np.full((reach.size, k), -1, dtype=np.int64)
    chosen = order[(np.cumsum(counts) - counts)[answered, np.newaxis] + np.arange(k)]
    distances[answered], ids[answered] = away[chosen], other[chosen]
    return distances.reshape(*reach.shape, k), ids.reshape(*reach.shape, k), answered.reshape(reach.shape)


def _with_smallest_ratio(shared: Shared, rows: Ints, pairs: _Pairs, reach: Floats) -> tuple[Floats, Ints, Booleans]:
    """Keep those of the parts that may have the smallest d_1/d_k of a query; none where a part has no answer."""
    group, _, below = pairs
    # No square is below the reach by more than the sum is below what it may be.
    lowest = np.full(reach.shape, np.inf)
    np.minimum.at(lowest.reshape(-1), group, below)
    known = np.isfinite(lowest).all(axis=0)
    part_of_it = np.divide(reach + lowest, reach, out=np.ones_like(reach), where=reach > 0)
    at_least = np.where(known, np.clip(part_of_it, 0.0, 1.0) * (1 - _ROUNDING), np.inf)
    first = at_least.argmin(axis=0), np.arange(len(rows))
    wanted = np.zeros(reach.shape, dtype=bool)
    wanted[first] = known
    distances, ids, answered = _nearest_of(shared, rows, _some(pairs, wanted), reach)
    later = known & (at_least <= squared_ratio(distances[first])) & ~wanted
    more_distances, more_ids, _ = _nearest_of(shared, rows, _some(pairs, later), reach)
    distances[later], ids[later] = more_distances[later], more_ids[later]
    return distances, ids, np.broadcast_to(answered.any(axis=0), reach.shape)


def _some(pairs: _Pairs, wanted: Booleans) -> _Pairs:
    """Keep the pairs of some parts and queries, (parts, queries)."""
    chosen = wanted.ravel()[pairs[0]]
    return pairs[0][chosen], pairs[1][chosen], pairs[2][chosen]


def squared_ratio(distances: Floats) -> Floats:
    """(d_1/d_k)^2 of the k nearest, (queries, k), ascending; 1 where d_k is 0, inf where it is."""
    last = distances[:, -1]
    known = np.isfinite(last)
    ratio: Floats = np.divide(distances[:, 0], last, out=np.where(known, 1.0, np.inf), where=known & (last > 0))
    return ratio**2
