"""Which rows are compared with which, and the searches that answer it: the evidence for the metrics.

Every pair of query rows and base rows is searched once a run. The memorising control asks the same questions of a
table in which half of the rows are copies, and reuses whatever doesn't involve the synthetic rows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from reportgen.copies import CopyCounts
from reportgen.distances import Floats, Ints, NeighbourDistances
from reportgen.metrics.evidence import Direction, Draw, Evidence, LeadDistances, Need, Pooled
from reportgen.metrics.pseudo_tables import Sizes
from reportgen.metrics.supports import share_within_support
from reportgen.model import HoldoutKind
from reportgen.persons import Persons
from reportgen.read.holdout import DrawPlan
from reportgen.space.asking import Asking
from reportgen.space.by_person import nearest_others, nearest_persons
from reportgen.space.famd import Encoded
from reportgen.space.pool import Pool
from reportgen.space.search import nearest

ISOLATED_SHARE = 0.05
ISOLATED_NEIGHBOUR = 5
FEWEST_ISOLATED = 5
FEWEST_QUERIES = 2
"""No percentile is taken of fewer rows."""
FEWEST_IN_POOL = 3
"""A ratio of two distances needs two others."""


@dataclass(frozen=True)
class Comparison:
    """One planned comparison as positions in the space: queries, holdout base, and the synthetic rows to draw."""

    queries: Ints
    holdout: Ints
    synthetic_rows: Ints | None
    """Row positions in the synthetic table; None for all."""
    isolated: NDArray[np.bool_]
    persons: Ints | None
    """Whose each query row is; None without persons."""


class Searcher:
    """Searches in one encoded space, each pair of rows once; counts its queries. Every answer is exact.

    `leads` searches the space of each lead of signals, None for tables; a single lead has the joint space. `pooled`:
    the pool's searches are made anyway, so that neighbours among original or holdout rows are taken from them.
    `asking`: the rows that look for neighbours, None for all.
    """

    def __init__(
        self,
        encoded: Encoded,
        threads: int,
        lead_coordinates: Mapping[str, Floats] | None = None,
        *,
        pooled: bool = False,
        asking: Asking | None = None,
    ) -> None:
        self.encoded = encoded
        self.threads = threads
        self.asking = asking
        self.pool = Pool(encoded, threads, _reach(encoded), asking)
        self.original = encoded.original if asking is None else encoded.original[asking.original]
        """Positions of the original rows that look for neighbours."""
        self.holdout = encoded.holdout
        """The same of the holdout."""
        if encoded.holdout is not None and asking is not None:
            self.holdout = encoded.holdout[asking.holdout]
        self.pooled = pooled and encoded.persons is None and self.pool.apart >= FEWEST_IN_POOL
        self.leads: dict[str, Searcher] | None = None
        if lead_coordinates is not None:
            self.leads = {
                name: self
                if own.shape == encoded.coordinates.shape
                else Searcher(_within(encoded, own), threads, asking=asking)
                for name, own in lead_coordinates.items()
            }
        self._own_queries = 0
        self._known: dict[tuple[int, int], tuple[Ints, Ints, NeighbourDistances]] = {}

    @property
    def queries(self) -> int:
        """How many rows looked for their neighbours so far."""
        others = (lead for lead in (self.leads or {}).values() if lead is not self)
        return self._own_queries + self.pool.queries + sum(lead.queries for lead in others)

    def synthetic(self, synthetic: Ints) -> Ints:
        """The positions of those rows of a synthetic table that look for neighbours."""
        return synthetic if self.asking is None else synthetic[self.asking.synthetic]

    def two(self, queries: Ints, base: Ints) -> NeighbourDistances:
        """Find the two closest base rows; the answer is kept for the next time with the very same arrays."""
        key = (id(queries), id(base))
        if key not in self._known:
            distances, ids = self._search(queries, base, 2)
            self._known[key] = (queries, base, _two_of(distances, ids))  # holding both arrays keeps their ids valid
        return self._known[key][2]

    def known(self, queries: Ints, base: Ints) -> NeighbourDistances | None:
        """What `two` found for the very same arrays before, if it did."""
        found = self._known.get((id(queries), id(base)))
        return None if found is None else found[2]

    def to_original(self, queries: Ints) -> NeighbourDistances:
        """Find the two closest original rows, with persons those of two persons; the answer is kept as by `two`."""
        base, persons = self.encoded.original, self.encoded.persons
        if persons is None:
            return self.two(queries, base)
        key = (id(queries), id(base))
        if key not in self._known:
            self._known[key] = (queries, base, self._two_persons(queries, persons.of_original.person))
        return self._known[key][2]

    @functools.cached_property
    def among_original(self) -> tuple[NeighbourDistances, Floats]:
        """The two closest other original rows of each that looks, and the distance to the fifth (inf where none is).

        With persons: the closest original rows of two other persons, and the distance to the fifth row of others.
        """
        original, persons = self.encoded.original, self.encoded.persons
        looking = np.arange(len(original)) if self.asking is None else self.asking.original
        if persons is not None:
            self._own_queries += len(looking)
            whose = persons.of_original.person
            coordinates, own = self.encoded.coordinates, whose[looking]
            found = nearest_others(coordinates, original, whose, ISOLATED_NEIGHBOUR, self.threads, asking=looking)
            two, fifth = _two_and_last(found)
            # Of two persons nobody has a second other person; then these two are not asked for.
            return (self._two_persons(self.original, whose, own) if _others(self.encoded) >= 2 else two), fifth
        return _two_and_last(self._search(self.original, original, ISOLATED_NEIGHBOUR, leave_out=looking))

    def _two_persons(self, queries: Ints, whose: Ints, own: Ints | None = None) -> NeighbourDistances:
        """The closest original row of each of the two closest persons but `own`."""
        self._own_queries += len(queries)
        base = self.encoded.original
        return _two_of(
            *nearest_persons(self.encoded.coordinates, queries, base, whose, 2, own=own, threads=self.threads)
        )

    def _search(self, queries: Ints, base: Ints, k: int, *, leave_out: Ints | None = None) -> tuple[Floats, Ints]:
        self._own_queries += len(queries)
        if self.pooled and any(base is real for real in (self.encoded.original, self.encoded.holdout)):
            return self.pool.among(queries, base, k, leave_out=leave_out)
        return nearest(self.encoded.coordinates, queries, base, k, leave_out=leave_out, threads=self.threads)


def compare(searcher: Searcher, plans: Sequence[DrawPlan], needs: Collection[Need]) -> tuple[Comparison, ...]:
    """Turn planned draws into positions in the space; empty where no metric needs them."""
    encoded = searcher.encoded
    if "draws" not in needs or not plans:
        return ()
    isolated = _isolated(searcher)
    held = encoded.original if encoded.holdout is None else encoded.holdout
    whose = None if encoded.persons is None else encoded.persons.of_original.person
    found = []
    for plan in plans:
        asked = plan.queries
        if searcher.asking is not None:
            asked = np.intersect1d(asked, searcher.asking.original, assume_unique=True)
        found.append(
            Comparison(
                searcher.original if plan.whole else encoded.original[asked],
                held if plan.whole else held[plan.holdout],
                None if plan.whole else plan.synthetic,
                isolated[asked],
                None if whose is None else whose[asked],
            )
        )
    return tuple(comparison for comparison in found if len(comparison.queries) >= FEWEST_QUERIES)


def gather(
    searcher: Searcher,
    synthetic: Ints,
    comparisons: Sequence[Comparison],
    needs: Collection[Need],
    kind: HoldoutKind,
    copies: CopyCounts,
    random: np.random.Generator,
    dropped: int,
    report: Callable[[int, int], None],
) -> Evidence:
    """Search what the metrics need for one synthetic table, given as positions in the space, shape (rows,).

    `report` is called with the comparisons done and their number. A direction whose base has fewer than two rows left
    is not there. `random` draws the synthetic rows that are searched with columns left out, at most `dropped`.
    """
    draws = []
    for done, comparison in enumerate(comparisons):
        report(done, len(comparisons))
        base = synthetic if comparison.synthetic_rows is None else synthetic[comparison.synthetic_rows]
        draws.append(
            Draw(
                synthetic=searcher.two(comparison.queries, base),
                holdout=searcher.two(comparison.queries, comparison.holdout),
                synthetic_groups=base,
                isolated=comparison.isolated,
                persons=comparison.persons,
            )
        )
    pool = _pooled(searcher, synthetic, random, dropped) if "pool" in needs else None
    leads = None
    if searcher.leads is not None:
        own = get_args(Direction) if "leads" in needs else ()
        leads = tuple(LeadDistances(name, _directions(lead, synthetic, own)) for name, lead in searcher.leads.items())
    found = _directions(searcher, synthetic, needs)
    return Evidence(kind, copies, tuple(draws), found, pool, leads=leads, persons=_asking_persons(searcher))


def _asking_persons(searcher: Searcher) -> Persons | None:
    """Whose the real rows are that look for neighbours, original before holdout."""
    persons, asking = searcher.encoded.persons, searcher.asking
    if persons is None or asking is None:
        return persons
    first = len(searcher.encoded.original)
    held = () if asking.holdout is None else (first + asking.holdout,)
    rows = np.concatenate((asking.original, *held))
    return Persons(np.unique(persons.person[rows], return_inverse=True)[1].astype(np.int64), persons.original[rows])


def _reach(encoded: Encoded) -> int:
    """How many others the null ranges need of each real row: none without a true holdout."""
    if encoded.holdout is None:
        return 0
    return Sizes(len(encoded.original), len(encoded.holdout), len(encoded.synthetic)).reach


def _within(encoded: Encoded, coordinates: Floats) -> Encoded:
    return replace(encoded, coordinates=coordinates, dimensions=coordinates.shape[1])


def _directions(searcher: Searcher, synthetic: Ints, needs: Collection[Need]) -> dict[Direction, NeighbourDistances]:
    original, held = searcher.encoded.original, searcher.holdout
    found: dict[Direction, NeighbourDistances] = {}
    if "original_to_synthetic" in needs and len(synthetic) >= 2:
        found["original_to_synthetic"] = searcher.two(searcher.original, synthetic)
    if _others(searcher.encoded) >= 2 and "original_to_original" in needs:
        found["original_to_original"] = searcher.among_original[0]
    if len(original) >= 2 and "synthetic_to_original" in needs:
        found["synthetic_to_original"] = searcher.to_original(searcher.synthetic(synthetic))
    if len(original) >= 2 and held is not None and "holdout_to_original" in needs:
        found["holdout_to_original"] = searcher.to_original(held)
    return found


def _others(encoded: Encoded) -> int:
    """How many original rows every original row can be compared with: all but itself, or one of each other person."""
    return (len(encoded.original) if encoded.persons is None else encoded.persons.originals) - 1


def _pooled(searcher: Searcher, synthetic: Ints, random: np.random.Generator, dropped: int) -> Pooled | None:
    pool = searcher.pool
    if pool.apart < FEWEST_IN_POOL:
        return None
    tested = pool.encoded.holdout is not None  # the leak test, which needs all searches, needs a holdout too
    found = pool.synthetic(searcher.synthetic(synthetic), random, dropped, altered=tested)
    pool.reach_for(found)
    real = pool.real
    known = searcher.known(searcher.original, synthetic)
    closest = pool.closest_synthetic(synthetic, None if known is None else known.first) if tested else None
    return Pooled(real, found, closest, share_within_support(real, found))


def _isolated(searcher: Searcher) -> NDArray[np.bool_]:
    """Mark the 5 % of the original rows with the largest fifth distance among themselves; none where those are few.

    With persons the distance is to rows of others, and a row without five of them is the most isolated. Shape (original
    rows,); of those that look for neighbours where not all do.
    """
    rows = len(searcher.encoded.original)
    looking = np.arange(rows) if searcher.asking is None else searcher.asking.original
    marks = np.zeros(rows, dtype=bool)
    number = int(ISOLATED_SHARE * len(looking))
    if number >= FEWEST_ISOLATED:
        fifth = searcher.among_original[1]
        marks[looking[np.argsort(-fifth, kind="stable")[:number]]] = True
    return marks


def _two_and_last(found: tuple[Floats, Ints]) -> tuple[NeighbourDistances, Floats]:
    return _two_of(*found), found[0][:, -1]


def _two_of(distances: Floats, ids: Ints) -> NeighbourDistances:
    first, second = distances[:, 0].copy(), distances[:, 1].copy()
    return NeighbourDistances(first, second, ids[:, 0].copy(), ids[:, 1].copy())
