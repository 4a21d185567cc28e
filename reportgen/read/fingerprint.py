"""The SHA-256 of a parsed table: equal for equal contents, whatever the file format or the order of the columns.

The digest runs over the columns sorted by name (by code points, all columns, used or not). Each column gives its name,
its kind, then its values in the order of the rows. Each of these is one item: the length of its UTF-8 bytes as four
bytes, most significant first, and the bytes. A missing value is the four bytes FF FF FF FF alone. Values are written

    numeric      a whole number as decimal integer (1 and 1.0 are both "1", -0.0 is "0"), any other number as the
                 shortest decimal that reads back as the same 64-bit float, in Python's repr
    categorical  the text, without blanks at its ends; a whole number without ".0"
    boolean      "true" or "false"
    datetime     RFC 3339 in UTC, "2020-01-31T00:00:00Z", with up to six decimals of a second, without trailing zeros

`examples/recompute_content_sha256.py` does the same from a CSV file in a few lines that share no code with this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.model import Kind
from reportgen.read.columns import rfc3339
from reportgen.read.partition import ColumnSchema, Table

MISSING = b"\xff\xff\xff\xff"
_ROWS = 1 << 18


def content_sha256(table: Table, columns: Sequence[ColumnSchema]) -> str:
    """Return the digest of one aligned table in hexadecimal."""
    digest = hashlib.sha256()
    for column in sorted(columns, key=lambda column: column.name):
        digest.update(_item(column.name))
        digest.update(_item(column.kind))
        series = table.frame[column.name]
        for start in range(0, len(series), _ROWS):  # so many different values at most are written out at once
            codes, items = coded_items(series.iloc[start : start + _ROWS], column.kind)
            digest.update(b"".join(items[codes].tolist()))
    return digest.hexdigest()


def coded_items(series: pd.Series[Any], kind: Kind) -> tuple[NDArray[np.int64], NDArray[np.object_]]:
    """Return the code of each row and the bytes of each code's value; the last of them, code -1, is missing."""
    codes, values = pd.factorize(series, use_na_sentinel=True)
    items = np.empty(len(values) + 1, dtype=object)
    items[:-1] = [_item(text) for text in _texts(values, kind)]
    items[-1] = MISSING
    return codes.astype(np.int64), items


def _item(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(4, "big") + encoded


def _texts(values: Any, kind: Kind) -> list[str]:
    if kind == "datetime":
        return rfc3339(np.asarray(values.tz_localize(None), dtype="datetime64[us]").astype(np.int64))
    if kind == "boolean":
        return ["true" if value else "false" for value in values]
    if kind == "categorical":
        return list(values)
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
