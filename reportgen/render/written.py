"""The objects of a PDF in bytes, each made once.

pydyf makes all of them twice, for the file and for the identifier that it takes from them, and packs streams at zlib's
level 9 each time.
"""

from __future__ import annotations

import functools
import importlib
import zlib
from collections.abc import Callable
from typing import Any

LEVEL = 6
"""Of zlib. Level 9 makes files a hundredth smaller and takes twice as long."""


def written_once(pdf: Any) -> None:
    """Put in place of every object of a `pydyf.PDF` one that holds its bytes, right before the file is written."""
    written = _written()
    for index, made in enumerate(pdf.objects):
        if made.free != "f":
            pdf.objects[index] = written(made)


@functools.cache
def _written() -> type:
    pydyf: Any = importlib.import_module("pydyf")

    class Written(pydyf.Object):  # type: ignore[misc]
        data = b""
        compressible = False

        def __init__(self, made: Any) -> None:
            super().__init__()
            self.number, self.generation = made.number, made.generation
            self.data, self.compressible = made.data, made.compressible

    return Written


def packed(stream: Any) -> bytes:
    """Return the bytes of a `pydyf.Stream`, compressed once for the same content."""
    pydyf = importlib.import_module("pydyf")
    content = b"\n".join(map(_in_bytes, stream.stream))
    extra = pydyf.Dictionary(stream.extra)
    if stream.compress:
        extra["Filter"] = "/FlateDecode"
        known, small = getattr(stream, "_packed", (None, b""))
        if known != content:
            small = zlib.compress(content, LEVEL)
            stream._packed = content, small  # noqa: SLF001 -- kept with the stream, as long as it lives
        content = small
    extra["Length"] = len(content)
    return b"\n".join((extra.data, b"stream", content, b"endstream"))


def _in_bytes(part: Any) -> bytes:
    if isinstance(part, bytes):
        return part
    return part.encode("ascii") if isinstance(part, str) else importlib.import_module("pydyf")._to_bytes(part)  # noqa: SLF001


def once_a_page(listed: Callable[[Any], tuple[bytes, ...]]) -> Callable[[Any], tuple[bytes, ...]]:
    """List the references of a PDF's pages when there is a new page, not for every element of its structure."""

    def references(pdf: Any) -> tuple[bytes, ...]:
        known: tuple[bytes, ...] = getattr(pdf, "_references", ())
        if len(known) != pdf.pages["Count"]:
            known = pdf._references = listed(pdf)  # noqa: SLF001 -- kept with the PDF, as long as it lives
        return known

    return references
