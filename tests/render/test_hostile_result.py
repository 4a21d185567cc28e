"""A result made by an attacker, given to the loader and to every format: safe, and bounded in time and memory."""

from __future__ import annotations

import builtins
import html
import io
import json
import os
import re
import socket
import urllib.request
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pikepdf
import pytest

import reportgen
from reportgen import render
from reportgen.api import LARGEST_RESULT, parse
from reportgen.json_text import DEEPEST, MOST_ITEMS
from reportgen.model import to_json

HOSTILE = (
    "<script>alert(1)</script>",
    "</style></script><!--",
    "]]><svg onload=alert(1)>",
    "<img src=x onerror=alert(1)><iframe src='//example.org'>",
    "{{ 12345 * 67891 }}{% include '/etc/passwd' %}{# x",
    "=cmd|' /C calc'!A1",
    "@SUM(1+1)*cmd",
    "+1+1",
    "-2+3",
    "../../../../etc/passwd",
    "url(file:///etc/passwd)",
    "@import 'http://example.org/x.css';",
    "a{background:url(http://example.org/x.png)}",
    "![x](http://example.org/x.png)[a](javascript:alert(1))|`x`",
    "$\\frac{1}{0}$",
    "&xxe;<!DOCTYPE a [<!ENTITY xxe SYSTEM 'file:///etc/passwd'>]>",
    "\u202etxt.exe\u2066\u2028\ufff9",
    "\x00\x07\x1b[31m\x7f\x9b",
    "a\r\nSet-Cookie: x",
    "data:text/html,<script>alert(1)</script>",
    "\"'`<>&",
    "%s%n{0}${x}",
)


def attacked(result, texts):
    """Put hostile texts in place of every free string of a result: names, sentences, reasons, versions, settings."""
    plain = json.loads(to_json(result))
    number = iter(range(10**6))

    def next_text():
        return texts[next(number) % len(texts)]

    plain["title"], plain["command"] = next_text(), next_text()
    plain["tool"]["version"] = next_text()
    plain["environment"] = {next_text()[:90]: next_text() for _ in range(8)}
    plain["settings"] |= {"title": next_text(), "context": "\n".join(texts), "recipients": next_text()}
    plain["settings"] |= {name: [next_text(), next_text()] for name in ("key", "ignore", "numeric", "categorical")}
    for side in plain["inputs"].values():
        if side:
            side["name"] = next_text()
    for column in plain["columns"]:
        column |= {"name": next_text(), "remarks": [next_text()], "reason": next_text()}
    plain["columns"] += [plain["columns"][0] | {"name": text, "used": False} for text in texts]
    plain["holdout"]["warnings"] = list(texts)
    for metric in plain["metrics"].values():
        if metric["status"] == "not_measured":
            metric["reason"] = next_text()
    plain["metrics"]["exact_copies"]["scores"] |= {
        f"column:{text}:reused": {"value": 0.5, "unit": "share", "better": "lower"} for text in texts
    }
    for finding in plain["findings"]:
        finding |= {"text": next_text(), "region": next_text()}
    plain["findings"] += [{"code": "file_remark", "severity": "info", "text": text, "region": text} for text in texts]
    for reason in plain["verdict"]["reasons"]:
        reason["text"] = next_text()
    plain["verdict"]["reasons"] += [{"code": "too_few_rows", "metric": None, "text": text} for text in texts]
    return plain


@pytest.fixture(scope="module")
def hostile(results):
    return parse(json.dumps(attacked(results["leaky"], HOSTILE)).encode(), "r.json")


