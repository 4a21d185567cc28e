"""Which rows of a table make the holdout: drawn at random, by content, so that what belongs together stays together.

Rows that are identical, and rows of one person, form blocks that are never divided. The draw goes by a number made
from seed and contents of each block, not by the place of its rows: the same rows in another order, or in another file
format, are divided alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from reportgen.distances import Ints
from reportgen.read.fingerprint import coded_items
from reportgen.read.partition import ColumnSchema

BANDS = 10
"""Bands of equal numbers of rows that a numeric column is cut into where it has more values than `MOST_VALUES`."""
MOST_VALUES = 20
Numbers = NDArray[np.uint64]
Mask = NDArray[np.bool_]


def blocks_of(identical: Ints, persons: Ints | None) -> Ints:
    """Number the blocks: rows that agree in `identical` or in `persons`, directly or through others. Shape (rows,)."""
    if persons is None:
        return np.unique(identical, return_inverse=True)[1].astype(np.int64)
    first, second = np.unique(identical, return_inverse=True)[1], np.unique(persons, return_inverse=True)[1]
    groups = int(first.max()) + 1
    size = groups + int(second.max()) + 1
    links = coo_array((np.ones(len(first), dtype=np.int8), (first, groups + second)), shape=(size, size))
    labels = connected_components(links, directed=False)[1]
    return np.unique(labels[first], return_inverse=True)[1].astype(np.int64)


def content_numbers(frame: pd.DataFrame, columns: Sequence[ColumnSchema]) -> Numbers:
    """Return a number for the contents of each row: equal for equal rows. Shape (rows,)."""
    numbers = np.zeros(len(frame), dtype=np.uint64)
    for column in sorted(columns, key=lambda column: column.name):
        codes, items = coded_items(frame[column.name], column.kind)
        name = column.name.encode("utf-8", "surrogatepass")
        hashed = [int.from_bytes(hashlib.sha256(name + b"\0" + item).digest()[:8], "big") for item in items]
        numbers += np.array(hashed, dtype=np.uint64)[codes]  # modulo 2^64, in whichever order the columns stand
    return numbers


def strata_of(series: pd.Series[Any], column: ColumnSchema) -> Ints:
    """Number the strata of a column: its values, or ten bands of a numeric one of many values. Missing is its own."""
    codes, items = coded_items(series, column.kind)
    if column.kind in {"numeric", "datetime"} and len(items) - 1 > MOST_VALUES:
        plain = _plain(series, column)
        edges = np.nanquantile(plain, np.linspace(0, 1, BANDS + 1)[1:-1])
        bands: Ints = np.where(codes < 0, -1, np.searchsorted(edges, plain, side="left")).astype(np.int64) + 1
        return bands
    order = np.argsort(items[:-1], kind="stable")
    ranks = np.empty(len(items), dtype=np.int64)
    ranks[order] = np.arange(1, len(items))
    ranks[-1] = 0
    return ranks[codes]


def _plain(series: pd.Series[Any], column: ColumnSchema) -> NDArray[np.float64]:
    """Return the values of a numeric or datetime column as floats, NaN where one is missing."""
    if column.kind == "datetime":
        moments = series.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
        return np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(np.float64))
    return pd.to_numeric(series).to_numpy(dtype=np.float64, na_value=np.nan)


def choose(blocks: Ints, numbers: Numbers, strata: Ints, fraction: float, seed: int) -> Mask:
    """Mark the rows of the holdout: in each stratum as near to `fraction` of its rows as its blocks allow.

    `blocks`, `numbers` and `strata` have shape (rows,). A block whose rows lie in several strata counts for the one
    that most of them lie in. Both sides get at least one block where there are two.
    """
    sizes = np.bincount(blocks)
    sums = np.zeros(len(sizes), dtype=np.uint64)
    np.add.at(sums, blocks, numbers)
    keys = [hashlib.sha256(f"{seed}:{number}".encode()).digest() for number in sums.tolist()]
    whose = _main_stratum(blocks, strata, len(sizes))
    firsts = np.unique(blocks, return_index=True)[1]
    order = sorted(range(len(sizes)), key=lambda block: (keys[block], firsts[block]))
    wanted = _shares(np.bincount(whose, weights=sizes, minlength=int(whose.max()) + 1).astype(np.int64), fraction)
    taken = np.zeros(len(wanted), dtype=np.int64)
    held = np.zeros(len(sizes), dtype=np.bool_)
    for block in order:
        stratum, size = whose[block], sizes[block]
        # Taken where it brings the number of rows nearer to what is wanted.
        if size < 2 * (wanted[stratum] - taken[stratum]):
            held[block] = True
            taken[stratum] += size
    if len(sizes) > 1 and not held.any():
        held[min(order, key=lambda block: sizes[block])] = True
    if len(sizes) > 1 and held.all():
        held[min(order, key=lambda block: sizes[block])] = False
    return held[blocks]


def _main_stratum(blocks: Ints, strata: Ints, number: int) -> Ints:
    pairs, counts = np.unique(np.stack([blocks, strata]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts, pairs[0]))
    first = np.unique(pairs[0][order], return_index=True)[1]
    main = np.empty(number, dtype=np.int64)
    main[pairs[0][order][first]] = pairs[1][order][first]
    return main


def _shares(rows: Ints, fraction: float) -> Ints:
    """Return whole numbers of rows that add up to `fraction` of all: largest remainders first, then by stratum."""
    ideal = rows * fraction
    shares: Ints = np.floor(ideal).astype(np.int64)
    short = round(float(rows.sum()) * fraction) - int(shares.sum())
    for stratum in np.lexsort((np.arange(len(rows)), -(ideal - shares)))[: max(0, short)]:
        shares[stratum] += 1
    return shares
