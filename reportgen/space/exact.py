"""The k nearest of different rows, exactly: float32 candidates, float64 distances, a proof for every row.

Distances are float64 sums of squared differences, column by column, so that a value depends on its two rows alone and
not on batches or threads. Neighbours are ordered by (distance, id). Candidates come in float32; for a query x with
candidates whose largest float32 squared distance is b, and whose k-th smallest exact squared distance is t, no other
row is as near as t when

    b > t + g (2|x| + √t)²,    g = (d + 8) 2⁻²⁴

since a row within t of x is at most |x| + √t from the origin, and |x|² + |y|² - 2xy in float32 errs by at most
g (|x| + |y|)². Rows that are not proven get more candidates, then every base row that float64 cannot rule out.

Where rows lie so densely that float32 cannot tell neighbours apart, as 100,000 numbers in one column do, that would be
every row against every other. In few dimensions a k-d tree in float64 proposes instead, proven by the same rule with
float64's g: of 60,000 rows, 3,000 queries took 0.2 s in 21 dimensions that held one column of numbers, against 8 s for
all pairs (and 18 s in 61 dimensions, as long as all pairs).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.blas import one_thread
from reportgen.distances import Floats, Ints
from reportgen.space import cells, shards
from reportgen.space.candidates import Singles, in_threads, propose
from reportgen.space.centred import (
    DOUBLE,
    DOUBLE_UNDERFLOW,
    FARTHEST,
    FOR_THE_CENTRE,
    OVERFLOW_PROVES_NOTHING,
    SINGLE,
    SINGLE_UNDERFLOW,
    Space,
    lengths_of,
    limit_of,
    parts,
    relative,
    space_of,
)
from reportgen.space.delegated import delegate

_SPARE = 6
_MANY = 128
_QUERIES = 4096
_DENSE = 4
"""Up to so many dimensions the tree proposes at once: it is faster than float32, and float32 often proves nothing."""
_DENSE_OF_LARGE = 6
"""The same for a base of more than `_LARGE` rows."""
_LARGE = 20_000
"""A base of more rows is searched shard by shard in up to `_FUSED` dimensions, where float32 sums are never held."""
_FUSED = 32
_FEW = 32
"""Most neighbours for which shards are searched: with more, most shards would have to be looked through."""
_SPARSE = 24
"""Up to so many dimensions the tree is asked for what float32 cannot prove; beyond, it looks at nearly every row."""
_LEAF = 24
"""Rows of a leaf of the tree; of scipy's 10 a third slower."""
_FEWEST_FOR_A_TREE = 1000
"""Fewer base rows than this are all compared in less time than a tree takes to load and build."""
_BRUTE_QUERIES, _BRUTE_BASE = 128, 2048
_FEWEST_FOR_CELLS = 40
"""Fewer pairs of rows than so many times the coordinates of all rows are compared before cells are made."""
_FEWEST_CATEGORIES = 2


_Way = Callable[[Ints], tuple[Floats, Ints, NDArray[np.bool_]]]
"""Answers queries given by their rows: distances and ids, (rows, k), and which rows, (rows,), are not proven."""


def k_nearest(
    queries: Floats, base: Floats, k: int, threads: int = 1, direct: int | None = None
) -> tuple[Floats, Ints]:
    """Return the distances to the k nearest base rows and their ids, both (queries, k), by (distance, id).

    `queries` (n, d) and `base` (m, d) are finite float64; 1 <= k <= m. Extra memory is a float32 copy of the base
    and blocks of fixed size. InputError where a coordinate is beyond 1e300.

    `direct` is `direct_exponent` of the whole, where these are some queries or some base rows of a larger search: with
    it their distances are those of the larger search to the bit.
    """
    return (delegate() or k_nearest_here)(queries, base, k, threads, direct)


