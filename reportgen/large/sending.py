"""Tasks for the workers of a Dask cluster, given again where a worker was lost, until each is answered once.

What tasks need is sent to the workers once and passed between them; what a lost worker held is sent anew.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from reportgen.blas import one_thread
from reportgen.errors import EnvironmentLacking, ReportgenError
from reportgen.large.versions import versions

_ATTEMPTS = 10
"""So often what lost workers held is sent anew before anything was answered in between."""
_LOOK, _PAUSE, _WAIT = 5, 1, 120
"""Seconds: between two looks at the workers, until a lost one is noticed by all, and without any worker before giving
up."""


@dataclass(frozen=True)
class Task:
    """What a function is called with: parts by their names, which are sent once, then what goes with the task."""

    parts: tuple[Hashable, ...]
    given: tuple[Any, ...] = ()


class Parts:
    """What was sent to the workers, by name; `load` gives what a name stands for."""

    def __init__(self, client: Any, load: Callable[[Any], Any]) -> None:
        self._client = client
        self._load = load
        self._sent: dict[Hashable, Any] = {}

    def sent(self, name: Hashable) -> Any:
        """What stands for a part among the workers, to whom it is sent where it was not; OSError where one is lost."""
        if name not in self._sent:
            self._sent[name] = self._client.scatter(_Part(self._load(name)), hash=False)
        return self._sent[name]

    def drop(self, name: Hashable) -> None:
        """Let the workers forget a part."""
        if name in self._sent:
            self._sent.pop(name).release()

    def drop_all(self) -> None:
        """Let them forget all parts."""
        with suppress(Exception):  # whatever ended the work; a closed connection cannot be told
            self._client.cancel(list(self._sent.values()), force=True)
        self._sent.clear()


@dataclass(frozen=True, repr=False)
class _Part:
    """Keeps Dask from taking a tuple for several parts, and a worker from writing its values into a log."""

    content: Any


@dataclass(frozen=True)
class _Fault:
    """Stands for an error on a worker by its kind, as its text may hold a value; what is not raised is not logged."""

    kind: str


class Sender:
    """Gives tasks to the workers of one scheduler.

    `tasks` and `again` count what they were given, and what had to be given again.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self.tasks = 0
        self.again = 0

    def workers(self) -> int:
        """How many workers there are; none where the scheduler is gone."""
        with suppress(OSError):
            return len(self._client.scheduler_info(n_workers=-1).get("workers", ()))
        return 0

    @contextmanager
    def parts(self, load: Callable[[Any], Any]) -> Iterator[Parts]:
        """Parts that the workers hold until the block ends."""
        parts = Parts(self._client, load)
        try:
            yield parts
        finally:
            parts.drop_all()

    def answers(
        self, function: Callable[..., Any], tasks: Iterable[Task], parts: Parts, ahead: float = math.inf
    ) -> Generator[tuple[int, Any]]:
        """Yield each task's number and answer, in the order in which they come.

        A task is taken when it is fewer than `ahead` after the first unanswered one. EnvironmentLacking where no worker
        is left, one fails, or those there are get lost again and again.
        """
        expected = versions()
        line = _Line(tasks, ahead)
        running: dict[Any, _Numbered] = {}
        lost: list[_Numbered] = []
        attempts = 0
        self.wait_for_workers()
        try:
            while True:
                if lost and not running:  # what can be answered was; the rest begins anew
                    attempts += 1
                    self._begin_again(parts, len(lost), attempts)
                    line.take_back(lost)
                    lost = []
                while not lost and (one := line.next()) is not None:
                    try:
                        running[self._give(function, one[1], parts, expected)] = one
                    except Exception as error:  # a worker, or the scheduler, was lost while it was sent to
                        if not (isinstance(error, OSError) or _is_loss(error)):
                            raise
                        lost.append(one)
                if not running and not lost:
                    return
                for ended in self._ended(set(running)):
                    one = running.pop(ended)
                    answer = self._answer(ended)
                    ended.release()
                    if answer is None:
                        lost.append(one)
                        continue
                    attempts = 0
                    line.answered(one)
                    yield one[0], answer.content
        finally:
            with suppress(Exception):  # whatever ended the work; a closed connection cannot be told
                self._client.cancel(list(running), force=True)

    def wait_for_workers(self) -> None:
        """Wait until a worker is there; EnvironmentLacking where none comes, or the scheduler is gone."""
        try:
            self._client.wait_for_workers(1, timeout=_WAIT)
        except TimeoutError:
            raise self._nobody() from None
        except OSError:
            raise self._gone() from None

    def _give(self, function: Callable[..., Any], task: Task, parts: Parts, expected: str) -> Any:
        sent = [parts.sent(name) for name in task.parts]
        future = self._client.submit(_carried_out, function, expected, task.given, *sent, pure=False)
        self.tasks += 1
        return future

    def _begin_again(self, parts: Parts, number: int, attempts: int) -> None:
        if attempts == _ATTEMPTS:
            msg = f"workers: those of {self._address} were lost again and again; start others with more memory"
            raise EnvironmentLacking(msg)
        self.again += number
        time.sleep(_PAUSE)
        parts.drop_all()
        self.wait_for_workers()

    def _nobody(self) -> EnvironmentLacking:
        return EnvironmentLacking(
            f"workers: none is left at {self._address}; start some and run again (--checkpoint keeps what was found)"
        )

    def _gone(self) -> EnvironmentLacking:
        return EnvironmentLacking(
            f"scheduler: the one at {self._address} is gone; start it and workers, and run again (--checkpoint keeps "
            "what was found)"
        )

    def _ended(self, tasks: set[Any]) -> set[Any]:
        """Wait for tasks, of which there may be none, to end in whatever way; EnvironmentLacking without any worker."""
        from distributed import wait

        alone = 0
        while tasks:
            try:
                ended: set[Any] = wait(tasks, timeout=_LOOK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                alone = 0 if self.workers() else alone + _LOOK
                if alone >= _WAIT:
                    raise self._nobody() from None
            except Exception as error:  # a task that was lost
                if not _is_loss(error):
                    raise
                ended = {task for task in tasks if task.status != "pending"}
                if ended:
                    return ended
            else:
                return ended
        return set()

    def _answer(self, task: Any) -> _Part | None:
        """Take the answer of a task that ended; None where the worker, or something that it needed, was lost."""
        try:
            answer: _Part | _Fault = task.result()
        except ReportgenError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever a worker met becomes one line
            if _is_loss(error):
                return None
            answer = _Fault(type(error).__name__)
        if isinstance(answer, _Fault):
            msg = f"workers: one of {self._address} failed ({answer.kind}); has it enough memory?"
            raise EnvironmentLacking(msg) from None
        return answer


_Numbered = tuple[int, Task]


class _Line:
    """Tasks that wait: lost ones first, then those that come, each fewer than `ahead` after the first unanswered."""

    def __init__(self, tasks: Iterable[Task], ahead: float) -> None:
        self._coming = enumerate(tasks)
        self._ahead = ahead
        self._lost: deque[_Numbered] = deque()
        self._unanswered: set[int] = set()
        self._taken = 0

    def next(self) -> _Numbered | None:
        """The next task; None where none is to be taken now."""
        if self._lost:
            return self._lost.popleft()
        if self._unanswered and self._taken >= min(self._unanswered) + self._ahead:
            return None
        one = next(self._coming, None)
        if one is not None:
            self._taken += 1
            self._unanswered.add(one[0])
        return one

    def take_back(self, lost: Iterable[_Numbered]) -> None:
        """Let lost tasks wait again, in their order."""
        self._lost.extend(sorted(lost, key=lambda one: one[0]))

    def answered(self, one: _Numbered) -> None:
        """Note that a task was answered."""
        self._unanswered.remove(one[0])


def other_versions(expected: str) -> EnvironmentLacking:
    """Say what a worker must have installed."""
    return EnvironmentLacking(f"workers: one has other versions than this machine; install there: {expected}")


def _carried_out(function: Callable[..., Any], expected: str, given: tuple[Any, ...], *parts: _Part) -> _Part | _Fault:
    """Call a function with parts and what goes with the task, on a worker."""
    if versions() != expected:  # of one that came later
        raise other_versions(expected)
    try:
        with one_thread():
            return _Part(function(*(part.content for part in parts), *given))
    except ReportgenError:
        raise
    except Exception as error:  # noqa: BLE001 -- told where the run is
        return _Fault(type(error).__name__)


def _is_loss(error: BaseException) -> bool:
    """Whether a worker was lost, or what it held, or the scheduler."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import ClosedClientError
    from distributed.comm import CommClosedError

    return isinstance(error, CancelledError | KilledWorker | ClosedClientError | CommClosedError)
