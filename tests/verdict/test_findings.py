"""Findings are made from the numbers, one sentence each; what holds for many columns is said once."""

from reportgen.copies import Reuse
from reportgen.model import Column, Missing
from reportgen.verdict.findings import _columns, _left_out, _untested_reuse


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


def unseen(number):
    return tuple(
        column.model_copy(
            update={"unseen_rows": place + 1, "missing": Missing(original=0, synthetic=place + 2, holdout=0)}
        )
        for place, column in enumerate(columns(None, *(f"c{place}" for place in range(number))))
    )


def test_a_handful_of_columns_with_unseen_levels_have_a_finding_each():
    found = _columns(unseen(5))
    assert [(one.code, one.count) for one in found] == [
        *(("unseen_levels", rows) for rows in (1, 2, 3, 4, 5)),
        *(("missing_only_in_synthetic", rows) for rows in (2, 3, 4, 5, 6)),
    ]
    assert found[0].text == "1 synthetic row has a category in column c0 that no real row has."


def test_hundreds_of_columns_with_unseen_levels_share_one_finding():
    levels, missing = _columns(unseen(300))
    names = "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9"
    assert levels.text == (
        f"In each of the columns {names} and 290 more some synthetic rows, at most 300 a column, have a category that "
        "no real row has."
    )
    assert missing.text == (
        f"Columns {names} and 290 more are each missing in some synthetic rows, at most 301 a column, and in "
        "no real row."
    )
    assert (levels.count, missing.count) == (300, 300)


def test_many_columns_of_names_that_cannot_be_tested_share_one_finding():
    def again(number):
        return [Reuse(f"c{place}", 10, 4, None, None) for place in range(number)]

    assert [one.count for one in _untested_reuse(again(5))] == [4] * 5
    (found,) = _untested_reuse(again(6))
    assert (found.count, found.severity) == (6, "warning")
    assert found.text.startswith("Values of the synthetic columns c0, c1, c2, c3, c4, c5 occur in the original. ")
    assert _untested_reuse([Reuse("c", 10, 0, None, None), Reuse("d", 10, 3, 0, 0.04)]) == []
