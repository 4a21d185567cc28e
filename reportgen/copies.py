"""Counts of rows that are identical across tables, and of reused identifiers: by value as read, never by distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.persons import Persons, distinct_pairs, person_labelings

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class CopyCounts:
    """Rows identical on all used columns, as read. What concerns the holdout is None without a true holdout."""

    synthetic_rows: int
    synthetic_in_original: int
    synthetic_in_holdout: int | None
    synthetic_in_both: int | None
    original_rows: int
    original_in_synthetic: int
    """Original rows that occur again in the synthetic table."""
    different_originals_copied: int
    """How many different rows those are."""
    original_with_twin: int
    """Original rows with an identical other original row; with persons, of another person."""
    holdout_rows: int | None
    holdout_in_original: int | None
    original_in_holdout: int | None
    real_rows_repeat: bool
    """Whether any two rows of original and holdout together are identical."""
    near_twins: bool
    """Whether two different rows of original and holdout agree on all used columns but one; of different persons."""
    original_persons: int | None = None
    """Persons with an original row; None without `--group`, like those of the holdout."""
    holdout_persons: int | None = None
    shared_persons: int = 0
    """Persons with rows in original and holdout."""

    @property
    def original_people(self) -> int:
        """How many people the original speaks of: its persons or, where these are not known, its rows."""
        return self.original_rows if self.original_persons is None else self.original_persons

    @property
    def holdout_people(self) -> int | None:
        """How many people the holdout speaks of; None without a holdout."""
        return self.holdout_rows if self.holdout_persons is None else self.holdout_persons


def count_copies(
    original: Ids, synthetic: Ids, holdout: Ids | None, *, near_twins: bool, persons: Persons | None = None
) -> CopyCounts:
    """Count identical rows from the ids of identical rows, each shape (rows,), equal ids meaning equal rows.

    With `persons`, those of the original rows and then the holdout's, rows that repeat within a person are no twins.
    """
    in_original = np.isin(synthetic, original)
    again = np.isin(original, synthetic)
    in_holdout = None if holdout is None else np.isin(synthetic, holdout)
    real = original if holdout is None else np.concatenate((original, holdout))
    return CopyCounts(
        synthetic_rows=len(synthetic),
        synthetic_in_original=int(in_original.sum()),
        synthetic_in_holdout=None if in_holdout is None else int(in_holdout.sum()),
        synthetic_in_both=None if in_holdout is None else int((in_original & in_holdout).sum()),
        original_rows=len(original),
        original_in_synthetic=int(again.sum()),
        different_originals_copied=len(np.unique(original[again])),
        original_with_twin=int(_repeated(original, None if persons is None else persons.of_original).sum()),
        holdout_rows=None if holdout is None else len(holdout),
        holdout_in_original=None if holdout is None else int(np.isin(holdout, original).sum()),
        original_in_holdout=None if holdout is None else int(np.isin(original, holdout).sum()),
        real_rows_repeat=bool(_repeated(real, persons).any()),
        near_twins=near_twins,
        original_persons=None if persons is None else persons.originals,
        holdout_persons=None if persons is None or holdout is None else persons.holdouts,
        shared_persons=0 if persons is None else persons.shared,
    )


@dataclass(frozen=True)
class ColumnCodes:
    """Values of one column as codes, shape (rows,) each; equal codes mean equal values, -1 is missing."""

    name: str
    original: Ids
    synthetic: Ids
    holdout: Ids | None
    names: bool = True
    """Whether values are names, which don't recur by chance; dates may be that lie close to each other."""


@dataclass(frozen=True)
class Reuse:
    """Distinct synthetic values of a left-out text column that occur among the original rows, and among the holdout's.

    `p_value`: see `reuse_of`; None without a true holdout.
    """

    column: str
    distinct: int
    in_original: int
    in_holdout: int | None
    p_value: float | None
    names: bool = True
    """See `ColumnCodes`."""


