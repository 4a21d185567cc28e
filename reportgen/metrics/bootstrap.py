"""Bootstrap intervals: paired over the original rows, against both bases, or unpaired over two sets of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from reportgen.distances import Floats

BLOCK = 2_000_000
"""Most resampled values held at once."""

Statistic = Callable[[tuple[Floats, ...]], Floats]
"""From values of each paired series, shape (resamples, rows), to statistics, shape (statistics, resamples)."""


def intervals(
    draws: Sequence[tuple[Floats, ...]], statistic: Statistic, resamples: int, random: np.random.Generator
) -> list[tuple[float, float]]:
    """95 % intervals of each statistic: the 2.5th to 97.5th percentile over all draws times their resamples.

    `draws` holds, for each draw of the bases, the paired series of the original rows, each shape (rows,). The
    resamples are shared out over the draws, so that an interval speaks for the drawing as well as for the rows.
    """
    each = max(1, -(-resamples // len(draws)))
    values: list[Floats] = []
    for series in draws:
        rows = len(series[0])
        block = max(1, BLOCK // rows)
        for start in range(0, each, block):
            picked = random.integers(rows, size=(min(block, each - start), rows))
            values.append(statistic(tuple(one[picked] for one in series)))
    low, high = np.quantile(np.concatenate(values, axis=1), (0.025, 0.975), axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def unpaired_intervals(
    first: Floats,
    second: Floats,
    statistic: Callable[[Floats, Floats], Floats],
    resamples: int,
    random: np.random.Generator,
) -> list[tuple[float, float]]:
    """95 % intervals of statistics of two sets of rows that are resampled independently of each other.

    `first` and `second` have the shape (rows,) each; `statistic` maps resamples of both, shape (resamples, rows), to
    statistics, shape (statistics, resamples).
    """
    block = max(1, BLOCK // max(len(first), len(second)))
    values = []
    for start in range(0, resamples, block):
        number = min(block, resamples - start)
        pair = (one[random.integers(len(one), size=(number, len(one)))] for one in (first, second))
        values.append(statistic(*pair))
    low, high = np.quantile(np.concatenate(values, axis=1), (0.025, 0.975), axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))
