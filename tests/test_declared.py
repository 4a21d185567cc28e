"""`[schema]` of the config file: its keys, what contradicts itself, and where it ends up."""

import json
import tomllib
from pathlib import Path

import pytest

import reportgen
from reportgen import cli
from reportgen.api import run_assessment
from reportgen.config import read_config, resolve
from reportgen.declared import ColumnForm, FileForm, Schema
from reportgen.errors import InputError
from reportgen.settings import Settings, make_settings

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def fault(schema):
    with pytest.raises(InputError) as caught:
        make_settings({"schema": schema}, "r.toml: ")
    text = str(caught.value)
    assert "\n" not in text
    return text


def example():
    block = next(part for part in README.split("```toml\n")[1:] if part.startswith("[schema]")).split("```")[0]
    return tomllib.loads(block)


def test_the_readme_shows_every_key_in_an_example_that_is_valid():
    schema = make_settings(example()).declared
    assert set(example()["schema"]) >= set(Schema.model_fields) - {"original", "holdout"}
    assert set(example()["schema"]["synthetic"]) == set(FileForm.model_fields)
    columns = schema.columns.values()
    # day_first and date_format contradict each other in one column; the first is shown for all columns
    shown = {name for form in columns for name, value in form.model_dump().items() if value is not None}
    assert shown == set(ColumnForm.model_fields) - {"day_first"}
    assert all(f"[schema.{side}]" in README for side in ("original", "synthetic", "holdout"))
    for kind in ("numeric", "categorical", "datetime", "boolean", "identifier", "ignore"):
        assert kind in README.split('kind = "numeric"  ')[1].split("\n")[0]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (3, "r.toml: setting 'schema': give a table"),
        ({"seperator": ";"}, "r.toml: setting 'schema.seperator': is not a known setting"),
        ({"separator": ";;"}, "setting 'schema.separator'"),
        ({"separator": "a"}, "setting 'schema.separator': give one ASCII character"),
        ({"encoding": "utf-88"}, "setting 'schema.encoding': give the name of a text encoding"),
        ({"encoding": "base64"}, "setting 'schema.encoding': give the name of a text encoding"),
        ({"decimal": ";"}, "setting 'schema.decimal': must be '.' or ','"),
        ({"decimal": ",", "thousands": ","}, "setting 'schema': thousands and decimal are the same mark"),
        ({"thousands": "."}, "setting 'schema': thousands and decimal are the same mark"),
        ({"original": {"decimal": ","}}, "setting 'schema.original.decimal': is not a known setting"),
        ({"columns": {"a": {"kind": "number"}}}, "setting 'schema.columns.a.kind': must be 'numeric', 'categorical'"),
        ({"columns": {"a": {"kindd": "numeric"}}}, "setting 'schema.columns.a.kindd': is not a known setting"),
        ({"columns": {"a": {"kind": "boolean", "decimal": ","}}}, "decimal and thousands belong to kind numeric"),
        ({"columns": {"a": {"kind": "numeric", "day_first": True}}}, "belong to kind datetime"),
        ({"columns": {"a": {"decimal": ",", "day_first": True}}}, "decimal and thousands belong to kind numeric"),
        ({"columns": {"a": {"date_format": "%d.%m.%Y", "day_first": True}}}, "contradict each other"),
        ({"columns": {"a": {"date_format": "%d.%m."}}}, "is no format of a date with a year"),
        ({"columns": {"a": {"date_format": "%Q"}}}, "is no format of a date with a year"),
        ({"columns": {"a": {"date_format": "%d%d%b%Y"}}}, "is no format of a date with a year"),  # found by fuzzing
        ({"columns": {"a\nb": {"kind": 1}}}, r"setting 'schema.columns.a\\nb.kind'"),
    ],
)
def test_unknown_keys_and_contradictions_are_one_line(schema, expected):
    assert expected in fault(schema)


