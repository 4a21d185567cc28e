"""The gate in every report: rules, waivers and the change record, from the result alone."""

import pytest

from reportgen.baseline import describe_baseline
from reportgen.gate import gate_of
from reportgen.policy import make_policy
from reportgen.render import render
from reportgen.render.first_page import first_page
from reportgen.render.rules import closing_line
from reportgen.render.terminal import render_terminal
from reportgen.settings import Settings

WAIVER = {"rule": "closest_rate", "reason": "agreed <b>once</b>\x1b[31m", "by": "A. Person", "until": "2999-12-31"}
UNUSED = {"rule": "holdout", "reason": "kept for later", "by": "B. Person", "until": "2999-12-31"}


@pytest.fixture
def waived(make):
    """The leaky result under a policy whose one failing score is waived."""
    policy = make_policy({"fail_on": "never", "closest_rate": {"min": 99.99}, "waivers": [WAIVER, UNUSED]})
    return make(policy=policy, settings=Settings(fail_on="never"))


def test_page_1_names_the_waived_rule_and_its_day(waived):
    line = first_page(waived).gate
    assert (
        line == "Release gate met: all 2 rules of the policy are met, 1 by waiver: closest_rate.rate until 2999-12-31."
    )


def test_every_report_prints_the_waivers_with_their_reasons(waived, rendering):
    html = render("r.html", waived, rendering).decode()
    for text in ("agreed &lt;b&gt;once&lt;/b&gt;", "A. Person", "2999-12-31", "kept for later", "unused", "in force"):
        assert text in html
    assert "<b>once" not in html
    assert "\x1b" not in html
    assert "Waived until 2999-12-31 by A. Person: agreed <b>once</b>" in " ".join(render_terminal(waived).split())
    assert "agreed" in render("r.json", waived, rendering).decode()


def test_without_a_policy_there_is_no_table_of_rules(make, rendering):
    assert "the rules of the policy" not in render("r.html", make(), rendering).decode()


def test_page_1_names_the_failing_rules(make):
    policy = make_policy({"fail_on": "high", "closest_rate": {"min": 99.99}, "require_holdout": True})
    line = first_page(make(policy=policy, settings=Settings(fail_on="high"))).gate
    assert line.startswith("Release gate not met: 2 of 4 rules of the policy fail: verdict, closest_rate.rate.")


def test_the_change_record_stands_beside_the_baseline(make, results, rendering):
    newer = make()
    baseline = describe_baseline(results["low"], "old.json", "0" * 64, newer)
    html = render("r.html", make(baseline=baseline), rendering).decode()
    assert "Change record" in html
    assert "old.json" in html
    assert "worse" in html


def test_a_baseline_that_does_not_compare_is_said_to_be_none(make, results, rendering):
    newer = make()
    baseline = describe_baseline(results["approximate"], "old.json", "0" * 64, newer)
    assert "holdout" in baseline.differences
    html = render("r.html", make(baseline=baseline), rendering).decode()
    assert "It is not comparable, having other holdout rows" in html


def test_the_closing_line_says_verdict_limit_reason_and_what_would_change_it(make):
    policy = make_policy({"closest_rate": {"min": 99.99}})
    result = make(policy=policy)
    line = closing_line(result, gate_of(result))
    assert line.startswith("gate not met: verdict high, fails at inconclusive or above; ")
    assert "closest_rate.rate is" in line
    assert "at least 99.99" in line
    assert "What would change it: a synthetic table without these copies; a synthetic table within this limit" in line
    assert "--fail-on never" not in line  # the limit would fail all the same
    assert "\n" not in line


def test_the_closing_line_of_a_level_alone_names_the_way_around_it(make):
    line = closing_line(make(), gate_of(make()))
    assert line.endswith("to report without gating: --fail-on never.")


def test_a_long_list_of_failing_rules_is_counted(make):
    names = ("median", "outlier", "median_raw", "outlier_raw", "tail_share")
    limits = {f"distance_to_closest.{name}": {"min": 1e6} for name in names}
    result = make(policy=make_policy({"limits": limits}), settings=Settings(fail_on="never"))
    assert "2 more rules fail." in closing_line(result, gate_of(result))
