"""The whole job against the number of rows: time by stage and peak memory, beside other tools on the same tables.

    python tests/benchmarks/job.py --adult adult.data.gz --rows 2000 10000 --peers-python venv/bin/python

Tables of UCI Adult (15 columns, mixed): original and holdout are drawn from it, beyond its size again and again with
noise in the numbers; the synthetic table is a third draw in which every fifth value comes from another row. Each tool
runs in a process of its own, within --minutes; a tool that isn't installed, fails or takes longer is said to. Results
are added to --state line by line, so that a run that was ended goes on; --print writes the table of what is there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve()
CATEGORIES = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex")
CATEGORIES += ("native-country", "Salary")
REPLACED = 0.2
NOISE = 0.02
"""Noise of rows beyond the size of the data, in standard deviations."""
PEERS = {
    "mostlyai-qa": "mostlyai-qa",
    "sdmetrics DCROverfittingProtection": "sdmetrics",
    "SynthEval (privacy metrics)": "syntheval",
    "Anonymeter (singling out)": "anonymeter",
}


def read_adult(path: Path) -> Any:
    """UCI Adult as it is distributed: blanks after commas, "?" for missing values."""
    import pandas as pd

    with gzip.open(path, "rt") as file:
        return pd.read_csv(file, skipinitialspace=True, na_values="?").dropna(how="all").reset_index(drop=True)


def make_tables(adult: Any, rows: int) -> dict[str, Any]:
    """Three tables of so many rows each."""
    random = np.random.default_rng(rows)
    tables: dict[str, Any] = {}
    left = random.permutation(len(adult))
    for name in ("original", "holdout", "synthetic"):
        if len(left) >= rows:
            own, left = left[:rows], left[rows:]
            table = adult.iloc[own].reset_index(drop=True)
        else:
            table = adult.iloc[random.integers(0, len(adult), rows)].reset_index(drop=True)
            for column in table.columns.drop(list(CATEGORIES)):
                noise = NOISE * adult[column].std() * random.standard_normal(rows)
                table[column] = (table[column] + noise).round()
        tables[name] = table
    synthetic = tables["synthetic"]
    for column in synthetic.columns:
        replaced = np.flatnonzero(random.random(rows) < REPLACED)
        other = synthetic[column].iloc[random.permutation(rows)[: len(replaced)]].to_numpy()
        synthetic.loc[replaced, column] = other
    return tables


def run_reportgen(folder: Path) -> dict[str, Any]:
    """Assess and write JSON alone; time by stage."""
    begun = time.perf_counter()
    import reportgen

    stages: dict[str, float] = {}
    state = {"stage": "start", "since": begun}

    def told(stage: str, _done: int, _total: int) -> None:
        now = time.perf_counter()
        stages[state["stage"]] = stages.get(state["stage"], 0.0) + now - state["since"]
        state.update(stage=stage, since=now)

    files = [folder / f"{name}.csv" for name in ("original", "synthetic", "holdout")]
    found = reportgen.assess(*files, jobs=int(os.environ.get("JOBS", "1")), progress=told)
    told("end", 1, 1)
    (folder / "result.json").write_text(found.to_json())
    told("written", 1, 1)
    return {"stages": stages, "level": found.result.verdict.level}


def run_peer(name: str, folder: Path) -> dict[str, Any]:
    """Let another tool judge the same tables by what it has for privacy."""
    import pandas as pd

    original, synthetic, holdout = (
        pd.read_csv(folder / f"{side}.csv") for side in ("original", "synthetic", "holdout")
    )
    if name == "mostlyai-qa":
        from mostlyai import qa

        qa.report(
            syn_tgt_data=synthetic,
            trn_tgt_data=original,
            hol_tgt_data=holdout,
            report_path=folder / "mostly.html",
        )
    elif name.startswith("sdmetrics"):
        from sdmetrics.single_table import DCROverfittingProtection

        columns = {
            column: {"sdtype": "categorical" if column in CATEGORIES else "numerical"} for column in original.columns
        }
        DCROverfittingProtection.compute_breakdown(original, synthetic, holdout, {"columns": columns})
    elif name.startswith("SynthEval"):
        from syntheval import SynthEval

        judge = SynthEval(original, holdout_dataframe=holdout, cat_cols=list(CATEGORIES), verbose=False)
        judge.evaluate(synthetic, analysis_target_var="Salary", dcr={}, nndr={}, hit_rate={}, eps_risk={})
    else:
        from anonymeter.evaluators import SinglingOutEvaluator

        judge = SinglingOutEvaluator(original, synthetic, n_attacks=500, control=holdout)
        judge.evaluate(mode="multivariate")
    return {}


def in_process(tool: str, folder: Path) -> None:
    """Run one tool in this process and print what it took, as one line of JSON."""
    begun, used = time.perf_counter(), os.times()
    found = run_reportgen(folder) if tool == "reportgen" else run_peer(tool, folder)
    spent = os.times()
    cpu = spent.user + spent.system - used.user - used.system
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    took = {"seconds": time.perf_counter() - begun, "cpu": cpu, "peak_mb": int(peak.split()[1]) / 1024}
    print(json.dumps(found | took))


def measure(tool: str, python: str, folder: Path, minutes: float) -> dict[str, Any]:
    """Run one tool in a process of its own."""
    command = [python, str(HERE), "--one", tool, str(folder)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60 * minutes, check=False, env=environment, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done in {minutes:g} minutes"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        kind = lines[-1].partition(":")[0]
        return {"failed": "not installed" if kind == "ModuleNotFoundError" else f"failed ({kind[:60]})"}
    return dict(json.loads(done.stdout.strip().splitlines()[-1]))


def machine() -> str:
    """What the numbers were measured on."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    versions = []
    for package in ("numpy", "pandas", "faiss-cpu", "scipy"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package}: not installed")
    return f"{os.cpu_count()} cores, {model}, Python {platform.python_version()}, {', '.join(versions)}"


