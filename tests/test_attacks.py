"""The attacks within the whole job, on tables that try to break them."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.model import Measured

KEYS = ("singling_out", "linkability", "inference")


@pytest.fixture(scope="module")
def leaky(people):
    original = people(400, 0)
    synthetic = pd.concat([original[:200], people(200, 2)], ignore_index=True)
    return reportgen.assess(original, synthetic, people(400, 1), metric=KEYS)


def test_half_a_table_of_copies_is_significant_by_each_attack(leaky):
    for key in KEYS:
        assert leaky.metrics[key].scores["p_value"].value < 0.002
        assert leaky.metrics[key].scores["risk"].low > 0
        assert leaky.metrics[key].verdict == "moderate"
    assert [reason.code for reason in leaky.verdict.reasons].count("secondary_test") == 3
    assert leaky.verdict.level == "moderate"  # attacks alone never say high


def test_the_memorising_control_is_attacked_as_well(leaky):
    for key in KEYS:
        assert leaky.result.controls.memorising.scores[key]["risk"].value > 0


def test_every_criterion_of_wp216_is_assessed_by_its_attack(leaky):
    coverage = leaky.result.coverage
    assert all(getattr(coverage, key).assessed and key in getattr(coverage, key).metrics for key in KEYS)


def test_without_a_true_holdout_nothing_is_assessed_and_no_risk_measured(people):
    found = reportgen.assess(people(100, 0), people(100, 1), metric=KEYS)
    for key in KEYS:
        assert isinstance(found.metrics[key], Measured)
        assert "risk" not in found.metrics[key].scores
        assert "p_value" not in found.metrics[key].scores
        assert "no_control" in found.metrics[key].notes
        assert found.metrics[key].verdict == "context"
        assert not getattr(found.result.coverage, key).assessed


def test_neither_the_order_of_rows_nor_of_columns_changes_a_number(people):
    tables = people(300, 0), people(280, 1), people(250, 2)
    random = np.random.default_rng(0)
    shuffled = [table.iloc[random.permutation(len(table)), [2, 0, 3, 1]] for table in tables]
    one, other = (reportgen.assess(*some, metric=KEYS, attacks=100) for some in (tables, shuffled))
    for key in KEYS:
        assert one.metrics[key].scores == other.metrics[key].scores


def test_threads_change_no_number(people):
    tables = people(300, 0), people(280, 1), people(250, 2)
    one, other = (reportgen.assess(*tables, metric=KEYS, jobs=jobs) for jobs in (1, 3))
    assert one.metrics == other.metrics


def test_rows_of_a_person_are_attacked_once(people):
    def visits(seed):
        each = people(60, seed).assign(patient=[f"{seed}-{n}" for n in range(60)])
        again = pd.concat([each] * 4, ignore_index=True)
        return again.assign(pay=again["pay"] + np.random.default_rng(seed).integers(0, 9, len(again)))

    found = reportgen.assess(visits(0), visits(2), visits(1), metric=KEYS, group="patient")
    assert found.metrics["linkability"].scores["attacks"].value == 60
    assert found.metrics["inference"].scores["control_attacks"].value == 60


def test_records_of_signals_are_not_attacked_and_the_reason_says_why():
    random = np.random.default_rng(0)
    records = [random.normal(size=(30, 2, 40)) for _ in range(3)]
    found = reportgen.assess(*records, metric=KEYS)
    assert {found.metrics[key].code for key in KEYS} == {"records_of_signals"}


def test_secrets_and_halves_are_settings_of_the_result(people):
    tables = people(60, 0), people(60, 1), people(60, 2)
    found = reportgen.assess(*tables, metric=KEYS, secret="town", link=("age", "town"), attacks=40)  # noqa: S106
    names = {name for name in found.metrics["inference"].scores if name.startswith("column:")}
    assert {name.split(":")[1] for name in names} == {"town"}
    assert found.result.settings.link == ("age", "town")
    assert found.metrics["inference"].scores["attacks"].value == 40


def coverage(found):
    return {key: (part.assessed, part.code) for key, part in found.result.coverage}


def test_a_criterion_says_by_a_code_why_it_is_open(people):
    random = np.random.default_rng(0)
    unrelated = [pd.DataFrame(random.normal(size=(200, 4)), columns=list("abcd")) for _ in range(3)]
    found = reportgen.assess(*unrelated, metric=("linkability", "inference"))
    assert coverage(found) == {
        "singling_out": (False, "not_measured"),
        "linkability": (False, "not_trusted"),
        "inference": (False, "not_trusted"),
    }
    assert {found.metrics[key].verdict for key in ("linkability", "inference")} == {"inconclusive"}
    alone = reportgen.assess(people(100, 0), people(100, 1), metric=KEYS)
    assert set(coverage(alone).values()) == {(False, "no_control")}


def test_rows_that_the_generator_saw_are_no_control(people):
    original = people(300, 0)
    found = reportgen.assess(original, people(300, 1), original, metric=KEYS)
    assert "leaky_holdout" in {reason.code for reason in found.verdict.reasons}
    assert set(coverage(found).values()) == {(False, "invalid_control")}
    assert {found.metrics[key].verdict for key in KEYS} == {"inconclusive"}
    assert {found.metrics[key].scores["risk"].value for key in KEYS} == {0.0}


def test_evidence_stands_whatever_it_is_compared_with(people):
    # A tenth of the holdout are original rows, so it is leaky; a table of copies shows a leak all the same.
    original = people(300, 0)
    holdout = pd.concat([people(270, 1), original[:30]])
    found = reportgen.assess(original, original, holdout, metric=KEYS)
    assert "leaky_holdout" in {reason.code for reason in found.verdict.reasons}
    assert set(coverage(found).values()) == {(True, None)}


def test_a_fault_in_one_attack_leaves_the_others_standing(people, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a value")

    monkeypatch.setattr("reportgen.attacks.run.linkability", broken)
    found = reportgen.assess(*(people(60, seed) for seed in range(3)), metric=KEYS)
    failed = found.metrics["linkability"]
    assert failed.code == "failed"
    assert "ZeroDivisionError" in failed.reason
    assert "a value" not in found.to_json()
    assert isinstance(found.metrics["inference"], Measured)
    assert isinstance(found.metrics["singling_out"], Measured)
    assert found.verdict.level == "inconclusive"


@pytest.mark.parametrize("setting", [{"secret": "c1"}, {"link": "c1"}, {"link_with": "c1"}, {"attacks": 5}])
def test_what_is_said_of_attacks_is_refused_for_signals(setting):
    records = np.random.default_rng(0).normal(size=(30, 2, 40))
    with pytest.raises(reportgen.InputError, match="belongs to tables, and these inputs are signals"):
        reportgen.assess(records, records, records, **setting)


def test_near_copies_are_singled_out_by_their_profiles():
    # 5 % copies with noise of .03 sd, four independent numbers and two categories.
    random = np.random.default_rng(1)

    def rows(number):
        found = pd.DataFrame(random.normal(size=(number, 4)), columns=list("abcd"))
        return found.assign(e=random.choice(list("xyz"), number), f=random.choice(list("xy"), number))

    original, synthetic, holdout = rows(600), rows(600), rows(600)
    synthetic.iloc[:30] = original.iloc[:30]
    synthetic.iloc[:30, :4] += random.normal(scale=0.03, size=(30, 4))
    found = reportgen.assess(original, synthetic, holdout, metric="singling_out").metrics["singling_out"].scores
    assert found["profile_p_value"].value < 0.01
    assert found["risk"] == found["profile_risk"]
    assert found["multivariate_p_value"].value > 0.05


ODD = {
    "one column": lambda t: t[["age"]],
    "one category": lambda t: t[["town"]],
    "two columns": lambda t: t[["age", "town"]],
    "a constant": lambda t: t.assign(k=1),
    "nothing in a column": lambda t: t.assign(k=np.nan),
    "ids": lambda t: t.assign(id=[f"u{n}" for n in range(len(t))]),
    "booleans": lambda t: pd.DataFrame({name: t["age"] % n == 0 for name, n in zip("abc", (2, 3, 5), strict=True)}),
    "dates": lambda t: t.assign(day=pd.Timestamp("2020-01-01") + pd.to_timedelta(t["pay"], "D")),
    "texts": lambda t: t.assign(text=t["pay"].round(-1).astype(str) + "x"),
    "nullable": lambda t: t.assign(age=t["age"].astype("Int64").mask(t["age"] > 80), old=t["old"] == "yes"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", ODD)
def test_odd_tables_end_with_rates_or_a_reason(people, odd):
    tables = [ODD[odd](people(120, seed)) for seed in range(3)]
    found = reportgen.assess(*tables, metric=KEYS, attacks=100)
    for key in KEYS:
        metric = found.metrics[key]
        if not isinstance(metric, Measured):
            assert metric.code in {"too_few_columns", "no_predicates"}
            continue
        for name, score in metric.scores.items():
            if not name.endswith("attacks"):
                assert 0 <= score.value <= 1, name
            if score.low is not None:
                assert 0 <= score.low <= score.value <= score.high <= 1, name


@pytest.mark.parametrize("rows", [(19, 40, 40), (40, 40, 19), (5, 5, 5), (1, 1, 1)])
def test_of_a_handful_nobody_is_attacked(people, rows):
    tables = [people(number, seed) for seed, number in enumerate(rows)]
    found = reportgen.assess(*tables, metric=KEYS)
    assert {found.metrics[key].code for key in KEYS} == {"too_few_targets"}


@pytest.mark.parametrize("rows", [(20, 20, 20), (400, 40, 40), (40, 400, 400), (40, 1, 40), (40, 2, 40)])
def test_unequal_tables_without_a_leak_are_not_significant(people, rows):
    found = reportgen.assess(*(people(number, seed) for seed, number in enumerate(rows)), metric=KEYS)
    for key in KEYS:
        metric = found.metrics[key]
        if key == "linkability" and rows[1] == 1:
            assert metric.code == "too_few_neighbours"
        else:
            assert metric.verdict in {"low", "inconclusive"}


NAMES = (
    *("<script>alert(1)</script>", "line\nbreak", "100%", "{{ 7*7 }}", "{% raw %}", "\N{GRINNING FACE}", "x" * 300),
    *("column:age:risk", "univariate_risk", " edge ", "\N{RIGHT-TO-LEFT OVERRIDE}live", "&amp;", "=cmd", "$x_1$"),
)


@pytest.mark.filterwarnings("error")
def test_names_of_any_kind_stand_in_result_and_report(tmp_path):
    random = np.random.default_rng(0)

    def rows(number):
        columns = [
            random.normal(size=number) if place % 2 else random.choice(list("abc"), number) for place in range(14)
        ]
        return pd.DataFrame(dict(zip(NAMES, columns, strict=True)))

    original, synthetic, holdout = rows(120), rows(120), rows(120)
    synthetic.iloc[:40] = original.iloc[:40]
    found = reportgen.assess(original, synthetic, holdout, metric=KEYS, secret=[name.strip() for name in NAMES[:13]])
    risks = {
        name for name in found.metrics["inference"].scores if name.startswith("column:") and name.endswith(":risk")
    }
    assert risks == {f"column:{name.strip()}:risk" for name in NAMES[:13]}
    found.write(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text
    found.write(tmp_path / "report.json")
    assert reportgen.load(tmp_path / "report.json").metrics == found.metrics
