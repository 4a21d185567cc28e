"""JSON: the result itself."""

from __future__ import annotations

from reportgen.model import Result, to_json
from reportgen.render.rendered import RenderedBy


def render(result: Result, rendering: RenderedBy) -> bytes:  # noqa: ARG001 -- every format is called alike
    """Write the result; it does not depend on what renders it."""
    return to_json(result).encode()
