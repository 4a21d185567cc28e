"""How the cost of a run's parts grows with rows, columns, categories and components: CPU time of one thread.

    python tests/benchmarks/growth.py search      a pair of rows, by columns, rows of the base and neighbours
    python tests/benchmarks/growth.py tables      a cell: reading, finding identical rows, encoding
    python tests/benchmarks/growth.py axes        a row projected on leading components (--components N)

Tables are normal numbers and categories of ten levels; searching has no copies to find but a tenth of the queries.
The README beside this file works with what these print.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from search import machine

from reportgen.read.groups import identical_rows
from reportgen.runner import read_inputs
from reportgen.settings import Settings
from reportgen.space.axes import leading_axes
from reportgen.space.exact import k_nearest
from reportgen.space.famd import encode

QUERIES = 4096


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def search() -> None:
    """Print what a pair of rows costs."""
    print("| columns | base | k | ns a pair | µs a query |\n|---|---|---|---|---|")
    random = np.random.default_rng(0)
    for columns in (3, 6, 10, 20, 32, 50, 100, 200):
        for size in (100_000, 400_000):
            base, queries = random.normal(size=(size, columns)), random.normal(size=(QUERIES, columns))
            queries[::10] = base[random.integers(0, size, len(queries[::10]))]
            for k in (2, 10):
                took = seconds(lambda base=base, queries=queries, k=k: k_nearest(queries, base, k))
                pair, query = 1e9 * took / size / QUERIES, 1e6 * took / QUERIES
                print(f"| {columns} | {size:,} | {k} | {pair:.2f} | {query:,.0f} |", flush=True)


def table(random: np.random.Generator, rows: int, numbers: int, categories: int) -> pd.DataFrame:
    """Draw a table."""
    frame = pd.DataFrame({f"n{place}": random.normal(size=rows) for place in range(numbers)})
    for place in range(categories):
        frame[f"c{place}"] = random.choice(list("abcdefghij"), rows)
    return frame


def tables() -> None:
    """Print what a cell costs before anything is searched."""
    print("| rows a table | columns | reading, ns a cell | identical rows | encoding |\n|---|---|---|---|---|")
    random, asked = np.random.default_rng(0), Settings()
    for rows, numbers, categories in ((50_000, 20, 0), (200_000, 20, 0), (50_000, 0, 20), (200_000, 0, 20)):
        given = [table(random, rows, numbers, categories) for _ in range(2)]
        cells = 2 * rows * (numbers + categories)
        found = []
        read = seconds(lambda given=given, found=found: found.append(read_inputs(*given, None, asked)))
        same = seconds(lambda found=found: identical_rows(found[0]))
        coded = seconds(lambda found=found: encode(found[0], asked))
        kind = f"{numbers} numbers" if numbers else f"{categories} categories"
        print(
            f"| {rows:,} | {kind} | " + " | ".join(f"{1e9 * part / cells:.0f}" for part in (read, same, coded)) + " |"
        )


def axes() -> None:
    """Print what a row costs to be projected on the leading components."""
    print("| dimensions | components | rows | µs a row |\n|---|---|---|---|")
    random = np.random.default_rng(0)
    for width in (20, 100, 200):
        for number in (5, 20):
            rows = random.normal(size=(50_000, width))
            counts = np.ones(len(rows), dtype=np.int64)
            took = seconds(lambda rows=rows, counts=counts, number=number: leading_axes(rows, counts, number))
            print(f"| {width} | {number} | {len(rows):,} | {1e6 * took / len(rows):.1f} |", flush=True)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("search", "tables", "axes"))
    given = parser.parse_args()
    print(f"Machine: {machine()}.\n")
    {"search": search, "tables": tables, "axes": axes}[given.what]()


if __name__ == "__main__":
    main()
