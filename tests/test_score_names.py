"""The names that policies use are those that results hold."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.model import Measured
from reportgen.score_names import SCORES, is_score
from reportgen.settings import METRIC_KEYS

ONLY_WHERE_NOT_ZERO = "closest_distances_ratio.repeated_copies"


@pytest.fixture(scope="module")
def tables():
    """A result with a holdout, in which every metric of this version has a value, and a left-out text column."""
    random = np.random.default_rng(3)
    frames = []
    for side in range(3):
        people = [f"person {side} {row}" for row in range(400)]
        town = random.choice(list("abc"), 400)
        frames.append(
            pd.DataFrame({"x": random.normal(size=400), "y": random.normal(size=400), "t": town, "who": people})
        )
    return reportgen.assess(*frames).result


@pytest.fixture(scope="module")
def signals():
    random = np.random.default_rng(3)
    return reportgen.assess(*(random.normal(size=(30, 2, 50)) for _ in range(3)), lead_names="I,II").result


def named(result):
    return {
        f"{key}.{score}"
        for key, metric in result.metrics.items()
        if isinstance(metric, Measured)
        for score in metric.scores
    }


def test_every_metric_has_names_in_the_order_of_the_report():
    assert set(SCORES) == set(METRIC_KEYS)


@pytest.mark.parametrize("kind", ["tables", "signals"])
def test_every_score_of_a_result_can_have_a_limit(kind, request):
    found = named(request.getfixturevalue(kind)) - {ONLY_WHERE_NOT_ZERO}
    assert [name for name in found if not is_score(name)] == []
    special = "exact_copies.column:who:reused" if kind == "tables" else "nn_dist.lead:II:score"
    assert special in found


def test_every_listed_score_of_a_measured_metric_is_in_a_result(tables):
    measured = [key for key, metric in tables.metrics.items() if isinstance(metric, Measured)]
    listed = {f"{key}.{score}" for key in measured for score in SCORES[key]}
    assert listed <= named(tables)
