"""Audit bundle: everything that an auditor keeps of one assessment in one ZIP file, with its checksums.

The same result and versions give the same bytes: fixed times, modes and order.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping

from reportgen.model import Result, to_json
from reportgen.render import html, pdf, summary_html, summary_pdf
from reportgen.render.rendered import RenderedBy
from reportgen.words import sentence

SUMS = "SHA256SUMS"
RESULT, PAGE, PAPER = "result.json", "report.html", "report.pdf"
SUMMARY_PAGE, SUMMARY_PAPER = "summary.html", "summary.pdf"
PAPERS = (PAPER, SUMMARY_PAPER)
"""What is signed where a bundle is."""
MEMBERS = (
    *("README.txt", "command.txt", PAGE, PAPER, RESULT, "settings.json"),
    *(SUMMARY_PAGE, SUMMARY_PAPER, "versions.json", SUMS),
)
"""In the order in which they stand in the file."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
_REGULAR_FILE = 0o100644 << 16
_UNIX = 3


def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the bundle; raise EnvironmentLacking where the machine can't make the PDF in it."""
    return packed(members(result, rendering))


def members(result: Result, rendering: RenderedBy) -> dict[str, bytes]:
    """Return the files of the bundle by name, the checksums last."""
    plain = json.loads(to_json(result))
    versions = {
        "measured": {"tool": plain["tool"], "environment": plain["environment"]},
        "rendered": {"tool": rendering.tool_version, "environment": dict(sorted(rendering.versions.items()))},
    }
    made = {
        "README.txt": f"{sentence('bundle.readme', title=result.title)}\n".encode(),
        "command.txt": f"{result.command}\n".encode(),
        PAGE: html.render(result, rendering),
        PAPER: pdf.render(result, rendering),
        RESULT: to_json(result).encode(),
        "settings.json": _json(plain["settings"]),
        SUMMARY_PAGE: summary_html.render(result, rendering),
        SUMMARY_PAPER: summary_pdf.render(result, rendering),
        "versions.json": _json(versions),
    }
    return {**made, SUMS: checksums(made)}


def with_papers(files: Mapping[str, bytes], papers: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a bundle with other PDFs by name, signed ones, and the checksums that belong to them."""
    changed = {name: content for name, content in files.items() if name != SUMS} | dict(papers)
    return {**changed, SUMS: checksums(changed)}


def finished(content: bytes, finish: Callable[[bytes], bytes]) -> bytes:
    """Return a bundle whose PDFs `finish` has been over."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return packed(with_papers(files, {name: finish(files[name]) for name in PAPERS}))


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return the lines that `sha256sum -c` reads."""
    return "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()).encode()


def packed(files: Mapping[str, bytes]) -> bytes:
    """Pack files in their order."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.external_attr = _REGULAR_FILE
            entry.create_system = _UNIX
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 6)
    return stream.getvalue()


def _json(value: object) -> bytes:
    return (json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()
