"""What a report is drawn with beside the packaged templates: the user's own templates, colours and logo."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Logo:
    """A picture that was looked through: nothing in it runs or is fetched."""

    kind: Literal["svg+xml", "png"]
    content: bytes
    alternative: str

    @property
    def uri(self) -> str:
        """The picture as a data: address."""
        return f"data:image/{self.kind};base64,{base64.b64encode(self.content).decode()}"


@dataclass(frozen=True)
class Look:
    """Checked and whole: the same look and result make the same bytes. Empty for the packaged look."""

    templates: tuple[tuple[str, str], ...] = ()
    """Names, as below `templates/`, with the source of those that stand in place of the packaged ones."""
    light: tuple[tuple[str, str], ...] = ()
    """Properties of the style sheets with their colour, on white."""
    dark: tuple[tuple[str, str], ...] = ()
    colours: tuple[str, ...] = ()
    """The keys that were given, as `light.accent`."""
    logo: Logo | None = None

    @property
    def own(self) -> bool:
        """Whether anything of it is the user's."""
        return self != PLAIN

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of everything in it."""
        logo = None if self.logo is None else [self.logo.kind, self.logo.uri, self.logo.alternative]
        parts = [self.templates, self.light, self.dark, self.colours, logo]
        return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


PLAIN = Look()
