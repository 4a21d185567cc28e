"""PDF/A-3a and PDF/UA-1 in one file, with the result attached, typeset by WeasyPrint from the templates of the HTML."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from reportgen.errors import EnvironmentLacking, ReportgenError
from reportgen.model import Result, to_json
from reportgen.render.context import build_report
from reportgen.render.fonts import SCHEME, font
from reportgen.render.page import render_page
from reportgen.render.rendered import RenderedBy

ATTACHMENT = "result.json"
PANGO = "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PDFUAID = "http://www.aiim.org/pdfua/ns/id/"
EXTENSION = "http://www.aiim.org/pdfa/ns/extension/"
SCHEMA = "http://www.aiim.org/pdfa/ns/schema#"
PROPERTY = "http://www.aiim.org/pdfa/ns/property#"


def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the report as PDF; raise EnvironmentLacking where Pango is missing."""
    try:
        import weasyprint  # noqa: PLC0415 -- heavy, and absent where Pango is
    except OSError:
        msg = f"PDF needs Pango, which this machine lacks: {PANGO}"
        raise EnvironmentLacking(msg) from None
    page = render_page(build_report(result, rendering, "paper"), "packaged")
    content = to_json(result).encode()
    created = datetime.fromisoformat(result.created)
    options = {
        "pdf_variant": "pdf/a-3a",
        "pdf_identifier": hashlib.sha256(content).digest()[:16],
        "attachments": [
            weasyprint.Attachment(
                string=content,
                name=ATTACHMENT,
                description="Result of the assessment",
                created=created,
                modified=created,
                relationship="Data",
                url_fetcher=_fetcher(),
            )
        ],
    }
    with _failing_on_errors():
        document = weasyprint.HTML(string=page, base_url=SCHEME, url_fetcher=_fetcher()).render(**options)
        _declare_ua(document.metadata)
        pdf: bytes = document.write_pdf(**options)
    return pdf


def _fetcher() -> Any:
    """Return a fetcher of data: addresses and packaged fonts; everything else ends the export.

    A page made from other people's names must never make this program read a file or call a server.
    """
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse  # noqa: PLC0415

    class PackagedOnly(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
            if url.startswith("data:"):
                return super().fetch(url, headers)
            if url.startswith(SCHEME):
                return URLFetcherResponse(url, font(url.removeprefix(SCHEME)), {"Content-Type": "font/woff2"})
            msg = "an address outside the package was asked for"
            raise FatalURLFetchingError(msg)

    return PackagedOnly()


@contextlib.contextmanager
def _failing_on_errors() -> Iterator[None]:
    """Turn what WeasyPrint only logs as an error into a failed export."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = records.append  # type: ignore[method-assign]
    logger = logging.getLogger("weasyprint")
    logger.addHandler(handler)
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "FatalURLFetchingError":
            raise
        msg = f"PDF export failed: {error}"
        raise ReportgenError(msg) from None
    finally:
        logger.removeHandler(handler)
    if records:
        msg = f"PDF export failed: {records[0].getMessage()}"
        raise ReportgenError(msg)


def _declare_ua(metadata: Any) -> None:
    """Say in the metadata that the file is PDF/UA-1 as well.

    WeasyPrint takes one variant. PDF/A forbids properties that it does not know unless an extension schema in the
    file declares them (ISO 19005-3, 6.6.2.3.1).
    """
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
        return tostring(rdf, encoding="utf-8")

    metadata.generate_rdf_metadata = with_ua


def _describe(rdf: Element) -> Element:
    return SubElement(rdf, f"{{{RDF}}}Description", {f"{{{RDF}}}about": ""})


def _item(parent: Element, container: str) -> Element:
    items = SubElement(parent, f"{{{RDF}}}{container}")
    return SubElement(items, f"{{{RDF}}}li", {f"{{{RDF}}}parseType": "Resource"})
