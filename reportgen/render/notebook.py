"""How an assessment shows itself in a notebook: the verdict and its reasons, as a small piece of HTML."""

from __future__ import annotations

from reportgen.model import Result
from reportgen.render.first_page import first_page
from reportgen.render.page import environment
from reportgen.subject import in_its_words


@in_its_words
def render_notebook(result: Result) -> str:
    """Return the piece of HTML."""
    return environment().get_template("notebook.html").render(page=first_page(result), title=result.title)
