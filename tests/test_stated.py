"""What the user states: generator, release and sign-off, from the config file to the report; old results without it."""

import json
import math

import pandas as pd
import pytest

import reportgen
from reportgen import model
from reportgen.config import read_config
from reportgen.errors import InputError
from reportgen.settings import STATED, Settings, make_settings

CONFIG = """
release_model = "Open download."
generator = "A tree-based generator."
[generator_parameters]
trees = 30
[sign_off]
assessor = "A. Person"
date = 2026-12-01
decision = "Release."
next_review = "2027-06-01"
"""


@pytest.fixture(scope="module")
def assess():
    """Assess two small tables with these settings."""
    tables = [pd.DataFrame({"x": [row / 7 + shift for row in range(40)]}) for shift in (0, 0.05)]
    return lambda **settings: reportgen.assess(*tables, resamples=100, draws=2, **settings)


def stated(folder):
    (folder / "r.toml").write_text(CONFIG)
    return make_settings(read_config(folder / "r.toml"))


def test_a_config_file_states_generator_release_and_sign_off(tmp_path):
    settings = stated(tmp_path)
    assert (settings.release_model, settings.generator) == ("Open download.", "A tree-based generator.")
    assert settings.generator_parameters == {"trees": 30}
    assert settings.sign_off.model_dump() == {
        "assessor": "A. Person",
        "date": "2026-12-01",  # a date of TOML
        "decision": "Release.",
        "next_review": "2027-06-01",
    }


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"sign_off": {"assessor": "x" * 301}}, "setting 'sign_off.assessor': must have at most 300 characters"),
        ({"sign_off": {"who": "x"}}, "setting 'sign_off.who': is not a known setting"),
        ({"sign_off": 3}, "setting 'sign_off': give a table"),
        ({"sign_off": {"date": "\udcff"}}, "holds bytes that are no UTF-8 text"),
        ({"generator_parameters": 3}, "setting 'generator_parameters': give a table"),
        ({"generator_parameters": {"a": {"b": 1}}}, "'a': give text, a number, true or false"),
        ({"generator_parameters": {"a": [[1]]}}, "'a': give text, a number, true or false"),
        ({"generator_parameters": {"a": math.nan}}, "'a': must be a finite number"),
        ({"generator_parameters": {"a": 2**63}}, "'a': a whole number has at most 64 bits"),
        ({"generator_parameters": {"a": "x" * 1001}}, "'a': must have at most 1000 characters"),
        ({"generator_parameters": {"a" * 1001: 1}}, "must have at most 1000 characters"),
    ],
)
def test_a_wrong_statement_is_one_line_with_its_name(values, part):
    with pytest.raises(InputError) as caught:
        make_settings(values)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_what_is_stated_stands_in_the_result_and_is_read_again(assess):
    parameters = {"z": [256, 0.5, "a"], "on": True, "epochs": 300}
    made = assess(generator="G", generator_parameters=parameters, sign_off={"decision": "No."})
    plain = json.loads(made.to_json())["settings"]
    assert plain["generator_parameters"] == {"epochs": 300, "on": True, "z": [256, 0.5, "a"]}
    assert plain["sign_off"] == {"assessor": "", "date": "", "decision": "No.", "next_review": ""}
    again = model.Result.model_validate_json(made.to_json(), strict=True)
    assert model.to_json(again) == made.to_json()
    assert again.settings == made.result.settings
    # The printed order must not change either: the report is made from both.
    assert list(again.settings.generator_parameters) == list(made.result.settings.generator_parameters)


def test_a_result_of_which_nothing_is_stated_has_none_of_the_keys(assess):
    text = assess().to_json()
    assert not set(STATED) & set(json.loads(text)["settings"])
    assert model.to_json(model.Result.model_validate_json(text, strict=True)) == text


def test_words_change_no_number_and_no_comparison(assess):
    older, newer = assess(), assess(generator="G", sign_off={"date": "2026-12-01"}, generator_parameters={"a": 1})
    before, now = (json.loads(one.to_json()) for one in (older, newer))
    assert before["metrics"] == now["metrics"]
    from reportgen.baseline import differences
    from reportgen.changes import compare

    assert list(differences(older.result, newer.result)) == []
    assert compare(older.result, newer.result, ("a", "b"), {}).settings == ()


def test_the_printed_command_names_what_only_a_file_can_hold(assess):
    command = assess(generator="Two words", sign_off={"date": "x"}).result.command
    assert "REPORTGEN_GENERATOR='Two words' reportgen assess" in command
    assert "--config CONFIG" in command
    assert "--config" not in assess(release_model="open").result.command


def test_a_policy_can_ask_for_a_statement(assess):
    for asked, met in (({"assessor": "A"}, True), ({"assessor": "B"}, False)):
        found = assess(sign_off={"assessor": "A"}, policy={"settings": {"sign_off": asked}}).gate.outcomes
        assert {one.rule: one.met for one in found}["settings.sign_off"] is met


def test_defaults_are_empty():
    assert {name: getattr(Settings(), name) for name in ("release_model", "generator", "generator_parameters")} == {
        "release_model": "",
        "generator": "",
        "generator_parameters": {},
    }
