"""What others' programs say of the plain summaries, as HTML, as PDF, and printed from a browser."""

import io

import pikepdf
import pytest

from reportgen.render.summary_page import summary_page

from .conftest import output, tool, written

pytestmark = pytest.mark.checks
STANDARDS = ("3a", "ua1")
LINE = 75
"""Characters that a line of running text may hold."""


@pytest.fixture(scope="session")
def summaries(cases, rendering, tmp_path_factory):
    """The folder of all plain summaries: `high.summary.html`, `high.summary.pdf`, …"""
    return written(tmp_path_factory.mktemp("summaries"), cases, rendering, ("summary.html", "summary.pdf"))


@pytest.fixture(scope="session")
def summaries_validated(verapdf, summaries):
    return verapdf(*sorted(summaries.glob("*.pdf")))


@pytest.fixture(scope="session")
def summaries_seen(browse, summaries):
    return browse(*sorted(summaries.glob("*.html")))


@pytest.mark.parametrize("standard", STANDARDS)
def test_summary_keeps_both_standards(summaries_validated, case, standard):
    counted, failed = summaries_validated
    assert failed.get((f"{case}.summary", standard), []) == []
    assert counted[f"{case}.summary", standard] > 1000  # it was looked at


def test_structure_of_summary_is_sound(qpdf, summaries, case):
    assert "No syntax or stream encoding errors found" in qpdf("--check", summaries / f"{case}.summary.pdf")


def test_summary_is_one_page_that_holds_all_it_says(cases, summaries, rendering, text_of, case):
    (page,) = text_of(summaries / f"{case}.summary.pdf")
    if case == "hostile":
        return  # names in scripts that no packaged font has are shown as squares
    said = summary_page(cases[case], rendering, "paper")
    texts = [said.title, said.word, said.headline, said.gate, *(text for point in said.points for text in point.texts)]
    texts += [cell.text for one in said.facts for row in one.rows for cell in row]
    shown = "".join(page.split()).casefold()
    assert [text for text in texts if "".join(text.split()).casefold() not in shown] == []


def test_markup_and_styles_of_summaries_are_valid(vnu, summaries):
    assert vnu(*sorted(summaries.glob("*.html"))) == []


def test_nobody_who_reads_a_summary_is_shut_out(summaries_seen, case):
    visit = summaries_seen[f"{case}.summary"]
    for view in visit["views"]:
        where = view["scheme"], view["width"]
        assert (where, view["violations"], view["faint"], view["overflow"]) == (where, [], [], 0)
        assert max(map(int, view["lines"])) <= LINE, where
    assert visit["complaints"] == []
    assert {request.rpartition("/")[2] for request in visit["requests"]} == {f"{case}.summary.html"}


def test_a_browser_prints_a_summary_on_one_page(checkers, summaries, case, tmp_path):
    made, page = tmp_path / "printed.pdf", summaries / f"{case}.summary.html"
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
    output(tool("chromium"), *flags, f"--user-data-dir={tmp_path}", f"--print-to-pdf={made}", page.as_uri())
    with pikepdf.open(io.BytesIO(made.read_bytes())) as document:
        assert len(document.pages) == 1
