"""Queries and base in one frame: how they are centred and scaled for float32, and their exact distances in float64.

Distances are float64 sums of squared differences, column by column (`Space.pairs`), so that a value depends on its two
rows alone and not on batches or threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.errors import InputError

SINGLE, DOUBLE = 2.0**-24, 2.0**-53
SINGLE_UNDERFLOW, DOUBLE_UNDERFLOW = 2.0**-100, 2.0**-900
"""More than sums of squares lose below the smallest normal number of float32 and of float64."""
OVERFLOW_PROVES_NOTHING = np.errstate(over="ignore", invalid="ignore")
"""Sums over queries too far out are infinite or NaN; comparisons with them count as "not proven"."""
FARTHEST = 2.0**50
"""Queries beyond this, after scaling, are not given to float32."""
FOR_THE_CENTRE = 1000
"""From so many base rows at most, at regular steps, the centre is taken."""
_BLOCK = 1 << 18
"""Numbers worked on at once, 2 MB: they stay in the cache."""
_MEASURED = 1 << 14
"""Differences squared at once, 128 kB: they are turned over in the cache."""
_LARGEST = 2.0**1000
_PLAIN = 480
"""Binary exponent up to which squares of differences stay well within float64 as they are."""
_REACH = 40
"""Centred coordinates are scaled to at most 2^40, so that float32 squares neither overflow nor vanish."""


@dataclass(frozen=True)
class Space:
    """Queries and base, and how they are centred on the base medians and scaled.

    Centred rows are scaled by 2^`scale`, differences by 2^`direct` before they are squared (0 but for extreme
    numbers); powers of two round nothing.
    """

    queries: Floats
    base: Floats
    shift: Floats
    scale: int
    direct: int

    def centre(self, rows: Floats) -> Floats:
        """Return rows less the base medians, scaled, in float64."""
        return (rows - self.shift) * 2.0**self.scale

    def squared(self, distances: Floats) -> Floats:
        """Return the squares of distances (as `pairs` gives them) in the scale of centred rows."""
        scaled: Floats = np.ldexp(distances, self.scale - self.direct) ** 2
        return scaled

    def pairs(self, rows: Ints, others: Ints, kept: Floats | None = None, choice: Ints | None = None) -> Floats:
        """Return the Euclidean distances of query `rows` to base rows `others`, times 2^`direct`; (pairs,).

        `kept`, (choices, dimensions), is 1 for dimensions that count and 0 for others; `choice`, (pairs,): which of
        its rows is a pair's. None: all count. Adding 0 changes no sum: distances are those in what is left, to the bit.

        The squares are added column by column: a matrix or pairwise sum would depend on shapes. A sum over the first
        axis is such a sum, and half as slow as one over columns that lie apart.
        """
        width = self.base.shape[1]
        distances = np.empty(len(rows))
        step = max(1, _MEASURED // width)
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            difference = self.queries[rows[part]]
            difference -= self.base[others[part]]
            if self.direct:
                difference *= 2.0**self.direct
            squares = np.square(difference.T, order="C")
            if kept is not None and choice is not None:
                squares *= kept.T[:, choice[part]]
            if squares.shape[1] > 1:
                np.add.reduce(squares, axis=0, out=distances[part])
            else:  # the squares of one pair alone numpy would add two by two
                distances[part] = np.add.accumulate(squares, axis=0)[-1]
        return np.sqrt(distances, out=distances)


def space_of(queries: Floats, base: Floats, direct: int | None = None) -> Space:
    """Centre and scale queries and base, both (rows, dimensions). InputError where a coordinate is beyond 1e300.

    `direct`: that of a larger search of which these are some rows; None for their own.
    """
    largest = max(_largest(queries), _largest(base))
    if largest > _LARGEST:
        msg = "coordinates beyond 1e300 cannot be compared; rescale the columns"
        raise InputError(msg)
    # The proof holds for any centre. Medians, as one value far out would move a mean away from all other rows; of some
    # rows, as those of all take a fifth of a small search.
    shift = np.median(base[:: -(-len(base) // FOR_THE_CENTRE)], axis=0)
    spread = max(_largest(base[part] - shift) for part in parts(len(base), base.shape[1]))
    large = math.frexp(largest)[1]
    small = math.frexp(spread)[1] if spread else large
    if direct is None:
        direct = -large if large > _PLAIN else min(-small, 1000) if small < -_PLAIN else 0
    return Space(queries, base, shift, scale=min(_REACH - small, 1000), direct=direct)


def _largest(rows: Floats) -> float:
    return max(float(rows.max()), -float(rows.min())) if rows.size else 0.0


def parts(rows: int, width: int) -> Iterator[slice]:
    """Cut so many rows of that width into blocks that stay in the cache."""
    step = max(1, _BLOCK // width)
    return (slice(start, start + step) for start in range(0, rows, step))


def limit_of(squared: Floats, lengths: Floats, error: float) -> Floats:
    """Return what sums with this relative error may make of the squared distance of a row within `squared`."""
    limit: Floats = squared + error * (2 * lengths + np.sqrt(squared)) ** 2
    return limit


def relative(error: float) -> float:
    """Return an error in parts of what came out, given in parts of what it should have been."""
    return error / (1 - error) if error < 1 else math.inf


def lengths_of(rows: Floats) -> Floats:
    """Return the Euclidean length of each row, shape (rows,)."""
    lengths: Floats = np.sqrt(np.square(rows).sum(axis=1))
    return lengths
