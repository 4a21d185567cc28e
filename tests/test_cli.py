"""The command line: exit codes, streams, and errors of one line."""

import gzip
import json
import os
import subprocess
import sys

import jsonschema
import numpy as np
import pandas as pd
import pytest

from reportgen.render import FORMATS


@pytest.fixture
def tables(tmp_path):
    """Three small tables as CSV."""
    names = ("original", "synthetic", "holdout")
    for seed, name in enumerate(names):
        frame = pd.DataFrame({"age": range(seed, 60 + seed), "town": list("abcdef") * 10, "pay": [3.5, 4.5] * 30})
        frame["age"] = frame["age"] * 1.5
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return [tmp_path / f"{name}.csv" for name in names]


def one_line(err):
    assert err.count("\n") == 1, err
    assert err.startswith("reportgen: error: ")
    assert "Traceback" not in err
    return err


def test_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['reportgen', '--help']\n"
        "from reportgen.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'faiss', 'scipy', 'matplotlib', 'weasyprint', 'pyarrow', 'pydantic', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert "assess" in done.stdout


def test_without_outputs_a_summary_goes_to_stdout_and_the_gate_to_stderr(run, tables):
    code, out, err = run("assess", tables[0], tables[1], "--holdout", tables[2])
    assert code == 1
    assert "INCONCLUSIVE" in out
    assert "Closest Rate" in out
    assert err.startswith("gate not met: verdict inconclusive, fails at inconclusive or above; ")
    assert err.count("\n") == 1


def test_the_gate_is_met_where_it_fails_later_or_never(run, tables):
    assert run("assess", tables[0], tables[1], "--holdout", tables[2], "--fail-on", "moderate")[0] == 0
    assert run("assess", tables[0], tables[0], "--holdout", tables[2], "--fail-on", "never")[0] == 0
    assert run("assess", tables[0], tables[0], "--holdout", tables[2], "--fail-on", "high")[0] == 1


def test_a_holdout_is_no_advice_against_copies(run, tables):
    err = run("assess", tables[0], tables[0])[2]
    assert "verdict high" in err
    assert "a synthetic table without these copies" in err
    assert "give --holdout" not in err


def test_the_closing_line_names_what_would_change_it(run, adult):
    err = run("assess", adult / "original.parquet", adult / "synthetic_good.parquet")[2]
    assert err.count("\n") == 1
    assert "give --holdout" in err
    assert "--fail-on never" in err


