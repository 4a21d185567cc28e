"""The templates and style sheets of a report, and how they become one page."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment as SandboxedEnvironment
from markupsafe import Markup

from reportgen._resources import resource
from reportgen.bounds import LONGEST_TEXT
from reportgen.render.columns import widths
from reportgen.render.context import Report
from reportgen.render.drawn import PLAIN, Look
from reportgen.render.fonts import with_fonts
from reportgen.render.long_words import with_breaks
from reportgen.render.own_page import check_page
from reportgen.render.own_templates import ENDING, filled
from reportgen.render.pictures import Medium
from reportgen.render.plain_values import with_values
from reportgen.render.running_title import running_title
from reportgen.render.summary_page import SummaryPage
from reportgen.render.view import shortened
from reportgen.shown import NOT_SHOWN
from reportgen.words import add_filters, catalog

SHEETS: dict[Medium, tuple[tuple[str, str], ...]] = {
    "screen": (
        ("variables", ""),
        ("base", ""),
        ("components", ""),
        ("screen", "screen"),
        ("print", "print"),
    ),
    "paper": (("variables", ""), ("base", ""), ("components", ""), ("print", ""), ("running", "")),
}
"""Style sheets of each medium with the media they are for; `screen` holds what WeasyPrint does not know."""
PACKAGED = "packaged"
"""Before the name of a template: the packaged one, whatever stands in its place."""
_CONTROL = re.compile(f"[{NOT_SHOWN}]")


@dataclass(frozen=True)
class Sheet:
    """One style sheet."""

    css: Markup
    media: str


def render_page(report: Report, fonts: Literal["inline", "packaged"], result_json: str = "") -> str:
    """Lay out the report as one HTML page.

    Characters that no document may hold, or that turn the words after them round, are shown as a replacement sign.
    """
    return render_template(
        f"{report.medium}.html",
        report.medium,
        fonts,
        report.look,
        _kept(report.first.word, report.first.symbol, report.digest),
        report=report,
        generator=report.made_by,
        result_json=Markup(result_json),  # noqa: S704 -- escaped by its caller
    )


def render_summary(page: SummaryPage, medium: Medium, result_json: str = "") -> str:
    """Lay out the plain summary as one HTML page, as `render_page` does the report."""
    return render_template(
        "summary.html",
        medium,
        "inline" if medium == "screen" else "packaged",
        page.look,
        _kept(page.word, page.symbol, page.digest),
        page=page,
        plain=catalog()["plain"],
        generator=page.made_by,
        result_json=Markup(result_json),  # noqa: S704 -- escaped by its caller
    )


def render_template(
    name: str,
    medium: Medium,
    fonts: Literal["inline", "packaged"],
    look: Look = PLAIN,
    kept: Sequence[str] = (),
    **filling: Any,
) -> str:
    """Fill one template with a medium (`medium`), its style sheets (`sheets`) and the words of labels (`label`).

    Where templates are the user's own, what they lack or may not hold is an InputError; `kept` are the texts that the
    page must show.
    """
    sheets = _sheets(medium, fonts, look)
    words = catalog()["label"]
    logo = None if look.logo is None else LogoView(Markup(look.logo.uri), look.logo.alternative)  # noqa: S704 -- base64

    def fill() -> str:
        template = environment(look).get_template(name)
        return template.render(sheets=sheets, medium=medium, label=words, logo=logo, **filling)

    if not look.templates:
        return _shown(fill())
    page = _shown(filled(fill, tuple(own for own, _ in look.templates)))
    check_page(page, kept)
    return page


@dataclass(frozen=True)
class LogoView:
    """The logo as a page holds it."""

    uri: Markup
    alternative: str


def _kept(word: str, symbol: str, digest: str) -> tuple[str, ...]:
    """What a page must show whatever its templates: the verdict, and the checksum that `reportgen verify` looks for."""
    return f"{symbol}{word}", digest


def _shown(page: str) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", page)


@functools.lru_cache(maxsize=4)
def _sheets(medium: Medium, fonts: Literal["inline", "packaged"], look: Look) -> tuple[Sheet, ...]:
    """List the style sheets in order, those of paper with plain values unless templates of the user's set values."""
    listed = tuple(_listed(medium, fonts, look))
    if medium == "screen" or look.templates:
        return listed
    plain = with_values([sheet.css for sheet in listed])
    return tuple(Sheet(Markup(css), sheet.media) for css, sheet in zip(plain, listed, strict=True))  # noqa: S704 -- ours


def _listed(medium: Medium, fonts: Literal["inline", "packaged"], look: Look) -> Iterator[Sheet]:
    """List the style sheets in order; own colours come right after the packaged ones of the same scheme."""
    for sheet, media in SHEETS[medium]:
        yield Sheet(_css(sheet, fonts), media)
        if sheet == "variables" and look.light:
            yield Sheet(_properties(look.light), "")
        if sheet == "screen" and look.dark:
            dark = f"@media (prefers-color-scheme: dark) {{\n{_properties(look.dark)}}}\n"
            yield Sheet(Markup(dark), "screen")  # noqa: S704 -- colours that were checked


def _properties(colours: tuple[tuple[str, str], ...]) -> Markup:
    lines = " ".join(f"--{name}: {value};" for name, value in colours)
    return Markup(f":root {{ {lines} }}\n")  # noqa: S704 -- colours that were checked


@functools.lru_cache(maxsize=4)
def environment(look: Look = PLAIN) -> jinja2.Environment:
    """The templates: everything put into a page is escaped, and what is missing is an error."""
    own = dict(look.templates)
    packaged: jinja2.BaseLoader = jinja2.FileSystemLoader(resource("templates"))
    owned = jinja2.FunctionLoader(lambda name: _source(own, name))
    environment = (SandboxedEnvironment if own else jinja2.Environment)(
        loader=jinja2.ChoiceLoader([owned, packaged, jinja2.PrefixLoader({PACKAGED: packaged})]) if own else packaged,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_bounded,
    )
    add_filters(environment)
    environment.filters |= {"shortened": shortened, "with_breaks": with_breaks}
    environment.filters |= {"column_widths": widths, "running_title": running_title}
    return environment


def _source(own: Mapping[str, str], name: str) -> tuple[str, str, Callable[[], bool]] | None:
    """Give the source of the user's own template, with its name as that of its file, which tracebacks then show."""
    return (own[name], name, lambda: True) if name in own else None


def packaged_templates() -> tuple[str, ...]:
    """Return the names of all packaged templates."""
    names = jinja2.FileSystemLoader(resource("templates")).list_templates()
    return tuple(name for name in names if name.endswith(ENDING))


def _bounded(value: Any) -> Any:
    """Bound every text that is put into a page; what we made ourselves is as long as it is."""
    ours = isinstance(value, Markup) or not isinstance(value, str) or value.startswith("data:image/svg+xml,")
    return value if ours else shortened(value, LONGEST_TEXT)


@functools.cache
def _css(name: str, fonts: Literal["inline", "packaged"]) -> Markup:
    css = resource("assets", "css", f"{name}.css").read_text(encoding="utf-8")
    return Markup(with_fonts(css, fonts))  # noqa: S704 -- packaged with the program
