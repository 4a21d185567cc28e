"""Whole assessments of large tables held on disk: seconds, the peak of memory, temporary files, the same bytes.

    python tests/benchmarks/on_disk.py --rows 1000000 --others 50000 --max-queries 2000
    python tests/benchmarks/on_disk.py --rows 200000 --others 10000 --max-queries 500 --in-memory

The original is a folder of Parquet parts of numbers that know nothing of each other; synthetic table and holdout have
`--others` rows each. Every assessment is made by a process of its own, so that the peak is that of one run. It is
`ru_maxrss`, which counts pages of the temporary files as well while they are looked at: the system takes these back
when others need the memory.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from large import GROUP, PART, drawn
from search import machine

from reportgen import model, runner
from reportgen.read import shelf
from reportgen.settings import make_settings


def write_tables(folder: Path, rows: int, others: int, columns: int) -> None:
    """Write original, synthetic and holdout; one synthetic row in a thousand is a copy."""
    names = [f"c{place}" for place in range(columns)]

    def table(values: np.ndarray) -> pa.Table:
        return pa.table(list(values.T), names=names)

    (folder / "original").mkdir()
    first = np.zeros((0, columns))
    for number, start in enumerate(range(0, rows, PART)):
        part = drawn(np.random.default_rng([1, number]), min(PART, rows - start), columns, "normal")
        first = part if number == 0 else first
        path = folder / "original" / f"part-{number:04}.parquet"
        pa.parquet.write_table(table(part), path, row_group_size=GROUP)
    synthetic = drawn(np.random.default_rng(2), others, columns, "normal")
    synthetic[::1000] = first[: len(synthetic[::1000])]
    pa.parquet.write_table(table(synthetic), folder / "synthetic.parquet")
    pa.parquet.write_table(
        table(drawn(np.random.default_rng(3), others, columns, "normal")), folder / "holdout.parquet"
    )


def assess(folder: Path, most: int, threads: int, *, on_disk: bool) -> dict[str, object]:
    """Make one assessment here; what it took, and the digest of its result."""
    taken: list[int] = []
    plain = shelf.Shelf._reserve

    def counted(self: shelf.Shelf, size: int) -> int:
        taken.append(size)
        return plain(self, size)

    shelf.Shelf._reserve = counted  # type: ignore[method-assign]
    paths = (str(folder / name) for name in ("original", "synthetic.parquet", "holdout.parquet"))
    context = runner.Run("2026-01-01T00:00:00Z", "assess", "0", {}, threads=threads, on_disk=on_disk)
    clock, processor = time.perf_counter(), time.process_time()
    made = runner.run(*paths, make_settings({"max_queries": most}), context)
    return {
        "CPU s": round(time.process_time() - processor),
        "wall s": round(time.perf_counter() - clock),
        "peak MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
        "disk MB": round(sum(taken) / 1e6),
        "digest": hashlib.sha256(model.to_json(made).encode()).hexdigest(),
    }


def main() -> None:
    """Print a line of a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000, help="original rows")
    parser.add_argument("--others", type=int, default=10_000, help="synthetic rows, and holdout rows")
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--max-queries", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--in-memory", action="store_true", help="in memory as well, and compare the bytes")
    parser.add_argument("--one", choices=("write", "True", "False"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="where the tables are, or are to be written [default: temporary]")
    given = parser.parse_args()
    if given.one == "write":
        write_tables(given.folder, given.rows, given.others, given.columns)
        return
    if given.one:
        print(json.dumps(assess(given.folder, given.max_queries, given.jobs, on_disk=given.one == "True")))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True)

        def alone(what: str) -> str:
            words = [word for word in sys.argv[1:] if word != "--in-memory"]
            command = [sys.executable, __file__, *words, "--folder", str(folder), "--one", what]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        if not (folder / "holdout.parquet").exists():
            alone("write")
        found = json.loads(alone("True"))
        other = json.loads(alone("False")) if given.in_memory else None
    digest = found.pop("digest")
    cells = {
        "original": f"{given.rows:,}",
        "synthetic, holdout": f"{given.others:,}",
        "columns": given.columns,
        "max. queries": f"{given.max_queries:,}",
        "jobs": given.jobs,
        **{name: f"{value:,}" for name, value in found.items()},
        "in memory: CPU s": "not asked" if other is None else other["CPU s"],
        "peak MB in memory": "not asked" if other is None else f"{other['peak MB']:,}",
        "same bytes": "not asked" if other is None else "yes" if other["digest"] == digest else "NO",
    }
    print(f"Machine: {machine()}.\n")
    for line in (cells, ["---"] * len(cells), cells.values()):
        print(f"| {' | '.join(map(str, line))} |")


if __name__ == "__main__":
    main()
