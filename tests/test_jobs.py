"""Threads: as many as asked for and no more, the same bytes on any number, nothing forked, nothing searched twice."""

import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_info

import reportgen
from reportgen.settings import METRIC_KEYS
from reportgen.space import cells, exact
from reportgen.space import search as searching

MEASURED = [key for key in METRIC_KEYS if key not in {"singling_out", "linkability", "inference"}]
"""The attacks search columns of their own."""


def _tables(rows=700, *, mixed=True):
    random = np.random.default_rng(4)
    tables = []
    for _ in range(3):
        table = pd.DataFrame(random.normal(size=(rows, 4)), columns=list("abcd"))
        if mixed:
            table = table.round(1).assign(e=random.choice(list("vwxyz"), rows), f=random.choice(list("mn"), rows))
        tables.append(table)
    original, synthetic, holdout = tables
    synthetic.iloc[:40] = original.iloc[:40].to_numpy()
    return original, synthetic, holdout


@pytest.fixture(autouse=True)
def _fixed_clock(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_more_searches_run_at_once_than_jobs_and_blas_has_one_thread(monkeypatch, jobs):
    monkeypatch.setattr(exact, "FEWEST_IN_A_BLOCK", 50)
    running, most, lock, blas = [0], [0], threading.Lock(), set()
    answer = exact._nearest_candidates

    def counted(*given, **named):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        blas.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        try:
            return answer(*given, **named)
        finally:
            with lock:
                running[0] -= 1

    monkeypatch.setattr(exact, "_nearest_candidates", counted)
    stages = []

    def told(stage, *_):
        stages.append((stage, pa.cpu_count()))
        if stage != "read":
            blas.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

    before = pa.cpu_count(), [one["num_threads"] for one in threadpool_info()]
    reportgen.assess(*_tables(mixed=False), jobs=jobs, resamples=100, progress=told)
    assert 1 <= most[0] <= jobs
    assert blas == {1}
    assert {number for stage, number in stages if stage != "read"} == {jobs}
    assert (pa.cpu_count(), [one["num_threads"] for one in threadpool_info()][: len(before[1])]) == before


@pytest.mark.parametrize("mixed", [False, True])
def test_bytes_do_not_depend_on_jobs_or_the_size_of_batches(monkeypatch, mixed):
    tables = _tables(mixed=mixed)
    made = []
    for jobs, block, by_cells in ((1, 4096, False), (3, 4096, False), (2, 97, False), (1, 4096, True), (3, 61, True)):
        monkeypatch.setattr(exact, "_QUERIES", block)
        monkeypatch.setattr(exact, "FEWEST_IN_A_BLOCK", min(block, 50))
        monkeypatch.setattr(exact, "_FEWEST_FOR_CELLS", 0 if by_cells else 10**18)
        monkeypatch.setattr(cells, "worth_it", lambda *_: True)
        made.append(reportgen.assess(*tables, jobs=jobs, resamples=100).to_json())
    assert len(set(made)) == 1


def test_nothing_is_forked_and_a_process_that_forks_later_can_search():
    script = """
import os, sys, numpy as np, reportgen
os.register_at_fork(before=lambda: print("forked", flush=True))
r = np.random.default_rng(0)
tables = [r.normal(size=(400, 4)) for _ in range(3)]
reportgen.assess(*tables, jobs=2, resamples=100).rendered("r.html")
big = r.normal(size=(6000, 12))
reportgen.nearest_two(big, big, exclude_self=True)
print("assessed", flush=True)
child = os.fork()
if not child:
    reportgen.nearest_two(big, big, exclude_self=True)
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["assessed", "forked", "0"]


@pytest.mark.parametrize("mixed", [False, True])
def test_each_row_is_searched_for_once_in_each_base_by_the_same_columns(monkeypatch, mixed):
    """All but a few: rows whose list of real neighbours ends too soon are searched for again in the memorising control,
    and so is a row that equals another one once a column is left out.
    """
    asked = {}
    again = []
    k_nearest = searching.k_nearest

    def counted(queries, base, k, threads=1):
        known = asked.setdefault(base.tobytes(), {})
        for row in queries:
            if known.get(row.tobytes(), 0) >= k:
                again.append(k)
            known[row.tobytes()] = max(k, known.get(row.tobytes(), 0))
        return k_nearest(queries, base, k, threads)

    monkeypatch.setattr(searching, "k_nearest", counted)
    found = reportgen.assess(*_tables(mixed=mixed), resamples=100, metric=MEASURED)
    assert found.verdict.level == "high"
    searched = sum(map(len, asked.values()))
    assert searched > 3 * 700
    assert len(again) <= 0.002 * searched
