"""CPU and memory of the main job: read, measure, judge, and write JSON, HTML and PDF of census2k.

    python tests/benchmarks/report.py ../shared/data/census2k
    python tests/benchmarks/report.py FOLDER --runs 5

FOLDER holds census2k-trn, -hol, -syn_mostly and -syn_flip30 (.csv.gz). Every run is a process of its own, started as a
user starts it. CPU is user + system time of the process and all its children, the best of the runs, since the rest of
the machine only ever adds to it; peak memory is the largest resident set of a single process, the highest of the runs.
`--help` is measured the same way, and its import list read from `python -X importtime`.

Wanted: under 10 s CPU and 500 MB with all three outputs; `--help` well under half a second with nothing heavy loaded.
A benchmark, no test: it passes no judgement and is not collected by pytest. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HEAVY = (
    "dask",
    "faiss",
    "jinja2",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scipy",
    "weasyprint",
)
MEGABYTE = 1e6
UNIT_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024
"""getrusage counts bytes on macOS, KiB on Linux."""


@dataclass(frozen=True)
class Cost:
    """What one process took: seconds on the wall, seconds of CPU (user + system), bytes of memory at the peak."""

    wall: float
    cpu: float
    peak: int


def run(command: list[str]) -> Cost:
    """Run a command to its end; raise if it fails otherwise than by the gate (exit code 1)."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with process:
        errors = process.stderr.read() if process.stderr else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode not in {0, 1}:
        message = f"exit code {process.returncode}: {' '.join(command)}\n{errors.decode(errors='replace')}"
        raise SystemExit(message)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * UNIT_OF_MAXRSS)


def best_of(command: list[str], runs: int) -> Cost:
    """Run a command so many times; least times, highest memory."""
    costs = [run(command) for _ in range(runs)]
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs), max(cost.peak for cost in costs))


def heavy_modules_of_help() -> list[str]:
    """Return which heavy libraries `reportgen --help` imports."""
    command = [sys.executable, "-X", "importtime", "-m", "reportgen", "--help"]
    trace = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    imported = {line.rpartition("|")[2].strip() for line in trace.splitlines() if line.startswith("import time:")}
    return [name for name in HEAVY if name in imported]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU and memory of the main job on census2k.")
    parser.add_argument("folder", type=Path, help="folder of the four census2k files")
    parser.add_argument("--runs", type=int, default=3, help="processes for each line (default 3)")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")

    def table(name: str) -> str:
        return str(arguments.folder / f"census2k-{name}.csv.gz")

    program = [sys.executable, "-m", "reportgen"]
    rows = [("`reportgen --help`", best_of([*program, "--help"], arguments.runs))]
    for name in ("syn_mostly", "syn_flip30"):
        for suffixes in (("json",), ("json", "html", "pdf")):
            with tempfile.TemporaryDirectory() as place:
                outputs = [word for suffix in suffixes for word in ("-o", str(Path(place) / f"report.{suffix}"))]
                command = [*program, "assess", table("trn"), table(name), "--holdout", table("hol"), *outputs]
                rows.append((f"{name}: {' + '.join(suffixes)}", best_of(command, arguments.runs)))

    print(f"Best of {arguments.runs}, {os.cpu_count()} cores\n")
    print("| run | wall, s | CPU, s | peak memory, MB |")
    print("|---|---:|---:|---:|")
    for name, cost in rows:
        print(f"| {name} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak / MEGABYTE:.0f} |")
    heavy = heavy_modules_of_help()
    print(f"\nHeavy modules loaded by `--help`: {', '.join(heavy) or 'none'}")


if __name__ == "__main__":
    main()
