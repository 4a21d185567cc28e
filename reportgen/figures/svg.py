"""Figures as small, reproducible SVG."""

from __future__ import annotations

import io
import re
import urllib.parse
from typing import TYPE_CHECKING

from reportgen.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TAG = re.compile(r"<[A-Za-z][^<>]*>")
_FRACTION = re.compile(r"-?\d+\.\d{3,}(?![\d.]*e)")
_PATH = re.compile(r' d="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
_USED = re.compile(r'href="#([^"]*)"|url\(#([^)]*)\)')
_UNENCODED = "/:;,.=()!*'+-_~?@$[]"
_HUNDREDTHS = 2


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

    def slim(match: re.Match[str]) -> str:
        tag = _ID.sub(lambda found: found[0] if found[1] in used else "", match[0])
        glyph = "scale(0.015625)" in tag
        tag = (
            _FRACTION.sub(lambda found: _short(found[0], 0 if glyph and found[0] != "0.015625" else _HUNDREDTHS), tag)
            if not glyph
            else tag
        )
        return _PATH.sub(lambda found: f' d="{_path(found[1], 0 if glyph else _HUNDREDTHS)}"', tag)

    return re.sub(r">\s*\n\s*<", ">\n<", _TAG.sub(slim, source)).strip() + "\n"


def data_uri(svg: str) -> str:
    """Return an SVG as a `data:` address, percent-encoded: shorter than base64, and safe in a quoted attribute."""
    return "data:image/svg+xml," + urllib.parse.quote(svg.replace("\n", ""), safe=_UNENCODED.replace("'", ""))


def _short(number: str, places: int) -> str:
    text = f"{float(number):.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _path(data: str, places: int) -> str:
    rounded = re.sub(r"-?\d+\.\d+", lambda found: _short(found[0], places), data)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", rounded.strip()).replace("\n", ",").replace(" ", ",")
