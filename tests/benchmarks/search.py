"""The search for two neighbours beside others on the same rows: CPU seconds of one thread, the best of some.

    python tests/benchmarks/search.py --size 20000 --columns 5 20
    python tests/benchmarks/search.py --size 100000 --columns 20

Half of the queries are copies of base rows; "wrong" counts queries whose two distances are not those of float64 within
1e-12 relative, among 500 queries. Others that aren't installed say so. `--queries` draws the queries down, never the
base; times are those of the queries that were asked.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from threadpoolctl import threadpool_limits

from reportgen import nearest_two

CHECKED = 500
Rows = np.ndarray
Search = Callable[[Rows, Rows], Rows]
"""Two distances of each query, (queries, 2)."""


def own(queries: Rows, base: Rows) -> Rows:
    """Search by reportgen."""
    found = nearest_two(queries, base)
    return np.stack([found.first, found.second], axis=1)


def flat(queries: Rows, base: Rows) -> Rows:
    """Search by FAISS in float32, whose distances are squared."""
    index = faiss.IndexFlatL2(base.shape[1])
    index.add(base.astype(np.float32))
    return np.sqrt(index.search(queries.astype(np.float32), 2)[0].astype(np.float64))


def scipy_tree(queries: Rows, base: Rows) -> Rows:
    """Search by a k-d tree of scipy."""
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(base).query(queries, k=2)[0])


def sklearn_by(algorithm: str) -> Search:
    """Search by scikit-learn."""

    def search(queries: Rows, base: Rows) -> Rows:
        from sklearn.neighbors import NearestNeighbors

        return np.asarray(NearestNeighbors(n_neighbors=2, algorithm=algorithm).fit(base).kneighbors(queries)[0])

    return search


def sdmetrics_dcr(queries: Rows, base: Rows) -> Rows:
    """Search by sdmetrics' distance to the closest record: one distance, of rows scaled by their range."""
    import pandas as pd
    from sdmetrics.single_table.privacy.dcr_utils import calculate_dcr

    names = [f"c{column}" for column in range(base.shape[1])]
    tables = (pd.DataFrame(rows, columns=names) for rows in (queries, base))
    return np.asarray(calculate_dcr(*tables, {"columns": {name: {"sdtype": "numerical"} for name in names}}))


SEARCHES: dict[str, tuple[Search, str, int]] = {
    "reportgen": (own, "numpy", 10**9),
    "IndexFlatL2": (flat, "faiss", 10**9),
    "scipy cKDTree": (scipy_tree, "scipy", 10),
    "scikit-learn brute": (sklearn_by("brute"), "sklearn", 10**9),
    "scikit-learn kd_tree": (sklearn_by("kd_tree"), "sklearn", 10),
}
"""Search, what has to be installed, and up to how many columns it is worth waiting for all queries."""
PATIENCE = 200
"""Queries of a search in more columns: a k-d tree looks at nearly every row then."""
DCR_ROWS = 1000
"""sdmetrics' DCR is measured on so many rows, beside the search of as many: its time is that of every pair."""
FEW, DCR = f"reportgen of {DCR_ROWS:,}", "sdmetrics DCR"


def truth(queries: Rows, base: Rows) -> Rows:
    """Two distances in float64, direct differences."""
    squared = sum((np.subtract.outer(queries[:, at], base[:, at]) ** 2 for at in range(base.shape[1])), np.zeros(1))
    return np.sqrt(np.partition(squared, 1, axis=1)[:, :2])


def measured(searches: dict[str, Search], queries: Rows, base: Rows, repeats: int) -> dict[str, tuple[float, Any]]:
    """Best CPU seconds and the answer of each; the searches take turns, as other work on the machine comes and goes."""
    best: dict[str, tuple[float, Any]] = {}
    for _ in range(repeats):
        for name, search in searches.items():
            begun = time.process_time()
            found = search(queries, base)
            took = time.process_time() - begun
            best[name] = (min(took, best[name][0] if name in best else took), found)
    return best


def machine() -> str:
    """What the numbers were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    said = [f"{sum(line.startswith('processor') for line in lines)} cores, {', '.join(sorted(names))}"]
    said.append(f"Python {platform.python_version()}")
    for package in ("numpy", "scipy", "faiss-cpu", "scikit-learn", "sdmetrics"):
        try:
            said.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            said.append(f"{package} not installed")
    return ", ".join(said)


def main() -> None:
    """Print a line for each search and number of columns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=20_000, help="rows of the base")
    parser.add_argument("--queries", type=int, help="rows that look for neighbours [default: as many]")
    parser.add_argument("--columns", type=int, nargs="+", default=[5, 10, 20, 50, 100])
    parser.add_argument("--distinct", type=int, help="so many different base rows")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    number = given.queries or given.size
    faiss.omp_set_num_threads(1)
    print(f"Machine: {machine()}.\n")
    print(
        "| base | queries | columns | search | CPU s | ns a pair | times reportgen a pair | wrong |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for columns in given.columns:
        random = np.random.default_rng(columns)
        base = random.normal(size=(given.distinct or given.size, columns))
        base = base[random.integers(0, len(base), given.size)] if given.distinct else base
        queries = random.normal(size=(number, columns))
        copied = random.permutation(number)[: number // 2]
        queries[copied] = base[random.integers(0, len(base), len(copied))]
        there = {name: found for name, found in SEARCHES.items() if importlib.util.find_spec(found[1])}
        searches = {name: search for name, (search, _, most) in there.items() if columns <= most}
        few = queries[:DCR_ROWS], base[:DCR_ROWS]
        slow = {name: there[name][0] for name in there if name not in searches}
        asked = dict.fromkeys(searches, number) | dict.fromkeys(slow, PATIENCE) | dict.fromkeys((FEW, DCR), DCR_ROWS)
        with threadpool_limits(1):
            measured(searches, *few, 1)  # loads the libraries
            best = measured(searches, queries, base, given.repeats)
            best |= measured(slow, queries[:PATIENCE], base, given.repeats)
            exact = truth(queries[:CHECKED], base)
            best |= measured({FEW: own}, *few, 20)
            if importlib.util.find_spec("sdmetrics"):
                best |= measured({DCR: sdmetrics_dcr}, *few, given.repeats)
        reference = best["reportgen"][0] / number / given.size
        for name, (took, found) in best.items():
            there_are = DCR_ROWS if name in {FEW, DCR} else given.size
            pair = took / asked[name] / there_are
            wrong = ""
            if there_are == given.size:
                agree = np.isclose(found[:CHECKED], exact[: len(found)], rtol=1e-12, atol=0)
                wrong = f"{(~agree).any(axis=1).sum()} of {len(agree)}"
            beside = f" ({took / best[FEW][0]:,.0f} of {DCR_ROWS:,})" if name == DCR else ""
            line = f"| {there_are:,} | {asked[name]:,} | {columns} | {name} | {took:.3g} | {1e9 * pair:,.3g} |"
            print(f"{line} {pair / reference:,.1f}{beside} | {wrong} |", flush=True)
        for name, (_, needed, _) in SEARCHES.items():
            if name not in there:
                print(f"| | | {columns} | {name} | {needed} is not installed | | | |")
        if DCR not in best:
            print(f"| | | {columns} | {DCR} | sdmetrics is not installed | | | |")


if __name__ == "__main__":
    main()
