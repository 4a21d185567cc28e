"""Regions: the category or numeric band in which synthetic rows sit on original rows more than elsewhere.

A real row is sat upon when a synthetic row is anchored on it (`leak_size`). Two exact tests (Fisher, one-sided) have to
agree that a region stands out, so that neither a leak all over the table nor natural closeness names one:

- among the original rows, sat upon or not, in the region or not: they concentrate there;
- among all real rows, sat upon in the region or not, original or holdout: unseen people there are not sat upon alike.

Each is adjusted for the number of regions (Holm); the second for those in which at least five real rows are sat upon,
which no labels enter. Rows with a twin are left out: identical rows are sat upon together, and no test of single rows
holds for them. A region is a category of at least five original rows, or a band of numbers between ends that are
rounded to two significant digits and have five original rows on either side: it names no row, no rare level, no extreme
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.copies import holm
from reportgen.distances import Floats
from reportgen.metrics.evidence import Pooled
from reportgen.metrics.hypergeometric import at_least
from reportgen.metrics.leak_size import QUANTILE, claims, own_ratio_cut
from reportgen.model import SMALLEST_GROUP, Finding
from reportgen.read.bands import Region, regions_of
from reportgen.read.partition import Partition
from reportgen.space.famd import Encoded
from reportgen.space.pool import Pool
from reportgen.words import sentence

LEVEL = 0.05

Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class Anchors:
    """Real rows in the order of the files, original rows first: all arrays have the shape (rows,).

    `original`: whether it is one. `single`: it has no twin. `claims`: the synthetic rows that are anchored on it.
    """

    original: Booleans
    single: Booleans
    claims: Floats

    @property
    def sat_upon(self) -> Booleans:
        """Whether a row without a twin has a synthetic row anchored on it."""
        return self.single & (self.claims > 0)


@dataclass(frozen=True)
class Concentration:
    """A region that stands out: original rows sat upon in it, how many if they were spread evenly, and p after Holm."""

    column: str
    name: str
    rows: int
    everywhere: int
    expected: float
    p_value: float


def anchors(encoded: Encoded, pool: Pool, found: Pooled) -> Anchors:
    """Find which real rows are sat upon. `encoded` holds the rows in the order of the files; needs a holdout."""
    if encoded.holdout is None:
        msg = "regions need a true holdout"
        raise ValueError(msg)
    each = claims(found.real, found.synthetic, own_ratio_cut(found.real, QUANTILE)) / found.real.occurrences
    place = np.searchsorted(pool.positions, np.concatenate((encoded.original, encoded.holdout)))
    return Anchors(
        original=np.arange(len(place)) < len(encoded.original),
        single=np.bincount(place)[place] == 1,
        claims=each[place],
    )


def concentrations(regions: Iterable[Region], rows: Anchors) -> list[Concentration]:
    """Name the regions that stand out, the one of each column where rows concentrate most, in the columns' order."""
    sat, original = rows.sat_upon, rows.original & rows.single
    held = ~rows.original & rows.single
    originals, everywhere = int(original.sum()), int((sat & original).sum())
    counted = [_counted(region, rows, sat & original, sat & held, original) for region in regions]
    together = [at_least(each.here, each.original, originals - each.original, everywhere) for each in counted]
    busy = [place for place, each in enumerate(counted) if each.here + each.held >= SMALLEST_GROUP]
    apart = [
        at_least(counted[place].here, originals, int(held.sum()), counted[place].here + counted[place].held)
        for place in busy
    ]
    adjusted = holm(together)
    best: dict[str, tuple[float, Concentration]] = {}
    for place, against_holdout in zip(busy, holm(apart), strict=True):
        each = counted[place]
        p_value = max(adjusted[place], against_holdout)
        if min(each.here, each.claims) < SMALLEST_GROUP or p_value > LEVEL:
            continue
        if each.column not in best or together[place] < best[each.column][0]:
            expected = everywhere * each.original / originals
            found = Concentration(each.column, each.name, each.here, everywhere, expected, p_value)
            best[each.column] = together[place], found
    return [found for _, found in best.values()]


@dataclass(frozen=True)
class _Counts:
    column: str
    name: str
    original: int
    here: int
    held: int
    claims: float


def _counted(region: Region, rows: Anchors, sat: Booleans, sat_held: Booleans, original: Booleans) -> _Counts:
    inside = region.rows
    return _Counts(
        column=region.column,
        name=region.name,
        original=int((inside & original).sum()),
        here=int((inside & sat).sum()),
        held=int((inside & sat_held).sum()),
        claims=float(rows.claims[inside & sat].sum()),
    )


def find_regions(
    partition: Partition, encoded: Encoded, pool: Pool, found: Pooled | None, *, named: bool = True
) -> tuple[Finding, ...]:
    """Find where anchored rows concentrate; nothing without a true holdout. `encoded`: in the order of the files.

    `named`: whether categories may be named.
    """
    if encoded.holdout is None or found is None:
        return ()
    rows = anchors(encoded, pool, found)
    return tuple(_finding(one) for one in concentrations(_regions(partition, named=named), rows))


def _regions(partition: Partition, *, named: bool) -> Iterator[Region]:
    for column in partition.used:
        yield from regions_of(partition, column, named=named)


def _finding(found: Concentration) -> Finding:
    text = sentence(
        "finding.anchored_rows_concentrate",
        region=found.name,
        expected=found.expected,
        p=found.p_value,
        rows=found.rows,
        everywhere=found.everywhere,
    )
    return Finding(
        code="anchored_rows_concentrate",
        severity="notice",
        text=text,
        region=found.name,
        count=found.rows,
        expected=found.expected,
        p_value=found.p_value,
    )
