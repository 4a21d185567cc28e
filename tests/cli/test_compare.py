"""`reportgen compare`."""

import json

import pytest

from reportgen.render import page


def test_it_prints_what_changed_and_passes(run, results):
    code, out, err = run("compare", "inconclusive.json", "high.json")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("✗ WORSE   inconclusive.json → high.json")
    assert "The verdict gets worse: inconclusive → high." in out
    assert "synthetic.content_sha256" in out


def test_it_fails_on_worse_only_when_asked_and_in_one_line(run, results):
    code, out, err = run("compare", "inconclusive.json", "high.json", "--fail-on-worse", "-q")
    assert (code, out) == (1, "")
    assert err.startswith("worse than before: the verdict")
    assert err.count("\n") == 1
    assert run("compare", "high.json", "inconclusive.json", "--fail-on-worse", "-q") == (0, "", "")
    assert run("compare", "high.json", "high.json", "--fail-on-worse", "-q") == (0, "", "")


def test_what_does_not_compare_is_not_shown_to_be_no_worse(run, results):
    other = json.loads((results / "inconclusive.json").read_text())
    other["tool"]["metrics"] = 2
    (results / "other.json").write_text(json.dumps(other))
    code, out, err = run("compare", "inconclusive.json", "other.json", "--fail-on-worse")
    assert code == 1
    assert "NOT COMPARABLE" in out
    assert "other definitions of the metrics" in err
    assert run("compare", "inconclusive.json", "other.json", "-q")[0] == 0


def test_what_is_no_longer_measured_is_not_shown_to_be_no_worse(run, results, tables):
    words = ("assess", "original.csv", "synthetic.csv", "--holdout", "holdout.csv", "--fail-on", "never", "-q")
    metrics = ("-m", "exact_copies", "-m", "closest_rate")
    run(*words, *metrics, "-o", "both.json")
    run(*words, *metrics[:2], "-o", "one.json")
    code, out, err = run("compare", "both.json", "one.json", "--fail-on-worse")
    assert code == 1
    assert out.startswith("– NOT SHOWN TO BE NO WORSE")
    assert "No longer measured: Closest Rate." in out
    assert err.startswith("not shown to be no worse: Closest Rate no longer measured")
    assert err.count("\n") == 1
    assert run("compare", "both.json", "one.json", "-q")[0] == 0
    assert run("compare", "one.json", "both.json", "--fail-on-worse", "-q") == (0, "", "")
    assert run("compare", "both.json", "one.json", "-o", "c.json", "-o", "c.html", "-q")[0] == 0
    assert json.loads((results / "c.json").read_text())["lost"] == ["closest_rate"]


def test_every_format_is_written_alike_twice(run, results):
    names = ("c.html", "c.json", "c.md", "c.pdf")
    words = [word for name in names for word in ("-o", name)]
    assert run("compare", "inconclusive.json", "high.json", *words)[0] == 0
    before = {name: (results / name).read_bytes() for name in names}
    assert run("compare", "inconclusive.json", "high.json", *words, "-q")[0] == 0
    assert {name: (results / name).read_bytes() for name in names} == before
    assert before["c.pdf"].startswith(b"%PDF")
    assert b"<h1" in before["c.html"]
    assert b"<script" not in before["c.html"]
    assert json.loads(before["c.json"])["verdict"] == "worse"
    assert run("compare", "inconclusive.json", "high.json", "-o", "-")[1] == before["c.json"].decode()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("inconclusive.json",), "Missing argument"),
        (("inconclusive.json", "nope.json"), "nope.json: cannot be read"),
        (("inconclusive.json", "high.json", "-o", "c.sarif"), "unknown format here"),
        (("inconclusive.json", "high.json", "-o", "high.json"), "would destroy the input"),
        (("inconclusive.json", "text.json"), "not a JSON file"),
    ],
)
def test_wrong_arguments_are_one_line(run, results, words, said):
    (results / "text.json").write_text("no")
    code, _, err = run("compare", *words)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_names_of_files_are_shown_not_run(run, results):
    hostile = "<img src=x onerror=alert(1)>.json"
    (results / hostile).write_text((results / "high.json").read_text())
    run("compare", "inconclusive.json", hostile, "-o", "c.html", "-o", "c.md")
    assert "<img src=x" not in (results / "c.html").read_text()
    assert "<img src=x" not in (results / "c.md").read_text()


def test_templates_of_the_page_are_packaged():
    assert page.environment().get_template("tables.html")
