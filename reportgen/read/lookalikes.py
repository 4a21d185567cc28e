"""Hints on categories that look like numbers or dates, so that nobody overlooks a column read as it was not meant."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

_NUMBERS = r"^[^\w\s]{0,2} ?[+-]?(\d[\d.,' \x{a0}]*|\.\d+)([eE][+-]?\d+)? ?[%€$£¥]?$"
_DATES = (
    r"^([A-Za-z]{2,9},? )?(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[-/. ]?[A-Za-z]{3,9}[-/., ]{0,2}\d{2,4})([ T].*)?$"
)
_FEWEST = 5
NUMBERS = (
    "Many of its values look like numbers, but not all can be read as such: read as categories; if they are numbers, "
    "declare how they are written and what is missing in [schema]."
)
DATES = (
    "Many of its values look like dates of a form that is not known: read as categories; if they are dates, declare "
    "their date_format in [schema]."
)


def hint(columns: Sequence[pa.Array]) -> str | None:
    """Return a remark where at least half of at least five different texts of a table look like numbers or dates."""
    for pattern, remark in ((_DATES, DATES), (_NUMBERS, NUMBERS)):
        for values in columns:
            alike = pc.sum(pc.match_substring_regex(values, pattern)).as_py() or 0
            if len(values) >= _FEWEST and 2 * alike >= len(values):
                return remark
    return None
