import numpy as np

from reportgen.metrics.supports import share_within_support


def test_synthetic_rows_are_counted_within_the_reach_of_real_rows(found):
    # 100 real rows at 1 … 100 from their closest others: 99th percentile 99.01. 3 of 5 synthetic rows are nearer.
    within = [[n, 200] for n in range(1, 101)]
    real, synthetic = found(
        [1] * 100, [1] * 100, [[0, 1], [99, 150], [99.5, 150]], [[0, 1]] * 3, times=[1, 2, 2], within=within
    )
    assert share_within_support(real, synthetic) == 0.6


def test_same_population_lies_within_and_a_far_one_outside(search):
    random = np.random.default_rng(0)
    tables = [random.normal(size=(200, 4)) for _ in range(3)]
    pool, near = search(*tables)
    assert share_within_support(pool.real, near) > 0.9
    pool, far = search(*tables[:2], tables[2] + 30)
    assert share_within_support(pool.real, far) == 0
