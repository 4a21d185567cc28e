"""Which texts stand for a missing value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.marks import AMONG_NUMBERS, CERTAIN
from reportgen.read.columns import Texts

_NUMBER = r"-?(\d+\.?\d*|\.\d+)"


@dataclass(frozen=True)
class Present:
    """The texts of a column that are no missing marks. `codes` is -1 where a row's value is missing."""

    distinct: pa.Array
    codes: NDArray[np.int64]
    marks: Mapping[str, NDArray[np.int64]]
    """The marks found, without the empty one, each with the rows that it stands in, in this order."""


def without_marks(column: Texts, *, among_numbers: bool = False) -> Present:
    """Set the missing values apart, with the wider list of marks where the rest are numbers or dates.

    Marks that the user declared replace both lists.
    """
    marks: tuple[str, ...] = CERTAIN + AMONG_NUMBERS if among_numbers else CERTAIN
    if column.marks is not None:
        marks = ("", *column.marks)
    gone = pc.is_in(column.distinct, value_set=pa.array(marks, column.distinct.type))
    if column.marks:
        gone = pc.or_(gone, _equal_numbers(column.distinct, column.marks))
    gone_here = gone.to_numpy(zero_copy_only=False)
    found: dict[str, NDArray[np.int64]] = {}
    for code, text in zip(np.flatnonzero(gone_here), column.distinct.filter(gone).to_pylist(), strict=True):
        if text:
            mark, rows = _as_declared(text, column.marks), np.flatnonzero(column.codes == code)
            found[mark] = np.union1d(found[mark], rows) if mark in found else rows
    places = np.append(np.where(gone_here, -1, np.cumsum(~gone_here) - 1), -1).astype(np.int64)
    return Present(column.distinct.filter(pc.invert(gone)), places[column.codes], found)


def numbers_among(marks: tuple[str, ...]) -> dict[float, str]:
    """Return the marks that are plain numbers, by their value."""
    found = {}
    for mark in marks:
        if re.fullmatch(_NUMBER, mark):
            found[float(mark)] = mark
    return found


def _as_declared(text: str, marks: tuple[str, ...] | None) -> str:
    """Return the mark that a missing text was declared by: -9 for -9.0."""
    return text if marks is None or text in marks or not text else numbers_among(marks)[float(text)]


def _equal_numbers(values: pa.Array, marks: tuple[str, ...]) -> pa.Array:
    """Mark the texts that are the same number as a mark: -9.0 beside -9."""
    wanted = pa.array(list(numbers_among(marks)), pa.float64())
    numbers = pc.if_else(pc.match_substring_regex(values, f"^{_NUMBER}$"), values, None).cast(pa.float64())
    return pc.is_in(numbers, value_set=wanted, skip_nulls=True)
