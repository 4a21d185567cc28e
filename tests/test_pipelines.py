"""The ready-made examples: each is parsed, checked against the schema of the tool that reads it, and run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from ruamel.yaml import YAML

import reportgen
from reportgen.render import FORMATS

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "pipelines"


def yaml(name):
    return YAML(typ="safe").load(EXAMPLES / name)


@pytest.fixture(scope="session")
def environ(tmp_path_factory):
    """An environment in which `reportgen` is this checkout, as a command."""
    programs = tmp_path_factory.mktemp("bin")
    command = programs / "reportgen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m reportgen "$@"\n')
    command.chmod(0o755)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("REPORTGEN_")}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**plain, "PATH": path, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1700000000"}


@pytest.fixture(scope="session")
def small(tmp_path_factory, adult):
    """The tables of the leaky example, 400 rows of each: enough to find its copies, in a second."""
    folder = tmp_path_factory.mktemp("small")
    for name in ("original", "holdout", "synthetic_leaky"):
        pd.read_parquet(adult / f"{name}.parquet").tail(400).to_parquet(folder / f"{name}.parquet")
    return folder


def lay_out(folder, tables, synthetic):
    """Put tables where the examples expect them."""
    (folder / "data").mkdir()
    for side, file in (("original", "original"), ("holdout", "holdout"), ("synthetic", f"synthetic_{synthetic}")):
        shutil.copyfile(tables / f"{file}.parquet", folder / "data" / f"{side}.parquet")
    return folder


@pytest.fixture(scope="session")
def github(tmp_path_factory, adult, environ):
    """The workflow's folder, environment, named steps, and how "Assess" went on the leaky table."""
    folder = lay_out(tmp_path_factory.mktemp("github"), adult, "leaky")
    job = yaml("github-actions.yml")["jobs"]["assess"]
    steps = {step["name"]: step for step in job["steps"] if "name" in step}
    environ = {**environ, **job["env"], "GITHUB_STEP_SUMMARY": str(folder / "step-summary.md")}
    return folder, environ, steps, run(steps["Assess"]["run"], folder, environ)


@pytest.fixture(scope="session")
def gitlab(tmp_path_factory, adult, environ):
    """The job's folder, the job, and how its script went on the good table."""
    folder = lay_out(tmp_path_factory.mktemp("gitlab"), adult, "good")
    job = yaml("gitlab-ci.yml")["privacy"]
    return folder, job, run("\n".join(job["script"]), folder, {**environ, **job["variables"]})


def run(script, folder, environ):
    """Run shell lines as both services do: with -e, in bash."""
    words = ["bash", "-e", "-c", script]
    return subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "schema"), [("github-actions.yml", "vendor.github-workflows"), ("gitlab-ci.yml", "vendor.gitlab-ci")]
)
def test_the_schema_of_the_service_accepts_the_file(name, schema):
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(EXAMPLES / name)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_action_is_pinned_to_a_commit_and_says_which_version_that_is():
    text = (EXAMPLES / "github-actions.yml").read_text()
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert len(used) == 4
    assert all(
        re.fullmatch(r"\S+@[0-9a-f]{40}", name) and re.fullmatch(r" # v\d+\.\d+\.\d+", rest) for name, rest in used
    )


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.y*ml")), ids=lambda path: path.name)
def test_the_version_that_is_installed_is_this_one(path):
    pins = re.findall(r"reportgen==([0-9.]+)", path.read_text())
    assert set(pins) == {reportgen.__version__}


def test_what_is_installed_for_pdf_is_what_doctor_names():
    from reportgen.native import DEBIAN

    packages = set(DEBIAN.split()) - {"apt-get", "install", "-y"}
    assert packages <= set((EXAMPLES / "github-actions.yml").read_text().split())


