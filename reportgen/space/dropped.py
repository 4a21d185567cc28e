"""Searches with one part of the columns left out at a time: they find copies in which a column was altered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.distances import DroppedSearch, Floats, Ints
from reportgen.space.by_person import nearest_persons
from reportgen.space.equal_rows import Codes, Keys, column_keys
from reportgen.space.famd import Layout
from reportgen.space.gathered import gathered
from reportgen.space.on_disk import RowsAt
from reportgen.space.search import nearest
from reportgen.space.streamed import nearest_in_blocks
from reportgen.space.without import nearest_without, share, squared_ratio

MOST_PARTS = 12
"""Beyond so many columns groups of columns are left out together."""
NEIGHBOURS = 6

Parts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Places:
    """Different rows as places in the space: coordinates (rows, dimensions) and codes (rows, columns)."""

    coordinates: Floats
    codes: Codes


@dataclass(frozen=True)
class PlacesOnDisk:
    """As `Places`, of rows on disk."""

    coordinates: RowsAt
    codes: RowsAt


def group_columns(weights: Floats, most: int = MOST_PARTS) -> Parts:
    """Share columns out over at most so many groups of about the same weight, heaviest first to the lightest group.

    `weights`, shape (columns,): the share of the variance. Each column alone where there are few enough. Nothing here
    looks at rows. Copies of 3 % of 300 rows with one and two columns altered were seen as well as with each of 15-24
    columns alone (mean z of drop6 1.81 and 1.11 against 1.81 and 1.08, 15 mixed columns; the same within .05 with 20
    mixed and 24 numeric columns, and with groups of neighbouring columns), at half the searches.
    """
    groups: list[list[int]] = [[] for _ in range(min(most, len(weights)))]
    totals = np.zeros(len(groups))
    for column in np.argsort(-weights, kind="stable").tolist():
        lightest = int(totals.argmin())
        groups[lightest].append(column)
        totals[lightest] += max(float(weights[column]), 1e-12)  # a column without variance takes a place as well
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def search_dropped(
    queries: Places,
    times: Ints,
    base: Places | PlacesOnDisk,
    layout: Layout,
    parts: Sequence[Sequence[int]],
    threads: int,
    *,
    owners: Ints | None = None,
) -> DroppedSearch:
    """Search U for each query row without the columns of one part after the other.

    `times`, shape (queries,): how many rows each query row stands for. `parts` are groups of columns; of components
    where the rows were projected on these (their columns cannot be told apart any more). Where nothing is left after
    leaving out, nothing is searched. With `owners`, shape (rows of U,), neighbours are one row of each.
    """
    own = layout.slices or tuple(slice(axis, axis + 1) for axis in range(queries.coordinates.shape[1]))
    nothing = np.zeros(0, dtype=np.int64)
    if len(parts) < 2 or not len(queries.coordinates):
        return DroppedSearch(nothing, np.zeros(0), nothing, nothing, np.zeros(0))
    axes = [np.concatenate([np.arange(own[c].start, own[c].stop) for c in part]) for part in parts]
    if isinstance(base, PlacesOnDisk):
        return _best([_in_blocks(queries, base.coordinates, left_out, threads) for left_out in axes], times)
    number = len(queries.coordinates)
    k = min(NEIGHBOURS, len(base.coordinates) if owners is None else len(np.unique(owners)))
    shared = None if owners is not None else share(queries.coordinates, base.coordinates, axes, k)
    if shared is None:
        found = [(np.full((number, k), np.inf), np.zeros((number, k), dtype=np.int64)) for _ in parts]
        late = np.arange(number)
    else:
        answers = nearest_without(shared, threads, smallest_ratio=True)
        found = [(distances, ids) for distances, ids, _ in answers]
        late = np.flatnonzero(~np.all([answered for _, _, answered in answers], axis=0))
    if len(late):
        some = Places(queries.coordinates[late], queries.codes[late])
        keys = np.concatenate([_keys(places, layout) for places in (some, base)])
        all_keys = keys.sum(axis=1, dtype=np.uint64)
        for (distances, ids), part, left_out in zip(found, parts, axes, strict=True):
            rest = all_keys - keys[:, list(part)].sum(axis=1, dtype=np.uint64)
            distances[late], ids[late] = _one_search(some, base, rest, left_out, k, threads, owners)
    return _best(found, times)


def _one_search(
    queries: Places, base: Places, keys: Keys, left_out: Ints, k: int, threads: int, owners: Ints | None
) -> tuple[Floats, Ints]:
    """Search U without some dimensions. `keys`, of queries and base, are equal for rows that agree in the others."""
    left = _left(base.coordinates, left_out)
    rows, own_rows, base_rows = _different(queries, base, keys, left)
    if owners is None:
        return nearest(rows, own_rows, base_rows, k, threads=threads)
    return nearest_persons(rows, own_rows, base_rows, owners, k, threads=threads)


def _in_blocks(queries: Places, base: RowsAt, left_out: Ints, threads: int) -> tuple[Floats, Ints]:
    """As `_one_search`, in a base on disk; not for persons."""
    left = _left(base, left_out)
    blocks = (np.ascontiguousarray(block[:, left]) for block in base.blocks())
    rows = np.ascontiguousarray(queries.coordinates[:, left])
    return nearest_in_blocks(rows, blocks, min(NEIGHBOURS, len(base)), threads=threads)


def _left(coordinates: Floats | RowsAt, left_out: Ints) -> Ints:
    """The dimensions that are left without some."""
    return np.setdiff1d(np.arange(coordinates.shape[1]), left_out)


def _different(queries: Places, base: Places, keys: Keys, left: Ints) -> tuple[Floats, Ints, Ints]:
    """The different rows in the dimensions that are left, and which of them each query and each base row is.

    `keys`, of queries and then the base, are equal for rows that agree in these. The rows of the base come first, in
    its order, and then those of queries alone: a search needs no copy of rows that stand together.
    """
    number, size = len(queries.coordinates), len(base.coordinates)
    _, first, groups = np.unique(np.roll(keys, -number), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    groups, first = place[groups], first[order]
    of_base = int(np.searchsorted(first, size))
    rows = np.empty((len(first), len(left)))
    gathered(base.coordinates, first[:of_base], left, out=rows[:of_base])
    gathered(queries.coordinates, first[of_base:] - size, left, out=rows[of_base:])
    return rows, groups[size:], groups[:size]


def _best(found: Sequence[tuple[Floats, Ints]], times: Ints) -> DroppedSearch:
    """Keep the nearest rows by the part with the smallest ratio, split evenly over equally good parts, then rows.

    `found` holds distances and ids by part, both (queries, k); distances of inf where a part has no such ratio.
    """
    ratios = np.stack([squared_ratio(distances) for distances, _ in found])
    least = ratios.min(axis=0)
    best = ratios == least
    pairs = []
    for is_best, (distances, ids) in zip(best, found, strict=True):
        tied = distances == distances[:, :1]
        entry, place = np.nonzero(tied & is_best[:, np.newaxis])
        each = 1 / (tied.sum(axis=1) * best.sum(axis=0))
        pairs.append((entry, ids[entry, place], each[entry]))
    entry, real, each = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
    return DroppedSearch(times, least, entry, real, each)


def _keys(places: Places, layout: Layout) -> Keys:
    if layout.slices:
        return column_keys(places.codes)
    bits = (places.coordinates + 0.0).view(np.int64)
    # Two rounds, as a coordinate has 64 bits and a code 32.
    return column_keys((bits >> 32).astype(np.int32)) + np.uint64(3) * column_keys(bits.astype(np.int32))
