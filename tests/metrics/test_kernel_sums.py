import numpy as np
import pytest

from reportgen.metrics.kernel_sums import KernelSums, bandwidths
from reportgen.metrics.leak_weights import WIDEST, bandwidth


def rows(number, power, random):
    return random.random(number) ** power, random.integers(1, 4, number)


@pytest.mark.parametrize("power", [0.2, 0.4, 2.0, 8.0])
def test_the_table_holds_the_sum_and_its_slope(power):
    random = np.random.default_rng(0)
    x, times = rows(500, power, random)
    x[:20] = 0.0
    widest = bandwidth(x, 12, times)
    logs = np.log(widest) - 4 * random.random(1000)
    u = x[20:] / (2 * np.exp(2 * logs[:, np.newaxis]))
    weights = times[20:] * np.exp(-u)
    value, slope = KernelSums(x, times, widest).at(logs)
    np.testing.assert_allclose(value, weights.sum(axis=1), atol=12e-8)
    np.testing.assert_allclose(slope, (2 * u * weights).sum(axis=1), atol=12e-6)


@pytest.mark.parametrize("power", [0.2, 0.4, 2.0, 8.0])
@pytest.mark.parametrize("number", [3, 25])
def test_bandwidths_are_those_of_all_rows_together(power, number):
    random = np.random.default_rng(1)
    x, times = rows(300, power, random)
    widest = bandwidth(x, number, times)
    added = random.random((50, 8)) ** 4
    added[:, 6:] = 0.0  # rows that are not counted
    found = bandwidths(KernelSums(x, times, widest), added, np.full(50, float(number)), np.full(50, widest))
    for own, width in zip(added, found, strict=True):
        together = bandwidth(np.concatenate((x, own)), number, np.concatenate((times, np.ones(8, dtype=int))))
        assert width == pytest.approx(together, rel=1e-8)


def test_few_rows_have_the_widest_bandwidth():
    # Nothing above 0 at all, and two rows where five are to count.
    nothing = KernelSums(np.zeros(4), np.ones(4, dtype=int), WIDEST)
    two = KernelSums(np.array([0.0, 0.1, 0.2]), np.ones(3, dtype=int), WIDEST)
    for sums, added in ((nothing, np.zeros((1, 3))), (nothing, np.zeros((1, 0))), (two, np.array([[0.3, 0.0]]))):
        assert bandwidths(sums, added, np.array([5.0]), np.array([WIDEST])) == [WIDEST]


def test_no_rows_but_the_added_ones():
    x = np.array([0.1, 0.2, 0.5, 0.7, 1.0])
    found = bandwidths(KernelSums(np.zeros(0), np.zeros(0, int), WIDEST), x[np.newaxis], np.array([2.5]), np.ones(1))
    assert found == [pytest.approx(bandwidth(x, 3, np.ones(5, dtype=int)), rel=1e-9)]
