"""The plain summary as PDF/A-3a and PDF/UA-1, with the result attached: one page, whatever it has to say."""

from __future__ import annotations

from reportgen.errors import InputError
from reportgen.model import Result, to_json
from reportgen.render.page import render_summary
from reportgen.render.pdf import ATTACHMENT, Attached, typeset_on_one_page
from reportgen.render.rendered import RenderedBy
from reportgen.render.summary_page import STEPS, summary_page


def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the summary as PDF; raise EnvironmentLacking where Pango is missing.

    It is laid out in smaller and smaller sizes until it is one page. InputError where none is small enough, which only
    templates or texts of the user's own can bring about.
    """
    attached = Attached(ATTACHMENT, to_json(result).encode(), result.created)
    estimated = STEPS.index(summary_page(result, rendering, "paper").step)
    for step in STEPS[max(0, estimated - 1) :]:
        made = typeset_on_one_page(render_summary(summary_page(result, rendering, "paper", step), "paper"), attached)
        if made is not None:
            return made
    msg = "the plain summary does not fit on one page; shorten the title and [sign_off], or the template summary.html"
    raise InputError(msg)