def test_the_file_is_named_and_the_internal_name_is_unknown(tmp_path):
    (tmp_path / "r.toml").write_text('[schema.columns.a]\nkind = "x"\n')
    with pytest.raises(InputError, match=r"^r\.toml: setting 'schema\.columns\.a\.kind'"):
        read_config(tmp_path / "r.toml")
    (tmp_path / "r.toml").write_text("[declared]\n")
    with pytest.raises(InputError, match=r"unknown key .declared.; known are .*schema"):
        read_config(tmp_path / "r.toml")


def test_a_number_is_a_missing_mark_as_it_is_written():
    assert make_settings({"schema": {"missing": [-9, "x"]}}).declared.missing == ("-9", "x")
    assert make_settings({"schema": {"missing": -9}}).declared.missing == ("-9",)


def test_a_column_without_marks_of_its_own_has_those_of_all():
    schema = make_settings({"schema": {"missing": ["-9"], "decimal": ",", "columns": {"a": {"missing": []}}}}).declared
    assert schema.column("a").missing == ()
    assert schema.column("b").missing == ("-9",)
    assert schema.numbers("b") == (",", "")


def test_one_file_may_be_written_otherwise():
    schema = make_settings({"schema": {"separator": ";", "synthetic": {"encoding": "latin-1"}}}).declared
    assert schema.file("original") == FileForm(separator=";")
    assert schema.file("synthetic") == FileForm(separator=";", encoding="latin-1")


def test_the_schema_changes_numbers_so_it_is_in_the_result_the_command_and_the_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reportgen.toml").write_text('[schema.columns."<b>x"]\nkind = "numeric"\nmissing = ["-9"]\n')
    text = "<b>x,y\n" + "".join(f"{row % 13 if row % 7 else -9},{row / 3}\n" for row in range(60))
    for name in ("t.csv", "s.csv"):
        (tmp_path / name).write_text(text)
    asked = resolve({}, {})
    made = asked.settings
    found = run_assessment("t.csv", "s.csv", None, made, config=asked.file)
    assert json.loads(found.to_json())["settings"]["declared"]["columns"]["<b>x"]["missing"] == ["-9"]
    assert found.result.command == "reportgen assess t.csv s.csv --config reportgen.toml"
    assert found.columns[0].remarks == ("Declared numeric in [schema].",)
    assert found.columns[0].missing_marks == ("-9",)
    assert found.columns[0].missing.original == 9  # rows 0, 7, …, 56
    assert Settings.model_validate_json(found.result.settings.model_dump_json()) == made
    page = found.rendered("r.html").decode()
    assert "columns.&lt;b&gt;x.kind = &#34;numeric&#34;" in page
    (tmp_path / "r.json").write_text(found.to_json())
    assert reportgen.load("r.json") == found


def test_signals_have_no_schema(tmp_path):
    import numpy as np

    array = np.random.default_rng(0).normal(size=(5, 2, 9))
    with pytest.raises(InputError, match=r"^\[schema\]: belongs to tables"):
        reportgen.assess(array, array, schema={"decimal": ","})


def test_a_dry_run_shows_what_was_declared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reportgen.toml").write_text('[schema.columns.x]\nkind = "categorical"\n')
    (tmp_path / "t.csv").write_text("x,y\n1,0.5\n2,0.25\n")
    with pytest.raises(SystemExit) as stop:
        cli.main(["assess", "t.csv", "t.csv", "--dry-run"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.splitlines() == [
        "original\tfile\t't.csv': 2 rows; UTF-8, separator: comma",
        "synthetic\tfile\t't.csv': 2 rows; UTF-8, separator: comma",
        "'x'\tcategorical\tused; Declared categorical in [schema].",
        "'y'\tnumeric\tused",
    ]


def test_a_cell_that_does_not_fit_ends_the_command_with_2_and_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reportgen.toml").write_text('[schema.columns.x]\nkind = "numeric"\n')
    (tmp_path / "t.csv").write_text("x,y\n1,0.5\nsecret,0.25\n")
    with pytest.raises(SystemExit) as stop:
        cli.main(["assess", "t.csv", "t.csv"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("reportgen: error: t.csv (original): column 'x' holds words in 1 row, which")
    assert said.count("\n") == 1
    assert "secret" not in said
