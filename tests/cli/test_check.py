"""`reportgen check`: the gate alone."""

import io
import json
import subprocess

import pytest

WAIVER = (
    '[[policy.waivers]]\nrule = "{rule}"\nreason = "agreed in review 12"\nby = "A. Person"\nuntil = {until}\n{more}\n'
)
DAY = "1774915200"  # 2026-03-31, for SOURCE_DATE_EPOCH


def states(out):
    """Rule -> state, of the lines on stdout."""
    return {line.split("\t")[1]: line.split("\t")[0] for line in out.splitlines()}


def policy(folder, text, name="reportgen.toml"):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_each_rule_is_a_line_of_state_rule_value_limit_and_sentence(run, results):
    policy(results, '[policy]\nfail_on = "high"\nclosest_rate = {max = 100}\n')
    code, out, err = run("check", "inconclusive.json")
    assert (code, err) == (0, "")
    rate = json.loads((results / "inconclusive.json").read_text())["metrics"]["closest_rate"]["scores"]["rate"]["value"]
    lines = [line.split("\t") for line in out.splitlines()]
    assert [len(line) for line in lines] == [5, 5, 5]
    assert lines[2][:2] == ["met", "closest_rate.rate"]
    assert float(lines[2][2]) == rate
    assert lines[2][3] == "at most 100 %"


def test_without_a_policy_the_gate_fails_at_inconclusive(run, results):
    code, out, err = run("check", "inconclusive.json")
    assert code == 1
    assert states(out) == {"verdict": "not met", "measured": "met"}
    assert err.startswith("gate not met: verdict inconclusive, fails at inconclusive or above; ")
    assert err.count("\n") == 1
    assert "What would change it: " in err


@pytest.mark.parametrize(
    ("name", "level", "code"),
    [("inconclusive", "moderate", 0), ("high", "moderate", 1), ("high", "high", 1), ("high", "never", 0)],
)
def test_the_level_to_fail_on_is_an_option(run, results, name, level, code):
    assert run("check", f"{name}.json", "--fail-on", level)[0] == code


def test_the_option_beats_the_policy_and_the_policy_says_nothing_else_twice(run, results):
    policy(results, '[policy]\nfail_on = "moderate"\n')
    assert run("check", "inconclusive.json")[0] == 0
    assert run("check", "inconclusive.json", "--fail-on", "inconclusive")[0] == 1


def test_a_setting_of_the_file_is_the_level_where_the_policy_names_none(run, results):
    policy(results, 'fail_on = "moderate"\n[policy]\nrequire_holdout = true\n')
    assert run("check", "inconclusive.json")[0] == 0
    policy(results, 'fail_on = "moderate"\n[policy]\nfail_on = "high"\n')
    code, out, err = run("check", "inconclusive.json")
    assert (code, out) == (2, "")
    assert "stands twice and differs" in err


def test_a_result_comes_from_stdin_by_a_dash(run, texts, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(texts["high"].encode()), encoding="utf-8"))
    code, out, _ = run("check", "-", "--fail-on", "never")
    assert code == 0
    assert states(out) == {"verdict": "met"}


@pytest.mark.parametrize(
    ("words", "part"), [(("-",), "standard input: not a JSON file"), (("none.json",), "none.json")]
)
def test_what_is_no_result_is_refused_in_one_line(run, monkeypatch, words, part):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"no"), encoding="utf-8"))
    code, out, err = run("check", *words)
    assert (code, out) == (2, "")
    assert part in err
    assert err.count("\n") == 1


def test_a_result_that_no_assessment_wrote_is_refused_in_one_line(run, results):
    result = json.loads((results / "high.json").read_text())
    (results / "odd.json").write_text(json.dumps(result | {"created": "2026-99-99T00:00:00Z"}))
    policy(results, "[policy]\nmax_age_days = 3\n")
    code, out, err = run("check", "odd.json")
    assert (code, out) == (2, "")
    assert "odd.json: not a valid result at 'created'" in err
    assert err.count("\n") == 1


