"""What others' programs say of the pages that speak of several results: what changed, and several releases."""

import pytest

import reportgen
from reportgen.changes import compare
from reportgen.releases import Releases, release
from reportgen.render.compare_page import compare_page, shown_scores
from reportgen.render.releases_page import releases_page
from reportgen.render.table_page import render_page

pytestmark = pytest.mark.checks
PAGES = ("changed", "changed_100_columns", "releases")


@pytest.fixture(scope="session")
def pages(cases, rendering, tmp_path_factory):
    """The folder of all pages, each as HTML and PDF."""
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "changed": _changed(cases["low_long"], cases["high"]),
        "changed_100_columns": _changed(
            cases["inconclusive_100_columns_no_holdout"], cases["moderate_long_100_columns"]
        ),
        "releases": _releases({name: cases[name] for name in ("low_long", "high")}),
    }
    assert tuple(made) == PAGES
    for name, page in made.items():
        for suffix in ("html", "pdf"):
            (folder / f"{name}.{suffix}").write_bytes(render_page(page, f"{name}.{suffix}", rendering))
    return folder


def _changed(older, newer):
    names = ("a_long_name_of_the_older_result_of_the_register", "newer")
    return compare_page(newer, compare(older, newer, names, shown_scores(older, newer)))


def _releases(results):
    lines = tuple(release(name, one, reportgen.Assessment(one).gate) for name, one in results.items())
    return releases_page(results["high"], Releases(releases=lines), results)


@pytest.fixture(scope="session")
def seen(browse, pages):
    return browse(*sorted(pages.glob("*.html")))


def test_markup_and_styles_are_valid(vnu, pages):
    assert vnu(*sorted(pages.glob("*.html"))) == []


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_them_at_every_width_in_light_and_dark(seen, name):
    for view in seen[name]["views"]:
        where = view["scheme"], view["width"]
        assert (where, view["violations"], view["faint"], view["overflow"]) == (where, [], [], 0)
        assert max(int(length) for length in view["lines"]) <= 75
    assert {request.rpartition("/")[2] for request in seen[name]["requests"]} == {f"{name}.html"}
    assert seen[name]["complaints"] == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("standard", ["3a", "ua1"])
def test_files_keep_both_standards(verapdf, pages, name, standard):
    counted, failed = verapdf(pages / f"{name}.pdf")
    assert failed.get((name, standard), []) == []
    assert counted[name, standard] > 1_000


@pytest.mark.parametrize("name", PAGES)
def test_structure_is_sound(qpdf, pages, name):
    assert "No syntax or stream encoding errors found" in qpdf("--check", pages / f"{name}.pdf")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_its_head(pages, text_of, name):
    texts = text_of(pages / f"{name}.pdf")
    assert all(f"page {number} of {len(texts)}" in text for number, text in enumerate(texts, 1))
