"""Permutations and projection on real worker processes: the same bytes as in one, also when one is killed."""

import itertools
import operator
import os
import pickle
import signal

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import persons, spread
from reportgen.large import sending, sharding, spreading
from reportgen.large.cluster import cluster
from reportgen.metrics import planted_trial, pseudo_tables
from reportgen.metrics.null_range import null_ranges
from reportgen.metrics.permutation import z_scores
from reportgen.metrics.planted_trial import Trial
from reportgen.metrics.smallest_leak import smallest_leak
from reportgen.persons import Persons
from reportgen.read.partition import ColumnSchema, Partition, Source, Table
from reportgen.settings import Settings
from reportgen.space import axes
from reportgen.space.famd import encode
from reportgen.space.planting import plant
from reportgen.space.pool import Pool
from reportgen.spread import Labels, Load, spread_by

ROWS = 120


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Whatever can be sent is, in many blocks."""
    monkeypatch.setattr(spreading, "_LEAST", 0)
    monkeypatch.setattr(spreading, "_BYTE", 0)
    monkeypatch.setattr(spreading, "_TASK", 0)
    monkeypatch.setattr(persons, "BLOCK", 6 * 2 * ROWS)
    monkeypatch.setattr(planted_trial, "_CELLS", 6 * 2 * ROWS * 3)
    monkeypatch.setattr(pseudo_tables, "_CELLS", 10 * 2 * ROWS)
    monkeypatch.setattr(axes, "_BLOCK", 400)


def partition(*, people=False):
    """Three tables of numbers with missing ones, times and categories; some rows occur twice, or belong together."""
    random = np.random.default_rng(3)

    def table(side):
        frame = pd.DataFrame(random.normal(size=(ROWS, 4)), columns=list("abcd"))
        frame["b"] = frame["b"].round(1).mask(random.random(ROWS) < 0.1)
        frame["t"] = pd.to_datetime(random.integers(0, 10**9, ROWS), unit="s", utc=True).as_unit("us")
        frame["w"] = pd.Series(random.choice(list("xyz"), ROWS), dtype=object)
        frame.iloc[:20] = frame.iloc[20:40].to_numpy()
        return Table(Source(side, None), frame.astype({"a": float, "c": float, "d": float, "b": float}))

    kinds = {"t": "datetime", "w": "categorical"}
    original, synthetic, holdout = map(table, ("original", "synthetic", "holdout"))
    names = original.frame.columns
    whose = Persons(np.arange(2 * ROWS) // 2, np.arange(2 * ROWS) < ROWS) if people else None
    columns = tuple(ColumnSchema(name, kinds.get(name, "numeric")) for name in names)
    return Partition(columns=columns, original=original, synthetic=synthetic, holdout=holdout, persons=whose)


def tables_found(*, people=False):
    pool = Pool(encode(partition(people=people), Settings()))
    return pool, pool.synthetic(pool.encoded.synthetic, np.random.default_rng(0))


def leak_test(*, people=False):
    pool, _ = tables_found(people=people)
    weights = np.random.default_rng(1).random((len(pool.real.occurrences), 5))
    return [z_scores(pool.real, weights, 999, np.random.default_rng(2))]


def leak_test_of_persons():
    return leak_test(people=True)


def draws_of_the_smallest_leak(*, people=False):
    pool, synthetic = tables_found(people=people)
    random = np.random.default_rng(4)
    found = smallest_leak(pool.real, synthetic, plant(pool, random), random, draws=40, permutations=99)
    assert len(found.curve) > 1
    return [np.array([found.rows or 0.0, *(number for at in found.curve for number in (at.rows, at.power, at.draws))])]


def draws_with_persons():
    return draws_of_the_smallest_leak(people=True)


def splits():
    """Lists that are too short for most splits, so that workers look for longer ones."""
    pool, _ = tables_found()
    looked: list[int] = []
    ranges = null_ranges(pool.row_lists(4), ROWS, Settings(), np.random.default_rng(5), looked=looked.append)
    assert len(ranges) > 5
    assert looked[0] > 0
    return [np.array([(found.low, found.high) for found in ranges.values()]), np.array(looked)]


def columns_encoded():
    space = encode(partition(), Settings())
    return [space.coordinates, space.layout.codes, space.layout.steps, space.layout.inertia]


def leading_components():
    space = encode(partition(), Settings(components=3))
    return [space.coordinates, space.layout.steps, np.array(space.inertia)]


WORK = {
    leak_test: 20,
    leak_test_of_persons: 5,
    draws_of_the_smallest_leak: 10,
    draws_with_persons: 10,
    splits: 10,
    columns_encoded: 5,
    leading_components: 5 + 2 * 5,
}
"""What is spread, and how many tasks it is at least."""


def same(found, expected):
    return all(one.tobytes() == other.tobytes() for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_two_workers_find_the_bytes_of_one_process(two, work):
    alone, given, told = work(), two.tasks, []
    with spread_by(two.spread, lambda *numbers: told.append(numbers)):
        assert same(work(), alone)
    assert two.tasks - given >= WORK[work]
    kind = "projection" if work in {columns_encoded, leading_components} else "permutations"
    assert kind in {one[0] for one in told}
    assert all(0 < done <= total for _, done, total in told)


@pytest.mark.parametrize("work", [leak_test, draws_of_the_smallest_leak, splits, leading_components])
def test_a_worker_that_is_killed_in_the_middle_costs_no_byte(work):
    alone, victims = work(), []
    kinds = {"projection"} if work is leading_components else {"permutations"}
    with cluster(None, 2) as found:

        def kill(kind, done, _total):
            if kind in kinds and done == 2 and not victims:
                victims.append(min(found.sender._client.run(os.getpid).values()))
                os.kill(victims[0], signal.SIGKILL)

        with spread_by(found.spread, kill):
            assert same(work(), alone)
        assert victims


def test_answers_come_in_order_and_few_blocks_are_under_way(two):
    taken = []

    def blocks():
        for number in range(60):
            taken.append(number)
            yield (number,)

    with two.spread(Load("permutations", 1e12, 0)) as each:
        for place, answer in enumerate(each(operator.add, blocks(), 10, number=60)):
            assert answer == place + 10
            assert len(taken) <= place + 1 + spreading._AHEAD * two.sender.workers()
    assert len(taken) == 60


def test_blocks_that_nobody_waits_for_are_forgotten(two):
    with two.spread(Load("permutations", 1e12, 0)) as each:
        for start in (0, 1000):
            answers = each(operator.add, ((number,) for number in itertools.count(start)), 10)
            assert list(itertools.islice(answers, 4)) == [start + 10 + number for number in range(4)]
            answers.close()
            assert [name[0] for name in each._contents] == ["shared"]
            assert [name[0] for name in each._parts._sent] == ["shared"]
    assert not each._parts._sent


def test_blocks_of_a_sequence_are_sent_once_for_several_functions(two, monkeypatch):
    sent, scatter = [], two.sender._client.scatter
    monkeypatch.setattr(
        two.sender._client, "scatter", lambda part, **how: sent.append(part.content) or scatter(part, **how)
    )
    blocks = [(number,) for number in range(5)]
    with two.spread(Load("projection", 1e12, 0)) as each:
        assert list(each(operator.add, blocks, 7)) == [7, 8, 9, 10, 11]
        assert list(each(operator.mul, blocks, 7)) == [0, 7, 14, 21, 28]
    assert sorted(sent, key=str) == sorted([*blocks, 7], key=str)


def test_what_is_sooner_done_here_is_not_sent(two, monkeypatch):
    monkeypatch.setattr(spreading, "_LEAST", 1e9)
    monkeypatch.setattr(spreading, "_BYTE", 8)
    monkeypatch.setattr(spreading, "_TASK", 1e7)
    for load, away in (
        (Load("permutations", 0.9e9, 0), False),
        (Load("permutations", 2e9, 1e8), True),  # 1 s is saved by the second worker, 0.8 s are spent on sending
        (Load("permutations", 2e9, 2e8), False),
        (Load("permutations", 2e9, 1e8, 50), False),
    ):
        with two.spread(load) as each:
            assert (each is not spread.here) == away


def test_a_worker_with_other_arithmetic_answers_nothing(two, monkeypatch):
    alone, given = leak_test(), two.tasks
    monkeypatch.setattr(spreading, "arithmetic", lambda: "that of another processor")  # here, not on the workers
    with spread_by(two.spread):
        assert same(leak_test(), alone)
    assert two.tasks - given >= WORK[leak_test]


def test_a_fault_on_a_worker_is_one_line_without_its_text(two):
    with two.spread(Load("permutations", 1e12, 0)) as each, pytest.raises(reportgen.EnvironmentLacking) as caught:
        list(each(operator.getitem, [("Maria",), ("Maria",)], {}))
    assert "KeyError" in str(caught.value)
    assert "Maria" not in str(caught.value)
    assert "Maria" not in repr(two.sender._client.get_worker_logs())


def test_workers_that_are_gone_end_the_run_and_not_one_metric(monkeypatch):
    def gone(_load):
        raise reportgen.EnvironmentLacking("workers: none is left")

    random = np.random.default_rng(0)
    tables = [pd.DataFrame(random.normal(size=(60, 3)), columns=list("abc")) for _ in range(3)]
    monkeypatch.setattr("reportgen.metrics.permutation.spread", gone)
    with pytest.raises(reportgen.EnvironmentLacking, match="none is left"):
        reportgen.assess(tables[0], tables[1], tables[2], metric=("leak_test",))


def test_progress_that_raises_in_a_metric_ends_the_run(scheduler):
    address, _ = scheduler
    stop = ZeroDivisionError("enough")

    def progress(stage, _done, _total):
        if stage == "permutations, parts":
            raise stop

    random = np.random.default_rng(0)
    tables = [pd.DataFrame(random.normal(size=(60, 3)), columns=list("abc")) for _ in range(3)]
    with pytest.raises(ZeroDivisionError) as caught:
        reportgen.assess(tables[0], tables[1], tables[2], metric=("leak_test",), scheduler=address, progress=progress)
    assert caught.value is stop


@pytest.mark.parametrize("kind", ["projection", "permutations"])
def test_a_run_that_loses_one_of_two_workers_writes_the_same_json(tmp_path, monkeypatch, scheduler, kind):
    """All three kinds are sent, answers of searches are kept, and a worker is killed in one of the other two."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr(sharding, "_FEWEST_PAIRS", 20_000)
    monkeypatch.setattr(sending, "_PAUSE", 0.5)
    given = [table.frame for table in (partition().original, partition().synthetic, partition().holdout)]
    settings = {"components": 4, "resamples": 100}
    alone = reportgen.assess(*given, **settings)
    address, workers = scheduler
    stages, killed = set(), []

    def watch(stage, done, _total):
        stages.add(stage)
        if stage == f"{kind}, parts" and done == 2 and not killed:
            killed.append(workers[0].kill())

    together = reportgen.assess(*given, **settings, scheduler=address, checkpoint=tmp_path / "kept", progress=watch)
    assert killed
    assert {f"{one}, parts" for one in ("search", "projection", "permutations")} <= stages
    assert together.to_json() == alone.to_json()
    assert not (tmp_path / "kept").exists()


def test_what_travels_is_what_arrives():
    labels = Labels(np.random.default_rng(0).integers(0, 2, (70, 1010)).astype(np.uint8))
    content = pickle.dumps(labels)
    assert len(content) < 70 * 1010 // 7
    np.testing.assert_array_equal(pickle.loads(content).values, labels.values)  # noqa: S301 -- its own
    pool, synthetic = tables_found()
    random = np.random.default_rng(6)
    trial = Trial(pool.real, synthetic, plant(pool, random), random, 99)
    chosen = np.stack([random.permutation(np.flatnonzero(trial.member[truth]))[:9] for truth in range(6)])
    searched = random.random(chosen.shape) < 0.7
    arrived = pickle.loads(pickle.dumps(trial))  # noqa: S301 -- its own
    assert arrived.z_scores(chosen, searched).tobytes() == trial.z_scores(chosen, searched).tobytes()
    longer = pool.row_lists(4).longer
    rows = np.array([0, 5, ROWS, 2 * ROWS - 1])
    assert same(pickle.loads(pickle.dumps(longer))(rows, 30), longer(rows, 30))  # noqa: S301 -- its own
