"""Searches on real worker processes: the same bytes as in one, also when workers are killed in the middle."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.large import cluster as module
from reportgen.large import sending, sharding, versions
from reportgen.large.cluster import INSTALL, cluster
from reportgen.space.delegated import Delegates, delegated_to
from reportgen.space.exact import k_nearest, k_nearest_here

SMALL = {"_FEWEST_PAIRS": 0, "_SHARD_ROWS": 300, "_SHARD_BYTES": 16_800, "_PAIRS": 300 * 64, "_QUERIES": 64}
"""Small searches are sent as well, in shards of 300 rows of 7 numbers, and blocks of 64 queries."""


@pytest.fixture
def small(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(sharding, name, value)


@pytest.fixture
def rows():
    """Queries and base with copies, ties and near duplicates across shards."""
    random = np.random.default_rng(5)
    base = random.normal(size=(1000, 7))
    base[700:800] = base[:100]
    base[100:200] = base[0] + 1e-9 * random.normal(size=(100, 7))
    return np.concatenate([base[::5], random.normal(size=(130, 7))]), base


def same(found, expected):
    return all(one.tobytes() == other.tobytes() for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("k", [1, 2, 10, 400])
def test_two_workers_answer_as_one_process(two, small, rows, k):
    given = two.tasks
    assert same(two.search(*rows, k, 1), k_nearest_here(*rows, k))
    assert two.tasks - given == 24  # 6 blocks of queries in 4 shards


def test_numbers_far_out_are_scaled_in_shards_as_in_the_whole(two, small, rows):
    queries, base = rows
    base = base * 1e-160
    base[700] = 1.0
    assert same(two.search(queries, base, 3, 1), k_nearest_here(queries, base, 3))
    assert same(two.search(queries * 1e-160, base[:600], 3, 1), k_nearest_here(queries * 1e-160, base[:600], 3))


def test_small_searches_are_not_sent(two, rows):
    given = two.tasks
    assert same(two.search(*rows, 2, 1), k_nearest_here(*rows, 2))
    assert two.tasks == given


def test_progress_is_told_and_searches_are_delegated(two, small, rows):
    told = []
    with delegated_to(Delegates(two.search), lambda *numbers: told.append(numbers)):
        assert same(k_nearest(*rows, 2), k_nearest_here(*rows, 2))
    total = told[0][2]
    assert told == [("search", done, total) for done in range(1, total + 1)]


def test_a_worker_that_is_killed_in_the_middle_costs_no_byte(small, rows):
    with cluster(None, 2) as found:
        victims = []

        def kill(_kind, done, _total):
            if done == 3:
                pids = found.sender._client.run(os.getpid)
                victims.append(min(pids.values()))
                os.kill(victims[0], signal.SIGKILL)

        with delegated_to(Delegates(found.search), kill):
            assert same(k_nearest(*rows, 10), k_nearest_here(*rows, 10))
        assert victims


@pytest.mark.parametrize(
    ("lost", "said"), [("workers", "none is left"), ("scheduler", "is gone")], ids=["workers", "scheduler"]
)
def test_a_cluster_that_is_lost_in_the_middle_ends_the_search_with_one_line(
    small, rows, monkeypatch, scheduler, lost, said
):
    monkeypatch.setattr(sending, "_WAIT", 2)
    monkeypatch.setattr(sending, "_LOOK", 1)
    address, workers = scheduler
    victims = workers if lost == "workers" else [workers.scheduler]
    with cluster(address, None) as found:

        def kill(_kind, done, _total):
            if done == 1:
                for victim in victims:
                    victim.kill()
                    victim.wait()

        with delegated_to(Delegates(found.search), kill), pytest.raises(reportgen.EnvironmentLacking) as caught:
            k_nearest(*rows, 10)
        assert not found.sender.workers()
    assert said in str(caught.value)
    assert address in str(caught.value)
    assert "--checkpoint" in str(caught.value)


def test_an_address_that_needs_certificates_says_so_where_none_are_set():
    with pytest.raises(reportgen.InputError, match="certificates"), cluster("tls://127.0.0.1:8786", None):
        pass


@pytest.mark.parametrize("step", ["scatter", "submit"])
def test_what_is_lost_while_it_is_sent_costs_no_byte(two, small, rows, monkeypatch, step):
    from distributed.client import ClosedClientError
    from distributed.comm import CommClosedError

    send, failed = getattr(two.sender._client, step), []

    def once(*given, **how):
        if len(failed) < 2:
            failed.append(True)
            raise CommClosedError if step == "scatter" else ClosedClientError
        return send(*given, **how)

    monkeypatch.setattr(sending, "_PAUSE", 0)
    monkeypatch.setattr(two.sender._client, step, once)
    again = two.again
    assert same(two.search(*rows, 3, 1), k_nearest_here(*rows, 3))
    assert two.again - again == 2  # that which was being sent, twice


def test_other_versions_on_a_worker_are_refused(monkeypatch):
    monkeypatch.setattr(versions, "version", lambda _: "9")  # here, not on the workers
    with pytest.raises(reportgen.EnvironmentLacking, match="reportgen 9"), cluster(None, 1):
        pass


FEWER = SMALL | {"_SHARD_BYTES": 40_000, "_QUERIES": 300}
"""The same, in fewer tasks."""
ASSESS = """
import sys
import time
from pathlib import Path
from reportgen import cli
from reportgen.large import checkpoint, sharding, spreading
checkpoint._FEWEST_PAIRS = 0
for name, value in {small}.items():
    setattr(sharding, name, value)
