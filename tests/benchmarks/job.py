"""The whole job against the number of rows: time by stage and peak memory, beside other tools on the same tables.

    python tests/benchmarks/job.py --adult adult.data.gz --rows 2000 10000 --peer mostlyai-qa=venv/bin/python
    python tests/benchmarks/job.py --census --rows 2000 10000 30000 100000

Tables of UCI Adult (15 columns, mixed): original and holdout are drawn from it, beyond its size again and again with
noise in the numbers; the synthetic table is a third draw in which every fifth value comes from another row. Where the
three together are more than Adult has, its rows come back in them, which the tests find. With --census all three are
draws of `populations.census`, of which there are as many as one likes, and nothing leaks.

Each tool runs in a process of its own and may take so many CPU --minutes; a tool that isn't installed, fails or takes
longer is said to, and is not run with more rows. Results are added to --state line by line, so that a run that was
ended goes on; --print writes the table of what is there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import resource
import signal
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
    "sdmetrics": "SDMetrics DCROverfittingProtection",
    "syntheval": "SynthEval (privacy metrics)",
    "anonymeter": "Anonymeter (three attacks)",
}
"""What each is called in the table."""
DRAWN_DOWN = "reportgen --max-queries "


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


def make_census(rows: int) -> dict[str, Any]:
    """Three draws of the census-like population."""
    from populations import census

    random = np.random.default_rng(rows)
    return {name: census(rows, random) for name in ("original", "holdout", "synthetic")}


def peak_mb() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_reportgen(folder: Path, most: int | None) -> dict[str, Any]:
    """Assess and write JSON alone; CPU seconds of each stage, and the peak of memory up to its end.

    At most so many rows of each table look for their neighbours, None for all.
    """
    import reportgen

    stages: dict[str, float] = {}
    peaks: dict[str, float] = {}
    state = {"stage": "start", "since": 0.0}

    def told(stage: str, _done: int, _total: int) -> None:
        before, now = state["stage"], time.process_time()
        stages[before] = stages.get(before, 0.0) + now - state["since"]
        peaks[before] = peak_mb()
        state.update(stage=stage, since=now)

    files = [folder / f"{name}.csv" for name in ("original", "synthetic", "holdout")]
    found = reportgen.assess(*files, jobs=int(os.environ.get("JOBS", "1")), max_queries=most, progress=told)
    told("write", 1, 1)
    (folder / "result.json").write_text(found.to_json())
    told("end", 1, 1)
    return {"stages": stages, "peaks": peaks, "level": found.result.verdict.level}


def run_peer(name: str, folder: Path) -> dict[str, Any]:
    """Let another tool judge the same tables by what it has for privacy."""
    import pandas as pd

    original, synthetic, holdout = (
        pd.read_csv(folder / f"{side}.csv") for side in ("original", "synthetic", "holdout")
    )
    categories = list(original.columns[original.dtypes.map(pd.api.types.is_numeric_dtype).eq(other=False)])
    if name == "mostlyai-qa":
        from mostlyai import qa

        qa.report(
            syn_tgt_data=synthetic,
            trn_tgt_data=original,
            hol_tgt_data=holdout,
            report_path=folder / "mostly.html",
        )
    elif name == "sdmetrics":
        from sdmetrics.single_table import DCROverfittingProtection

        columns = {
            column: {"sdtype": "categorical" if column in categories else "numerical"} for column in original.columns
        }
        tables = {"tables": {"rows": {"columns": columns}}}
        DCROverfittingProtection.compute_breakdown(original, synthetic, holdout, tables, "rows")
    elif name == "syntheval":
        from syntheval import SynthEval

        for table in (original, synthetic, holdout):  # it refuses missing values, which only categories have here
            table[categories] = table[categories].fillna("missing")
        judge = SynthEval(original, holdout_dataframe=holdout, cat_cols=categories, verbose=False)
        judge.evaluate(synthetic, analysis_target=original.columns[-1], dcr={}, nndr={}, hit_rate={}, eps_risk={})
    else:
        attack_by_anonymeter({"ori": original, "syn": synthetic, "control": holdout}, categories)
    return {}


def attack_by_anonymeter(tables: dict[str, Any], categories: list[str]) -> None:
    """Single out by one and by several columns, link by halves of the columns, infer each of them."""
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

    for mode in ("univariate", "multivariate"):
        SinglingOutEvaluator(**tables).evaluate(mode=mode)
    columns = list(tables["ori"].columns)
    halves = (columns[::2], columns[1::2])
    LinkabilityEvaluator(**tables, aux_cols=halves, n_neighbors=10).evaluate(n_jobs=1)
    for secret in columns:
        known = [column for column in columns if column != secret]
        numeric = secret not in categories
        InferenceEvaluator(**tables, aux_cols=known, secret=secret, regression=numeric).evaluate(n_jobs=1)


def in_process(tool: str, folder: Path) -> None:
    """Run one tool in this process and print what it took, as one line of JSON."""
    begun = time.perf_counter()
    most = int(tool.removeprefix(DRAWN_DOWN)) if tool.startswith(DRAWN_DOWN) else None
    found = run_peer(tool, folder) if tool in PEERS else run_reportgen(folder, most)
    spent = os.times()
    cpu = spent.user + spent.system + spent.children_user + spent.children_system
    took = {"seconds": time.perf_counter() - begun, "cpu": cpu, "peak_mb": peak_mb()}
    print(json.dumps(found | took))


def measure(tool: str, python: str, folder: Path, minutes: float) -> dict[str, Any]:
    """Run one tool in a process of its own, which may take so many CPU minutes."""
    command = [python, str(HERE), "--one", tool, str(folder)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    limit = round(60 * minutes)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=folder,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)),
    )
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return {"failed": f"did not finish in {minutes:g} CPU minutes"}
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


def version_of(package: str, python: str) -> str:
    """The version of a package that another Python has; empty where it has none."""
    asked = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
    done = subprocess.run([python, "-c", asked, package], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def table(lines: list[dict[str, Any]]) -> str:
    """Set results in Markdown: every tool by rows, beside reportgen; then the stages of reportgen."""
    own = {line["rows"]: line for line in lines if line["tool"] == "reportgen" and "cpu" in line}
    text = [f"Machine: {machine()}. CPU seconds of a process, one thread each.", ""]
    text += ["| rows a table | tool | CPU s | times reportgen | peak MB |", "|---|---|---|---|---|"]
    for line in lines:
        name = PEERS.get(line["tool"], line["tool"]) + f" {line['version']}" * bool(line.get("version"))
        numbers = f"{line.get('failed')} | | |"
        if "cpu" in line:
            beside = f"{line['cpu'] / own[line['rows']]['cpu']:.1f}" if line["rows"] in own else ""
            numbers = f"{line['cpu']:.1f} | {beside} | {line['peak_mb']:.0f} |"
        text.append(f"| {line['rows']:,} | {name} | {numbers}")
    staged = [line for line in lines if line["tool"] == "reportgen" and "stages" in line]
    names = list(dict.fromkeys(name for line in staged for name in line["stages"]))
    rows = [f"{line['rows']:,}" for line in staged]
    text += ["", "CPU seconds of reportgen by stage, and the peak of memory (MB) up to its end:", ""]
    text += [f"| stage | {' | '.join(rows)} |", "|---|" + "---|" * len(rows)]
    for name in names:
        cells = [
            f"{line['stages'][name]:.1f} ({line['peaks'][name]:.0f})" if name in line["stages"] else ""
            for line in staged
        ]
        text.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(text)


def peer(given: str) -> tuple[str, str]:
    """Take NAME=PYTHON apart."""
    name, _, python = given.partition("=")
    if name not in PEERS or not python:
        msg = f"give NAME=PYTHON, NAME one of {', '.join(PEERS)}"
        raise argparse.ArgumentTypeError(msg)
    return name, python


def main() -> None:
    """Measure what isn't in the state yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made = parser.add_mutually_exclusive_group()
    made.add_argument("--adult", type=Path, help="adult.data.gz of UCI Adult, with a line of names")
    made.add_argument("--census", action="store_true", help="tables of the census-like population")
    parser.add_argument("--rows", type=int, nargs="+", default=[2000, 10_000, 30_000, 100_000])
    parser.add_argument(
        "--peer",
        type=peer,
        action="append",
        default=[],
        metavar="NAME=PYTHON",
        help="a tool and the Python that has it",
    )
    parser.add_argument(
        "--max-queries", type=int, nargs="+", default=[], help="also with so many rows that look for neighbours"
    )
    parser.add_argument("--minutes", type=float, default=5, help="the CPU time that a tool gets")
    parser.add_argument("--state", type=Path, default=Path("job.jsonl"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--one", nargs=2, metavar=("TOOL", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        in_process(given.one[0], Path(given.one[1]))
        return
    lines = [json.loads(line) for line in given.state.read_text().splitlines()] if given.state.exists() else []
    if not given.only_print:
        if not (given.adult or given.census):
            parser.error("--adult or --census is needed to make the tables")
        adult = None if given.census else read_adult(given.adult)
        for rows in given.rows:
            own = ["reportgen", *(f"{DRAWN_DOWN}{most}" for most in given.max_queries if most < rows)]
            tools = dict.fromkeys(own, sys.executable) | dict(given.peer)
            for line in lines:
                if line["rows"] == rows:
                    tools.pop(line["tool"], None)
            if not tools:
                continue
            with tempfile.TemporaryDirectory() as folder:
                for name, frame in (make_census(rows) if given.census else make_tables(adult, rows)).items():
                    frame.to_csv(Path(folder, f"{name}.csv"), index=False)
                for tool, python in tools.items():
                    line = {"rows": rows, "tool": tool, "version": version_of(tool, python) if tool in PEERS else ""}
                    fewer = [one for one in lines if one["tool"] == tool and one["rows"] < rows and "failed" in one]
                    minutes = given.minutes if tool in PEERS else 60
                    found = {"failed": "not run"} if fewer else measure(tool, python, Path(folder), minutes)
                    lines.append(line | found)
                    with given.state.open("a") as file:
                        file.write(json.dumps(lines[-1]) + "\n")
    print(table(sorted(lines, key=lambda line: line["rows"])))


if __name__ == "__main__":
    main()