def test_outputs_are_written_before_the_gate_exits(run, tables, tmp_path):
    code, out, err = run("assess", *tables[:2], "-o", "r.json", "-o", "r.html")
    assert code == 1
    assert out == ""
    assert "wrote r.json" in err
    assert (tmp_path / "r.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert json.loads((tmp_path / "r.json").read_text())["verdict"]["level"] in ("inconclusive", "moderate")


def test_a_dash_is_json_on_stdout(run, tables):
    _, out, _ = run("assess", *tables[:2], "-o", "-", "-q")
    assert json.loads(out)["schema_version"] == "1.0"


def test_a_column_name_cannot_command_the_terminal_from_the_closing_line(run, tmp_path):
    random = np.random.default_rng(5)
    files = []
    for name, first in (("o", 0), ("s", 0), ("h", 500)):
        people = [f"person {first + row}" for row in range(60)]
        table = pd.DataFrame({"x": random.normal(size=60), "na\x1b[31mme": people})
        files.append(str(tmp_path / f"{name}.csv"))
        table.to_csv(files[-1], index=False)
    code, _, err = run("assess", *files[:2], "--holdout", files[2], "-q")
    assert code == 1
    assert "\x1b" not in err
    assert r"na\x1b[31mme" in err


def test_quiet_says_nothing_but_the_gate(run, tables):
    code, out, err = run("assess", *tables[:2], "-q", "-o", "r.json", "--fail-on", "never")
    assert (code, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("assess", "none.csv", "none.csv"), "none.csv"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "r.docx"), "unknown format"),
        (
            ("assess", "ORIGINAL", "SYNTHETIC", "-o", "missing/r.html"),
            "r.html: its folder missing does not exist; make",
        ),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "r.json", "-o", "r.json"), "named twice"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "r.json", "-o", "./r.json"), "named twice"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "r.summary.docx"), "unknown format"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "x" * 300 + ".json"), "File name too long"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "/dev/null"), "unknown format"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-o", "ORIGINAL"), "unknown format"),
        (("assess", "ORIGINAL", "SYNTHETIC", "\x1b[31m\u202e"), r"\x1b[31m\u202e"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--fail-on", "low"), "can never be met"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--fail-on", "often"), "fail_on"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--lang", "xx"), "lang"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--metric", "dcr"), "unknown metric"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--ignore", "agee"), "agee"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--tolerance", "much"), "tolerance"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--tolerance", "-1"), "tolerance"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--jobs", "0"), "setting 'jobs': must be greater than or equal to 1"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--workers", "0"), "setting 'workers': must be greater than or equal to"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--projection", "none"), "town"),
        (("assess", "ORIGINAL"), "SYNTHETIC"),
        (("asess",), "asess"),
        (("assess", "ORIGINAL", "SYNTHETIC", "--nope"), "--nope"),
        (("render", "none.json", "-o", "r.html"), "none.json"),
        (("render", "ORIGINAL", "-o", "r.html"), "not a JSON file"),
        (("render", "none.json"), "-o"),
        (("assess", "ORIGINAL", "SYNTHETIC", "-c", "none.toml"), "none.toml"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_2(run, tables, tmp_path, words, part):
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = run(*[{"ORIGINAL": tables[0], "SYNTHETIC": tables[1]}.get(word, word) for word in words])
    assert code == 2
    assert part in one_line(err)
    assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_an_unknown_suffix_is_refused_before_anything_is_read(run, tmp_path):
    assert "unknown format" in one_line(run("assess", "none.csv", "none.csv", "-o", "r.docx")[2])


def test_an_internal_error_is_one_line_without_a_value_and_exit_3(run, tables, monkeypatch):
    def fail(*_):
        return {}["SECRET"]

    monkeypatch.setattr("reportgen.runner.encode", fail)
    code, _, err = run("assess", *tables[:2])
    assert code == 3
    assert "KeyError" in one_line(err)
    assert "SECRET" not in err
    err = run("assess", *tables[:2], "-v")[2]  # the lines of the program, but not the error's text
    assert "runner.py" in err
    assert "'SECRET'" not in err
    assert "Traceback" not in run("assess", "none.csv", "none.csv", "-v")[2]


def test_a_metric_that_fails_is_listed_the_others_stand_and_the_gate_is_not_met(run, tables, tmp_path, monkeypatch):
    def fail(*_):
        return {}["SECRET"]

    monkeypatch.setattr("reportgen.metrics.closest_rate.measure", fail)
    code, _, err = run("assess", *tables[:2], "--holdout", tables[2], "--fail-on", "high", "-q", "-o", "r.json")
    assert code == 1
    assert err.startswith("gate not met")
    text = (tmp_path / "r.json").read_text()
    assert "SECRET" not in text + err
    result = json.loads(text)
    assert result["metrics"]["closest_rate"]["code"] == "failed"
    assert result["metrics"]["closest_distances_ratio"]["status"] == "measured"
    assert "metric_failed" in [reason["code"] for reason in result["verdict"]["reasons"]]


def test_without_pango_the_other_outputs_are_written_the_line_is_named_and_exit_is_3(
    run, tables, tmp_path, monkeypatch
):
    from reportgen.errors import EnvironmentLacking

    def lacking(*_):
        msg = "Pango is missing; install it: apt-get install libpango-1.0-0"
        raise EnvironmentLacking(msg)

    monkeypatch.setattr("reportgen.render.pdf.render", lacking)
    code, _, err = run("assess", *tables[:2], "-o", "r.pdf", "-o", "r.json", "-q")
    assert code == 3
    assert "apt-get install" in one_line(err)
    assert (tmp_path / "r.json").exists()
    assert not (tmp_path / "r.pdf").exists()


def test_render_makes_the_same_bytes_from_the_result_alone(run, tables, tmp_path):
    names = [f"r{one.suffix}" for one in FORMATS if one.suffix != ".pdf"]
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    run("assess", *tables[:2], *(word for name in names for word in ("-o", f"a/{name}")), "-q")
    for table in tables:
        table.unlink()
    assert run("render", "a/r.json", *(word for name in names for word in ("-o", f"b/{name}")))[0] == 0
    assert [
        name for name in names if (tmp_path / "a" / name).read_bytes() != (tmp_path / "b" / name).read_bytes()
    ] == []


def test_a_result_that_lacks_a_score_is_refused_in_one_line(run, tables, tmp_path):
    run("assess", *tables[:2], "-o", "a.json", "-q")
    for number, said in ((None, "cannot be shown ("), (1e308, "not a valid result at ")):
        result = json.loads((tmp_path / "a.json").read_text())
        scores = result["metrics"]["exact_copies"]["scores"]
        del scores["synthetic_rows"]
        if number is not None:
            scores["synthetic_rows"] = {"value": number, "unit": "share", "better": "lower"}
        (tmp_path / "b.json").write_text(json.dumps(result))
        code, out, err = run("render", "b.json", "-o", "b.html", "-q")
        assert (code, out) == (2, "")
        assert f"b.json: {said}" in one_line(err)
        assert not (tmp_path / "b.html").exists()


def test_rendering_loads_no_measuring_library(run, tables, tmp_path):
    run("assess", *tables[:2], "-o", "a.json", "-q")
    code = (
        "import sys; from reportgen.cli import main\n"
        "try: main(['render', 'a.json', '-o', 'b.html', '-q'])\nexcept SystemExit as done: assert not done.code\n"
        "print(sorted({'pandas', 'faiss', 'scipy', 'pyarrow', 'reportgen.space', 'reportgen.read'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == "[]"


def test_the_schema_describes_a_real_result(run, tables, tmp_path):
    run("assess", *tables[:2], "-o", "r.json", "-q")
    code, out, _ = run("schema")
    assert code == 0
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads((tmp_path / "r.json").read_text()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema_version": "1.0"}, schema)


def test_dry_run_prints_how_columns_were_understood_and_measures_nothing(run, tables, tmp_path):
    code, out, _ = run("assess", *tables[:2], "--dry-run", "-o", "r.json")
    assert code == 0
    assert "'age'\tnumeric\tused" in out
    assert "'town'\tcategorical\tused" in out
    assert not (tmp_path / "r.json").exists()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "x;y\n1;ä\n2;b\n".encode("cp1252"), "2 rows; Windows-1252, separator: semicolon"),
        ("b.tsv", b"x\ty\n1\t2\n3\t4\n5\t6\n", "3 rows; UTF-8, separator: tab"),
        ("c.csv", "x|y\n1|ä\n2|b\n".encode("utf-16"), "2 rows; UTF-16, separator: vertical bar"),
        ("d.csv.gz", gzip.compress(b"x,y\n1,2\n3,4\n", mtime=0), "2 rows; UTF-8, separator: comma"),
        ("e.csv", b"sep=#\nx#y\n1#2\n3#4\n", "2 rows; UTF-8, separator: '#'"),
    ],
)
def test_dry_run_says_how_each_text_file_was_cut_into_cells(run, tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    code, out, _ = run("assess", name, name, "--dry-run")
    assert code == 0
    assert out.splitlines()[:2] == [f"{side}\tfile\t'{name}': {said}" for side in ("original", "synthetic")]


def test_doctor_names_each_part(run):
    code, out, _ = run("doctor")
    assert code == 0
    assert "Pango" in out
    assert "MISSING" not in out


def test_version(run):
    assert run("--version")[1].startswith("reportgen 0.")


def test_column_names_in_any_script_work_in_a_c_locale(tables, tmp_path):
    for table in tables:
        text = table.read_text().replace("town", "stadt ä 漢").replace("pay", '"a, ""b"""')
        table.write_text(text, encoding="utf-8")
    environ = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "HOME": "/nonexistent"}
    words = [sys.executable, "-m", "reportgen", "assess", *map(str, tables[:2]), "-o", "r.html", "--fail-on", "never"]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path, env=environ, check=False)
    assert done.returncode == 0, done.stderr
    assert "stadt ä 漢" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_two_processes_give_the_same_bytes_of_every_format(tables, tmp_path):
    suffixes = [one.suffix for one in FORMATS]
    contents = []
    for number, extra in enumerate(
        (
            {"PYTHONHASHSEED": "1", "TZ": "UTC"},
            {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONUTF8": "0"},
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        outputs = [word for suffix in suffixes for word in ("-o", str(folder / f"r{suffix}"))]
        words = [sys.executable, "-m", "reportgen", "assess", *map(str, tables[:2]), *outputs, "--fail-on", "never"]
        environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **extra}
        subprocess.run(words, capture_output=True, cwd=folder, env=environ, check=True)
        contents.append({suffix: (folder / f"r{suffix}").read_bytes() for suffix in suffixes})
    assert [suffix for suffix in suffixes if contents[0][suffix] != contents[1][suffix]] == []
