import numpy as np
import pytest
from scipy.stats import binom

from reportgen.metrics.closer_than_people import closer_than_people


def test_counts_and_p_value_are_those_worked_out_by_hand(found):
    # 400 different real rows, half of them original, own ratios .0025 … 1. Quantile .25 %: position .9975, lower .0025,
    # one row at or below it; 1 %: position 3.99: .01, four rows. Of 100 synthetic rows three sit with ratio .001 on
    # original rows (two of them on the same one), one on a holdout row: x = 2. a = 100/2 = 50.
    within = [[n / 400, 1] for n in range(1, 401)]
    distances = [[0.001, 1]] * 4 + [[1, 1.5]] * 96
    places = [[0, 2], [0, 2], [2, 0], [1, 0]] + [[4, 5]] * 96
    real, synthetic = found([1] * 400, [1, 0] * 200, distances, places, within=within)
    outcome = closer_than_people(real, synthetic)
    assert [(each.cut, each.people, each.original) for each in outcome.at] == [(0.0025, 1, 2), (0.01, 4, 2)]
    first, second = (binom.sf(1, 2 + people, 50 / 450) for people in (1, 4))
    assert [each.p_value for each in outcome.at] == pytest.approx([first, second])
    assert outcome.p_value == pytest.approx(2 * first)


def test_no_row_close_by_is_no_evidence(found):
    real, synthetic = found([1] * 50, [1] * 50, [[1, 1.0]] * 5, [[0, 1]] * 5, within=[[1, 2.0]] * 50)
    assert closer_than_people(real, synthetic).p_value == 1


def test_near_copies_are_noticed_without_a_holdout(search, people):
    random = np.random.default_rng(0)
    original, synthetic = people(400, random), people(400, random)
    pool, found = search(original, None, synthetic)
    ideal = closer_than_people(pool.real, found)
    synthetic[:20] = original[:20] + 0.005 * random.normal(size=(20, 5))
    pool, found = search(original, None, synthetic)
    leaky = closer_than_people(pool.real, found)
    assert ideal.p_value > 0.05
    assert leaky.p_value < 0.001
