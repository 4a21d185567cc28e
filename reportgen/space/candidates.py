"""Candidate neighbours proposed by FAISS. The only module that knows faiss.

Proposals are made in float32 and may be wrong; `exact` proves or replaces them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import faiss
import numpy as np
from numpy.typing import NDArray

from reportgen.blas import one_thread
from reportgen.distances import Floats, Ints

Singles = NDArray[np.float32]
Block = TypeVar("Block")
Answer = TypeVar("Answer")
_TUNED = {"distance_compute_blas_threshold": 1, "distance_compute_blas_query_bs": 512}
"""How FAISS computes, not what: answers are proven."""


def in_threads(work: Callable[[Block], Answer], blocks: Iterable[Block], threads: int) -> list[Answer]:
    """Work on every block, so many at a time, and return the answers in the order of the blocks.

    Parallel blocks of queries, each with one thread of FAISS and of BLAS: their own threads wait for each other
    spinning, measured ten times slower on a busy machine, and make a process that forks later hang. The number of
    FAISS's threads belongs to the calling thread, so that nothing outside these threads changes; BLAS's is put back.
    """
    blocks = list(blocks)
    if not blocks:
        return []
    with one_thread(), _in_matrix_products():
        if len(blocks) == 1:  # small searches are over before a pool has started
            return [_in_one_thread(work, blocks[0])]
        with ThreadPoolExecutor(threads, initializer=faiss.omp_set_num_threads, initargs=(1,)) as pool:
            return list(pool.map(work, blocks))


def _in_one_thread(work: Callable[[Block], Answer], block: Block) -> Answer:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        return work(block)
    finally:
        faiss.omp_set_num_threads(before)


@contextmanager
def _in_matrix_products() -> Iterator[None]:
    """Let FAISS take distances from matrix products in batches of any size, in blocks that stay in the cache.

    Left to itself it goes pair by pair below 128,000 numbers a batch: in 20 dimensions 8 times slower for one
    neighbour, 3 times for more. What was set is put back; a search beside this one could only be slower or faster.
    """
    before = {name: getattr(faiss.cvar, name) for name in _TUNED}
    try:
        for name, value in _TUNED.items():
            setattr(faiss.cvar, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(faiss.cvar, name, value)


def propose(queries: Singles, base: Singles, number: int) -> tuple[Floats, Floats, Ints]:
    """Return the largest float32 squared distance among each query's candidates, (queries,), theirs, and their ids.

    Distances and ids, (queries, number), nearest first; ids are positions in the base. All rows that are no candidates
    have a float32 squared distance of at least the largest. It is -1 where FAISS found fewer candidates.
    """
    squared, ids = faiss.knn(queries, base, number)
    squared = squared.astype(np.float64)
    largest = squared.max(axis=1)
    largest[(ids < 0).any(axis=1)] = -1.0
    return largest, squared, np.maximum(ids, 0).astype(np.int64, copy=False)
