import json
import subprocess
import sys

import pytest

from reportgen import model
from reportgen.errors import InputError
from reportgen.render import FORMATS, format_of, render


@pytest.mark.parametrize(("name", "suffix"), [("a.html", ".html"), ("B.PDF", ".pdf"), ("x/y.tar.json", ".json")])
def test_format_follows_from_the_suffix(name, suffix):
    assert format_of(name).suffix == suffix


@pytest.mark.parametrize("name", ["report", "report.docx", "html", ""])
def test_unknown_suffix_names_the_known_ones(name):
    with pytest.raises(InputError) as caught:
        format_of(name)
    assert all(one.suffix in str(caught.value) for one in FORMATS)
    assert "\n" not in str(caught.value)


def test_longest_suffix_wins(monkeypatch):
    from reportgen import render as package

    longer = package.Format(".summary.html", "reportgen.render.html")
    monkeypatch.setattr(package, "FORMATS", (*FORMATS, longer))
    assert format_of("a.summary.html") is longer
    assert format_of("a.html").suffix == ".html"


def test_json_is_the_result(results, rendering):
    content = render("a.json", results["leaky"], rendering)
    assert content == model.to_json(results["leaky"]).encode()
    assert model.Result.model_validate(json.loads(content)) == results["leaky"]


def test_importing_the_package_and_writing_json_loads_no_drawing_library():
    script = (
        "import sys, reportgen.render, reportgen.render.json, reportgen.render.html\n"
        "print([name for name in ('weasyprint', 'matplotlib', 'pandas', 'faiss', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
