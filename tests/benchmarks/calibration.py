"""Calibration of the verdict: how often generators without a leak are called leaky, and leaks are missed.

    python tests/benchmarks/calibration.py            all runs, then the table; stopped, it goes on where it was
    python tests/benchmarks/calibration.py --quick    a tenth of the runs, under 15 minutes
    python tests/benchmarks/calibration.py --only "1 % near" --populations B --rows 1000 --at-most 20
    python tests/benchmarks/calibration.py --table    the table of what there is, nothing is measured
    python tests/benchmarks/calibration.py --write    puts the tables into calibration.md and README, keeps the runs
    python tests/benchmarks/calibration.py --take-over 2    keeps runs of earlier code that this code repeats

Every run draws an original, a synthetic and a holdout table (`scenarios`), judges them by the code that `assess` runs,
and appends one line of JSON to the results (build/calibration.jsonl). A line is keyed by scenario, population, rows,
seed and a digest of the code that its numbers depend on; what has its line is not measured again. Most changes of the
code change no number: `--take-over N` measures N runs of each scenario, population and number of rows once more, and
where all of them are number for number what earlier code found, the other runs of that code count as this code's. The
runs that calibration.md was made from are kept beside it (calibration_runs.jsonl.gz); where there are no results yet,
it goes on from these.

Left out, since the level doesn't depend on it: the memorising control, the regions, the digests of the tables'
contents, and the smallest leak where the upper bound lies above the tolerance or the files seem exchanged, so that the
level can't be low whatever it is. Bootstrap intervals take 100 resamples instead of 1,000; no level depends on them. A
test compares with `assess`.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import generators
import numpy as np
import populations
from calibration_table import in_short, put_between, render
from generators import Files
from scenarios import BY_NAME, Job, Scenario, cells, jobs, planting

import reportgen
from reportgen import controls, measuring, model, parts, runner
from reportgen.settings import Settings

HERE = Path(__file__).parent

KEPT = HERE / "calibration_runs.jsonl.gz"
"""The runs that the committed table was made from."""

NOT_MEASURING = ("render", "figures", "cli", "api.py", "output.py", "environment.py", "__main__.py", "__init__.py")
"""Parts of the package that no number of a run depends on."""
FOR_THE_LEVEL = (
    "exact_copies",
    "leak_test",
    "leak_size",
    "closer_than_people",
    "holdout_share",
    "membership_inference",
    "distance_to_closest",
    "closest_distances_ratio",
)
WITH_CUT_OFFS = ("ideal", "5 % exact twice")
"""Scenarios in which the scores of the seed documents are read as well."""
SETTINGS = Settings(resamples=100)
LEVEL_ALONE = SETTINGS.model_copy(update={"metric": FOR_THE_LEVEL})
RUN = runner.Run(created="2026-01-01T00:00:00Z", command="", version=reportgen.__version__, environment={})


def measuring_digest() -> str:
    """Digest of the package's measuring code, the populations and the generators.

    Comments, docstrings and layout don't count. The same code has another digest under another Python's grammar.
    """
    package = Path(reportgen.__file__).parent
    modules = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in NOT_MEASURING]
    total = hashlib.sha256()
    for path in (*sorted(modules), Path(populations.__file__), Path(generators.__file__)):
        total.update(f"{path.name}\0{code_of(path)}\0".encode())
    return total.hexdigest()


def code_of(path: Path) -> str:
    """Write down what a module does, whatever it says about it."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]
    return ast.dump(tree)


def _is_text(statement: ast.AST) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str)


def digest_of(scenario: Scenario, measuring_code: str) -> str:
    """Digest of what the numbers of a scenario depend on."""
    return hashlib.sha256(f"{measuring_code} {scenario.described()}".encode()).hexdigest()[:16]


def measure(job: Job) -> dict[str, Any]:
    """Judge the tables of one run and keep what the table is made from."""
    begun = time.process_time()
    scenario = BY_NAME[job.scenario]
    random = np.random.default_rng([job.seed, job.rows, *f"{job.population} {job.scenario}".encode()])
    files = scenario.make(job.population, job.rows, random)
    every = scenario.name in WITH_CUT_OFFS
    result = judged(files, SETTINGS if every else LEVEL_ALONE)
    line = {"scenario": job.scenario, "population": job.population, "rows": job.rows, "seed": job.seed}
    line |= outcome(result, files)
    if every:
        line["cut_offs"] = cut_offs(result)
    if scenario.planted:
        line["found"] = planted_is_found(result, job, random)
    return line | {"seconds": round(time.process_time() - begun, 3)}


