"""The tests behind the verdict where rows belong to persons: permuted, summed and counted by person."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from reportgen.distances import RealRows
from reportgen.metrics.closer_than_people import closer_than_people
from reportgen.metrics.holdout_share import holdout_share
from reportgen.metrics.leak_size import leak_size, limits, own_ratio_cut
from reportgen.metrics.leak_test import FAMILIES, leak_test, rows_behind
from reportgen.metrics.leak_weights import leak_weights
from reportgen.metrics.membership_inference import membership_inference, membership_of_persons
from reportgen.metrics.permutation import combine, moments, z_scores
from reportgen.metrics.planted_trial import Trial
from reportgen.persons import Persons, person_labelings
from reportgen.space.planting import plant


def real_rows(occurrences, originals, person, original):
    """Rows of U whose occurrences, one row after the other, are of these persons and on these sides."""
    persons = Persons(np.array(person), np.array(original, dtype=bool))
    return RealRows(np.array(occurrences), np.array(originals), np.ones((len(occurrences), 2)), persons)


@pytest.fixture
def four_people():
    # U has three rows. The first occurs three times: twice for person 0 (original), once for person 2 (holdout). The
    # second is person 1's (original) and person 3's (holdout), the third person 2's.
    return real_rows([3, 2, 1], [2, 1, 0], [0, 0, 2, 1, 3, 2], [1, 1, 0, 1, 0, 0])


def test_sums_over_persons_are_those_of_all_labelings_of_persons(four_people):
    # W = 6, 2, 5: W/c = 2, 1, 5. Person 0 has 2 + 2, person 1 has 1, person 2 has 2 + 5, person 3 has 1.
    weights, by_person = np.array([[6.0], [2.0], [5.0]]), [4, 1, 7, 1]
    sums = [sum(chosen) for chosen in itertools.combinations(by_person, 2)]
    mean, sd = moments(weights / four_people.occurrences[:, np.newaxis], four_people)
    assert 2 * mean[0] == pytest.approx(np.mean(sums), rel=1e-15)
    assert sd[0] == pytest.approx(np.std(sums), rel=1e-14)
    z = z_scores(four_people, weights, 300, np.random.default_rng(0))[:, 0]
    possible = sorted({round((each - np.mean(sums)) / np.std(sums), 4) for each in sums})
    assert z[0] == round((4 + 1 - np.mean(sums)) / np.std(sums), 4)
    assert sorted(set(z.tolist())) == pytest.approx(possible, abs=1.5e-4)


def test_rows_of_one_person_each_are_tested_as_rows(search, people):
    random = np.random.default_rng(1)
    original, holdout, synthetic = (people(rows, random) for rows in (80, 50, 70))
    synthetic[:5] = original[:5] + 0.01
    plain, found = search(original, holdout, synthetic)
    grouped, same = search(original, holdout, synthetic, persons=(np.arange(80), 80 + np.arange(50)))
    assert (plain.real.distances == grouped.real.distances).all()
    assert (found.distances == same.distances).all()
    assert (found.dropped.ratio == same.dropped.ratio).all()
    weights, others = leak_weights(plain.real, found), leak_weights(grouped.real, same)
    assert (weights.values == others.values).all()
    assert (weights.rows == others.rows).all()
    given = weights.values, 0, random, weights.rows
    assert (z_scores(plain.real, *given) == z_scores(grouped.real, *given)).all()
    assert leak_size(plain.real, found) == pytest.approx(leak_size(grouped.real, same))
    assert closer_than_people(plain.real, found).p_value == closer_than_people(grouped.real, same).p_value
    one, other = holdout_share(plain.real, found), holdout_share(grouped.real, same)
    assert (one.share, one.null, one.p_value) == pytest.approx((other.share, other.null, other.p_value))
    to_synthetic = plain.closest_synthetic(plain.encoded.synthetic)
    rows = membership_inference(plain.real, to_synthetic).all
    persons = membership_of_persons(grouped.real, grouped.real.persons, to_synthetic, random).all
    assert (rows.auc, rows.found, rows.top_original) == (persons.auc, persons.found, persons.top_original)
    assert (rows.auc_low, rows.auc_high) == pytest.approx((persons.auc_low, persons.auc_high))
    assert rows.p_value == pytest.approx(persons.p_value, abs=0.01)  # one corrects for continuity
    assert rows.top_p_value == pytest.approx(persons.top_p_value, abs=0.08)  # one draws labelings


def test_person_on_both_sides_keeps_its_labels_and_is_not_summed():
    # Person 1 has an original and a holdout row; only 0 and 2 can be exchanged, with W/c of 3 and 1.
    real = real_rows([1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 1, 2], [1, 1, 0, 0])
    mean, sd = moments(np.array([[3.0], [100.0], [50.0], [1.0]]), real)
    assert (mean[0], sd[0]) == pytest.approx((2.0, 1.0))
    assert real.original_share == 0.5


def test_persons_behind_a_leak_are_counted_once_however_many_rows_they_have(four_people):
    # By person A = 4, 1, 7, 1, the originals 4 and 1, q = 1/2: (5 - 13/2)/(1/2) < 0, so nothing stands out; with a
    # weight of 24 on the first row A = 16, 1, 13, 1: (17 - 31/2)/(1/2) = 3, which person 0 alone makes up.
    assert rows_behind(four_people, np.array([6.0, 2.0, 5.0])) == 0
    assert rows_behind(four_people, np.array([24.0, 2.0, 5.0])) == 1


def test_leak_size_takes_persons_as_units(found):
    # Five real rows: 0, 1 of person 0, 2 of person 1 (original), 3 of person 2 and 4 of person 3 (holdout). Three
    # synthetic rows are anchored on row 0, two on row 1, one on row 3: x_T = 5 with v = 25, x_H = 1, v = 1, w_max = 5.
    distances = [[0.1, 1]] * 6
    real, synthetic = found([1] * 5, [1, 1, 1, 0, 0], distances, [[0, 4]] * 3 + [[1, 4]] * 2 + [[3, 4]])
    persons = Persons(np.array([0, 0, 1, 2, 3]), np.array([1, 1, 1, 0, 0], dtype=bool))
    size = leak_size(RealRows(real.occurrences, real.originals, np.full((5, 2), [0.3, 1.0]), persons), synthetic)
    assert (size.anchored_original, size.squares_original) == (5, 25)
    assert (size.anchored_holdout, size.squares_holdout, size.largest) == (1, 1, 5)
    assert size.theta == pytest.approx((5 - 1) / 6)  # r = 2 persons / 2 persons, not 3 rows / 2 rows
    low, _ = limits(5, 25, 5)
    _, high = limits(1, 1, 5)
    assert size.lower == pytest.approx(max(0, 4 - np.hypot(5 - low, high - 1)) / 6)


def test_every_person_weighs_the_same_in_the_cut():
    # Person 0 has 50 rows of ratio .1, persons 1 … 50 one row each of ratios .5 …: by rows half lie at .1, by persons
    # 1 of 51. The quantile 10 % is that of the fifth other person.
    ratios = np.concatenate((np.full(50, 0.1), np.linspace(0.5, 0.99, 50)))
    person = np.concatenate((np.zeros(50, dtype=np.int64), np.arange(1, 51)))
    real = RealRows(
        np.ones(100, dtype=np.int64),
        np.ones(100, dtype=np.int64),
        np.stack((ratios, np.ones(100)), axis=1),
        Persons(person, np.ones(100, dtype=bool)),
    )
    assert own_ratio_cut(real, 0.1) == pytest.approx(ratios[50 + 4], abs=0.011)
    assert own_ratio_cut(real, 0.005) == 0.1


def test_row_that_one_person_repeats_is_no_twin_and_one_of_two_persons_is():
    real = real_rows([2, 2, 1], [2, 2, 1], [0, 0, 1, 2, 3], [1] * 5)
    assert real.twins.tolist() == [False, True, False]


def test_closer_than_people_counts_persons(found):
    # 400 rows of 200 persons, two each, all original. Own ratios .0025 … 1, two rows of a person next to each other.
    # At 1 %: every row weighs 1/2, so that the cut is that of the fourth row, k0 = 4 · 1/2. Three synthetic rows sit on
    # the two rows of person 0 and one on person 1: x = 2. a = 100 · 200/200.
    within = [[n / 400, 1] for n in range(1, 401)]
    distances = [[0.001, 1]] * 4 + [[1, 1.5]] * 96
    places = [[0, 5], [0, 5], [1, 5], [2, 5]] + [[4, 5]] * 96
    real, synthetic = found([1] * 400, [1] * 400, distances, places, within=within)
    persons = Persons(np.repeat(np.arange(200), 2), np.ones(400, dtype=bool))
    outcome = closer_than_people(RealRows(real.occurrences, real.originals, real.distances, persons), synthetic)
    assert [(each.cut, each.people, each.original) for each in outcome.at] == [(0.0025, 0.5, 2), (0.01, 2, 2)]
    assert outcome.at[1].p_value == pytest.approx(binom.sf(1, 2 + 2, 100 / 300))


def visits(number, random, first=0, within=0.05):
    """Persons of one to nine nearly equal rows each: the rows, and whose they are."""
    person = np.repeat(np.arange(number), random.integers(1, 10, size=number))
    rows = random.normal(size=(number, 3))[person] + within * random.normal(size=(len(person), 3))
    return rows, first + person


def test_planted_rows_are_tested_as_if_they_had_been_there(search):
    random = np.random.default_rng(0)
    (original, whose), (holdout, others) = visits(40, random), visits(25, random, 40)
    original[:3] = holdout[:3]  # rows that persons of both sides share
    pool, synthetic = search(original, holdout, visits(40, random)[0], persons=(whose, others))
    real, planted = pool.real, plant(pool, random)
    trial = Trial(real, synthetic, planted, np.random.default_rng(5), 99)
    drawn = np.concatenate(list(person_labelings(real.persons, 100, np.random.default_rng(5))))
    chosen = np.flatnonzero(trial.member[3])[:12]
    times = np.concatenate((synthetic.times, planted.found.times[chosen]))
    squares = np.concatenate((synthetic.distances, planted.found.distances[chosen]))
    nearest = np.concatenate((synthetic.real, planted.found.real[chosen]))
    # The weight "share" by hand: every row, planted ones as well, for its closest person.
    tied = squares == squares[:, :1]
    shares = times[:, np.newaxis] * tied / tied.sum(axis=1, keepdims=True)
    weight = np.bincount(nearest.ravel(), weights=shares.ravel(), minlength=len(real.occurrences))
    by_person = real.persons.summed((weight / real.occurrences)[real.place][:, np.newaxis])[:, 0]
    q, n = real.original_share, len(by_person)
    sd = np.sqrt(q * (1 - q) * n / (n - 1) * ((by_person - by_person.mean()) ** 2).sum())
    z = (drawn @ by_person - q * by_person.sum()) / sd
    leaks = chosen[np.newaxis], np.ones((1, len(chosen)), dtype=bool)
    quick = trial.z_scores(*leaks)[0].T
    np.testing.assert_allclose(quick[:, 9], z, atol=1e-4)
    assert combine(quick, list(FAMILIES.values()), 3).p_value == trial.p_values(*leaks, [3])[0]


def test_without_a_leak_the_test_keeps_its_level_by_person_and_not_by_row(search):
    """Persons of several nearly equal rows: labels permuted over rows make false alarms of what persons have in common.

    60 runs here; of 200 runs with 40 persons a side 4.5 % rejected by person and 22.5 % by row.
    """
    by_person = by_row = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        (original, whose), (holdout, others) = visits(20, random), visits(20, random, 20)
        synthetic = visits(20, random)[0]
        for persons in ((whose, others), None):
            pool, found = search(original, holdout, synthetic, persons=persons)
            rejects = leak_test(pool.real, found, np.random.default_rng(seed), 199).p_value <= 0.05
            by_person += rejects and persons is not None
            by_row += rejects and persons is None
    assert binomtest(by_person, 60, 0.05, alternative="greater").pvalue > 0.01
    assert binomtest(by_row, 60, 0.05, alternative="greater").pvalue < 0.01


def test_membership_of_persons_is_as_certain_as_there_are_persons(search):
    # Every row five times over within a person: five times the rows, no more evidence.
    random = np.random.default_rng(2)
    original, holdout, synthetic = (random.normal(size=(40, 3)) for _ in range(3))
    synthetic[:6] = original[:6] + 0.01
    five = [np.repeat(rows, 5, axis=0) for rows in (original, holdout)]
    whose = np.repeat(np.arange(40), 5)
    pool, _ = search(original, holdout, synthetic)
    once = membership_inference(pool.real, pool.closest_synthetic(pool.encoded.synthetic)).all
    pool, _ = search(*five, synthetic, persons=(whose, 40 + whose))
    to_synthetic = pool.closest_synthetic(pool.encoded.synthetic)
    repeated = membership_of_persons(pool.real, pool.real.persons, to_synthetic, random).all
    assert repeated.auc == pytest.approx(once.auc)
    assert (repeated.auc_low, repeated.auc_high) == pytest.approx((once.auc_low, once.auc_high))
    assert repeated.p_value == pytest.approx(once.p_value, abs=0.01)
    assert repeated.found_low == pytest.approx(once.found_low, abs=0.01)
