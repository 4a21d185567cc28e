"""What a search that goes on from a checkpoint takes, beside one that begins anew.

    python tests/benchmarks/resume.py --base 200000 --queries 100000

The same search three times: without a checkpoint, with one until half of its shards are answered, and on from there.
CPU seconds of this process; what is read and hashed for the kept answers counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from search import machine

from reportgen.large.checkpoint import checkpoint
from reportgen.space.exact import k_nearest_here


class Stopped(Exception):  # noqa: N818 -- it is no error
    """Half of the shards are answered."""


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of some work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    """Print a line of a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=int, default=200_000)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    given = parser.parse_args()
    random = np.random.default_rng(1)
    base, queries = (random.normal(size=(rows, given.columns)) for rows in (given.base, given.queries))
    found: list[tuple[np.ndarray, np.ndarray]] = []
    whole = seconds(lambda: found.append(k_nearest_here(queries, base, 2)))
    asked: list[int] = []

    def search(rows: np.ndarray, *rest: object) -> tuple[np.ndarray, np.ndarray]:
        if sum(asked) >= given.queries / 2 and not going_on:
            raise Stopped
        asked.append(len(rows))
        return k_nearest_here(rows, *rest)  # type: ignore[arg-type]

    with tempfile.TemporaryDirectory() as temporary:
        folder, going_on = Path(temporary) / "kept", False

        def run() -> None:
            with checkpoint(folder, search) as kept:
                try:
                    found.append(kept.search(queries, base, 2, 1))
                except Stopped:
                    return
                kept.remove()

        stopped, before = seconds(run), sum(asked)
        asked.clear()
        going_on = True
        resumed = seconds(run)
    if any(one.tobytes() != other.tobytes() for one, other in zip(*found, strict=True)):
        sys.exit("the answers differ")
    if before + sum(asked) != given.queries:
        sys.exit("a row was searched twice")
    cells = {
        "base": f"{given.base:,}",
        "queries": f"{given.queries:,}",
        "columns": given.columns,
        "whole, CPU s": f"{whole:.1f}",
        "until it was stopped": f"{stopped:.1f}",
        "searched by then": f"{before:,}",
        "going on": f"{resumed:.1f}",
        "searched then": f"{sum(asked):,}",
        "bytes as whole": "yes",
    }
    print(f"Machine: {machine()}.\n")
    for line in (cells, ["---"] * len(cells), cells.values()):
        print(f"| {' | '.join(map(str, line))} |")


if __name__ == "__main__":
    main()
