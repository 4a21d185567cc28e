"""What drew a report, as distinct from what measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.render.drawn import PLAIN, Look


@dataclass(frozen=True)
class RenderedBy:
    """The program's version and those of the libraries that draw; None for one that is not there.

    The caller looks them up: a report is a function of the result and of this, never of the machine.
    """

    tool_version: str
    versions: Mapping[str, str | None]
    look: Look = PLAIN
    """The user's own templates, colours and logo."""
