"""The logo: an SVG or PNG file that every page can hold, because nothing in it runs, is fetched or needs a font."""

from __future__ import annotations

import binascii
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, ParseError, XMLParser

from reportgen.errors import InputError
from reportgen.files import read_bounded
from reportgen.render.drawn import Logo
from reportgen.shown import one_line

LARGEST = 256 * 1024
"""Bytes; the logo stands in every page, which is to stay below two megabytes."""
WIDEST = 4000
"""Pixels of either side of a PNG."""
SVG = "http://www.w3.org/2000/svg"
XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
DRAWN = (
    *("svg", "g", "defs", "symbol", "use", "title", "desc", "metadata", "style", "clipPath", "mask"),
    *("path", "rect", "circle", "ellipse", "line", "polyline", "polygon"),
    *("linearGradient", "radialGradient", "stop"),
)
"""Elements of SVG that only draw. Text is none of them: it would be set in whatever font a machine has."""
_REMOTE = re.compile(r"@import|image-set\s*\(|\\|url\s*\((?!\s*['\"]?\s*#)", re.IGNORECASE)
_PNG = b"\x89PNG\r\n\x1a\n"
_KEPT = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
"""Parts of a PNG that draw; the others hold times, texts and profiles."""


def read_logo(path: str, alternative: str) -> Logo:
    """Read a logo; InputError, one line, where it is none or holds what no report may."""
    file = Path(path)
    name = one_line(file.name or path)
    content = read_bounded(file, LARGEST, "logo")
    if content.startswith(_PNG):
        return Logo("png", _only_drawing(content, name), alternative)
    _look_through(content, name)
    return Logo("svg+xml", content, alternative)


def _refuse(name: str, why: str) -> NoReturn:
    msg = f"{name}: {why}"
    raise InputError(msg)


def _look_through(content: bytes, name: str) -> None:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        _refuse(name, "a logo may declare no document type or entity; save it as plain SVG")
    try:
        parser = XMLParser()  # noqa: S314 -- without entities, which are refused above, nothing in it can grow
        parser.feed(content.decode("utf-8"))
        root = parser.close()
    except (ParseError, UnicodeDecodeError, ValueError):
        _refuse(name, "neither a PNG nor an SVG file in UTF-8; give one of these as logo")
    if root.tag != f"{{{SVG}}}svg":
        _refuse(name, "its outermost element is no svg of SVG; save it as plain SVG")
    if root.get("viewBox") is None and (root.get("width") is None or root.get("height") is None):
        _refuse(name, "has neither a viewBox nor width and height, so its shape is not known; save it with a viewBox")
    for fault in _faults(root):
        _refuse(name, fault)


def _faults(root: Element) -> Iterator[str]:
    """Say what of an SVG runs, is fetched or needs a font."""
    for element in root.iter():
        namespace, _, local = element.tag.rpartition("}")
        if namespace == f"{{{SVG}" and local not in DRAWN:
            hint = "; draw its letters as paths" if local in {"text", "tspan", "textPath"} else "; draw it with shapes"
            yield f"a logo may hold no element {one_line(local)!r}{hint}"
        if namespace == "{http://www.w3.org/1999/xhtml" or not namespace:
            yield f"a logo may hold no element {one_line(local)!r} of another language than SVG; save it as plain SVG"
        if local == "style" and _REMOTE.search("".join(element.itertext())):
            yield "its style sheet asks for something outside of the file; save it as plain SVG"
        for key, value in element.attrib.items():
            local_key = key.rpartition("}")[2].lower()
            if local_key.startswith("on"):
                yield f"a logo may run nothing, but it has an attribute {one_line(local_key)!r}; take it out"
            if (key == XLINK_HREF or local_key in {"href", "src"}) and not value.strip().startswith("#"):
                yield "it refers to something outside of the file; put it into the file as shapes"
            if _REMOTE.search(value):
                yield "it refers to something outside of the file; put it into the file as shapes"


def _only_drawing(content: bytes, name: str) -> bytes:
    """Return a PNG with nothing but the parts that draw; InputError where it is damaged, animated or very large."""
    parts: list[bytes] = [_PNG]
    place, last = len(_PNG), b""
    while place + 12 <= len(content) and last != b"IEND":
        length, last = struct.unpack(">I4s", content[place : place + 8])
        whole = content[place : place + 12 + length]
        if len(whole) < 12 + length or struct.unpack(">I", whole[-4:])[0] != binascii.crc32(whole[4:-4]):
            _refuse(name, "a damaged PNG; save it again")
        if last == b"IHDR":
            width, height = struct.unpack(">II", whole[8:16])
            if not (0 < width <= WIDEST and 0 < height <= WIDEST):
                _refuse(name, f"a logo has at most {WIDEST} pixels a side; save it smaller")
        if last in _KEPT:
            parts.append(whole)
        place += 12 + length
    if last != b"IEND" or parts[1][4:8] != b"IHDR":
        _refuse(name, "a damaged PNG; save it again")
    made = b"".join(parts)
    if not _opens(made):
        _refuse(name, "a damaged PNG; save it again")
    return made


def _opens(content: bytes) -> bool:
    """Whether the library that puts pictures into PDFs can read all of it."""
    import io

    from PIL import Image

    try:
        with Image.open(io.BytesIO(content)) as picture:
            picture.load()
    except Exception:  # noqa: BLE001 -- the reader of pictures meets whatever a damaged one holds
        return False
    return True
