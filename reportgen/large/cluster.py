"""The workers of a Dask cluster: how they are reached or started, and what they are asked for."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import Any

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.large.sending import Sender, other_versions
from reportgen.large.sharding import Sharding
from reportgen.large.spreading import Spreading
from reportgen.large.versions import versions
from reportgen.shown import one_line

INSTALL = "python -m pip install 'reportgen[distributed]'"
_CONNECT = 20
"""Seconds to reach the scheduler."""


class Cluster:
    """The workers of one scheduler: `search` answers searches, `spread` carries out work that comes in blocks."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self.search = Sharding(sender).search
        self.spread = Spreading(sender).spread

    @property
    def tasks(self) -> int:
        """How many tasks the workers were given."""
        return self.sender.tasks

    @property
    def again(self) -> int:
        """How many of them had to be given again."""
        return self.sender.again


@contextmanager
def cluster(scheduler: str | None, workers: int | None) -> Iterator[Cluster]:
    """Reach the scheduler at an address, or start so many workers on this machine for as long as the block lasts.

    Raises EnvironmentLacking, one line, where Dask is not installed, nobody answers, or a worker has other versions.
    """
    if scheduler is not None and workers is not None:
        msg = "scheduler and workers: one names a cluster, the other starts one; give one of them"
        raise InputError(msg)
    try:
        import distributed
    except ImportError:
        msg = f"scheduler and workers need Dask, which is not installed; install it: {INSTALL}"
        raise EnvironmentLacking(msg) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in one line of ours
    with _client(distributed, scheduler, workers) as client:
        address = one_line(scheduler or "this machine")
        sender = Sender(client, address)
        sender.wait_for_workers()
        _check_versions(client, address)
        yield Cluster(sender)


@contextmanager
def _client(distributed: Any, scheduler: str | None, workers: int | None) -> Iterator[Any]:
    if scheduler is None:
        import dask

        # Encrypted with keys that live in this process, and without pages: a port is open to all users of a machine.
        nothing: dict[str, Any] = {f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker")}
        nothing["distributed.worker.profile.enabled"] = False  # nobody looks at it
        with ExitStack() as opened:
            opened.enter_context(dask.config.set(nothing))
            with _interrupted_later():
                local = opened.enter_context(_local(distributed, workers))
            # Without the way through the scheduler, here a part of this process, a byte takes a third of the time.
            yield opened.enter_context(distributed.Client(local, direct_to_workers=True))
        return
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT)
    except (ValueError, TypeError):
        if scheduler.startswith("tls://"):
            msg = f"scheduler: {one_line(scheduler)} needs certificates; name them to Dask, as distributed.comm.tls"
            raise InputError(msg) from None
        told = one_line(scheduler) or "nothing"
        msg = f"scheduler: {told} is no address; give one like tcp://host:8786 or tls://host:8786"
        raise InputError(msg) from None
    except (OSError, TimeoutError):
        msg = f"scheduler: nobody answers at {one_line(scheduler)}; start it, or correct the address"
        raise EnvironmentLacking(msg) from None
    with client:
        yield client


def _local(distributed: Any, workers: int | None) -> Any:
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=0,
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        security=distributed.Security.temporary(),
        preload=["reportgen.large.worker"],
    )


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Let Ctrl-C wait for the seconds in which workers start, and act then.

    It is blocked, which processes that are started here take over: a terminal sends it to them as well, and they would
    print where they were. What comes to another thread of this process is noted and raised again.
    """
    if threading.current_thread() is not threading.main_thread():  # there signals are the caller's
        yield
        return
    noted = []
    before = signal.signal(signal.SIGINT, lambda *_: noted.append(True))
    if hasattr(signal, "pthread_sigmask"):
        # Started by the first process that is started, and then it would unblock the signal for all others.
        resource_tracker.ensure_running()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if noted:
        signal.raise_signal(signal.SIGINT)


def _check_versions(client: Any, address: str) -> None:
    expected = versions()
    try:
        found = set(client.run(versions).values())
    except Exception as error:  # noqa: BLE001 -- the same
        msg = f"workers: one of {address} cannot load reportgen ({type(error).__name__}); install it there: {expected}"
        raise EnvironmentLacking(msg) from None
    if found != {expected}:
        raise other_versions(expected)
