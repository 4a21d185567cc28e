"""Which texts stand for a missing value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.read.columns import Texts

CERTAIN = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""Missing in every column."""
AMONG_NUMBERS = ("-", "--", ".", "N", "None", "none", "n/a", "na", "Null", "NAN", "NaT", "<NA>", "#N/A")
"""Missing where all other values of the column are numbers or dates; elsewhere they may be categories."""


@dataclass(frozen=True)
class Present:
    """The texts of a column that are no missing marks. `codes` is -1 where a row's value is missing."""

    distinct: pa.Array
    codes: NDArray[np.int64]
    marks: Mapping[str, int]
    """The marks found, without the empty one, and in how many rows each stands."""


def without_marks(column: Texts, *, among_numbers: bool = False) -> Present:
    """Set the missing values apart, with the wider list of marks where the rest are numbers or dates."""
    marks = CERTAIN + AMONG_NUMBERS if among_numbers else CERTAIN
    gone = pc.is_in(column.distinct, value_set=pa.array(marks, column.distinct.type))
    gone_here = gone.to_numpy(zero_copy_only=False)
    rows = np.bincount(column.codes[column.codes >= 0], minlength=len(column.distinct))[gone_here]
    held = dict(zip(column.distinct.filter(gone).to_pylist(), rows.tolist(), strict=True))
    found = {mark: count for mark, count in held.items() if mark}
    places = np.append(np.where(gone_here, -1, np.cumsum(~gone_here) - 1), -1).astype(np.int64)
    return Present(column.distinct.filter(pc.invert(gone)), places[column.codes], found)
