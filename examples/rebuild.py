"""Make the finished reports in examples/reports anew, or say whether they are still what an assessment brings.

    python examples/rebuild.py            # HTML, PDF and JSON of good, leaky and ecg, and the picture of a first page
    python examples/rebuild.py --check    # assess again, compare the results, write nothing; exit code 1 if they differ

The picture in the README is page 1 of leaky.pdf, drawn by poppler (Debian: poppler-utils). The time of creation is
fixed, so the same versions write the same bytes. Results are compared without the time and without the versions that
measured: key by key, numbers to nine digits, since other processors may round the last ones another way.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

EXAMPLES = Path(__file__).resolve().parent
REPORTS = EXAMPLES / "reports"
PICTURE = "page-1.png"
PICTURED = "leaky"
SUFFIXES = (".html", ".pdf", ".json")
CREATED = "1796040000"
"""2026-11-30 12:00:00 UTC."""
NOT_COMPARED = ("created", "environment")
DIGITS = 1e-9
DOTS_PER_INCH = "100"
GATE_NOT_MET = 1


class Example(NamedTuple):
    """What is assessed: the folder of the tables, their suffix, the synthetic one, and further words of the command."""

    folder: str
    suffix: str
    synthetic: str
    words: tuple[str, ...]


MADE = {
    "good": Example("adult", ".parquet", "synthetic_good", ("--title", "UCI Adult, synthetic table")),
    "leaky": Example("adult", ".parquet", "synthetic_leaky", ("--title", "UCI Adult, leaky control")),
    "ecg": Example(
        "ecg",
        ".npz",
        "synthetic_leaky",
        ("--lead-names", "MLII,V5", "--sampling-rate", "360", "--title", "MIT-BIH record 100, leaky control"),
    ),
}
"""By the name of the files. The first two are what `reportgen demo` writes, but for the time."""


class RebuildError(Exception):
    """The reports can't be made or compared; the message is one line."""


def assess(name: str, outputs: list[Path]) -> None:
    """Assess an example with the command that a user types, in the folder of its tables."""
    example = MADE[name]
    original, synthetic, holdout = (f"{table}{example.suffix}" for table in ("original", example.synthetic, "holdout"))
    written = [word for path in outputs for word in ("-o", str(path.resolve()))]
    command = ["assess", original, synthetic, "--holdout", holdout, *example.words, "-q", *written]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("REPORTGEN_")}
    done = subprocess.run(  # noqa: S603 -- this very program, with words from the table above
        [sys.executable, "-m", "reportgen", *command],
        cwd=EXAMPLES / example.folder,
        env=environment | {"SOURCE_DATE_EPOCH": CREATED},
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode not in {0, GATE_NOT_MET}:
        msg = f"{name}: {done.stderr.strip() or f'exit code {done.returncode}'}"
        raise RebuildError(msg)


def draw_first_page(pdf: Path, picture: Path) -> None:
    """Draw the first page of a PDF by poppler's pdftoppm."""
    tool = shutil.which("pdftoppm")
    if tool is None:
        msg = "pdftoppm, which draws the picture for the README, is missing; install poppler-utils (Debian) or poppler"
        raise RebuildError(msg)
    page = ["-f", "1", "-singlefile", "-r", DOTS_PER_INCH, "-png"]
    command = [tool, *page, str(pdf), str(picture.with_suffix(""))]
    done = subprocess.run(command, check=False, capture_output=True)  # noqa: S603 -- poppler, on a file made here
    if done.returncode or not picture.is_file():
        msg = f"{pdf.name}: pdftoppm draws no picture of it (exit code {done.returncode})"
        raise RebuildError(msg)


def rebuild(folder: Path) -> list[Path]:
    """Make all reports and the picture; the files of the folder are replaced once all of them are there."""
    if shutil.which("pdftoppm") is None:
        draw_first_page(Path(), Path())  # says what is missing before minutes are spent
    with tempfile.TemporaryDirectory() as place:
        made = Path(place)
        for name in MADE:
            assess(name, [made / f"{name}{suffix}" for suffix in SUFFIXES])
        draw_first_page(made / f"{PICTURED}.pdf", made / PICTURE)
        folder.mkdir(exist_ok=True)
        return [Path(shutil.copy(path, folder / path.name)) for path in sorted(made.iterdir())]


def assess_again(name: str) -> Any:
    """Return the result of an example as the program that is here measures it."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "result.json"
        assess(name, [path])
        return json.loads(path.read_text(encoding="utf-8"))


def kept_result(name: str, folder: Path = REPORTS) -> Any:
    """Return the result that is kept of an example."""
    path = folder / f"{name}.json"
    if not path.is_file():
        msg = f"{path.relative_to(EXAMPLES.parent)} is missing; python examples/rebuild.py writes it"
        raise RebuildError(msg)
    return json.loads(path.read_text(encoding="utf-8"))


def differences(kept: Any, again: Any) -> list[str]:
    """Name each place in which two results differ, such as "metrics.closest_rate.scores.rate.value: 93.3, now 93.4"."""
    kept, again = ({key: one[key] for key in one if key not in NOT_COMPARED} for one in (kept, again))
    return list(_differences(kept, again, ""))


def _differences(kept: Any, again: Any, where: str) -> Iterator[str]:
    if isinstance(kept, dict) and isinstance(again, dict):
        for key in sorted(kept.keys() | again.keys()):
            place = f"{where}.{key}" if where else key
            if key not in again:
                yield f"{place}: gone"
            elif key not in kept:
                yield f"{place}: new"
            else:
                yield from _differences(kept[key], again[key], place)
    elif isinstance(kept, list) and isinstance(again, list) and len(kept) == len(again):
        for place, (one, other) in enumerate(zip(kept, again, strict=True)):
            yield from _differences(one, other, f"{where}.{place}")
    elif not _same(kept, again):
        yield f"{where}: {kept!r}, now {again!r}"


def _same(kept: Any, again: Any) -> bool:
    """Whether two values are the same; numbers with a fraction to nine digits."""
    if isinstance(kept, float) and isinstance(again, float):
        return math.isclose(kept, again, rel_tol=DIGITS, abs_tol=DIGITS)
    return type(kept) is type(again) and bool(kept == again)


def check() -> int:
    """Assess all examples again and print in what they differ from the results that are kept; 1 where one does."""
    found = {name: differences(kept_result(name), assess_again(name)) for name in MADE}
    for name, places in found.items():
        print(f"{name}: {f'{len(places)} differences' if places else 'the same'}")
        for place in places:
            print(f"  {place}")
    return int(any(found.values()))


def main() -> int:
    """Rebuild or check, as asked; the exit code."""
    parser = argparse.ArgumentParser(description="Make the finished reports in examples/reports anew.")
    parser.add_argument("--check", action="store_true", help="assess again and compare the results, write nothing")
    arguments = parser.parse_args()
    try:
        if arguments.check:
            return check()
        for path in rebuild(REPORTS):
            print(f"{path.relative_to(EXAMPLES)}\t{path.stat().st_size / 1000:,.0f} kB")
    except RebuildError as error:
        print(f"rebuild.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
