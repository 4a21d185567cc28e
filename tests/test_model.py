"""What the model refuses to hold."""

import importlib.util
import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from reportgen.model import Cells, Histogram, Measured, Quantiles, Result, Score, is_round


@pytest.fixture(scope="module")
def make():
    """The results made by hand that the renderers are tested with."""
    spec = importlib.util.spec_from_file_location("by_hand", Path(__file__).parent / "render" / "conftest.py")
    by_hand = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(by_hand)
    return by_hand.make_result


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


@pytest.mark.parametrize("edge", [0.1234, 1.0001, 0.30000000000000004, 123.4, 17.30001])
def test_an_edge_that_could_be_the_value_of_a_row_is_refused(edge):
    with pytest.raises(ValidationError, match="round"):
        histogram((0, edge, 200), (100, 100), 200)
    with pytest.raises(ValidationError, match="round"):
        Cells(x_edges=(0, edge), y_edges=(0, 1), counts=((20,),))


@pytest.mark.parametrize("edge", [0.025, 0.975, 127.5, 1.06e-9, 212, 1e300])
def test_preferred_numbers_and_their_multiples_are_round(edge):
    assert is_round(edge)


@pytest.mark.parametrize(("levels", "values"), [((0.5, 0.25), (1, 2)), ((0.25, 0.25), (1, 1)), ((0.25, 0.5), (2, 1))])
def test_quantiles_are_in_order(levels, values):
    with pytest.raises(ValidationError, match="levels must increase"):
        Quantiles(levels=levels, values=values)


@pytest.mark.parametrize(
    "name", ["", "Median", "median ", "row 17", "17", "z:", "column:", "column:pay:", "lead:x", "column:pay:<b>", "a.b"]
)
def test_a_score_or_series_that_is_named_as_none_is_refused(name):
    score = Score(value=1, unit="ratio", better="higher")
    with pytest.raises(ValidationError, match="named as no"):
        Measured(scores={name: score})
    with pytest.raises(ValidationError, match="named as no"):
        Measured(scores={}, distributions={name: histogram((0, 1), (20,), 20)})


@pytest.mark.parametrize("name", ["median", "tpr_at_1pct_fpr", "z:eqL", "lead:a\nb: c:score", "column:pay (€):p_value"])
def test_the_names_of_scores_are_those_of_the_contract(name):
    assert Measured(scores={name: Score(value=1, unit="ratio", better="higher")})


def test_a_mark_is_no_text_of_the_result_unless_it_is_known_or_declared(make):
    plain = make().model_dump(mode="json")
    name = plain["columns"][0]["name"]
    plain["columns"][0]["missing_marks"] = ["?"]
    assert Result.model_validate_json(json.dumps(plain), strict=True)
    plain["columns"][0]["missing_marks"] = ["Smith"]
    with pytest.raises(ValidationError, match="none that is known or declared"):
        Result.model_validate_json(json.dumps(plain), strict=True)
    plain["settings"]["declared"]["columns"] = {name: {"missing": ["Smith"]}}
    assert Result.model_validate_json(json.dumps(plain), strict=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"metrics": {"<script>": {"status": "not_measured", "code": "failed", "reason": "x"}}},
        {"created": "2026-02-30T00:00:00Z"},
        {"created": "٢٠٢٦-01-01T00:00:00Z"},
        {"title": "x" * 3000},
        {"environment": {str(number): "x" for number in range(200)}},
    ],
)
def test_what_no_assessment_says_is_refused(make, changes):
    with pytest.raises(ValidationError):
        make(**changes)


def test_a_result_that_says_to_name_no_category_names_none(make):
    plain = make().model_dump(mode="json")
    plain["settings"]["no_category_names"] = True
    assert Result.model_validate_json(json.dumps(plain), strict=True)
    plain["columns"][0]["missing_marks"] = ["?"]
    with pytest.raises(ValidationError, match="names of categories"):
        Result.model_validate_json(json.dumps(plain), strict=True)
