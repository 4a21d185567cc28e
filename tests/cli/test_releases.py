"""`reportgen assess ORIGINAL S1 S2 …`."""

import json

import pytest

import reportgen

QUICK = ("-m", "exact_copies", "-m", "closest_rate", "-q")


@pytest.fixture
def releases(tables, tmp_path):
    """Two releases: one is the original itself."""
    (tmp_path / "out").mkdir()
    (tmp_path / "leaky.csv").write_bytes(tables[0].read_bytes())
    return tmp_path


def assess(run, *words):
    return run("assess", "original.csv", "synthetic.csv", "leaky.csv", "--holdout", "holdout.csv", *QUICK, *words)


def test_each_is_assessed_as_it_would_be_alone(run, releases, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    code, out, err = assess(run, "-o", "out/all.json", "-o", "out/all.sarif", "--fail-on", "high")
    assert (code, out) == (1, "")
    assert err.startswith("leaky: gate not met: verdict high")
    names = {path.name for path in (releases / "out").iterdir()}
    bases = ("synthetic", "leaky", "all-releases")
    assert names == {f"{base}{suffix}" for base in bases for suffix in (".json", ".sarif")} | {"all.json"}
    run(
        "assess", "original.csv", "leaky.csv", "--holdout", "holdout.csv", *QUICK, "--fail-on", "high", "-o", "one.json"
    )
    assert (releases / "one.json").read_bytes() == (releases / "out" / "leaky.json").read_bytes()


def test_all_together_are_the_rows_of_all(run, releases):
    assess(run, "-o", "out/all.json", "--fail-on", "never")
    result = reportgen.load("out/all-releases.json").result
    assert result.inputs.synthetic.rows == 120
    assert "reportgen assess original.csv synthetic.csv leaky.csv --holdout holdout.csv" in result.command
    # 60 of the 120 rows are those of the original.
    assert result.metrics["exact_copies"].scores["synthetic_rows"].value == 0.5
    compared = json.loads((releases / "out" / "all.json").read_text())
    assert [one["name"] for one in compared["releases"]] == ["synthetic", "leaky", "all-releases"]
    assert [one["rows"] for one in compared["releases"]] == [60, 60, 120]
    assert compared["releases"][1]["level"] == "high"


def test_the_comparison_goes_to_stdout_without_outputs(run, releases):
    code, out, _ = run(
        "assess", "original.csv", "synthetic.csv", "leaky.csv", "--holdout", "holdout.csv", "-m", "exact_copies"
    )
    assert code == 1
    assert out.startswith("✗ WORST: HIGH")
    assert "all releases together" in out


def test_the_exit_code_is_the_worst_and_0_where_all_pass(run, releases):
    assert assess(run, "--fail-on", "never", "-o", "out/all.md")[0] == 0
    assert "leaky" in (releases / "out" / "all.md").read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-o", "leaky.json"), "two outputs would be named 'leaky.json'"),
        (("-o", "a.json", "-o", "b.json"), "two outputs would be named"),
        (("-o", "out/all.xyz"), "unknown format"),
        (("-o", "all-releases.html"), "two outputs would be named 'all-releases.html'"),
    ],
)
def test_names_that_clash_are_one_line(run, releases, more, said):
    code, _, err = assess(run, *more)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_two_files_of_one_base_name_are_refused(run, releases):
    (releases / "out" / "leaky.csv").write_bytes((releases / "leaky.csv").read_bytes())
    code, _, err = run("assess", "original.csv", "leaky.csv", "out/leaky.csv", "-o", "x.json")
    assert code == 2
    assert "two outputs would be named after the release 'leaky'" in err


def test_a_missing_file_is_said_before_anything_is_measured(run, releases):
    code, _, err = run("assess", "original.csv", "leaky.csv", "nope.csv", "-o", "out/x.json")
    assert code == 2
    assert "there is no file 'nope.csv'" in err
    assert not list((releases / "out").iterdir())
