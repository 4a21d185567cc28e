"""PDF/A-3a and PDF/UA-1 in one file, with the result attached, typeset by WeasyPrint from the templates of the HTML."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import io
import logging
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote_to_bytes
from xml.etree.ElementTree import Element, SubElement, fromstring, register_namespace, tostring

from reportgen.errors import EnvironmentLacking, ReportgenError
from reportgen.figures import style
from reportgen.model import Result, to_json
from reportgen.native import install_native, libraries_by_the_loader_alone
from reportgen.render.context import build_report
from reportgen.render.fonts import SCHEME, font
from reportgen.render.page import render_page
from reportgen.render.quicker import quicker
from reportgen.render.rendered import RenderedBy
from reportgen.render.written import written_once

ATTACHMENT = "result.json"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
FONT = re.compile(re.escape(SCHEME) + r"[A-Za-z-]+\.ttf")
PICTURE = re.compile(r'src="data:image/svg\+xml,([^"&]*)"')
MISSING = "\N{WHITE SQUARE}"
"""Stands for a character that no font on the machine has."""
PDFUAID = "http://www.aiim.org/pdfua/ns/id/"
EXTENSION = "http://www.aiim.org/pdfa/ns/extension/"
SCHEMA = "http://www.aiim.org/pdfa/ns/schema#"
PROPERTY = "http://www.aiim.org/pdfa/ns/property#"


def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the report as PDF; raise EnvironmentLacking where Pango is missing."""
    attached = Attached(ATTACHMENT, to_json(result).encode(), result.created)
    return typeset(lambda: _page(result, rendering), attached)


def _page(result: Result, rendering: RenderedBy) -> str:
    with style.settings():  # once for all figures and all widths of columns
        return render_page(build_report(result, rendering, "paper"), "packaged")


@dataclass(frozen=True)
class Attached:
    """The JSON that a PDF is made from and carries: name, content, and when it was created (UTC, as in a result)."""

    name: str
    content: bytes
    created: str


def typeset(make_page: Callable[[], str], attached: Attached) -> bytes:
    """Write a page as PDF; raise EnvironmentLacking where Pango is missing, before the page is made."""
    _weasyprint()
    return _set_in_known_letters(make_page(), attached).content


def typeset_on_one_page(page: str, attached: Attached) -> bytes | None:
    """Write a page as PDF that is one page on paper, or return None where it takes more."""
    made = _set_in_known_letters(page, attached)
    return made.content if made.pages == 1 else None


@dataclass(frozen=True)
class _Typeset:
    content: bytes
    pages: int
    missing: frozenset[str]
    """Characters that no font has."""


def _set_in_known_letters(page: str, attached: Attached) -> _Typeset:
    made = _typeset(page, attached)
    if made.missing:
        # No font on this machine has these characters, and PDF/A has no room for glyphs that are not there.
        return _typeset(page.translate(dict.fromkeys(map(ord, made.missing), MISSING)), attached)
    return made


def _weasyprint() -> Any:
    """Load WeasyPrint, which is heavy and needs native libraries."""
    # It prints a banner where a library is missing, and warns where the machine has no fonts: we bring ours.
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Ff]ont", category=UserWarning)
        with contextlib.suppress(OSError), libraries_by_the_loader_alone():
            return importlib.import_module("weasyprint")
        try:
            return importlib.import_module("weasyprint")
        except OSError:
            msg = f"PDF needs Pango, which this machine lacks; install it: {install_native()}"
            raise EnvironmentLacking(msg) from None


_ONE_AT_A_TIME = threading.Lock()
"""Pango's fonts are shared by all documents of a process, and it is not made for two threads."""


@functools.cache
def _fonts() -> Any:
    """Load the machine's fonts once: WeasyPrint gives none of the memory back that each further time takes."""
    return _weasyprint().text.fonts.FontConfiguration()


def _typeset(page: str, attached: Attached) -> _Typeset:
    weasyprint = _weasyprint()
    content = attached.content
    created = datetime.fromisoformat(attached.created)
    attachment = weasyprint.Attachment(
        string=content,
        name=attached.name,
        description="Result of the assessment",
        created=created,
        modified=created,
        relationship="Data",
        url_fetcher=fetcher(),
    )
    options = {
        "pdf_variant": "pdf/a-3a",
        "pdf_identifier": hashlib.sha256(content).digest()[:16],
        "attachments": [attachment],
    }
    page, pictures = pictures_apart(page)
    with _ONE_AT_A_TIME, quicker(page), failing_on_errors() as watch, warnings.catch_warnings():
        # WeasyPrint 70 leaves closing the colour profile that PDF/A asks for to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        html = weasyprint.HTML(string=page, base_url=SCHEME, url_fetcher=fetcher(pictures))
        document = html.render(font_config=_fonts(), **options)
        _declare_ua(document.metadata)
        pdf: bytes = document.write_pdf(finisher=_finish, **options)
    return _Typeset(pdf, len(document.pages), frozenset(watch.missing))


