"""Dates and times written as text: ISO 8601, 2020/1/31, 31.1.2020, and 31/1/2020 or 1/31/2020 where one is meant.

A time without zone is read as UTC. Fractions finer than a microsecond are cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.read.numbers import all_match

DayOrder = Literal["day first", "month first"]
_TIME = (
    r"([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?"  # hours:minutes, perhaps seconds and a fraction
    r" ?(Z|z|UTC|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?)?"  # perhaps a zone
)
_ISO = rf"\d{{4}}-\d{{2}}-\d{{2}}{_TIME}"
_YEAR_FIRST = rf"\d{{4}}/\d{{1,2}}/\d{{1,2}}{_TIME}"
_POINTS = rf"\d{{1,2}}\.\d{{1,2}}\.\d{{4}}{_TIME}"
_SLASHES = rf"\d{{1,2}}/\d{{1,2}}/\d{{4}}{_TIME}"
_ANY = f"^({_ISO}|{_YEAR_FIRST}|{_POINTS}|{_SLASHES})$"
_PARTS = re.compile(r"(\d+)([-/.])(\d+)[-/.](\d+)[T ]?(.*)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def look_like_dates(values: pa.Array) -> bool:
    """Whether every text has the form of a date; whether the day exists is seen when it is parsed."""
    return bool(len(values)) and all_match(values, _ANY)


def has_slashes(values: pa.Array) -> bool:
    """Whether some text is a date of the form 1/2/2020, whose order of day and month must be known."""
    return any(_slashed(text) for text in values.to_pylist())


def day_order(columns: Iterable[pa.Array]) -> DayOrder | None:
    """Return the one order that all dates of the form 1/2/2020 allow, None where both or neither are possible.

    One number above 12 settles it for all tables together.
    """
    first = second = False
    for values in columns:
        for text in values.to_pylist():
            if _slashed(text):
                one, two, *_ = text.split("/")
                first |= int(one) > 12
                second |= int(two) > 12
    if first == second:
        return None
    return "day first" if first else "month first"


def parse_dates(values: pa.Array, order: DayOrder | None) -> NDArray[np.int64] | None:
    """Return microseconds since 1970 UTC; None where a text is no day of the calendar, or its order is not known."""
    moments = [_parsed(text, order, None) for text in values.to_pylist()]
    return None if None in moments else np.array(moments, dtype=np.int64)


def parse_declared(
    values: pa.Array, order: DayOrder | None, form: str | None
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return microseconds since 1970 UTC of texts in a declared format, or in any of ours, and which are no dates."""
    known = [True] * len(values) if form else pc.match_substring_regex(values, _ANY).to_pylist()
    moments = [
        _parsed(text, order, form) if fits else None for text, fits in zip(values.to_pylist(), known, strict=True)
    ]
    wrong = np.array([moment is None for moment in moments], dtype=bool)
    return np.array([moment or 0 for moment in moments], dtype=np.int64), wrong


def _parsed(text: str, order: DayOrder | None, form: str | None) -> int | None:
    if form is None and order is None and _slashed(text):
        return None
    try:
        moment = _moment(text, order) if form is None else _zoned(datetime.strptime(text, form))  # noqa: DTZ007
        return (moment - _EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        return None


def _zoned(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _slashed(text: str) -> bool:
    return "/" in text[:3]


def _moment(text: str, order: DayOrder | None) -> datetime:
    found = _PARTS.fullmatch(text)
    if found is None:
        raise ValueError
    one, mark, two, three, time = found.groups()
    if len(one) == 4:
        year, month, day = one, two, three
    elif mark == "." or order == "day first":
        year, month, day = three, two, one
    else:
        year, month, day = three, one, two
    time = time.replace(",", ".").replace(" ", "").replace("UTC", "Z").replace("z", "Z") or "00:00"
    return _zoned(datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}T{time}"))