def k_nearest_here(
    queries: Floats, base: Floats, k: int, threads: int = 1, direct: int | None = None
) -> tuple[Floats, Ints]:
    """Return what `k_nearest` does, found by this process."""
    space = space_of(queries, base, direct)
    distances = np.full((len(queries), k), np.inf)
    ids = np.full((len(queries), k), -1, dtype=np.int64)
    by_cells = _by_cells(space, k)
    waiting = _beside_each_other(space) if by_cells is None else by_cells.queries.order
    for prepared in _ways(space, k, by_cells):
        unproven = np.zeros(len(queries), dtype=bool)
        blocks = cut_queries(waiting, _QUERIES, threads)
        for rows, answer in zip(blocks, in_threads(prepared(), blocks, threads), strict=True):
            distances[rows], ids[rows], unproven[rows] = answer
        waiting = np.flatnonzero(unproven)
        if not len(waiting):
            break
    search_all = functools.partial(_nearest_of_all, space, distances)
    blocks = cut_queries(waiting, _BRUTE_QUERIES, threads)
    for rows, found in zip(blocks, in_threads(search_all, blocks, threads), strict=True):
        distances[rows], ids[rows] = found
    return np.ldexp(distances, -space.direct), ids


def _beside_each_other(space: Space) -> Ints:
    """Order queries so that near ones often follow each other, which takes them down a tree through the same nodes.

    By the quarter of the base that they lie in, in each of few dimensions; as they stand in more.
    """
    if space.base.shape[1] > _DENSE_OF_LARGE or len(space.base) < _FEWEST_FOR_A_TREE:
        return np.arange(len(space.queries))
    some = space.base[:: -(-len(space.base) // FOR_THE_CENTRE)]
    code = np.zeros(len(space.queries), dtype=np.int64)
    for column, own in zip(np.quantile(some, (0.25, 0.5, 0.75), axis=0).T, space.queries.T, strict=True):
        code = code * 4 + np.searchsorted(column, own)
    return np.argsort(code, kind="stable")


def all_distances(queries: Floats, base: Floats) -> Floats:
    """Return every distance, (queries, base rows), to the bit as `k_nearest` gives it; for some queries at a time."""
    space = space_of(queries, base)
    total = np.zeros((len(queries), len(base)))
    for column in range(base.shape[1]):
        difference = np.subtract.outer(queries[:, column], base[:, column])
        if space.direct:
            difference *= 2.0**space.direct
        total += np.square(difference, out=difference)
    return np.ldexp(np.sqrt(total, out=total), -space.direct)


def direct_exponent(queries: Floats, base: Floats) -> int:
    """Return the binary exponent by which differences are scaled before they are squared, 0 but for extreme numbers.

    InputError where a coordinate is beyond 1e300.
    """
    return space_of(queries, base).direct


FEWEST_IN_A_BLOCK = 2500
"""Fewer queries than this are not worth a second thread."""


def cut_queries(rows: Ints, most: int, threads: int) -> list[Ints]:
    """Cut rows into blocks of at most so many, and enough of them to occupy the threads."""
    step = max(1, min(most, max(FEWEST_IN_A_BLOCK, -(-len(rows) // threads))))
    return [rows[start : start + step] for start in range(0, len(rows), step)]


def _singles(space: Space) -> Singles:
    """Return the centred base in float32."""
    singles = np.empty(space.base.shape, dtype=np.float32)
    for part in parts(len(space.base), space.base.shape[1]):
        singles[part] = space.centre(space.base[part])
    return singles


@dataclass(frozen=True)
class _Proposing:
    """A way to propose `number` candidates for centred queries, and the relative error of its distances.

    `propose` returns a squared distance that all other rows reach, (queries,), and the candidates' squared distances
    and ids, (queries, number), nearest first.
    """

    propose: Callable[[Floats], tuple[Floats, Floats, Ints]]
    number: int
    error: float
    underflow: float


def _ways(space: Space, k: int, by_cells: cells.Cells | None) -> Iterator[Callable[[], _Way]]:
    """Yield ways to answer, each for the rows that the one before could not prove; calling one prepares it."""
    size, width = space.base.shape
    if by_cells is not None:
        yield lambda: functools.partial(_nearest_in_cells, space, by_cells, k=k)

    def candidates(make: Callable[[], _Proposing]) -> Callable[[], _Way]:
        return lambda: functools.partial(_nearest_candidates, space, make(), k=k)

    tree = candidates(functools.partial(_by_tree, space, k + 2 * _SPARE))
    if width <= (_DENSE if size <= _LARGE else _DENSE_OF_LARGE) and size >= _FEWEST_FOR_A_TREE:
        yield candidates(functools.partial(_by_tree, space, k + 2))  # enough but for ties
        yield tree
        return
    singles = _singles(space)
    if size > _LARGE and width <= _FUSED and k <= _FEW:
        yield lambda: functools.partial(_nearest_in_shards, space, shards.cut(singles, k), k=k)
    else:
        yield candidates(functools.partial(_by_singles, singles, k + _SPARE, width))
    yield candidates(functools.partial(_by_singles, singles, max(_MANY, 4 * k), width))
    if width <= _SPARSE and size >= _FEWEST_FOR_A_TREE:
        yield tree


def _by_singles(singles: Singles, number: int, width: int) -> _Proposing:
    error = (width + 8) * SINGLE

    def propose_some(centred: Floats) -> tuple[Floats, Floats, Ints]:
        return propose(centred.astype(np.float32), singles, number)

    return _Proposing(propose_some, number, relative(error), SINGLE_UNDERFLOW)


def _by_tree(space: Space, number: int) -> _Proposing:
    from scipy.spatial import KDTree

    # Split in the middle, not at the median: categories lie far apart, and medians of their columns separate nothing.
    tree = KDTree(space.centre(space.base), leafsize=_LEAF, balanced_tree=False)

    def propose_some(centred: Floats) -> tuple[Floats, Floats, Ints]:
        reached, ids = (np.asarray(found) for found in tree.query(centred, k=number))
        squared = reached**2
        return squared[:, -1], squared, np.minimum(ids, len(space.base) - 1).astype(np.int64)

    # The tree adds and takes away squares on its way down, at most a few hundred of them.
    return _Proposing(propose_some, number, 2 * (space.base.shape[1] + 1000) * DOUBLE, DOUBLE_UNDERFLOW)


@OVERFLOW_PROVES_NOTHING
def _nearest_candidates(
    space: Space, proposing: _Proposing, rows: Ints, *, k: int
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Answer query `rows` from some candidates each: distances, ids and whether the answer is not proven."""
    size, number = len(space.base), proposing.number
    if number >= size:
        candidates = np.broadcast_to(np.arange(size), (len(rows), size))
        found = space.pairs(np.repeat(rows, size), candidates.ravel()).reshape(-1, size)
        return *_first(found, candidates, k), np.zeros(len(rows), dtype=bool)
    centred = space.centre(space.queries[rows])
    lengths = lengths_of(centred)
    proven = np.abs(centred).max(axis=1) < FARTHEST
    reached, squared, candidates = proposing.propose(np.where(proven[:, np.newaxis], centred, 0.0))
    found = np.full(candidates.shape, np.inf)
    found[:, :k] = space.pairs(np.repeat(rows, k), candidates[:, :k].ravel()).reshape(-1, k)

    def limit(distances: Floats) -> Floats:
        return limit_of(space.squared(distances), lengths, proposing.error) + proposing.underflow

    # Of the others only those count that may be as near as these, by the same proof.
    at, other = np.nonzero(squared[:, k:] <= limit(found[:, :k].max(axis=1))[:, np.newaxis])
    found[at, other + k] = space.pairs(rows[at], candidates[at, other + k])
    distances, ids = _first(found, candidates, k)
    return distances, ids, ~(proven & (reached > limit(distances[:, -1])))


def _first(found: Floats, candidates: Ints, k: int) -> tuple[Floats, Ints]:
    """The k smallest (distance, id) of each row; most rows are in this order already."""
    before, after = found[:, :-1], found[:, 1:]
    sorted_ = (before < after) | ((before == after) & ((candidates[:, :-1] < candidates[:, 1:]) | np.isinf(before)))
    distances, ids = found[:, :k].copy(), candidates[:, :k].copy()
    mixed = np.flatnonzero(~sorted_.all(axis=1))
    order = np.lexsort((candidates[mixed], found[mixed]), axis=-1)[:, :k]
    distances[mixed] = np.take_along_axis(found[mixed], order, axis=1)
    ids[mixed] = np.take_along_axis(candidates[mixed], order, axis=1)
    return distances, ids


@OVERFLOW_PROVES_NOTHING
def _nearest_in_shards(
    space: Space, cut: shards.Shards, rows: Ints, *, k: int
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Answer query `rows` shard by shard: distances, ids and whether the answer is not proven."""
    centred = space.centre(space.queries[rows])
    lengths = lengths_of(centred)
    within = np.abs(centred).max(axis=1) < FARTHEST
    # A few roundings more than FAISS's: |x|^2 changes sides, and the limit is rounded to float32.
    error = relative((space.base.shape[1] + 16) * SINGLE)

    def measure(queries: Ints, others: Ints) -> Floats:
        return space.pairs(rows[queries], others)

    def limit(distances: Floats) -> Floats:
        return np.where(within, limit_of(space.squared(distances), lengths, error) + SINGLE_UNDERFLOW, 0.0)

    queries = np.where(within[:, np.newaxis], centred, 0.0).astype(np.float32)
    distances, ids, proven = shards.within(cut, queries, k, measure, limit)
    return distances, ids, ~(proven & within)


@OVERFLOW_PROVES_NOTHING
def _by_cells(space: Space, k: int) -> cells.Cells | None:
    """Sort queries and base by their cells, where that should pay; None elsewhere."""
    if len(space.queries) * len(space.base) < _FEWEST_FOR_CELLS * (space.queries.size + space.base.size):
        return None
    categories, high = cells.two_valued(space.queries, space.base)
    if categories.sum() < _FEWEST_CATEGORIES:
        return None
    scale = 2.0**space.scale
    queries, base = (cells.by_cell(rows, categories, high, space.shift, scale) for rows in (space.queries, space.base))
    error = 2 * (space.base.shape[1] + 16) * DOUBLE
    made = cells.Cells(queries, base, error=error, underflow=DOUBLE_UNDERFLOW)
    with one_thread():
        return made if cells.worth_it(made, k) else None


@OVERFLOW_PROVES_NOTHING
def _nearest_in_cells(space: Space, made: cells.Cells, rows: Ints, *, k: int) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Answer query `rows`, in the order of their cells, cell by cell: distances, ids, whether an answer is missing."""
    place = np.empty(len(space.queries), dtype=np.int64)
    place[made.queries.order] = np.arange(len(place))
    first = place[rows[0]]
    owner, other = cells.within(made, place[rows], k)
    owner -= first
    away = space.pairs(rows[owner], other)
    order = np.lexsort((other, away, owner))
    counts = np.bincount(owner, minlength=len(rows))
    proven = (counts >= k) & (np.abs(space.centre(space.queries[rows])).max(axis=1) < FARTHEST)
    distances, ids = np.full((len(rows), k), np.inf), np.zeros((len(rows), k), dtype=np.int64)
    places = (np.cumsum(counts) - counts)[proven, np.newaxis] + np.arange(k)
    distances[proven], ids[proven] = away[order][places], other[order][places]
    return distances, ids, ~proven


@OVERFLOW_PROVES_NOTHING
def _nearest_of_all(space: Space, known: Floats, rows: Ints) -> tuple[Floats, Ints]:
    """Answer query `rows` from the whole base; `known`, (queries, k), holds distances to some k of its rows."""
    centred = space.centre(space.queries[rows])
    lengths = lengths_of(centred)
    error = 2 * (space.base.shape[1] + 16) * DOUBLE
    bound = space.squared(known[rows, -1])
    best = np.full((len(rows), known.shape[1]), np.inf)
    ids = np.full(best.shape, -1, dtype=np.int64)
    for start in range(0, len(space.base), _BRUTE_BASE):
        others = space.centre(space.base[start : start + _BRUTE_BASE])
        near = lengths[:, np.newaxis] ** 2 + lengths_of(others) ** 2 - 2 * (centred @ others.T)
        limit = limit_of(bound, lengths, error)[:, np.newaxis] + DOUBLE_UNDERFLOW
        # Where a row is too far out for these sums (infinity, NaN), they rule nothing out.
        at, other = np.nonzero(~(near > limit))
        if len(at):
            best, ids = _merge(best, ids, at, space.pairs(rows[at], other + start), other + start)
            bound = np.minimum(bound, space.squared(best[:, -1]))
    return best, ids


def _merge(best: Floats, ids: Ints, at: Ints, found: Floats, found_ids: Ints) -> tuple[Floats, Ints]:
    """Keep the k smallest (distance, id) of each row from what it had and from what was found at rows `at`."""
    rows, k = best.shape
    owner = np.concatenate([np.repeat(np.arange(rows), k), at])
    distance = np.concatenate([best.ravel(), found])
    number = np.concatenate([ids.ravel(), found_ids])
    order = np.lexsort((number, distance, owner))
    starts = np.searchsorted(owner[order], np.arange(rows))
    chosen = order[starts[:, np.newaxis] + np.arange(k)]
    return distance[chosen], number[chosen]