def test_the_github_workflow_fails_with_its_reports_kept_and_says_why(github):
    folder, environ, steps, done = github
    assert done.returncode == 1
    closing = done.stderr.splitlines()[-1]
    assert closing.startswith("gate not met: verdict high, fails at inconclusive or above; ")

    for name in ("Show the summary", "Keep the reports", "Show the findings"):  # they run after a failure as well
        assert steps[name]["if"].startswith("always()")
    assert run(steps["Show the summary"]["run"], folder, environ).returncode == 0
    assert (folder / "step-summary.md").read_text().startswith("## ✗ High risk")
    assert "failure()" in steps["Say why the gate is not met"]["if"]
    told = run(steps["Say why the gate is not met"]["run"], folder, environ)
    assert (told.returncode, told.stdout) == (0, f"::error title=reportgen::{closing}\n")

    written = {path.name for path in (folder / "reports").iterdir()}
    reports = {"report.pdf", "report.html", "officer.summary.pdf", "summary.md", "audit.zip"}
    assert written == reports | {"result.json", "gate.junit.xml", "findings.sarif", "statement.intoto.json"}
    assert steps["Keep the reports"]["with"]["path"] == "reports/"
    assert (folder / steps["Show the findings"]["with"]["sarif_file"]).is_file()


def test_the_gitlab_job_passes_a_good_table_and_keeps_its_reports_always(gitlab):
    folder, job, done = gitlab
    assert done.returncode == 0, done.stderr
    assert job["artifacts"]["when"] == "always"
    for path in job["artifacts"]["reports"].values():
        assert (folder / path).is_file()
    vouched = json.loads((folder / "reports" / "statement.intoto.json").read_text())
    assert vouched["predicate"]["result"] == "PASSED"
    reports = {"gate.junit.xml", "report.html", "officer.summary.html", "result.json", "scores.prom", "summary.md"}
    assert {one["name"] for one in vouched["subject"]} == {"synthetic.parquet", *reports}


def test_make_stays_red_until_the_table_changes_and_measures_once(tmp_path, small, environ):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    folder = lay_out(tmp_path, small, "leaky")
    shutil.copyfile(EXAMPLES / "Makefile", folder / "Makefile")

    def make(*words):
        command = ["make", *words]
        return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)

    first = make("gate")
    assert first.returncode == 2  # make's own code for a rule that failed
    assert "gate not met: verdict high" in first.stderr
    written = (folder / "reports" / "result.json").stat().st_mtime_ns

    again = make("gate")
    assert again.returncode == 2
    assert "gate not met: verdict high" in again.stderr
    assert (folder / "reports" / "result.json").stat().st_mtime_ns == written  # nothing was measured twice

    (folder / "data" / "holdout.parquet").write_bytes(b"no table")
    broken = make("gate")
    assert broken.returncode == 2
    assert "holdout.parquet" in broken.stderr
    assert "gate not met" not in broken.stderr


def test_the_hook_refuses_one_bad_result_among_good_ones(environ, tmp_path, github, gitlab):
    hook = yaml("pre-commit-config.yaml")["repos"][0]["hooks"][0]
    for name, folder in (("leaky", github[0]), ("good", gitlab[0])):
        shutil.copyfile(folder / "reports" / "result.json", tmp_path / f"{name}-result.json")
        assert re.search(hook["files"], f"reports/{name}-result.json")
    assert not re.search(hook["files"], "reports/report.html")
    words = shlex.split(hook["entry"])

    def commit(*files):
        return subprocess.run([*words, *files], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)

    assert commit("good-result.json").returncode == 0
    refused = commit("good-result.json", "leaky-result.json", "good-result.json")
    assert refused.returncode == 1
    assert refused.stderr.startswith("gate not met: verdict high")
    assert commit("missing-result.json").returncode == 1


def test_the_notebook_runs_from_top_to_bottom(tmp_path, small, monkeypatch):
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells)  # committed without outputs
    folder = tmp_path / "pipelines"
    folder.mkdir()
    (tmp_path / "adult").symlink_to(small)
    monkeypatch.chdir(folder)
    space = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), cell["id"], "exec"), space)  # noqa: S102 -- what a notebook does
    assert space["release"] is False
    assert space["assessment"]._repr_html_().startswith("<div")
    assert {path.name for path in (folder / "reports").iterdir()} == set(space["names"])


def test_every_format_of_a_pipeline_is_used_in_an_example():
    text = " ".join(path.read_text(encoding="utf-8") for path in EXAMPLES.iterdir())
    assert [one.suffix for one in FORMATS if one.suffix not in text] == []
