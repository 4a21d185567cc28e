"""Style sheets of paper with the values of custom properties in their place.

WeasyPrint parses and checks a value with `var()` anew for every element that it applies to; on paper nothing changes a
property of `:root`, so that its value can stand there from the start.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_ROOT = re.compile(r":root\s*\{([^{}]*)\}")
_CUSTOM = re.compile(r"--([\w-]+)\s*:\s*([^;]+)")
_USED = re.compile(r"var\(--([\w-]+)\)")
_DEPTH = 4
"""Values may name other properties, these again others."""


def with_values(sheets: Sequence[str]) -> list[str]:
    """Return sheets, in the order in which they apply, with the last value of each property that `:root` alone sets."""
    bare = [_COMMENT.sub("", sheet) for sheet in sheets]
    values = {
        name: value.strip() for sheet in bare for root in _ROOT.findall(sheet) for name, value in _CUSTOM.findall(root)
    }
    elsewhere = {name for sheet in bare for name, _ in _CUSTOM.findall(_ROOT.sub("", sheet))}
    fixed = {name: value for name, value in values.items() if name not in elsewhere}
    for _ in range(_DEPTH):
        bare = [_USED.sub(lambda found: fixed.get(found[1], found[0]), sheet) for sheet in bare]
    return bare
