"""The leading axes of the encoded rows, for `--components N`."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from reportgen.distances import Floats, Ints
from reportgen.errors import InputError

_BLOCK = 1 << 20
"""Numbers worked on at once, 8 MB."""


def leading_axes(rows: Floats, counts: Ints, number: int) -> tuple[Floats, Floats, float]:
    """Project rows on the first axes of their weighted covariance.

    Returns the projected rows, (rows, number), the axes, (width, number), and the share of inertia that they keep.

    `counts` says how many real rows each row stands for; rows with 0 are projected, not fitted on. The covariance is
    summed row by row and each coordinate term by term, so that neither depends on threads or on the batch; the sign
    of an axis makes its largest entry positive. InputError where there are fewer axes than asked for.
    """
    fitted, weights = rows[counts > 0], counts[counts > 0, np.newaxis] / counts.sum()
    mean = np.add.reduce(weights * fitted, axis=0)
    covariance = _covariance(fitted - mean, weights)
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
    share = float(values[:number].sum() / values[:present].sum())
    return _project(rows, mean, axes), axes, share


def _covariance(centred: Floats, weights: Floats) -> Floats:
    width = centred.shape[1]
    total = np.zeros((width, width))
    step = max(1, _BLOCK // width)
    for start in range(0, len(centred), step):
        block = centred[start : start + step]
        weighted = block * weights[start : start + step]
        for column in range(width):
            total[column] += np.add.reduce(weighted * block[:, column, np.newaxis], axis=0)
    return (total + total.T) / 2


def _project(rows: Floats, mean: Floats, axes: Floats) -> Floats:
    projected = np.zeros((len(rows), axes.shape[1]))
    for column in range(rows.shape[1]):
        # No matrix product: its order of summation changes with the number of rows.
        projected += (rows[:, column, np.newaxis] - mean[column]) * axes[column]
    return projected
