"""reportgen: does a synthetic or anonymised dataset leak the real people behind it?

The public names are listed below and loaded when they are first used, so that importing the package costs nothing:

    assess          measure and judge; returns an Assessment
    load            read a result file again; returns an Assessment
    split           set a real holdout aside before synthesis; returns a Split
    verify          is a report intact, and about these tables; returns a Verification
    compare         what changed between two assessments; returns a Compared
    nearest_two     exact Euclidean distances to the two closest rows; the base may be a Parquet file of any size
    count_identical how many base rows are identical to each row; the base as above
    Assessment      an assessment as users hold it
    ReportgenError, InputError, EnvironmentLacking, InternalError
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reportgen.api import Assessment, assess, load
    from reportgen.auditing import compare, split, verify
    from reportgen.errors import EnvironmentLacking, InputError, InternalError, ReportgenError
    from reportgen.space.search import nearest_two
    from reportgen.space.streamed import count_identical

__version__ = "0.1.0"
__all__ = [
    "Assessment",
    "EnvironmentLacking",
    "InputError",
    "InternalError",
    "ReportgenError",
    "__version__",
    "assess",
    "compare",
    "count_identical",
    "load",
    "nearest_two",
    "split",
    "verify",
]
_HOME = {
    "Assessment": "reportgen.api",
    "assess": "reportgen.api",
    "load": "reportgen.api",
    "compare": "reportgen.auditing",
    "split": "reportgen.auditing",
    "verify": "reportgen.auditing",
    "count_identical": "reportgen.space.streamed",
    "nearest_two": "reportgen.space.search",
    "EnvironmentLacking": "reportgen.errors",
    "InputError": "reportgen.errors",
    "InternalError": "reportgen.errors",
    "ReportgenError": "reportgen.errors",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
