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
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.blas import one_thread
from reportgen.distances import Floats, Ints
from reportgen.errors import InputError
from reportgen.space import cells, shards
from reportgen.space.candidates import Singles, in_threads, propose
from reportgen.space.delegated import delegate

_SPARE = 6
_FOR_THE_CENTRE = 1000
"""From so many base rows at most, at regular steps, the centre is taken."""
_MANY = 128
_BLOCK = 1 << 18
"""Numbers worked on at once, 2 MB: they stay in the cache."""
_MEASURED = 1 << 14
"""Differences squared at once, 128 kB: they are turned over in the cache."""
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
_LARGEST = 2.0**1000
_PLAIN = 480
"""Binary exponent up to which squares of differences stay well within float64 as they are."""
_SINGLE, _DOUBLE = 2.0**-24, 2.0**-53
_SINGLE_UNDERFLOW, _DOUBLE_UNDERFLOW = 2.0**-100, 2.0**-900
"""More than sums of squares lose below the smallest normal number of float32 and of float64."""
_OVERFLOW_PROVES_NOTHING = np.errstate(over="ignore", invalid="ignore")
"""Sums over queries too far out are infinite or NaN; comparisons with them count as "not proven"."""
_REACH = 40
"""Centred coordinates are scaled to at most 2^40, so that float32 squares neither overflow nor vanish."""
_FEWEST_FOR_CELLS = 40
"""Fewer pairs of rows than so many times the coordinates of all rows are compared before cells are made."""
_FEWEST_CATEGORIES = 2
_FARTHEST = 2.0**50
"""Queries beyond this, after scaling, are not given to float32."""


_Way = Callable[[Ints], tuple[Floats, Ints, NDArray[np.bool_]]]
"""Answers queries given by their rows: distances and ids, (rows, k), and which rows, (rows,), are not proven."""


