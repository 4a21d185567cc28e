"""Numbers written as text: which notations a column of texts allows, and their values, whole numbers exactly.

plain       1234.5  .5  1e-3  +7
comma       1234,5  1.234,5        a decimal comma, perhaps with points between thousands
thousands   1,234.5                a decimal point, with commas between thousands
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Notation = Literal["plain", "comma", "thousands"]
EXACT = 2**53
"""Whole numbers up to this one are exact in float64."""
_INT64 = 2**63
_EXPONENT = r"([eE][+-]?\d+)?"
_FORMS: dict[Notation, str] = {
    "plain": rf"^[+-]?(\d+\.?\d*|\.\d+){_EXPONENT}$",
    "comma": rf"^[+-]?((\d+|[1-9]\d{{0,2}}(\.\d{{3}})+)(,\d*)?|,\d+){_EXPONENT}$",
    "thousands": rf"^[+-]?(\d+|[1-9]\d{{0,2}}(,\d{{3}})+)(\.\d*)?{_EXPONENT}$",
}
_LEADING_ZERO = r"^[+-]?0\d"
_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_WHOLE = r"^-?\d+(\.0*)?$"


@dataclass(frozen=True)
class Numbers:
    """Parsed numbers of one column: `distinct[codes[i]]` is row i's, code -1 is missing.

    `exact` holds the whole numbers beyond 2^53 by their place in `distinct`; `whole` says that all were written or
    stored as integers, without a decimal point.
    """

    distinct: NDArray[np.float64]
    codes: NDArray[np.int64]
    exact: dict[int, int]
    whole: bool

    @property
    def present(self) -> NDArray[np.float64]:
        """The values of the rows where none is missing."""
        return self.distinct[self.codes[self.codes >= 0]]


def all_match(values: pa.Array, pattern: str) -> bool:
    """Whether every text matches a regular expression (RE2)."""
    return bool(pc.all(pc.match_substring_regex(values, pattern), min_count=0).as_py())


def any_match(values: pa.Array, pattern: str) -> bool:
    """Whether any text matches a regular expression (RE2)."""
    return bool(pc.any(pc.match_substring_regex(values, pattern), min_count=0).as_py())


def notations(values: pa.Array) -> frozenset[Notation]:
    """Return the notations in which all texts are numbers; infinities fit every one. Empty for none, or no texts."""
    finite = values.filter(pc.invert(pc.match_substring_regex(values, _INFINITE)))
    if not len(values):
        return frozenset()
    if not any_match(finite, "[.,]"):
        return frozenset(_FORMS) if all_match(finite, _FORMS["plain"]) else frozenset()
    return frozenset(notation for notation, form in _FORMS.items() if all_match(finite, form))


def plain_texts(values: pa.Array, decimal: str, thousands: str) -> pa.Array:
    """Write numbers with these marks as plain ones; null where a text is no such number. Infinities stay."""
    point, mark = re.escape(decimal), r"[ \x{a0}\x{2009}\x{202f}]" if thousands == " " else f"[{re.escape(thousands)}]"
    grouped = rf"|[1-9]\d{{0,2}}({mark}\d{{3}})+" if thousands else ""
    form = rf"^[+-]?((\d+{grouped})({point}\d*)?|{point}\d+){_EXPONENT}$"
    fits = pc.or_(pc.match_substring_regex(values, form), pc.match_substring_regex(values, _INFINITE))
    plain = pc.replace_substring_regex(values, mark, "") if thousands else values
    return pc.if_else(fits, pc.replace_substring(plain, decimal, "."), pa.scalar(None, plain.type))


def has_leading_zeros(values: pa.Array) -> bool:
    """Whether a text is a code such as 01234, which is no number."""
    return any_match(values, _LEADING_ZERO)


def file_style(columns: Iterable[frozenset[Notation]]) -> Notation | None:
    """Return how a file writes its numbers, where some of its columns leave no doubt and none contradicts them."""
    options = [column for column in columns if column]
    comma = any(column == {"comma"} for column in options)
    point = any("comma" not in column for column in options)
    if comma == point:
        return None
    return "comma" if comma else "thousands"


def notation(options: frozenset[Notation], values: pa.Array, style: Notation | None) -> Notation | None:
    """Choose among the notations that fit: the file's own style first, then the plain one; None where it is open.

    1.234 in a file with decimal commas elsewhere is one thousand two hundred and thirty-four.
    """
    if style == "comma" and style in options and any_match(values, "[.,]"):
        return style
    if "plain" in options:
        return "plain"
    if style in options:
        return style
    return next(iter(options)) if len(options) == 1 else None


def parse(values: pa.Array, codes: NDArray[np.int64], written: Notation) -> Numbers:
    """Parse texts that all fit the notation. A text in no row is parsed as well."""
    plain = values
    if written == "comma":
        plain = pc.replace_substring(pc.replace_substring(plain, ".", ""), ",", ".")
    elif written == "thousands":
        plain = pc.replace_substring(plain, ",", "")
    plain = pc.utf8_ltrim(plain, "+")
    floats = plain.cast(pa.float64()).to_numpy(zero_copy_only=False)
    whole = pc.match_substring_regex(plain, _WHOLE).to_numpy(zero_copy_only=False)
    exact = {
        int(place): int(plain[int(place)].as_py().partition(".")[0])
        for place in np.flatnonzero(whole & (np.abs(floats) >= EXACT))
    }
    return Numbers(floats, codes, exact, not any_match(plain, r"[^\d-]"))


def stored(values: pa.Array) -> Numbers:
    """Take over numbers of a typed column (int64, uint64, float64, bool); of times only that they are missing."""
    if pa.types.is_timestamp(values.type):
        return Numbers(np.zeros(0), np.full(len(values), -1), {}, whole=True)
    missing = values.is_null().to_numpy(zero_copy_only=False).copy()
    whole = not pa.types.is_floating(values.type)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int64())
    integers = pc.fill_null(values, 0).to_numpy(zero_copy_only=False)
    floats = integers.astype(np.float64)
    missing |= np.isnan(floats)
    large = np.flatnonzero(np.abs(floats) >= EXACT) if whole else ()
    exact = {int(place): int(integers[place]) for place in large}
    return Numbers(floats, np.where(missing, -1, np.arange(len(floats))), exact, whole)


def canonical(columns: list[Numbers]) -> list[pd.Series[float]]:
    """Bring one column of all tables to one dtype: Int64 where all are whole, else float64, else exact objects."""
    used = [column.present for column in columns]
    exact = any(column.exact for column in columns)
    whole = all(bool(np.all(np.floor(values) == values)) for values in used)
    largest = max((float(np.max(np.abs(values), initial=0)) for values in used), default=0)
    if not exact:
        return [_integers(column) if whole and largest <= EXACT else _floats(column) for column in columns]
    fits = all(-_INT64 <= value < _INT64 for column in columns for value in column.exact.values())
    # A float of 2^53 or more among exact integers is whole, but beyond 2^63 it has no place in 64 bits.
    if whole and fits and all(_floats_fit(column) for column in columns):
        return [_integers(column) for column in columns]
    return [_objects(column) for column in columns]


def _floats_fit(column: Numbers) -> bool:
    others = np.delete(column.distinct, list(column.exact))
    return bool(np.all(np.abs(others) < _INT64))


def _floats(column: Numbers) -> pd.Series[float]:
    values = np.append(column.distinct + 0.0, np.nan)  # + 0.0 makes -0.0 a 0.0
    return pd.Series(values[column.codes])


def _integers(column: Numbers) -> pd.Series[float]:
    places = np.isfinite(column.distinct) & (np.abs(column.distinct) < _INT64)
    values = np.where(places, column.distinct, 0).astype(np.int64)
    for place, value in column.exact.items():
        values[place] = value
    values = np.append(values, 0)
    return pd.Series(pd.arrays.IntegerArray(values[column.codes], column.codes < 0))


def _objects(column: Numbers) -> pd.Series[float]:
    values = np.empty(len(column.distinct) + 1, dtype=object)
    values[:-1] = [
        column.exact.get(place, int(value) if value.is_integer() else value)
        for place, value in enumerate(column.distinct.tolist())
    ]
    return pd.Series(values[column.codes], dtype=object)
