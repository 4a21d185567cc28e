"""The plain summary as HTML: one file that asks nothing of the network and runs nothing, with the result inside."""

from __future__ import annotations

from reportgen.model import Result
from reportgen.render.html import embedded_json
from reportgen.render.page import render_summary
from reportgen.render.rendered import RenderedBy
from reportgen.render.summary_page import summary_page


def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the summary as HTML; printed by a browser it is one page of A4."""
    page = summary_page(result, rendering, "screen")
    return render_summary(page, "screen", embedded_json(result)).encode()
