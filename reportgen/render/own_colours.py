"""The user's own colours: held against the ground they stand on and against each other, then put into style sheets."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from typing import Literal

from reportgen._resources import resource
from reportgen.errors import InputError
from reportgen.look import Colours
from reportgen.render.contrast import contrast, difference

Scheme = Literal["light", "dark"]
PROPERTIES = {
    "accent": ("accent", "link"),
    "text": ("ink",),
    "secondary": ("muted",),
    "high": ("high",),
    "moderate": ("moderate",),
    "low": ("low",),
    "inconclusive": ("inconclusive",),
}
"""Properties of the style sheets that each key sets."""
GROUNDS = ("paper", "tint")
LEVELS = ("high", "moderate", "low", "inconclusive")
NEEDED = 4.5
"""Contrast of text by WCAG 2.2 AA, success criterion 1.4.3."""
APART = 30.0
"""Least ΔE*ab between the colours of two verdicts; the packaged ones are 42 and more apart."""


@functools.cache
def packaged(scheme: Scheme) -> dict[str, str]:
    """Return the colours of the packaged style sheets by property."""
    found = _properties(resource("assets", "css", "variables.css").read_text(encoding="utf-8"))
    if scheme == "dark":
        screen = resource("assets", "css", "screen.css").read_text(encoding="utf-8")
        found |= _properties(screen[screen.index("prefers-color-scheme: dark") :])
    return found


def _properties(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9A-F]{6})", css))


def own_colours(scheme: Scheme, given: Colours) -> tuple[tuple[str, str], ...]:
    """Return the properties that the user's colours set; InputError where one cannot be read or told from another."""
    for fault in _faults(scheme, given):
        raise InputError(fault)
    return tuple((name, value) for key, value in given.given().items() for name in PROPERTIES[key])


def _faults(scheme: Scheme, given: Colours) -> Iterator[str]:
    colours = packaged(scheme)
    own = given.given()
    for key, value in own.items():
        ground = min((colours[name] for name in GROUNDS), key=lambda ground: contrast(value, ground))
        measured = contrast(value, ground)
        if measured < NEEDED:
            darker = "darker" if scheme == "light" else "lighter"
            yield (
                f"look.{scheme}.{key}: {value} on {ground} has a contrast of {_down(measured)} : 1, and text needs "
                f"{NEEDED} : 1 (WCAG 2.2 AA); choose a {darker} colour"
            )
    levels = {name: own.get(name, colours[name]) for name in LEVELS}
    for one, other in itertools.combinations(LEVELS, 2):
        apart = difference(levels[one], levels[other])
        if apart < APART and {one, other} & set(own):
            key, beside = (one, other) if one in own else (other, one)
            yield (
                f"look.{scheme}.{key}: {levels[key]} can hardly be told from the colour of {beside}, {levels[beside]}: "
                f"the difference is {_down(apart)} and must be {APART:g} (CIE 1976); choose colours further apart"
            )


def _down(value: float) -> str:
    """Round down, so that what falls short is never printed as enough."""
    return f"{int(value * 100) / 100:.2f}"