def table(lines: list[dict[str, Any]]) -> str:
    """Set results in Markdown: every tool by rows, then the stages of reportgen."""
    text = [f"Machine: {machine()}. CPU seconds of a process; one thread each.", ""]
    text += ["| rows a table | tool | CPU s | wall s | peak MB |", "|---|---|---|---|---|"]
    for line in lines:
        numbers = (
            f"{line['failed']} | |"
            if "failed" in line
            else f"{line['cpu']:.1f} | {line['seconds']:.1f} | {line['peak_mb']:.0f}"
        )
        text.append(f"| {line['rows']:,} | {line['tool']} | {numbers} |")
    text += ["", "Wall seconds of reportgen by stage:", ""]
    for line in lines:
        if "stages" in line:
            stages = ", ".join(f"{name} {took:.1f}" for name, took in line["stages"].items() if took >= 0.05)
            text.append(f"- {line['rows']:,} rows: {stages}")
    return "\n".join(text)


def main() -> None:
    """Measure what isn't in the state yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adult", type=Path, help="adult.data.gz of UCI Adult, with a line of names")
    parser.add_argument("--rows", type=int, nargs="+", default=[2000, 10_000, 30_000, 100_000])
    parser.add_argument("--peers-python", help="a Python that has the other tools; none are run without")
    parser.add_argument("--minutes", type=float, default=10, help="the most that a tool gets")
    parser.add_argument("--state", type=Path, default=Path("job.jsonl"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--one", nargs=2, metavar=("TOOL", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        in_process(given.one[0], Path(given.one[1]))
        return
    lines = [json.loads(line) for line in given.state.read_text().splitlines()] if given.state.exists() else []
    if not given.only_print:
        if given.adult is None:
            parser.error("--adult is needed to make the tables")
        adult = read_adult(given.adult)
        tools = ["reportgen", *(PEERS if given.peers_python else ())]
        for rows in given.rows:
            waiting = [tool for tool in tools if not any((one["rows"], one["tool"]) == (rows, tool) for one in lines)]
            if not waiting:
                continue
            with tempfile.TemporaryDirectory() as made:
                for name, frame in make_tables(adult, rows).items():
                    frame.to_csv(Path(made, f"{name}.csv"), index=False)
                for tool in waiting:
                    python = sys.executable if tool == "reportgen" else given.peers_python
                    lines.append({"rows": rows, "tool": tool} | measure(tool, python, Path(made), given.minutes))
                    with given.state.open("a") as file:
                        file.write(json.dumps(lines[-1]) + "\n")
    print(table(sorted(lines, key=lambda line: line["rows"])))


if __name__ == "__main__":
    main()
