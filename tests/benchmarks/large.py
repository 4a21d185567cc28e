"""A base that is streamed from Parquet: seconds, what a pair costs, and the peak of memory.

    python tests/benchmarks/large.py --base 5000000 --queries 50000 --jobs 1     T7: at most 1.0 GB
    python tests/benchmarks/large.py --base 1000000 --queries 1000000 --jobs 2   T8: at most 10 minutes on 2 idle cores
    python tests/benchmarks/large.py --base 300000 --queries 20000 --in-memory   the same bytes as in memory
    python tests/benchmarks/large.py --base 1000000 --queries 20000 --kind categories

The tables are written first, part by part, by another process, so that the peak is that of reading and searching. A
tenth of the queries are copies of base rows; they must be found at distance 0, and `--checked` random queries must have
the distances that float64 gives them when the base is streamed once more and every row compared. Which way is taken
goes by the number of columns, as everywhere: a k-d tree up to 6, shards up to 32, all pairs beyond.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from search import machine

from reportgen import count_identical, nearest_two
from reportgen.read.stream import number_stream

PART, GROUP = 500_000, 100_000
COPIED = 10
"""One query in so many is a copy of a base row."""


def drawn(random: np.random.Generator, rows: int, columns: int, kind: str) -> np.ndarray:
    """Numbers that know nothing of each other, or lie along five directions, or are indicators of categories."""
    if kind == "correlated":
        mixed = random.normal(size=(rows, 5)) @ np.random.default_rng(0).normal(size=(5, columns))
        return mixed + 0.3 * random.normal(size=(rows, columns))
    if kind == "categories":
        return random.integers(0, 4, size=(rows, columns)).astype(np.float64)
    return random.normal(size=(rows, columns))


def write_tables(folder: Path, base: int, queries: int, columns: int, kind: str) -> None:
    """Write a folder of parts, and the queries, some of which are rows of its first part."""
    names = [f"c{place}" for place in range(columns)]
    (folder / "base").mkdir()
    first = np.zeros((0, columns))
    for number, start in enumerate(range(0, base, PART)):
        rows = drawn(np.random.default_rng([1, number]), min(PART, base - start), columns, kind)
        first = rows if number == 0 else first
        table = pa.table(list(rows.T), names=names)
        pa.parquet.write_table(table, folder / "base" / f"part-{number:04}.parquet", row_group_size=GROUP)
    random = np.random.default_rng(2)
    rows = drawn(random, queries, columns, kind)
    rows[::COPIED] = first[random.integers(0, len(first), len(rows[::COPIED]))]
    pa.parquet.write_table(pa.table(list(rows.T), names=names), folder / "queries.parquet")


def wrong_of(rows: np.ndarray, found: np.ndarray, folder: Path) -> int:
    """Count the queries whose two distances are not those of all pairs in float64, within 1e-12 relative."""
    best = np.full((len(rows), 2), np.inf)
    for block in number_stream(folder, "base").blocks(20_000):
        squared = np.zeros((len(rows), len(block)))
        for column in range(rows.shape[1]):
            squared += np.subtract.outer(rows[:, column], block[:, column]) ** 2
        best = np.partition(np.concatenate([best, np.partition(np.sqrt(squared), 1, axis=1)[:, :2]], axis=1), 1)[:, :2]
    return int((~np.isclose(found, np.sort(best, axis=1), rtol=1e-12, atol=0)).any(axis=1).sum())


def peak() -> float:
    """Megabytes of resident memory at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main() -> None:
    """Print a line of a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=int, default=300_000, help="rows of the base")
    parser.add_argument("--queries", type=int, default=20_000, help="rows that look for neighbours")
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--kind", choices=("normal", "correlated", "categories"), default="normal")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--checked", type=int, default=100)
    parser.add_argument("--in-memory", action="store_true", help="search in memory as well, and compare the bytes")
    parser.add_argument("--folder", type=Path, help="where the tables are, or are to be written [default: temporary]")
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    sizes = (given.base, given.queries, given.columns, given.kind)
    if given.write:
        write_tables(given.folder, *sizes)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        if not (folder / "queries.parquet").exists():
            words = [sys.executable, __file__, "--write", "--folder", str(folder)]
            for name, value in zip(("base", "queries", "columns", "kind"), sizes, strict=True):
                words += [f"--{name}", str(value)]
            subprocess.run(words, check=True)
        clock, processor = time.perf_counter(), time.process_time()
        found = nearest_two(folder / "queries.parquet", folder / "base", jobs=given.jobs)
        wall, spent = time.perf_counter() - clock, time.process_time() - processor
        searched = peak()
        queries = np.concatenate(list(number_stream(folder / "queries.parquet", "queries").blocks(1 << 16)))
        clock = time.process_time()
        copies = count_identical(queries, folder / "base")
        hashed = time.process_time() - clock
        counted = peak()
        if (found.first[::COPIED] > 0).any() or ((found.first == 0) != (copies > 0)).any():
            sys.exit("a copy was not found")
        some = np.random.default_rng(3).choice(len(queries), min(given.checked, len(queries)), replace=False)
        both = np.stack([found.first, found.second], axis=1)[some]
        wrong = wrong_of(queries[some], both, folder / "base")
        same = "not asked"
        if given.in_memory:
            base = np.concatenate(list(number_stream(folder / "base", "base").blocks(1 << 16)))
            other = nearest_two(queries, base, jobs=given.jobs)
            names = ("first", "second", "first_id", "second_id")
            equal = all(getattr(found, one).tobytes() == getattr(other, one).tobytes() for one in names)
            same = "yes" if equal else "NO"
    cells = {
        "base": f"{given.base:,}",
        "queries": f"{given.queries:,}",
        "columns": given.columns,
        "kind": given.kind,
        "jobs": given.jobs,
        "CPU s": f"{spent:.0f}",
        "wall s": f"{wall:.0f}",
        "ns a pair": f"{1e9 * spent / given.base / given.queries:.2f}",
        "peak MB": f"{searched:.0f}",
        "copies, CPU s": f"{hashed:.1f}",
        "peak MB with copies": f"{counted:.0f}",
        "wrong": f"{wrong} of {len(some)}",
        "bytes as in memory": same,
    }
    print(f"Machine: {machine()}.\n")
    for line in (cells, ["---"] * len(cells), cells.values()):
        print(f"| {' | '.join(map(str, line))} |")


if __name__ == "__main__":
    main()
