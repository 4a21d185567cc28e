"""Workers for the tests: those of this machine, and a scheduler with its own."""

import os
import subprocess
import sys
import time

import pytest

from reportgen.large.cluster import cluster


@pytest.fixture(scope="session")
def two():
    """Two worker processes of this machine."""
    with cluster(None, 2) as found:
        yield found


class Workers(list):
    """Processes of workers, and that of their scheduler."""

    def __init__(self, workers, scheduler):
        super().__init__(workers)
        self.scheduler = scheduler


@pytest.fixture
def scheduler():
    """A scheduler of its own process with two workers that nobody starts again; the address, and the workers.

    The scheduler itself is there as `workers.scheduler`.
    """
    environ = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environ}
    started = []

    def dask(*words):
        started.append(subprocess.Popen([sys.executable, "-m", "distributed.cli." + words[0], *words[1:]], **quiet))
        return started[-1]

    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    dask("dask_scheduler", "--host", address, "--no-dashboard")
    workers = [dask("dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard") for _ in range(2)]
    from distributed import Client

    deadline = time.monotonic() + 60
    while True:
        try:
            with Client(address, timeout=5) as client:
                client.wait_for_workers(2, timeout=60)
            break
        except OSError:
            assert time.monotonic() < deadline
    yield address, Workers(workers, started[0])
    for one in started:
        one.kill()
        one.wait()
