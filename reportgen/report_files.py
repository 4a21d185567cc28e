"""A report file taken apart: the result in it, and the line that says what made it. Files are hostile until checked.

Nothing is trusted for its size: files are read up to a bound, and so is what is unpacked from them.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reportgen.errors import InputError
from reportgen.files import read_bounded
from reportgen.render.bundle import MEMBERS, PAGE, PAPER, RESULT
from reportgen.render.made_by import MadeBy, read_line
from reportgen.shown import one_line

LARGEST_REPORT = 64 * 2**20
LARGEST_PART = 32 * 2**20
Kind = Literal["html", "pdf", "json", "zip"]
KINDS: tuple[Kind, ...] = ("html", "pdf", "json", "zip")
_BLOCK = re.compile(r'<script type="application/json" id="reportgen-result">([^<]*)</script>')
_GENERATOR = re.compile(r'<meta name="generator" content="([^"<>]{1,400})">')
_ATTACHED = re.compile(rb"<</Type /EmbeddedFile/[^\n]{1,400}/Filter /FlateDecode/Length (\d{1,9})>>\nstream\n")
_METADATA = re.compile(rb"<</Type /Metadata/Subtype /XML/Filter /FlateDecode/Length (\d{1,9})>>\nstream\n")
_CREATOR = re.compile(r"CreatorTool>([^<]{1,400})<")


@dataclass(frozen=True)
class ReportFile:
    """One report: its bytes, the bytes of the result in it, and what its own line says of it (None: no line)."""

    kind: Kind
    name: str
    content: bytes
    result: bytes
    maker: MadeBy | None = None
    digest: str | None = None
    """SHA-256 of the result, by the line."""
    members: dict[str, bytes] | None = None
    """The files of a bundle."""


def open_report(path: Path) -> ReportFile:
    """Read a report; InputError, one line, where it is none or holds no result."""
    name = one_line(path.name or str(path))
    kind = next((kind for kind in KINDS if path.name.lower().endswith(f".{kind}")), None)
    if kind is None:
        msg = f"{name}: give a report that ends in .html, .pdf, .json or .zip"
        raise InputError(msg)
    return taken_apart(kind, name, read_bounded(path, LARGEST_REPORT, "report of reportgen"))


def taken_apart(kind: Kind, name: str, content: bytes) -> ReportFile:
    """Take the bytes of a report apart; `name` is for messages."""
    if kind == "json":
        return ReportFile(kind, name, content, content)
    if kind == "html":
        return _page(name, content)
    return _paper(name, content) if kind == "pdf" else _bundle(name, content)


def _page(name: str, content: bytes) -> ReportFile:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(_no_report(name)) from None
    blocks = _BLOCK.findall(text)
    lines = _GENERATOR.findall(text)
    if len(blocks) != 1:
        raise InputError(_no_report(name))
    maker, digest = (read_line(lines[0]) if len(lines) == 1 else None) or (None, None)
    return ReportFile("html", name, content, blocks[0].encode(), maker, digest)


def _paper(name: str, content: bytes) -> ReportFile:
    if not content.startswith(b"%PDF-"):
        raise InputError(_no_report(name))
    attached = [_unpacked(content, found, name) for found in _found(_ATTACHED, content)]
    described = [_unpacked(content, found, name) for found in _found(_METADATA, content)]
    if len(attached) != 1:
        raise InputError(_no_report(name))
    lines = [line for text in described for line in _CREATOR.findall(text.decode("utf-8", "replace"))]
    maker, digest = (read_line(lines[0]) if len(lines) == 1 else None) or (None, None)
    return ReportFile("pdf", name, content, attached[0], maker, digest)


def _found(pattern: re.Pattern[bytes], content: bytes) -> list[re.Match[bytes]]:
    """List at most two places: one is what a report has, and more are none."""
    return [found for found, _ in zip(pattern.finditer(content), range(2), strict=False)]


def _unpacked(content: bytes, found: re.Match[bytes], name: str) -> bytes:
    packed = content[found.end() : found.end() + int(found[1])]
    unpacking = zlib.decompressobj()
    try:
        plain = unpacking.decompress(packed, LARGEST_PART)
    except zlib.error:
        plain = None
    if plain is None or not unpacking.eof:
        msg = f"{name}: what is attached is damaged or larger than any result; get the report anew"
        raise InputError(msg)
    return plain


def _bundle(name: str, content: bytes) -> ReportFile:
    try:
        files = _members(content)
    except Exception:  # noqa: BLE001 -- the reader of archives meets whatever a hostile one holds
        files = {}
    if not {RESULT, PAGE, PAPER} <= set(files) <= set(MEMBERS):
        raise InputError(_no_report(name))
    if any(len(member) > LARGEST_PART for member in files.values()):
        msg = f"{name}: holds a file larger than any report; get the bundle anew"
        raise InputError(msg)
    page = _page(name, files[PAGE])
    return ReportFile("zip", name, content, files[RESULT], page.maker, page.digest, files)


def _members(content: bytes) -> dict[str, bytes]:
    """Unpack at most as many files as a bundle has, of each one byte more than the largest may have."""
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist()[: len(MEMBERS) + 1]:
            with archive.open(entry) as member:
                files[entry.filename if entry.filename not in files else ""] = member.read(LARGEST_PART + 1)
    return files


def _no_report(name: str) -> str:
    return f"{name}: no report of reportgen with its result inside; give the file as reportgen wrote it"
