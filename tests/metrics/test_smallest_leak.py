import numpy as np
import pandas as pd
import pytest

from reportgen.distances import AlmostEqual, DroppedSearch, RealRows, SyntheticRows
from reportgen.metrics.leak_test import FAMILIES
from reportgen.metrics.leak_weights import leak_weights
from reportgen.metrics.permutation import combine, labelings, z_scores
from reportgen.metrics.planted_trial import Trial
from reportgen.metrics.smallest_leak import PowerAt, _interpolated, _power, smallest_leak
from reportgen.space.planting import plant


def together(synthetic, planted, chosen):
    """The synthetic rows with the chosen planted rows among them, as if all had been searched together."""
    found, entries = planted.found, len(synthetic.times)
    place = np.full(len(found.times), -1)
    place[chosen] = entries + np.arange(len(chosen))
    drops, equals = (np.isin(part.entry, chosen) for part in (found.dropped, found.equal))
    return SyntheticRows(
        times=np.concatenate((synthetic.times, found.times[chosen])),
        distances=np.concatenate((synthetic.distances, found.distances[chosen])),
        real=np.concatenate((synthetic.real, found.real[chosen])),
        dropped=DroppedSearch(
            np.concatenate((synthetic.dropped.times, found.dropped.times[chosen])),
            np.concatenate((synthetic.dropped.ratio, found.dropped.ratio[chosen])),
            np.concatenate((synthetic.dropped.entry, place[found.dropped.entry[drops]])),
            np.concatenate((synthetic.dropped.real, found.dropped.real[drops])),
            np.concatenate((synthetic.dropped.share, found.dropped.share[drops])),
        ),
        equal=AlmostEqual(
            np.concatenate((synthetic.equal.entry, place[found.equal.entry[equals]])),
            np.concatenate((synthetic.equal.real, found.equal.real[equals])),
            np.concatenate((synthetic.equal.columns, found.equal.columns[equals])),
        ),
    )


