"""What others' programs say of reports in a look of one's own: that of examples/look, and one with a PNG logo."""

import io

import pytest
from PIL import Image

from reportgen import api
from reportgen.render import RenderedBy, render
from reportgen.toml_file import read_toml

pytestmark = pytest.mark.checks
LOGOS = ("svg", "png")
SUFFIXES = ("html", "pdf", "summary.html", "summary.pdf")


@pytest.fixture(scope="session")
def drawn(cases, rendering, adult, tmp_path_factory):
    """The folder of reports: `svg.html`, `svg.summary.pdf`, `png.html`, …"""
    folder = tmp_path_factory.mktemp("looks")
    example = adult.parent / "look"
    stream = io.BytesIO()
    Image.new("RGBA", (300, 100), "#00566B80").save(stream, "PNG")
    (folder / "logo.png").write_bytes(stream.getvalue())
    for kind, name in zip(LOGOS, ("low_long", "high"), strict=True):
        logo = str(example / "logo.svg" if kind == "svg" else folder / "logo.png")
        own = api.own_look(read_toml(example / "reportgen.toml")["look"] | {"logo": logo}, example / "templates")
        for suffix in SUFFIXES:
            path = folder / f"{kind}.{suffix}"
            path.write_bytes(
                render(path.name, cases[name], RenderedBy(rendering.tool_version, rendering.versions, own))
            )
    return folder


@pytest.fixture(scope="session")
def looks_validated(verapdf, drawn):
    return verapdf(*sorted(drawn.glob("*.pdf")))


@pytest.fixture(scope="session")
def looks_seen(browse, drawn):
    return browse(*sorted(drawn.glob("*.html")))


@pytest.mark.parametrize("standard", ["3a", "ua1"])
@pytest.mark.parametrize("name", ["svg", "svg.summary", "png", "png.summary"])
def test_an_own_look_keeps_both_standards(looks_validated, name, standard):
    counted, failed = looks_validated
    assert failed.get((name, standard), []) == []
    assert counted[name, standard] > 1000  # it was looked at


def test_markup_and_styles_of_an_own_look_are_valid(vnu, drawn):
    assert vnu(*sorted(drawn.glob("*.html"))) == []


@pytest.mark.parametrize("name", ["svg", "svg.summary", "png", "png.summary"])
def test_nobody_who_reads_an_own_look_is_shut_out(looks_seen, name):
    visit = looks_seen[name]
    for view in visit["views"]:
        where = view["scheme"], view["width"]
        assert (where, view["violations"], view["faint"], view["overflow"]) == (where, [], [], 0)
        assert (view["brokenImages"], view["closedDetails"]) == (0, 0)
    assert visit["complaints"] == []
    assert {request.rpartition("/")[2] for request in visit["requests"]} == {f"{name}.html"}


def test_page_one_stays_one_page_below_a_logo(drawn, text_of):
    for kind in LOGOS:
        first, second = text_of(drawn / f"{kind}.pdf")[:2]
        assert "GDPR Recital 26" in " ".join(first.split())
        assert "Contents" in second
        assert len(text_of(drawn / f"{kind}.summary.pdf")) == 1