def test_a_closed_stdin_is_one_line(program, tmp_path):
    words = 'exec "$@" <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", words, "sh", *program, "check", "-"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "reportgen: error: standard input: cannot be read; give a result file, or pipe one in\n"


@pytest.mark.parametrize("where", ["option", "environment", "default", "pyproject"])
def test_the_policy_comes_from_each_place(run, results, monkeypatch, where):
    text = '[policy]\nfail_on = "never"\nclosest_rate = {min = 100.5}\n'
    words = ["check", "high.json"]
    if where == "pyproject":
        file = policy(results, text.replace("[policy]", "[tool.reportgen.policy]"), "pyproject.toml")
        words += ["-c", file]
    elif where == "default":
        policy(results, text)
    else:
        file = policy(results, text, "strict.toml")
        if where == "option":
            words += ["-c", file]
        else:
            monkeypatch.setenv("REPORTGEN_CONFIG", str(file))
    code, out, err = run(*words)
    assert code == 1
    assert states(out)["closest_rate.rate"] == "not met"
    assert "gate not met: verdict high, which is not gated; closest_rate.rate is " in err


def test_a_file_without_a_policy_is_no_policy(run, results):
    policy(results, "seed = 1\n", "settings.toml")
    code, out, err = run("check", "high.json", "-c", "settings.toml")
    assert (code, out) == (2, "")
    assert "settings.toml: holds no [policy]" in err
    policy(results, 'fail_on = "never"\n', "settings.toml")
    assert run("check", "high.json", "-c", "settings.toml")[0] == 0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[policy]\nfail_onn = 'high'", "unknown key 'fail_onn' (did you mean 'fail_on'?)"),
        ("[policy]\nclosest_rate.rates = {min = 1}", "no score is called 'closest_rate.rates'"),
        ("[policy]\nfail_on = 'low'", "can never be met"),
        ("[polcy]\nfail_on = 'high'", "unknown key 'polcy' (did you mean 'policy'?)"),
        ("tolerence = 1\n[policy]", "unknown key 'tolerence'"),
        ("[policy]\n[[policy.waivers]]\nrule = 'age'", "'waivers.0.reason': is missing"),
    ],
)
def test_a_wrong_policy_is_exit_2_and_names_the_file_for_check_and_assess(run, results, tables, text, part):
    policy(results, text)
    for words in (("check", "high.json"), ("assess", *tables[:2], "-o", "r.json")):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert err.startswith("reportgen: error: reportgen.toml: ")
        assert part in err
        assert err.count("\n") == 1
    assert not (results / "r.json").exists()


def test_fail_on_low_is_refused(run, results):
    code, out, err = run("check", "high.json", "--fail-on", "low")
    assert (code, out) == (2, "")
    assert "low can never be met" in err


def test_a_limit_on_what_was_not_measured_fails_with_the_reason(run, results):
    policy(results, '[policy]\nfail_on = "never"\nsingling_out = {max = 0.1}\n')
    result = json.loads((results / "inconclusive.json").read_text())
    result["metrics"]["singling_out"] = {"status": "not_measured", "code": "not_selected", "reason": "Not selected."}
    result["coverage"]["singling_out"]["assessed"] = False
    (results / "inconclusive.json").write_text(json.dumps(result))
    code, out, err = run("check", "inconclusive.json")
    assert code == 1
    assert states(out)["singling_out.risk"] == "not met"
    assert "singling_out.risk was not measured" in err


