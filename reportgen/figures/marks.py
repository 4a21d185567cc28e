"""What a drawing consists of: lines, areas and lines of text at given places, in points from the lower left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Shape = Literal["circle", "square", "diamond", "up", "down", "left", "right"]
"""Of a marker; the last four are triangles by where they point."""


@dataclass(frozen=True)
class Marker:
    """A sign at every place of a line, with its diameter or the length of a side."""

    shape: Shape
    size: float
    fill: str
    edge_width: float = 0.0
    """Of an edge in the colour of the line."""


@dataclass(frozen=True)
class Line:
    """A line through places, of shape (places, 2); NaN interrupts it. A width of 0 leaves the markers alone."""

    places: Points
    colour: str
    width: float
    order: float
    name: str = ""
    dash: tuple[float, ...] = ()
    """Lengths of dashes and gaps, as multiples of the width."""
    marker: Marker | None = None


@dataclass(frozen=True)
class Area:
    """Closed shapes, each of shape (corners, 2), filled as one. `hatched` draws slanting lines over the fill."""

    shapes: tuple[Points, ...]
    fill: str
    order: float
    name: str = ""
    edge: str = "none"
    edge_width: float = 0.0
    hatched: bool = False


@dataclass(frozen=True)
class Words:
    """One line of text with its baseline at a height, aligned to a place; `turned` ones run upwards there."""

    text: str
    x: float
    y: float
    size: float
    bold: bool
    colour: str
    align: Literal["left", "center", "right"]
    name: str = ""
    turned: bool = False


@dataclass(frozen=True)
class Drawing:
    """A sheet of a size in points, with everything on it in the order in which it was drawn."""

    width: float
    height: float
    marks: tuple[Line | Area | Words, ...]

    def named(self, name: str) -> tuple[Line | Area | Words, ...]:
        """Return everything of that name."""
        return tuple(mark for mark in self.marks if mark.name == name)
