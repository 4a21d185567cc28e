"""The finished reports in examples/reports: there, of one piece, and what an assessment brings today.

Nothing here is skipped: a file that is missing is a failure, and `python examples/rebuild.py` mends it.
"""

import copy
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import api, model
from reportgen.report_files import open_report

SCRIPT = Path(__file__).parent.parent / "examples" / "rebuild.py"
NAMES = ("good", "leaky", "ecg")
LEVELS = {"good": "low", "leaky": "high", "ecg": "high"}
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def rebuild():
    script = importlib.util.spec_from_file_location("rebuild", SCRIPT)
    module = importlib.util.module_from_spec(script)
    script.loader.exec_module(module)
    assert tuple(module.MADE) == NAMES
    return module


@pytest.mark.parametrize("name", NAMES)
def test_an_assessment_brings_the_result_that_is_kept(rebuild, name):
    found = rebuild.differences(rebuild.kept_result(name), rebuild.assess_again(name))
    assert not found, "these keys differ; python examples/rebuild.py makes the reports anew:\n" + "\n".join(found)


@pytest.mark.parametrize("name", NAMES)
def test_html_and_pdf_hold_the_result_beside_them(rebuild, name):
    kept = api.load(rebuild.REPORTS / f"{name}.json").result
    assert kept.verdict.level == LEVELS[name]
    for suffix in (".html", ".pdf"):
        report = open_report(rebuild.REPORTS / f"{name}{suffix}")
        assert api.parse(report.result, report.name).result == kept
        assert report.digest == model.digest(kept)
        assert len(report.content) < 2 * MEGABYTE


def test_the_readme_shows_the_picture(rebuild):
    picture = rebuild.REPORTS / rebuild.PICTURE
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")
    assert picture.stat().st_size < MEGABYTE / 4
    assert f"](examples/reports/{rebuild.PICTURE})" in (SCRIPT.parent.parent / "README.md").read_text(encoding="utf-8")


def test_no_other_file_lies_there(rebuild):
    made = {f"{name}{suffix}" for name in NAMES for suffix in rebuild.SUFFIXES}
    assert {path.name for path in rebuild.REPORTS.iterdir()} == made | {rebuild.PICTURE, "README.md"}


KEPT = {"created": "a", "environment": {"numpy": "1"}, "a": {"b": [1, 2.0, None], "c": "x"}, "level": "low"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (dict.copy, []),
        (lambda plain: plain.update(created="b", environment={}), []),
        (lambda plain: plain["a"]["b"].__setitem__(1, 2.0 + 1e-12), []),
        (lambda plain: plain["a"]["b"].__setitem__(1, 2.00001), ["a.b.1: 2.0, now 2.00001"]),
        (lambda plain: plain["a"]["b"].__setitem__(1, 2), ["a.b.1: 2.0, now 2"]),
        (lambda plain: plain["a"]["b"].__setitem__(0, True), ["a.b.0: 1, now True"]),
        (lambda plain: plain["a"]["b"].append(1), ["a.b: [1, 2.0, None], now [1, 2.0, None, 1]"]),
        (lambda plain: plain["a"].pop("c"), ["a.c: gone"]),
        (lambda plain: plain.update(d=1), ["d: new"]),
        (lambda plain: plain.update(level="high"), ["level: 'low', now 'high'"]),
    ],
)
def test_each_key_that_differs_is_named(rebuild, change, said):
    again = copy.deepcopy(KEPT)
    change(again)
    assert rebuild.differences(KEPT, again) == said


def test_a_result_that_is_missing_is_named_with_the_remedy(rebuild, monkeypatch, tmp_path):
    monkeypatch.setattr(rebuild, "EXAMPLES", tmp_path / "examples")
    with pytest.raises(
        rebuild.RebuildError, match=r"^examples/reports/ecg\.json is missing; python examples/rebuild\.py"
    ):
        rebuild.kept_result("ecg", tmp_path / "examples" / "reports")


def test_without_poppler_nothing_is_begun_and_the_error_says_what_to_install(tmp_path):
    script = (
        "import os, runpy, sys\n"
        "os.environ['PATH'] = ''\n"
        "sys.argv = ['rebuild.py']\n"
        f"runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "pdftoppm, which draws the picture for the README, is missing; install poppler-utils" in done.stderr


def test_a_failed_assessment_is_no_report(rebuild, monkeypatch, tmp_path):
    monkeypatch.setitem(rebuild.MADE, "good", rebuild.MADE["good"]._replace(synthetic="synthetic_none"))
    with pytest.raises(rebuild.RebuildError, match="synthetic_none"):
        rebuild.rebuild(tmp_path / "reports")
    assert not (tmp_path / "reports").exists()
