"""Several releases of one original side by side, and all of them together.

Whoever receives several releases holds the rows of all. Their risk together is read from one more synthetic table: the
rows of all releases under each other. It is a reading of distances to people like every other; what joining releases
row by row could tell is another question, and is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from reportgen.bounds import Name
from reportgen.errors import InputError
from reportgen.gate import GateReport
from reportgen.model import LEVELS, Digest, Level, Part, Result, digest
from reportgen.shown import shown_name

TOGETHER = "all-releases"
"""Base name of the outputs on all releases together."""
ENDINGS = (".csv.gz", ".tsv.gz", ".csv", ".tsv", ".parquet", ".feather", ".npy", ".npz")


class Release(Part):
    """One line of the comparison."""

    name: Name
    """Base name of its outputs."""
    file: Name
    rows: int
    level: Level
    gate_met: bool
    upper_bound: float | None
    """Percent of its rows, at most, that can sit on original rows (95 % confidence)."""
    smallest_leak: float | None
    """Share of planted near copies that its run would have noticed."""
    reason: str
    """The first reason of the verdict."""
    result: Digest
    together: bool
    """Whether it is all releases together."""


class Releases(Part):
    """All releases of one run."""

    format: Literal["reportgen releases 1"] = "reportgen releases 1"
    releases: Annotated[tuple[Release, ...], Field(min_length=1)]

    @property
    def worst(self) -> Level:
        """The worst level, that of all together included."""
        return max((one.level for one in self.releases), key=LEVELS.index)


def release(name: str, result: Result, gate: GateReport) -> Release:
    """Describe one release by its result."""
    return Release(
        name=name,
        file=result.inputs.synthetic.name,
        rows=result.inputs.synthetic.rows,
        level=result.verdict.level,
        gate_met=gate.met,
        upper_bound=result.verdict.upper_bound,
        smallest_leak=result.controls.detectable.share,
        reason=result.verdict.reasons[0].text if result.verdict.reasons else "",
        result=digest(result),
        together=name == TOGETHER,
    )


def to_json(releases: Releases) -> str:
    """Serialise: sorted keys, unrounded numbers."""
    plain = releases.model_dump(mode="json")
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def base_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Name the outputs of each release after its file, without folder and ending; InputError where two are one."""
    names: list[str] = []
    for path in paths:
        name = Path(path.rstrip("/")).name
        ending = next((one for one in ENDINGS if name.lower().endswith(one)), "")
        before, colon, key = name.rpartition(":")
        if colon and before.lower().endswith(".npz"):
            base = f"{before[: -len('.npz')]}-{key}"
        else:
            base = name[: len(name) - len(ending)] if ending else name
        if base.casefold() in {*(other.casefold() for other in names), TOGETHER}:
            msg = f"two outputs would be named after the release {shown_name(base)}; rename one of the files"
            raise InputError(msg)
        names.append(base)
    return tuple(names)


def outputs_of(base: str, outputs: Sequence[str], suffixes: Sequence[str]) -> tuple[str, ...]:
    """Return the paths of one release's outputs: in the folder and format of each named output, by its own name."""
    return tuple(
        str(Path(output).with_name(f"{base}{suffix}")) for output, suffix in zip(outputs, suffixes, strict=True)
    )


def check_names(bases: Sequence[str], tables: Sequence[str], outputs: Sequence[str], suffixes: Sequence[str]) -> None:
    """Raise InputError where two outputs of a run would be one file; `tables` are those that hold the comparison."""
    taken = [str(Path(table)).casefold() for table in tables]
    for base in (*bases, TOGETHER):
        taken += [name.casefold() for name in outputs_of(base, outputs, suffixes)]
    doubled = sorted({name for name in taken if taken.count(name) > 1})
    if doubled:
        clash = shown_name(Path(doubled[0]).name)
        msg = (
            f"two outputs would be named {clash}, since each release's are named after it; choose another name with -o"
        )
        raise InputError(msg)
