"""The attacks within the whole job."""

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
