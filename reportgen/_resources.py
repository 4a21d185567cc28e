"""Where the packaged files lie: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_ROOTS = (_PACKAGE / "_data", _PACKAGE.parent)
"""The wheel holds `templates`, `assets` and the demo tables under `_data`; a checkout has them beside the package."""


def resource(*parts: str) -> Path:
    """Return the path of a packaged file or folder, for example `resource("assets", "css")`."""
    for root in _ROOTS:
        path = root.joinpath(*parts)
        if path.exists():
            return path
    msg = f"packaged file {'/'.join(parts)} is missing: reinstall reportgen"
    raise FileNotFoundError(msg)
