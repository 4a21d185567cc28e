"""The leading axes of the encoded rows, for `--components N`."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from reportgen.distances import Floats, Ints
from reportgen.errors import InputError
from reportgen.spread import Load, spread

_BLOCK = 1 << 20
"""Numbers worked on at once, 8 MB."""
_PRODUCT = 2.0
"""Nanoseconds to multiply two numbers and add the product to a sum."""


def leading_axes(rows: Floats, counts: Ints, number: int) -> tuple[Floats, Floats, float]:
    """Project rows on the first axes of their weighted covariance.

    Returns the projected rows, (rows, number), the axes, (width, number), and the share of inertia that they keep.

    `counts` says how many real rows each row stands for; rows with 0 are projected, not fitted on. The covariance is
    summed row by row and each coordinate term by term, so that neither depends on threads or on the batch; the sign
    of an axis makes its largest entry positive. InputError where there are fewer axes than asked for.
    """
    mean, total = _mean(rows, counts), counts.sum()
    blocks = _blocks(rows, counts)
    with spread(_load(rows, number, len(blocks))) as each:
        moments = np.zeros((rows.shape[1], rows.shape[1]))
        for of_block in each(_moments, blocks, mean, total):
            moments += of_block
        axes, share = _axes((moments + moments.T) / 2, number)
        projected, done = np.empty((len(rows), number)), 0
        for part in each(_project, blocks, mean, axes):
            projected[done : done + len(part)] = part
            done += len(part)
    return projected, axes, share


def _mean(rows: Floats, counts: Ints) -> Floats:
    fitted = counts > 0
    mean: Floats = np.add.reduce(counts[fitted, np.newaxis] / counts.sum() * rows[fitted], axis=0)
    return mean


def _axes(covariance: Floats, number: int) -> tuple[Floats, float]:
    from scipy.linalg import eigh  # loaded where components are asked for

    with threadpool_limits(limits=1, user_api="blas"):
        values, vectors = eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    present = int((values > len(values) * np.finfo(np.float64).eps * max(values[0], 0.0)).sum())
    if number > present:
        msg = f"setting 'components': {number} asked for, but the real rows have only {present}; give at most {present}"
        raise InputError(msg)
    axes = vectors[:, :number]
    largest = np.argmax(np.abs(axes), axis=0)
    axes = axes * np.where(axes[largest, np.arange(number)] < 0, -1.0, 1.0)
    return axes, float(values[:number].sum() / values[:present].sum())


def _blocks(rows: Floats, counts: Ints) -> list[tuple[Floats, Ints]]:
    """Cut rows and their counts so that as many rows as are worked on at once are fitted on in each block."""
    step = max(1, _BLOCK // rows.shape[1])
    starts = np.flatnonzero(counts > 0)[::step].tolist()
    ends = [*starts[1:], len(rows)]
    return [(rows[start:end], counts[start:end]) for start, end in zip([0, *starts[1:]], ends, strict=True)]


def _load(rows: Floats, number: int, blocks: int) -> Load:
    width = rows.shape[1]
    travelling = 8.0 * len(rows) * (width + 1 + number)
    return Load("projection", _PRODUCT * len(rows) * width * (width + number), travelling, 2 * blocks)


def _moments(mean: Floats, total: int, rows: Floats, counts: Ints) -> Floats:
    """What a block adds to the weighted products of the columns, (width, width), summed row by row."""
    fitted = counts > 0
    centred = rows[fitted] - mean
    weighted = centred * (counts[fitted, np.newaxis] / total)
    return np.stack([np.add.reduce(weighted * column[:, np.newaxis], axis=0) for column in centred.T])


def _project(mean: Floats, axes: Floats, rows: Floats, _counts: Ints) -> Floats:
    projected = np.zeros((len(rows), axes.shape[1]))
    for column in range(rows.shape[1]):
        # No matrix product: its order of summation changes with the number of rows.
        projected += (rows[:, column, np.newaxis] - mean[column]) * axes[column]
    return projected
