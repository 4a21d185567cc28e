"""HTML: one file that asks nothing of the network and runs nothing, with the result inside."""

from __future__ import annotations

import re

from reportgen.figures import style
from reportgen.model import Result, to_json
from reportgen.render.context import build_report
from reportgen.render.page import render_page
from reportgen.render.rendered import RenderedBy
from reportgen.shown import NOT_SHOWN


def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the report as HTML."""
    with style.settings():  # once for all figures
        report = build_report(result, rendering, "screen")
    return render_page(report, "inline", embedded_json(result)).encode()


def embedded_json(result: Result) -> str:
    r"""Serialise the result for a script block: equal to the result when parsed, and unable to end the block.

    "<" is written as \u003c, and so is what no HTML document may hold or shows as something else.
    """
    return re.sub(f"[<{NOT_SHOWN}]", lambda sign: f"\\u{ord(sign[0]):04x}", to_json(result))
