"""The versions that an answer is by: what a kept answer is named by, and what workers must have alike."""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version

import numpy as np

PACKAGES = ("reportgen", "numpy", "scipy", "faiss-cpu")


def versions() -> str:
    """Name them in one line; one that was not installed as a package of that name is "unknown"."""
    return ", ".join((f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in PACKAGES)))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


@functools.cache
def arithmetic() -> str:
    """Digest of what numpy makes of fixed numbers: equal where results of exponentials, logarithms and sums are.

    Sums, products, quotients and roots are the same anywhere; of exponentials and logarithms numpy has other code for
    other processors, which differs in the last digit of some.
    """
    numbers = (np.arange(1, 1 << 13) * 2654435761 % (1 << 32)) / (1 << 32)
    made = (np.exp(-20 * numbers), np.log(numbers), numbers.sum(), numbers[: 1 << 12].reshape(64, 64).mean(axis=1))
    return hashlib.sha256(b"".join(np.ascontiguousarray(one).tobytes() for one in made)).hexdigest()
