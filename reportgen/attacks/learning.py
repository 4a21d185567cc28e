"""Predicates that isolate one of the different synthetic rows, and such as no row taught.

    univariate      a value that one row has, the smallest and the largest number where one row has it
    multivariate    of a random row some columns together: its category, or as extreme as its number (on its own side
                    of the median)
    profile         of a random row most columns together: its category, or about its number: from as many places
                    below it in the order of the rows to as many above

The first two are the kinds of Giomi et al. (PETS 2023). Extremes alone hardly tell a copy from anybody else: of what
isolates a row that lies far out, half holds for the next person as well. A profile holds for a copy with small changes
too, and for nearly nobody else; the columns that it leaves out may have been changed altogether.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from reportgen.attacks.attributes import Attributes
from reportgen.attacks.predicates import Codes, Predicates, different, matches
from reportgen.distances import Ints

ATTEMPTS = 4
"""So many predicates of several columns are tried for each that is wanted."""
CONDITIONS = (3, 4, 5)
"""Columns of a multivariate predicate, a third of the attempts each; fewer where there are fewer columns."""
PROFILE = (6, 7, 8)
"""Columns of a profile, a third of the attempts each; of fewer columns all, all but one and all but two, at least 3."""
SAMPLES = (2_000, 20_000)
"""In so many random rows each predicate is looked up before all."""
BAND = 0.02
"""The share of the rows with a number that a profile's condition reaches to either side of its own."""

Learn = Callable[[Attributes, Ints, int, np.random.Generator], Predicates]
Guess = Callable[[Attributes, Ints, int, int, np.random.Generator], Predicates]
Boxes = tuple[Ints, Ints]


def univariate(rows: Attributes, learnt: Ints, most: int, random: np.random.Generator) -> Predicates:
    """Find values and extremes of one of the rows `learnt`, at most so many, drawn where there are more."""
    parts: list[tuple[int, Ints, Ints]] = []
    for column, codes in enumerate(rows.codes[:, learnt]):
        missing = int(rows.missing[column])
        often = np.bincount(codes, minlength=missing + 1)
        once = np.flatnonzero(often == 1)
        parts.append((column, once, once))
        present = np.flatnonzero(often[:missing])
        if rows.numbers[column] is not None and len(present) > 1:
            low, high = present[0], present[-1]
            if often[low] == 1:
                parts.append((column, np.array([0]), np.array([low])))
            if often[high] == 1:
                parts.append((column, np.array([high]), np.array([missing - 1])))
    columns = np.concatenate([np.full(len(low), column) for column, low, _ in parts])
    found = Predicates(
        columns[:, np.newaxis],
        np.concatenate([low for _, low, _ in parts])[:, np.newaxis],
        np.concatenate([high for _, _, high in parts])[:, np.newaxis],
    )
    return found.some(_drawn(len(found), most, random))


def multivariate(rows: Attributes, learnt: Ints, most: int, random: np.random.Generator) -> Predicates:
    """Find categories and extremes of several columns that together hold for one of the rows `learnt` alone."""
    middle = _medians(rows, rows.codes[:, learnt])

    def extremes(columns: Ints, value: Ints) -> Boxes:
        ordered = _ordered(rows, columns, value)
        above = ordered & (value > middle[columns])
        return np.where(ordered & ~above, 0, value), np.where(above, rows.missing[columns] - 1, value)

    conditions = sorted({min(number, len(rows.names)) for number in CONDITIONS})
    return _alone(rows, learnt, most, random, conditions, extremes)


def profile(rows: Attributes, learnt: Ints, most: int, random: np.random.Generator) -> Predicates:
    """Find categories and numbers, give or take, of most columns that hold for one of the rows `learnt` alone."""
    return _alone(rows, learnt, most, random, _profile_conditions(len(rows.names)), _about(rows, learnt))


def _profile_conditions(width: int) -> list[int]:
    fewer = max(0, PROFILE[-1] - width)
    return sorted({max(min(3, width), number - fewer) for number in PROFILE})


def _about(rows: Attributes, learnt: Ints) -> Callable[[Ints, Ints], Boxes]:
    """Reach from a value to those of the rows some places below and above it, and to equal ones of these."""
    present = [np.sort(own[own < rows.missing[column]]) for column, own in enumerate(rows.codes[:, learnt])]

    def reach(columns: Ints, value: Ints) -> Boxes:
        low, high = value.copy(), value.copy()
        ordered = _ordered(rows, columns, value)
        for column, ascending in enumerate(present):
            here = ordered & (columns == column)
            if not here.any():
                continue
            places = max(1, round(BAND * len(ascending)))
            below = np.searchsorted(ascending, value[here], side="left") - places
            above = np.searchsorted(ascending, value[here], side="right") - 1 + places
            low[here] = ascending[np.maximum(below, 0)]
            high[here] = ascending[np.minimum(above, len(ascending) - 1)]
        return low, high

    return reach


