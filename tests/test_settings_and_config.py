"""Settings by option, environment, file and default; wrong ones are one line."""

import re

import pytest

from reportgen.config import read_config, resolve
from reportgen.errors import InputError
from reportgen.settings import METRIC_KEYS, Settings, make_settings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_option_beats_environment_beats_file_beats_default(folder):
    (folder / "reportgen.toml").write_text("tolerance = 3.0\nseed = 3\ntitle = 'from the file'\n")
    environ = {"REPORTGEN_TOLERANCE": "2", "REPORTGEN_SEED": "2", "REPORTGEN_KEY": "a, b"}
    made = resolve({"tolerance": 1.5}, environ).settings
    assert (made.tolerance, made.seed, made.title, made.draws) == (1.5, 2, "from the file", 20)
    assert made.key == ("a", "b")


def test_a_pyproject_has_its_own_table(folder):
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.reportgen]\ntolerance = 0.5\n")
    assert read_config(folder / "pyproject.toml") == {"tolerance": 0.5}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("tolerence = 1\n", "unknown key 'tolerence'"),
        ("tolerance = \n", "not valid TOML"),
        ("[polcy]\n", "did you mean 'policy'"),
    ],
)
def test_a_wrong_file_is_named_with_its_fault(folder, text, part):
    (folder / "r.toml").write_text(text)
    with pytest.raises(InputError, match=re.escape(part)) as caught:
        read_config(folder / "r.toml")
    assert "r.toml" in str(caught.value)


def test_a_missing_file_is_an_error(folder):
    with pytest.raises(InputError, match=r"none\.toml"):
        resolve({"config": folder / "none.toml"}, {})


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"tolerance": -1}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"metric": ("nope",)}, "unknown metric 'nope'"),
        ({"fail_on": "sometimes"}, "fail_on"),
        ({"lang": "xx"}, "lang"),
        ({"components": 0}, "components"),
        ({"colour": 1}, "colour"),
    ],
)
def test_a_wrong_setting_is_one_line_with_its_name(values, part):
    with pytest.raises(InputError, match=part) as caught:
        make_settings(values)
    assert "\n" not in str(caught.value)


def test_components_come_as_a_number_or_all():
    assert make_settings({"components": "5"}).components == 5
    assert make_settings({"components": "all"}).components == "all"


def test_every_metric_of_the_contract_has_its_place():
    assert len(set(METRIC_KEYS)) == len(METRIC_KEYS) == 14
    assert Settings(metric=METRIC_KEYS).metric == METRIC_KEYS


def test_one_name_stands_for_a_list_of_one_in_every_source(folder):
    (folder / "reportgen.toml").write_text("metric = 'closest_rate'\nkey = 'id'\n")
    made = resolve({}, {"REPORTGEN_IGNORE": "a"}).settings
    assert (made.metric, made.key, made.ignore) == (("closest_rate",), ("id",), ("a",))
    assert make_settings({"numeric": "a,b"}).numeric == ("a,b",)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('tolerance = "x"', "r.toml: setting 'tolerance': must be a valid number"),
        ("tolerance = true", "r.toml: setting 'tolerance': no setting but no_category_names is true or false"),
        ("key = 3", "r.toml: setting 'key': give a list of names"),
        ("key = [3]", "r.toml: setting 'key': must be a valid string"),
        ("seed = 1.5", "r.toml: setting 'seed': must be a valid integer"),
        ("[thresholds]\nnope = 1", "r.toml: setting 'thresholds.nope': is not a known setting"),
        ("[thresholds]\nleak_test = 2", "r.toml: setting 'thresholds.leak_test': must be less than 1"),
        ("thresholds = 2", "r.toml: setting 'thresholds': give a table"),
        ("title = 2020-01-01", "r.toml: setting 'title': must be a valid string"),
    ],
)
def test_a_wrong_value_in_a_file_is_named_with_the_file(folder, text, part):
    (folder / "r.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_config(folder / "r.toml")
    assert str(caught.value).startswith(part)


def test_a_wrong_value_in_the_environment_is_named_with_the_variable(folder):
    with pytest.raises(InputError, match="REPORTGEN_SEED: setting 'seed'"):
        resolve({}, {"REPORTGEN_SEED": "x"})


def test_an_empty_variable_is_one_that_is_not_set(folder):
    assert resolve({}, {"REPORTGEN_TOLERANCE": "", "REPORTGEN_KEY": ""}).settings == Settings()


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\nreportgen = 3"])
def test_a_pyproject_without_the_table_or_with_something_else_there(folder, text):
    (folder / "pyproject.toml").write_text(text)
    if text == "tool = 3":
        assert read_config(folder / "pyproject.toml") == {}
    else:
        with pytest.raises(InputError, match=r"pyproject\.toml: tool\.reportgen is no table"):
            read_config(folder / "pyproject.toml")


def test_a_folder_as_a_file_is_named(folder):
    with pytest.raises(InputError, match=r"^\.: cannot be read"):
        read_config(folder.relative_to(folder))


def test_text_that_cannot_be_written_is_refused():
    with pytest.raises(InputError, match="setting 'title': holds bytes that are no UTF-8 text"):
        make_settings({"title": "\udcff"})
    with pytest.raises(InputError, match="setting 'key': holds bytes"):
        make_settings({"key": ["\udcff"]})


def test_names_of_categories_are_left_out_by_option_variable_and_file(folder):
    (folder / "reportgen.toml").write_text("no_category_names = true\n")
    assert resolve({}, {}).settings.no_category_names
    (folder / "reportgen.toml").unlink()
    for text, expected in (("true", True), ("1", True), ("false", False), ("", False)):
        environ = {"REPORTGEN_NO_CATEGORY_NAMES": text}
        assert resolve({}, environ).settings.no_category_names is expected
    assert resolve({"no_category_names": True}, {}).settings.no_category_names
    with pytest.raises(InputError, match=r"^REPORTGEN_NO_CATEGORY_NAMES: setting 'no_category_names': must be true or"):
        resolve({}, {"REPORTGEN_NO_CATEGORY_NAMES": "perhaps"})


@pytest.mark.parametrize(
    "values", [{"title": "x" * 1001}, {"context": "x" * 20_001}, {"key": ["x" * 1001]}, {"lead_names": "x" * 1001}]
)
def test_a_text_that_no_report_has_room_for_is_one_short_line(values):
    with pytest.raises(InputError, match="must have at most") as caught:
        make_settings(values)
    assert len(str(caught.value)) < 120


def test_a_wrong_setting_of_any_length_is_one_short_line():
    for values in ({"metric": "x" * 10**6}, {"lead_names": ",".join(["x" * 500] * 2)}):
        with pytest.raises(InputError) as caught:
            make_settings(values)
        assert len(str(caught.value)) < 400