def test_a_waiver_holds_until_its_day_and_an_expired_one_says_so(run, results, monkeypatch):
    for until, code, state in (("2026-03-31", 0, "waived"), ("2026-03-30", 1, "not met")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
        text = '[policy]\nfail_on = "never"\nclosest_rate = {min = 100.5}\n'
        policy(results, text + WAIVER.format(rule="closest_rate", until=until, more=""))
        found = run("check", "inconclusive.json")
        assert found[0] == code
        assert states(found[1])["closest_rate.rate"] == state
        assert "agreed in review 12" in found[1]
        if code:
            assert "The waiver by A. Person ended on 2026-03-30" in found[2]


def test_an_unused_waiver_is_named(run, results):
    policy(results, '[policy]\nfail_on = "never"\n' + WAIVER.format(rule="age", until="2999-01-01", more=""))
    code, out, _ = run("check", "inconclusive.json")
    assert code == 0
    assert states(out)["age"] == "waiver unused"


def test_a_baseline_that_was_better_fails(run, results):
    text = '[policy]\nfail_on = "moderate"\n[policy.worsening]\nexact_copies = 0.0\n'
    policy(results, text)
    code, out, err = run("check", "high.json", "--baseline", "inconclusive.json", "--fail-on", "never")
    assert code == 1
    assert states(out) == {"verdict": "met", "baseline": "met", "baseline.exact_copies.synthetic_rows": "not met"}
    assert "exact_copies.synthetic_rows is" in err
    assert run("check", "inconclusive.json", "--baseline", "high.json")[0] == 0


def test_quiet_says_nothing_but_the_closing_line(run, results):
    assert run("check", "high.json", "-q", "--fail-on", "never") == (0, "", "")
    code, out, err = run("check", "high.json", "-q")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1


def test_check_loads_no_measuring_and_no_drawing_library(program, results):
    code = (
        "import sys; from reportgen.cli import main\n"
        "try: main(['check', 'high.json', '-q', '--fail-on', 'never'])\n"
        "except SystemExit as done: assert not done.code\n"
        "print(sorted({'numpy', 'pandas', 'faiss', 'scipy', 'pyarrow', 'matplotlib', 'weasyprint'} & set(sys.modules)))"
    )
    done = subprocess.run([program[0], "-c", code], capture_output=True, text=True, check=True, cwd=results)
    assert done.stdout.strip() == "[]"


def test_assess_render_and_check_agree_on_a_policy(run, tables, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    waived = WAIVER.format(rule="closest_rate", until="2026-12-31", more="")
    policy(tmp_path, '[policy]\nfail_on = "high"\nclosest_rate = {min = 100.5}\n' + waived)
    words = ("assess", *tables[:2], "--holdout", tables[2], "-o", "r.json", "-o", "r.html", "-q")
    assert run(*words)[0] == 0
    assert run("check", "r.json")[0] == 0
    html = (tmp_path / "r.html").read_text()
    assert "1 by waiver: closest_rate.rate until 2026-12-31" in html
    assert "agreed in review 12" in html
    assert run("render", "r.json", "-o", "again.html", "-q")[0] == 0
    assert (tmp_path / "again.html").read_text() == html

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")  # 2027: the waiver is over
    assert run("check", "r.json")[0] == 1
    assert run(*words)[0] == 1


def test_assess_writes_everything_before_a_policy_fails_it(run, tables, tmp_path):
    policy(tmp_path, '[policy]\nfail_on = "never"\nmax_tolerance = 1.0\n')
    code, _, err = run("assess", *tables[:2], "--tolerance", "2", "-o", "r.json", "-q")
    assert code == 1
    assert (tmp_path / "r.json").exists()
    assert err.startswith("gate not met: ")
    assert "declared with a tolerance of 2 %; the policy allows at most 1 %" in err


def test_assess_compares_with_a_baseline_and_keeps_it_in_the_result(run, tables, tmp_path):
    words = ("assess", *tables[:2], "--holdout", tables[2], "-q", "--fail-on", "high")
    assert run(*words, "-o", "old.json")[0] == 0
    assert run(*words, "-o", "new.json", "--baseline", "old.json")[0] == 0
    result = json.loads((tmp_path / "new.json").read_text())
    assert result["baseline"]["name"] == "old.json"
    assert result["command"].endswith("--baseline old.json --fail-on high")
    code, _, err = run(*words[:3], "-q", "--fail-on", "high", "-o", "x.json", "--baseline", "old.json")
    assert code == 1  # without the holdout
    assert "is not comparable: other holdout rows" in err
