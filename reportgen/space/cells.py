"""Exact neighbours in tables with categories: rows that agree in all categories are one cell.

A category is a group of coordinates that take two values each. The squared distance in these coordinates is the same
for all rows of two cells, and no row of a cell is nearer than that. So cells are gone through from the nearest on, and
only until the next one is farther than the neighbours that are known: of 200,000 rows of UCI Adult, in 9,600 cells and
110 dimensions, a row is compared with 340 rows on average for two neighbours and with 470 for 46.

Squares are summed in float64 as |x|^2 + |y|^2 - 2xy, for categories and for the rest. With g as in `exact`, such a sum
errs by at most g (2|x| + √S)^2 <= 8 g|x|^2 + 2 g S where S is the true value. So where k sums are at most b, no sum of
the k nearest rows is beyond b + 6 g b + 20 g|x|^2: these rows are the candidates, measured exactly.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints

Booleans = NDArray[np.bool_]

_SORTED = 64
"""So many of the nearest cells are put in order for each cell of queries; what lies beyond rarely matters."""
_FIRST_ROWS = 64
"""At least so many rows, and four times the neighbours asked for, are looked at before the reach is known."""
_CELLS, _QUERIES, _PAIRS = 1 << 21, 512, 1 << 19
"""Pairs of cells, queries of a cell, and pairs of a query and a base row that are held at once."""
_NUMBERS = 1 << 15
"""Coordinates worked on at once, 256 kB: copies of all rows would take longer to make room for than to fill."""
_LATE = 32
"""Queries that are not through with the nearest cells go on together, those that reach as far as each other."""
_TRIED = 16
"""Queries by which the rows of a search are estimated."""
_A_CELL, _A_PAIR_OF_CELLS, _A_ROW, _WITHOUT = 1.2e-4, 1.2e-8, 1e-8, 2.5e-9
"""Seconds of a cell of queries, of a pair of cells, of a row looked at; of a pair of rows without cells."""


@dataclass(frozen=True)
class Rows:
    """Rows by cells: `order` cell after cell, `starts` and `sizes` of each; all else lies in this order.

    `corners`, (cells, two-valued coordinates), and `plain`, (rows, other coordinates), are centred and scaled.
    """

    order: Ints
    starts: Ints
    sizes: Ints
    corners: Floats
    plain: Floats

    @functools.cached_property
    def cell_of_row(self) -> Ints:
        """The cell of each row, in order."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @functools.cached_property
    def corner_squares(self) -> Floats:
        """|x|^2 of the corners, (cells,)."""
        squares: Floats = np.square(self.corners).sum(axis=1)
        return squares

    @functools.cached_property
    def plain_squares(self) -> Floats:
        """|x|^2 of the rows in the other coordinates, (rows,)."""
        squares: Floats = np.square(self.plain).sum(axis=1)
        return squares


@dataclass(frozen=True)
class Cells:
    """Queries and base by cells; `error` is g, and `underflow` more than sums lose below the smallest number."""

    queries: Rows
    base: Rows
    error: float
    underflow: float

    @functools.cached_property
    def slack(self) -> Floats:
        """What is added to the reach of each query for the roundings of its own squares, (queries,)."""
        squares = self.queries.plain_squares + self.queries.corner_squares[self.queries.cell_of_row]
        slack: Floats = 20 * self.error * squares + self.underflow
        return slack


def two_valued(*tables: Floats) -> tuple[Booleans, Floats]:
    """Whether each coordinate takes at most two values over all rows, and the larger value; both (dimensions,)."""
    tables = tuple(rows for rows in tables if len(rows))
    low = np.min([rows.min(axis=0) for rows in tables], axis=0)
    high = np.max([rows.max(axis=0) for rows in tables], axis=0)
    # Most coordinates of numbers are told by a few rows.
    found = np.ones(len(low), dtype=bool)
    for rows in tables:
        for part in _parts(rows):
            if not found.any():
                break
            some = rows[part] if found.all() else rows[part, found]
            found[found] = ((some == low[found]) | (some == high[found])).all(axis=0)
    return found, high


