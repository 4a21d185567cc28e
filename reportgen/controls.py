"""The two controls beside every result: a table that memorises, and the smallest leak that would have been noticed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from reportgen.attempts import Attacked
from reportgen.comparisons import Comparison, Searcher, gather
from reportgen.copies import count_copies
from reportgen.distances import Ints
from reportgen.measuring import Progress, measure, needed, silent, stream
from reportgen.metrics.evidence import Evidence
from reportgen.metrics.smallest_leak import POWER, smallest_leak
from reportgen.model import Detectable, Measured, Memorising, Metric, NotMeasured, NotMeasuredCode, PowerPoint
from reportgen.read.groups import RowGroups
from reportgen.settings import Settings
from reportgen.space.planting import NOISE, plant
from reportgen.words import sentence

CONTROL_QUERIES = 500
"""So many synthetic rows of the memorising control are searched with columns left out: half of them are copies."""
CONTROL_ATTACKS = 200
"""So many rows of each side are attacked in the memorising control."""
CONTROL_DRAWS = 5
"""So many of the random draws serve the memorising control, whose scores show an order of magnitude."""

SAID_OF_THE_TEST: tuple[NotMeasuredCode, ...] = ("shared_persons", "no_columns", "too_few_rows")
"""Why the leak test has no value, where that is the reason here as well."""


def memorising(
    searcher: Searcher,
    rows: RowGroups,
    comparisons: Sequence[Comparison],
    evidence: Evidence,
    settings: Settings,
    progress: Progress,
    attacks: Callable[..., Attacked],
) -> Memorising:
    """Run the same metrics with half of the synthetic rows replaced by copies of original rows.

    `attacks` makes those of this run on other tables and with other settings.
    """
    random = stream(settings, "memorising")
    replaced = random.permutation(len(rows.synthetic))[: len(rows.synthetic) // 2]
    copied = random.choice(len(rows.original), len(replaced), replace=len(replaced) > len(rows.original))

    def memorise(own: Ints, source: Ints) -> Ints:
        changed = own.copy()
        changed[replaced] = source[copied]
        return changed

    encoded = searcher.encoded
    copies = count_copies(
        rows.original,
        memorise(rows.synthetic, rows.original),
        rows.holdout,
        near_twins=evidence.copies.near_twins,
        persons=encoded.persons,
    )
    control = gather(
        searcher,
        memorise(encoded.synthetic, encoded.original),
        comparisons[:CONTROL_DRAWS],
        needed(settings, signals=searcher.leads is not None),
        evidence.holdout,
        copies,
        stream(settings, "pool"),
        min(settings.dropped_queries, CONTROL_QUERIES),
        partial(progress, "control"),
    )
    changed = replace(rows, synthetic=memorise(rows.synthetic, rows.original))
    fewer = settings.model_copy(update={"attacks": min(settings.attacks, CONTROL_ATTACKS)})
    control = replace(control, attacked=attacks(changed, settings=fewer))
    outcomes = measure(control, settings.model_copy(update={"resamples": 100}), silent)
    return Memorising(
        rows=len(replaced),
        scores={
            key: {name: score.model_copy(update={"low": None, "high": None}) for name, score in outcome.scores.items()}
            for key, outcome in outcomes.items()
            if isinstance(outcome, Measured)
        },
    )


def detectable(
    searcher: Searcher, evidence: Evidence, measured: dict[str, Metric], settings: Settings, progress: Progress
) -> Detectable:
    """Find the smallest leak that this run would have noticed, where it noticed none."""

    def without(code: NotMeasuredCode, words: str) -> Detectable:
        return Detectable(code=code, reason=sentence(f"not_measured.{words}"))

    test = measured["leak_test"]
    if isinstance(test, NotMeasured):
        if test.code == "no_true_holdout":
            return without(test.code, "no_holdout_to_plant_against")
        return without(test.code, test.code if test.code in SAID_OF_THE_TEST else "no_leak_test")
    if test.scores["p_value"].value <= settings.thresholds.leak_test or evidence.pool is None:
        return without("leak_found", "leak_found")
    progress("smallest leak", 0, 1)
    random = stream(settings, "smallest leak")
    planted = plant(searcher.pool, random)
    searcher.pool.reach_for(planted.found)
    told = partial(progress, "smallest leak")
    found = smallest_leak(searcher.pool.real, evidence.pool.synthetic, planted, random, progress=told)
    if not found.curve:
        return without("too_few_rows", "too_few_to_plant")
    # Planted among the rows that look for neighbours; of all rows so many more are needed.
    times = evidence.copies.synthetic_rows / evidence.pool.synthetic.rows
    rows = None if found.rows is None else math.ceil(times * found.rows)
    curve = tuple(PowerPoint(rows=round(times * p.rows), power=p.power, trials=p.draws) for p in found.curve)
    return Detectable(
        rows=rows,
        share=None if rows is None else min(1.0, rows / evidence.copies.synthetic_rows),  # more than all are all
        noise_sd=NOISE,
        power=POWER,
        curve=curve,
        search_limit=curve[-1].rows if rows is None else None,
    )
