"""Findings are made from the numbers, one sentence each; what holds for many columns is said once."""

from reportgen.model import Column, Missing
from reportgen.verdict.findings import _left_out


def columns(reason, *names):
    missing = Missing(original=0, synthetic=0, holdout=None)
    return tuple(
        Column(name=name, kind="numeric", used=reason is None, reason=reason, missing=missing, distinct_original=1)
        for name in names
    )


def test_columns_left_out_for_one_reason_are_one_finding():
    found = _left_out(
        (*columns("it is flat", "a"), *columns(None, "b"), *columns("it is an id", "c"), *columns("it is flat", "d"))
    )
    assert [(one.count, one.text) for one in found] == [
        (2, "Columns a, d are left out of the distances – of each: it is flat."),
        (1, "Column c is left out of the distances – it is an id."),
    ]


def test_thousands_of_columns_are_counted_and_ten_of_them_named():
    (found,) = _left_out(columns("it is flat", *(f"c{place}" for place in range(5000))))
    names = "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9"
    assert found.text == f"Columns {names} and 4,990 more are left out of the distances – of each: it is flat."
    assert found.count == 5000
