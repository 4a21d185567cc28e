"""How far colours stand apart: contrast by WCAG 2.2, difference by CIE L*a*b* (1976). Colours are #RRGGBB in sRGB."""

from __future__ import annotations

import math

_WHITE = (0.95047, 1.0, 1.08883)
"""D65, the white of sRGB."""


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2, definition of contrast ratio)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def difference(one: str, other: str) -> float:
    """Return the difference of two colours, ΔE*ab of 1976: about 2 is just noticeable, 100 is black against white."""
    return math.dist(_lab(one), _lab(other))


def _linear(colour: str) -> tuple[float, float, float]:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels)
    return red, green, blue


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _lab(colour: str) -> tuple[float, float, float]:
    """Coordinates in L*a*b*, by the matrix of IEC 61966-2-1 and the formulas of CIE 15."""
    red, green, blue = _linear(colour)
    tristimulus = (
        0.4124 * red + 0.3576 * green + 0.1805 * blue,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        0.0193 * red + 0.1192 * green + 0.9505 * blue,
    )
    x, y, z = (_root(value / white) for value, white in zip(tristimulus, _WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return math.cbrt(value) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29
