"""The versions that an answer of a search is by: what a kept answer is named by, and what workers must have alike."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("reportgen", "numpy", "scipy", "faiss-cpu")


def versions() -> str:
    """Name them in one line; one that was not installed as a package of that name is "unknown"."""
    return ", ".join((f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in PACKAGES)))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
