"""Searches on the workers of a Dask cluster: to the same bytes as in one process.

The base is cut into shards and the queries into blocks; a task finds the k nearest rows of one block in one shard, and
the k smallest (distance, id) of all shards are the k nearest of all. Which worker answers what, when, and how often
changes nothing. Rows are sent to the workers once and passed between them; what a lost worker held is sent anew.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.errors import EnvironmentLacking, InputError, ReportgenError
from reportgen.large.versions import versions
from reportgen.shown import one_line
from reportgen.space.delegated import tell
from reportgen.space.exact import direct_exponent, k_nearest_here
from reportgen.space.merged import merged

INSTALL = "python -m pip install 'reportgen[distributed]'"
_FEWEST_PAIRS = 1 << 28
"""A search of fewer pairs is over here before it would have been sent."""
_SHARD_ROWS = 1 << 18
"""Rows of a shard of the base at least; fewer would cost more for each pair."""
_SHARD_BYTES = 1 << 28
_PAIRS = 1 << 33
"""A task has about so many pairs: some 5 seconds of a processor."""
_TASKS_EACH = 4
"""Tasks of each worker and shard at least, so that none waits long for the others."""
_QUERIES = 4096
"""But so many queries at least: a shard is prepared once a task."""
_ATTEMPTS = 10
"""So often what lost workers held is sent anew."""
_CONNECT, _LOOK, _PAUSE, _WAIT = 20, 5, 1, 120
"""Seconds: to reach the scheduler, between two looks at the workers, until a lost one is noticed by all, and without
any worker before giving up."""


_Pair = tuple[int, int]
"""A block of queries and a shard of the base, by their numbers."""


@dataclass(frozen=True)
class _Work:
    """One search and how it is cut."""

    queries: Floats
    base: Floats
    k: int
    direct: int
    blocks: Sequence[slice]
    shards: Sequence[slice]


class Cluster:
    """The workers of one scheduler. `tasks` and `again` count what they were given, and what had to be given again."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self.tasks = 0
        self.again = 0

    def search(
        self, queries: Floats, base: Floats, k: int, threads: int, direct: int | None = None
    ) -> tuple[Floats, Ints]:
        """Answer as `k_nearest`."""
        if len(queries) * len(base) < _FEWEST_PAIRS:
            return k_nearest_here(queries, base, k, threads, direct)
        if direct is None:
            direct = direct_exponent(queries, base)
        workers = max(1, len(self._workers()))
        shards = _cut(len(base), _rows_of_shard(base, workers))
        evenly = -(-len(queries) // (_TASKS_EACH * workers))
        blocks = _cut(len(queries), max(_QUERIES, min(evenly, _PAIRS // (shards[0].stop - shards[0].start))))
        waiting = [(block, shard) for block in range(len(blocks)) for shard in range(len(shards))]
        found: list[tuple[Floats, Ints] | None] = [None] * len(blocks)
        done = 0
        work = _Work(queries, base, k, direct, blocks, shards)
        total = len(waiting)
        for attempt in range(_ATTEMPTS):
            if attempt:
                self.again += len(waiting)
                time.sleep(_PAUSE)
            lost = []
            for (block, shard), answer in self._answers(work, waiting):
                if answer is None:
                    lost.append((block, shard))
                    continue
                known = found[block]
                found[block] = answer if known is None else merged(known, answer, k)
                done += 1
                tell(done, total)
            waiting = lost
            if not waiting:
                break
        if waiting:
            msg = f"workers: those of {self._address} were lost again and again; start others with more memory"
            raise EnvironmentLacking(msg)
        distances, ids = zip(*(answer for answer in found if answer is not None), strict=True)
        return np.concatenate(distances), np.concatenate(ids)

    def _answers(self, work: _Work, waiting: Sequence[_Pair]) -> Iterator[tuple[_Pair, tuple[Floats, Ints] | None]]:
        """Give the pairs of a block and a shard to the workers, and yield each with its answer, None where lost."""
        sent: list[Any] = []
        tasks: dict[Any, _Pair] = {}
        try:
            try:
                rows = self._send(work.queries, work.blocks, [block for block, _ in waiting], sent)
                others = self._send(work.base, work.shards, [shard for _, shard in waiting], sent)
            except OSError as error:  # a worker was lost while it was sent to
                if not _is_loss(error):
                    raise
                yield from ((pair, None) for pair in waiting)
                return
            expected = versions()
            for block, shard in waiting:
                start = work.shards[shard].start
                given = (rows[block], others[shard], work.k, start, work.direct, expected)
                tasks[self._client.submit(_part, *given, pure=False)] = block, shard
            self.tasks += len(tasks)
            for task in self._finished(list(tasks)):
                yield tasks[task], self._answer(task)
                task.release()
        finally:
            with suppress(Exception):  # whatever ended the search; a closed connection cannot be told
                self._client.cancel([*tasks, *sent], force=True)

    def _workers(self) -> Sequence[str]:
        return list(self._client.scheduler_info(n_workers=-1)["workers"])

    def _send(self, rows: Floats, parts: Sequence[slice], which: Sequence[int], sent: list[Any]) -> dict[int, Any]:
        """Send some parts of the rows to the workers; return what stands for each, which is noted in `sent` as well."""
        self.wait_for_workers()
        stands = {}
        for part in dict.fromkeys(which):
            stands[part] = self._client.scatter(np.ascontiguousarray(rows[parts[part]]), hash=False)
            sent.append(stands[part])
        return stands

    def wait_for_workers(self) -> None:
        """Wait until a worker is there; EnvironmentLacking where none comes."""
        try:
            self._client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError:
            raise self._nobody() from None

    def _nobody(self) -> EnvironmentLacking:
        return EnvironmentLacking(
            f"workers: none is left at {self._address}; start some and run again (--checkpoint keeps what was found)"
        )

    def _finished(self, tasks: list[Any]) -> Iterator[Any]:
        """Yield tasks as they end, whatever way; EnvironmentLacking where no worker is there for long."""
        from distributed import wait

        alone = 0
        left = set(tasks)
        while left:
            try:
                ended = wait(left, timeout=_LOOK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                alone = 0 if self._workers() else alone + _LOOK
                if alone >= _WAIT:
                    raise self._nobody() from None
                continue
            except Exception as error:  # a task that was lost
                if not _is_loss(error):
                    raise
                ended = {task for task in left if task.status != "pending"}
            left -= ended
            yield from ended

    def _answer(self, task: Any) -> tuple[Floats, Ints] | None:
        """Take the answer of a task that ended; None where the worker, or rows that it needed, were lost."""
        try:
            answer: tuple[Floats, Ints] = task.result()
        except ReportgenError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever a worker met becomes one line
            if _is_loss(error):
                return None
            # never the error's text: it may hold a value
            msg = f"workers: one of {self._address} failed ({type(error).__name__}); has it enough memory?"
            raise EnvironmentLacking(msg) from None
        return answer


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
        found = Cluster(client, address)
        found.wait_for_workers()
        _check_versions(client, address)
        yield found


@contextmanager
def _client(distributed: Any, scheduler: str | None, workers: int | None) -> Iterator[Any]:
    if scheduler is None:
        import dask

        # Encrypted with keys that live in this process, and without pages: a port is open to all users of a machine.
        nothing: dict[str, Any] = {f"distributed.{part}.http.routes": [] for part in ("scheduler", "worker")}
        with ExitStack() as opened:
            opened.enter_context(dask.config.set(nothing))
            with _interrupted_later():
                local = opened.enter_context(_local(distributed, workers))
            yield opened.enter_context(distributed.Client(local))
        return
    try:
        client = distributed.Client(scheduler, timeout=_CONNECT)
    except (ValueError, TypeError):
        msg = f"scheduler: {one_line(scheduler)} is no address; give one like tcp://host:8786 or tls://host:8786"
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
        raise _other_versions(expected)


def _other_versions(expected: str) -> EnvironmentLacking:
    return EnvironmentLacking(f"workers: one has other versions than this machine; install there: {expected}")


def _part(queries: Floats, base: Floats, k: int, start: int, direct: int, expected: str) -> tuple[Floats, Ints]:
    """Find the k nearest rows in one shard, on a worker; ids count from `start`."""
    if versions() != expected:  # of one that came later
        raise _other_versions(expected)
    # What was sent is read-only, which FAISS and scipy take for a fault.
    distances, ids = k_nearest_here(np.array(queries), np.array(base), min(k, len(base)), 1, direct)
    return distances, ids + start


def _rows_of_shard(base: Floats, workers: int) -> int:
    """Rows of a shard: one for each worker, neither so few that searching them is slow nor more than fit."""
    most = max(1, _SHARD_BYTES // (8 * int(base.shape[1])))
    return min(most, max(_SHARD_ROWS, -(-len(base) // workers)))


def _cut(rows: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, rows)) for start in range(0, rows, size)]


def _is_loss(error: BaseException) -> bool:
    """Whether a worker was lost, or what it held."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    return isinstance(error, CancelledError | KilledWorker | CommClosedError)
