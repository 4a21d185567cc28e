"""CPU and memory of the main job: read, measure, judge, and write JSON, HTML and PDF of census2k.

    python tests/benchmarks/report.py ../shared/data/census2k
    python tests/benchmarks/report.py FOLDER --runs 5 --peers-python PEERS/bin/python

FOLDER holds census2k-trn, -hol, -syn_mostly and -syn_flip30 (.csv.gz). Every run is a process of its own, started as a
user starts it. CPU is user + system time of the process and all its children, the best of the runs, since the rest of
the machine only ever adds to it; peak memory is the largest resident set of a single process, the highest of the runs.
`--help` is measured the same way, and its import list read from `python -X importtime`.

With `--peers-python`, a Python in which `pip install mostlyai-qa` was run, mostlyai-qa's HTML report of the same tables
is measured in the same run, turn about with reportgen's, so that whatever else the machine does meets all of them
alike. What counts is the quotient; report.md keeps what was found. All run with OMP_NUM_THREADS=1: threads of
scikit-learn that wait for each other on a busy machine would count as CPU, four times what the work takes.

Wanted: JSON + HTML + PDF in at most half of that report's CPU (aim: a third), JSON alone in at most a third (aim: a
sixth); under 10 s CPU and 500 MB with all three outputs; `--help` well under half a second with nothing heavy loaded.
A benchmark, no test: it passes no judgement and is not collected by pytest. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import reportgen

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
PEER = "mostlyai-qa, html"
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
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    with process:
        errors = process.stderr.read() if process.stderr else b""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode not in {0, 1}:
        message = f"exit code {process.returncode}: {' '.join(command)}\n{errors.decode(errors='replace')}"
        raise SystemExit(message)
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * UNIT_OF_MAXRSS)


def best_of_each(commands: dict[str, list[str]], runs: int) -> dict[str, Cost]:
    """Run commands in turn, so many times each; least times, highest memory."""
    rounds = [{name: run(command) for name, command in commands.items()} for _ in range(runs)]
    return {name: best([costs[name] for costs in rounds]) for name in commands}


def best(costs: list[Cost]) -> Cost:
    """Take the least times and the highest memory."""
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs), max(cost.peak for cost in costs))


def heavy_modules_of_help() -> list[str]:
    """Return which heavy libraries `reportgen --help` imports."""
    command = [sys.executable, "-X", "importtime", "-m", "reportgen", "--help"]
    trace = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    imported = {line.rpartition("|")[2].strip() for line in trace.splitlines() if line.startswith("import time:")}
    return [name for name in HEAVY if name in imported]


def commands(arguments: argparse.Namespace, name: str, place: Path) -> dict[str, list[str]]:
    """Return what is to be run for one synthetic table, by what it makes."""
    original, synthetic, holdout = (str(arguments.folder / f"census2k-{part}.csv.gz") for part in ("trn", name, "hol"))
    assess = [sys.executable, "-m", "reportgen", "assess", original, synthetic, "--holdout", holdout]
    made = {}
    for suffixes in (("json",), ("json", "html", "pdf")):
        outputs = [word for suffix in suffixes for word in ("-o", str(place / f"report.{suffix}"))]
        made[" + ".join(suffixes)] = [*assess, *outputs]
    if arguments.peers_python:
        script = str(Path(__file__).with_name("by_mostlyai_qa.py"))
        made[PEER] = [arguments.peers_python, script, original, synthetic, holdout, str(place / "peer.html")]
    return made


def print_row(name: str, cost: Cost, peer: Cost | None) -> None:
    """Print one line of the table."""
    part = "" if peer is None else f"{100 * cost.cpu / peer.cpu:.0f} %"
    print(f"| {name} | {cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak / MEGABYTE:.0f} | {part} |", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU and memory of the main job on census2k.")
    parser.add_argument("folder", type=Path, help="folder of the four census2k files")
    parser.add_argument("--runs", type=int, default=3, help="processes for each line (default 3)")
    parser.add_argument("--peers-python", metavar="PYTHON", help="a Python with mostlyai-qa, to be measured as well")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be at least 1")
    compileall.compile_dir(Path(reportgen.__file__).parent, quiet=2)  # as pip does when it installs

    print(f"Best of {arguments.runs}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start\n")
    print("| run | wall, s | CPU, s | peak memory, MB | of mostlyai-qa's CPU |")
    print("|---|---:|---:|---:|---:|")
    program = [sys.executable, "-m", "reportgen"]
    print_row("`reportgen --help`", best_of_each({"help": [*program, "--help"]}, arguments.runs)["help"], None)
    for name in ("syn_mostly", "syn_flip30"):
        with tempfile.TemporaryDirectory() as place:
            costs = best_of_each(commands(arguments, name, Path(place)), arguments.runs)
        for made, cost in costs.items():
            print_row(f"{name}: {made}", cost, costs.get(PEER))
    heavy = heavy_modules_of_help()
    print(f"\nHeavy modules loaded by `--help`: {', '.join(heavy) or 'none'}")


if __name__ == "__main__":
    main()
