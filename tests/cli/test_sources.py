"""Every option from every source: option > REPORTGEN_* > config file > default."""

import pytest
import typer

from reportgen import cli, config
from reportgen.errors import InputError
from reportgen.running import Running
from reportgen.settings import Settings

# name: (option's words, its value), (variable, its value), (line of the file, its value)
OPTIONS = {
    "holdout": (("--holdout", "a.csv"), "a.csv", "b.csv", "b.csv", '"c.csv"', "c.csv"),
    "output": (
        ("-o", "a.json", "-o", "a.html"),
        ("a.json", "a.html"),
        "b.json,b.html",
        ("b.json", "b.html"),
        '["c.json"]',
        ("c.json",),
    ),
    "baseline": (("--baseline", "a.json"), "a.json", "b.json", "b.json", '"c.json"', "c.json"),
    "sign_key": (("--sign-key", "a.p12"), "a.p12", "b.p12", "b.p12", '"c.p12"', "c.p12"),
    "sign_cert": (("--sign-cert", "a.pem"), "a.pem", "b.pem", "b.pem", '"c.pem"', "c.pem"),
    "sign_passphrase_file": (("--sign-passphrase-file", "a"), "a", "b", "b", '"c"', "c"),
    "jobs": (("--jobs", "1"), 1, "2", 2, "3", 3),
    "checkpoint": (("--checkpoint", "a"), "a", "b", "b", '"c"', "c"),
    "scheduler": (("--scheduler", "a:1"), "a:1", "b:1", "b:1", '"c:1"', "c:1"),
    "workers": (("--workers", "1"), 1, "2", 2, "3", 3),
    "dry_run": (("--dry-run",), True, "yes", True, "true", True),
    "quiet": (("-q",), True, "1", True, "true", True),
    "verbose": (("-v",), True, "on", True, "true", True),
    "metric": (("-m", "nndr", "-m", "nn_dist"), ("nndr", "nn_dist"), "nndr", ("nndr",), '["nn_dist"]', ("nn_dist",)),
    "key": (("--key", "a"), ("a",), "b, c", ("b", "c"), '["d"]', ("d",)),
    "ignore": (("--ignore", "a"), ("a",), "b", ("b",), '"c"', ("c",)),
    "group": (("--group", "a"), "a", "b", "b", '"c"', "c"),
    "numeric": (("--numeric", "a"), ("a",), "b", ("b",), '"c"', ("c",)),
    "categorical": (("--categorical", "a"), ("a",), "b", ("b",), '"c"', ("c",)),
    "projection": (("--projection", "none"), "none", "none", "none", '"none"', "none"),
    "components": (("--components", "2"), 2, "3", 3, "4", 4),
    "secret": (("--secret", "a"), ("a",), "b", ("b",), '"c"', ("c",)),
    "link": (("--link", "a"), ("a",), "b, c", ("b", "c"), '["d"]', ("d",)),
    "link_with": (("--link-with", "a"), ("a",), "b", ("b",), '"c"', ("c",)),
    "attacks": (("--attacks", "100"), 100, "200", 200, "300", 300),
    "max_queries": (("--max-queries", "100"), 100, "200", 200, "300", 300),
    "max_minutes": (("--max-minutes", "1"), 1.0, "2.5", 2.5, "3", 3.0),
    "seed": (("--seed", "1"), 1, "2", 2, "3", 3),
    "tolerance": (("--tolerance", "0.1"), 0.1, "0.2", 0.2, "0.3", 0.3),
    "fail_on": (("--fail-on", "never"), "never", "high", "high", '"moderate"', "moderate"),
    "lead_names": (("--lead-names", "I,II"), ("I", "II"), "V1,V2", ("V1", "V2"), '["V3"]', ("V3",)),
    "sampling_rate": (("--sampling-rate", "100"), 100.0, "200", 200.0, "300", 300.0),
    "title": (("--title", "a"), "a", "b", "b", '"c"', "c"),
    "no_category_names": (("--no-category-names",), True, "1", True, "true", True),
    "template_dir": (("--template-dir", "a"), "a", "b", "b", '"c"', "c"),
    "lang": (("--lang", "en"), "en", "en", "en", '"en"', "en"),
}
WITHOUT_OPTION = {
    "draws": ("30", 30, "40", 40),
    "resamples": ("300", 300, "400", 400),
    "closest_rate_percentile": ("4", 4.0, "3", 3.0),
    "tail_percentile": ("4", 4.0, "3", 3.0),
    "nndr_threshold": ("0.4", 0.4, "0.3", 0.3),
    "link_neighbours": ("5", 5, "6", 6),
    "inference_tolerance": ("4", 4.0, "3", 3.0),
    "dropped_queries": ("300", 300, "400", 400),
    "context": ("a", "a", '"b"', "b"),
    "recipients": ("a", "a", '"b"', "b"),
    "release_model": ("a", "a", '"b"', "b"),
    "generator": ("a", "a", '"b"', "b"),
}


@pytest.fixture
def resolved(run, monkeypatch):
    """Run a command up to the point where its sources are merged; returns what came out."""
    merge = config.resolve
    found = []

    def stop(*sources):
        found.append(merge(*sources))
        raise InputError("stopped here")

    monkeypatch.setattr(config, "resolve", stop)

    def call(*words):
        assert "stopped here" in run(*words)[2]
        return found.pop()

    return call


def value(asked, name):
    return getattr(asked.running if name in Running.model_fields else asked.settings, name)


