"""BLAS on one thread: in small products its threads wait for each other spinning, much slower on a busy machine."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from typing import cast

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Keep BLAS to one thread inside the context, in the whole process; what was set before is put back."""
    return cast("AbstractContextManager[object]", _libraries().limit(limits=1, user_api="blas"))


@functools.cache
def _libraries() -> ThreadpoolController:
    """Find the BLAS libraries of numpy and FAISS once: looking takes 5 ms, as long as a small search."""
    return ThreadpoolController()
