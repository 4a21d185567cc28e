"""Reports: one module a format, each with one function `render(result, rendering) -> bytes`.

A new format is one file and one line in `FORMATS`. A format that vouches for the other files of its run sets
`names_siblings`: it is made last, and its function takes their digests as well. Modules are loaded when their format
is asked for, so that JSON needs no drawing library and HTML no typesetter.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os.path
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.model import Result
from reportgen.render.rendered import RenderedBy

__all__ = ["FORMATS", "Format", "RenderedBy", "Together", "format_of", "render", "render_together"]


@dataclass(frozen=True)
class Format:
    """A format by the suffix of its files, and the module that writes it."""

    suffix: str
    module: str
    names_siblings: bool = False
    """Whether it names the other files of its run by their SHA-256."""

    def render(self, result: Result, rendering: RenderedBy, siblings: Mapping[str, str] | None = None) -> bytes:
        """Write the result in this format; the same bytes for the same arguments.

        `siblings`: the other files of this run, base name to SHA-256; only a format that names them takes notice.
        """
        extra = (siblings or {},) if self.names_siblings else ()
        with _collector_paused():
            content: bytes = importlib.import_module(self.module).render(result, rendering, *extra)
        return content


@dataclass(frozen=True)
class Together:
    """The files of one run by name, and what kept the machine from making one of them, if anything did."""

    contents: Mapping[str, bytes]
    lacking: EnvironmentLacking | None


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
    Format(".pdf", "reportgen.render.pdf"),
    Format(".summary.html", "reportgen.render.summary_html"),
    Format(".summary.pdf", "reportgen.render.summary_pdf"),
    Format(".json", "reportgen.render.json"),
    Format(".md", "reportgen.render.markdown"),
    Format(".junit.xml", "reportgen.render.junit"),
    Format(".sarif", "reportgen.render.sarif"),
    Format(".prom", "reportgen.render.openmetrics"),
    Format(".zip", "reportgen.render.bundle"),
    Format(".intoto.json", "reportgen.render.intoto", names_siblings=True),
)


def format_of(name: str) -> Format:
    """Return the format of an output by its longest known suffix; InputError names the known ones."""
    known = [one for one in FORMATS if name.lower().endswith(one.suffix)]
    if not known:
        suffixes = " ".join(one.suffix for one in FORMATS)
        msg = f"output {name!r}: unknown format, use one of {suffixes}"
        raise InputError(msg)
    return max(known, key=lambda one: len(one.suffix))


def render(name: str, result: Result, rendering: RenderedBy) -> bytes:
    """Write the result in the format that the suffix of an output's name stands for."""
    return format_of(name).render(result, rendering)


def _base_name(path: str) -> str:
    """The last part of a path, as text that can be written down whatever its bytes are."""
    return os.fsencode(os.path.basename(path)).decode("utf-8", "replace")  # noqa: PTH119 -- a name, no path to open


def render_together(
    names: Iterable[str],
    result: Result,
    rendering: RenderedBy,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    finish: Callable[[str, bytes], bytes] = lambda _, content: content,
) -> Together:
    """Write the result under every name, in the order given; formats that name their siblings see all the others.

    What the machine can't make is left out and is no sibling; the others are made all the same. `progress` is called
    with the stage "write", the files made so far and their total. `finish` gets the suffix and bytes of each file and
    returns what is written: a signed PDF, say, whose digest its siblings then name.
    """
    formats = {name: format_of(name) for name in names}
    made: dict[str, bytes] = {}
    lacking: EnvironmentLacking | None = None
    for done, name in enumerate(sorted(formats, key=lambda name: formats[name].names_siblings)):  # a stable sort
        progress("write", done, len(formats))
        siblings = {
            _base_name(other): hashlib.sha256(content).hexdigest()
            for other, content in made.items()
            if not formats[other].names_siblings
        }
        try:
            made[name] = finish(formats[name].suffix, formats[name].render(result, rendering, siblings))
        except EnvironmentLacking as error:
            lacking = error
    return Together({name: made[name] for name in formats if name in made}, lacking)
