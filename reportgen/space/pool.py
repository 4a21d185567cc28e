"""The searches behind the verdict's tests: synthetic rows among all real rows, original and holdout alike.

U is the different rows of original and holdout together. Nothing here looks at which of them are original rows.

With persons (`--group`) a neighbour is a person: of the rows of one only the closest counts, and a real row never meets
those of its own person. Otherwise ten visits of one person would be each other's ten closest rows, and a near copy of
one of them would look like a row with ten neighbours all around.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable
from typing import TypeVar

import numpy as np

from reportgen.distances import AlmostEqual, DroppedSearch, Floats, Ints, RealLists, RealRows, SyntheticRows
from reportgen.persons import Booleans, Persons
from reportgen.ranks import counted
from reportgen.read.shelf import shelved
from reportgen.space.answers import Answers, contents
from reportgen.space.asking import Asking
from reportgen.space.by_person import nearest_persons
from reportgen.space.dropped import Parts, Places, PlacesOnDisk, group_columns, search_dropped
from reportgen.space.equal_rows import almost_equal
from reportgen.space.famd import Encoded
from reportgen.space.known import KnownLists
from reportgen.space.longer import LongerLists
from reportgen.space.members import members
from reportgen.space.on_disk import RowsAt, some_rows
from reportgen.space.search import nearest, to_rows
from reportgen.space.shared import from_lists
from reportgen.space.streamed import nearest_in_blocks

NEIGHBOURS = 10
APART = 4.0
"""So many standard deviations: chance takes one table in 30,000 for one whose repeats stay within files."""
Found = TypeVar("Found")
MOST_DROPPED = 5000
"""With more synthetic rows than this, the searches with columns left out use so many random ones."""


class Pool:
    """U of one encoded space, and the searches in it. Every row is searched once; all answers are exact.

    At least two different real rows are needed. `queries` counts the rows that were searched for. `reach`: how many
    others are found for each real row, as `row_lists` needs them. `asking`: the rows that look for neighbours, None
    where all do; a real row that synthetic rows point at looks for its own in any case. `answers`: what earlier runs
    found of real rows, of use where all of them look.
    """

    def __init__(
        self,
        encoded: Encoded,
        threads: int = 1,
        reach: int = NEIGHBOURS,
        asking: Asking | None = None,
        answers: Answers | None = None,
    ) -> None:
        self.encoded = encoded
        self.threads = threads
        self.asking = asking
        self.answers = answers if asking is None and encoded.shelf is None else None
        held = () if encoded.holdout is None else (encoded.holdout,)
        self._real = shelved(np.concatenate((encoded.original, *held)), encoded.shelf)
        self.positions, self._occurrences = (shelved(found, encoded.shelf) for found in counted(self._real))
        """The positions of U in the space, ascending, shape (rows of U,)."""
        self.owners = None if encoded.persons is None else self._owners(self._real, encoded.persons)
        """Whose each row of U is, if one person's alone; the others have an owner each. None without persons."""
        self.apart = len(self.positions) if self.owners is None else len(np.unique(self.owners))
        """How many rows of U there are that can be neighbours of a row at once: with persons, one of each."""
        self.neighbours = min(NEIGHBOURS, self.apart)
        self.reach = max(reach, NEIGHBOURS)
        self.queries = 0
        self._within = KnownLists(self._find_within)
        self._dropped: tuple[Ints, DroppedSearch | None] = np.zeros(0, dtype=np.int64), None
        self._known = KnownLists(self._find)

    @property
    def rows(self) -> int:
        """N, the number of real rows."""
        return len(self._real)

    @property
    def real(self) -> RealRows:
        """U with its counts and each row's closest others.

        Where not all rows look for their neighbours: as far as they are known by now, those of the sample at least.
        """
        occurrences, originals = self._counts
        distances, neighbours, sampled, known = self._of_real()
        if self._persons is not None:
            return RealRows(occurrences, originals, distances, self._persons, sampled=sampled, known=known)
        left = self.rows - int(occurrences.sum())
        return RealRows(
            occurrences,
            originals,
            distances,
            neighbours=neighbours,
            not_counted=left,
            sampled=sampled,
            known=known,
        )

    @functools.cached_property
    def _counts(self) -> tuple[Ints, Ints]:
        """How often each row of U occurs, and how often in the original, both (rows of U,).

        Where repeats stay within files, each different row of a file is counted once: to relabel its copies one by
        one would take for chance what one row said many times. Rows of persons are relabelled together anyway.
        """
        originals = np.bincount(self.encoded.original, minlength=len(self.encoded.coordinates))[self.positions]
        occurrences = self._occurrences
        if self._persons is None and repeats_stay_within_files(occurrences, originals):
            held = np.minimum(occurrences - originals, 1)
            originals = np.minimum(originals, 1)
            occurrences = shelved(originals + held, self.encoded.shelf)
        return occurrences, shelved(originals, self.encoded.shelf)

    def _of_real(self) -> tuple[Floats, Ints, Booleans | None, Ints | None]:
        """Distances and neighbours of rows of U, (known rows, k); which are sampled, and which known, None for all."""
        if self.asking is None:
            distances, neighbours = self._others_of(np.arange(len(self.positions)))
            return distances[:, :NEIGHBOURS], neighbours[:, :NEIGHBOURS], None, None
        self._within.learn(np.flatnonzero(self.asking.real))
        known = self._within.found
        distances, neighbours = self._within.of(known)
        return distances[:, :NEIGHBOURS], neighbours[:, :NEIGHBOURS], self.asking.real, known

    def reach_for(self, found: SyntheticRows) -> None:
        """Let the real rows that synthetic rows point at look for their own neighbours, where not all do."""
        if self.asking is not None:
            pointed_at = (found.real[found.nearest > 0], found.dropped.real, found.equal.real)
            self._within.learn(np.concatenate(pointed_at))

    @functools.cached_property
    def _persons(self) -> Persons | None:
        """The persons of the real rows by the rows of U."""
        persons = self.encoded.persons
        if persons is None:
            return None
        order = np.lexsort((~persons.original, persons.person, self._real))
        return Persons(persons.person[order], persons.original[order])

    def _owners(self, real: Ints, persons: Persons) -> Ints:
        """A row of U that several persons share is a place where people meet: it tells none of them from the others."""
        place = np.searchsorted(self.positions, real)
        lowest, highest = np.full(len(self.positions), persons.number), np.full(len(self.positions), -1)
        np.minimum.at(lowest, place, persons.person)
        np.maximum.at(highest, place, persons.person)
        owners: Ints = np.where(lowest == highest, lowest, persons.number + np.arange(len(lowest)))
        return owners

    def row_lists(self, k: int) -> RealLists:
        """Each real row's k closest others, row by row; k is at most the pool's reach. Not for persons.

        Where not all rows look for their neighbours: of the sampled ones.
        """
        real, originals = self._real, len(self.encoded.original)
        place = np.searchsorted(self.positions, real)
        listed = np.arange(len(self.positions)) if self.asking is None else np.flatnonzero(self.asking.real)
        slots = np.full(len(self.positions), -1)
        slots[listed] = np.arange(len(listed))
        rows = np.flatnonzero(slots[place] >= 0)
        itself = listed[:, np.newaxis]
        others, other_ids = self._others_of(listed)
        groups, rows_of = members(place, k + 1)
        distances, ids = to_rows(
            np.concatenate((np.zeros(itself.shape), others[:, :k]), axis=1),
            np.concatenate((itself, other_ids[:, :k]), axis=1),
            rows_of.some(np.argsort(groups)),
            slots[place[rows]],
            k=k,
            leave_out=rows,
        )
        longer = LongerLists(self.encoded.coordinates, real, self.threads)
        size = 8 * (self.encoded.dimensions * len(self.positions) + len(real))
        if self.asking is None:
            return RealLists(distances, ids, originals, longer, longer_bytes=size)
        return RealLists(distances, ids, originals, longer, rows, len(real), size)

    def count_queries(self, number: int) -> None:
        """Count rows that were searched for on the pool's behalf."""
        self.queries += number

    @functools.cached_property
    def parts(self) -> Parts:
        """The groups of columns that are left out together, as positions among the columns by name."""
        layout = self.encoded.layout
        return group_columns(layout.inertia if layout.slices else self._held.coordinates.var(axis=0))

    @property
    def searches_without(self) -> int:
        """How many searches with columns left out there are: none where nothing would be left."""
        return len(self.parts) if len(self.parts) > 1 else 0

    @functools.cached_property
    def equal_parts(self) -> Parts:
        """The groups of columns by which rows that agree on nearly all columns are looked for."""
        return group_columns(self.encoded.layout.inertia)

    @functools.cached_property
    def places(self) -> Places | PlacesOnDisk:
        """Coordinates and codes of U."""
        coordinates, codes = self.encoded.coordinates, self.encoded.layout.codes
        if self.encoded.shelf is not None:
            return PlacesOnDisk(RowsAt(coordinates, self.positions), RowsAt(codes, self.positions))
        return Places(coordinates[self.positions], codes[self.positions])

    @property
    def _held(self) -> Places:
        """The same for what is not done with tables on disk."""
        if isinstance(self.places, PlacesOnDisk):
            msg = "not for rows on disk"
            raise TypeError(msg)
        return self.places

    def synthetic(
        self, positions: Ints, random: np.random.Generator, most_dropped: int = MOST_DROPPED, *, altered: bool = True
    ) -> SyntheticRows:
        """Search U for synthetic rows, given as positions in the space, shape (rows,), in any order.

        Without `altered`, nothing is searched with columns left out; the leak test can't be run on the answer.
        """
        different, times = counted(positions)
        distances, real = self._known.of(different)
        if not altered:
            nothing = np.zeros(0, dtype=np.int64)
            dropped = DroppedSearch(nothing, np.zeros(0), nothing, nothing, np.zeros(0))
            return SyntheticRows(times, distances, real, dropped, AlmostEqual(nothing, nothing, nothing))
        codes = self.encoded.layout.codes
        drawn = drawn_down(times, most_dropped, random)
        some = different[drawn > 0]
        return SyntheticRows(
            times=times,
            distances=distances,
            real=real,
            dropped=self._without_columns(some, drawn[drawn > 0]),
            equal=almost_equal(some_rows(codes, different), self.places.codes, self.equal_parts, self.owners),
        )

    def _without_columns(self, rows: Ints, times: Ints) -> DroppedSearch:
        """As `without_columns`, for rows of the space, ascending; those that were searched for before are not again."""
        if not self.searches_without:
            return self.without_columns(Places(self.encoded.coordinates[:0], self.encoded.layout.codes[:0]), times[:0])
        known, before = self._dropped
        new = np.setdiff1d(rows, known)
        if len(new):
            self.queries += self.searches_without * len(new)
            places = Places(some_rows(self.encoded.coordinates, new), some_rows(self.encoded.layout.codes, new))
            found = self.without_columns(places, np.ones(len(new), dtype=np.int64))
            known, before = self._dropped = (
                np.concatenate((known, new)),
                found if before is None else found.after(before),
            )
        if before is None:
            msg = "no rows to search for"
            raise ValueError(msg)
        order = np.argsort(known)
        return before.some(order[np.searchsorted(known[order], rows)], times)

    def without_columns(self, places: Places, times: Ints) -> DroppedSearch:
        """Search U for different rows, each `times` of them, without one part of the columns after the other."""
        return search_dropped(
            places, times, self.places, self.encoded.layout, self.parts, self.threads, owners=self.owners
        )

    def closest(self, coordinates: Floats, queries: Ints, base: Ints) -> tuple[Floats, Ints]:
        """Find the closest rows of U, `base` in these coordinates, for `queries`: one row of each person."""
        if self.owners is None:
            return nearest(coordinates, queries, base, self.neighbours, threads=self.threads)
        return nearest_persons(coordinates, queries, base, self.owners, self.neighbours, threads=self.threads)

    def closest_to(self, rows: Floats) -> tuple[Floats, Ints]:
        """Find the closest rows of U, as `closest`, for rows that are no rows of the space, (rows, dimensions)."""
        places = self.places
        if isinstance(places, PlacesOnDisk):
            return nearest_in_blocks(rows, places.coordinates.blocks(), self.neighbours, threads=self.threads)
        together = np.concatenate((rows, places.coordinates))
        return self.closest(together, np.arange(len(rows)), np.arange(len(rows), len(together)))

    def closest_synthetic(self, positions: Ints, known: Floats | None = None) -> Floats:
        """Distance of each row of U to its closest synthetic row, shape (rows of U,); NaN for those that don't look.

        `known`: the same of each original row that looks, in their order, where it was searched for already.
        """
        found = np.full(len(self.positions), np.nan)
        if known is not None:
            original = self.encoded.original
            looking = original if self.asking is None else original[self.asking.original]
            found[np.searchsorted(self.positions, looking)] = known
        late = np.flatnonzero(np.isnan(found) if self.asking is None else np.isnan(found) & self.asking.real)
        self.queries += len(late)
        if len(late):
            base = np.unique(positions)
            found[late] = nearest(self.encoded.coordinates, self.positions[late], base, 1, threads=self.threads)[0][
                :, 0
            ]
        return shelved(found, self.encoded.shelf)

    def among(self, queries: Ints, base: Ints, k: int, *, leave_out: Ints | None = None) -> tuple[Floats, Ints]:
        """Find the k closest of some real rows, as `nearest` does, from lists that the pool needs anyway.

        `queries` and `base`: places in the space, of any rows and of real rows. Not for persons.
        """
        place = np.minimum(np.searchsorted(self.positions, queries), len(self.positions) - 1)
        if (self.positions[place] == queries).all():
            distances, ids = self._others_of(place)
            distances = np.concatenate((np.zeros((len(queries), 1)), distances), axis=1)
            ids = np.concatenate((place[:, np.newaxis], ids), axis=1)
        else:
            distances, ids = self._known.of(queries)
        lists = (self.positions, distances, ids, distances.shape[1] >= len(self.positions))
        coordinates = self.encoded.coordinates
        return from_lists(coordinates, queries, base, k, lists, leave_out=leave_out, threads=self.threads)

    def _find(self, rows: Ints) -> tuple[Floats, Ints]:
        """The closest rows of U for rows of the space; a row of U finds itself, at distance 0."""
        place = np.minimum(np.searchsorted(self.positions, rows), len(self.positions) - 1)
        inside = self.positions[place] == rows
        distances, ids = np.empty((len(rows), self.neighbours)), np.empty((len(rows), self.neighbours), dtype=np.int64)
        if inside.any():
            others, other_ids = self._others_of(place[inside])
            itself = place[inside][:, np.newaxis]
            all_distances = np.concatenate((np.zeros(itself.shape), others), axis=1)
            all_ids = np.concatenate((itself, other_ids), axis=1)
            order = np.lexsort((all_ids, all_distances), axis=-1)[:, : self.neighbours]
            distances[inside] = np.take_along_axis(all_distances, order, axis=1)
            ids[inside] = np.take_along_axis(all_ids, order, axis=1)
        if not inside.all():
            self.queries += int((~inside).sum())
            distances[~inside], ids[~inside] = self.closest(self.encoded.coordinates, rows[~inside], self.positions)
        return distances, ids

    @functools.cached_property
    def contents(self) -> bytes:
        """Digest of all that is known of the real rows: equal where every answer about them alone is the same.

        Codes are ranks among the values of all tables; here they are ranks among those of the real rows.
        """
        layout, places, persons = self.encoded.layout, self._held, self.encoded.persons
        ranks = [np.unique(column, return_inverse=True)[1] for column in places.codes.T]
        slices = np.array([(part.start, part.stop) for part in layout.slices], dtype=np.int64)
        arrays = (
            *(places.coordinates, np.searchsorted(self.positions, self._real), np.array([len(self.encoded.original)])),
            *(*ranks, places.codes == layout.absent, layout.steps, layout.inertia, slices),
            *((None, None) if persons is None else (persons.person, persons.original)),
        )
        return contents(arrays)

    def once(self, question: Hashable, find: Callable[[], Found]) -> Found:
        """Return what `find` finds out about the real rows alone, in an earlier run or now; its queries count anyway.

        `question` says what else the answer depends on.
        """
        if self.answers is None:
            return find()
        before = self.queries

        def counted() -> tuple[Found, int]:
            found = find()
            return found, self.queries - before

        found, queries = self.answers.once((self.contents, question), counted)
        self.queries = before + queries
        return found

    def _others_of(self, places: Ints) -> tuple[Floats, Ints]:
        """The closest other rows of U for some of it; where all rows look they do so together, which is faster."""
        if self.asking is None:
            self._within.learn(np.arange(len(self.positions)))
        return self._within.of(places)

    def _find_within(self, places: Ints) -> tuple[Floats, Ints]:
        """The closest other rows of U for some of it, with persons of other people: distances and positions in U."""
        self.queries += len(places)
        if self.answers is None or len(places) < len(self.positions):
            return self._search_within(places)
        k = min(NEIGHBOURS, self.apart - 1) if self.owners is not None else min(self.reach, len(self.positions) - 1)
        return self.answers.lists(self.contents, k, lambda: self._search_within(places))

    def _search_within(self, places: Ints) -> tuple[Floats, Ints]:
        """Search for what `_find_within` answers."""
        if self.encoded.shelf is None:  # the rows of U stand together: they are searched without a copy
            coordinates, base = self._held.coordinates, np.arange(len(self.positions))
        else:
            coordinates, base = self.encoded.coordinates, self.positions
        asking = base[places]
        if self.owners is not None:
            own = self.owners
            k = min(NEIGHBOURS, self.apart - 1)
            return nearest_persons(coordinates, asking, base, own, k, own=own[places], threads=self.threads)
        k = min(self.reach, len(base) - 1)
        return nearest(coordinates, asking, base, k, leave_out=places, threads=self.threads)


def repeats_stay_within_files(occurrences: Ints, originals: Ints) -> bool:
    """Whether rows that repeat do so within one file more than rows of one population would, both (rows of U,).

    Doubles by nature fall on either file by its share of the rows; a file that was oversampled, or that holds rows of
    one person again and again, repeats its own. c equal rows are all in one file with probability q^c + (1-q)^c; more
    than `APART` standard deviations above what that explains is not nature.
    """
    several = occurrences > 1
    share = originals.sum() / occurrences.sum()
    often, own = occurrences[several], originals[several]
    chance = share**often + (1 - share) ** often
    apart = int(((own == 0) | (own == often)).sum())
    return apart - float(chance.sum()) > APART * math.sqrt(float((chance * (1 - chance)).sum())) > 0


def drawn_down(times: Ints, most: int, random: np.random.Generator) -> Ints:
    """Draw at most so many of the rows; return how often each different row was drawn, shape (different rows,)."""
    rows = np.repeat(np.arange(len(times)), times)
    if len(rows) <= most:
        return times
    return np.bincount(rows[random.choice(len(rows), most, replace=False)], minlength=len(times))