more = sys.argv.pop() if sys.argv[-1].startswith("stop-in-") else ""
if more:
    spreading._LEAST = spreading._BYTE = spreading._TASK = 0
    tell = spreading.tell

    def waited(kind, done, total):
        tell(kind, done, total)
        if kind == more.removeprefix("stop-in-") and done == 2:
            Path(kind + ".reached").touch()
            time.sleep(60)

    spreading.tell = waited
cli.main(sys.argv[1:])
"""


def wait_for_answers(folder):
    """Wait until the run is in the middle of its searches."""
    deadline = time.monotonic() + 300
    while not list(folder.glob("*/*.answer")):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def table(seed, rows=600):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(rows, 9)), columns=list("abcdefghi"))
    frame["town"] = random.choice(list("xyz"), rows)
    return frame


@pytest.mark.parametrize("how", ["scheduler", "workers"])
def test_the_command_writes_the_same_bytes_as_one_process(tmp_path, how, request):
    for seed, name in enumerate(("original", "synthetic", "holdout")):
        table(seed).to_parquet(tmp_path / f"{name}.parquet")
    inputs = ["assess", "original.parquet", "synthetic.parquet", "--holdout", "holdout.parquet", "-m", "nndr"]
    words = [sys.executable, "-c", ASSESS.format(small=FEWER), *inputs, "--fail-on", "never"]
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run([*words, "-q", "-o", "alone.json"], cwd=tmp_path, env=environ, check=True)
    if how == "workers":
        more, workers = ["--workers", "2"], []
    else:
        address, workers = request.getfixturevalue("scheduler")
        more = ["--scheduler", address]
    command = [*words, "-v", "-o", "together.json", *more, "--checkpoint", "kept"]
    with subprocess.Popen(command, cwd=tmp_path, env=environ, stderr=subprocess.PIPE, text=True) as running:
        for worker in workers[:1]:
            wait_for_answers(tmp_path / "kept")
            worker.kill()
        said = running.communicate(timeout=300)[1]
    assert running.returncode == 0, said
    assert int(said.partition("workers: ")[2].partition(" tasks given")[0]) > 20
    assert (tmp_path / "together.json").read_bytes() == (tmp_path / "alone.json").read_bytes()
    assert not (tmp_path / "kept").exists()


def test_ctrl_c_ends_the_run_and_its_workers_with_one_line(tmp_path):
    for seed, name in enumerate(("original", "synthetic")):
        table(seed, 3000).to_parquet(tmp_path / f"{name}.parquet")
    words = [
        "assess",
        "original.parquet",
        "synthetic.parquet",
        "-o",
        "r.json",
        "--workers",
        "2",
        "--checkpoint",
        "kept",
    ]
    command = [sys.executable, "-c", ASSESS.format(small=FEWER), *words]
    own_group = {"start_new_session": True, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    with subprocess.Popen(command, **own_group) as running:
        wait_for_answers(tmp_path / "kept")
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        said = running.communicate(timeout=300)[1]
    assert running.returncode == 130, said
    assert said.splitlines()[1:] == ["reportgen: error: interrupted; nothing was left half-written"]
    assert said.startswith("checkpoint: what was searched so far is kept")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "original.parquet", "synthetic.parquet"]
    assert gone(running.pid)


@pytest.mark.parametrize("kind", ["projection", "permutations"])
def test_ctrl_c_in_other_work_ends_the_run_and_its_workers_with_one_line(tmp_path, kind):
    for seed, name in enumerate(("original", "synthetic", "holdout")):
        table(seed, 400).to_parquet(tmp_path / f"{name}.parquet")
    inputs = ["original.parquet", "synthetic.parquet", "--holdout", "holdout.parquet", "-m", "leak_test"]
    words = ["assess", *inputs, "--components", "4", "-o", "r.json", "--workers", "2", f"stop-in-{kind}"]
    command = [sys.executable, "-c", ASSESS.format(small={}), *words]
    own_group = {"start_new_session": True, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    with subprocess.Popen(command, **own_group) as running:
        deadline = time.monotonic() + 300
        while not (tmp_path / f"{kind}.reached").exists() and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        said = running.communicate(timeout=300)[1]
    assert running.returncode == 130, said
    assert said.splitlines() == ["reportgen: error: interrupted; nothing was left half-written"]
    assert not (tmp_path / "r.json").exists()
    assert gone(running.pid)


def test_ctrl_c_while_workers_start_ends_the_run_when_they_have(tmp_path):
    for seed, name in enumerate(("original", "synthetic")):
        table(seed, 60).to_parquet(tmp_path / f"{name}.parquet")
    words = ["assess", "original.parquet", "synthetic.parquet", "-o", "r.json", "--workers", "1"]
    command = [sys.executable, "-m", "reportgen", *words]
    own_group = {"start_new_session": True, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    with subprocess.Popen(command, **own_group) as running:
        deadline = time.monotonic() + 120
        while not starts_a_worker(running.pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert starts_a_worker(running.pid)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the worker as well
        said = running.communicate(timeout=300)[1]
    assert running.returncode == 130, said
    assert said.splitlines() == ["reportgen: error: interrupted; nothing was left half-written"]
    assert not (tmp_path / "r.json").exists()
    assert gone(running.pid)


def starts_a_worker(pid):
    """Whether a process has started one that Python made for a task, beside the tracker of its resources."""
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in path.read_text().split():
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    return True
    return False


def gone(group):
    """Whether nobody of a group of processes is left; the last ones end with their pipes."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_without_the_extra_one_line_says_what_to_install(run, tmp_path, monkeypatch):
    for seed, name in enumerate(("a", "b")):
        table(seed, 30).to_csv(tmp_path / f"{name}.csv")
    monkeypatch.setitem(sys.modules, "distributed", None)
    for more in (("--workers", "2"), ("--scheduler", "tcp://127.0.0.1:1")):
        code, out, err = run("assess", "a.csv", "b.csv", *more)
        assert (code, out) == (3, "")
        assert err.count("\n") == 1
        assert INSTALL in err


def test_wrong_addresses_are_one_line(run, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CONNECT", 2)
    for seed, name in enumerate(("a", "b")):
        table(seed, 30).to_csv(tmp_path / f"{name}.csv")
    for more, code, words in (
        (("--scheduler", "tcp://127.0.0.1:9"), 3, "nobody answers at tcp://127.0.0.1:9"),
        (("--scheduler", "no://where"), 2, "no://where is no address"),
        (("--scheduler", "tcp://127.0.0.1:9", "--workers", "2"), 2, "give one of them"),
        (("--workers", "0"), 2, "workers"),
    ):
        found, out, err = run("assess", "a.csv", "b.csv", *more)
        assert (found, out) == (code, ""), err
        assert err.count("\n") == 1
        assert words in err