def _finish(_: Any, pdf: Any) -> None:
    """Drop the second reference to each associated file that WeasyPrint 70 writes, and write down every object once."""
    pdf.catalog["AF"][:] = dict.fromkeys(pdf.catalog["AF"])
    written_once(pdf)


def pictures_apart(page: str) -> tuple[str, dict[str, bytes]]:
    """Give each drawing of a page a short address, and return the drawings by it.

    Letter by letter, the parser of HTML would read addresses that are most of the page.
    """
    drawings: dict[str, bytes] = {}

    def short(found: re.Match[str]) -> str:
        address = f"{SCHEME}picture-{len(drawings) + 1}.svg"
        drawings[address] = unquote_to_bytes(found[1])
        return f'src="{address}"'

    return PICTURE.sub(short, page), drawings


def fetcher(pictures: Mapping[str, bytes] = MappingProxyType({})) -> Any:
    """Return a fetcher of data: addresses, packaged fonts and the drawings given; everything else ends the export.

    A page made from other people's names must never make this program read a file or call a server.
    """
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    class PackagedOnly(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
            if url.startswith("data:"):
                return super().fetch(url, headers)
            if url in pictures:
                return URLFetcherResponse(url, pictures[url], {"Content-Type": "image/svg+xml"})
            if FONT.fullmatch(url):
                return URLFetcherResponse(url, font(url.removeprefix(SCHEME)), {"Content-Type": "font/ttf"})
            msg = "an address outside the package was asked for"
            raise FatalURLFetchingError(msg)

    return PackagedOnly()


class Watch(logging.Filter):
    """Keeps the errors that WeasyPrint only logs, and the characters for which it found no font.

    What it keeps is handled here and reaches no other handler; warnings pass.
    """

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[str] = []
        self.missing: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a record is to go on to the handlers."""
        if record.levelno >= logging.ERROR:
            self.errors.append(record.getMessage())
            return False
        if str(record.msg).startswith(".notdef glyph") and isinstance(record.args, tuple):
            self.missing.add(str(record.args[0]))
            return False
        return True


@contextlib.contextmanager
def failing_on_errors() -> Iterator[Watch]:
    """Turn what WeasyPrint only logs as an error, and a forbidden address, into a failed export."""
    watch = Watch()
    logger = logging.getLogger("weasyprint")
    logger.addFilter(watch)
    try:
        yield watch
    except BaseException as error:
        if type(error).__name__ != "FatalURLFetchingError":
            raise
        msg = f"PDF export failed: {error}"
        raise ReportgenError(msg) from None
    finally:
        logger.removeFilter(watch)
    if watch.errors:
        msg = f"PDF export failed: {watch.errors[0]}"
        raise ReportgenError(msg)


def _declare_ua(metadata: Any) -> None:
    """Say in the metadata that the file is PDF/UA-1 as well.

    WeasyPrint takes one variant. PDF/A forbids properties that it does not know unless an extension schema in the
    file declares them (ISO 19005-3, 6.6.2.3.1).
    """
    for prefix, namespace in (("pdfaExtension", EXTENSION), ("pdfaSchema", SCHEMA), ("pdfaProperty", PROPERTY)):
        register_namespace(prefix, namespace)  # the standard fixes the prefixes as well
    generate = metadata.generate_rdf_metadata

    def with_ua(variant: str, version: int, conformance: str) -> bytes:
        rdf = fromstring(generate(variant, version, conformance))  # noqa: S314 -- made by WeasyPrint just now
        _describe(rdf).set(f"{{{PDFUAID}}}part", "1")
        schemas = SubElement(_describe(rdf), f"{{{EXTENSION}}}schemas")
        schema = _item(schemas, "Bag")
        SubElement(schema, f"{{{SCHEMA}}}schema").text = "PDF/UA identification schema"
        SubElement(schema, f"{{{SCHEMA}}}namespaceURI").text = PDFUAID
        SubElement(schema, f"{{{SCHEMA}}}prefix").text = "pdfuaid"
        declared = _item(SubElement(schema, f"{{{SCHEMA}}}property"), "Seq")
        for name, text in (
            ("name", "part"),
            ("valueType", "Integer"),
            ("category", "internal"),
            ("description", "Part of ISO 14289 that the file conforms to"),
        ):
            SubElement(declared, f"{{{PROPERTY}}}{name}").text = text
        xml: bytes = tostring(rdf, encoding="utf-8")
        return xml

    metadata.generate_rdf_metadata = with_ua


def _describe(rdf: Element) -> Element:
    return SubElement(rdf, f"{{{RDF}}}Description", {f"{{{RDF}}}about": ""})


def _item(parent: Element, container: str) -> Element:
    items = SubElement(parent, f"{{{RDF}}}{container}")
    return SubElement(items, f"{{{RDF}}}li", {f"{{{RDF}}}parseType": "Resource"})
