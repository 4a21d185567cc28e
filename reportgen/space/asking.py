"""Which rows look for their neighbours, where not all of them are to: the queries are drawn down, never a base.

One random order of the different real rows decides for the original, the holdout and for both together, so that rows
that ask for one comparison ask for the others too. The order knows nothing of which rows are original, so that what is
learnt from the rows that come first in it may enter a permutation test of these labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Ints
from reportgen.ranks import counted
from reportgen.space.famd import Encoded

LADDER = tuple(1 << step for step in range(9, 32))
"""The numbers of queries that a limit of time is turned into, so that a little more or less of it changes nothing."""


@dataclass(frozen=True)
class Asking:
    """Row positions in the tables of those that look for neighbours, ascending; and the different real rows that do.

    `real`, shape (rows of U,): whether a row is among those drawn without regard to which table it is in, as many as
    may ask of both tables together.
    """

    original: Ints
    holdout: Ints | None
    synthetic: Ints
    real: NDArray[np.bool_]


def draw_asking(encoded: Encoded, most: int | None, random: np.random.Generator) -> Asking | None:
    """Draw at most so many rows of each table; None where all of them ask."""
    sizes = [len(table) for table in (encoded.original, encoded.synthetic, encoded.holdout) if table is not None]
    if most is None or max(sizes) <= most:
        return None
    real = [table for table in (encoded.original, encoded.holdout) if table is not None]
    different = counted(np.concatenate(real))[0]
    order = random.permutation(len(different))

    def first(table: Ints) -> Ints:
        return np.sort(np.argsort(order[np.searchsorted(different, table)], kind="stable")[:most])

    return Asking(
        original=first(encoded.original),
        holdout=None if encoded.holdout is None else first(encoded.holdout),
        synthetic=np.sort(random.choice(len(encoded.synthetic), min(most, len(encoded.synthetic)), replace=False)),
        real=order < most * len(real),
    )
