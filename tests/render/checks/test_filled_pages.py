"""No page of the finished examples ends more than a third empty, but the first one and the last of a chapter.

Reports of 100 columns or leads may leave two fifths, where a figure does not fit below what stands before it.
"""

import numpy as np
import pikepdf
import pytest
from pikepdf import OutlineItem

from reportgen import api
from reportgen.render import render

pytestmark = pytest.mark.checks
MOST_EMPTY = 1 / 3
MOST_EMPTY_OF_MANY = 2 / 5
TOP, BOTTOM, HEIGHT = 23, 297 - 21, 297
"""Ends of the text and of A4 in mm, as print.css has them."""


def empty_shares(pictures):
    """The share of each page's text area that lies below the last thing on it; pages from 1."""
    shares = {}
    for number, picture in enumerate(pictures, 1):
        kind, size, _, pixels = picture.read_bytes().split(b"\n", 3)
        assert kind == b"P5"
        width, height = map(int, size.split())
        grey = np.frombuffer(pixels, np.uint8).reshape(height, width)
        ends = [round(mm * height / HEIGHT) for mm in (TOP, BOTTOM)]
        inked = np.flatnonzero((grey[slice(*ends)] < 200).any(axis=1))
        last = inked[-1] + 1 if len(inked) else 0
        shares[number] = 1 - last / (ends[1] - ends[0])
    return shares


def last_pages_of_chapters(pdf):
    """The pages before those whose top is the head of a chapter, the last page, and the first; pages from 1."""
    with pikepdf.open(pdf) as document, document.open_outline() as tree:
        numbers = {page.objgen: number for number, page in enumerate(document.pages, 1)}
        (report,) = tree.root
        chapters = [_place(item, numbers) for item in report.children]
        total = len(document.pages)
    assert len(chapters) >= 7
    return {1, total} | {page - 1 for page, y in chapters if y > (HEIGHT - TOP - 30) / 25.4 * 72}


def _place(item: OutlineItem, numbers):
    page, _, _, y, *_ = item.destination
    return numbers[page.objgen], float(y)


@pytest.fixture
def too_empty(draw, tmp_path):
    """Name the pages of a PDF that end too empty, with their shares."""

    def find(pdf, most=MOST_EMPTY):
        last = last_pages_of_chapters(pdf)
        shares = empty_shares(draw(pdf, tmp_path))
        return {page: share for page, share in shares.items() if share > most and page not in last}

    return find


def test_the_pages_of_every_case_are_filled(reports, case, too_empty):
    assert too_empty(reports / f"{case}.pdf", MOST_EMPTY_OF_MANY if "100" in case else MOST_EMPTY) == {}


@pytest.mark.parametrize("name", ["good", "leaky", "ecg"])
def test_the_pages_of_the_examples_are_filled(adult, rendering, too_empty, tmp_path, name):
    kept = api.load(adult.parent / "reports" / f"{name}.json").result
    (tmp_path / "r.pdf").write_bytes(render("r.pdf", kept, rendering))
    assert too_empty(tmp_path / "r.pdf") == {}


def test_an_empty_rest_is_found(draw, tmp_path):
    """The measure itself: half a page of black leaves half of it."""
    import weasyprint

    style = "@page { size: A4; margin: 23mm 18mm 21mm } div { height: 126.5mm; background: black }"
    weasyprint.HTML(string=f"<style>{style}</style><div></div>").write_pdf(tmp_path / "half.pdf")
    (share,) = empty_shares(draw(tmp_path / "half.pdf", tmp_path)).values()
    assert share == pytest.approx(0.5, abs=0.01)
