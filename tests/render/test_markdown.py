"""The Markdown summary, read again by a Markdown parser."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reportgen.model import Reason, Verdict
from reportgen.render import render
from reportgen.render.markdown import plain
from reportgen.shown import escaped

EVERY = ["leaky", "moderate", "low", "no_holdout", "hostile", "failed", "policy", "hostile_rules", "crowded", "endless"]
OUR_TAGS = {"h2", "h3", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "hr"}


def summary(result, rendering):
    return render("r.md", result, rendering).decode()


def html(text):
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def tags(page):
    return set(re.findall(r"<(?:!--|/?([a-zA-Z][a-zA-Z0-9]*))", page))


@pytest.mark.parametrize("name", EVERY)
def test_the_page_has_no_element_that_is_not_ours(results, rendering, name):
    assert tags(html(summary(results[name], rendering))) <= OUR_TAGS


@pytest.mark.parametrize("name", EVERY)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(results, rendering, name):
    page = html(summary(results[name], rendering))
    tables = re.findall(r"<table>.*?</table>", page, re.DOTALL)
    assert len(tables) == 3
    for table in tables:
        rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        assert len({len(re.findall(r"<t[hd]\b", row)) for row in rows}) == 1
        assert all(re.sub(r"<[^>]*>", "", cell).strip() for row in rows for cell in re.findall(r"<td.*?</td>", row))


@pytest.mark.parametrize("name", EVERY)
def test_the_summary_is_short_and_has_no_control_character(results, rendering, name):
    content = render("r.md", results[name], rendering)
    assert len(content) < 100_000
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ufffe\uffff]", content.decode())


def test_it_says_verdict_reasons_what_was_compared_smallest_leak_scores_limits_and_gate(results, rendering):
    text = summary(results["leaky"], rendering)
    assert text.startswith(
        "## ✗ High risk\n\n**Census extract for the open-data portal**\n\n99 of the 2,000 synthetic rows"
    )
    headings = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert headings == [
        "Why",
        "Release gate",
        "What was compared",
        "Smallest leak this run would have noticed",
        "Scores",
        "Limits of this assessment",
    ]
    assert "- **Exact copies**: 99 synthetic rows are identical" in text
    assert "| verdict | below inconclusive | ✗ not met | The verdict is high;" in text
    assert "| Synthetic · syn.csv.gz | 2,000 | 3 | bbbbbbbbbbbb |" in text
    assert "| Exact copies: rows equal to an original row (% of synthetic rows) | 4.95 | 3.96 to 6.14 | 0.00 |" in text


def test_a_score_on_the_side_of_closeness_is_marked_although_it_makes_no_verdict(results, rendering):
    line = next(line for line in summary(results["leaky"], rendering).splitlines() if line.startswith("| Closest Rate"))
    assert line.endswith("| ! Closer |")


def test_rules_that_failed_come_first_and_waivers_are_told_of(results, rendering):
    text = summary(results["policy"], rendering)
    rules = re.findall(r"^\| (\S+) \| .* \| ([✓✗!–]) [^|]* \| [^|]*\|$", text, re.MULTILINE)
    assert rules[:2] == [("distance\\_to\\_closest.outlier", "✗"), ("leak\\_test.p\\_value", "✗")]
    assert ("verdict", "!") in rules
    assert "Waived until 2027-01-31 by A. Officer, up to moderate: known twins" in text
    assert "No rule needed this waiver of tolerance: Waived until 2027-06-30 by C. Officer: never needed" in text
    assert "**Release gate not met: 2 of 5 rules" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@team", "@&#8203;team"),
        ("#12", "#&#8203;12"),
        ("http://example.org", "http:&#8203;//example.org"),
        ("WWW.example.org", "WWW&#8203;.example.org"),
        ("[a](b) ![c](d)", r"\[a\](b) !\[c\](d)"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("a|b", r"a\|b"),
        ("`x` *y* _z_ ~w~ $v$", r"\`x\` \*y\* \_z\_ \~&#8203;w\~ \$&#8203;v\$"),
        ("&copy;", "&amp;&#8203;copy;"),
        ("a\nb", r"a\\nb"),
        ("\\|", r"\\\|"),
        (" a ", "a"),
        ("!12 %3 ~bug 95 % & x", r"!&#8203;12 %&#8203;3 \~&#8203;bug 95 % &amp; x"),
    ],
)
def test_text_is_shown_and_never_read(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    "text", ["- item", "1. item", "# head", "> quote", "---", "```", "    code", "* * *", "<!-- x", "[^1]: note"]
)
def test_text_at_the_head_of_a_line_begins_no_block(make, rendering, text):
    reason = Reason(code="no_true_holdout", metric=None, text=text)
    verdict = Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(reason,))
    page = html(summary(make(verdict=verdict, title=text), rendering))
    plain_page = html(
        summary(
            make(verdict=verdict.model_copy(update={"reasons": (reason.model_copy(update={"text": "x"}),)}), title="x"),
            rendering,
        )
    )
    structure = re.compile(r"</?(?:h\d|ul|ol|li|blockquote|hr|pre|table)\b")
    assert structure.findall(page) == structure.findall(plain_page)


def test_long_text_and_many_reasons_are_cut_and_the_cut_is_told(make, rendering):
    reasons = tuple(Reason(code="identifier_reuse", metric=None, text="x" * 20_000) for _ in range(500))
    verdict = Verdict(level="high", tolerance=1.0, upper_bound=None, reasons=reasons)
    text = summary(make(verdict=verdict, title="t" * 1000), rendering)
    assert len(text) < 100_000
    assert "480 further reasons stand in the report." in text
    assert "x…x" in text


def test_text_that_grows_when_it_is_escaped_stays_bounded():
    assert len(plain("#" * 10_000)) <= 2000
    assert plain("#" * 100).count("#") == 200  # one of each sign, and one of each entity


@given(
    st.text(
        alphabet=st.one_of(st.characters(codec="utf-8"), st.sampled_from("\\`*_[]()<>&|~!#@:/.$-+=\n w1")), max_size=60
    )
)
def test_any_text_reads_as_it_was_written(text):
    page = html(f"**{plain('x' + text + 'x')}** end")
    shown = unescape(re.sub(r"</?(?:p|strong)>", "", page)).replace("\N{ZERO WIDTH SPACE}", "")
    assert shown == f"{escaped('x' + text + 'x')} end\n"
