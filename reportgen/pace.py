"""How many rows can look for their neighbours in the time that there is: by the speed of trials on the data.

The trials give a number of a fixed ladder (`LADDER`), not the clock itself, and the result keeps it: a run that is
given the same number makes the same bytes, on whatever machine.

A search takes some time before its first row, to bring all rows of its base into the form it needs, and some for each
row that looks. In large tables the first weighs more: with columns left out, and in attacks, a few thousand rows look
in one base after the other. It remains whatever the number of rows that look, as do the attacks: they have a number of
their own (`--attacks`), which time does not change.

Where tables lie on disk the trials search there, block by block, as the run will: what they measure is its speed. Whole
runs took 1.13 and 0.98 times the CPU seconds of those in memory (60,000 and 200,000 rows of 20 numbers), so the
constants here serve both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.attacks.inference import MOST_SECRETS
from reportgen.controls import CONTROL_ATTACKS
from reportgen.measuring import needed
from reportgen.ranks import counted
from reportgen.settings import Settings
from reportgen.space.asking import LADDER
from reportgen.space.dropped import MOST_PARTS
from reportgen.space.famd import Encoded
from reportgen.space.search import nearest

_TRIAL, _LONGER_TRIAL = 512, 4096
"""Rows of the trials: what the longer one takes more is what rows take; the rest is taken before any."""
_FOR_TRIALS = 0.05
"""The part of the time that the longer trial may take; without it all time of the first counts as that of its rows."""
_NEIGHBOURS = 10
_SEARCHES = 6
"""A row of each table looks for neighbours: among all real rows, two for original and holdout, among synthetic rows,
and half of them again in the memorising control."""
_DROPPED = 7100
"""Rows that are searched with columns left out, where so many look: of the run, its control, and planted copies."""
_HALVES = 2
"""Searches of linkability for each row that is attacked."""
_BASES, _TIMES_DROPPED, _TIMES_ATTACKED = 12, 3, 2
"""How often all rows are prepared: for searches with all columns, and for each part that is left out, each attack."""
_COPIED = 1.5
"""Times what preparing takes with all columns, where some are left out: the others are copied before."""
_MEASURED = 4e-4
"""Seconds of resampling and of permutations a row that looks."""
_EACH_ROW = 1e-4
"""Seconds that the permutations and the reading take a real row, whether it looks or not."""
_KEPT = 0.8
"""The part of the time that is planned for."""


@dataclass(frozen=True)
class Work:
    """What a run has to do. `rows`: of the largest table, `real`: of original and holdout; `parts`: columns.

    `attacked`: rows of a side that are attacked at most, `attacks`: searches for each of them.
    """

    rows: int
    real: int
    parts: int
    attacked: int = 0
    attacks: int = 0


def work_of(encoded: Encoded, settings: Settings) -> Work:
    """Tell what a run on these tables has to do."""
    sizes = [len(table) for table in (encoded.original, encoded.holdout) if table is not None]
    parts = len(encoded.layout.inertia)
    wanted = needed(settings, signals=False)
    attacks = (len(settings.secret) or min(MOST_SECRETS, parts)) * ("inference" in wanted)
    attacks += _HALVES * ("linkability" in wanted)
    return Work(max(len(encoded.synthetic), *sizes), sum(sizes), parts, settings.attacks, attacks)


def picker(
    minutes: float, threads: int, begun: float, clock: Callable[[], float], settings: Settings
) -> Callable[[Encoded], int | None]:
    """Return what picks the number of queries of a run that began at `begun` on this clock and may take so long."""

    def pick(encoded: Encoded) -> int | None:
        held = () if encoded.holdout is None else (encoded.holdout,)
        real = counted(np.concatenate((encoded.original, *held)))[0]
        asked = work_of(encoded, settings)
        if encoded.dimensions == 0 or len(real) < 2 or asked.rows <= LADDER[0]:
            return None

        def trial(most: int) -> tuple[int, float]:
            some = encoded.synthetic[:: -(-len(encoded.synthetic) // most)]
            before = clock()
            nearest(encoded.coordinates, some, real, min(_NEIGHBOURS, len(real)), threads=threads)
            return len(some), clock() - before

        def left() -> float:
            return 60 * minutes - (clock() - begun)

        number_of, took = trial(_TRIAL)
        each, before_any = took / number_of, 0.0
        if len(encoded.synthetic) >= _LONGER_TRIAL and took * _LONGER_TRIAL / _TRIAL <= _FOR_TRIALS * left():
            more, longer = trial(_LONGER_TRIAL)
            each = max(0.0, longer - took) / (more - number_of)
            before_any = max(0.0, took - each * number_of)
        return number(each, before_any, _KEPT * left(), asked)

    return pick


def number(each: float, before_any: float, left: float, work: Work) -> int | None:
    """Return the largest number of the ladder that takes no longer than `left` seconds; None where all rows may look.

    `each`: seconds that one row takes to find its neighbours among all real rows, `before_any`: what such a search
    takes before its first row. Where even the least takes too long it is returned all the same.
    """
    parts = min(MOST_PARTS, work.parts)
    attacked = work.attacks * 2 * (min(work.attacked, work.rows) + min(work.attacked, CONTROL_ATTACKS))
    bases = _BASES + _COPIED * (_TIMES_DROPPED * parts + _TIMES_ATTACKED * work.attacks * work.rows / work.real)
    always = each * attacked + before_any * bases + _EACH_ROW * work.real

    def seconds(looking: float) -> float:
        dropped = parts * min(_DROPPED, 1.3 * looking)
        return always + each * (_SEARCHES * looking + dropped) + _MEASURED * looking

    if seconds(work.rows) <= left:
        return None
    within = [step for step in LADDER if step < work.rows and seconds(step) <= left]
    return within[-1] if within else LADDER[0]
