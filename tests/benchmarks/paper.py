"""CPU and memory of the PDF and the HTML of a long report: 40 pages with 20 figures.

    python tests/benchmarks/paper.py
    python tests/benchmarks/paper.py --runs 5

The report is that of made-up signals of 14 leads with copies, judged by a policy with a limit for every score and
compared with a baseline: at least 40 pages and 20 figures, or the benchmark ends. Every run is a process of its own,
which reads the result from its file and writes one format, or both. CPU is user + system time of the process and its
children, the best of the runs; memory is its largest resident set, the highest of the runs. paper.md keeps what was
found.

Wanted: a PDF of 40 pages with 20 figures in under 6 s CPU and 300 MB. A benchmark, no test: it passes no judgement and
is not collected by pytest. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pikepdf

import reportgen
from reportgen.score_names import SCORES

PAGES, FIGURES = 40, 20
MEGABYTE = 1e6
UNIT_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024
"""getrusage counts bytes on macOS, KiB on Linux."""


def signals(seed: int, leads: int = 14, records: int = 300, samples: int = 60) -> np.ndarray:
    """Return waves with noise, of shape (records, leads, samples)."""
    generator = np.random.default_rng(seed)
    shape = (records, leads, 1)
    waves = np.sin(np.arange(samples) * generator.uniform(0.1, 0.3, shape)) * generator.uniform(0.5, 2, shape)
    return (waves + generator.normal(0, 0.1, waves.shape)).astype(np.float32)


def policy() -> dict[str, object]:
    """Return a policy with a limit for every score: whether it is met is not the question, its table is long."""
    scores = [f"{metric}.{score}" for metric, scores in SCORES.items() for score in scores]
    return {"limits": {name: {"max": 1e6} for name in scores}}


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
    compileall.compile_dir(Path(reportgen.__file__).parent, quiet=2)  # as pip does when it installs
    with tempfile.TemporaryDirectory() as place:
        result = Path(place) / "result.json"
        original, synthetic, holdout, before = (signals(seed) for seed in range(4))
        synthetic[:100] = original[:100]
        baseline = Path(place) / "before.json"
        reportgen.assess(original, before, holdout).write(baseline)
        reportgen.assess(original, synthetic, holdout, baseline=baseline, policy=policy()).write(result)
        made = {suffix: result.with_suffix(f".{suffix}") for suffix in ("html", "pdf")}
        print("| format | CPU, s | peak memory, MB | size, MB |")
        print("|---|---:|---:|---:|")
        for suffixes in (("html",), ("pdf",), ("html", "pdf")):
            outputs = [word for suffix in suffixes for word in ("-o", str(made[suffix]))]
            cpu, peak = cost([sys.executable, "-m", "reportgen", "render", str(result), *outputs], runs)
            size = sum(made[suffix].stat().st_size for suffix in suffixes) / MEGABYTE
            print(f"| {' + '.join(suffixes)} | {cpu:.2f} | {peak:.0f} | {size:.2f} |", flush=True)
        pages, figures = _pages(made["pdf"]), made["html"].read_bytes().count(b'<figure class="figure">')
    print(f"\n{pages} pages, {figures} figures")  # PDF shows those of HTML
    if pages < PAGES or figures < FIGURES:
        raise SystemExit(f"the report is too short: {PAGES} pages and {FIGURES} figures are wanted")


def _pages(pdf: Path) -> int:
    with pikepdf.open(pdf) as document:
        return len(document.pages)


if __name__ == "__main__":
    main()
