"""The templates and style sheets of a report, and how they become one page."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any, Literal

import jinja2
from markupsafe import Markup

from reportgen._resources import resource
from reportgen.bounds import LONGEST_TEXT
from reportgen.render.columns import widths
from reportgen.render.context import Report
from reportgen.render.fonts import with_fonts
from reportgen.render.pictures import Medium
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
        page=page,
        plain=catalog()["plain"],
        generator=page.made_by,
        result_json=Markup(result_json),  # noqa: S704 -- escaped by its caller
    )


def render_template(name: str, medium: Medium, fonts: Literal["inline", "packaged"], **filling: Any) -> str:
    """Fill one template with a medium (`medium`), its style sheets (`sheets`) and the words of labels (`label`)."""
    sheets = [Sheet(_css(sheet, fonts), media) for sheet, media in SHEETS[medium]]
    page = environment().get_template(name).render(sheets=sheets, medium=medium, label=catalog()["label"], **filling)
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", page)


@functools.cache
def environment() -> jinja2.Environment:
    """The templates: everything put into a page is escaped, and what is missing is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_bounded,
    )
    add_filters(environment)
    environment.filters |= {"shortened": shortened, "column_widths": widths, "running_title": running_title}
    return environment


def _bounded(value: Any) -> Any:
    """Bound every text that is put into a page; what we made ourselves is as long as it is."""
    ours = isinstance(value, Markup) or not isinstance(value, str) or value.startswith("data:image/svg+xml,")
    return value if ours else shortened(value, LONGEST_TEXT)


@functools.cache
def _css(name: str, fonts: Literal["inline", "packaged"]) -> Markup:
    css = resource("assets", "css", f"{name}.css").read_text(encoding="utf-8")
    return Markup(with_fonts(css, fonts))  # noqa: S704 -- packaged with the program