def reuse_of(
    columns: Sequence[ColumnCodes],
    random: np.random.Generator,
    relabellings: int = 999,
    persons: Persons | None = None,
) -> tuple[Reuse, ...]:
    """Count reused values of each column, with p-values adjusted by Holm over the columns.

    The p-value is the share of random relabellings of all real rows (the observed one included) in which at least as
    many distinct synthetic values occur among the rows labelled original: names that are common in life occur in the
    holdout as well. With `persons` it is they who are relabelled, each with all rows.
    """
    counted = [_reuse(column, random, relabellings, persons) for column in columns]
    adjusted = holm([one.p_value for one in counted if one.p_value is not None])
    return tuple(one if one.p_value is None else replace(one, p_value=adjusted.pop(0)) for one in counted)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number (Holm, Scandinavian Journal of Statistics 1979), in the order given."""
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = largest
    return adjusted


def _reuse(column: ColumnCodes, random: np.random.Generator, relabellings: int, persons: Persons | None) -> Reuse:
    wanted = np.unique(column.synthetic[column.synthetic >= 0])
    in_original = int(np.isin(wanted, column.original).sum())
    if column.holdout is None:
        return Reuse(column.name, len(wanted), in_original, None, None, column.names)
    in_holdout = int(np.isin(wanted, column.holdout).sum())
    real = np.concatenate((column.original, column.holdout))
    reused = np.isin(real, wanted)
    members = np.unique(real[reused], return_inverse=True)[1]
    p_value = 1.0
    if in_original:
        as_many = 1
        sizes = (len(column.original), len(column.holdout))
        for is_original in _relabellings(reused, sizes, relabellings, persons, random):
            as_many += len(np.unique(members[is_original])) >= in_original
        p_value = as_many / (relabellings + 1)
    return Reuse(column.name, len(wanted), in_original, in_holdout, p_value, column.names)


def _relabellings(
    chosen: NDArray[np.bool_],
    sizes: tuple[int, int],
    number: int,
    persons: Persons | None,
    random: np.random.Generator,
) -> Iterator[NDArray[np.bool_]]:
    """Draw which of the chosen real rows are labelled original when the labels of all rows, or persons, are permuted.

    `chosen`: shape (original rows + holdout rows,), `sizes` being their numbers.
    """
    if persons is None:
        members = int(chosen.sum())
        for _ in range(number):
            yield _relabelled(members, *sizes, random)
        return
    for block in person_labelings(persons, number, random):
        for labels in block:
            yield persons.relabelled(labels)[chosen]


def _relabelled(members: int, original: int, holdout: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Draw which of some real rows are labelled original when the labels of all real rows are permuted."""
    labelled = int(random.hypergeometric(original, holdout, members)) if members else 0
    return random.permutation(np.arange(members) < labelled)


def _repeated(ids: Ids, persons: Persons | None = None) -> NDArray[np.bool_]:
    """Mark the rows whose id, 0 or more, occurs more than once; with the persons of the rows, for several of them."""
    if persons is not None:
        different, holders = np.unique(distinct_pairs(ids, persons.person)[0], return_counts=True)
        several: NDArray[np.bool_] = np.isin(ids, different[holders > 1])
        return several
    marks: NDArray[np.bool_] = (np.bincount(ids) > 1)[ids]
    return marks


def overlap_p_value(
    original: Ids,
    holdout: Ids,
    random: np.random.Generator,
    relabellings: int = 499,
    persons: Persons | None = None,
) -> float:
    """How unusual it is that so many original rows have an identical holdout row.

    The share of random relabellings of all real rows (the observed one included) in which at least as many rows
    labelled original have an identical row labelled holdout. Twins by nature fall on both sides as often as on one;
    rows copied across always lie on both (metrics.md, trap 6). With `persons` it is they who are relabelled, each with
    all rows: rows that one person repeats fall on one side together. Returns 1.0 without any overlap.
    """
    observed = int(np.isin(original, holdout).sum())
    if not observed:
        return 1.0
    real = np.concatenate((original, holdout))
    repeated = _repeated(real)  # only these can ever overlap
    _, group = np.unique(real[repeated], return_inverse=True)
    as_large = 1
    for is_original in _relabellings(repeated, (len(original), len(holdout)), relabellings, persons, random):
        originals = np.bincount(group[is_original], minlength=group.max() + 1)
        holdouts = np.bincount(group[~is_original], minlength=group.max() + 1)
        as_large += int(originals[holdouts > 0].sum()) >= observed
    return as_large / (relabellings + 1)
