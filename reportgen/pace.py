"""How many rows can look for their neighbours in the time that there is: by the speed of a trial on the data.

The trial gives a number of a fixed ladder (`LADDER`), not the clock itself, and the result keeps it: a run that is
given the same number makes the same bytes, on whatever machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.space.asking import LADDER
from reportgen.space.famd import Encoded
from reportgen.space.search import nearest

_TRIAL = 512
"""Rows of the trial."""
_NEIGHBOURS = 10
_SEARCHES = 6
"""A row of each table looks for neighbours: among all real rows, two for original and holdout, among synthetic rows,
and half of them again in the memorising control."""
_DROPPED = 6500
"""Rows that are searched with columns left out, where so many look: of the run, its control, and planted copies."""
_MEASURED = 4e-4
"""Seconds of resampling and of permutations a row that looks."""
_KEPT = 0.8
"""The part of the time that is planned for."""


def picker(minutes: float, threads: int, begun: float, clock: Callable[[], float]) -> Callable[[Encoded], int | None]:
    """Return what picks the number of queries of a run that began at `begun` on this clock and may take so long."""

    def pick(encoded: Encoded) -> int | None:
        held = () if encoded.holdout is None else (encoded.holdout,)
        real = np.unique(np.concatenate((encoded.original, *held)))
        largest = max(len(encoded.original), len(encoded.synthetic), *(len(table) for table in held))
        if encoded.dimensions == 0 or len(real) < 2 or largest <= LADDER[0]:
            return None
        asked = encoded.synthetic[:: -(-len(encoded.synthetic) // _TRIAL)]
        before = clock()
        nearest(encoded.coordinates, asked, real, min(_NEIGHBOURS, len(real)), threads=threads)
        each = (clock() - before) / len(asked)
        left = _KEPT * (60 * minutes - (clock() - begun))
        parts = len(encoded.layout.inertia)
        return number(each, left, largest, parts)

    return pick


def number(each: float, left: float, rows: int, parts: int) -> int | None:
    """Return the largest number of the ladder that takes no longer than `left` seconds; None where all `rows` may look.

    `each`: seconds that one row takes to find its neighbours among all real rows; `parts`: columns, of which at most
    twelve groups are left out in turn. Where even the least takes too long it is returned all the same.
    """

    def seconds(looking: float) -> float:
        dropped = min(12, parts) * min(_DROPPED, 1.3 * looking)
        return each * (_SEARCHES * looking + dropped) + _MEASURED * looking

    if seconds(rows) <= left:
        return None
    within = [step for step in LADDER if step < rows and seconds(step) <= left]
    return within[-1] if within else LADDER[0]
