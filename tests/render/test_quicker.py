"""What is done with less work must come out as WeasyPrint does it."""

import io
import re
import zlib

import pikepdf
import pydyf
import pytest
import weasyprint
from weasyprint import svg
from weasyprint.text.line_break import Layout

from reportgen.render import pdf, quicker, written
from reportgen.render.plain_values import with_values

PAGE = """<!DOCTYPE html><html lang="en"><head><title>page</title><style>
@font-face {{ font-family: "Reportgen Sans"; src: url(reportgen:ReportgenSans-Regular.ttf) format("truetype") }}
body {{ font: 12px/1.4 "Reportgen Sans"; width: 220px }}
.even {{ text-align: justify; hyphens: auto }}
.spaced {{ letter-spacing: 2px; word-spacing: 3px }}
.cut {{ overflow-wrap: anywhere; width: 30px }}
.lined {{ text-decoration: underline line-through }}
.figures {{ font-variant-numeric: lining-nums tabular-nums; font-variant-ligatures: none }}
.note {{ float: {note} }}
</style></head><body>
<p class="even">An extraordinarily long sentence whose lines are as wide as the paragraph, incomprehensibly.</p>
<p class="spaced">Letters and words apart, over more than one single line of text.</p>
<p class="cut">Incomprehensibilities</p>
<p class="lined">Two lines through and below</p>
<p class="figures">0123456789 office, fi, ffl<br>a new line</p>
<p dir="rtl" lang="he">1 שלום, 2</p>
<ol><li>one</li><li>two</li></ol>
<p>Some text<span class="note">said below</span> and more.</p>
</body></html>"""
ATTACHED = pdf.Attached("result.json", b"{}", "2026-01-01T00:00:00Z")
DRAWING = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='200' height='60' "
    "font-family='Reportgen Sans' font-size='10'%3E{}%3C/svg%3E"
)


def typeset(page):
    return pikepdf.open(io.BytesIO(pdf._set_in_known_letters(page, ATTACHED).content))


def by_weasyprint_alone(monkeypatch, page):
    with monkeypatch.context() as patched:
        patched.setattr(quicker, "KNOWN", "no version")
        return typeset(page)


def contents(document):
    return [page.Contents.read_bytes() for page in document.pages]


def drawn(text):
    """A page with one text of an SVG."""
    body = DRAWING.format(text.replace("<", "%3C").replace(">", "%3E"))
    return PAGE.format(note="none").replace("<ol>", f'<img alt="a drawing" src="{body}"><ol>')


@pytest.mark.parametrize("note", ["none", "footnote"])
def test_lines_are_set_as_weasyprint_sets_them(monkeypatch, note):
    page = PAGE.format(note=note)
    quick, slow = typeset(page), by_weasyprint_alone(monkeypatch, page)
    assert contents(quick) == contents(slow)
    assert b"TJ" in contents(quick)[0]


def test_a_page_with_footnotes_has_their_marks(monkeypatch):
    plain, noted = (contents(typeset(PAGE.format(note=note))) for note in ("none", "footnote"))
    assert plain != noted
    assert noted == contents(by_weasyprint_alone(monkeypatch, PAGE.format(note="footnote")))


def test_a_line_of_a_drawing_is_shown_as_a_whole(monkeypatch):
    page = drawn("<text x='10' y='20' fill='black' transform='rotate(-90 10 20)'>Wave AVATAR</text>")
    shown = [
        len(re.findall(rb"TJ", contents(made)[0])) for made in (typeset(page), by_weasyprint_alone(monkeypatch, page))
    ]
    assert shown[1] - shown[0] == len("WaveAVATAR") - 1  # a space leaves no mark
    without = len(re.findall(rb"TJ", contents(typeset(PAGE.format(note="none")))[0]))
    assert shown[0] == without + 1


