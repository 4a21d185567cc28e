"""Where labels stand: near their own curve where the two curves are furthest apart, and clear of everything else.

The drawing area is taken as a raster of 2-point cells. Curves and boxes mark the cells they touch; a running sum over
the raster then tells for every place at once whether a label would be clear there. All coordinates are points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Places on the figure, shape (n, 2)."""
Marks = NDArray[np.bool_]

CELL = 2.0
CLEARANCE = 4.5
"""Least distance of a label from a curve, a line or another label."""
_FURTHEST = 24.0
_TRIED = 1500
_AT_ONCE = 100
_ANCHORS = 3
_STRIDE = (3, 2)
_DETOUR = 1000.0


class Box(NamedTuple):
    """A rectangle, by its lower left and its upper right corner."""

    x0: float
    y0: float
    x1: float
    y1: float

    def meets(self, other: Box) -> bool:
        """Whether the two rectangles share an area."""
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1


@dataclass(frozen=True)
class Curve:
    """One series as drawn: the corners of its line, and the places on it that a label may point to."""

    corners: Points
    anchors: Points
    apart: NDArray[np.float64]
    """How far the other curve is from each anchor, in points."""


@dataclass(frozen=True)
class Label:
    """Where a label stands, and the place on its curve that it points to."""

    box: Box
    anchor: tuple[float, float]
    cost: float
    """For the choice between places; lower is better."""
    strain: float
    """Length of its leader, more where it covers or crosses something."""
    covers: bool
    """Whether it stands on something that the scene dislikes to be covered."""

    @property
    def leader(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Both ends of the line from the label to its curve."""
        corner, size = np.array([self.box[:2]]), (self.box.x1 - self.box.x0, self.box.y1 - self.box.y0)
        x, y, _ = _leader_starts(corner, size, np.array([self.anchor]))
        return (float(x[0, 0]), float(y[0, 0])), self.anchor


@dataclass(frozen=True)
class Scene:
    """What is on the drawing area already: `area` bounds the labels, `avoid` boxes are allowed but disliked."""

    area: Box
    taken: tuple[Box, ...] = ()
    lines: tuple[Points, ...] = ()
    avoid: tuple[Box, ...] = ()


def trace(corners: Points) -> Points:
    """Return places along a line, at most one point apart."""
    steps = np.diff(corners, axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    counts = np.ceil(lengths).astype(int) + 1
    which = np.repeat(np.arange(len(steps)), counts)
    first = np.cumsum(counts) - counts
    along = (np.arange(len(which)) - first[which]) / np.maximum(counts - 1, 1)[which]
    points: Points = corners[which] + along[:, None] * steps[which]
    return points


def place_pair(
    scene: Scene, curves: tuple[Curve, Curve], sizes: tuple[tuple[float, float], tuple[float, float]]
) -> tuple[Label, Label] | None:
    """Place the labels of two curves, given their widths and heights. None where one of them finds no clear place.

    Either label may come first; the better of the two outcomes is taken.
    """
    outcomes = []
    for order in ((0, 1), (1, 0)):
        placed: dict[int, Label] = {}
        taken = scene.taken
        for index in order:
            spot = _place(
                Scene(scene.area, taken, scene.lines, scene.avoid),
                curves[index],
                curves[1 - index],
                sizes[index],
                leaders=tuple(label.leader for label in placed.values()),
            )
            if spot is None:
                break
            placed[index] = spot
            taken = (*taken, spot.box)
        if len(placed) == 2:
            outcomes.append((placed[0], placed[1]))
    return min(outcomes, key=lambda pair: pair[0].cost + pair[1].cost, default=None)


def place(scene: Scene, curve: Curve, size: tuple[float, float]) -> Label | None:
    """Place the label of a curve that stands alone, given its width and height. None where it finds no clear place."""
    return _place(scene, curve, curve, size, leaders=())


def clear(scene: Scene, curves: tuple[Curve, ...], box: Box) -> bool:
    """Whether a box lies inside the area and keeps clear of what is there."""
    area = scene.area
    if box.x0 < area.x0 or box.y0 < area.y0 or box.x1 > area.x1 or box.y1 > area.y1:
        return False
    grown = Box(box.x0 - CLEARANCE, box.y0 - CLEARANCE, box.x1 + CLEARANCE, box.y1 + CLEARANCE)
    if any(grown.meets(other) for other in scene.taken):
        return False
    for points in (*(trace(curve.corners) for curve in curves), *(trace(line) for line in scene.lines)):
        inside = (points > (grown.x0, grown.y0)) & (points < (grown.x1, grown.y1))
        if inside.all(axis=1).any():
            return False
    return True


def _place(
    scene: Scene,
    own: Curve,
    other: Curve,
    size: tuple[float, float],
    leaders: tuple[tuple[tuple[float, float], tuple[float, float]], ...],
) -> Label | None:
    raster = _Raster(scene.area)
    mine, strange = raster.points(trace(own.corners)), raster.points(trace(other.corners))
    barred = raster.marked((*scene.lines, *(np.array(leader) for leader in leaders)), scene.taken)
    places = raster.free(barred | strange | mine, size)
    if not len(places):
        return None
    disliked = raster.covered(raster.marked((), scene.avoid), places, size)
    apart = np.minimum(own.apart, _FURTHEST)
    end_x, end_y, inside = _leader_starts(places, size, own.anchors)
    right, up = own.anchors[None, :, 0] - end_x, own.anchors[None, :, 1] - end_y
    length = np.sqrt(right * right + up * up)  # hypot, which cannot overflow, takes five times as long
    strain = length + 14.0 * disliked[:, None] + np.where(inside, 500.0, 0.0)
    cost = strain - 2.5 * apart[None, :] + 0.004 * (scene.area.y1 - places[:, None, 1])
    # Only the few best anchors of each place are looked at more closely.
    few = min(_ANCHORS, cost.shape[1])
    columns = np.argpartition(cost, few - 1, axis=1)[:, :few].ravel()
    rows = np.repeat(np.arange(len(places)), few)
    best = np.argsort(cost[rows, columns], kind="stable")[:_TRIED]
    rows, columns = rows[best], columns[best]
    barriers = _thickened(strange | barred), mine
    # A detour only adds to the cost: once a place costs no more than the next would without one, it is the best.
    winner, penalty = 0, math.inf
    for first in range(0, len(rows), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        starts = np.stack([end_x[rows[part], columns[part]], end_y[rows[part], columns[part]]], axis=1)
        detours = _detours(raster, barriers, starts, own.anchors[columns[part]])
        index = int(np.argmin(cost[rows[part], columns[part]] + detours))
        if (
            cost[rows[first + index], columns[first + index]] + detours[index]
            < cost[rows[winner], columns[winner]] + penalty
        ):
            winner, penalty = first + index, float(detours[index])
        if cost[rows[winner], columns[winner]] + penalty <= cost[rows[part][-1], columns[part][-1]]:
            break
    left, bottom = places[rows[winner]]
    anchor = own.anchors[columns[winner]]
    return Label(
        Box(float(left), float(bottom), float(left + size[0]), float(bottom + size[1])),
        (float(anchor[0]), float(anchor[1])),
        cost=float(cost[rows[winner], columns[winner]]) + penalty,
        strain=float(strain[rows[winner], columns[winner]]) + penalty,
        covers=bool(disliked[rows[winner]]),
    )


def _detours(raster: _Raster, barriers: tuple[Marks, Marks], starts: Points, ends: Points) -> NDArray[np.float64]:
    """What leaders cost that cross a barrier: something strange, or the curve that they point to.

    They are a last resort: the look of a line through the other curve misleads.
    """
    along = np.linspace(0, 1, 32)[None, :, None]
    lines = starts[:, None, :] + along * (ends - starts)[:, None, :]
    left_over = np.hypot(*(lines - ends[:, None, :]).transpose(2, 0, 1))
    crossed = raster.at(barriers[0], lines) & (left_over > CELL * 1.5)
    own_crossed = raster.at(barriers[1], lines) & (left_over > CLEARANCE)
    return np.where(crossed.any(axis=1), _DETOUR, 0.0) + np.where(own_crossed.any(axis=1), 40.0, 0.0)


def _leader_starts(corners: Points, size: tuple[float, float], anchors: Points) -> tuple[Points, Points, Marks]:
    """Return x and y of where leaders leave their labels, and whether the anchor lies within the label.

    All have the shape (labels, anchors). A leader leaves below or above the text, beside it only where the anchor is
    well beside it: otherwise the line would brush the text.
    """
    x, y = anchors[None, :, 0], anchors[None, :, 1]
    x0, y0 = corners[:, None, 0], corners[:, None, 1]
    x1, y1 = x0 + size[0], y0 + size[1]
    below = y < y0
    beyond = np.maximum(np.maximum(y0 - y, y - y1), 0)
    inside = beyond == 0
    beyond /= 2
    over = (x >= x0 - beyond) & (x <= x1 + beyond)
    inset = min(4.0, size[0] / 2)
    start_x = np.where(over, np.minimum(np.maximum(x, x0 + inset), x1 - inset), np.where(x < x0, x0 - 1, x1 + 1))
    start_y = np.where(over, np.where(below, y0, y1), (y0 + y1) / 2)
    inside &= (x >= x0) & (x <= x1)
    return start_x, start_y, inside


@dataclass(frozen=True)
class _Raster:
    area: Box

    @property
    def shape(self) -> tuple[int, int]:
        area = self.area
        return max(1, int((area.x1 - area.x0) // CELL) + 1), max(1, int((area.y1 - area.y0) // CELL) + 1)

    def points(self, points: Points) -> Marks:
        """Mark the cells that hold a point."""
        marks = np.zeros(self.shape, dtype=bool)
        index = np.floor((points - (self.area.x0, self.area.y0)) / CELL).astype(int)
        index = index[((index >= 0) & (index < self.shape)).all(axis=1)]
        marks[index[:, 0], index[:, 1]] = True
        return marks

    def marked(self, lines: tuple[Points, ...], boxes: tuple[Box, ...]) -> Marks:
        """Mark the cells that a line or a box touches."""
        marks = np.zeros(self.shape, dtype=bool)
        for line in lines:
            marks |= self.points(trace(line))
        for box in boxes:
            low = np.maximum(np.floor((np.array(box[:2]) - self.area[:2]) / CELL).astype(int), 0)
            high = np.maximum(np.ceil((np.array(box[2:]) - self.area[:2]) / CELL).astype(int), 0)
            marks[low[0] : high[0], low[1] : high[1]] = True
        return marks

    def at(self, marks: Marks, points: Points) -> Marks:
        """Look up the marks under points of shape (..., 2)."""
        index = np.floor((points - (self.area.x0, self.area.y0)) / CELL).astype(int)
        index = np.clip(index, 0, np.array(self.shape) - 1)
        found: Marks = marks[index[..., 0], index[..., 1]]
        return found

    def free(self, marks: Marks, size: tuple[float, float]) -> Points:
        """Return the lower left corners of all places where a box of that size and its clearance meet no mark."""
        columns, rows = self.shape
        margin = int(np.ceil(CLEARANCE / CELL))
        wide, high = (int(np.ceil(length / CELL)) for length in size)
        x, y = np.arange(0, columns - wide, _STRIDE[0]), np.arange(0, rows - high, _STRIDE[1])
        left, right = (np.clip(at, 0, columns) for at in (x - margin, x + wide + margin))
        below, above = (np.clip(at, 0, rows) for at in (y - margin, y + high + margin))
        sums = _sums(marks)
        total = sums[np.ix_(right, above)] - sums[np.ix_(left, above)]
        total -= sums[np.ix_(right, below)] - sums[np.ix_(left, below)]
        column, row = np.nonzero(total == 0)
        corners = np.stack([x[column], y[row]], axis=1) * CELL
        places: Points = corners + np.array((self.area.x0, self.area.y0))
        return places

    def covered(self, marks: Marks, places: Points, size: tuple[float, float]) -> Marks:
        """Whether a box at each of the places covers a mark."""
        index = np.rint((places - (self.area.x0, self.area.y0)) / CELL).astype(int)
        wide, high = (int(np.ceil(length / CELL)) for length in size)
        return _window(marks, index[:, 0], index[:, 1], index[:, 0] + wide, index[:, 1] + high) > 0


def _thickened(marks: Marks) -> Marks:
    """Mark the right neighbours too, so that no slanting line slips between two cells that meet at a corner."""
    thick = marks.copy()
    thick[1:] |= marks[:-1]
    return thick


def _sums(marks: Marks) -> NDArray[np.int64]:
    """Return the number of marks left of and below every corner of a cell."""
    sums = np.zeros((marks.shape[0] + 1, marks.shape[1] + 1), dtype=np.int64)
    np.cumsum(marks.cumsum(axis=0), axis=1, out=sums[1:, 1:])
    return sums


def _window(
    marks: Marks, x0: NDArray[np.int64], y0: NDArray[np.int64], x1: NDArray[np.int64], y1: NDArray[np.int64]
) -> NDArray[np.int64]:
    sums = _sums(marks)
    x0, x1 = (np.clip(x, 0, marks.shape[0]) for x in (x0, x1))
    y0, y1 = (np.clip(y, 0, marks.shape[1]) for y in (y0, y1))
    return sums[x1, y1] - sums[x0, y1] - sums[x1, y0] + sums[x0, y0]
