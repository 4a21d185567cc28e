import numpy as np
import pytest
from scipy.stats import hypergeom, mannwhitneyu

from reportgen.distances import RealRows
from reportgen.metrics.membership_inference import attack, attack_scores, isolated, membership_inference


def real_rows(occurrences, originals, first, fifth=None):
    within = np.tile(np.array(first, dtype=float)[:, np.newaxis], (1, 5))
    within[:, 4] = first if fifth is None else fifth
    return RealRows(np.array(occurrences), np.array(originals), within)


def test_auc_agrees_with_the_oracle(oracle_case):
    pool, _, expected = oracle_case
    found = membership_inference(pool.real, pool.closest_synthetic(pool.encoded.synthetic))
    assert found.all.auc == pytest.approx(expected["membership_inference"]["auc"], rel=1e-6)


def test_rows_found_exactly_come_above_all_and_twins_below():
    # Own distances 1 2 4, the third row with a twin, the fourth found exactly although it has a twin.
    real = real_rows([1, 1, 2, 2], [1, 0, 1, 1], [1, 2, 4, 4])
    scores = attack_scores(real, np.array([2.0, 1, 1, 0]))
    np.testing.assert_allclose(scores, [-np.log(2), np.log(2), -np.inf, np.inf])


def test_auc_interval_is_delongs():
    # Members score 3 2 1, others 2 0. Pairs won by members: (3: 2), (2: .5 + 1), (1: 0 + 1) = 4.5 of 6. Placements of
    # the members 1 .75 .5, of the others: above 2: 1/3 + half of 1/3 = .5, above 0: 1.
    # Variance .0625/3 + .125/2 = 1/12; 1.96 * sqrt(1/12) = .566.
    found = attack(np.array([3.0, 2, 1, 0]), np.array([1, 1, 1, 0]), np.array([0, 1, 0, 1]))
    assert found.auc == pytest.approx(0.75)
    assert (found.auc_low, found.auc_high) == (pytest.approx(0.75 - 1.959964 / np.sqrt(12)), 1.0)


def test_p_value_is_that_of_mann_and_whitney():
    random = np.random.default_rng(0)
    scores = random.integers(0, 12, 60).astype(float)
    inside, outside = random.integers(0, 3, (2, 60))
    found = attack(scores, inside, outside)
    expected = mannwhitneyu(
        np.repeat(scores, inside), np.repeat(scores, outside), alternative="greater", method="asymptotic"
    )
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.auc == pytest.approx(expected.statistic / inside.sum() / outside.sum(), rel=1e-12)


def test_members_found_at_one_percent_false_positives():
    # 200 holdout rows: two may be called members. From the top: 5 members, 2 others, 3 members, 1 other …
    inside = np.array([5, 0, 3, 0, 92])
    outside = np.array([0, 2, 0, 1, 197])
    found = attack(np.arange(5.0, 0, -1), inside, outside)
    assert found.found == pytest.approx(8 / 100)
    assert found.found_low < 0.08 < found.found_high
    # Top 1 % of 300 is 3 rows, all five tied at the first place belong to it.
    assert (found.top, found.top_original, found.top_expected) == (5, 5, pytest.approx(5 / 3))
    assert found.top_p_value == pytest.approx(hypergeom.sf(4, 300, 100, 5))


def test_scores_that_are_all_equal_say_nothing():
    found = attack(np.array([1.0]), np.array([10]), np.array([20]))
    assert (found.auc, found.p_value, found.found, found.top_p_value) == (0.5, 1.0, 0.0, 1.0)


def test_isolated_rows_are_those_with_the_farthest_fifth_neighbour():
    real = real_rows([1] * 40, [1] * 40, np.ones(40), fifth=np.roll(np.arange(40.0), 7))
    np.testing.assert_array_equal(isolated(real), [6, 5])


def test_leak_of_the_isolated_is_seen_among_them(search, people):
    random = np.random.default_rng(2)
    original, holdout, synthetic = people(400, random), people(400, random), people(400, random)
    far = np.argsort(-np.abs(original - original.mean(axis=0)).sum(axis=1))[:20]
    synthetic[:20] = original[far] + 0.01 * random.normal(size=(20, 5))
    pool, _ = search(original, holdout, synthetic)
    found = membership_inference(pool.real, pool.closest_synthetic(pool.encoded.synthetic))
    assert found.isolated.p_value < 0.01
    assert found.isolated.auc > found.all.auc


def test_too_few_isolated_rows_are_not_attacked(search, people):
    random = np.random.default_rng(3)
    pool, _ = search(people(40, random), people(40, random), people(40, random))
    assert membership_inference(pool.real, pool.closest_synthetic(pool.encoded.synthetic)).isolated is None
