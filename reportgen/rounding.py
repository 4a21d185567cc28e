"""Numbers as people read them. Rounding happens here and nowhere else, and never across a limit."""

from __future__ import annotations

import math
from collections.abc import Iterable

NARROW_SPACE = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
MOST_DIGITS = 15
MOST_DECIMALS = 40


def decimals(value: float, digits: int, limits: Iterable[float] = ()) -> str:
    """Write a number with so many decimals, or with as many more as keep it on its side of every limit.

    99.96 with one decimal is 100.0, but 99.96 with the limit 100 is 99.96. A value equal to a limit stays equal. From
    1e15 on a number has an exponent: hundreds of digits say nothing, and cost a figure minutes to find room for.
    """
    if abs(value) >= 10**MOST_DIGITS:
        return _exponential(value, tuple(limits))
    for places in range(digits, MOST_DECIMALS + 1):
        text = f"{value:,.{places}f}"
        shown = float(text.replace(",", ""))
        if all(_side(shown, limit) == _side(value, limit) for limit in limits):
            break
    if not float(text.replace(",", "")):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def _exponential(value: float, limits: tuple[float, ...]) -> str:
    for digits in range(2, 17):
        text = f"{value:.{digits}e}"
        if all(_side(float(text), limit) == _side(value, limit) for limit in limits):
            break
    return text.replace("-", MINUS)


def significant(value: float, digits: int = 3, limits: Iterable[float] = ()) -> str:
    """Write a number with about so many significant digits, without an exponent between 1e-6 and 1e15."""
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if not -6 <= exponent < MOST_DIGITS:
        return f"{value:.{digits - 1}e}".replace("-", MINUS)
    return decimals(value, max(0, digits - 1 - exponent), limits)


def percent(value: float, digits: int = 2, limits: Iterable[float] = ()) -> str:
    """Write a number of percent with its sign, joined by a no-break space."""
    return f"{decimals(value, digits, limits)}{NARROW_SPACE}%"


def probability(value: float, limits: Iterable[float] = ()) -> str:
    """Write a p-value or probability with three decimals; what would look like 0, or underflowed to 0, is "< 0.001"."""
    return f"<{NARROW_SPACE}0.001" if value < 0.001 else decimals(value, 3, limits)


def p_value(value: float, limits: Iterable[float] = ()) -> str:
    """Write "p = 0.012", or "p < 0.001"."""
    text = probability(value, limits)
    joined = text if text.startswith("<") else f"={NARROW_SPACE}{text}"
    return f"p{NARROW_SPACE}{joined}"


def count(value: int) -> str:
    """Write a whole number with its thousands set apart by commas, and one beyond 1e18 with an exponent."""
    if abs(value) >= 10**18:
        return f"{float(value):.2e}".replace("-", MINUS)
    return f"{value:,}".replace("-", MINUS)


def _side(value: float, limit: float) -> int:
    return (value > limit) - (value < limit)
