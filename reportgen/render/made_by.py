"""What made a report and from which result, in one line that every page carries for `reportgen verify`."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen._resources import resource
from reportgen.render.drawn import Look
from reportgen.render.rendered import RenderedBy
from reportgen.words import sentence

_LINE = re.compile(
    r"reportgen (?P<tool>[0-9A-Za-z.+!-]{1,40}), WeasyPrint (?P<weasyprint>[0-9A-Za-z.+!-]{1,40}), "
    r"templates (?P<templates>[0-9a-f]{16})(?P<own> \(own look\))?, "
    r"libraries (?P<libraries>[0-9a-f]{16}), result (?P<result>[0-9a-f]{64})"
)


@dataclass(frozen=True)
class MadeBy:
    """Everything beside the result that decides the bytes of a report. Equal makers write equal reports."""

    tool: str
    weasyprint: str
    templates: str
    """Of templates, words, style sheets and fonts, the user's own among them: the first 16 digits of a SHA-256."""
    libraries: str
    """Of the versions of all libraries that draw, in the same way."""
    own: bool = False
    """Whether templates, colours or a logo of the user's own are among them."""

    def line(self, result: str) -> str:
        """Write the line of a report on a result with this SHA-256."""
        return (
            f"reportgen {self.tool}, WeasyPrint {self.weasyprint}, templates {self.templates}"
            f"{' (own look)' if self.own else ''}, libraries {self.libraries}, result {result}"
        )


def made_by(rendering: RenderedBy) -> MadeBy:
    """Describe what renders here and now."""
    versions = json.dumps(dict(sorted(rendering.versions.items())))
    return MadeBy(
        tool=rendering.tool_version,
        weasyprint=_plain(rendering.versions),
        templates=_templates(rendering.look),
        libraries=hashlib.sha256(versions.encode()).hexdigest()[:16],
        own=rendering.look.own,
    )


def _templates(look: Look) -> str:
    if not look.own:
        return templates_digest()
    return hashlib.sha256(f"{templates_digest()} {look.digest}".encode()).hexdigest()[:16]


def read_line(text: str) -> tuple[MadeBy, str] | None:
    """Return what made a report and the SHA-256 of its result, by the line in it; None where there is none."""
    found = _LINE.search(text)
    if found is None:
        return None
    maker = MadeBy(
        found["tool"], found["weasyprint"], found["templates"], found["libraries"], own=found["own"] is not None
    )
    return maker, found["result"]


@functools.cache
def templates_digest() -> str:
    """Digest the names and bytes of all packaged templates, words, style sheets and fonts."""
    digest = hashlib.sha256()
    for folder in ("templates", "assets"):
        root = resource(folder)
        for path in sorted(root.rglob("*"), key=lambda path: path.relative_to(root).as_posix()):
            if path.is_file():
                name = f"{folder}/{path.relative_to(root).as_posix()}"
                digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def look_words(rendering: RenderedBy) -> str:
    """Say what of a report's look is the user's own; "" where nothing is."""
    look = rendering.look
    if not look.own:
        return ""
    parts = []
    if look.templates:
        parts.append(sentence("provenance.look_templates", names=[name for name, _ in look.templates]))
    if look.colours:
        parts.append(sentence("provenance.look_colours", names=look.colours))
    if look.logo is not None:
        parts.append(sentence("provenance.look_logo"))
    return sentence("provenance.look_own", parts=parts, digest=_templates(look))


def _plain(versions: Mapping[str, str | None]) -> str:
    return re.sub(r"[^0-9A-Za-z.+!-]", "", versions.get("weasyprint") or "none")[:40] or "none"