def mixed(rows, random):
    numbers = random.normal(size=(rows, 3))
    numbers[:, 1] = numbers[:, 1].round(1)
    frame = pd.DataFrame(numbers, columns=["a", "b", "c"])
    for name, levels in (("d", "xyz"), ("e", "uvw"), ("f", "ab"), ("g", "kl")):
        frame[name] = pd.Series(random.choice(list(levels), rows), dtype=object)
    return pd.concat([frame, frame.iloc[: rows // 20]], ignore_index=True)  # some rows occur twice


@pytest.mark.parametrize("rows", [(40, 30, 30), (300, 150, 260)])
def test_planted_rows_are_tested_as_if_they_had_been_there(search, rows):
    random = np.random.default_rng(0)
    pool, synthetic = search(*(mixed(number, random) for number in rows))
    planted = plant(pool, random)
    trial = Trial(pool.real, synthetic, planted, np.random.default_rng(5), 99)
    labels = np.concatenate(list(labelings(pool.real.rows, pool.real.original_rows, 100, np.random.default_rng(5))))
    starts = np.cumsum(pool.real.occurrences) - pool.real.occurrences
    for truth, number in ((0, 1), (3, 8), (17, 15)):
        chosen = random.permutation(np.flatnonzero(trial.member[truth]))[:number]
        weights = leak_weights(pool.real, together(synthetic, planted, chosen))
        given = weights.values, 0, random, weights.rows
        z = np.concatenate(
            [
                z_scores(RealRows(pool.real.occurrences, originals, pool.real.distances), *given)
                for originals in np.add.reduceat(labels, starts, axis=1, dtype=np.int64)
            ]
        )
        leaks = chosen[np.newaxis], np.ones((1, number), dtype=bool)
        (quick,) = trial.z_scores(*leaks)
        np.testing.assert_allclose(quick.T, z, atol=1e-3)
        expected = combine(z, list(FAMILIES.values()), truth).p_value
        assert trial.p_values(*leaks, [truth]) == [pytest.approx(expected, abs=0.02)]


def test_leaks_that_are_tested_together_do_not_know_of_each_other(search):
    random = np.random.default_rng(6)
    pool, synthetic = search(*(mixed(number, random) for number in (200, 150, 260)))
    trial = Trial(pool.real, synthetic, plant(pool, random), random, 99)
    chosen = np.stack([random.permutation(np.flatnonzero(trial.member[truth]))[:9] for truth in range(12)])
    searched = random.random(chosen.shape) < 0.7
    alone = [
        trial.p_values(chosen[[leak]], searched[[leak]], [truth])[0] for leak, truth in enumerate(range(len(chosen)))
    ]
    assert trial.p_values(chosen, searched, range(len(chosen))) == alone
    assert len(set(alone)) > 3


def test_one_column_has_none_to_leave_out(search):
    random = np.random.default_rng(9)
    pool, synthetic = search(*(random.normal(size=(60, 1)) for _ in range(3)))
    planted = plant(pool, random)
    assert not len(planted.found.dropped.times)
    trial = Trial(pool.real, synthetic, planted, random, 99)
    chosen = np.flatnonzero(trial.member[0])[np.newaxis, :5]
    (z,) = trial.z_scores(chosen, np.ones((1, 5), dtype=bool))
    assert not z[4:6].any()  # drop6 and drop25
    assert z[:4].any()
    assert smallest_leak(pool.real, synthetic, planted, random, draws=20, permutations=99).curve


def test_a_draw_that_may_not_be_needed_changes_nothing(search, people, monkeypatch):
    random = np.random.default_rng(7)
    pool, synthetic = search(people(150, random), people(150, random), people(150, random))
    planted = plant(pool, random)
    found = []
    for at_once in (1, 5, 1000):
        monkeypatch.setattr(Trial, "at_once", at_once)
        found.append(smallest_leak(pool.real, synthetic, planted, np.random.default_rng(8), draws=40, permutations=99))
    assert found[0] == found[1] == found[2]
    assert any(at.draws < 40 for at in found[0].curve)


def test_more_planted_rows_are_found_more_often(search, people):
    random = np.random.default_rng(1)
    pool, synthetic = search(people(250, random), people(250, random), people(250, random))
    found = smallest_leak(pool.real, synthetic, plant(pool, random), random, draws=40, permutations=99)
    sizes, power = [at.rows for at in found.curve], [at.power for at in found.curve]
    assert sizes == [4, 6, 9, 14, 20, 30][: len(sizes)]
    assert found.curve[-1].draws == 40
    assert power[-1] >= 0.8 > power[0]
    assert sizes[-2] <= found.rows <= sizes[-1]


def test_small_holdout_needs_more_rows(search, people):
    # k leaked rows never give p < q^k: at q = 10/11 not even 30 rows give p <= .05.
    random = np.random.default_rng(2)
    pool, synthetic = search(people(400, random), people(40, random), people(200, random))
    found = smallest_leak(pool.real, synthetic, plant(pool, random), random, draws=40, permutations=99)
    assert found.rows is None or found.rows > 30


def test_nothing_is_claimed_where_nothing_can_be_found(search):
    # Every real row stands in both files: a copy of an original row is a copy of a holdout row.
    random = np.random.default_rng(3)
    table = random.normal(size=(60, 4))
    pool, synthetic = search(table, table, random.normal(size=(60, 4)))
    found = smallest_leak(pool.real, synthetic, plant(pool, random), random, draws=30, permutations=99)
    assert found.rows is None or found.rows > 4
    assert all(0 <= at.power <= 1 for at in found.curve)


def test_number_of_rows_is_interpolated_in_its_logarithm():
    # Half way between .6 and 1.0 is .8: the geometric mean of 4 and 9.
    assert _interpolated([PowerAt(4, 0.6, 100), PowerAt(9, 1.0, 100)]) == pytest.approx(6)
    assert _interpolated([PowerAt(4, 0.9, 100)]) == 4


def test_draws_end_when_the_power_is_out_of_reach():
    # Of 10 draws 8 must hit: the third miss ends it. 1 0 1 0 1 0: three hits among the five before the last.
    assert _power(4, iter([True, False] * 5), 10) == PowerAt(4, 3 / 5, 6)
    assert _power(4, iter([True] * 8 + [False] * 2), 10) == PowerAt(4, 0.8, 10)
    assert _power(4, iter([False] * 10), 10) == PowerAt(4, 0.0, 3)
