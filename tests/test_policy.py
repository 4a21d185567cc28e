"""The table [policy]: names, values, and what is wrong with them in one line."""

import tomllib

import pytest

from reportgen.errors import InputError
from reportgen.policy import make_policy
from reportgen.score_names import SCORES, full_name, is_score

WAIVER = 'rule = "{}"\nreason = "r"\nby = "b"\nuntil = 2026-01-01\n'


def policy(text):
    return make_policy(tomllib.loads(text), "p.toml: ")


@pytest.mark.parametrize(
    "text",
    [
        "closest_rate = {min = 95}",
        "closest_rate.rate = {min = 95}",
        '"closest_rate.rate" = {min = 95}',
        "[limits]\nclosest_rate = {min = 95}",
        "[limits]\nclosest_rate.rate = {min = 95}",
        '[limits]\n"closest_rate.rate" = {min = 95}',
        "[limits.closest_rate]\nmin = 95",
    ],
)
def test_a_limit_may_be_written_in_every_way_that_toml_has(text):
    made = policy(text)
    assert list(made.limits) == ["closest_rate.rate"]
    assert made.limits["closest_rate.rate"].min == 95


def test_a_worsening_may_name_the_metric_or_the_score():
    for text in ("closest_rate = 1", "closest_rate.rate = 1", '"closest_rate.rate" = 1'):
        assert policy(f"[worsening]\n{text}").worsening == {"closest_rate.rate": 1.0}


def test_several_scores_of_one_metric_have_limits_of_their_own():
    made = policy("[limits.nn_dist]\nscore = {min = 1}\nauthenticity = {min = 0.4}")
    assert list(made.limits) == ["nn_dist.authenticity", "nn_dist.score"]


def test_scores_of_a_column_or_a_lead_may_have_limits():
    names = [
        "nn_dist.lead:V1:score",
        "exact_copies.column:a.b name:reused",
        "inference.column:x:risk",
        "leak_test.z:eqL",
    ]
    assert list(make_policy({"limits": {name: {"max": 1} for name in names}}).limits) == sorted(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_onn = 'high'", "p.toml: policy: unknown key 'fail_onn' (did you mean 'fail_on'?); known are fail_on, "),
        ("tolerance = 1", "p.toml: policy: unknown key 'tolerance' (did you mean 'max_tolerance'?)"),
        ("fail_on = 'low'", "p.toml: policy: 'fail_on': low can never be met"),
        ("fail_on = 'often'", "p.toml: policy: 'fail_on': must be 'inconclusive', 'moderate', 'high' or 'never'"),
        ("max_tolerance = -1", "p.toml: policy: 'max_tolerance': must be greater"),
        ("require_holdout = 'maybe'", "p.toml: policy: 'require_holdout': must be true or false"),
        ("min_tool_version = 'x'", "p.toml: policy: 'min_tool_version': must be a version, as '0.1.0'"),
        ("closest_rte = {min = 1}", "p.toml: policy: unknown key 'closest_rte' (did you mean 'closest_rate'?)"),
        ("closest_rate = {minn = 1}", "p.toml: policy: unknown key 'minn' (did you mean 'min'?); known are min, max"),
        ("closest_rate = {}", "p.toml: policy: 'limits.closest_rate.rate': give min, max or both"),
        ("closest_rate = {min = 2, max = 1}", "p.toml: policy: 'limits.closest_rate.rate': min is larger than max"),
        ("closest_rate = 95", "p.toml: policy: 'limits.closest_rate.rate': must be a table, as {min = 95}"),
        ("closest_rate = {min = '95'}", "p.toml: policy: 'limits.closest_rate.rate.min': must be a number"),
        ("closest_rate = {min = true}", "p.toml: policy: 'limits.closest_rate.rate.min': must be a number"),
        ("require_holdout = 1", "p.toml: policy: 'require_holdout': must be true or false"),
        ("closest_rate = {min = nan}", "p.toml: policy: 'limits.closest_rate.rate.min': must be a finite number"),
        ("closest_rate.rat = {min = 1}", "did you mean 'closest_rate.rate'?"),
        ("[limits]\nclosest_rat = {min = 1}", "p.toml: policy: 'limits': no score is called 'closest_rat' (did you"),
        ("closest_rate = {min = 1}\n[limits]\n'closest_rate.rate' = {min = 1}", "named twice"),
        ("[worsening]\nclosest_rate = -1", "p.toml: policy: 'worsening.closest_rate.rate': must be greater"),
        ("[worsening]\nnope = 1", "no score is called 'nope'"),
        ("[settings]\nsed = 1", "p.toml: policy: 'settings': no setting is called 'sed' (did you mean 'seed'?)"),
        ("[settings]\nseed = 'x'", "'seed': must be a valid integer"),
        (f"[[waivers]]\n{WAIVER.format('closest')}", "no rule is called 'closest' (did you mean 'closest_rate'?)"),
        (f"[[waivers]]\n{WAIVER.format('verdict')}", "a waiver of the verdict names the worst level it waives"),
        (f"[[waivers]]\n{WAIVER.format('age')}level = 'high'", "level belongs to a waiver of the verdict only"),
        (f"[[waivers]]\n{WAIVER.format('age')}[[waivers]]\n{WAIVER.format('age')}", "'age' is waived twice"),
        ("[[waivers]]\nrule = 'age'\nby = 'b'\nuntil = 2026-01-01", "'waivers.0.reason': is missing"),
        ("[[waivers]]\nrule = 'age'\nreason = 'r'\nuntil = 2026-01-01", "'waivers.0.by': is missing"),
        ("[[waivers]]\nrule = 'age'\nreason = 'r'\nby = 'b'", "'waivers.0.until': is missing"),
        (
            WAIVER.format("age").replace("2026-01-01", "'soon'").join(("[[waivers]]\n", "")),
            "must be a day, as 2026-12-31",
        ),
        (WAIVER.format("age").replace('"r"', '" "').join(("[[waivers]]\n", "")), "'waivers.0.reason': is empty"),
        ("waivers = 3", "p.toml: policy: 'waivers': must be a list"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_nearest_known_name(text, message):
    with pytest.raises(InputError) as caught:
        policy(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_each_rule_that_a_policy_can_make_may_be_waived():
    for rule, stored in (
        ("closest_rate", "closest_rate.rate"),
        ("baseline.closest_rate", "baseline.closest_rate.rate"),
        ("baseline.verdict", "baseline.verdict"),
        ("settings.seed", "settings.seed"),
        ("holdout", "holdout"),
    ):
        made = policy(f"[[waivers]]\n{WAIVER.format(rule)}")
        assert made.waivers[0].rule == stored


def test_a_policy_comes_back_from_its_json():
    text = "fail_on = 'high'\nclosest_rate = {min = 95}\n[settings]\nthresholds = {}\n[[waivers]]\n"
    made = policy(text + WAIVER.format("closest_rate"))
    assert type(made).model_validate_json(made.model_dump_json()) == made


def test_a_bare_metric_is_its_first_score():
    assert {full_name(metric) for metric in SCORES} == {f"{metric}.{scores[0]}" for metric, scores in SCORES.items()}
    assert not is_score("closest_rate")
    assert not is_score("nope.rate")