def default(name):
    return (Running() if name in Running.model_fields else Settings()).__getattribute__(name)


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_assess_is_read_from_each_source_in_order(resolved, tmp_path, monkeypatch, name):
    words, by_option, variable, by_variable, line, by_file = OPTIONS[name]
    command = ("assess", "original.csv", "synthetic.csv")
    assert value(resolved(*command), name) == default(name)
    (tmp_path / "reportgen.toml").write_text(f"{name} = {line}\n")
    assert value(resolved(*command), name) == by_file
    monkeypatch.setenv(f"REPORTGEN_{name.upper()}", variable)
    assert value(resolved(*command), name) == by_variable
    assert value(resolved(*command, *words), name) == by_option


@pytest.mark.parametrize("name", WITHOUT_OPTION)
def test_a_setting_without_an_option_is_read_from_the_others(resolved, tmp_path, monkeypatch, name):
    variable, by_variable, line, by_file = WITHOUT_OPTION[name]
    command = ("assess", "original.csv", "synthetic.csv")
    (tmp_path / "reportgen.toml").write_text(f"{name} = {line}\n")
    assert value(resolved(*command), name) == by_file
    monkeypatch.setenv(f"REPORTGEN_{name.upper()}", variable)
    assert value(resolved(*command), name) == by_variable


@pytest.mark.parametrize("name", ["fail_on", "baseline", "quiet", "verbose"])
def test_an_option_of_check_is_read_from_each_source_in_order(resolved, tmp_path, monkeypatch, name):
    words, by_option, variable, by_variable, line, by_file = OPTIONS[name]
    assert value(resolved("check", "r.json"), name) == default(name)
    (tmp_path / "reportgen.toml").write_text(f"{name} = {line}\n")
    assert value(resolved("check", "r.json"), name) == by_file
    monkeypatch.setenv(f"REPORTGEN_{name.upper()}", variable)
    assert value(resolved("check", "r.json"), name) == by_variable
    assert value(resolved("check", "r.json", *words), name) == by_option


def test_the_config_file_is_an_option_a_variable_or_a_default(resolved, tmp_path, monkeypatch):
    for name, seed in (("reportgen.toml", 1), ("variable.toml", 2), ("option.toml", 3)):
        (tmp_path / name).write_text(f"seed = {seed}\n")
    command = ("assess", "original.csv", "synthetic.csv")
    assert resolved(*command).settings.seed == 1
    monkeypatch.setenv("REPORTGEN_CONFIG", "variable.toml")
    assert resolved(*command).settings.seed == 2
    assert resolved(*command, "-c", "option.toml").settings.seed == 3


def test_every_option_and_every_key_is_tried_above():
    commands = typer.main.get_command(cli.app).commands
    for name in ("assess", "check"):
        options = {one.name for one in commands[name].params if "-" in one.opts[0]} - {"config", "help"}
        assert options <= set(OPTIONS)
    assert {one.name for one in commands["assess"].params if "-" in one.opts[0]} - {"config", "help"} == set(OPTIONS)
    tables = {"thresholds", "declared", "generator_parameters", "sign_off", "look"}
    assert {*Settings.model_fields, *Running.model_fields} == {*OPTIONS, *WITHOUT_OPTION, *tables}


def test_a_variable_that_no_option_reads_is_named_with_the_nearest(run, tables, monkeypatch):
    monkeypatch.setenv("REPORTGEN_TOLERENCE", "5")
    err = run("assess", *tables[:2], "--dry-run")[2]
    assert err == "REPORTGEN_TOLERENCE: not read, no option is called so (did you mean 'REPORTGEN_TOLERANCE'?)\n"
    assert run("assess", *tables[:2], "--dry-run", "-q")[2] == ""


@pytest.mark.parametrize(
    ("variable", "text", "part"),
    [
        ("REPORTGEN_JOBS", "none", "REPORTGEN_JOBS: setting 'jobs': must be a valid integer"),
        ("REPORTGEN_QUIET", "perhaps", "REPORTGEN_QUIET: setting 'quiet': must be a valid boolean"),
        ("REPORTGEN_FAIL_ON", "low", "REPORTGEN_FAIL_ON: setting 'fail_on': low can never be met"),
        ("REPORTGEN_OUTPUT", "r.docx", "unknown format"),
        ("REPORTGEN_CONFIG", "none.toml", "none.toml: cannot be read"),
    ],
)
def test_a_wrong_variable_is_named(run, tables, monkeypatch, variable, text, part):
    monkeypatch.setenv(variable, text)
    code, out, err = run("assess", *tables[:2])
    assert (code, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("jobs = 0", "r.toml: setting 'jobs': must be greater than or equal to 1"),
        ("quiet = 'perhaps'", "r.toml: setting 'quiet': must be a valid boolean"),
        ("output = 3", "r.toml: setting 'output': give a list of files"),
        ("holdout = 3", "r.toml: setting 'holdout': must be text"),
    ],
)
def test_a_wrong_line_of_a_file_is_named(run, tables, tmp_path, line, part):
    (tmp_path / "r.toml").write_text(line)
    code, out, err = run("assess", *tables[:2], "-c", "r.toml")
    assert (code, out) == (2, "")
    assert part in err


def test_the_printed_command_names_the_config_file_that_was_used(run, tables, tmp_path):
    (tmp_path / "strict.toml").write_text("[thresholds]\nleak_test = 0.01\n")
    run("assess", *tables[:2], "-c", tmp_path / "strict.toml", "-o", "r.json", "-q")
    assert (
        '"command": "reportgen assess original.csv synthetic.csv --config strict.toml"'
        in (tmp_path / "r.json").read_text()
    )
