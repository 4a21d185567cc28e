"""The table of the calibration: what was asked of the level, how often it was so, and whether that is reached.

A number counts as reached where the Wilson 95 % interval of its runs holds what was asked or lies wholly on the better
side. With fewer runs than asked for, an interval that merely holds it says too little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Line = dict[str, Any]
Answer = Literal["reached", "**not reached**", "too few runs to say"]
Z = 1.959963984540054
"""97.5 % quantile of the normal distribution."""
BEGIN, END = "<!-- made by calibration.py: begin -->", "<!-- made by calibration.py: end -->"
NO_LEAK = ("ideal", "shrunk x0.8", "wide x1.5", "mean shift .5 sd", "a third missing", "frequencies off x3")
LEVELS = ("low", "inconclusive", "moderate", "high")


def wilson(hits: int, runs: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson, Journal of the American Statistical Association 22, 1927); runs above 0.

    >>> [round(limit, 4) for limit in wilson(0, 10)]
    [0.0, 0.2775]
    """
    share, weight = hits / runs, Z * Z / runs
    centre = share + weight / 2
    reach = Z * math.sqrt(share * (1 - share) / runs + weight / (4 * runs))
    low, high = ((centre - reach) / (1 + weight), (centre + reach) / (1 + weight))
    return (0.0 if hits == 0 else low), (1.0 if hits == runs else high)


EVENTS: dict[str, Callable[[Line], bool | None]] = {
    **{level: lambda line, level=level: line["level"] == level for level in LEVELS},
    "moderate or high": lambda line: line["level"] in {"moderate", "high"},
    "U covers": lambda line: line["upper"] >= line["leaked"],
    "L covers": lambda line: line["lower"] <= line["leaked"],
    "found": lambda line: line["found"],
}
"""What a run can be counted for; None where it can't."""


@dataclass(frozen=True)
class Target:
    """What is asked of the runs of some scenarios in some populations, taken together.

    `least` and `most` bound the share of runs in which `event` holds; `enough`: so many runs are asked for.
    """

    scenarios: tuple[str, ...]
    populations: str
    event: str
    least: float = 0.0
    most: float = 1.0
    rows: int = 1000
    enough: int = 300
    label: str = ""

    @property
    def name(self) -> str:
        """The scenario's name as the table prints it."""
        own = self.label or self.scenarios[0]
        return own if self.rows == 1000 else f"{own}, n = {self.rows}"

    @property
    def asked(self) -> str:
        """What is asked, in words."""
        if self.least > 0 and self.most < 1:
            return f"{100 * self.least:.0f}–{100 * self.most:.0f} %"
        if self.least > 0:
            return f"≥ {100 * self.least:.0f} %"
        return "never" if self.most == 0 else f"≤ {100 * self.most:.0f} %"

    def counted(self, lines: Sequence[Line]) -> tuple[int, int]:
        """Count the runs in which the event holds, and the runs."""
        happened = [
            EVENTS[self.event](line)
            for line in lines
            if line["scenario"] in self.scenarios
            and line["population"] in self.populations
            and line["rows"] == self.rows
        ]
        known = [one for one in happened if one is not None]
        return sum(known), len(known)

    def answer(self, hits: int, runs: int) -> Answer:
        """Say whether it is reached."""
        if not runs:
            return "too few runs to say"
        low, high = wilson(hits, runs)
        if high < self.least or low > self.most:
            return "**not reached**"
        surely = low >= self.least and high <= self.most
        return "reached" if surely or runs >= self.enough else "too few runs to say"


