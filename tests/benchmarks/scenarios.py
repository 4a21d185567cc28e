"""The scenarios of the calibration, and how often each is run.

A scenario makes the tables of one run from a population, a number of rows and random numbers. Original and holdout are
independent draws from the population.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from generators import (
    Arrange,
    Files,
    Generator,
    as_they_are,
    changed,
    coarse,
    coarsened,
    collapsed,
    columns_independent,
    copying,
    copying_isolated,
    doubled,
    every_row_moved,
    exact,
    exchanged,
    frequencies_off,
    independent,
    interpolated,
    leaky_holdout,
    near,
    noisy,
    scaled,
    shifted,
    third_missing,
    widened,
)
from populations import POPULATIONS, Random


@dataclass(frozen=True)
class Scenario:
    """A generator and how its files are given. `holdout` is the holdout's size as a share of the original's.

    `planted`: once measured, the smallest leak that the run promises to notice is planted in tables drawn anew.
    `columns`: the population gets further ones, up to so many.
    """

    name: str
    generate: Generator
    arrange: tuple[Arrange, ...] = (as_they_are,)
    holdout: float = 1.0
    columns: int | None = None
    planted: bool = False

    def make(self, population: str, rows: int, random: Random) -> Files:
        """Draw the tables of one run."""
        draw = POPULATIONS[population] if self.columns is None else partial(widened, population, self.columns)
        original = draw(rows, random)
        holdout = draw(round(self.holdout * rows), random)
        synthetic, leaked = self.generate(original, draw, rows, random)
        files = Files(original, synthetic, holdout, leaked)
        for arrange in self.arrange:
            files = arrange(files, random)
        return files

    def described(self) -> str:
        """Describe the scenario so that two differ where any part of them does."""
        parts = [self.name, *_described(self.generate), *(one.__name__ for one in self.arrange)]
        return " ".join([*parts, repr((self.holdout, self.columns, self.planted))])


def _described(part: object) -> Iterator[str]:
    if isinstance(part, partial):
        yield from _described(part.func)
        for name, value in sorted(part.keywords.items()):
            yield name
            yield from _described(value)
    else:
        yield part.__name__ if callable(part) else repr(part)


def planting(share: float) -> Scenario:
    """Make the scenario of a share of near copies, whatever it is."""
    return Scenario("planted", _near(share))


def _near(share: float, **more: object) -> Generator:
    return partial(copying, share=share, alter=near, **more)


def _exact(share: float, **more: object) -> Generator:
    return partial(copying, share=share, alter=exact, **more)


def _changed(columns: int) -> Generator:
    return partial(copying, share=0.05, alter=partial(changed, columns=columns))


def _moved(deviations: float) -> Generator:
    return partial(copying, share=0.05, alter=partial(noisy, deviations=deviations))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("ideal", independent),
    Scenario("shrunk x0.8", partial(scaled, by=0.8)),
    Scenario("wide x1.5", partial(scaled, by=1.5)),
    Scenario("mean shift .5 sd", partial(scaled, by=1.0, shift=0.5)),
    Scenario("a third missing", third_missing),
    Scenario("frequencies off x3", frequencies_off),
    Scenario("columns independent", columns_independent),
    Scenario("a tenth of the rows ten times", collapsed),
    Scenario("rounded to .5 sd", coarse),
    Scenario("1 % near", _near(0.01)),
    Scenario("2 % near", _near(0.02)),
    Scenario("5 % near", _near(0.05)),
    Scenario("5 % near twice", _near(0.05, times=2)),
    Scenario("1 % of rows near ten times", _near(0.10, times=10)),
    Scenario("1 % near, most isolated", copying_isolated),
    Scenario("5 % near in wide x1.5", _near(0.05, otherwise=partial(scaled, by=1.5))),
    Scenario("1 % exact", _exact(0.01)),
    Scenario("5 % exact", _exact(0.05)),
    Scenario("5 % exact twice", _exact(0.05, times=2)),
    Scenario("1 % of rows exact ten times", _exact(0.10, times=10)),
    Scenario("5 % one column changed", _changed(1)),
    Scenario("5 % two columns changed", _changed(2)),
    Scenario("20 % shifted 3 sd in one column", partial(copying, share=0.20, alter=shifted)),
    Scenario("every row moved .3 sd", every_row_moved),
    Scenario("5 % jitter .2 sd", _moved(0.2)),
    Scenario("5 % jitter .3 sd", _moved(0.3)),
    Scenario("interpolated", interpolated),
    Scenario("exchanged, 5 % near", _near(0.05), (exchanged,)),
    Scenario("exchanged, 5 % exact", _exact(0.05), (exchanged,)),
    Scenario("exchanged, original doubled, 5 % near", _near(0.05), (doubled, exchanged)),
    Scenario("exchanged, holdout doubled, 5 % near", _near(0.05), (exchanged, doubled)),
    Scenario("exchanged, coarse, 5 % exact", _exact(0.05), (coarsened, exchanged)),
    Scenario("original doubled, ideal", independent, (doubled,)),
    Scenario("holdout doubled, ideal", independent, (exchanged, doubled, exchanged)),
    Scenario("original doubled, 5 % near", _near(0.05), (doubled,)),
    Scenario("coarse, ideal", independent, (coarsened,)),
    Scenario("coarse, 5 % exact", _exact(0.05), (coarsened,)),
    Scenario("leaky holdout", independent, (leaky_holdout,)),
    Scenario("ideal, holdout n/2", independent, holdout=1 / 2),
    Scenario("ideal, holdout n/4", independent, holdout=1 / 4),
    Scenario("ideal, holdout n/10", independent, holdout=1 / 10),
    Scenario("2 % near, holdout n/4", _near(0.02), holdout=1 / 4),
    Scenario("5 % near, holdout n/10", _near(0.05), holdout=1 / 10),
    Scenario("smallest leak planted", independent, planted=True),
    Scenario("20 columns, ideal", independent, columns=20),
    Scenario("20 columns, 1 % near", _near(0.01), columns=20),
    Scenario("20 columns, 5 % one column changed", _changed(1), columns=20),
)
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@dataclass(frozen=True)
class Cell:
    """Runs of one scenario: their number in the full calibration."""

    scenario: str
    population: str
    rows: int
    runs: int


@dataclass(frozen=True)
class Job:
    """One run."""

    scenario: str
    population: str
    rows: int
    seed: int


def cells() -> tuple[Cell, ...]:
    """List what is measured, the most telling first."""
    found: list[Cell] = []

    def add(runs: int, *names: str, rows: int = 1000, populations: str = "AB") -> None:
        found.extend(Cell(name, population, rows, runs) for name in names for population in populations)

    add(300, "ideal", "1 % near", "2 % near", "1 % exact", "exchanged, 5 % near")
    add(300, "5 % one column changed", "5 % jitter .2 sd", "leaky holdout")
    add(200, "ideal", "5 % near", rows=200)
    add(300, "ideal, holdout n/2", "ideal, holdout n/4", "ideal, holdout n/10")
    add(300, "shrunk x0.8", "wide x1.5", "mean shift .5 sd", "a third missing", "frequencies off x3")
    add(300, "1 % near, most isolated", "5 % near", "5 % exact twice", "5 % near twice", "1 % of rows near ten times")
    add(300, "20 % shifted 3 sd in one column", "5 % near in wide x1.5", "every row moved .3 sd")
    add(300, "5 % exact", "1 % of rows exact ten times")
    add(200, "ideal", rows=2000)
    add(200, "smallest leak planted")
    add(40, "exchanged, 5 % exact", "5 % two columns changed", "5 % jitter .3 sd", "interpolated")
    add(40, "columns independent", "a tenth of the rows ten times", "rounded to .5 sd")
    add(40, "2 % near, holdout n/4", "5 % near, holdout n/10")
    add(40, "ideal", "1 % near", "2 % near", "5 % near", "5 % exact", populations="C")
    add(30, "exchanged, original doubled, 5 % near", "exchanged, holdout doubled, 5 % near")
    add(30, "original doubled, ideal", "holdout doubled, ideal", "original doubled, 5 % near")
    add(300, "coarse, ideal", "20 columns, ideal")
    add(30, "coarse, 5 % exact", "exchanged, coarse, 5 % exact")
    add(30, "20 columns, 1 % near", "20 columns, 5 % one column changed")
    add(10, "ideal", "1 % near", rows=30_000)
    return tuple(found)


def jobs(wanted: Iterable[Cell]) -> list[Job]:
    """List the runs so that all cells grow together, in the order of the cells."""
    runs = [
        ((seed + 0.5) / cell.runs, place, Job(cell.scenario, cell.population, cell.rows, seed))
        for place, cell in enumerate(wanted)
        for seed in range(cell.runs)
    ]
    return [job for _, _, job in sorted(runs, key=lambda run: run[:2])]
