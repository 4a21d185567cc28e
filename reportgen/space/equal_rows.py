"""Rows that agree on all columns but at most two, found by 64-bit keys of the columns: no distance enters.

A row's key without some columns is the sum of the other columns' hashed codes modulo 2^64, so that columns are left out
by subtracting. Two rows that differ share a key with probability 2^-64. Every pair found is compared column by column.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import AlmostEqual, Ints
from reportgen.persons import distinct_pairs
from reportgen.read.shelf import Shelf
from reportgen.space.on_disk import RowsAt

Keys = NDArray[np.uint64]
Codes = NDArray[np.int32]

FEWEST_COLUMNS = 3
"""So many columns must be left to agree on."""
MOST_ROWS = 5
"""A choice of columns that matches more rows of U than this says nothing about any of them."""
MOST_PROPOSED = 64
"""Where groups of columns are left out, a group that matches more rows than this is not looked into."""
_SLOTS = 22
"""Bits of a key that index a table of marks; 2^22 bytes stay in the cache."""
_PAIRS = 1 << 20


def column_keys(codes: Codes) -> Keys:
    """Hash each code together with its column, shape (rows, columns): 64 bits that look random (splitmix64)."""
    bits = codes.astype(np.int64).view(np.uint64)
    bits = bits + (np.arange(1, codes.shape[1] + 1, dtype=np.uint64) << np.uint64(32))
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(30)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(27)
    bits *= np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return bits


def almost_equal(
    queries: Codes, base: Codes | RowsAt, groups: Sequence[Sequence[int]], owners: Ints | None = None
) -> AlmostEqual:
    """Find the base rows that equal each query row on all columns but at most two.

    `queries` (n, columns) and `base` (rows of U, columns) hold the codes of different rows each. A choice of columns
    that matches more than five rows is skipped, and so is one that leaves fewer than three columns. `groups` says
    which columns are left out together while looking; where they are single columns nothing is missed, otherwise only
    what lies among more than 64 rows that agree outside two groups. With `owners`, shape (rows of U,), a choice is
    skipped where it matches rows of more than five of them (and looked into where it matches at most 64 rows).
    """
    columns = base.shape[1]
    allowed = min(2, columns - FEWEST_COLUMNS)
    nothing = np.zeros(0, dtype=np.int64)
    if allowed < 0 or not len(queries):
        return AlmostEqual(nothing, nothing, nothing)
    most = MOST_ROWS if len(groups) == columns and owners is None else MOST_PROPOSED
    pairs = []
    with Shelf() if isinstance(base, RowsAt) else nullcontext() as scratch:
        query_all, query_parts = _group_keys([queries], len(queries), groups, None)
        blocks = base.blocks() if isinstance(base, RowsAt) else [base]
        base_all, base_parts = _group_keys(blocks, len(base), groups, scratch)
        for number in range(allowed + 1):
            for choice in itertools.combinations(range(len(groups)), number):
                query_rest, base_rest = query_all.copy(), base_all.copy()
                for part in choice:
                    query_rest -= query_parts[part]
                    base_rest -= base_parts[part]
                if scratch is not None:
                    scratch.forget()
                pairs.append(_matches(query_rest, base_rest, most))
    proposed = np.unique(np.concatenate(pairs))
    return _compared(proposed, queries, base, allowed, owners)


def _group_keys(
    blocks: Iterable[Codes], rows: int, groups: Sequence[Sequence[int]], scratch: Shelf | None
) -> tuple[Keys, Sequence[Keys]]:
    """Keys of all columns of each row, and of the columns of each group, from blocks of so many rows in all."""
    every = np.empty(rows, dtype=np.uint64)
    parts = [np.empty(rows, dtype=np.uint64) if scratch is None else scratch.room((rows,), np.uint64) for _ in groups]
    start = 0
    for block in blocks:
        step = max(1, _PAIRS // block.shape[1])
        for some in (block[first : first + step] for first in range(0, len(block), step)):
            keys = column_keys(some)
            here = slice(start, start + len(some))
            every[here] = keys.sum(axis=1, dtype=np.uint64)
            for own, group in zip(parts, groups, strict=True):
                own[here] = keys[:, list(group)].sum(axis=1, dtype=np.uint64)
            start += len(some)
        if scratch is not None:
            scratch.forget()
    return every, parts


def _matches(queries: Keys, base: Keys, most: int) -> Ints:
    """Return query * base rows + base row for all pairs of equal keys, of queries that match at most so many rows."""
    near_query, near_base = _candidates(queries, base)
    order = np.argsort(base[near_base], kind="stable")
    near_base = near_base[order]
    keys = base[near_base]
    left = np.searchsorted(keys, queries[near_query], side="left")
    number = np.searchsorted(keys, queries[near_query], side="right") - left
    few = (number > 0) & (number <= most)
    near_query, left, number = near_query[few], left[few], number[few]
    within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    found: Ints = np.repeat(near_query, number) * len(base) + near_base[np.repeat(left, number) + within]
    return found


def _candidates(queries: Keys, base: Keys) -> tuple[Ints, Ints]:
    """Leave out, by a table of marks, most rows that have no equal on the other side."""
    query_slots = _slots(queries)
    marks = np.zeros(1 << _SLOTS, dtype=bool)
    parts = range(0, len(base), _PAIRS)
    for start in parts:
        marks[_slots(base[start : start + _PAIRS])] = True
    near_query = np.flatnonzero(marks[query_slots])
    marks[:] = False
    marks[query_slots[near_query]] = True
    near_base = [start + np.flatnonzero(marks[_slots(base[start : start + _PAIRS])]) for start in parts]
    return near_query, np.concatenate(near_base)


def _slots(keys: Keys) -> Ints:
    """Places in the table of marks."""
    return (keys & np.uint64((1 << _SLOTS) - 1)).view(np.int64)


def _compared(proposed: Ints, queries: Codes, base: Codes | RowsAt, allowed: int, owners: Ints | None) -> AlmostEqual:
    """Keep the pairs that differ in few enough columns and whose own choice of columns matches few enough rows."""
    columns = base.shape[1]
    entry, real = np.divmod(proposed, len(base))
    number, first, second = (np.empty(len(proposed), dtype=np.int64) for _ in range(3))
    step = max(1, _PAIRS // columns)
    for start in range(0, len(proposed), step):
        part = slice(start, start + step)
        differ = queries[entry[part]] != base[real[part]]
        number[part] = differ.sum(axis=1)
        first[part] = differ.argmax(axis=1)
        second[part] = columns - 1 - differ[:, ::-1].argmax(axis=1)
    few = number <= allowed
    entry, real, number, first, second = (array[few] for array in (entry, real, number, first, second))
    whose = None if owners is None else owners[real]
    kept = _rows_of_choice(entry, number, first, second, columns, whose) <= MOST_ROWS
    return AlmostEqual(entry[kept], real[kept], number[kept])


def _rows_of_choice(
    entry: Ints, number: Ints, first: Ints, second: Ints, columns: int, whose: Ints | None = None
) -> Ints:
    """Count, for each pair, the rows that equal its query on all columns but those in which the pair differs.

    `first` and `second` are the differing columns, the same one where there is one. With `whose`, shape (pairs,), the
    owners of these rows are counted, once for each set of columns in which their rows differ.
    """
    none = columns  # stands for "no column"
    first, second = np.where(number > 0, first, none), np.where(number > 0, second, none)

    def key(one: Ints, other: Ints) -> Ints:
        combined: Ints = (entry * (columns + 1) + one) * (columns + 1) + other
        return combined

    keys = key(first, second)
    if whose is not None:
        different, place = np.unique(keys, return_inverse=True)
        keys = different[distinct_pairs(place, whose)[0]]
    known, counts = np.unique(keys, return_counts=True)

    def rows(wanted: Ints) -> Ints:
        place = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
        return np.where(known[place] == wanted, counts[place], 0)

    nothing = np.full(len(entry), none)
    total = rows(key(nothing, nothing))
    total += np.where(number > 0, rows(key(first, first)), 0)
    total += np.where(number > 1, rows(key(second, second)) + rows(key(first, second)), 0)
    return total