def by_cell(rows: Floats, categories: Booleans, high: Floats, centre: Floats, scale: float) -> Rows:
    """Sort rows by their cells; `centre`, (dimensions,), and `scale` are taken off and multiplied with."""
    # As whole numbers of 64 bits, since these are sorted much faster than bytes.
    marks = np.zeros((len(rows), 8 * -(-int(categories.sum()) // 64)), dtype=np.uint8)
    for part in _parts(rows):
        packed = np.packbits(rows[part, categories] == high[categories], axis=1)
        marks[part, : packed.shape[1]] = packed
    keys = marks.view(np.uint64)
    order = np.lexsort(keys.T)
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], (keys[1:] != keys[:-1]).any(axis=1)))[: len(rows)])
    return Rows(
        order=order,
        starts=starts,
        sizes=np.diff(starts, append=len(rows)),
        corners=(rows[np.ix_(order[starts], categories)] - centre[categories]) * scale,
        plain=(rows[:, ~categories][order] - centre[~categories]) * scale,
    )


def _parts(rows: Floats) -> Iterator[slice]:
    """Cut rows into parts that stay in the cache."""
    step = max(1, _NUMBERS // rows.shape[1])
    return (slice(start, start + step) for start in range(0, len(rows), step))


def worth_it(cells: Cells, k: int) -> bool:
    """Whether going by cells should be faster than comparing all rows, told from a few queries."""
    queries, base = cells.queries, cells.base
    number, size = len(queries.order), len(base.order)
    pairs = len(queries.sizes) * len(base.sizes)
    most = number * size * _WITHOUT
    if len(queries.sizes) * _A_CELL + pairs * _A_PAIR_OF_CELLS > most:
        return False
    tried = np.arange(number)[:: -(-number // _TRIED)]
    apart = _apart(cells, queries.cell_of_row[tried])
    away = _plain(cells, tried, slice(None)) + np.repeat(apart, base.sizes, axis=1)
    reach = np.partition(away, k - 1, axis=1)[:, k - 1]
    rows = np.where(apart <= reach[:, np.newaxis], base.sizes, 0).sum(axis=1).mean()
    return bool(len(queries.sizes) * _A_CELL + pairs * _A_PAIR_OF_CELLS + number * rows * _A_ROW < most)


def within(cells: Cells, some: Ints, k: int) -> tuple[Ints, Ints]:
    """Find candidates for queries, given as ascending places in the order of cells: pairs of a place and a base row.

    The k nearest base rows of each query are among its pairs.
    """
    queries, base = cells.queries, cells.base
    mine = queries.cell_of_row[some]
    different, starts = np.unique(mine, return_index=True)
    ends = np.r_[starts[1:], len(some)]
    step = max(1, _CELLS // len(base.sizes))
    places, others = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for begin in range(0, len(different), step):
        block = different[begin : begin + step]
        apart = _apart(cells, block)
        nearest = _nearest_cells(apart)
        for row in range(len(block)):
            own = some[starts[begin + row] : ends[begin + row]]
            for first in range(0, len(own), _QUERIES):
                part = own[first : first + _QUERIES]
                for place, other in _of_cell(cells, part, apart[row], nearest[row], k):
                    places.append(place)
                    others.append(other)
    return np.concatenate(places), base.order[np.concatenate(others)]


def _apart(cells: Cells, chosen: Ints) -> Floats:
    """Squared distances of the corners of some cells of queries to all of the base, (cells, cells of the base)."""
    apart = cells.queries.corners[chosen] @ cells.base.corners.T
    apart *= -2
    apart += cells.base.corner_squares
    apart += cells.queries.corner_squares[chosen, np.newaxis]
    return apart


def _plain(cells: Cells, queries: Ints, rows: Ints | slice) -> Floats:
    """Squared distances in the other coordinates from queries to rows of the base, (queries, rows)."""
    away = cells.queries.plain[queries] @ cells.base.plain[rows].T
    away *= -2
    away += cells.base.plain_squares[rows]
    away += cells.queries.plain_squares[queries, np.newaxis]
    return away


def _nearest_cells(apart: Floats) -> Ints:
    """The nearest cells of each, in order, (corners, cells)."""
    number = min(_SORTED, apart.shape[1])
    nearest = np.argpartition(apart, number - 1, axis=1)[:, :number]
    order = np.argsort(np.take_along_axis(apart, nearest, axis=1), axis=1, kind="stable")
    found: Ints = np.take_along_axis(nearest, order, axis=1)
    return found


def _of_cell(cells: Cells, own: Ints, apart: Floats, nearest: Ints, k: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of a query of one cell, `own`, and a place in the base; `apart`: of its cell to all, (cells,)."""
    base = cells.base
    wanted = max(_FIRST_ROWS, 4 * k)
    filled = np.cumsum(base.sizes[nearest])
    if filled[-1] < k and len(nearest) < len(apart):
        nearest = np.argsort(apart, kind="stable")
        filled = np.cumsum(base.sizes[nearest])
    taken = min(int(np.searchsorted(filled, wanted)) + 1, len(nearest))
    first = nearest[:taken]
    rows, squares = _rows_of(base, first), np.repeat(apart[first], base.sizes[first])
    step = max(1, _PAIRS // len(rows))
    for start in range(0, len(own), step):
        part = own[start : start + step]
        away = _plain(cells, part, rows)
        away += squares
        reach = _reach(cells, part, away, k)
        # What was not looked at is no nearer than the next cell in order, or the last where no other is in order.
        beyond = np.inf if taken == len(apart) else apart[nearest[min(taken, len(nearest) - 1)]]
        kept = ~(away > reach[:, np.newaxis])
        late = np.flatnonzero(~(reach < beyond))
        kept[late] = False
        place, other = np.nonzero(kept)
        yield part[place], rows[other]
        late = late[np.argsort(reach[late], kind="stable")] if len(late) > _LATE else late
        for begin in range(0, len(late), _LATE):
            at = late[begin : begin + _LATE]
            more = ~(apart > reach[at].max())
            more[first] = False
            further = np.flatnonzero(more)
            yield from _farther(cells, part[at], rows, away[at], further, apart, k)


def _farther(
    cells: Cells, own: Ints, rows: Ints, away: Floats, further: Ints, apart: Floats, k: int
) -> Iterator[tuple[Ints, Ints]]:
    """As `_of_cell`, for queries that the cells looked at are not enough for: with the cells `further` as well.

    `away`, (queries, rows): squared distances that are known already, to `rows`.
    """
    more, squares = _rows_of(cells.base, further), np.repeat(apart[further], cells.base.sizes[further])
    everything = np.concatenate((rows, more))
    step = max(1, _PAIRS // len(everything))
    for start in range(0, len(own), step):
        part = slice(start, start + step)
        added = _plain(cells, own[part], more)
        added += squares
        both = np.concatenate((away[part], added), axis=1)
        place, other = np.nonzero(~(both > _reach(cells, own[part], both, k)[:, np.newaxis]))
        yield own[part][place], everything[other]


def _reach(cells: Cells, queries: Ints, away: Floats, k: int) -> Floats:
    """What the sums of the k nearest rows can be at most, where k are among the rows of `away`; (queries,)."""
    reach = np.partition(away, k - 1, axis=1)[:, k - 1]
    reach *= 1 + 6 * cells.error
    reach += cells.slack[queries]
    return reach


def _rows_of(base: Rows, chosen: Ints) -> Ints:
    """The places of all rows of some cells, cell after cell."""
    sizes = base.sizes[chosen]
    return np.repeat(base.starts[chosen] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
