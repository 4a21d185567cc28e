"""Loaded by each worker process of this machine when it starts: Ctrl-C is for the run, which ends its workers."""

from __future__ import annotations

import signal


def dask_setup(_worker: object) -> None:
    """Let the signal pass; called by Dask in the worker's main thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
