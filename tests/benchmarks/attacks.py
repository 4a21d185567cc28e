"""The same attacks by reportgen and by Anonymeter on the census tables, in one run: rates, risks and CPU seconds.

    python tests/benchmarks/attacks.py --anonymeter-python VENV/bin/python
    python tests/benchmarks/attacks.py --anonymeter-python VENV/bin/python --write    puts the table into attacks.md

Anonymeter (1.1.0) needs older libraries than reportgen, so it runs in a Python of its own; without it only reportgen's
half is measured. Both make 500 attempts at singling out by one column, 500 at linking {workclass, education,
hours_per_week, capital_loss, capital_gain} with {race, sex, fnlwgt, age, native_country} through ten neighbours, and
500 at guessing income, age and occupation from all other columns, each with as many controls. Reading the files is not
counted, and neither is compiling: Anonymeter is asked once before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data" / "census2k"
TABLES = {"good": "census2k-syn_mostly.csv.gz", "leaky": "census2k-syn_flip30.csv.gz"}
FIRST = ("workclass", "education", "hours_per_week", "capital_loss", "capital_gain")
SECOND = ("race", "sex", "fnlwgt", "age", "native_country")
SECRETS = ("income", "age", "occupation")
NUMBERS = ("age",)
ATTEMPTS, NEIGHBOURS = 500, 10


def by_anonymeter(python: str) -> dict[str, dict[str, float]]:
    """Run Anonymeter's attacks in its own Python; rates, risk and CPU seconds by table and attack."""
    asked = {
        "data": str(DATA),
        "tables": TABLES,
        "first": FIRST,
        "second": SECOND,
        "secrets": SECRETS,
        "numbers": NUMBERS,
        "attempts": ATTEMPTS,
        "neighbours": NEIGHBOURS,
    }
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"), "1")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | threads
    ran = subprocess.run(
        [python, str(HERE / "by_anonymeter.py")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if ran.returncode:
        sys.exit(f"Anonymeter failed: {ran.stderr.strip().splitlines()[-1]}")
    found: dict[str, dict[str, float]] = json.loads(ran.stdout.splitlines()[-1])
    return found


def by_reportgen() -> dict[str, dict[str, float]]:
    """Make the same attacks with the functions that `assess` calls."""
    from reportgen import runner
    from reportgen.attacks.attributes import attributes
    from reportgen.attacks.inference import inference
    from reportgen.attacks.linkability import linkability
    from reportgen.attacks.singling_out import singling_out
    from reportgen.attacks.targets import Targets, targets
    from reportgen.measuring import stream
    from reportgen.read.groups import identical_rows
    from reportgen.settings import Settings
    from reportgen.space.famd import encode

    settings = Settings(link=FIRST, link_with=SECOND, link_neighbours=NEIGHBOURS, secret=SECRETS, attacks=ATTEMPTS)
    original, holdout = (str(DATA / f"census2k-{side}.csv.gz") for side in ("trn", "hol"))
    found: dict[str, dict[str, float]] = {}
    for table, name in TABLES.items():
        partition = runner.read_inputs(original, str(DATA / name), holdout, settings)

        def prepared() -> Any:
            ids = identical_rows(partition)  # noqa: B023 -- called in this turn of the loop
            return attributes(partition, ids, encode(partition, settings), settings).of(ids)  # noqa: B023

        rows, preparing = _timed(prepared)
        people = targets(rows.original, rows.holdout, None, stream(settings, "attacks"))
        if not isinstance(people, Targets):
            sys.exit(f"nobody can be attacked: {people}")
        some = people.drawn(ATTEMPTS, stream(settings, "attacked"))
        random = partial(stream, settings)
        kinds, seconds = _timed(lambda: singling_out(rows, people, ATTEMPTS, random("singling_out")))  # noqa: B023
        found[f"{table} singling out"] = _line(kinds["univariate"], seconds + preparing)
        linked, seconds = _timed(lambda: linkability(rows, some, settings, random("linkability"), 1))  # noqa: B023
        found[f"{table} linkability"] = _line(linked[""], seconds)
        for secret in SECRETS:
            only = settings.model_copy(update={"secret": (secret,)})
            guessed, seconds = _timed(lambda: inference(rows, some, only, random("inference"), 1))  # noqa: B023
            found[f"{table} inference of {secret}"] = _line(guessed[secret], seconds)
    return found


def _timed(make: Any) -> tuple[Any, float]:
    """What a call returns, and the CPU seconds that it took."""
    begun = time.process_time()
    made = make()
    return made, time.process_time() - begun


def _line(made: Any, seconds: float) -> dict[str, float]:
    from reportgen.metrics.attack_rates import risk_of

    risk = risk_of(made.attack, made.control)
    rates = {"attack": made.attack.rate, "control": made.control.rate, "baseline": made.baseline}
    return rates | {"risk": risk.value, "low": risk.low, "high": risk.high, "seconds": seconds}


def table(ours: dict[str, dict[str, float]], theirs: dict[str, dict[str, float]]) -> Iterator[str]:
    """Lay both out beside each other."""
    side = "risk | original, holdout, guessing | s"
    yield f"| table, attack | reportgen: {side} | Anonymeter: {side} |"
    yield "|---|---|---|---|---|---|---|"
    for name, own in ours.items():
        yield f"| {name} | {' | '.join((*_cells(own), *_cells(theirs.get(name))))} |"
    spent = [sum(one["seconds"] for one in side.values()) for side in (ours, theirs)]
    yield f"| CPU seconds together | | | {spent[0]:.2f} | | | {spent[1]:.2f} |"
    if theirs:
        yield ""
        yield f"Anonymeter takes {spent[1] / spent[0]:.1f} times as long."


def _cells(one: dict[str, float] | None) -> tuple[str, str, str]:
    if one is None:
        return "–", "–", "–"
    rates = ", ".join(f"{one[name]:.3f}" for name in ("attack", "control", "baseline"))
    return f"{one['risk']:.3f} [{one['low']:.3f}, {one['high']:.3f}]", rates, f"{one['seconds']:.2f}"


def main() -> None:
    """Attack, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--anonymeter-python", metavar="FILE", help="a Python that has anonymeter 1.1.0")
    parser.add_argument("--write", action="store_true", help="put the table into attacks.md")
    arguments = parser.parse_args()
    theirs = by_anonymeter(arguments.anonymeter_python) if arguments.anonymeter_python else {}
    made = "\n".join(table(by_reportgen(), theirs))
    if arguments.write:
        from calibration_table import put_between

        put_between(HERE / "attacks.md", made)
    else:
        print(made)


if __name__ == "__main__":
    main()
