import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import model
from reportgen.errors import EnvironmentLacking, InputError
from reportgen.render import FORMATS, format_of, render, render_together


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.html", ".html"),
        ("B.PDF", ".pdf"),
        ("x/y.tar.json", ".json"),
        ("a.intoto.json", ".intoto.json"),
        ("A.JUnit.XML", ".junit.xml"),
        ("a.b.prom", ".prom"),
        ("a.summary.html", ".summary.html"),
        ("A.Summary.PDF", ".summary.pdf"),
        ("summary.html", ".html"),
    ],
)
def test_format_follows_from_the_suffix(name, suffix):
    assert format_of(name).suffix == suffix


@pytest.mark.parametrize("name", ["report", "report.docx", "html", "", "a.xml", "a.summary.docx"])
def test_unknown_suffix_names_the_known_ones(name):
    with pytest.raises(InputError) as caught:
        format_of(name)
    assert all(one.suffix in str(caught.value) for one in FORMATS)
    assert "\n" not in str(caught.value)


def test_longest_suffix_wins(monkeypatch):
    from reportgen import render as package

    longer = package.Format(".longer.html", "reportgen.render.html")
    monkeypatch.setattr(package, "FORMATS", (*FORMATS, longer))
    assert format_of("a.longer.html") is longer
    assert format_of("a.html").suffix == ".html"


def test_the_help_lists_every_suffix():
    from reportgen.cli.options import SUFFIXES

    assert SUFFIXES.split() == [one.suffix for one in FORMATS]


def test_the_readme_lists_every_suffix():
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\.[a-z.]+)` \|", text, re.MULTILINE) == [one.suffix for one in FORMATS]


def test_json_is_the_result(results, rendering):
    content = render("a.json", results["leaky"], rendering)
    assert content == model.to_json(results["leaky"]).encode()
    assert model.Result.model_validate(json.loads(content)) == results["leaky"]


def test_files_of_one_run_are_those_that_each_format_writes_alone(results, rendering):
    names = ["a.md", "a.json", "a.prom"]
    made = render_together(names, results["leaky"], rendering)
    assert list(made.contents) == names
    assert made.lacking is None
    assert made.contents == {name: render(name, results["leaky"], rendering) for name in names}


def test_what_the_machine_cannot_make_is_named_and_the_others_are_made(results, rendering, monkeypatch):
    def lacking(*_):
        msg = "Pango is missing"
        raise EnvironmentLacking(msg)

    monkeypatch.setattr("reportgen.render.pdf.render", lacking)
    made = render_together(["a.intoto.json", "a.pdf", "a.md"], results["leaky"], rendering)
    assert list(made.contents) == ["a.intoto.json", "a.md"]
    assert str(made.lacking) == "Pango is missing"
    assert b'"a.md"' in made.contents["a.intoto.json"]
    assert b'"a.pdf"' not in made.contents["a.intoto.json"]


def test_progress_counts_the_files_of_a_run(results, rendering):
    told = []
    render_together(["a.md", "a.json"], results["leaky"], rendering, lambda *step: told.append(step))
    assert told == [("write", 0, 2), ("write", 1, 2)]


def test_the_formats_of_a_pipeline_load_no_library_that_measures_or_draws():
    script = (
        "import sys, importlib, reportgen.render\n"
        "[importlib.import_module(one.module) for one in reportgen.render.FORMATS if one.suffix not in ('.pdf',)]\n"
        "heavy = ('weasyprint', 'matplotlib', 'pandas', 'faiss', 'scipy', 'pyarrow', 'reportgen.read')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_package_and_writing_json_loads_no_drawing_library():
    script = (
        "import sys, reportgen.render, reportgen.render.json, reportgen.render.html\n"
        "print([name for name in ('weasyprint', 'matplotlib', 'pandas', 'faiss', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