def _alone(
    rows: Attributes,
    learnt: Ints,
    most: int,
    random: np.random.Generator,
    conditions: list[int],
    around: Callable[[Ints, Ints], Boxes],
) -> Predicates:
    """Try predicates of random columns `around` the values of random rows; keep those that hold for one row alone."""
    width = len(rows.names)
    if width < 2:
        return Predicates(*(np.zeros((0, 1), dtype=np.int64) for _ in range(3)))
    codes = rows.codes[:, learnt]
    kept = []
    for number in conditions:
        tries = ATTEMPTS * most // len(conditions)
        row = random.integers(len(learnt), size=tries)
        columns = _some_columns(width, tries, number, random)
        tried = different(Predicates(columns, *around(columns, codes[columns, row[:, np.newaxis]].astype(np.int64))))
        kept.append(_filled(_isolating(tried, codes, random), conditions[-1], rows))
    found = Predicates(
        *(np.concatenate(arrays) for arrays in zip(*((p.columns, p.low, p.high) for p in kept), strict=True))
    )
    return found.some(_drawn(len(found), most, random))


def _isolating(tried: Predicates, codes: Codes, random: np.random.Generator) -> Predicates:
    """Keep those that exactly one row fulfils. What two of a few rows fulfil needs no look at all of them."""
    for few in SAMPLES:
        if few < codes.shape[1]:
            sample = codes[:, np.sort(random.choice(codes.shape[1], few, replace=False))]
            tried = tried.some(np.bincount(matches(tried, sample)[0], minlength=len(tried)) <= 1)
    return tried.some(np.bincount(matches(tried, codes)[0], minlength=len(tried)) == 1)


def _some_columns(width: int, tries: int, number: int, random: np.random.Generator) -> Ints:
    """Draw so many columns for each try, ascending; (tries, number)."""
    return np.sort(random.random((tries, width)).argpartition(number - 1, axis=1)[:, :number], axis=1).astype(np.int64)


def _filled(predicates: Predicates, conditions: int, rows: Attributes) -> Predicates:
    """Add conditions that every row fulfils, up to so many."""
    more = ((0, 0), (0, conditions - predicates.columns.shape[1]))
    return Predicates(
        np.pad(predicates.columns, more),
        np.pad(predicates.low, more),
        np.pad(predicates.high, more, constant_values=int(rows.missing[0])),
    )


def _ordered(rows: Attributes, columns: Ints, value: Ints) -> NDArray[np.bool_]:
    """Whether these are numbers or dates, and there are any."""
    numeric = np.array([values is not None for values in rows.numbers])
    found: NDArray[np.bool_] = numeric[columns] & (value < rows.missing[columns])
    return found


def _medians(rows: Attributes, codes: Codes) -> Ints:
    """The code of the median of each column's values; of categories it is never looked at."""
    middle = np.zeros(len(codes), dtype=np.int64)
    for column, own in enumerate(codes):
        present = np.sort(own[own < rows.missing[column]])
        middle[column] = present[(len(present) - 1) // 2] if len(present) else 0
    return middle


def naive(rows: Attributes, learnt: Ints, conditions: int, number: int, random: np.random.Generator) -> Predicates:
    """Guess predicates of random columns, values that occur in them, and directions."""
    columns = _some_columns(len(rows.names), number, conditions, random)
    value = np.empty(columns.shape, dtype=np.int64)
    for column, own in enumerate(rows.codes[:, learnt]):
        here = columns == column
        value[here] = random.choice(np.unique(own), int(here.sum()))
    direction = np.where(_ordered(rows, columns, value), random.integers(3, size=columns.shape), 0)
    low = np.where(direction == 1, 0, value)
    return Predicates(columns, low, np.where(direction == 2, rows.missing[columns] - 1, value))


def naive_profile(
    rows: Attributes, learnt: Ints, conditions: int, number: int, random: np.random.Generator
) -> Predicates:
    """Guess profiles of nobody: each column's value is that of another random row."""
    columns = _some_columns(len(rows.names), number, conditions, random)
    row = random.integers(len(learnt), size=columns.shape)
    return Predicates(columns, *_about(rows, learnt)(columns, rows.codes[:, learnt][columns, row].astype(np.int64)))


def _drawn(number: int, most: int, random: np.random.Generator) -> Ints:
    return np.arange(number) if number <= most else np.sort(random.choice(number, most, replace=False))


KINDS: Mapping[str, Learn] = {"univariate": univariate, "multivariate": multivariate, "profile": profile}
NAIVE: Mapping[str, Guess] = {"univariate": naive, "multivariate": naive, "profile": naive_profile}
"""How predicates of each kind are guessed that no row taught."""
