"""What others' programs say of the HTML: the Nu HTML checker, and axe-core in Chromium as a reader sees the page."""

import pytest

pytestmark = pytest.mark.checks
LINE = 75
"""Characters that a line of running text may hold."""
UNDECIDED = {"color-contrast", "th-has-data-cells"}
"""Rules that axe-core leaves open on some nodes: browse.js works out the contrast, test_html tests the heads."""


@pytest.fixture(scope="session")  # cases are run one after the other, over modules
def visits(browse, reports):
    return browse(*sorted(reports.glob("*.html")))


def test_markup_and_styles_are_valid(vnu, reports):
    assert vnu(*sorted(reports.glob("*.html"))) == []


def test_checker_of_markup_finds_faults(vnu, tmp_path):
    page = tmp_path / "faulty.html"
    page.write_text("<!DOCTYPE html><html lang=en><title>Faulty</title><p id=a><p id=a>", encoding="utf-8")
    assert any("Duplicate ID" in message for message in vnu(page))


def test_nobody_who_reads_is_shut_out(visits, case):
    found = [(view["scheme"], view["width"], one) for view in visits[case]["views"] for one in view["violations"]]
    assert found == []


def test_what_stays_undecided_is_decided_elsewhere(visits, case):
    assert {one["rule"] for view in visits[case]["views"] for one in view["incomplete"]} <= UNDECIDED


def test_all_text_stands_out_from_its_ground(visits, case):
    assert [(view["scheme"], view["width"], view["faint"]) for view in visits[case]["views"] if view["faint"]] == []


def test_dark_scheme_is_dark(visits, case):
    grounds = {view["scheme"]: view["background"] for view in visits[case]["views"]}
    assert grounds == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 24, 27)"}


def test_page_never_scrolls_sideways(visits, case):
    assert [(view["width"], view["overflow"]) for view in visits[case]["views"] if view["overflow"]] == []


def test_contents_stay_beside_the_text_on_wide_screens(visits, case):
    assert {view["width"]: view["contentsStays"] for view in visits[case]["views"]} == {
        360: False,
        768: False,
        1400: True,
    }


def test_lines_of_running_text_are_short(visits, case):
    lengths = [int(length) for view in visits[case]["views"] for length in view["lines"]]
    assert max(lengths) <= LINE


def test_nothing_but_the_file_is_asked_for(visits, case):
    assert {request.rpartition("/")[2] for request in visits[case]["requests"]} == {f"{case}.html"}
    assert visits[case]["complaints"] == []


def test_pictures_are_there_and_details_stand_open(visits, case):
    for view in visits[case]["views"]:
        assert view["brokenImages"] == view["closedDetails"] == 0


def test_browser_finds_faults(browse, tmp_path):
    page = tmp_path / "faulty.html"
    page.write_text(
        "<!DOCTYPE html><html lang=en><title>Faulty</title><nav class=contents></nav>"
        "<main style='background: #fff; width: 3000px'><h1>Title</h1>"
        "<p class=wide style='color: #999'>" + "A line that goes on and on. " * 20 + "<img src=none.png></main>",
        encoding="utf-8",
    )
    view = browse(page)["faulty"]["views"][0]
    assert "image-alt" in {one["rule"] for one in view["violations"]}
    assert view["faint"]
    assert view["overflow"] > 0
    assert view["brokenImages"] == 1
    assert max(map(int, view["lines"])) > 100


def test_file_is_below_two_megabytes(reports, case):
    assert (reports / f"{case}.html").stat().st_size < 2_000_000
