"""Reports: one module a format, each with one function `render(result, rendering) -> bytes`.

A new format is one file and one line in `FORMATS`. Modules are loaded when their format is asked for, so that JSON
needs no drawing library and HTML no typesetter.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from reportgen.errors import InputError
from reportgen.model import Result
from reportgen.render.rendered import RenderedBy

__all__ = ["FORMATS", "Format", "RenderedBy", "format_of", "render"]


@dataclass(frozen=True)
class Format:
    """A format by the suffix of its files, and the module that writes it."""

    suffix: str
    module: str

    def render(self, result: Result, rendering: RenderedBy) -> bytes:
        """Write the result in this format; the same bytes for the same arguments."""
        with _collector_paused():
            content: bytes = importlib.import_module(self.module).render(result, rendering)
        return content


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: a page makes millions of objects that live to its end."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


FORMATS = (
    Format(".html", "reportgen.render.html"),
    Format(".json", "reportgen.render.json"),
    Format(".pdf", "reportgen.render.pdf"),
)


RESERVED = (".summary.html", ".summary.pdf", ".intoto.json")
"""Suffixes of formats that are to come: a file so named must not hold something else."""


def format_of(name: str) -> Format:
    """Return the format of an output by its longest known suffix; InputError names the known ones."""
    known = [one for one in FORMATS if name.lower().endswith(one.suffix)]
    to_come = [suffix for suffix in RESERVED if name.lower().endswith(suffix)]
    if not known or max(map(len, to_come), default=0) > max(len(one.suffix) for one in known):
        suffixes = " ".join(one.suffix for one in FORMATS)
        msg = f"output {name!r}: unknown format, use one of {suffixes}"
        raise InputError(msg)
    return max(known, key=lambda one: len(one.suffix))


def render(name: str, result: Result, rendering: RenderedBy) -> bytes:
    """Write the result in the format that the suffix of an output's name stands for."""
    return format_of(name).render(result, rendering)
