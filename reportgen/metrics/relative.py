"""The form that Distance To Closest and Closest Distances Ratio share (seed 000).

A quantity of each original row (distance or ratio) is measured once against the synthetic rows and once against the
holdout rows; median and lower tail of the first are given in percent of the second. Higher is better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from reportgen.distances import Floats, Ints, NeighbourDistances
from reportgen.metrics.bootstrap import intervals
from reportgen.metrics.evidence import Draw, Evidence
from reportgen.metrics.quantiles import quantiles
from reportgen.model import SMALLEST_GROUP, NoteCode, Score, Unit
from reportgen.settings import Settings


def relative_scores(
    draws: Sequence[Draw],
    quantity: Callable[[NeighbourDistances], Floats],
    unit: Unit,
    settings: Settings,
    random: np.random.Generator,
) -> dict[str, Score]:
    """Scores from the quantity of the original rows against synthetic and holdout rows.

    `median` and `outlier` (the settings' tail percentile): 100 x synthetic / holdout, the median over the draws; 100
    with the note `reference_zero` where the holdout's value is 0 in any draw. `median_raw`, `outlier_raw`: the
    quantity itself. `tail_share`: share of rows at or below the holdout's tail percentile. `isolated`,
    `isolated_raw`: the median again, over the most isolated original rows alone; absent where they are fewer than 5,
    or of fewer persons.
    """
    pairs = [(quantity(draw.synthetic), quantity(draw.holdout)) for draw in draws]
    levels = (0.5, settings.tail_percentile / 100)
    persons = [draw.persons for draw in draws]
    scores, tail = _compared(pairs, {"median": levels[0], "outlier": levels[1]}, unit, settings, random, persons)
    tails = [np.quantile(held, levels[1]) for _, held in pairs]
    below = [[(one <= limit).mean() for one in pair] for pair, limit in zip(pairs, tails, strict=True)]
    share, reference = np.median(below, axis=0).tolist()
    scores["tail_share"] = Score(
        value=share, low=tail[0], high=tail[1], reference=reference, unit="share", better="lower"
    )
    if min(draw.isolated_people for draw in draws) >= SMALLEST_GROUP:
        alone = [(made[d.isolated], held[d.isolated]) for d, (made, held) in zip(draws, pairs, strict=True)]
        theirs = [None if draw.persons is None else draw.persons[draw.isolated] for draw in draws]
        scores |= _compared(alone, {"isolated": 0.5}, unit, settings, random, theirs)[0]
    return scores


def _compared(
    pairs: Sequence[tuple[Floats, Floats]],
    levels: dict[str, float],
    unit: Unit,
    settings: Settings,
    random: np.random.Generator,
    persons: Sequence[Ints | None],
) -> tuple[dict[str, Score], tuple[float, float]]:
    """Quantiles of the first of each pair in percent of the second's, and the quantiles themselves.

    Beside the scores the interval of the share at or below the second's last quantile.
    """
    wanted = tuple(levels.values())
    synthetic, holdout = (np.array([np.quantile(pair[side], wanted) for pair in pairs]) for side in (0, 1))
    values = np.median(in_percent(synthetic, holdout), axis=0)

    def statistics(series: tuple[Floats, ...]) -> Floats:
        made, held = (quantiles(one, wanted) for one in series)
        share = (series[0] <= held[-1][:, np.newaxis]).mean(axis=1)
        return np.concatenate((in_percent(made, held), made, share[np.newaxis]))

    ranges = intervals(pairs, statistics, settings.resamples, random, persons)
    scores = {}
    for i, name in enumerate(levels):
        undefined = bool((holdout[:, i] == 0).any())
        low, high = (None, None) if undefined else ranges[i]
        scores[name] = Score(
            value=float(values[i]),
            low=low,
            high=high,
            reference=100.0,
            unit="percent",
            better="higher",
            note="reference_zero" if undefined else None,
        )
        scores[f"{name}_raw"] = Score(
            value=float(np.median(synthetic[:, i])),
            low=ranges[len(levels) + i][0],
            high=ranges[len(levels) + i][1],
            reference=float(np.median(holdout[:, i])),
            unit=unit,
            better="higher",
        )
    return scores, ranges[-1]


def in_percent(value: Floats, reference: Floats) -> Floats:
    """100 x value / reference, and 100 where the reference is 0 (seed 000)."""
    return np.divide(100 * value, reference, out=np.full_like(value, 100.0), where=reference > 0)


def repeated_copies(draws: Sequence[Draw]) -> Score | None:
    """Original rows whose two closest synthetic rows are identical: copied twice, they read as if not copied at all.

    The median over the draws; None without any.
    """
    counts = []
    for draw in draws:
        groups, found = draw.synthetic_groups, draw.synthetic
        counts.append(int((groups[found.first_id] == groups[found.second_id]).sum()))
    count = float(np.median(counts))
    return Score(value=count, unit="count", better="lower") if count else None


def notes_on(evidence: Evidence, scores: dict[str, Score]) -> tuple[NoteCode, ...]:
    """Return the codes of what a reader of these scores has to know."""
    notes: list[NoteCode] = []
    if any(score.note == "reference_zero" for score in scores.values()):
        notes.append("reference_zero")
    if "repeated_copies" in scores:
        notes.append("repeated_copies")
    if evidence.holdout == "approximate":
        notes.append("approximate_holdout")
    elif len(evidence.draws) > 1:
        notes.append("drawn_down")
    if len(evidence.draws) > 1:
        notes.append("first_draw_shown")
    return tuple(notes)
