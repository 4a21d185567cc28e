"""Columns that take no part in the distances, and why: constants, identifiers, free text.

Floats and dates are never identifiers, and numbers never become categories by their number of levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from reportgen.model import Kind

IDENTIFIER_SHARE = 0.9
IDENTIFIER_ROWS = 20
FREE_TEXT_SHARE = 0.5
FREE_TEXT_WORDS = 4
_IDENTIFIER_NAMES = ("id", "index", "unnamed: 0", "uuid")

BY_KEY = "named as a key (--key)"
BY_IGNORE = "left out on request (--ignore)"
DECLARED_KEY = "declared an identifier in [schema]"
DECLARED_IGNORE = "left out as declared in [schema]"
BY_GROUP = "it names the person that a row belongs to (--group)"
CONSTANT = "it has the same value in all real rows"
IDENTIFIER_TEXT = (
    "an identifier: its texts hardly ever repeat among the real rows; name it with --categorical to measure on it"
)
IDENTIFIER_NUMBER = (
    "an identifier: its whole numbers never repeat among the real rows; name it with --numeric or --categorical "
    "to measure on it"
)
FREE_TEXT = "free text: its values are sentences that seldom repeat; name it with --categorical to measure on it"


def is_constant(real: pd.Series[Any]) -> bool:
    """Whether the real rows hold one value only, missing being a value of its own."""
    return len(real.unique()) <= 1


def why_left_out(name: str, kind: Kind, real: pd.Series[Any], *, whole: bool) -> str | None:
    """Say why a column is an identifier or free text by its real rows; None where it is neither.

    `whole`: the numbers are written as integers. Text: at least 90 % distinct values among at least 20, or more than
    half distinct with a median of four words or more. Integers: all distinct, and consecutive to within twice their
    count or named like an identifier.
    """
    values = real.dropna()
    if values.empty:
        return None
    if kind == "categorical":
        distinct = values.nunique() / len(values)
        if distinct > FREE_TEXT_SHARE and np.median([len(text.split()) for text in values]) >= FREE_TEXT_WORDS:
            return FREE_TEXT
        return IDENTIFIER_TEXT if distinct >= IDENTIFIER_SHARE and len(values) >= IDENTIFIER_ROWS else None
    if kind == "numeric" and whole and values.is_unique and (_named_identifier(name) or _consecutive(values)):
        return IDENTIFIER_NUMBER
    return None


def _consecutive(values: pd.Series[Any]) -> bool:
    numbers = values.to_numpy(dtype=object) if values.dtype == object else values.to_numpy(dtype=np.int64)
    return int(numbers.max()) - int(numbers.min()) + 1 <= 2 * len(values)


def _named_identifier(name: str) -> bool:
    folded = name.strip().casefold()
    return folded in _IDENTIFIER_NAMES or folded.endswith("_id")
