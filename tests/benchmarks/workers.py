"""What workers save of projection and permutations, and where sending costs more than it saves.

    python tests/benchmarks/workers.py --rows 200000 --columns 20 --workers 2 [--only columns]

Each kind of work in this process and then on so many worker processes of this machine, whether or not a run would send
it there: CPU seconds of one process alone, then of the one that sends and of the busiest worker, and whether the bytes
are the same. On idle cores the clock shows at least the larger of the last two and at most their sum. Half of the rows
are original, half holdout, a tenth as many synthetic ones. Neighbours of rows are made up, so that nothing is searched.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from search import machine

from reportgen.distances import AlmostEqual, DroppedSearch, PlantedRows, RealLists, RealRows, SyntheticRows
from reportgen.large import spreading
from reportgen.large.cluster import Cluster, cluster
from reportgen.metrics.null_range import null_ranges
from reportgen.metrics.permutation import z_scores
from reportgen.metrics.smallest_leak import smallest_leak
from reportgen.read.partition import ColumnSchema, Partition, Source, Table
from reportgen.settings import Settings
from reportgen.space.axes import leading_axes
from reportgen.space.famd import encode
from reportgen.spread import Load, spread_by

NEIGHBOURS, LISTED = 10, 50
COMPONENTS = 5
Work = Callable[[], list[np.ndarray]]


class Made:
    """Tables, and what searches might have found in them."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.random = np.random.default_rng(1)
        self.synthetic = rows // 10
        self.numbers = self.random.normal(size=(rows + self.synthetic, columns))

    def neighbours(self, rows: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and positions of so many neighbours of so many rows."""
        distances = np.sort(self.random.gamma(20, 0.2, size=(rows, k)), axis=1)
        return distances, self.random.integers(0, self.rows, size=(rows, k))

    def real(self) -> RealRows:
        """The real rows, half of them original."""
        originals = (np.arange(self.rows) % 2).astype(np.int64)
        return RealRows(np.ones(self.rows, dtype=np.int64), originals, self.neighbours(self.rows, NEIGHBOURS)[0])

    def pointing(self, rows: int, copied: np.ndarray | None = None) -> SyntheticRows:
        """Synthetic rows that point at real rows; near copies of some of them, (rows,), point at these."""
        distances, real = self.neighbours(rows, NEIGHBOURS)
        if copied is not None:
            distances[:, 0], real[:, 0], real[:, 1] = 0.1, copied, copied
        entries = np.arange(rows)
        dropped = DroppedSearch(
            np.ones(rows, dtype=np.int64), self.random.random(rows), entries, real[:, 1].copy(), np.ones(rows)
        )
        equal = AlmostEqual(entries[:50], real[:50, 0].copy(), np.full(50, 2))
        return SyntheticRows(np.ones(rows, dtype=np.int64), distances, real, dropped, equal)

    def encoded(self) -> list[np.ndarray]:
        """Encode the tables."""
        names = [f"n{place}" for place in range(self.columns)]
        half = self.rows // 2
        frames = [
            pd.DataFrame(part, columns=names)
            for part in (self.numbers[:half], self.numbers[self.rows :], self.numbers[half : self.rows])
        ]
        original, synthetic, holdout = (Table(Source("table", None), frame) for frame in frames)
        columns = tuple(ColumnSchema(name, "numeric") for name in names)
        partition = Partition(columns=columns, original=original, synthetic=synthetic, holdout=holdout)
        space = encode(partition, Settings())
        return [space.coordinates, space.layout.codes]

    def projected(self) -> list[np.ndarray]:
        """Project them on some components."""
        counts = (np.arange(len(self.numbers)) < self.rows).astype(np.int64)
        return list(leading_axes(self.numbers, counts, min(COMPONENTS, self.columns))[:2])


def works(made: Made) -> dict[str, Work]:
    """Every kind of work by its name."""
    copied = made.random.permutation(made.rows)[: 3 * made.synthetic]
    real, synthetic = made.real(), made.pointing(made.synthetic)
    planted = PlantedRows(copied, made.pointing(len(copied), copied))
    weights = made.random.random((made.rows, 11))
    distances, ids = made.neighbours(made.rows, LISTED)
    lists = RealLists(distances, ids, made.rows // 2, lambda rows, k: made.neighbours(len(rows), k))

    def draws() -> list[np.ndarray]:
        found = smallest_leak(real, synthetic, planted, np.random.default_rng(3))
        return [np.array([(at.rows, at.power, at.draws) for at in found.curve])]

    def splits() -> list[np.ndarray]:
        ranges = null_ranges(lists, made.rows // 2, Settings(), np.random.default_rng(4))
        return [np.array([(one.low, one.high) for one in ranges.values()])]

    return {
        "columns": made.encoded,
        f"{COMPONENTS} components": made.projected,
        "leak test": lambda: [z_scores(real, weights, 999, np.random.default_rng(2))],
        "smallest leak": draws,
        "null ranges": splits,
    }


def timed(work: Work) -> tuple[list[np.ndarray], float]:
    """What work finds, and its CPU seconds in this process."""
    begun = time.process_time()
    found = work()
    return found, time.process_time() - begun


def line(name: str, work: Work, workers: Cluster, asked: list[Load]) -> str:
    """Measure one kind of work."""
    client = workers.sender._client
    alone, took = timed(work)
    before = client.run(time.process_time)
    with spread_by(workers.spread):
        together, here = timed(work)
    after = client.run(time.process_time)
    busiest = max(after[worker] - before[worker] for worker in after)
    same = all(one.tobytes() == other.tobytes() for one, other in zip(alone, together, strict=True))
    saved = asked[-1].nanoseconds * (1 - 1 / workers.sender.workers())
    sent = asked[-1].nanoseconds >= LEAST and saved >= BYTE * asked[-1].travelling + TASK * asked[-1].tasks
    shown = " | ".join(f"{number:.1f}" for number in (took, here, busiest))
    return f"| {name} | {shown} | {'yes' if same else 'NO'} | {'yes' if sent else 'no'} |"


LEAST, BYTE, TASK = spreading._LEAST, spreading._BYTE, spreading._TASK


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print(f"{given.rows:,} real rows of {given.columns} numbers, {given.workers} workers; {machine()}\n")
    print("| work | alone, CPU s | sending, CPU s | busiest worker, CPU s | same bytes | sent in a run |")
    print("|---|---|---|---|---|---|")
    spreading._LEAST = spreading._BYTE = spreading._TASK = 0
    with cluster(None, given.workers) as workers:
        asked: list[Load] = []
        decide = workers.spread
        workers.spread = lambda load: (asked.append(load), decide(load))[1]  # type: ignore[assignment,func-returns-value]
        for name, work in works(Made(given.rows, given.columns)).items():
            if given.only in name:
                print(line(name, work, workers, asked), flush=True)


if __name__ == "__main__":
    main()
