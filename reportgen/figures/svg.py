"""Figures as small, reproducible SVG."""

from __future__ import annotations

import itertools
import math
import urllib.parse
from typing import TYPE_CHECKING

from reportgen.figures import style, writing
from reportgen.figures.marks import Area, Line, Words
from reportgen.figures.writing import rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.figures.marks import Drawing, Marker, Points

_SAFE = "/:;,.=()!*+-_~?@$[]"
_ENCODED = {ord(sign): urllib.parse.quote(sign, safe=_SAFE) for sign in map(chr, range(128))}
"""What ASCII becomes in a `data:` address; quoting a picture byte by byte takes several times as long."""
_TILE, _PITCH_OF_HATCH = 72, 3
"""Side of the tile that hatching repeats, and distance of its lines along a side, in points."""
_CORNERS = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((-math.sqrt(2), 0), (0, -math.sqrt(2)), (math.sqrt(2), 0), (0, math.sqrt(2))),
    "up": ((0, -1), (1, 1), (-1, 1)),
    "down": ((0, 1), (1, -1), (-1, -1)),
    "left": ((-1, 0), (1, -1), (1, 1)),
    "right": ((1, 0), (-1, 1), (-1, -1)),
}
"""Of markers, in halves of their size, y downwards."""


def to_svg(drawing: Drawing, *, as_text: bool) -> str:
    """Return a figure as one SVG element: texts as text in the packaged face, or as paths that need no font.

    The same figure gives the same bytes in every process. Coordinates are rounded to 0.01 point.
    """
    width, height = rounded(drawing.width), rounded(drawing.height)
    marks = sorted((mark for mark in drawing.marks if not isinstance(mark, Words)), key=lambda mark: mark.order)
    body = "".join(part for mark in marks for part in _drawn(mark, drawing.height))
    with style.settings():
        lines = [mark for mark in drawing.marks if isinstance(mark, Words)]
        letters = (writing.as_text if as_text else writing.as_outlines)(lines, drawing.height)
    hatch = _hatch() if any(isinstance(mark, Area) and mark.hatched for mark in marks) else ""
    # Texts lie above everything else.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt"'
        f' viewBox="0 0 {width} {height}">\n{hatch}<g fill="none">\n{body}</g>\n{letters}</svg>\n'
    )


def data_uri(svg: str) -> str:
    """Return an SVG as a `data:` address, percent-encoded: shorter than base64, and safe in a quoted attribute."""
    written = svg.replace("\n", "").translate(_ENCODED)
    return "data:image/svg+xml," + (written if written.isascii() else urllib.parse.quote(written, safe="%" + _SAFE))


def _drawn(mark: Line | Area, height: float) -> Iterator[str]:
    if isinstance(mark, Area):
        if mark.fill == mark.edge == "none":
            return
        path = "".join(_path(_flipped(shape, height)) + "z" for shape in mark.shapes)
        fill = "" if mark.fill == "none" else ' fill="url(#hatch)"' if mark.hatched else f' fill="{mark.fill}"'
        edge = "" if mark.edge == "none" else f' stroke="{mark.edge}" stroke-width="{rounded(mark.edge_width)}"'
        yield f'<path d="{path}"{fill}{edge}/>\n'
        return
    places = _flipped(mark.places, height)
    if mark.width and len(places) > 1:
        lengths = ",".join(rounded(length * mark.width) for length in mark.dash)
        dash = f' stroke-dasharray="{lengths}"' if lengths else ""
        path = "".join(map(_path, _unbroken(places)))
        yield f'<path d="{path}" stroke="{mark.colour}" stroke-width="{rounded(mark.width)}"{dash}/>\n'
    if mark.marker is not None:
        yield from (_sign(mark.marker, x, y, mark.colour) for x, y in places)


def _sign(marker: Marker, x: float, y: float, colour: str) -> str:
    half = marker.size / 2
    edge = f' stroke="{colour}" stroke-width="{rounded(marker.edge_width)}"' if marker.edge_width else ""
    if marker.shape == "circle":
        return f'<circle cx="{rounded(x)}" cy="{rounded(y)}" r="{rounded(half)}" fill="{marker.fill}"{edge}/>\n'
    corners = [(x + right * half, y + down * half) for right, down in _CORNERS[marker.shape]]
    return f'<path d="{_path(corners)}z" fill="{marker.fill}"{edge}/>\n'


def _flipped(places: Points, height: float) -> list[tuple[float, float]]:
    """Return places with y downwards, as SVG has it."""
    return [(x, height - y) for x, y in places.tolist()]


def _unbroken(places: list[tuple[float, float]]) -> Iterator[list[tuple[float, float]]]:
    """Yield the parts of a line between its NaN."""
    for gap, part in itertools.groupby(places, key=lambda place: math.isnan(place[0])):
        if not gap:
            yield list(part)


def _path(places: Iterable[tuple[float, float]]) -> str:
    """Write a path through places; horizontal and vertical lines have commands that need one coordinate."""
    written: list[str] = []
    here_x = here_y = ""
    for x, y in places:
        to_x, to_y = rounded(x), rounded(y)
        if not written:
            written.append(f"M{to_x},{to_y}")
        elif to_y == here_y:
            written.append("" if to_x == here_x else f"H{to_x}")
        else:
            written.append(f"V{to_y}" if to_x == here_x else f"L{to_x},{to_y}")
        here_x, here_y = to_x, to_y
    return "".join(written)


def _hatch() -> str:
    """Return the pattern of areas that are hatched: slanting lines on the fill of the reference."""
    starts = range(-_TILE // 2, _TILE // 2 + 1, _PITCH_OF_HATCH)
    lines = "".join(f"M{at},{at + _TILE}L{at + _TILE},{at}" for at in starts)
    return (
        f'<defs><pattern id="hatch" patternUnits="userSpaceOnUse" x="0" y="0" width="{_TILE}" height="{_TILE}">'
        f'<rect x="0" y="0" width="{_TILE + 1}" height="{_TILE + 1}" fill="{style.REFERENCE_FILL}"/>'
        f'<path d="{lines}" stroke="{style.HATCH}" stroke-width="0.5"/></pattern></defs>\n'
    )
