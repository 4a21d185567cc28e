"""Lines of text in SVG: as text in the packaged face, or as outlines of its letters, which need no font.

Letters are most of a picture and of the time that writing it takes: each is outlined once a face, each word laid out
once.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from reportgen.figures import style
from reportgen.figures.labels import extent, space

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.figures.marks import Words

_UNITS = 10
"""A face is loaded at 100 units to its size; in thousandths, which it was designed in, whole numbers lose nothing."""
_BEFORE = {"left": 0.0, "center": 0.5, "right": 1.0}
"""The part of a line's width that lies before its place."""
_MOVE, _LINE, _QUADRATIC, _CUBIC = 1, 2, 3, 4
"""Codes of matplotlib's Path; every other one closes an outline."""


def as_text(lines: Iterable[Words], height: float) -> str:
    """Return lines of text as <text> elements on a sheet of that height in points, y downwards.

    All begin at their left: WeasyPrint makes a drawing of its own for each text that is anchored elsewhere.
    """
    written = []
    for line in lines:
        start = line.x - _BEFORE[line.align] * extent(line.text, line.size, bold=line.bold)
        y = rounded(height - line.y)
        written.append(
            f'<text x="{rounded(start)}" y="{y}"'
            + (f' transform="rotate(-90 {rounded(line.x)} {y})"' if line.turned else "")
            + f' fill="{line.colour}" font-family="{style.FAMILY}" font-size="{line.size:g}"'
            + (' font-weight="600"' if line.bold else "")
            + f">{escape(line.text)}</text>\n"
        )
    return "".join(written)


def as_outlines(lines: Iterable[Words], height: float) -> str:
    """Return lines of text as groups of outlines, each letter's written once; see `as_text`."""
    names: dict[str, str] = {}
    groups = []
    for line in lines:
        shift = _BEFORE[line.align] * extent(line.text, 1000, bold=line.bold)
        letters = "".join(
            f'<use href="#{names.setdefault(drawn, f"g{len(names)}")}" x="{round(at - shift)}"/>'
            for drawn, at in _laid_out(line.text, bold=line.bold)
        )
        turn = " rotate(-90)" if line.turned else ""
        scale = f"{line.size / 1000:g}"
        groups.append(
            f'<g fill="{line.colour}" transform="translate({rounded(line.x)} {rounded(height - line.y)}){turn}'
            f' scale({scale} -{scale})">{letters}</g>\n'
        )
    outlines = "".join(f'<path id="{name}" d="{drawn}"/>\n' for drawn, name in names.items())
    return f"<defs>\n{outlines}</defs>\n{''.join(groups)}" if groups else ""


def rounded(number: float, places: int = 2) -> str:
    """Write a number with at most so many decimals, and no more of them than it needs."""
    text = f"{number:.{places}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


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
