"""A page of tables below a heading and a verdict: what is no report on one assessment but speaks of several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.model import Level
from reportgen.render import Together
from reportgen.render.made_by import made_by
from reportgen.render.markdown import markdown_table, plain
from reportgen.render.page import render_template
from reportgen.render.pictures import Medium
from reportgen.render.rendered import RenderedBy
from reportgen.render.view import Table

SUFFIXES = (".html", ".pdf", ".json", ".md")


@dataclass(frozen=True)
class Section:
    """A heading, paragraphs and tables."""

    title: str
    anchor: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class TablePage:
    """Everything on the page. `digest` is the SHA-256 of `data`, the JSON that the page shows."""

    language: str
    kicker: str
    title: str
    description: str
    lede: str
    level: Level
    symbol: str
    word: str
    headline: str
    gate: str
    sections: tuple[Section, ...]
    created: str
    date: str
    data: str
    digest: str


def suffix_of(name: str) -> str:
    """Return the format of an output; InputError names the known ones."""
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix):
            return suffix
    msg = f"output {name!r}: unknown format here, use one of {' '.join(SUFFIXES)}"
    raise InputError(msg)


def render_page(page: TablePage, name: str, rendering: RenderedBy) -> bytes:
    """Write the page in the format that the suffix of a name stands for; EnvironmentLacking where Pango is missing."""
    suffix = suffix_of(name)
    if suffix == ".json":
        return page.data.encode()
    if suffix == ".md":
        return _markdown(page).encode()
    if suffix == ".html":
        return _html(page, "screen", rendering).encode()
    from reportgen.render.pdf import Attached, typeset

    attached = Attached("comparison.json", page.data.encode(), page.created)
    return typeset(lambda: _html(page, "paper", rendering), attached)


def render_pages(page: TablePage, names: Iterable[str], rendering: RenderedBy) -> Together:
    """Write the page under every name; what the machine can't make is left out."""
    made: dict[str, bytes] = {}
    lacking: EnvironmentLacking | None = None
    for name in names:
        try:
            made[name] = render_page(page, name, rendering)
        except EnvironmentLacking as error:
            lacking = error
    return Together(made, lacking)


def text(page: TablePage) -> str:
    """Write the page for a terminal."""
    lines = [f"{page.symbol} {page.word.upper()}   {page.title}", page.headline, page.gate, ""]
    for section in page.sections:
        lines += [section.title, *(f"  {paragraph}" for paragraph in section.paragraphs)]
        for table in section.tables:
            lines += _columns([tuple(head.text for head in table.heads), *([_words(row) for row in table.rows])])
        lines.append("")
    return "\n".join(lines)


def _words(row: Sequence[object]) -> tuple[str, ...]:
    return tuple(
        " ".join(part for part in (getattr(cell, "text", ""), getattr(cell, "unit", "")) if part) for cell in row
    )


def _columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    listed = list(rows)
    widths = [max(len(row[place]) for row in listed) for place in range(len(listed[0]))]
    return [
        "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in listed
    ]


def _markdown(page: TablePage) -> str:
    parts = [f"## {plain(page.symbol)} {plain(page.word)}", f"**{plain(page.title)}**", plain(page.headline)]
    parts += [plain(page.gate)] if page.gate else []
    for section in page.sections:
        parts.append(f"### {plain(section.title)}")
        parts += [plain(paragraph) for paragraph in section.paragraphs]
        parts += [markdown_table(table.heads, table.shown) for table in section.tables]
    return "\n\n".join(parts) + "\n"


def _html(page: TablePage, medium: Medium, rendering: RenderedBy) -> str:
    return render_template(
        "tables.html",
        medium,
        "inline" if medium == "screen" else "packaged",
        rendering.look,
        (f"{page.symbol}{page.word}",),
        page=page,
        generator=made_by(rendering).line(page.digest),
    )
