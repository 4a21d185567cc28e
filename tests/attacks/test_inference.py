import numpy as np
import pandas as pd
import pytest

from reportgen.attacks import inference as attacking
from reportgen.attacks.inference import inference
from reportgen.attacks.targets import Targets, targets
from reportgen.settings import Settings
from reportgen.space import without


def attack(rows, **settings):
    found = targets(rows.original, rows.holdout, None, np.random.default_rng(0))
    assert isinstance(found, Targets)
    return inference(rows, found, Settings(**settings), np.random.default_rng(0), 1)


def test_a_copy_tells_every_column_of_its_person(read, people):
    original, holdout = people(200, 0), people(200, 1)
    found = attack(read(original, original, holdout))
    assert set(found) == {"age", "pay", "town", "old"}
    assert found["town"].attack.rate > 0.95  # a pair that agrees in all else may differ in it
    assert found["town"].control.rate < 0.5
    assert found["town"].p_value < 1e-9
    # What the data teach about anybody is no leak: old follows from the age.
    assert found["old"].control.rate > 0.9


def test_the_guess_is_the_value_of_the_nearest_synthetic_row_by_the_other_columns(read):
    random = np.random.default_rng(4)
    original, synthetic, holdout = (
        pd.DataFrame({"x": random.normal(size=50), "y": random.choice(["a", "b", "c"], 50)}) for _ in range(3)
    )
    found = attack(read(original, synthetic, holdout), secret=("y",))["y"]

    def hits(table):
        nearest = np.abs(np.subtract.outer(table["x"].to_numpy(), synthetic["x"].to_numpy())).argmin(axis=1)
        return int((synthetic["y"].to_numpy()[nearest] == table["y"].to_numpy()).sum())

    assert (found.attack.hits, found.control.hits) == (hits(original), hits(holdout))
    # A random synthetic row: the mean over the original rows of the share of rows with the same value.
    shares = synthetic["y"].value_counts(normalize=True)
    assert found.baseline == pytest.approx(original["y"].map(shares).mean())


@pytest.mark.parametrize(
    ("guess", "right"), [(100.0, True), (95.0, True), (105.0, True), (94.9, False), (105.1, False), (-100.0, False)]
)
def test_a_number_may_be_missed_by_the_tolerance_of_its_size(read, guess, right):
    original = pd.DataFrame({"x": [100.0] * 20 + [7.0] * 20, "y": [0.0] * 20 + [9.0] * 20})
    synthetic = pd.DataFrame({"x": [guess, 7.0], "y": [0.0, 9.0]})
    found = attack(read(original, synthetic, original), secret=("x",))["x"]
    assert found.attack.hits == (40 if right else 20)


def test_zero_and_a_missing_value_are_guessed_by_themselves_alone(read):
    original = pd.DataFrame({"x": [0.0] * 20 + [np.nan] * 20, "y": [0.0] * 20 + [9.0] * 20})
    original.loc[0, "x"] = 3.0
    hit = pd.DataFrame({"x": [0.0, np.nan], "y": [0.0, 9.0]})
    missed = pd.DataFrame({"x": [0.01, 0.0], "y": [0.0, 9.0]})
    assert attack(read(original, hit, original), secret=("x",))["x"].attack.hits == 39
    assert attack(read(original, missed, original), secret=("x",))["x"].attack.hits == 0


def test_a_date_may_be_missed_by_part_of_a_standard_deviation(read):
    # Days 0 and 100: standard deviation 50 days, 5 % of it 2.5 days.
    days = pd.to_datetime(["2020-01-01"] * 20 + ["2020-04-10"] * 20)
    original = pd.DataFrame({"day": days, "y": [0.0] * 20 + [9.0] * 20})
    synthetic = pd.DataFrame({"day": pd.to_datetime(["2020-01-03", "2020-04-14"]), "y": [0.0, 9.0]})
    assert attack(read(original, synthetic, original), secret=("day",))["day"].attack.hits == 20


def test_the_secrets_that_the_user_names_are_guessed_and_no_other(read, people):
    rows = read(people(50, 0), people(50, 1), people(50, 2))
    assert list(attack(rows, secret=("town", "age"))) == ["town", "age"]


def test_components_do_not_hide_what_an_attacker_knows(read, people):
    tables = people(80, 0), people(80, 1), people(80, 2)
    whole, some = (attack(read(*tables, Settings(components=n))) for n in ("all", 2))
    assert whole == some


def test_guesses_are_the_same_whether_searches_share_products_or_not(read, people, monkeypatch):
    original, holdout = people(300, 0), people(300, 1)
    synthetic = pd.concat([people(300, 2), original.iloc[:30], original.iloc[:30]], ignore_index=True)
    rows, prepared = read(original, synthetic, holdout), []
    own_share = without.share

    def share(*arguments):
        prepared.append(own_share(*arguments))
        return prepared[-1]

    monkeypatch.setattr(attacking, "share", share)
    shared = attack(rows)
    assert [one is not None for one in prepared] == [True]
    monkeypatch.setattr(attacking, "share", lambda *_: None)
    assert attack(rows) == shared