@pytest.mark.parametrize(
    "text",
    [
        "<text x='10 30 50' y='20'>abc</text>",
        "<text x='10' y='20' dx='3'>abc</text>",
        "<text x='10' y='20' textLength='90'>abc</text>",
        "<text x='10' y='20' font-style='italic'>abc</text>",
        "<text x='10' y='20' font-weight='bold'>abc</text>",
        "<text x='10%' y='20'>abc</text>",
        "<text x='10' y='20'>a<tspan dy='3'>b</tspan>c</text>",
        "<g letter-spacing='4'><text x='10' y='20'>abc</text></g>",
        "<text y='20'>abc</text>",
    ],
)
def test_texts_whose_letters_are_set_apart_are_drawn_by_weasyprint(monkeypatch, text):
    page = drawn(text)
    assert contents(typeset(page)) == contents(by_weasyprint_alone(monkeypatch, page))


def test_an_anchored_text_stands_at_its_anchor(monkeypatch):
    # "nnn" has neither kerning nor ligatures: whole or by letters, its drawing has the same box and place.
    page = drawn("<g text-anchor='end'><text x='90' y='20'>nnn</text></g>")
    quick, slow = typeset(page), by_weasyprint_alone(monkeypatch, page)
    boxes = [[list(map(float, part.BBox)) for part in made.objects if _is_form(part)] for made in (quick, slow)]
    assert boxes[0]
    assert boxes[0][0] == pytest.approx(boxes[1][0], abs=0.01)
    assert contents(quick) == contents(slow)


def _is_form(part):
    return isinstance(part, pikepdf.Stream) and part.get("/Subtype") == "/Form"


def test_weasyprint_is_left_as_it_was():
    before = (svg.text, dict(svg.TAGS), Layout.setup, Layout.deactivate, Layout.reactivate, pydyf.Stream.data)
    with quicker.quicker(""):
        assert Layout.setup is not before[2]
        assert svg.TAGS["text"] is svg.text is not before[0]
    after = (svg.text, dict(svg.TAGS), Layout.setup, Layout.deactivate, Layout.reactivate, pydyf.Stream.data)
    assert after == before


def test_another_version_of_weasyprint_is_used_as_it_is(monkeypatch):
    monkeypatch.setattr(weasyprint, "__version__", "70.1")
    before = Layout.setup
    with quicker.quicker(""):
        assert Layout.setup is before


def test_every_stream_is_packed_once_and_read_again(monkeypatch):
    packed = []
    compress = zlib.compress
    monkeypatch.setattr(zlib, "compress", lambda content, level: packed.append(content) or compress(content, level))
    made = pydyf.PDF()
    made.add_page(
        pydyf.Dictionary({"Type": "/Page", "Parent": made.pages.reference, "MediaBox": pydyf.Array([0, 0, 9, 9])})
    )
    stream = pydyf.Stream([b"0 0 m", "1 1 l", 2.5], compress=True)
    made.add_object(stream)
    made.catalog["Kept"] = stream.reference
    target = io.BytesIO()
    with quicker.quicker(""):
        written.written_once(made)
        made.write(target, identifier=b"same", compress=True)
    assert packed.count(b"0 0 m\n1 1 l\n2.5") == 1
    assert len(packed) == len(set(packed))
    with pikepdf.open(target) as document:
        assert document.Root.Kept.read_bytes() == b"0 0 m\n1 1 l\n2.5"
        assert len(document.pages) == 1


def test_sheets_have_the_last_values_of_the_root():
    sheets = with_values(
        [
            ":root { --ink: #111; --line: 1px solid var(--ink) } /* var(--ink) */ p { color: var(--ink) }",
            ".high { --verdict: var(--ink) } .word { color: var(--verdict); border: var(--line) }",
            ":root { --ink: #222 }",
        ]
    )
    assert "p { color: #222 }" in sheets[0]
    assert "var(--ink)" not in "".join(sheets)
    assert ".high { --verdict: #222 } .word { color: var(--verdict); border: 1px solid #222 }" in sheets[1]


def test_a_property_that_is_set_elsewhere_too_stays_a_property():
    sheet = ":root { --ink: #111 } .dark { --ink: #eee } p { color: var(--ink) }"
    assert with_values([sheet]) == [sheet]
