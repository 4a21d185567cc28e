import numpy as np
import pytest

from reportgen.metrics.quantiles import medians, quantiles


@pytest.mark.parametrize("number", [1, 2, 3, 20, 21, 1000, 1999])
@pytest.mark.parametrize("method", ["linear", "midpoint"])
def test_the_same_to_the_last_bit_as_numpys(number, method):
    random = np.random.default_rng(number)
    rows = random.normal(size=(50, number))
    rows[::2] = rows[::2].round(1)  # with ties
    levels = (0.0, 0.05, 0.1, 1 / 3, 0.5, 0.975, 1.0)
    np.testing.assert_array_equal(quantiles(rows, levels, method), np.quantile(rows, levels, axis=1, method=method))
    np.testing.assert_array_equal(quantiles(rows[0], levels, method), np.quantile(rows[0], levels, method=method))
    np.testing.assert_array_equal(medians(rows), np.median(rows, axis=1))


def test_rows_stay_as_they_are():
    rows = np.array([[3.0, 1.0, 2.0]])
    assert quantiles(rows, [0.5]).tolist() == [[2.0]]
    assert rows.tolist() == [[3.0, 1.0, 2.0]]
