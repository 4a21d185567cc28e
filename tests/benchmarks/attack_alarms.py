"""Calibration of the attacks: how often they call generators leaky that are not, and how often they find a leak.

    python tests/benchmarks/attack_alarms.py            all runs, then the table; stopped, it goes on where it was
    python tests/benchmarks/attack_alarms.py --at-most 20
    python tests/benchmarks/attack_alarms.py --table    the table of what there is, nothing is measured
    python tests/benchmarks/attack_alarms.py --write    puts the table into attack_alarms.md

Apart from calibration.py, whose level rests on the leak test: the attacks are secondary and would make each of its runs
longer. Tables come from the same populations and scenarios. Every run appends a line of JSON to build/attacks.jsonl,
keyed by scenario, population, rows, seed and a digest of the code that its numbers depend on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from calibration import RUN, current, digest_of, key_of, measuring_digest, read_results
from calibration_table import put_between, wilson
from scenarios import BY_NAME, Cell, Job, jobs

from reportgen import controls, model, parts, runner
from reportgen.copies import holm
from reportgen.settings import Settings

HERE = Path(__file__).parent
ATTACKS = ("singling_out", "linkability", "inference")
SETTINGS = Settings(metric=ATTACKS)
WITHOUT_A_LEAK = (
    "ideal",
    "shrunk x0.8",
    "wide x1.5",
    "mean shift .5 sd",
    "a third missing",
    "frequencies off x3",
    "columns independent",
    "a tenth of the rows ten times",
    "ideal, holdout n/4",
    "original doubled, ideal",
    "holdout doubled, ideal",
    "coarse, ideal",
)
WITH_A_LEAK = ("5 % near", "5 % exact", "5 % exact twice", "5 % one column changed", "every row moved .3 sd")
LEVELS = (0.05, 0.01)


def cells() -> tuple[Cell, ...]:
    """List what is measured."""
    found = [Cell("ideal", population, rows, 200) for rows in (200, 1000) for population in "ABC"]
    found += [Cell(name, population, 300, 60) for name in WITHOUT_A_LEAK[1:] for population in "AB"]
    found += [Cell(name, population, 1000, 20) for name in WITH_A_LEAK for population in "AB"]
    return tuple(found)


def measure(job: Job) -> dict[str, Any]:
    """Attack the tables of one run; keep the p-values and risks."""
    random = np.random.default_rng([job.seed, job.rows, *f"{job.population} {job.scenario}".encode()])
    files = BY_NAME[job.scenario].make(job.population, job.rows, random)
    kept = controls.memorising, controls.detectable, parts.content_sha256
    controls.memorising = lambda *_: None
    controls.detectable = lambda *_: model.Detectable(code="not_selected", reason="not asked for")
    parts.content_sha256 = lambda *_: "0" * 64
    try:
        settings = SETTINGS.model_copy(update={"seed": job.seed})
        metrics = runner.run(files.original, files.synthetic, files.holdout, settings, RUN).metrics
    finally:
        controls.memorising, controls.detectable, parts.content_sha256 = kept
    measured = {key: metric for key in ATTACKS if isinstance(metric := metrics[key], model.Measured)}
    return {
        "scenario": job.scenario,
        "population": job.population,
        "rows": job.rows,
        "seed": job.seed,
        "p": {key: metric.scores["p_value"].value for key, metric in measured.items()},
        "risk": {key: metric.scores["risk"].value for key, metric in measured.items()},
    }


def table(lines: Sequence[dict[str, Any]], digest: str) -> Iterator[str]:
    """Count p-values by scenario: of each attack, and the smallest of the three after Holm."""
    yield f"{len(lines)} runs of the code {digest}."
    for level in LEVELS:
        yield ""
        yield f"p ≤ {level:g}, percent of runs (95 % interval by Wilson)"
        yield ""
        yield "| scenario | population | rows | runs | singling out | linkability | inference | any, after Holm |"
        yield "|---|---|---|---|---|---|---|---|"
        found: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
        for line in lines:
            found.setdefault((line["scenario"], line["population"], line["rows"]), []).append(line)
        order = {(cell.scenario, cell.population, cell.rows): place for place, cell in enumerate(cells())}
        for key in sorted(found, key=lambda key: order.get(key, len(order))):
            yield _line([*key, len(found[key])], found[key], level)
        ideal = [line for line in lines if line["scenario"] in WITHOUT_A_LEAK]
        if ideal:
            yield _line(["**all without a leak**", "", "", len(ideal)], ideal, level)


def _line(begin: Sequence[Any], lines: Sequence[dict[str, Any]], level: float) -> str:
    cells_of_line = [str(one) for one in begin]
    for key in (*ATTACKS, ""):
        values = [line["p"].get(key) if key else min(holm(list(line["p"].values())), default=None) for line in lines]
        known = [value for value in values if value is not None]
        hits = sum(value <= level for value in known)
        if not known:
            cells_of_line.append("–")
            continue
        low, high = wilson(hits, len(known))
        cells_of_line.append(f"{100 * hits / len(known):.1f} ({100 * low:.1f}–{100 * high:.1f})")
    return f"| {' | '.join(cells_of_line)} |"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--table", action="store_true", help="measure nothing")
    parser.add_argument("--write", action="store_true", help="put the table into attack_alarms.md")
    parser.add_argument("--results", type=Path, default=HERE.parents[1] / "build" / "attacks.jsonl")
    parser.add_argument("--at-most", type=int, metavar="RUNS", help="at most so many runs of each")
    arguments = parser.parse_args()
    code = measuring_digest()
    digests = {name: digest_of(scenario, code) for name, scenario in BY_NAME.items()}
    if not arguments.table:
        known = current(read_results(arguments.results), digests)
        arguments.results.parent.mkdir(parents=True, exist_ok=True)
        with arguments.results.open("a", encoding="utf-8") as file:
            for job in jobs(cells()):
                line = {"scenario": job.scenario, "population": job.population, "rows": job.rows, "seed": job.seed}
                wanted = arguments.at_most is None or job.seed < arguments.at_most
                if wanted and key_of(line | {"digest": digests[job.scenario]}) not in known:
                    print(json.dumps(measure(job) | {"digest": digests[job.scenario]}), file=file, flush=True)
    lines = list(current(read_results(arguments.results), digests).values())
    made = "\n".join(table(lines, code[:12]))
    if arguments.write:
        put_between(HERE / "attack_alarms.md", made)
    else:
        print(made)


if __name__ == "__main__":
    main()
