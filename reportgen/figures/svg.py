"""Figures as small, reproducible SVG."""

from __future__ import annotations

import io
import re
import urllib.parse
from typing import TYPE_CHECKING

from reportgen.figures import style, writing
from reportgen.figures.writing import rounded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TAG = re.compile(r"<[A-Za-z][^<>]*>")
_FRACTION = re.compile(r"-?\d+\.\d{3,}(?![\d.]*e)")
_PATH = re.compile(r' d="([^"]*)"')
_ID = re.compile(r'( id=")([^"]*)(")')
_REFERENCE = re.compile(r'((?:href="|url\()#)([^")]*)([")])')
_USED = re.compile(r'href="#([^"]*)"|url\(#([^)]*)\)')
_BARE_GROUP = re.compile(r"<g>\n(<path [^<>]*/>\n)</g>\n")
_SAFE = "/:;,.=()!*+-_~?@$[]"
_ENCODED = {ord(sign): urllib.parse.quote(sign, safe=_SAFE) for sign in map(chr, range(128))}
"""What ASCII becomes in a `data:` address; quoting a picture byte by byte takes several times as long."""
_SEGMENT = re.compile(r"([A-Za-z])([^A-Za-z]*)")


def to_svg(figure: Figure, *, as_text: bool) -> str:
    """Return a figure as one SVG element: texts as text in the packaged face, or as paths that need no font.

    The same figure gives the same bytes in every process: no date, no creator, ids from a fixed salt. Coordinates are
    rounded to 0.01 point, and ids that nothing refers to are left out.
    """
    lines = [part for part in figure.get_children() if hasattr(part, "get_fontsize")]
    buffer = io.StringIO()
    with style.settings():
        height = figure.get_figheight() * 72
        letters = (writing.as_text if as_text else writing.as_outlines)(lines, height)
        try:
            for line in lines:
                line.set_visible(False)
            figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, facecolor="none")
        finally:
            for line in lines:
                line.set_visible(True)
    # Texts lie above everything else.
    return _slim(buffer.getvalue()).replace("</svg>", f"{letters}</svg>")


def _slim(source: str) -> str:
    source = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", source[source.index("<svg") :], flags=re.DOTALL)
    used = {name for pair in _USED.findall(source) for name in pair if name}
    short: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[2]
        return f"{match[1]}{short.setdefault(name, f'i{len(short)}')}{match[3]}" if name in used else ""

    def slim(match: re.Match[str]) -> str:
        tag = _REFERENCE.sub(rename, _ID.sub(rename, match[0]))
        tag = _PATH.sub(lambda found: f' d="{_path(found[1], 2)}"', tag)
        return _FRACTION.sub(lambda found: rounded(float(found[0])), tag)

    source = _BARE_GROUP.sub(r"\1", re.sub(r">\s*\n\s*<", ">\n<", _TAG.sub(slim, source)))
    return source.strip() + "\n"


def data_uri(svg: str) -> str:
    """Return an SVG as a `data:` address, percent-encoded: shorter than base64, and safe in a quoted attribute."""
    written = svg.replace("\n", "").translate(_ENCODED)
    return "data:image/svg+xml," + (written if written.isascii() else urllib.parse.quote(written, safe="%" + _SAFE))


def _path(data: str, places: int) -> str:
    """Round a path's coordinates; horizontal and vertical lines get the commands that need one coordinate."""
    written = []
    x = y = start_x = start_y = ""
    for command, numbers in _SEGMENT.findall(data):
        values = [rounded(float(number), places) for number in numbers.split()]
        if command == "M":
            start_x, start_y = values
        if command == "L" and values == [x, y]:
            continue
        if command == "L" and values[1] == y:
            written.append(f"H{values[0]}")
        elif command == "L" and values[0] == x:
            written.append(f"V{values[1]}")
        elif command == "z" and written and written[-1][0] in "HV" and start_x == x and start_y == y:
            written[-1] = "z"
        else:
            written.append(command + ",".join(values))
        x, y = values[-2:] if values else (start_x, start_y)
    return "".join(written)
