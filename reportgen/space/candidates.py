"""Candidate neighbours proposed by FAISS. The only module that knows faiss.

Proposals are made in float32 and may be wrong; `exact` proves or replaces them. A process that has searched here with
more than one thread and then forks hangs: start further processes by spawning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import faiss
import numpy as np
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints

Singles = NDArray[np.float32]

_WIDE = 32
_WIDE_BATCH = 512
"""Queries multiplied at once beyond `_WIDE` columns; measured to be faster there than the default of 4096."""


@contextmanager
def faiss_settings(threads: int, width: int) -> Iterator[None]:
    """Set the threads and the batch of FAISS, which are global to the process, and put them back at the end."""
    before = faiss.omp_get_max_threads(), faiss.cvar.distance_compute_blas_query_bs
    faiss.omp_set_num_threads(threads)
    if width > _WIDE:
        faiss.cvar.distance_compute_blas_query_bs = _WIDE_BATCH
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before[0])
        faiss.cvar.distance_compute_blas_query_bs = before[1]


def propose(queries: Singles, base: Singles, number: int) -> tuple[Floats, Ints]:
    """Return the largest float32 squared distance among each query's candidates, (queries,), and their ids.

    The ids, (queries, number), are positions in the base; all rows that are no candidates have a float32 squared
    distance of at least that value. A row of which FAISS found fewer candidates gets the value -1.
    """
    squared, ids = faiss.knn(queries, base, number)
    largest = squared.max(axis=1).astype(np.float64)
    short = (ids < 0).any(axis=1)
    largest[short] = -1.0
    return largest, np.maximum(ids, 0).astype(np.int64)
