"""Settings by option, environment, file and default; wrong ones are one line."""

import pytest

from reportgen.config import read_config, settings_from
from reportgen.errors import InputError
from reportgen.settings import METRIC_KEYS, Settings, make_settings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_option_beats_environment_beats_file_beats_default(folder):
    (folder / "reportgen.toml").write_text("tolerance = 3.0\nseed = 3\ntitle = 'from the file'\n")
    environ = {"REPORTGEN_TOLERANCE": "2", "REPORTGEN_SEED": "2", "REPORTGEN_KEY": "a, b"}
    made = make_settings(settings_from({"tolerance": 1.5}, environ, None))
    assert (made.tolerance, made.seed, made.title, made.draws) == (1.5, 2, "from the file", 20)
    assert made.key == ("a", "b")


def test_a_pyproject_has_its_own_table(folder):
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.reportgen]\ntolerance = 0.5\n")
    assert read_config(folder / "pyproject.toml") == {"tolerance": 0.5}


@pytest.mark.parametrize(
    ("text", "part"),
    [("tolerence = 1\n", "unknown key 'tolerence'"), ("tolerance = \n", "not valid TOML"), ("[policy]\n", "policy")],
)
def test_a_wrong_file_is_named_with_its_fault(folder, text, part):
    (folder / "r.toml").write_text(text)
    with pytest.raises(InputError, match=part) as caught:
        read_config(folder / "r.toml")
    assert "r.toml" in str(caught.value)


def test_a_missing_file_is_an_error(folder):
    with pytest.raises(InputError, match=r"none\.toml"):
        settings_from({}, {}, folder / "none.toml")


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