@pytest.fixture(scope="module")
def everything(hostile):
    """The hostile result in every format, made while the network and the files that its texts name are watched."""
    asked = []
    real_open, real_os_open = builtins.open, os.open

    def watched(path, *arguments, real=real_open, **how):
        if not isinstance(path, int) and "passwd" in os.fsdecode(path):
            asked.append(path)
        return real(path, *arguments, **how)

    def refuse(*arguments, **_):
        asked.append(arguments)
        raise AssertionError("the network was asked for")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        patch.setattr(urllib.request, "urlopen", refuse)
        patch.setattr(builtins, "open", watched)
        patch.setattr(io, "open", watched)
        patch.setattr(os, "open", lambda *a, **k: watched(*a, real=real_os_open, **k))
        made = {one.suffix: hostile.rendered(f"r{one.suffix}") for one in render.FORMATS}
    assert asked == []
    return made


class Tags(HTMLParser):
    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.tags = []
        self.words = []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def test_every_format_is_made(everything):
    assert {one.suffix for one in render.FORMATS} == set(everything)
    assert all(everything.values())


def test_nothing_of_a_page_is_run_or_fetched(everything):
    for suffix, content in everything.items():
        if not suffix.endswith(".html"):
            continue
        page = Tags(content.decode())
        assert [attrs.get("type") for tag, attrs in page.tags if tag == "script"] in ([], ["application/json"])
        assert not {"iframe", "object", "embed", "form", "base", "link", "foreignobject"} & {
            tag for tag, _ in page.tags
        }
        for tag, attrs in page.tags:
            assert not [name for name in attrs if name.startswith("on")], tag
            for name in ("src", "srcset", "href", "xlink:href", "action", "data", "poster", "background"):
                assert attrs.get(name) is None or attrs[name].startswith(("#", "data:image/svg+xml,")), (tag, attrs)
            assert "style" not in attrs
        styles = "".join(re.findall(r"<style[^>]*>(.*?)</style>", content.decode(), flags=re.DOTALL))
        assert not re.search(r"@import|url\((?!data:)", styles)
        assert "example.org" not in styles


def test_templates_inside_names_are_words(everything):
    for suffix, content in everything.items():
        if suffix.endswith(".html"):
            assert "12345 * 67891" in content.decode()
        assert b"838114395" not in content


def test_nothing_turns_the_words_after_it_round(everything):
    for suffix, content in everything.items():
        if suffix.endswith(".html"):
            assert not re.search(
                "[\u2028\u2029\u202a-\u202e\u2066-\u2069\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", content.decode()
            )


def test_the_block_inside_a_page_is_still_the_result(hostile, everything):
    for suffix, content in everything.items():
        if suffix == ".html":
            block = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', content.decode(), re.DOTALL)
            assert json.loads(block[1]) == json.loads(hostile.to_json())


def test_xml_and_json_of_every_format_are_well_formed(everything):
    for suffix, content in everything.items():
        if suffix.endswith((".json", ".sarif")):
            json.loads(content)
        if suffix.endswith(".xml"):
            assert b"<!DOCTYPE" not in content
            ET.fromstring(content)


def test_text_formats_hold_no_control_character_and_no_live_markup(everything):
    for suffix, content in everything.items():
        if suffix.endswith((".md", ".prom")):
            text = content.decode()
            assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
        if suffix == ".md":
            assert "<script" not in content.decode()
            assert not re.search(r"(?<!\\)\]\(", content.decode())  # a bracket that is escaped opens no link


def test_a_pdf_starts_nothing_and_leads_nowhere(everything):
    for suffix, content in everything.items():
        if suffix.endswith(".pdf"):
            with pikepdf.open(io.BytesIO(content)) as document:
                for item in document.objects:
                    if isinstance(item, pikepdf.Dictionary):
                        assert item.get("/S") not in {"/JavaScript", "/Launch", "/URI", "/GoToR", "/SubmitForm"}
                        assert "/JS" not in item
                        assert "/AA" not in item
                assert set(document.attachments) <= {"result.json"}


def test_a_notebook_and_a_terminal_show_words(hostile):
    page = Tags(hostile._repr_html_())
    assert {tag for tag, _ in page.tags} <= {"div", "p", "strong", "ul", "li"}
    assert html.escape(HOSTILE[0])[:10] not in repr(hostile)


