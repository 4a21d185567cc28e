"""The plain summary: one page, without formulas, for who answers for data protection."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from unicodedata import east_asian_width

from reportgen.model import InputFile, Level, Result, digest
from reportgen.render import plain_words
from reportgen.render.context import report_date, short
from reportgen.render.data_card import stated
from reportgen.render.drawn import Look
from reportgen.render.first_page import LONGEST_NAME, verdict_word
from reportgen.render.made_by import look_words, made_by
from reportgen.render.pictures import Medium
from reportgen.render.provenance import signed_off
from reportgen.render.rendered import RenderedBy
from reportgen.render.scores import holdout_kind
from reportgen.render.view import Cell, Head, Row
from reportgen.rounding import count
from reportgen.stated import LONGEST_LINE
from reportgen.subject import in_its_words
from reportgen.words import sentence

LONGEST_TITLE = 180
LONGEST_STATEMENT = 140
"""Characters of a title and of what the user states of the release; the full report has the whole."""
LONGEST_LOOK = 200
"""Characters that name what of the look is the user's own."""
STEPS = ("", "dense", "tight", "cut")
"""From the usual sizes on paper to the smallest; in the last one the user's texts are cut as well."""
CUT = 60
"""Letters that the last step leaves of a text; only very wide ones, in great number, ever need it."""
LONGEST_BESIDE = 80
"""Letters of an entry that has room beside another table."""
_ROOMY, _DENSE = 29.0, 50.0
"""Lines that the page holds in its usual sizes, and in the second ones."""


@dataclass(frozen=True)
class Point:
    """A side head and the sentences beside it: a list where there is more than one."""

    anchor: str
    side: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """A table of two columns with its heading."""

    anchor: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class SummaryPage:
    """Everything on the page."""

    language: str
    title: str
    document_title: str
    description: str
    created: str
    date: str
    digest: str
    short_digest: str
    made_by: str
    look: Look
    level: Level
    symbol: str
    word: str
    headline: str
    gate: str
    compared_heads: tuple[Head, ...]
    compared: tuple[Row, ...]
    points: tuple[Point, ...]
    facts: tuple[Facts, ...]
    """About the release, the sign-off, and where the full report is."""
    stacked: bool
    """Whether the first two say too much to stand side by side."""
    step: str
    """How much smaller than usual it is set on paper, so that it stays one page."""

    @property
    def size(self) -> str:
        """The step as style sheets know it."""
        return "tight" if self.step == "cut" else self.step


