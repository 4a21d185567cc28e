import html
import itertools
import json
import re
import string
from html.parser import HTMLParser

import pytest

from reportgen import model
from reportgen.render.html import render
from reportgen.settings import Settings, Thresholds
from reportgen.shown import visible
from reportgen.words import catalog

VOID = {"meta", "link", "img", "br", "source", "hr", "input", "wbr"}
NAMES = (
    "leaky",
    "moderate",
    "low",
    "inconclusive",
    "no_holdout",
    "approximate",
    "hostile",
    "wide",
    "endless",
    "crowded",
    "reference_zero",
    "tiny",
    "nothing_measured",
    "with_null_range",
    "real_rows",
    "failed",
    "policy",
    "tolerated",
    "hostile_rules",
)


class Page(HTMLParser):
    """Collects what the tests ask about; fails on a tag that is closed out of order."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.texts, self.result = [], [], [], ""
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.result += data
        elif "style" not in self.open and data.strip():
            self.texts.append((self.open[-1] if self.open else "", data))

    def named(self, *names):
        return [(tag, attrs) for tag, attrs in self.tags if tag in names]

    @property
    def text(self):
        return "\n".join(text for _, text in self.texts)


@pytest.fixture(scope="module")
def sources(results, rendering):
    return {name: render(result, rendering).decode() for name, result in results.items()}


@pytest.fixture(scope="module")
def pages(sources):
    return {name: Page(source) for name, source in sources.items()}


def test_every_result_has_its_page(results):
    assert set(results) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_page_asks_nothing_of_the_network(sources, pages, name):
    for tag, attrs in pages[name].tags:
        for attribute in ("src", "srcset", "href", "action", "poster", "data"):
            address = attrs.get(attribute)
            assert address is None or address.startswith(("data:", "#")), (tag, attribute)
    styles = "".join(re.findall(r"<style[^>]*>(.*?)</style>", sources[name], flags=re.DOTALL))
    assert re.findall(r"url\((?!data:)", styles) == []
    assert "@import" not in styles


@pytest.mark.parametrize("name", NAMES)
def test_page_runs_nothing(pages, name):
    assert [attrs["type"] for _, attrs in pages[name].named("script")] == ["application/json"]
    for _, attrs in pages[name].tags:
        assert not [key for key in attrs if key.startswith("on")]
    assert pages[name].named("iframe", "object", "embed", "form") == []


@pytest.mark.parametrize("name", NAMES)
def test_embedded_block_equals_the_result(results, pages, name):
    assert json.loads(pages[name].result) == json.loads(model.to_json(results[name]))


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_every_link_has_its_target(pages, name):
    ids = [attrs["id"] for _, attrs in pages[name].tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {attrs["href"].removeprefix("#") for _, attrs in pages[name].named("a")}
    labels = {attrs["aria-labelledby"] for _, attrs in pages[name].tags if "aria-labelledby" in attrs}
    assert links | labels <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_headings_skip_no_level(pages, name):
    levels = [int(tag[1]) for tag, _ in pages[name].named("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("name", NAMES)
def test_head_cells_say_what_they_head(pages, name):
    assert all(attrs.get("scope") in {"col", "row", "rowgroup"} for _, attrs in pages[name].named("th"))


@pytest.mark.parametrize("name", NAMES)
def test_tables_have_as_many_cells_in_a_row_as_heads(sources, name):
    for table in re.findall(r"<table.*?</table>", sources[name], flags=re.DOTALL):
        width = len(re.findall(r"<th ", table.split("</thead>")[0]))
        for row in re.findall(r"<tr>.*?</tr>", table.split("</thead>")[1], flags=re.DOTALL):
            spans = [int(span) - 1 for span in re.findall(r'colspan="(\d+)"', row)]
            assert len(re.findall(r"<t[hd][ >]", row)) + sum(spans) == width


@pytest.mark.parametrize("name", NAMES)
def test_pictures_have_words_and_two_widths(pages, name):
    images = pages[name].named("img")
    assert all(len(attrs["alt"]) > 40 for _, attrs in images)
    assert len(pages[name].named("source")) == len(images)


@pytest.mark.parametrize("name", ["leaky", "real_rows"])
def test_no_picture_is_shown_twice(pages, name):
    shown = [attrs["alt"] for _, attrs in pages[name].named("img")]
    assert len(shown) == len(set(shown))


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("hostile")])
def test_text_has_no_gap_and_no_programmers_word(pages, name):
    page = pages[name]
    words = page.text + "\n".join(attrs["alt"] for _, attrs in page.named("img"))
    for wrong in ("None", "NaN", "True", "False", "{{", "}}", "{%", " ,", "..", "()", "Undefined"):
        assert wrong not in words, wrong
    assert not re.search(r" \.(?!\d)", words)  # .05 is a number
    assert not re.search(r"\b(inf|nan|null(?! range))\b", words)
    inner = [text for tag, text in page.texts if tag in {"p", "td", "th", "h1", "h2", "h3", "h4", "li", "bdi"}]
    assert not [text for text in inner if re.search(r"\S  +\S", text)]
    assert not [text for text in inner if not text.strip(string.whitespace + "\N{NO-BREAK SPACE}")]


@pytest.mark.parametrize("name", NAMES)
def test_page_promises_nothing(pages, name):
    for wrong in ("anonymous", "anonymised", "compliant", "guaranteed", "safe to"):
        assert wrong not in pages[name].text.lower()


@pytest.mark.parametrize("name", ["approximate", "no_holdout"])
def test_without_a_true_holdout_no_text_claims_unseen_rows(pages, name):
    text = pages[name].text.lower()
    for wrong in ("statement", "unseen real rows do", "that it never saw", "holdout, unseen"):
        assert wrong not in text


def test_approximate_holdout_is_never_called_just_a_holdout_in_a_score(pages):
    assert "% of the approximate holdout" in pages["approximate"].text
    assert "% of the holdout" not in pages["approximate"].text.split("Glossary")[0]


def test_hostile_names_stay_words(sources, pages, results):
    page = pages["hostile"]
    for column in results["hostile"].columns:
        assert visible(column.name).strip() in page.text
    assert "<script>alert" not in sources["hostile"]
    assert html.escape("<img src=http://example.org/x.png>") in sources["hostile"]
    assert "{{ 1 + 1 }}" in page.text


def test_control_characters_are_replaced(sources):
    for source in sources.values():
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", source)


def test_long_tables_say_how_many_rows_they_show(pages):
    assert "Showing 200 of 230 rows" in pages["endless"].text
    assert "Showing" not in pages["wide"].text


def test_page_is_small(sources):
    assert max(len(source.encode()) for source in sources.values()) < 2_000_000


def test_same_result_gives_the_same_bytes(results, rendering, sources):
    assert render(results["leaky"], rendering).decode() == sources["leaky"]


def test_result_that_was_read_again_gives_the_same_bytes(results, rendering, sources):
    again = model.Result.model_validate_json(model.to_json(results["leaky"]))
    assert render(again, rendering).decode() == sources["leaky"]


def test_tests_of_later_versions_share_one_frame(pages):
    headings = [text for tag, text in pages["leaky"].texts if tag == "h3"]
    assert headings.count("Tests that are not part of this version") == 1
    assert "Leak test" not in headings


def test_metric_that_could_not_be_measured_keeps_its_frame_with_the_reason(pages):
    page = pages["no_holdout"]
    assert ("h3", "Closest Rate") in page.texts
    assert page.text.count("A second closest row needs at least two rows on each side.") == 3


def test_ideal_range_has_a_column_only_when_it_is_known(pages):
    assert ("th", "Ideal range") in pages["with_null_range"].texts
    heads = [text for tag, text in pages["leaky"].texts if tag == "th"]
    assert heads.count("Ideal range") == 1  # the glossary's


def test_every_setting_has_its_meaning():
    assert set(catalog()["setting"]) >= set(Settings.model_fields) - {"thresholds"}
    assert set(catalog()["threshold"]) >= set(Thresholds.model_fields)


def test_metric_without_words_of_its_own_has_its_frame_all_the_same(make, results, rendering):
    score = model.Score(value=0.25, reference=0.292, unit="ratio", better="higher")
    metrics = results["leaky"].metrics | {"singling_out": model.Measured(scores={"lead:II:score": score})}
    page = Page(render(make(metrics=metrics), rendering).decode())
    assert ("p", "lead:II:score: 0.250.") in page.texts


def test_settings_and_context_are_the_users(pages):
    assert "Generator trained on a sample of UCI Adult." in pages["leaky"].text
    assert pages["leaky"].text.count("Not supplied.") == 3  # recipients, release model, generator


def test_every_figure_has_a_table_behind_it(pages):
    numbers = {"leaky": 0, "real_rows": 0, "low": 0}
    for name in numbers:
        page = pages[name]
        figures = [text.rstrip(".").split()[-1] for tag, text in page.texts if text.startswith("Figure ")]
        summaries = " ".join(text for tag, text in page.texts if tag == "summary")
        assert figures
        assert sorted(re.findall(r"\d+", summaries), key=int) == figures


def test_table_behind_the_cells_hides_small_counts_and_names_both_series(pages):
    text = pages["leaky"].text
    assert "Original rows by distance and ratio" in text
    assert "Against the synthetic rows, by r from" in text
    assert "Against the holdout, by r from" in text
    assert "1–4" in text
    assert ("td", "-1") not in pages["leaky"].texts
