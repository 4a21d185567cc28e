import math

import numpy as np
import pandas as pd
import pytest

from reportgen.attacks.linkability import by_chance, halves_of, linkability
from reportgen.attacks.targets import Targets, targets
from reportgen.settings import Settings


def attack(rows, **settings):
    found = targets(rows.original, rows.holdout, None, np.random.default_rng(0))
    assert isinstance(found, Targets)
    made = linkability(rows, found, Settings(**settings), np.random.default_rng(0), 1)
    return made if isinstance(made, str) else made[""]


def test_two_halves_of_a_copy_meet_in_it(read):
    random = np.random.default_rng(0)
    original, holdout = (pd.DataFrame(random.normal(size=(200, 4)), columns=list("abcd")) for _ in range(2))
    found = attack(read(original, original, holdout))
    assert found.attack == (200, 200)
    assert found.control.hits < 20
    assert found.p_value < 1e-50


def test_a_copy_made_twice_links_like_one_made_once(read):
    random = np.random.default_rng(0)
    original, holdout = (pd.DataFrame(random.normal(size=(100, 4)), columns=list("abcd")) for _ in range(2))
    found = attack(read(original, pd.concat([original] * 2), holdout))
    assert found.attack == (100, 100)


def test_rows_that_are_equally_near_link_nobody(read):
    # By a alone 200 synthetic rows are equally near, told apart by b alone; so meeting is chance: 1 in 200.
    table = pd.DataFrame({"a": np.repeat([0, 1, 2, 3], 200), "b": np.tile(np.arange(200), 4)})
    found = attack(read(table, table, table), link=("a",))
    assert found.attack.rate < 0.05
    assert found.attack == found.control


def test_the_distances_of_a_half_are_those_of_its_columns_alone(read):
    random = np.random.default_rng(3)
    original, synthetic, holdout = (pd.DataFrame(random.normal(size=(60, 3)), columns=list("abc")) for _ in range(3))
    rows = read(original, synthetic, holdout)
    found = attack(rows, link="a", link_with=("b",), link_neighbours=3)

    def near(column, table):
        away = np.abs(np.subtract.outer(table[column].to_numpy(), synthetic[column].to_numpy()))
        return np.argsort(away, axis=1)[:, :3]

    met = [
        sum(bool(set(one) & set(other)) for one, other in zip(near("a", table), near("b", table), strict=True))
        for table in (original, holdout)
    ]
    assert [found.attack.hits, found.control.hits] == met


def test_columns_are_dealt_out_in_turns_of_one_two_two(read):
    # Categories of 6, 5, 4 and 3 levels, and a number: their inertia is 5, 4, 3, 2 and 1.
    row = np.arange(300)
    table = pd.DataFrame(
        {name: np.char.add("l", (row % levels).astype(str)) for name, levels in zip("abcd", (6, 5, 4, 3), strict=True)}
    )
    table["e"] = row**1.5
    rows = read(table, table, table)
    assert [[rows.names[c] for c in half] for half in halves_of(rows, Settings())] == [["a", "d", "e"], ["b", "c"]]


def test_the_user_names_the_halves_or_one_of_them(read, people):
    rows = read(people(50, 0), people(50, 1))  # names in order: age, old, pay, town
    assert halves_of(rows, Settings(link="pay", link_with=("town", "old"))) == ((2,), (1, 3))
    assert halves_of(rows, Settings(link=("pay", "age"))) == ((0, 2), (1, 3))


def test_chance_is_that_of_two_random_choices():
    # 1 - C(8, 2)/C(10, 2) = 1 - 28/45
    assert by_chance(10, 2) == pytest.approx(17 / 45)
    assert by_chance(10, 6) == 1.0
    assert by_chance(2000, 1) == pytest.approx(1 / 2000)
    assert math.isclose(by_chance(20, 10), 1 - 1 / math.comb(20, 10))


def test_one_column_and_too_few_rows_are_said_so(read):
    original = pd.DataFrame({"a": np.arange(40.0) ** 1.5})
    assert attack(read(original, original, original)) == "too_few_columns"
    original["b"] = original["a"][::-1].to_numpy()
    assert attack(read(original, original[:5], original), link_neighbours=5) == "too_few_neighbours"