def judged(files: Files, settings: Settings = SETTINGS) -> model.Result:
    """Run the assessment without what the level does not depend on."""
    kept = controls.memorising, controls.detectable, parts.content_sha256, runner.find_regions
    controls.memorising = lambda *_: None
    runner.find_regions = lambda *_, **__: ()
    controls.detectable = _only_where_it_matters(kept[1])
    parts.content_sha256 = lambda *_: "0" * 64
    try:
        return runner.run(files.original, files.synthetic, files.holdout, settings, RUN)
    finally:
        controls.memorising, controls.detectable, parts.content_sha256, runner.find_regions = kept


def _only_where_it_matters(detectable: Any) -> Any:
    def decided(
        searcher: Any, evidence: Any, measured: Any, settings: Settings, progress: measuring.Progress
    ) -> model.Detectable:
        size, test = measured["leak_size"].scores["excess"], measured["leak_test"].scores
        exchanged = test["p_mirrored"].value <= settings.thresholds.swapped_roles
        if size.high > settings.tolerance / 100 or exchanged:
            return model.Detectable(code="not_in_this_version", reason="the level can't be low whatever it is")
        return detectable(searcher, evidence, measured, settings, progress)

    return decided


def outcome(result: model.Result, files: Files) -> dict[str, Any]:
    """Keep the level and what it was made from."""
    test, share = _scores(result, "leak_test"), _scores(result, "holdout_share")["share"]
    size = _scores(result, "leak_size")["excess"]
    return {
        "level": result.verdict.level,
        "reasons": sorted({reason.code for reason in result.verdict.reasons}),
        "p": test["p_value"].value,
        "p_mirrored": test["p_mirrored"].value,
        "families": [test[f"p_{family}"].value for family in ("near", "altered", "broad")],
        "theta": size.value,
        "lower": size.low,
        "upper": size.high,
        "leaked": files.leaked / len(files.synthetic),
        "share_low": share.low,
        "share_null": share.reference,
        "smallest": result.controls.detectable.rows,
    }


def cut_offs(result: model.Result) -> dict[str, bool]:
    """Read the scores of the seed documents with fixed cut-offs: whether each calls the table leaky."""
    closest, ratio = (_scores(result, key) for key in ("distance_to_closest", "closest_distances_ratio"))
    rate, nndr, nn_dist = (_scores(result, key) for key in ("closest_rate", "nndr", "nn_dist"))
    return {
        "Closest Distances Ratio, median < 100": ratio["median"].value < 100,
        "Closest Distances Ratio, outlier < 100": ratio["outlier"].value < 100,
        "both medians < 100": closest["median"].value < 100 and ratio["median"].value < 100,
        "Closest Rate < the holdout's": rate["rate"].value < rate["rate"].reference,
        "NNDR, 5th percentile < 0.5": nndr["p5"].value < 0.5,
        "NNDR, excess over the original > 0": nndr["excess"].value > 0,
        "NNDR, excess over the holdout > 0": nndr["excess_over_holdout"].value > 0,
        "nn_dist < the original's own": nn_dist["score"].value < nn_dist["score"].reference,
    }


def _scores(result: model.Result, key: str) -> dict[str, model.Score]:
    metric = result.metrics[key]
    if not isinstance(metric, model.Measured):
        message = f"{key} was not measured: {metric.reason}"
        raise TypeError(message)
    return dict(metric.scores)


def planted_is_found(result: model.Result, job: Job, random: np.random.Generator) -> bool | None:
    """Plant the smallest leak that the run promised to notice in new tables; None where it promised none."""
    rows = result.controls.detectable.rows
    if rows is None:
        return None
    files = planting(rows / job.rows).make(job.population, job.rows, random)
    test = judged(files, LEVEL_ALONE).metrics["leak_test"]
    return isinstance(test, model.Measured) and test.scores["p_value"].value <= SETTINGS.thresholds.leak_test


def read_results(path: Path) -> list[dict[str, Any]]:
    """Read the lines of earlier runs; one that was cut short is left out."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def keep(lines: Iterable[dict[str, Any]], path: Path = KEPT) -> None:
    """Write runs down for others, in one order and without the seconds: the same runs are the same bytes."""
    told = [{name: value for name, value in line.items() if name != "seconds"} for line in sorted(lines, key=key_of)]
    text = "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in told)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def begin(path: Path, kept: Path = KEPT) -> None:
    """Go on from the runs that are kept, where there are no results yet."""
    if kept.exists() and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.decompress(kept.read_bytes()))


def key_of(line: dict[str, Any]) -> tuple[Any, ...]:
    """What a run is known by."""
    return tuple(line[name] for name in ("scenario", "population", "rows", "seed", "digest"))


def current(lines: Iterable[dict[str, Any]], digests: dict[str, str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Keep the runs that this code made."""
    return {key_of(line): line for line in lines if line["digest"] == digests.get(line["scenario"])}


