"""Whether a page made by the user's own templates still keeps what every page promises.

It runs nothing and asks nothing of the network, and it holds the verdict and what `reportgen verify` looks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

from reportgen.errors import InputError

REFUSED = ("iframe", "frame", "object", "embed", "applet", "base", "link", "form", "audio", "video", "portal")
FETCHING = ("src", "srcset", "poster", "data", "background", "action", "formaction", "manifest", "ping", "xlink:href")
LINKS = ("#", "https:", "http:", "mailto:")
"""How the address of a link may begin; nothing is fetched before it is followed."""
_REMOTE = re.compile(r"@import|image-set\s*\(|url\s*\((?!\s*['\"]?\s*(?:#|data:|reportgen:))", re.IGNORECASE)
RESULT = {"type": "application/json", "id": "reportgen-result"}


def check_page(page: str, kept: Sequence[str]) -> None:
    """Raise InputError, one line, where a page breaks a promise; `kept` are the texts that it must show."""
    looked = _Looked(page)
    faults = [*looked.faults, *_lacking(looked, kept)]
    if faults:
        msg = f"the templates of --template-dir {faults[0]}"
        raise InputError(msg)


def _lacking(looked: _Looked, kept: Sequence[str]) -> Iterator[str]:
    if looked.generators != 1:
        yield "leave out the line that names what made the page; include partials/head.html once"
    shown = _bare("".join(looked.texts))
    for text in kept:
        if _bare(text) not in shown:
            yield f"leave out {text[:60]!r}, which every page must show"


def _bare(text: str) -> str:
    return "".join(text.split()).casefold()


class _Looked(HTMLParser):
    """Collects the faults of a page, and the text that it shows."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.texts: list[str] = []
        self.generators = 0
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name.lower(): value or "" for name, value in attrs}
        if tag in {"script", "style"}:
            self._inside = tag
        if tag == "script" and given != RESULT:
            self.faults.append("hold a script; a report runs nothing")
        if tag in REFUSED or (tag == "meta" and "http-equiv" in given):
            self.faults.append(f"hold an element {tag!r}; a report fetches and sends nothing")
        if tag == "meta" and given.get("name") == "generator":
            self.generators += 1
        for name, value in given.items():
            self._look_at(tag, name, value.strip())

    def _look_at(self, tag: str, name: str, value: str) -> None:
        if name.startswith("on"):
            self.faults.append(f"hold an attribute {name!r}; a report runs nothing")
        elif name == "href" and not (value.lower().startswith(LINKS) if tag in {"a", "area"} else value[:1] == "#"):
            self.faults.append("hold an address that is none of a link; put pictures into the page as data:")
        elif name in FETCHING and not value.lower().startswith(("data:", "#")):
            self.faults.append(f"load something by {name!r}; put it into the page as data:")
        elif name == "style" and _REMOTE.search(value):
            self.faults.append("load something by a style; put it into the page as data:")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "style" and _REMOTE.search(data):
            self.faults.append("load something by a style; put it into the page as data:")
        elif not self._inside:
            self.texts.append(data)
