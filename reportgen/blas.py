"""How many threads libraries take: one of BLAS at a time, and as many as asked for of those that read files.

In small products the threads of BLAS wait for each other spinning, much slower on a busy machine. Searches run on
threads of their own (`space.candidates.in_threads`), each with one of BLAS and of FAISS.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import cast

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Keep BLAS to one thread inside the context, in the whole process; what was set before is put back."""
    return cast("AbstractContextManager[object]", _libraries().limit(limits=1, user_api="blas"))


@contextmanager
def on_threads(number: int) -> Iterator[None]:
    """Let a run take so many threads: BLAS one, pyarrow that many; what was set before is put back."""
    import pyarrow as pa

    before = pa.cpu_count()
    with one_thread():
        pa.set_cpu_count(number)
        try:
            yield
        finally:
            pa.set_cpu_count(before)


@functools.cache
def _libraries() -> ThreadpoolController:
    """Find the BLAS libraries of numpy and FAISS once: looking takes 5 ms, as long as a small search."""
    return ThreadpoolController()