def run_all(wanted: list[Job], path: Path, digests: dict[str, str], processes: int) -> None:
    """Measure what has no line yet, and append a line as each run ends."""
    known = current(read_results(path), digests)
    waiting = [
        job for job in wanted if (job.scenario, job.population, job.rows, job.seed, digests[job.scenario]) not in known
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.read_bytes() if path.exists() else b""
    if written and not written.endswith(b"\n"):  # a run that was cut short
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
    begun = time.monotonic()
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    # Processes that were started anew: one that is forked after a search hangs.
    with multiprocessing.get_context("spawn").Pool(processes) as pool, path.open("a", encoding="utf-8") as file:
        for done, line in enumerate(pool.imap_unordered(measure, waiting), start=1):
            print(json.dumps(line | {"digest": digests[line["scenario"]]}), file=file, flush=True)
            if done % 50 == 0 or done == len(waiting):
                minutes = (time.monotonic() - begun) / 60
                left = minutes / done * (len(waiting) - done)
                print(f"{done} of {len(waiting)} runs, {minutes:.0f} min, {left:.0f} min to go", file=sys.stderr)


def take_over(wanted: list[Job], path: Path, digests: dict[str, str], repeats: int, processes: int) -> list[str]:
    """Let runs of earlier code count where this code repeats the last `repeats` of their cell.

    Returns the cells, in words, in which a number differs: their runs are not taken over.
    """
    earlier = {key_of(line)[:4]: line for line in read_results(path) if line["digest"] != digests.get(line["scenario"])}
    cells: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for job in wanted:
        key = (job.scenario, job.population, job.rows, job.seed)
        if key in earlier:
            cells.setdefault(key[:3], []).append(key)
    run_all([Job(*key) for keys in cells.values() for key in keys[-repeats:]], path, digests, processes)
    repeated = {key_of(line)[:4]: line for line in current(read_results(path), digests).values()}
    differ, kept = [], []
    for cell, keys in cells.items():
        if all(numbers_of(repeated[key]) == numbers_of(earlier[key]) for key in keys if key in repeated):
            digest = digests[cell[0]]
            kept += [earlier[key] | {"digest": digest, "taken_over": True} for key in keys if key not in repeated]
        else:
            differ.append("{}, {}, n = {}".format(*cell))
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in kept)
    return differ


def numbers_of(line: dict[str, Any]) -> dict[str, Any]:
    """What two runs of the same numbers share."""
    return {name: value for name, value in line.items() if name not in {"seconds", "digest", "taken_over"}}


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs, under 15 minutes on two cores")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    parser.add_argument("--write", action="store_true", help="put the tables into calibration.md and the README")
    parser.add_argument("--results", type=Path, default=HERE.parents[1] / "build" / "calibration.jsonl")
    parser.add_argument("--only", nargs="+", metavar="SCENARIO", help="only these scenarios")
    parser.add_argument("--populations", default="ABC", metavar="LETTERS", help="only these populations")
    parser.add_argument("--rows", type=int, nargs="+", metavar="N", help="only these numbers of rows")
    parser.add_argument("--at-most", type=int, metavar="RUNS", help="at most so many runs of each")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--take-over", type=int, metavar="RUNS", help="repeat so many runs of each, and keep the rest")
    arguments = parser.parse_args()
    measuring_code = measuring_digest()
    digests = {name: digest_of(scenario, measuring_code) for name, scenario in BY_NAME.items()}
    begin(arguments.results)
    if not arguments.table:
        chosen = [
            cell
            for cell in cells()
            if cell.population in arguments.populations
            and (not arguments.only or cell.scenario in arguments.only)
            and (not arguments.rows or cell.rows in arguments.rows)
        ]
        if arguments.quick:
            chosen = [replace(cell, runs=-(-cell.runs // 10)) for cell in chosen]
        if arguments.at_most:
            chosen = [replace(cell, runs=min(cell.runs, arguments.at_most)) for cell in chosen]
        if arguments.take_over:
            for cell in take_over(jobs(chosen), arguments.results, digests, arguments.take_over, arguments.processes):
                print(f"{cell}: this code finds other numbers", file=sys.stderr)
        else:
            run_all(jobs(chosen), arguments.results, digests, arguments.processes)
    lines = list(current(read_results(arguments.results), digests).values())
    table = render(lines, measuring_code[:12])
    if arguments.write:
        keep(lines)
        put_between(HERE / "calibration.md", table)
        put_between(HERE.parents[1] / "README.md", "\n".join(in_short(lines)))
    else:
        print(table)


if __name__ == "__main__":
    main()