def targets() -> tuple[Target, ...]:
    """List what is asked."""
    found: list[Target] = []

    def ask(event: str, *scenarios: str, a: float | None = None, b: float | None = None, **more: Any) -> None:
        at_least = event != "low" and not more.pop("rare", False)
        for scenario in scenarios:
            for population, limit in (("A", a), ("B", b)):
                if limit is not None:
                    bound = {"least": limit} if at_least else {"most": limit}
                    found.append(Target((scenario,), population, event, **bound, **more))

    ask("high", *NO_LEAK, a=0.08, b=0.08, rare=True)
    found.append(Target(NO_LEAK, "AB", "high", most=0.06, label="all six without a leak"))
    ask("moderate or high", *NO_LEAK, a=0.12, b=0.12, rare=True)
    found += [Target(("ideal",), population, "low", least=0.72) for population in "AB"]
    found += [Target(("ideal",), population, "low", least=0.85, rows=2000, enough=200) for population in "AB"]
    ask("low", "ideal", a=0.0, b=0.0, rows=200, enough=200)
    ask("high", "1 % near", a=0.68, b=0.65)
    ask("low", "1 % near", a=0.12, b=0.05)
    ask("high", "2 % near", a=0.95, b=0.95)
    ask("low", "2 % near", a=0.01, b=0.01)
    ask("low", "exchanged, 5 % near", "leaky holdout", a=0.0, b=0.0)
    ask("high", "1 % near, most isolated", a=0.95, b=0.95)
    ask("high", "1 % exact", a=0.97, b=0.82)
    ask("moderate or high", "1 % exact", a=0.95, b=0.95)
    ask("high", "5 % near", "5 % exact twice", "5 % near twice", "1 % of rows near ten times", a=0.97, b=0.97)
    ask("high", "5 % one column changed", "20 % shifted 3 sd in one column", a=0.95, b=0.95)
    ask("high", "5 % near in wide x1.5", "every row moved .3 sd", a=0.95, b=0.95)
    ask("high", "5 % jitter .2 sd", a=0.60, b=0.95)
    ask("high", "5 % near", a=0.95, b=0.95, rows=200, enough=200)
    ask("high", "ideal, holdout n/2", "ideal, holdout n/4", "ideal, holdout n/10", a=0.06, b=0.06, rare=True)
    copies = ("5 % exact", "5 % exact twice", "1 % of rows exact ten times")
    ask("U covers", *copies, a=0.95, b=0.95)
    ask("L covers", "ideal", *copies, a=0.95, b=0.95)
    found += [
        Target(("smallest leak planted",), population, "found", least=0.70, most=0.95, enough=200)
        for population in "AB"
    ]
    return tuple(found)


def render(lines: Sequence[Line], version: str) -> str:
    """Make the document's tables from the lines of runs."""
    return "\n".join(
        [
            f"{len(lines)} runs; digest of the measuring code: `{version}`." + _taken_over(lines),
            "",
            "### In ten lines",
            "",
            *in_short(lines),
            "",
            "### What is asked of the level",
            "",
            "| scenario | population | event | asked | share | runs | Wilson 95 % | |",
            "|---|---|---|---|---:|---:|---|---|",
            *(_row(target, lines) for target in targets()),
            "",
            "### The metrics that describe, read with a fixed cut-off, beside the level in the same runs",
            "",
            *_cut_offs(lines),
            "",
            "### Every scenario",
            "",
            *_levels(lines),
        ]
    )


def _taken_over(lines: Sequence[Line]) -> str:
    taken = sum("taken_over" in line for line in lines)
    if not taken:
        return ""
    cells = {(line["scenario"], line["population"], line["rows"]) for line in lines if "taken_over" in line}
    return (
        f" {taken} of them were made by earlier code; in every cell of theirs ({len(cells)}) the present code"
        f" repeated the last runs number for number (`--take-over`), {len(lines) - taken} runs in all."
    )


def _row(target: Target, lines: Sequence[Line]) -> str:
    hits, runs = target.counted(lines)
    which = " and ".join(target.populations)
    cells = (target.name, which, target.event, target.asked, share(hits, runs), str(runs), interval(hits, runs))
    return f"| {' | '.join(cells)} | {target.answer(hits, runs)} |"


def share(hits: int, runs: int) -> str:
    """Write a share in percent, never rounded to 0 or 100 where it is not."""
    if not runs:
        return "–"
    if hits in {0, runs}:
        return f"{100 * hits // runs} %"
    return f"{min(max(100 * hits / runs, 0.1), 99.9):.1f} %"


