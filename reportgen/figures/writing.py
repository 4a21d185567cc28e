"""Lines of text in SVG: as text in the packaged face, or as outlines of its letters, which need no font.

Matplotlib can write both, but lays out each line anew for every file and gives an outline no unit of its own; letters
are most of a picture and of the time that saving it takes.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from reportgen.figures import style
from reportgen.figures.labels import extent, space

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_UNITS = 10
"""A face is loaded at 100 units to its size; in thousandths, which it was designed in, whole numbers lose nothing."""
_BEFORE = {"left": 0.0, "center": 0.5, "right": 1.0}
"""The part of a line's width that lies before its place."""
_MOVE, _LINE, _QUADRATIC, _CUBIC = 1, 2, 3, 4
"""Codes of matplotlib's Path; every other one closes an outline."""


def as_text(lines: Iterable[Any], height: float) -> str:
    """Return matplotlib's texts as <text> elements on a sheet of that height in points, y downwards.

    All begin at their left: WeasyPrint makes a drawing of its own for each text that is anchored elsewhere.
    """
    written = []
    for line in lines:
        x, y = line.get_position()
        place, turned = f"{rounded(x)} {rounded(height - y)}", line.get_rotation()
        words, bold, size = line.get_text(), _bold(line), line.get_fontsize()
        start = x - _BEFORE[line.get_ha()] * extent(words, size, bold=bold)
        written.append(
            f'<text x="{rounded(start)}" y="{rounded(height - y)}"'
            + (f' transform="rotate({-turned:g} {place})"' if turned else "")
            + f' fill="{line.get_color()}" font-family="{style.FAMILY}" font-size="{size:g}"'
            + (' font-weight="600"' if bold else "")
            + f">{escape(words)}</text>\n"
        )
    return "".join(written)


def as_outlines(lines: Sequence[Any], height: float) -> str:
    """Return matplotlib's texts as groups of outlines, each letter's written once; see `as_text`."""
    names: dict[str, str] = {}
    groups = []
    for line in lines:
        words, bold, size = line.get_text(), _bold(line), line.get_fontsize()
        x, y = line.get_position()
        shift = _BEFORE[line.get_ha()] * extent(words, 1000, bold=bold)
        letters = "".join(
            f'<use href="#{names.setdefault(drawn, f"g{len(names)}")}" x="{round(at - shift)}"/>'
            for drawn, at in _laid_out(words, bold=bold)
        )
        turn = f" rotate({-line.get_rotation():g})" if line.get_rotation() else ""
        scale = f"{size / 1000:g}"
        groups.append(
            f'<g fill="{line.get_color()}" transform="translate({rounded(x)} {rounded(height - y)}){turn}'
            f' scale({scale} -{scale})">{letters}</g>\n'
        )
    outlines = "".join(f'<path id="{name}" d="{drawn}"/>\n' for drawn, name in names.items())
    return f"<defs>\n{outlines}</defs>\n{''.join(groups)}" if groups else ""


def rounded(number: float, places: int = 2) -> str:
    """Write a number with at most so many decimals, and no more of them than it needs."""
    text = f"{number:.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _bold(line: Any) -> bool:
    return bool(line.get_fontproperties().get_weight() == 600)


def _laid_out(line: str, *, bold: bool) -> Iterator[tuple[str, float]]:
    """Yield the outline and the place, in thousandths, of every letter of a line that leaves a mark."""
    start = 0.0
    for word in line.split(" "):
        yield from ((drawn, start + at) for drawn, at in _word(word, bold=bold))
        start += 1000 * space(bold=bold) + extent(word, 1000, bold=bold)


@functools.lru_cache(maxsize=4096)
def _word(word: str, *, bold: bool) -> tuple[tuple[str, float], ...]:
    known = _known(bold=bold)
    letters, new, _ = style.toolbox().text_to_path.get_glyphs_with_font(
        style.font(bold=bold), word, glyph_map=known, return_new_glyphs_only=True
    )
    known.update({name: outline(vertices.tolist(), codes.tolist()) for name, (vertices, codes) in new.items()})
    return tuple((known[name], at * _UNITS) for name, at, _, _ in letters if known[name])


@functools.cache
def _known(*, bold: bool) -> dict[str, str]:  # noqa: ARG001 -- one a face
    """The outlines of the letters of a face that were needed so far, by matplotlib's name for them."""
    return {}


def outline(vertices: list[list[float]], codes: list[int]) -> str:
    """Write a letter's outline in whole thousandths of its size, each place by its distance from the one before.

    `vertices` and `codes` are those of matplotlib's Path, at 100 units to the size. Distances within a letter are short
    numbers; outlines are half of a picture.
    """
    written = []
    places = iter([(round(x * _UNITS), round(y * _UNITS)) for x, y in vertices])
    here = start = (0, 0)
    coded = iter(codes)
    for code in coded:
        place = next(places)
        if code == _MOVE:
            written.append("M" + _joined(place))
            here = start = place
        elif code == _LINE:
            step = (place[0] - here[0], place[1] - here[1])
            written.append(f"h{step[0]}" if step[1] == 0 else f"v{step[1]}" if step[0] == 0 else "l" + _joined(step))
            here = place
        elif code in {_QUADRATIC, _CUBIC}:
            more = [next(places) for _ in range(code - 2)]
            written.append(
                ("q" if code == _QUADRATIC else "c")
                + _joined([length for x, y in (place, *more) for length in (x - here[0], y - here[1])])
            )
            here = more[-1]
            for _ in more:
                next(coded)
        else:
            written.append("z")
            here = start
    return "".join(written)


def _joined(numbers: Sequence[int]) -> str:
    """Join whole numbers; a minus sign sets two apart as well as a comma."""
    return ",".join(map(str, numbers)).replace(",-", "-")
