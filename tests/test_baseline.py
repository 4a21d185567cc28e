"""What keeps an older result from being a baseline."""

import pandas as pd
import pytest

import reportgen
from reportgen.baseline import describe_baseline

SHA = "0" * 64
METRICS = ["closest_rate", "exact_copies"]


def table(seed, rows=40, **more):
    frame = {"age": [1.5 * (row + seed) for row in range(rows)], "town": (list("abcd") * rows)[:rows]}
    return pd.DataFrame(frame | more)


@pytest.fixture(scope="module")
def newer():
    return reportgen.assess(table(0), table(1), table(2), metric=METRICS).result


def differences(result, newer):
    return describe_baseline(result, "old.json", SHA, newer).differences


def test_another_synthetic_table_of_one_size_compares(newer):
    before = reportgen.assess(table(0), table(3), table(2), metric=METRICS, seed=7, title="x").result
    kept = describe_baseline(before, "old.json", SHA, newer)
    assert kept.differences == ()
    assert kept.scores["closest_rate"]["rate"] == before.metrics["closest_rate"].scores["rate"].value
    assert (kept.name, kept.level, kept.version) == ("old.json", before.verdict.level, reportgen.__version__)


@pytest.mark.parametrize(
    ("tables", "settings", "expected"),
    [
        ((table(5), table(1), table(2)), {}, ("original",)),
        ((table(0), table(1), table(5)), {}, ("holdout",)),
        ((table(0), table(1)), {}, ("holdout", "space")),  # the holdout has its part in the scaling
        ((table(0), table(1, rows=36), table(2)), {}, ("sizes",)),
        ((table(0), table(1), table(2)), {"ignore": ["town"]}, ("columns",)),
        ((table(0), table(1), table(2)), {"components": 1}, ("space",)),
        ((table(0), table(1), table(2)), {"closest_rate_percentile": 10}, ("settings",)),
        ((table(0), table(1), table(2)), {"tolerance": 2}, ("settings",)),
        ((table(0), table(1), table(2)), {"thresholds": {"leak_test": 0.01}}, ("settings",)),
    ],
)
def test_each_difference_that_forbids_comparing_is_named(newer, tables, settings, expected):
    assert differences(reportgen.assess(*tables, metric=METRICS, **settings).result, newer) == expected
