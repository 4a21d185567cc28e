"""Figures as small, reproducible SVG."""

from __future__ import annotations

import functools
import io
import re
import urllib.parse
from typing import TYPE_CHECKING

from reportgen.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TAG = re.compile(r"<[A-Za-z][^<>]*>")
_FRACTION = re.compile(r"scale\([^)]*\)|-?\d+\.\d{3,}(?![\d.]*e)")
"""Long fractions; a scale is found to be left alone: 0.085 is a size of 8.5 points, and 0.09 would be 6 % more."""
_PATH = re.compile(r' d="([^"]*)"')
_ID = re.compile(r'( id=")([^"]*)(")')
_REFERENCE = re.compile(r'((?:href="|url\()#)([^")]*)([")])')
_USED = re.compile(r'href="#([^"]*)"|url\(#([^)]*)\)')
_USE_AT = re.compile(r' transform="translate\(([^ )]*) 0\)"')
_BARE_GROUP = re.compile(r"<g>\n(<path [^<>]*/>\n)</g>\n")
_SAFE = "/:;,.=()!*+-_~?@$[]"
_ENCODED = {ord(sign): urllib.parse.quote(sign, safe=_SAFE) for sign in map(chr, range(128))}
"""What ASCII becomes in a `data:` address; quoting a picture byte by byte takes several times as long."""
_GLYPH = "scale(0.015625)"
"""Matplotlib draws glyphs in 64ths of a hundredth of the size."""
_UNITS = 6.4
"""A thousandth of the size, the unit that the faces were designed in: whole numbers lose nothing."""
_SEGMENT = re.compile(r"([A-Za-z])([^A-Za-z]*)")


def to_svg(figure: Figure, *, as_text: bool) -> str:
    """Return a figure as one SVG element: texts as text in the packaged face, or as paths that need no font.

    The same figure gives the same bytes in every process: no date, no creator, ids from a fixed salt. Coordinates are
    rounded to 0.01 point, and ids that nothing refers to are left out.
    """
    buffer = io.StringIO()
    with style.settings(svg__fonttype="none" if as_text else "path"):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, facecolor="none")
    source = buffer.getvalue()
    source = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", source[source.index("<svg") :], flags=re.DOTALL)
    used = {name for pair in _USED.findall(source) for name in pair if name}
    short: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        name = match[2]
        return f"{match[1]}{short.setdefault(name, f'i{len(short)}')}{match[3]}" if name in used else ""

    def slim(match: re.Match[str]) -> str:
        tag = _REFERENCE.sub(rename, _ID.sub(rename, match[0]))
        if _GLYPH in tag:
            tag = _PATH.sub(lambda found: f' d="{_glyph(found[1])}"', tag)
            return tag.replace(_GLYPH, f"scale({_UNITS / 64:g})")
        tag = _PATH.sub(lambda found: f' d="{_path(found[1], 2)}"', tag)
        tag = _FRACTION.sub(lambda found: found[0] if found[0].startswith("scale") else _short(found[0], 2), tag)
        return _USE_AT.sub(r' x="\1"', tag) if tag.startswith("<use") else tag

    source = _BARE_GROUP.sub(r"\1", re.sub(r">\s*\n\s*<", ">\n<", _TAG.sub(slim, source)))
    return source.strip() + "\n"


def data_uri(svg: str) -> str:
    """Return an SVG as a `data:` address, percent-encoded: shorter than base64, and safe in a quoted attribute."""
    written = svg.replace("\n", "").translate(_ENCODED)
    return "data:image/svg+xml," + (written if written.isascii() else urllib.parse.quote(written, safe="%" + _SAFE))


def _short(number: str, places: int) -> str:
    text = f"{float(number):.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


@functools.lru_cache(maxsize=1024)  # the glyphs of every figure are the same few
def _glyph(data: str) -> str:
    """Write a glyph's outline in whole thousandths of its size, each place by its distance from the one before.

    Distances within a letter are short numbers; outlines are half of a picture.
    """
    written = []
    here = start = (0, 0)
    for command, numbers in _SEGMENT.findall(data):
        values = [round(float(number) / _UNITS) for number in numbers.split()]
        places = list(zip(values[::2], values[1::2], strict=True))
        steps = [(x - here[0], y - here[1]) for x, y in places]
        if command == "M":
            written.append(f"M{_joined(values)}")
            start = places[0]
        elif command == "L" and 0 in steps[0]:
            written.append(f"h{steps[0][0]}" if steps[0][1] == 0 else f"v{steps[0][1]}")
        else:
            written.append(command.lower() + _joined([length for step in steps for length in step]))
        here = places[-1] if places else start
    return "".join(written)


def _joined(numbers: list[int]) -> str:
    """Join whole numbers; a minus sign sets two apart as well as a comma."""
    return ",".join(map(str, numbers)).replace(",-", "-")


def _path(data: str, places: int) -> str:
    """Round a path's coordinates; horizontal and vertical lines get the commands that need one coordinate."""
    written = []
    x = y = start_x = start_y = ""
    for command, numbers in _SEGMENT.findall(data):
        values = [_short(number, places) for number in numbers.split()]
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
