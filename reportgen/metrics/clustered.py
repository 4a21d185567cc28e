"""Statistics of rows of which those of one person belong together: as certain as there are persons, not rows.

`place` is the rank of each row's score, from 0, equal for equal scores; rows are those of `persons`, shape (rows,).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from reportgen.distances import Floats, Ints
from reportgen.persons import Booleans, Persons, person_labelings


def rank_test(place: Ints, persons: Persons) -> float:
    """One-sided p-value that original rows score higher: their mid-ranks, summed over persons under permuted labels.

    For persons of one row each it is Mann and Whitney's, without a correction for continuity.
    """
    often = np.bincount(place)
    ranks = (np.cumsum(often) - (often - 1) / 2)[place]
    sums = persons.summed((ranks - ranks.mean())[:, np.newaxis])[:, 0]
    away = sums - sums.mean()
    share, number = float(persons.labels.mean()), len(sums)
    variance = share * (1 - share) * number / max(number - 1, 1) * float((away**2).sum())
    return float(ndtr(-float(away[persons.labels].sum()) / math.sqrt(variance))) if variance > 0 else 1.0


def auc_variance(place: Ints, persons: Persons) -> float:
    """The variance of the AUC by the placements of each side, summed over persons (Obuchowski, Biometrics 53, 1997).

    A person on both sides makes both terms move together; the covariance is left out, which only widens an interval.
    """
    inside, outside = (place[mine] for mine in (persons.original, ~persons.original))
    total = 0.0
    for own, other, mine in ((inside, outside, persons.original), (outside, inside, ~persons.original)):
        ordered = np.sort(other)
        below = (np.searchsorted(ordered, own, "left") + np.searchsorted(ordered, own, "right")) / (2 * len(other))
        total += _variance_of_mean(below, persons.person[mine])
    return total


def worth(hit: Booleans, person: Ints) -> float:
    """So many independent rows a share of hits among rows of persons is worth (Korn and Graubard, 1998).

    At least one, at most the rows; as many as there are persons where all or none are hits.
    """
    share = float(hit.mean())
    if share in (0.0, 1.0):
        return float(len(np.unique(person)))
    variance = _variance_of_mean(hit.astype(np.float64), person)
    return max(1.0, min(float(len(hit)), share * (1 - share) / variance)) if variance > 0 else float(len(hit))


def _variance_of_mean(values: Floats, person: Ints) -> float:
    """The variance of the mean of rows, by the sums over persons of their differences from it."""
    number = len(np.unique(person))
    if number < 2:
        return 0.25
    sums = np.bincount(person, weights=values - values.mean())
    return number / (number - 1) * float((sums**2).sum()) / len(values) ** 2


def against_labelings(
    marked: Booleans, persons: Persons, number: int, random: np.random.Generator
) -> tuple[float, float]:
    """How many marked rows would be original, and how often so many labelings of persons make as many of them so."""
    counts = persons.summed(marked[:, np.newaxis].astype(np.float64))[:, 0]
    fixed = float((marked & persons.original & ~persons.moves).sum())
    drawn = np.concatenate([labels @ counts for labels in person_labelings(persons, number, random)])
    as_many = int((drawn >= float(counts[persons.labels].sum())).sum())
    return fixed + float(persons.labels.mean()) * float(counts.sum()), (1 + as_many) / (number + 1)
