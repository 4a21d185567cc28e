"""CPU and memory of the PDF and the HTML of a long report: 40 pages with 20 figures.

    python tests/benchmarks/paper.py
    python tests/benchmarks/paper.py --runs 5

The report is that of 12 leads of made-up signals with copies: 7 figures and one for each lead. Every run is a process
of its own, which reads the result from its file and writes one format. CPU is user + system time of the process, the
best of the runs; memory is its largest resident set, the highest of the runs.

Wanted: a PDF of 40 pages with 20 figures in under 6 s CPU and 300 MB. A benchmark, no test: it passes no judgement and
is not collected by pytest. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pikepdf

import reportgen

MEGABYTE = 1e6
UNIT_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024
"""getrusage counts bytes on macOS, KiB on Linux."""


def signals(seed: int, leads: int = 12, records: int = 300, samples: int = 60) -> np.ndarray:
    """Return waves with noise, of shape (records, leads, samples)."""
    generator = np.random.default_rng(seed)
    shape = (records, leads, 1)
    waves = np.sin(np.arange(samples) * generator.uniform(0.1, 0.3, shape)) * generator.uniform(0.5, 2, shape)
    return (waves + generator.normal(0, 0.1, waves.shape)).astype(np.float32)


def cost(command: list[str], runs: int) -> tuple[float, float]:
    """Return the least CPU seconds and the highest memory in MB over the runs of a command that must succeed."""
    seconds, peaks = [], []
    for _ in range(runs):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if process.returncode or os.waitstatus_to_exitcode(status):
            raise SystemExit(f"failed: {' '.join(command)}")
        process.returncode = 0
        seconds.append(used.ru_utime + used.ru_stime)
        peaks.append(used.ru_maxrss * UNIT_OF_MAXRSS / MEGABYTE)
    return min(seconds), max(peaks)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="CPU and memory of a report of 40 pages with 20 figures.")
    parser.add_argument("--runs", type=int, default=3, help="processes for each format (default 3)")
    runs = max(1, parser.parse_args().runs)
    with tempfile.TemporaryDirectory() as place:
        result = Path(place) / "result.json"
        original, synthetic, holdout = (signals(seed) for seed in range(3))
        synthetic[:100] = original[:100]
        reportgen.assess(original, synthetic, holdout).write(result)
        print("| format | CPU, s | peak memory, MB | size, MB | pages | figures |")
        print("|---|---:|---:|---:|---:|---:|")
        figures = 0
        for suffix in ("html", "pdf"):
            made = result.with_suffix(f".{suffix}")
            cpu, peak = cost([sys.executable, "-m", "reportgen", "render", str(result), "-o", str(made)], runs)
            content = made.read_bytes()
            figures = figures or content.count(b'<figure class="figure">')  # PDF shows those of HTML
            pages = _pages(made) if suffix == "pdf" else "–"
            print(f"| {suffix} | {cpu:.2f} | {peak:.0f} | {len(content) / MEGABYTE:.2f} | {pages} | {figures} |")


def _pages(pdf: Path) -> int:
    with pikepdf.open(pdf) as document:
        return len(document.pages)


if __name__ == "__main__":
    main()
