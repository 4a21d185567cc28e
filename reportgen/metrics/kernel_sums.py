"""Bandwidths of many planted leaks at once.

h solves Σ e^(-x/2h^2) = K. Most x are those of the synthetic rows, the same in every leak: their sum is tabulated in
ln h with two derivatives and interpolated by polynomials of degree five. Steps of .025 err by less than 1e-8 of K.
"""

from __future__ import annotations

import math

import numpy as np

from reportgen.distances import Floats, Ints

TINY = float(np.finfo(np.float64).tiny)
"""What has underflowed is 0."""
_STEP = 0.025
_FADED = 40.0
"""At x = 80 h^2 a row weighs e^-40: it is not there."""
_CELLS = 1 << 16
_MOST_STEPS = 200
_TOLERANCE = 1e-7
"""Of ln h before the last of Newton's steps, which squares it."""


class KernelSums:
    """S(h) = Σ e^(-x/2h^2) over the x above 0 of fixed rows, for h up to `widest`.

    `x` in 0-1 and `times`, how many rows each stands for, both (entries,). `rows` counts those with an x above 0,
    `smallest` is the smallest of these x, inf where there is none.
    """

    def __init__(self, x: Floats, times: Ints, widest: float) -> None:
        positive = x > TINY
        order = np.argsort(x[positive], kind="stable")
        x, often = x[positive][order], times[positive][order].astype(np.float64)
        self.rows = float(often.sum())
        self.smallest = float(x[0]) if len(x) else math.inf
        last = math.log(widest)
        faded = 0.5 * math.log(self.smallest / (2 * _FADED)) if len(x) else last
        number = max(1, math.ceil((last - faded) / _STEP))
        nodes = last - _STEP * np.arange(number, -1, -1, dtype=np.float64)
        self._first = float(nodes[0])
        self._terms = _polynomials(_derivatives(nodes, x, often))

    def at(self, logs: Floats) -> tuple[Floats, Floats]:
        """S and its derivative by ln h at these ln h, shape (any,) each."""
        place = (logs - self._first) / _STEP
        inside = place >= 0
        piece = np.clip(place.astype(np.int64), 0, len(self._terms) - 1)
        t = place - piece
        c0, c1, c2, c3, c4, c5 = self._terms[piece].T
        value = c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))))
        slope = (c1 + t * (2 * c2 + t * (3 * c3 + t * (4 * c4 + t * 5 * c5)))) / _STEP
        return np.where(inside, value, 0.0), np.where(inside, slope, 0.0)


def _derivatives(nodes: Floats, x: Floats, often: Floats) -> Floats:
    """S at each ln h and its first two derivatives times the step and its square, shape (3, nodes)."""
    found = np.zeros((3, len(nodes)))
    step = max(1, _CELLS // max(len(x), 1))
    for start in range(0, len(nodes), step):
        part = slice(start, start + step)
        doubled = 2 * np.exp(2 * nodes[part])
        reached = int(np.searchsorted(x, _FADED * doubled[-1]))
        u = x[:reached] / doubled[:, np.newaxis]
        weights = often[:reached] * np.exp(-u)
        found[0, part] = weights.sum(axis=1)
        found[1, part] = 2 * (u * weights).sum(axis=1)
        found[2, part] = 4 * (u * (u - 1) * weights).sum(axis=1)
    found[1] *= _STEP
    found[2] *= _STEP**2
    return found


def _polynomials(derivatives: Floats) -> Floats:
    """Coefficients of t^0 … t^5 between each node (t = 0) and the next (t = 1), shape (nodes - 1, 6)."""
    value, first, second = derivatives[:, :-1]
    value_after, first_after, second_after = derivatives[:, 1:]
    half = second / 2
    a = value_after - (value + first + half)
    b = first_after - (first + 2 * half)
    c = (second_after - 2 * half) / 2
    return np.stack([value, first, half, 10 * a - 4 * b + c, 7 * b - 15 * a - 2 * c, 6 * a - 3 * b + c], axis=1)


def bandwidths(sums: KernelSums, added: Floats, targets: Floats, widest: Floats) -> Floats:
    """Solve S(h) + Σ e^(-x/2h^2) over the added x above 0 = target for h, each row of `added` for itself.

    `added`, shape (leaks, k); `targets` and `widest`, shape (leaks,). As `leak_weights.bandwidth`: `widest` where the
    sum is not above the target even there.
    """
    positive = added > TINY

    def at(logs: Floats) -> tuple[Floats, Floats]:
        value, slope = sums.at(logs)
        narrow = np.exp(-2 * logs)
        weights = np.where(positive, np.exp(-0.5 * narrow[:, np.newaxis] * added), 0.0)
        return value + weights.sum(axis=1), slope + (weights * added).sum(axis=1) * narrow

    logs = high = np.log(widest)
    wide = at(high)[0] <= targets
    smallest = np.where(positive, added, np.inf).min(axis=1, initial=sums.smallest)
    rows = sums.rows + positive.sum(axis=1)
    done = wide
    with np.errstate(divide="ignore", invalid="ignore"):
        # Below this width even all rows at the smallest x would not reach the target.
        low = np.where(wide, high, 0.5 * np.log(smallest / (2 * np.log(2 * rows / targets))))
        for _ in range(_MOST_STEPS):
            if done.all():
                break
            total, slope = at(logs)
            high, low = np.where(total > targets, logs, high), np.where(total > targets, low, logs)
            after = logs + np.log(targets / total) * total / slope
            after = np.where((low <= after) & (after <= high), after, (low + high) / 2)
            reached = np.abs(after - logs) <= _TOLERANCE
            logs = np.where(done, logs, after)
            done = done | reached
    return np.where(wide, widest, np.exp(logs))
