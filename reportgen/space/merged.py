"""Answers of parts of a base, merged: the k smallest (distance, id), whatever the parts and their order."""

from __future__ import annotations

import numpy as np

from reportgen.distances import Floats, Ints


def merged(one: tuple[Floats, Ints], other: tuple[Floats, Ints], k: int) -> tuple[Floats, Ints]:
    """Return the k nearest of two answers for the same queries: distances and ids, both (queries, up to k)."""
    distances, ids = (np.concatenate(pair, axis=1) for pair in zip(one, other, strict=True))
    order = np.lexsort((ids, distances), axis=-1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(ids, order, axis=1)
