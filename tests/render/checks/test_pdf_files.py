"""What others' programs say of the PDFs, and whether everything that the page says can be found in them."""

import io
import re
from html.parser import HTMLParser

import pikepdf
import pytest

from reportgen.model import Measured
from reportgen.render import scores
from reportgen.render.context import build_report
from reportgen.render.leads import of_all_leads
from reportgen.render.page import render_page
from reportgen.render.score_summary import anchor

pytestmark = pytest.mark.checks
STANDARDS = ("3a", "ua1")


@pytest.fixture(scope="session")  # cases are run one after the other, over modules
def validated(verapdf, reports):
    return verapdf(*sorted(reports.glob("*.pdf")))


@pytest.mark.parametrize("standard", STANDARDS)
def test_file_keeps_both_standards(validated, case, standard):
    counted, failed = validated
    assert failed.get((case, standard), []) == []
    assert counted[case, standard] > 10_000  # it was looked at


def test_validator_finds_what_an_ordinary_pdf_lacks(verapdf, tmp_path):
    import weasyprint

    path = tmp_path / "ordinary.pdf"
    weasyprint.HTML(string="<title>Ordinary</title><p>words").write_pdf(path)
    _, failed = verapdf(path)
    # 6.1.3: no identifier of the file; 6.2.4.3: no output intent; 6.6.2.1: no metadata; 6.2 and 7.1: not tagged.
    assert {"6.1.3", "6.2.4.3", "6.6.2.1"} <= {rule.partition("-")[0] for rule, *_ in failed["ordinary", "3a"]}
    assert {"6.2", "7.1"} <= {rule.partition("-")[0] for rule, *_ in failed["ordinary", "ua1"]}


def test_structure_is_sound(qpdf, reports, case):
    assert "No syntax or stream encoding errors found" in qpdf("--check", reports / f"{case}.pdf")


HIDDEN = {"style", "title", "summary"}


class Words(HTMLParser):
    """The text of a page, one entry for each run of text that stands together, without what paper does not show."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(page.replace("<wbr>", ""))  # a place where a name may break, and no end of it

    def handle_starttag(self, tag, attrs):
        if tag not in {"meta", "img", "br", "source"}:
            hidden = tag in HIDDEN or (tag == "a" and dict(attrs).get("class") == "skip")
            self.open.append(hidden)

    def handle_endtag(self, _):
        self.open.pop()

    def handle_data(self, data):
        if data.strip() and not any(self.open):
            self.texts.append(data)


def bare(text):
    """The text without spaces, line ends, capitals, which style sheets make, and signs that are not seen."""
    return re.sub(r"[\s\N{SOFT HYPHEN}\u200b-\u200f\u202a-\u202e\u2066-\u2069]", "", text).casefold()


def without_running_heads(page, title, digest):
    page = re.sub(r"\s*Technical assessment, privacy of synthetic data\s*page \d+ of \d+\s*$", "", page)
    return re.sub(rf"^(?:.*\n){{0,2}}?result {digest}\s*\n|^{re.escape(title)}\s*\n", "", page)


def test_every_word_of_the_page_is_text_of_the_pdf(cases, reports, rendering, text_of, case):
    if case == "hostile":
        return  # names in scripts that no packaged font has are shown as squares
    report = build_report(cases[case], rendering, "paper")
    pages = text_of(reports / f"{case}.pdf")
    text = bare("\n".join(without_running_heads(page, report.title, report.short_digest) for page in pages))
    missing = [words for words in Words(render_page(report, "packaged")).texts if bare(words) not in text]
    assert missing == []


def row_text(row):
    return bare("".join(f"{cell.text}{',' if cell.unit else ''}{cell.unit}{cell.under}" for cell in row))


def test_every_verdict_and_score_of_the_result_stands_in_the_pdf(cases, reports, rendering, text_of, case):
    """Numbers are rounded as the report rounds them; each stands in the row of its score, beside its name."""
    result = cases[case]
    report = build_report(result, rendering, "paper")
    text = bare("\n".join(text_of(reports / f"{case}.pdf")))
    assert bare(report.first.word) in text
    assert all(bare(reason.text) in text for reason in report.first.reasons)
    frames = {frame.anchor: frame for frame in report.metrics.frames}
    for key, metric in result.metrics.items():
        if not isinstance(metric, Measured):
            continue
        rows = [row for table in frames[anchor(key)].tables for row in table.rows]
        rows += [row for row in report.summary.table.rows if row[0].href == f"#{anchor(key)}"]
        assert [row for row in rows if row_text(row) not in text] == []
        shown = {text for row in rows for cell in row for text in (cell.text, cell.under)}
        for name, score in scores.ordered_scores(key, of_all_leads(metric.scores)):
            for cell in (
                scores.value_cell(score, key, name),
                scores.interval_cell(score, key, name),
                scores.reference_cell(score, key, name),
            ):
                assert cell.text in shown, (key, name, cell.text)


def test_every_level_of_the_contents_is_a_bookmark(reports, case):
    with pikepdf.open(io.BytesIO((reports / f"{case}.pdf").read_bytes())) as document, document.open_outline() as tree:
        (top,) = tree.root
        sections = [item.title for item in top.children]
        metrics = [item.title for item in next(one for one in top.children if "Metrics" in one.title).children]
    assert [title[0] for title in sections if title[0].isdigit()] == list("1234567")
    assert len(metrics) >= 5


def test_header_of_every_page_has_its_number(reports, text_of, case):
    pages = text_of(reports / f"{case}.pdf")
    assert all(f"page {number} of {len(pages)}" in page for number, page in enumerate(pages, 1))