@dataclass(frozen=True)
class _Space:
    """Queries and base, and how they are centred on the base medians and scaled.

    Centred rows are scaled by 2^`scale`, differences by 2^`direct` before they are squared (0 but for extreme
    numbers); powers of two round nothing.
    """

    queries: Floats
    base: Floats
    shift: Floats
    scale: int
    direct: int

    def centre(self, rows: Floats) -> Floats:
        """Return rows less the base medians, scaled, in float64."""
        return (rows - self.shift) * 2.0**self.scale

    def squared(self, distances: Floats) -> Floats:
        """Return the squares of distances (as `pairs` gives them) in the scale of centred rows."""
        scaled: Floats = np.ldexp(distances, self.scale - self.direct) ** 2
        return scaled

    def pairs(self, rows: Ints, others: Ints) -> Floats:
        """Return the Euclidean distances of query `rows` to base rows `others`, times 2^`direct`; (pairs,).

        The squares are added column by column: a matrix or pairwise sum would depend on shapes. A sum over the first
        axis is such a sum, and half as slow as one over columns that lie apart.
        """
        width = self.base.shape[1]
        distances = np.empty(len(rows))
        step = max(1, _MEASURED // width)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            difference = self.queries[rows[part]]
            difference -= self.base[others[part]]
            if self.direct:
                difference *= 2.0**self.direct
            squares = np.square(difference.T, order="C")
            if squares.shape[1] > 1:
                np.add.reduce(squares, axis=0, out=distances[part])
            else:  # the squares of one pair alone numpy would add two by two
                distances[part] = np.add.accumulate(squares, axis=0)[-1]
        return np.sqrt(distances, out=distances)


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
    space = _space(queries, base, direct)
    distances = np.full((len(queries), k), np.inf)
    ids = np.full((len(queries), k), -1, dtype=np.int64)
    by_cells = _by_cells(space, k)
    waiting = _beside_each_other(space) if by_cells is None else by_cells.queries.order
    for prepared in _ways(space, k, by_cells):
        unproven = np.zeros(len(queries), dtype=bool)
        blocks = _blocks(waiting, _QUERIES, threads)
        for rows, answer in zip(blocks, in_threads(prepared(), blocks, threads), strict=True):
            distances[rows], ids[rows], unproven[rows] = answer
        waiting = np.flatnonzero(unproven)
        if not len(waiting):
            break
    search_all = functools.partial(_nearest_of_all, space, distances)
    blocks = _blocks(waiting, _BRUTE_QUERIES, threads)
    for rows, found in zip(blocks, in_threads(search_all, blocks, threads), strict=True):
        distances[rows], ids[rows] = found
    return np.ldexp(distances, -space.direct), ids


def _beside_each_other(space: _Space) -> Ints:
    """Order queries so that near ones often follow each other, which takes them down a tree through the same nodes.

    By the quarter of the base that they lie in, in each of few dimensions; as they stand in more.
    """
    if space.base.shape[1] > _DENSE_OF_LARGE or len(space.base) < _FEWEST_FOR_A_TREE:
        return np.arange(len(space.queries))
    some = space.base[:: -(-len(space.base) // _FOR_THE_CENTRE)]
    code = np.zeros(len(space.queries), dtype=np.int64)
    for column, own in zip(np.quantile(some, (0.25, 0.5, 0.75), axis=0).T, space.queries.T, strict=True):
        code = code * 4 + np.searchsorted(column, own)
    return np.argsort(code, kind="stable")


def all_distances(queries: Floats, base: Floats) -> Floats:
    """Return every distance, (queries, base rows), to the bit as `k_nearest` gives it; for some queries at a time."""
    space = _space(queries, base)
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
    return _space(queries, base).direct


def _space(queries: Floats, base: Floats, whole: int | None = None) -> _Space:
    largest = max(_largest(queries), _largest(base))
    if largest > _LARGEST:
        msg = "coordinates beyond 1e300 cannot be compared; rescale the columns"
        raise InputError(msg)
    # The proof holds for any centre. Medians, as one value far out would move a mean away from all other rows; of some
    # rows, as those of all take a fifth of a small search.
    shift = np.median(base[:: -(-len(base) // _FOR_THE_CENTRE)], axis=0)
    spread = max(_largest(base[part] - shift) for part in _parts(len(base), base.shape[1]))
    large = math.frexp(largest)[1]
    small = math.frexp(spread)[1] if spread else large
    direct = -large if large > _PLAIN else min(-small, 1000) if small < -_PLAIN else 0
    return _Space(queries, base, shift, scale=min(_REACH - small, 1000), direct=direct if whole is None else whole)


def _largest(rows: Floats) -> float:
    return max(float(rows.max()), -float(rows.min())) if rows.size else 0.0


def _parts(rows: int, width: int) -> Iterator[slice]:
    """Cut so many rows of that width into blocks that stay in the cache."""
    step = max(1, _BLOCK // width)
    return (slice(start, start + step) for start in range(0, rows, step))


FEWEST_IN_A_BLOCK = 2500
"""Fewer queries than this are not worth a second thread."""


def _blocks(rows: Ints, most: int, threads: int) -> list[Ints]:
    """Cut rows into blocks of at most so many, and enough of them to occupy the threads."""
    step = max(1, min(most, max(FEWEST_IN_A_BLOCK, -(-len(rows) // threads))))
    return [rows[start : start + step] for start in range(0, len(rows), step)]


def _singles(space: _Space) -> Singles:
    """Return the centred base in float32."""
    singles = np.empty(space.base.shape, dtype=np.float32)
    for part in _parts(len(space.base), space.base.shape[1]):
        singles[part] = space.centre(space.base[part])
    return singles


@dataclass(frozen=True)
class _Proposing:
    """A way to propose `number` candidates for centred queries, and the relative error of its distances.

    `propose` returns a squared distance that all other rows reach, (queries,), and the candidates' ids.
    """

    propose: Callable[[Floats], tuple[Floats, Ints]]
    number: int
    error: float
    underflow: float


def _ways(space: _Space, k: int, by_cells: cells.Cells | None) -> Iterator[Callable[[], _Way]]:
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
    error = (width + 8) * _SINGLE

    def propose_some(centred: Floats) -> tuple[Floats, Ints]:
        return propose(centred.astype(np.float32), singles, number)

    return _Proposing(propose_some, number, _relative(error), _SINGLE_UNDERFLOW)


def _relative(error: float) -> float:
    return error / (1 - error) if error < 1 else math.inf


def _by_tree(space: _Space, number: int) -> _Proposing:
    from scipy.spatial import KDTree

    # Split in the middle, not at the median: categories lie far apart, and medians of their columns separate nothing.
    tree = KDTree(space.centre(space.base), leafsize=_LEAF, balanced_tree=False)

    def propose_some(centred: Floats) -> tuple[Floats, Ints]:
        reached, ids = (np.asarray(found) for found in tree.query(centred, k=number))
        return reached[:, -1] ** 2, np.minimum(ids, len(space.base) - 1).astype(np.int64)

    # The tree adds and takes away squares on its way down, at most a few hundred of them.
    return _Proposing(propose_some, number, 2 * (space.base.shape[1] + 1000) * _DOUBLE, _DOUBLE_UNDERFLOW)


@_OVERFLOW_PROVES_NOTHING
def _nearest_candidates(
    space: _Space, proposing: _Proposing, rows: Ints, *, k: int
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Answer query `rows` from some candidates each: distances, ids and whether the answer is not proven."""
    size, number = len(space.base), proposing.number
    centred = space.centre(space.queries[rows])
    proven = np.ones(len(rows), dtype=bool)
    if number >= size:
        candidates, number = np.broadcast_to(np.arange(size), (len(rows), size)), size
        reached = np.full(len(rows), np.inf)
    else:
        proven = np.abs(centred).max(axis=1) < _FARTHEST
        reached, candidates = proposing.propose(np.where(proven[:, np.newaxis], centred, 0.0))
    found = space.pairs(np.repeat(rows, number), candidates.ravel()).reshape(-1, number)
    order = np.lexsort((candidates, found), axis=-1)[:, :k]
    distances = np.take_along_axis(found, order, axis=1)
    if number < size:
        limit = _limit(space.squared(distances[:, -1]), _lengths(centred), proposing.error)
        proven &= reached > limit + proposing.underflow
    return distances, np.take_along_axis(candidates, order, axis=1), ~proven


@_OVERFLOW_PROVES_NOTHING
def _nearest_in_shards(
    space: _Space, cut: shards.Shards, rows: Ints, *, k: int
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Answer query `rows` shard by shard: distances, ids and whether the answer is not proven."""
    centred = space.centre(space.queries[rows])
    lengths = _lengths(centred)
    within = np.abs(centred).max(axis=1) < _FARTHEST
    # A few roundings more than FAISS's: |x|^2 changes sides, and the limit is rounded to float32.
    error = _relative((space.base.shape[1] + 16) * _SINGLE)

    def measure(queries: Ints, others: Ints) -> Floats:
        return space.pairs(rows[queries], others)

    def limit(distances: Floats) -> Floats:
        return np.where(within, _limit(space.squared(distances), lengths, error) + _SINGLE_UNDERFLOW, 0.0)

    queries = np.where(within[:, np.newaxis], centred, 0.0).astype(np.float32)
    distances, ids, proven = shards.within(cut, queries, k, measure, limit)
    return distances, ids, ~(proven & within)


@_OVERFLOW_PROVES_NOTHING
def _by_cells(space: _Space, k: int) -> cells.Cells | None:
    """Sort queries and base by their cells, where that should pay; None elsewhere."""
    if len(space.queries) * len(space.base) < _FEWEST_FOR_CELLS * (space.queries.size + space.base.size):
        return None
    categories, high = cells.two_valued(space.queries, space.base)
    if categories.sum() < _FEWEST_CATEGORIES:
        return None
    scale = 2.0**space.scale
    queries, base = (cells.by_cell(rows, categories, high, space.shift, scale) for rows in (space.queries, space.base))
    error = 2 * (space.base.shape[1] + 16) * _DOUBLE
    made = cells.Cells(queries, base, error=error, underflow=_DOUBLE_UNDERFLOW)
    with one_thread():
        return made if cells.worth_it(made, k) else None


@_OVERFLOW_PROVES_NOTHING
def _nearest_in_cells(
    space: _Space, made: cells.Cells, rows: Ints, *, k: int
) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """Answer query `rows`, in the order of their cells, cell by cell: distances, ids, whether an answer is missing."""
    place = np.empty(len(space.queries), dtype=np.int64)
    place[made.queries.order] = np.arange(len(place))
    first = place[rows[0]]
    owner, other = cells.within(made, place[rows], k)
    owner -= first
    away = space.pairs(rows[owner], other)
    order = np.lexsort((other, away, owner))
    counts = np.bincount(owner, minlength=len(rows))
    proven = (counts >= k) & (np.abs(space.centre(space.queries[rows])).max(axis=1) < _FARTHEST)
    distances, ids = np.full((len(rows), k), np.inf), np.zeros((len(rows), k), dtype=np.int64)
    places = (np.cumsum(counts) - counts)[proven, np.newaxis] + np.arange(k)
    distances[proven], ids[proven] = away[order][places], other[order][places]
    return distances, ids, ~proven


@_OVERFLOW_PROVES_NOTHING
def _nearest_of_all(space: _Space, known: Floats, rows: Ints) -> tuple[Floats, Ints]:
    """Answer query `rows` from the whole base; `known`, (queries, k), holds distances to some k of its rows."""
    centred = space.centre(space.queries[rows])
    lengths = _lengths(centred)
    error = 2 * (space.base.shape[1] + 16) * _DOUBLE
    bound = space.squared(known[rows, -1])
    best = np.full((len(rows), known.shape[1]), np.inf)
    ids = np.full(best.shape, -1, dtype=np.int64)
    for start in range(0, len(space.base), _BRUTE_BASE):
        others = space.centre(space.base[start : start + _BRUTE_BASE])
        near = lengths[:, np.newaxis] ** 2 + _lengths(others) ** 2 - 2 * (centred @ others.T)
        limit = _limit(bound, lengths, error)[:, np.newaxis] + _DOUBLE_UNDERFLOW
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


def _limit(squared: Floats, lengths: Floats, error: float) -> Floats:
    """Return what sums with this relative error may make of the squared distance of a row within `squared`."""
    limit: Floats = squared + error * (2 * lengths + np.sqrt(squared)) ** 2
    return limit


def _lengths(rows: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.square(rows).sum(axis=1))
    return lengths