@in_its_words
def summary_page(result: Result, rendering: RenderedBy, medium: Medium, step: str | None = None) -> SummaryPage:
    """Build the page. Without a `step` it takes the one that the length of its texts asks for."""
    checksum = digest(result)
    cut = step == "cut"
    title = shortened(result.title, CUT if cut else LONGEST_TITLE)
    headline = plain_words.headline(result)
    points = tuple(
        Point(name, sentence(f"plain.{name}"), texts)
        for name, texts in (
            ("found", plain_words.found(result)),
            ("noticed", (plain_words.noticed(result),)),
            ("cannot", plain_words.limits(result)),
            ("next", plain_words.next_steps(result)),
        )
    )
    compared = _compared(result, CUT // 3 if cut else LONGEST_NAME)
    facts = (
        _stated(result, CUT if cut else LONGEST_STATEMENT),
        _sign_off(result, CUT if cut else 2 * LONGEST_LINE),
        _origin(checksum, medium, rendering),
    )
    stacked = any(_width(cell.text) > LONGEST_BESIDE for one in facts[:2] for row in one.rows for cell in row[1:])
    return SummaryPage(
        language=result.settings.lang,
        title=title,
        document_title=sentence("plain.title", title=title),
        description=sentence("document.description", word=verdict_word(result), headline=headline),
        created=result.created,
        date=report_date(result.created),
        digest=checksum,
        short_digest=short(checksum),
        made_by=made_by(rendering).line(checksum),
        look=rendering.look,
        level=result.verdict.level,
        symbol=sentence(f"verdict.symbol.{result.verdict.level}"),
        word=verdict_word(result),
        headline=headline,
        gate=plain_words.gate(result),
        compared_heads=(
            Head(sentence("plain.table")),
            Head(sentence("plain.file")),
            Head(sentence("plain.rows"), numeric=True),
        ),
        compared=compared,
        points=points,
        facts=facts,
        stacked=stacked,
        step=estimated_step(title, compared, points, facts, stacked=stacked) if step is None else step,
    )


def shortened(text: str, most: int) -> str:
    """Keep a text on the page, cut where it is wider than so many letters; the full report has the whole of it."""
    flat = " ".join(text.split())
    if _width(flat) <= most:
        return flat
    widths = itertools.accumulate(map(_width, flat))
    return f"{flat[: sum(width < most for width in widths)].rstrip()}…"


def _width(text: str) -> int:
    """Width of a text in letters; Chinese and other wide signs count twice, as they are set."""
    return len(text) + sum(east_asian_width(sign) in "WF" for sign in text if not sign.isascii())


def estimated_step(
    title: str, compared: tuple[Row, ...], points: tuple[Point, ...], facts: tuple[Facts, ...], *, stacked: bool
) -> str:
    """Estimate from the length of the texts how small they must be set; the PDF is measured besides."""

    def wrapped(text: str, letters: int) -> int:
        return max(1, -(-_width(text) // letters))

    lines = 2 * wrapped(title, 52) + sum(wrapped(text, 92) + 0.2 for point in points for text in point.texts)
    tables = [sum(wrapped(row[1].text, 72 if stacked else 36) + 0.4 for row in one.rows) for one in facts[:2]]
    lines += sum(tables) if stacked else max(tables)
    lines += sum(1.6 * (wrapped(name.text, 20) - 1) + bool(rows.under) for _, name, rows in compared)
    return STEPS[(lines > _ROOMY) + (lines > _DENSE)]


def _compared(result: Result, longest: int) -> tuple[Row, ...]:
    inputs = result.inputs
    rows = [_file("original", inputs.original, longest), _file("synthetic", inputs.synthetic, longest)]
    kind = holdout_kind(result)
    if inputs.holdout is not None:
        rows.append(_file("holdout", inputs.holdout, longest))
    elif kind == "approximate":
        halves = Cell(count(result.holdout.rows), style="num")
        rows.append((Cell(sentence("plain.approximate")), Cell("–"), halves))
    else:
        rows.append((Cell(sentence("plain.none")), Cell(sentence("plain.not_given")), Cell("–", style="num")))
    return tuple(rows)


def _file(side: str, file: InputFile, longest: int) -> Row:
    persons = "" if file.persons is None else sentence("plain.persons", persons=file.persons)
    return (
        Cell(sentence(f"plain.{side}")),
        Cell(shortened(file.name, longest)),
        Cell(count(file.rows), style="num", under=persons),
    )


def _stated(result: Result, longest: int) -> Facts:
    said = stated(result.settings)
    rows = tuple(
        _fact(sentence(f"label.{name}"), shortened(said[name], longest))
        for name in ("generator", "release_model", "recipients")
    )
    return Facts("stated", sentence("plain.stated"), rows)


def _fact(item: str, text: str) -> Row:
    return Cell(item), Cell(text) if text else Cell(sentence("sign_off.not_supplied"), tone="none")


def _sign_off(result: Result, longest: int) -> Facts:
    rows = tuple((Cell(item), Cell(shortened(text, longest), tone=tone)) for item, text, tone in signed_off(result))
    return Facts("sign-off", sentence("plain.sign_off"), rows)


def _origin(checksum: str, medium: Medium, rendering: RenderedBy) -> Facts:
    where = sentence(f"plain.full_{medium}", short=short(checksum))
    look = shortened(look_words(rendering), LONGEST_LOOK)
    rows = (
        (Cell(sentence("plain.full")), Cell(where)),
        (Cell(sentence("plain.checksum")), Cell(checksum, style="hash")),
        *([(Cell(sentence("provenance.look")), Cell(look))] if look else []),
    )
    return Facts("report", sentence("plain.report"), rows)
