import numpy as np
import pytest

from reportgen.distances import RealRows
from reportgen.metrics.leak_test import leak_test, rows_behind


def run_test(search, original, holdout, synthetic, permutations=199):
    pool, found = search(original, holdout, synthetic)
    return leak_test(pool.real, found, np.random.default_rng(1), permutations)


def near_copies(rows, random, sd=0.05):
    return rows + sd * rows.std(axis=0) * random.normal(size=rows.shape)


def test_agrees_with_the_oracle(oracle_case):
    pool, synthetic, expected = oracle_case
    test = leak_test(pool.real, synthetic, np.random.default_rng(0), 4999)
    assert len(pool.real.occurrences) == 580
    assert test.bandwidths == pytest.approx(expected["leak_test"]["bandwidth"], rel=1e-6)
    assert test.z == pytest.approx(expected["leak_test"]["z"], abs=1e-3)
    found = test.families | {"value": test.p_value}
    for name, p_value in found.items():
        p = expected["leak_test"][f"p_{name}"]
        assert p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 5000)), name


def test_order_of_rows_changes_no_bit(search, people):
    random = np.random.default_rng(0)
    tables = [people(rows, random) for rows in (200, 120, 150)]
    shuffled = [table[random.permutation(len(table))] for table in tables]
    assert run_test(search, *tables) == run_test(search, *shuffled)


def test_copies_made_twice_are_found(search, people):
    # Trap 1: a fifth of the synthetic rows are original rows, each twice: d1 = d2 among the synthetic rows, r = 1.
    random = np.random.default_rng(1)
    original, holdout, synthetic = people(300, random), people(300, random), people(300, random)
    synthetic[:60] = np.repeat(original[:30], 2, axis=0)
    test = run_test(search, original, holdout, synthetic)
    assert test.p_value == 1 / 200
    assert test.leading_family == "near"
    assert 20 <= test.rows_behind <= 40


def test_exchanged_files_are_seen_in_the_mirror(search, people):
    # Trap 6
    random = np.random.default_rng(2)
    original, holdout, synthetic = people(300, random), people(300, random), people(300, random)
    synthetic[:30] = near_copies(original[:30], random)
    right, exchanged = run_test(search, original, holdout, synthetic), run_test(search, holdout, original, synthetic)
    assert right.p_value <= 0.01
    assert right.p_mirrored > 0.5
    assert exchanged.p_mirrored <= 0.01
    assert exchanged.p_value > 0.5
    assert exchanged.z == pytest.approx({name: -z for name, z in right.z.items()}, abs=2e-4)


def test_same_table_three_times_says_nothing(search, people):
    # Trap 4
    table = people(60, np.random.default_rng(3))
    test = run_test(search, table, table, table)
    assert not any(test.z.values())
    assert min(test.p_value, test.p_mirrored) > 0.5
    assert test.rows_behind == 0


def test_altered_copies_are_found_as_such(search):
    # Copies with one column drawn anew are far in distance, but equal on all other columns.
    random = np.random.default_rng(4)
    original, holdout, synthetic = (random.normal(size=(300, 6)) for _ in range(3))
    synthetic[:30] = original[:30]
    synthetic[np.arange(30), np.arange(30) % 6] = random.normal(size=30)
    test = run_test(search, original, holdout, synthetic)
    assert test.p_value <= 0.01
    assert test.families["altered"] == 1 / 200
    assert test.z["eq1"] > 4


@pytest.mark.parametrize("sizes", [(200, 200), (300, 60), (60, 300)])
def test_ideal_tables_are_flagged_at_the_level_of_the_test(search, people, sizes):
    # 210 runs over the three sizes, 70 each: 3.5 expected, more than 11 once in four thousand.
    random = np.random.default_rng([5, *sizes])
    flagged = sum(
        run_test(search, people(sizes[0], random), people(sizes[1], random), people(100, random), 99).p_value <= 0.05
        for _ in range(70)
    )
    assert flagged <= 11


def test_hubs_do_not_raise_false_alarms(search):
    # Trap 14: synthetic rows far outside the support share a few neighbours.
    random = np.random.default_rng(6)
    p_values = [
        run_test(
            search, *(random.normal(size=(100, 4)) for _ in range(2)), random.normal(size=(100, 4)) + 30, 99
        ).p_value
        for _ in range(60)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 10 / 60


def test_near_copies_are_found(search, people):
    random = np.random.default_rng(7)
    found = 0
    for _ in range(20):
        original, holdout, synthetic = people(200, random), people(200, random), people(200, random)
        synthetic[:10] = near_copies(original[:10], random)
        found += run_test(search, original, holdout, synthetic, 99).p_value <= 0.05
    assert found >= 17


def test_rows_behind_are_the_fewest_that_make_up_the_excess():
    # Weights 4 3 2 1 on single rows, originals the first and the last two, q = 3/4: sum over T is 4 + 2 + 1 = 7, less
    # 3/4 * 10 = 7.5: no excess. With holdout the last: 9 - 7.5 = 1.5, over 1/4 is 6: 4 + 3 >= 6, two rows.
    def real(originals):
        return RealRows(np.ones(4, dtype=int), np.array(originals), np.ones((4, 2)))

    assert rows_behind(real([1, 0, 1, 1]), np.array([4.0, 3, 2, 1])) == 0
    assert rows_behind(real([1, 1, 1, 0]), np.array([4.0, 3, 2, 1])) == 2
