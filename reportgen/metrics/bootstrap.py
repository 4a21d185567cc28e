"""Bootstrap intervals: paired over the original rows, against both bases, or unpaired over two sets of rows.

Where rows belong to persons it is persons who are drawn, each with all its rows: a resample then has as many persons as
the table, and a number of rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reportgen.distances import Floats, Ints

BLOCK = 2_000_000
"""Most resampled values held at once."""

Statistic = Callable[[tuple[Floats, ...]], Floats]
"""From values of each paired series, shape (resamples, rows), to statistics, shape (statistics, resamples)."""


def intervals(
    draws: Sequence[tuple[Floats, ...]],
    statistic: Statistic,
    resamples: int,
    random: np.random.Generator,
    persons: Sequence[Ints | None] | None = None,
) -> list[tuple[float, float]]:
    """95 % intervals of each statistic: the 2.5th to 97.5th percentile over all draws times their resamples.

    `draws` holds, for each draw of the bases, the paired series of the original rows, each shape (rows,). The
    resamples are shared out over the draws, so that an interval speaks for the drawing as well as for the rows.
    `persons` says for each draw whose the rows are, shape (rows,), or None.
    """
    each = max(1, -(-resamples // len(draws)))
    values: list[Floats] = []
    for series, whose in zip(draws, persons or [None] * len(draws), strict=True):
        picks = _picks(len(series[0]), whose, each, random)
        values.extend(statistic(tuple(one.take(picked) for one in series)) for picked in picks)
    low, high = np.quantile(np.concatenate(values, axis=1), (0.025, 0.975), axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def unpaired_intervals(
    first: Floats,
    second: Floats,
    statistic: Callable[[Floats, Floats], Floats],
    resamples: int,
    random: np.random.Generator,
    persons: tuple[Ints | None, Ints | None] = (None, None),
) -> list[tuple[float, float]]:
    """95 % intervals of statistics of two sets of rows that are resampled independently of each other.

    `first` and `second` have the shape (rows,) each; `statistic` maps resamples of both, shape (resamples, rows), to
    statistics, shape (statistics, resamples). `persons` says whose the rows of either are, None where nobody's.
    """
    if any(whose is not None for whose in persons):
        picks = [
            _picks(len(first), persons[0], resamples, random, 1),
            _picks(len(second), persons[1], resamples, random, 1),
        ]
        pairs = [statistic(first.take(mine), second.take(other)) for mine, other in zip(*picks, strict=True)]
        low, high = np.quantile(np.concatenate(pairs, axis=1), (0.025, 0.975), axis=1)
        return list(zip(low.tolist(), high.tolist(), strict=True))
    block = max(1, BLOCK // max(len(first), len(second)))
    values = []
    for start in range(0, resamples, block):
        number = min(block, resamples - start)
        pair = (one.take(random.integers(len(one), size=(number, len(one)))) for one in (first, second))
        values.append(statistic(*pair))
    low, high = np.quantile(np.concatenate(values, axis=1), (0.025, 0.975), axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _picks(
    rows: int, persons: Ints | None, resamples: int, random: np.random.Generator, most: int | None = None
) -> Iterator[Ints]:
    """Draw resamples as positions of rows, in blocks (resamples, rows); one at a time where persons are drawn."""
    if persons is None:
        block = max(1, BLOCK // rows) if most is None else most
        for start in range(0, resamples, block):
            yield random.integers(rows, size=(min(block, resamples - start), rows))
        return
    by_person = np.argsort(persons, kind="stable")
    often = np.unique(persons, return_counts=True)[1]
    starts = np.cumsum(often) - often
    for _ in range(resamples):
        drawn = random.integers(len(often), size=len(often))
        within = np.arange(often[drawn].sum()) - np.repeat(np.cumsum(often[drawn]) - often[drawn], often[drawn])
        yield by_person[np.repeat(starts[drawn], often[drawn]) + within][np.newaxis]
