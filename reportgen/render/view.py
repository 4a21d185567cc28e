"""What the templates lay out: words and their places, no numbers left to compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from unicodedata import bidirectional

from reportgen.words import sentence

MOST_ROWS = 200
"""Rows of one table on the page; more of them cost seconds and megabytes, and nobody reads them."""
MOST_LETTERS_WHOLE = 500
"""Letters of facts that stay on one page; more of them would leave too much of the page before empty."""
LONGEST_CELL = 2000
"""Characters of one cell or reason; longer ones come from no assessment of a usual table, and cost seconds each."""
LONGEST_WORD = 26
"""Longer words may be broken anywhere, so that no name pushes a table off the page."""

_TURNING = frozenset({"R", "AL", "AN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Classes of signs (Unicode annex 9) without which a text runs from left to right like the page."""

CellStyle = Literal["text", "num", "range", "better", "hash"]
Tone = Literal["", "high", "moderate", "low", "none"]


@dataclass(frozen=True)
class Cell:
    """One cell: its words, grey words behind them, and how it is set."""

    text: str
    unit: str = ""
    style: CellStyle = "text"
    tone: Tone = ""
    href: str = ""
    strong: bool = False
    under: str = ""
    """Grey words on a line of their own."""
    span: int = 1

    @property
    def isolated(self) -> bool:
        """Whether its words could turn the direction of what follows them: those of a name, from right to left."""
        return any(bidirectional(sign) in _TURNING for sign in f"{self.text}{self.under}" if not sign.isascii())

    @property
    def classes(self) -> str:
        """The classes of the cell, by its style, its tone and the length of its words."""
        names: list[str] = [] if self.style == "text" else [self.style]
        if self.tone:
            names += ["reading", f"reading--{self.tone}"]
        if any(len(word) > LONGEST_WORD for word in f"{self.text} {self.under}".split()):
            names.append("breakable")
        return " ".join(names)


@dataclass(frozen=True)
class Head:
    """The head of one column, with the unit of its numbers."""

    text: str
    unit: str = ""
    numeric: bool = False


Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """A table with its caption. The first cell of a row is its head."""

    label: str
    caption: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]
    caption_note: str = ""
    notes: tuple[str, ...] = ()
    layout: Literal["plain", "wide", "facts", "grid"] = "plain"
    tall: bool = False
    """Whether rows have several lines each, so that one may stand alone before or after a page break."""

    @property
    def shown(self) -> tuple[Row, ...]:
        """The rows that are laid out, whoever built the table and from whatever result."""
        return self.rows[:MOST_ROWS]

    @property
    def below(self) -> tuple[str, ...]:
        """The notes below the table, with one on rows that are left out."""
        if len(self.rows) <= MOST_ROWS:
            return self.notes
        return (*self.notes, sentence("data.shown", shown=MOST_ROWS, total=len(self.rows)))

    @property
    def whole(self) -> bool:
        """Whether the table is short enough to stay on one page."""
        letters = sum(len(cell.text) + len(cell.under) for row in self.rows for cell in row)
        return not self.tall and len(self.rows) <= 7 and (self.layout != "facts" or letters <= MOST_LETTERS_WHOLE)

    @property
    def name(self) -> str:
        """The label as other places say it, "Table 1"."""
        return self.label.rstrip(".")


@dataclass(frozen=True)
class Picture:
    """The two widths of one drawing as URIs, and what it shows in words."""

    wide: str
    narrow: str
    alternative: str


@dataclass(frozen=True)
class Figure:
    """A picture with the finding as its caption and how to look at it."""

    label: str
    caption: str
    note: str
    picture: Picture

    @property
    def name(self) -> str:
        """The label as other places say it, "figure 1"."""
        return self.label.rstrip(".").lower()


@dataclass(frozen=True)
class Note:
    """A side head and the paragraphs beside it."""

    side: str
    paragraphs: tuple[str, ...]
    kind: Literal["plain", "question", "answer", "status"] = "plain"

    @property
    def shown(self) -> tuple[str, ...]:
        """The paragraphs that are laid out, with a last one on those that are left out."""
        if len(self.paragraphs) <= MOST_ROWS:
            return self.paragraphs
        total = len(self.paragraphs)
        return (*self.paragraphs[:MOST_ROWS], sentence("data.shown_paragraphs", shown=MOST_ROWS, total=total))


@dataclass(frozen=True)
class Entry:
    """A line of the contents."""

    number: str
    title: str
    anchor: str
    children: tuple[Entry, ...] = ()


@dataclass
class Numbering:
    """Numbers tables and figures in the order in which the sections are built, which is that of the page."""

    _tables: Iterator[int] = field(default_factory=lambda: iter(range(1, 10_000)))
    _figures: Iterator[int] = field(default_factory=lambda: iter(range(1, 10_000)))

    def table(self) -> str:
        """Return the label of the next table."""
        return f"{sentence('label.table')} {next(self._tables)}."

    def figure(self) -> str:
        """Return the label of the next figure."""
        return f"{sentence('label.figure')} {next(self._figures)}."


def shortened(text: str, most: int = LONGEST_CELL) -> str:
    """Cut a text that no page has room for, and say how much of it is left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\N{HORIZONTAL ELLIPSIS} {sentence('data.cut', letters=len(text) - most)}"


def capped(rows: Sequence[Row]) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Return at most 200 rows, and where some are left out the sentence that says so."""
    if len(rows) <= MOST_ROWS:
        return tuple(rows), ()
    return tuple(rows[:MOST_ROWS]), (sentence("data.shown", shown=MOST_ROWS, total=len(rows)),)


def heads(*columns: str, numeric: Sequence[int] = ()) -> tuple[Head, ...]:
    """Name the columns of a table; `numeric` are the places of those that hold figures."""
    return tuple(Head(text, numeric=place in numeric) for place, text in enumerate(columns))
