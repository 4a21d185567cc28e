"""`--template-dir` and `[look]` from option, variable and file, for assess, render and verify; and the example."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import reportgen

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "look"
NOTE = '{% include "packaged/partials/badge.html" %}<p>A note of ours</p>'


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("look")
    tables = [pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)]}) for seed in range(3)]
    path = folder / "r.json"
    reportgen.assess(*tables, metric=["exact_copies"], fail_on="never").write(path)
    for name, table in zip(("o", "s", "h"), tables, strict=True):
        table.to_csv(folder / f"{name}.csv", index=False)
    return path


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_html", ".html").replace("_toml", ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_render_takes_the_folder_from_each_source_in_order(run, result, tmp_path, monkeypatch):
    for name in ("option", "variable", "file"):
        write(tmp_path, **{f"{name}__partials__badge_html": NOTE.replace("ours", name)})
    words = ("render", result, "-o", "r.summary.html")

    def note():
        return re.findall(r"A note of (\w+)", (tmp_path / "r.summary.html").read_text())

    assert run(*words)[0] == 0
    assert note() == []
    write(tmp_path, reportgen_toml='template_dir = "file"\n')
    assert run(*words)[0] == 0
    assert note() == ["file"]
    monkeypatch.setenv("REPORTGEN_TEMPLATE_DIR", "variable")
    assert run(*words)[0] == 0
    assert note() == ["variable"]
    assert run(*words, "--template-dir", "option")[0] == 0
    assert note() == ["option"]


def test_a_named_config_file_is_read(run, result, tmp_path):
    write(tmp_path, other_toml='[look.light]\naccent = "#00566B"\n')
    assert run("render", result, "-o", "r.summary.html", "-c", "other.toml")[0] == 0
    assert "--accent: #00566B" in (tmp_path / "r.summary.html").read_text()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('[look.light]\naccent = "#AAAAAA"\n', "look.light.accent: #AAAAAA on #F4F5F6 has a contrast of 2."),
        ('[look.light]\naccnt = "#AAAAAA"\n', "c.toml: setting 'look.light.accnt': is not known"),
        ('[look.dark]\nhigh = "red"\n', "c.toml: setting 'look.dark.high': give a colour as #RRGGBB"),
        ('[look]\nlogo = "x.svg"\n', "c.toml: setting 'look': logo and logo_alternative belong together"),
        ('[look]\nlogo = "x"\nlogo_alternative = ""\n', "c.toml: setting 'look.logo_alternative': must not be empty"),
        ("look = 3\n", "c.toml: setting 'look': give a table"),
        ('template_dir = "none"\n', "none: is no folder"),
        ('template_dir = "own"\n', "template summary.html, line 2: "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["assess", "render", "verify", "compare"])
def test_a_wrong_look_is_one_line_before_anything_is_measured(run, result, tmp_path, text, part, command):
    write(tmp_path, c_toml=text, own__summary_html="x\n{% if %}")
    words = {
        "assess": ("assess", result.parent / "o.csv", result.parent / "s.csv", "-o", "r.html"),
        "render": ("render", result, "-o", "r.html"),
        "verify": ("verify", result),
        "compare": ("compare", result, result, "-o", "r.html"),
    }[command]
    code, out, err = run(*words, "-c", "c.toml")
    assert (code, out) == (2, "")
    assert err.startswith("reportgen: error: ")
    assert part in err
    assert err.count("\n") == 1
    assert not (tmp_path / "r.html").exists()


def test_a_fault_that_shows_when_the_page_is_made_writes_nothing(run, result, tmp_path):
    write(tmp_path, own__summary_html="x\n{{ page.nothing }}")
    code, _, err = run("render", result, "-o", "a.json", "-o", "r.summary.html", "--template-dir", "own")
    assert code == 2
    assert "template summary.html, line 2: 'reportgen.render.summary_page.SummaryPage object' has no attribute" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "a.json").exists()


def test_assess_draws_in_the_look_that_render_draws_in(run, result, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    write(tmp_path, own__partials__badge_html=NOTE, reportgen_toml='template_dir = "own"\nmetric = "exact_copies"\n')
    tables = [result.parent / f"{name}.csv" for name in "osh"]
    words = (
        "assess",
        *tables[:2],
        "--holdout",
        tables[2],
        "-o",
        "r.json",
        "-o",
        "r.summary.html",
        "--fail-on",
        "never",
    )
    assert run(*words)[0] == 0
    assert run("render", "r.json", "-o", "again.summary.html")[0] == 0
    assert (tmp_path / "r.summary.html").read_bytes() == (tmp_path / "again.summary.html").read_bytes()
    assert "A note of ours" in (tmp_path / "r.summary.html").read_text()
    assert "template_dir" not in (tmp_path / "r.json").read_text()


def test_compare_takes_the_look_from_option_and_file(run, result, tmp_path):
    write(
        tmp_path, own__partials__logo_html="<p>A note of ours</p>", reportgen_toml='[look.light]\naccent = "#00566B"\n'
    )
    words = ("compare", result, result, "-q")
    assert run(*words, "-o", "c.html", "-o", "c.pdf", "--template-dir", "own")[0] == 0
    page = (tmp_path / "c.html").read_text()
    assert "A note of ours" in page
    assert "--accent: #00566B" in page
    own = {"look": {"light": {"accent": "#00566B"}}, "template_dir": tmp_path / "own"}
    reportgen.compare(result, result).write(tmp_path / "d.html", tmp_path / "d.pdf", **own)
    for kind in ("html", "pdf"):
        assert (tmp_path / f"c.{kind}").read_bytes() == (tmp_path / f"d.{kind}").read_bytes()
    (tmp_path / "reportgen.toml").unlink()
    reportgen.compare(result, result).write(tmp_path / "d.pdf")
    assert (tmp_path / "c.pdf").read_bytes() != (tmp_path / "d.pdf").read_bytes()
    code, _, err = run("compare", result, result, "-o", "own/partials/logo.html", "--template-dir", "own")
    assert (code, err.count("\n")) == (2, 1)


def test_releases_and_their_comparison_have_the_look(run, result, tmp_path):
    write(tmp_path, reportgen_toml='[look.light]\naccent = "#00566B"\n')
    tables = [result.parent / f"{name}.csv" for name in "osh"]
    words = ("assess", *tables, "-m", "exact_copies", "-o", "all.html", "--fail-on", "never", "-q")
    assert run(*words)[0] == 0
    for name in ("all.html", "s.html", "h.html"):
        assert "--accent: #00566B" in (tmp_path / name).read_text(), name


def test_no_output_overwrites_what_the_look_is_read_from(run, result, tmp_path):
    write(tmp_path, own__summary_html='{% include "packaged/summary.html" %}')
    code, _, err = run("render", result, "-o", "own/summary.html", "--template-dir", "own")
    assert code == 2
    assert "this output is the input own" in err


def test_verify_makes_an_own_look_again_only_when_it_is_given(run, result, tmp_path):
    write(tmp_path, own__partials__badge_html=NOTE, other__partials__badge_html=NOTE.replace("ours", "theirs"))
    names = ("r.summary.html", "r.summary.pdf")
    outputs = [word for name in names for word in ("-o", name)]
    assert run("render", result, *outputs, "--template-dir", "own")[0] == 0
    for name in names:
        code, out, _ = run("verify", name)
        assert code == 1
        assert "can't be checked\tdocument" in out
        assert "templates, colours or a logo of the user" in out
        assert run("verify", name, "--allow", "other-version")[0] == 0
        code, out, _ = run("verify", name, "--template-dir", "own")
        assert code == 0
        assert "holds\tdocument" in out
        assert "a look of its own" in out
        code, out, _ = run("verify", name, "--template-dir", "other")
        assert code == 1
        assert "with a look of its own" in out


def test_verify_of_a_packaged_look_takes_no_notice_of_the_look_given(run, result, tmp_path):
    assert run("render", result, "-o", "r.summary.html")[0] == 0
    write(tmp_path, reportgen_toml='[look.light]\naccent = "#00566B"\n')
    code, out, _ = run("verify", "r.summary.html")
    assert code == 0
    assert "a look of its own" not in out


def test_a_changed_report_with_an_own_look_fails(run, result, tmp_path):
    write(tmp_path, own__partials__badge_html=NOTE)
    assert run("render", result, "-o", "r.summary.html", "--template-dir", "own")[0] == 0
    page = tmp_path / "r.summary.html"
    page.write_text(page.read_text().replace("A note of ours", "A note of yours"))
    code, out, _ = run("verify", page, "--template-dir", "own")
    assert code == 1
    assert "fails\tdocument" in out


def test_the_example_works_as_its_readme_says(tmp_path):
    commands = re.search(r"```sh\n(.*?)```", (EXAMPLE / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    shutil.copytree(EXAMPLE, tmp_path / "look")
    shutil.copytree(EXAMPLE.parent / "adult", tmp_path / "adult")
    lines = commands.strip().splitlines()
    assert [line.split()[1] for line in lines] == ["assess", "render", "verify"]
    for line in lines:
        done = subprocess.run(
            [sys.executable, "-m", *line.split()], cwd=tmp_path / "look", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    for name in ("report.html", "report.summary.html"):
        page = (tmp_path / "look" / name).read_text(encoding="utf-8")
        assert 'alt="Example Register"' in page
        assert "--accent: #00566B" in page
        assert "A. Person, data-protection officer" in page
    assert "is kept in the register of releases" in (tmp_path / "look" / "report.html").read_text(encoding="utf-8")
    assert "holds\tdocument" in done.stdout
    assert "a look of its own" in done.stdout
