"""What the model refuses to hold."""

import pytest
from pydantic import ValidationError

from reportgen.model import Cells, Histogram, Quantiles, Score

NO_QUANTILES = Quantiles(levels=(), values=())


def histogram(edges, counts, n, levels=(), values=(), zero_count=0):
    return Histogram(
        edges=edges, counts=counts, quantiles=Quantiles(levels=levels, values=values), zero_count=zero_count, n=n
    )


def test_a_sound_histogram_is_accepted():
    assert histogram((0, 1, 2), (5, 195), 200, (0.025, 0.975), (0.1, 1.9)).n == 200


@pytest.mark.parametrize(
    "arguments",
    [
        {"edges": (0, 1, 2), "counts": (4, 196), "n": 200},
        {"edges": (0, 1, 2), "counts": (196, 4), "n": 200},
        {"edges": (0, 1, 2), "counts": (100, 99), "n": 200},
        {"edges": (0, 2, 1), "counts": (100, 100), "n": 200},
        {"edges": (0, 1), "counts": (100, 100), "n": 200},
        {"edges": (0, 1), "counts": (19,), "n": 19},
        {"edges": (0, 1), "counts": (200,), "n": 200, "levels": (0.02,), "values": (0.1,)},
        {"edges": (0, 1), "counts": (200,), "n": 200, "levels": (0.5,), "values": ()},
        {"edges": (0, 1, 2), "counts": (5, 195), "n": 200, "zero_count": 6},
        {"edges": (0, float("inf")), "counts": (200,), "n": 200},
    ],
)
def test_a_histogram_that_tells_rows_apart_is_refused(arguments):
    with pytest.raises(ValidationError):
        histogram(**arguments)


@pytest.mark.parametrize("count", [1, 4, -2])
def test_a_cell_of_one_to_four_rows_is_refused(count):
    with pytest.raises(ValidationError):
        Cells(x_edges=(0, 1), y_edges=(0, 1), counts=((count,),))
    assert Cells(x_edges=(0, 1), y_edges=(0, 1), counts=((-1,),)).counts == ((-1,),)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_value_is_never_nan_or_infinite(value):
    with pytest.raises(ValidationError):
        Score(value=value, unit="ratio", better="higher")
