"""From values to points along an axis, and the values that are worth a tick."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import median_low
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ROUND = 9
_PLAIN = (-3, 5)


@dataclass(frozen=True)
class Scale:
    """A monotone map from values to points; values beyond the ends lie on the ends.

    Linear when `knee` is None. Otherwise logarithmic from the knee upwards, and linear below it, between `start` and
    `bend`: that is where the first bin of a histogram lies which begins at zero.
    """

    low: float
    high: float
    start: float
    end: float
    knee: float | None = None
    bend: float = 0.0

    def __call__(self, value: float) -> float:
        """Return the place of a value, in points."""
        value = min(max(value, self.low), self.high)
        if self.knee is None:
            return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
        if value < self.knee:
            return self.start + (value - self.low) / (self.knee - self.low) * (self.bend - self.start)
        part = math.log(value / self.knee) / math.log(self.high / self.knee)
        return self.bend + part * (self.end - self.bend)


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Return a linear scale."""
    return Scale(low, high, start, end)


def logarithmic(edges: Sequence[float], start: float, end: float) -> Scale:
    """Return a logarithmic scale over the edges of bins; the first of them may be 0.

    A first bin that begins at 0 has no width on such an axis: it gets the width that is common among the others.
    Raises ValueError where an edge is negative. With no two positive edges the scale is linear.
    """
    if edges[0] < 0:
        msg = "a logarithmic axis needs edges that are not negative"
        raise ValueError(msg)
    if edges[0] > 0:
        return Scale(edges[0], edges[-1], start, end, knee=edges[0], bend=start)
    if len(edges) == 2:
        return linear(edges[0], edges[-1], start, end)
    common = median_low([math.log(b / a) for a, b in itertools.pairwise(edges[1:])])
    bend = start + (end - start) * common / (common + math.log(edges[-1] / edges[1]))
    return Scale(edges[0], edges[-1], start, end, knee=edges[1], bend=bend)


def tick_choices(scale: Scale) -> Iterator[tuple[float, ...]]:
    """Yield sets of round values between the scale's ends, from many to few. The drawer takes the first that fits."""
    if scale.knee is not None:
        yield from _decades(scale.knee, scale.high)
    low = scale.low if scale.knee is None else scale.knee
    for count in (10, 8, 7, 6, 5, 4, 3, 2, 1):
        yield _linear_ticks(low, scale.high, count)
    yield (scale.high,)


def _linear_ticks(low: float, high: float, most: int) -> tuple[float, ...]:
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(multiple for multiple in (1, 2, 5, 10) if multiple * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(index * step, _ROUND - math.floor(math.log10(step))) for index in range(first, last + 1))


def _decades(low: float, high: float) -> Iterator[tuple[float, ...]]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for every, multiples in ((1, (1, 2, 5)), (1, (1, 3)), (1, (1,)), (2, (1,)), (3, (1,)), (4, (1,)), (6, (1,))):
        exponents = [exponent for exponent in range(first, last + 1) if exponent % every == 0]
        ticks = [float(f"{multiple}e{exponent}") for exponent in exponents for multiple in multiples]
        inside = tuple(tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9))
        if len(inside) >= 2:
            yield inside


def tick_text(value: float) -> str:
    """Write a tick: plainly between 0.001 and 99,999, else with an exponent, as in "1e−6"."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-12)
    if _PLAIN[0] <= exponent < _PLAIN[1]:
        text = f"{value:,.10f}".rstrip("0").rstrip(".")
    else:
        text = f"{value / 10.0**exponent:.6g}e{exponent}"
    return text.replace("-", "\N{MINUS SIGN}")
