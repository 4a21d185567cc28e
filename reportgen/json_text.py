"""JSON as strangers may send it: read only where it means one thing, and costs no more than its size promises."""

from __future__ import annotations

import json
from typing import Any, NoReturn

MOST_ITEMS = 1_000_000
"""Commas and opening brackets; a result has some thousand, one of ten thousand columns a quarter of a million."""
DEEPEST = 64
"""Levels of nesting; a result has eight."""


class AmbiguousJSONError(ValueError):
    """The text is JSON of a kind that is not read; its message says what kind, and quotes nothing."""


def read_json(text: bytes) -> Any:
    """Return the value of a JSON text in UTF-8; raise ValueError, whose message quotes nothing, for any other.

    Refused besides what is no JSON: a key twice in one object (readers differ in which counts), NaN and Infinity,
    nesting beyond 64 levels, and more items than any result has, which would take far more memory than bytes.
    """
    if text.count(b",") + text.count(b"[") + text.count(b"{") > MOST_ITEMS:
        msg = "it holds more values than any result"
        raise AmbiguousJSONError(msg)
    try:
        plain = json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        msg = "it is nested too deeply"
        raise AmbiguousJSONError(msg) from None
    except AmbiguousJSONError:
        raise
    except ValueError:  # its message may hold some of the text
        msg = "it is no JSON"
        raise ValueError(msg) from None
    if _deeper(plain, DEEPEST):
        msg = "it is nested too deeply"
        raise AmbiguousJSONError(msg)
    return plain


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        msg = "a key stands twice in one object"
        raise AmbiguousJSONError(msg)
    return found


def _no_number(_: str) -> NoReturn:
    msg = "it holds NaN or Infinity"
    raise AmbiguousJSONError(msg)


def _deeper(value: Any, levels: int) -> bool:
    """Whether a value is nested in more levels of lists and objects than that."""
    layer = [value]
    for _ in range(levels):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return any(isinstance(inner, dict | list) for inner in layer)