def interval(hits: int, runs: int) -> str:
    """Write the Wilson interval in percent."""
    return "{:.1f}–{:.1f} %".format(*(100 * limit for limit in wilson(hits, runs))) if runs else "–"


SHORT: tuple[tuple[str, tuple[str, ...], str, int], ...] = (
    ("six generators without a leak are called high", NO_LEAK, "high", 1000),
    ("independent rows are called low", ("ideal",), "low", 1000),
    ("1 % near copies are called high", ("1 % near",), "high", 1000),
    ("2 % near copies are called high", ("2 % near",), "high", 1000),
    ("1 % exact copies are called moderate or high", ("1 % exact",), "moderate or high", 1000),
    ("5 % copies with one column changed are called high", ("5 % one column changed",), "high", 1000),
    ("5 % copies moved by .2 sd are called high", ("5 % jitter .2 sd",), "high", 1000),
    ("5 % near copies in 200 rows are called high", ("5 % near",), "high", 200),
    ("exchanged files and leaky holdouts are called low", ("exchanged, 5 % near", "leaky holdout"), "low", 1000),
    ("the upper bound covers the copies really there", ("5 % exact", "5 % exact twice"), "U covers", 1000),
)


def in_short(lines: Sequence[Line]) -> list[str]:
    """Make the ten lines that the README shows."""
    found = ["| how often, of how many runs (95 % interval) | A | B |", "|---|---|---|"]
    for label, scenarios, event, rows in SHORT:
        counts = [Target(scenarios, population, event, rows=rows).counted(lines) for population in "AB"]
        shares = [f"{share(hits, runs)} of {runs} ({interval(hits, runs)})" for hits, runs in counts]
        found.append(f"| {label} | {' | '.join(shares)} |")
    return found


def _cut_offs(lines: Sequence[Line]) -> list[str]:
    columns = [(name, population) for name in ("ideal", "5 % exact twice") for population in "AB"]
    with_scores = {
        column: [
            line
            for line in lines
            if (line["scenario"], line["population"], line["rows"]) == (*column, 1000) and "cut_offs" in line
        ]
        for column in columns
    }
    found = [
        f"| calls it leaky where | {' | '.join(f'{name}, {population}' for name, population in columns)} |",
        f"|---|{'---:|' * len(columns)}",
    ]
    names = next((list(line["cut_offs"]) for chosen in with_scores.values() for line in chosen), [])
    events: dict[str, Callable[[Line], bool | None]] = {
        **{name: lambda line, name=name: line["cut_offs"][name] for name in names},
        "our level: high": EVENTS["high"],
        "our level: moderate or high": EVENTS["moderate or high"],
    }
    for name, event in events.items():
        shares = [share(sum(map(event, own)), len(own)) for own in with_scores.values()]
        found.append(f"| {name} | {' | '.join(shares)} |")
    return [*found, f"| runs | {' | '.join(str(len(own)) for own in with_scores.values())} |"]


def _levels(lines: Sequence[Line]) -> list[str]:
    cells: dict[tuple[str, str, int], list[Line]] = {}
    for line in lines:
        cells.setdefault((line["scenario"], line["population"], line["rows"]), []).append(line)
    found = [
        "| scenario | population | n | runs | low | inconclusive | moderate | high | leak test ≤ .05 |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (scenario, population, rows), own in sorted(cells.items()):
        counts = [sum(line["level"] == level for line in own) for level in LEVELS]
        counts.append(sum(line["p"] <= 0.05 for line in own))
        shares = " | ".join(share(count, len(own)) for count in counts)
        found.append(f"| {scenario} | {population} | {rows} | {len(own)} | {shares} |")
    return found


def put_between(path: Path, table: str) -> None:
    """Put the table between its two marks in a document; ValueError where it has none."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        message = f"{path.name} lacks the lines {BEGIN} and {END}"
        raise ValueError(message)
    path.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", encoding="utf-8")