def refusal(text):
    with pytest.raises(reportgen.InputError) as caught:
        parse(text if isinstance(text, bytes) else json.dumps(text).encode(), "r.json")
    said = str(caught.value)
    assert said.startswith("r.json: ")
    assert said.isprintable()
    assert len(said) < 250
    return said


def plain(results):
    return json.loads(to_json(results["leaky"]))


def test_a_key_that_stands_twice_is_refused(results):
    text = to_json(results["leaky"])
    assert "twice" in refusal(text.replace('"title":', '"title": "another",\n "title":', 1).encode())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 400, "9" * 5000])
def test_a_number_that_is_none_is_refused(results, number):
    text = to_json(results["leaky"])
    assert refusal(re.sub(r'"tolerance": [\d.]+', f'"tolerance": {number}', text).encode())


def test_a_number_in_quotes_is_refused(results):
    changed = plain(results)
    changed["verdict"]["tolerance"] = "1.0"
    assert "verdict.tolerance" in refusal(changed)


def test_half_a_character_is_refused(results):
    assert refusal(to_json(results["leaky"]).replace('"title": "', '"title": "\\ud800', 1).encode())
    assert refusal(to_json(results["leaky"]).encode("utf-16"))


def test_depth_and_number_of_values_are_bounded():
    assert "nested" in refusal(b"[" * 10**6)
    assert "nested" in refusal(b'{"a":' * 1000 + b"1" + b"}" * 1000)
    assert "nested" in refusal(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1))
    assert "more values" in refusal(b"[" + b"0," * MOST_ITEMS + b"0]")


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("title",), "x" * 10**6),
        (("columns", 0, "name"), "x" * 10**5),
        (("findings", 0, "text"), "x" * 10**6),
        (("environment",), {str(number): "x" for number in range(10**5)}),
        (("inputs", "original", "rows"), 10**30),
        (("inputs", "original", "name"), 7),
        (("columns",), {}),
        (("verdict",), []),
        (("metrics", "closest_rate"), None),
        (("settings", "seed"), True),
        (("settings", "lang"), "../../en"),
        (("metrics", "distance_to_closest", "distributions", "synthetic", "edges"), [0.0, 1.0] * 10**5),
        (("metrics", "closest_rate", "joint", "synthetic", "counts"), [[5] * 1000] * 400),
        (("controls", "detectable", "curve"), [{"rows": row + 1, "power": 0.5} for row in range(10**4)]),
    ],
)
def test_what_is_too_large_or_of_another_kind_is_refused(results, where, value):
    changed = plain(results)
    part = changed
    for name in where[:-1]:
        part = part[name]
    part[where[-1]] = value
    assert refusal(changed)


def test_what_is_as_large_as_allowed_is_laid_out_in_bounds(results):
    changed = plain(results)
    column = changed["columns"][0]
    changed["columns"] = [column | {"name": f"c{place}" + "x" * 300} for place in range(3000)]
    changed["findings"] = [{"code": "file_remark", "severity": "info", "text": "long " * 3900}] * 1000
    changed["verdict"]["reasons"] *= 500
    changed["command"] = "word " * 100_000
    changed["settings"]["context"] = "line\n" * 3900
    score = changed["metrics"]["exact_copies"]["scores"]["synthetic_rows"]
    changed["metrics"]["exact_copies"]["scores"] |= {f"column:c{place}:reused": score for place in range(3000)}
    text = json.dumps(changed).encode()
    assert len(text) < LARGEST_RESULT
    found = parse(text, "r.json")
    page = found.rendered("r.html").decode()
    laid_out = page[: page.index('<script type="application/json"')]
    assert len(laid_out) < 5_000_000
    assert laid_out.count("<tr>") < 2500
    assert "more characters in the attached result" in laid_out


def test_a_result_cannot_name_a_file_to_be_read(hostile, everything):
    with open("/etc/passwd", encoding="utf-8") as passwords:  # noqa: PTH123
        line = passwords.readline().strip().encode()
    for content in everything.values():
        assert line not in content
