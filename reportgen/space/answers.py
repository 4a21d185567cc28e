"""What was found among the real rows of one run, kept for further runs on the same real rows.

Several releases of one original ask much of the same: which real rows are each other's closest, what an ideal generator
reads, how planted copies of real rows are found. An answer is kept by what it was asked of, bit for bit, so that a run
that reuses it gives the very bytes that it would give alone; whatever differs, be it one coordinate, is asked anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints

Found = TypeVar("Found")


def contents(arrays: Iterable[NDArray[Any] | None]) -> bytes:
    """Return the SHA-256 of arrays with their shapes and types, in their order."""
    digest = hashlib.sha256()
    for array in arrays:
        form = "none" if array is None else f"{array.dtype.str} {array.shape}"
        digest.update(f"{form}\n".encode())
        if array is not None:
            digest.update(np.ascontiguousarray(array).data)
    return digest.digest()


class Answers:
    """Answers about real rows by their contents, each with the number of queries that it took."""

    def __init__(self) -> None:
        self.reused = 0
        """How many questions were answered from memory."""
        self._found: dict[Hashable, tuple[Any, int]] = {}
        self._lists: dict[bytes, tuple[Floats, Ints]] = {}

    def once(self, question: Hashable, find: Callable[[], tuple[Found, int]]) -> tuple[Found, int]:
        """Return what `find` returns, an answer and its queries; asked again, the same without finding it again."""
        if question in self._found:
            self.reused += 1
        else:
            self._found[question] = find()
        found: tuple[Found, int] = self._found[question]
        return found

    def lists(self, real: bytes, k: int, find: Callable[[], tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
        """Return lists of k neighbours of the real rows with these contents; longer ones that are known begin alike."""
        known = self._lists.get(real)
        if known is not None and known[0].shape[1] >= k:
            self.reused += 1
            return np.ascontiguousarray(known[0][:, :k]), np.ascontiguousarray(known[1][:, :k])
        self._lists[real] = find()
        return self._lists[real]
