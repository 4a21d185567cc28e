"""Several releases of one original share what was found among its rows, and each result is that of a run alone."""

import numpy as np
import pandas as pd
import pytest

from reportgen import api
from reportgen.settings import make_settings
from reportgen.space.answers import Answers, contents

ROWS = 240


def tables(adult):
    return [pd.read_parquet(adult / f"{name}.parquet")[:ROWS] for name in ("original", "holdout", "synthetic_good")]


def releases(good, original):
    """Tables that differ in rows, in values that only they have, in what is missing, and in how much they leak."""
    unseen = good.assign(occupation=["Beekeeper", *good["occupation"][1:]], age=good["age"] + 0.5)
    gaps = good.astype({"age": "float64"})
    gaps.loc[gaps.index[:40], "age"] = np.nan
    return {
        "good": good,
        "again": good[::-1],
        "unseen": unseen,
        "gaps": gaps,
        "fewer": good[: ROWS // 2],
        "more": pd.concat([good, unseen]),
        "leaky": pd.concat([original[:60], good[60:]]),
    }


def assess(original, synthetic, holdout, answers=None, **settings):
    made = make_settings({"draws": 2, "resamples": 100, **settings})
    return api.run_assessment(original, synthetic, holdout, made, jobs=1, answers=answers).to_json()


@pytest.fixture(autouse=True)
def moment(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")


@pytest.mark.parametrize("held", [True, False])
def test_every_result_is_that_of_a_run_alone(adult, held):
    original, holdout, good = tables(adult)
    holdout = holdout if held else None
    answers = Answers()
    for name, release in releases(good, original).items():
        before = answers.reused
        shared = assess(original, release, holdout, answers)
        assert shared == assess(original, release, holdout), name
        # A gap in a number adds a coordinate, so that the real rows stand elsewhere; the others find all of it again.
        assert (answers.reused > before) == (name not in {"good", "gaps"}), name


def test_persons_share_as_well(adult):
    original, holdout, good = tables(adult)
    persons = [
        table.assign(who=[f"{side}{row // 2}" for row in range(ROWS)])
        for side, table in zip("oh", (original, holdout), strict=True)
    ]
    synthetic = good.assign(who="nobody")
    answers = Answers()
    for release in (synthetic, synthetic[:200]):
        shared = assess(persons[0], release, persons[1], answers, group="who")
        assert shared == assess(persons[0], release, persons[1], group="who")
    assert answers.reused
    # The same rows of other persons are another question.
    others = [
        table.assign(who=[f"{side}{row // 3}" for row in range(ROWS)])
        for side, table in zip("oh", persons, strict=True)
    ]
    before = answers.reused
    assert assess(others[0], synthetic, others[1], answers, group="who") == assess(
        others[0], synthetic, others[1], group="who"
    )
    assert answers.reused == before


def test_signals_share_as_well():
    original, holdout, first, second = (
        np.random.default_rng(seed).normal(size=(60, 2, 40)).cumsum(axis=2) for seed in range(4)
    )
    answers = Answers()
    for release in (first, second):
        assert assess(original, release, holdout, answers) == assess(original, release, holdout)
    assert answers.reused


def test_other_real_rows_seeds_and_settings_are_asked_anew(adult):
    original, holdout, good = tables(adult)
    answers = Answers()
    assess(original, good, holdout, answers)
    for real, held, settings in (
        (original[:-1], holdout, {}),
        (holdout, original, {}),  # the same rows, and others of them are original
        (original, holdout, {"seed": 1}),
        (original, holdout, {"tail_percentile": 5.0}),
        (original, holdout, {"components": 4}),
    ):
        assert assess(real, good, held, answers, **settings) == assess(real, good, held, **settings)


def test_longer_lists_serve_for_shorter_ones_and_not_the_other_way_round():
    answers, asked = Answers(), []

    def find(k):
        def found():
            asked.append(k)
            return np.arange(2.0 * k).reshape(2, k), np.arange(2 * k).reshape(2, k)

        return found

    assert answers.lists(b"a", 5, find(5))[0].shape == (2, 5)
    assert answers.lists(b"a", 3, find(3))[0].tolist() == [[0, 1, 2], [5, 6, 7]]
    answers.lists(b"a", 6, find(6))
    answers.lists(b"b", 6, find(6))
    assert asked == [5, 6, 6]


def test_contents_tell_arrays_apart_by_values_shapes_and_types():
    one = np.arange(6.0)
    others = (one.reshape(2, 3), one.astype(np.float32), one + 1e-15, one[:5], -one)
    assert len({contents([array]) for array in (one, *others)}) == 1 + len(others)
    assert contents([one, None]) != contents([None, one])
    assert contents([one[::2]]) == contents([one[::2].copy()])
