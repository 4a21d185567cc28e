"""The two populations of the calibration, and what a leak does to rows: copies with noise, with altered columns, moved.

Tables are DataFrames, numbers as float64 and categories as text. Randomness comes in as a generator.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Random = np.random.Generator
Population = Callable[[int, Random], pd.DataFrame]

CENTRES = np.random.default_rng(99).normal(scale=2, size=(6, 6))
JOBS = np.array(["none", *(f"job {letter}" for letter in "abcdefghijklmnopqrs")])
SCHOOLS = np.array(["primary", "secondary", "trade", "college", "degree", "doctorate"])
GRID = {"age": 1.0, "hours": 1.0, "pay": 10.0, "gain": 100.0}
"""What the numbers of the census-like population are rounded to."""


def gaussian(rows: int, random: Random) -> pd.DataFrame:
    """Population A: a mixture of six 6-d Gaussians; 3 % of the rows lie four times as far from their centre."""
    reach = np.where(random.random(rows) < 0.03, 4.0, 1.0)
    values = CENTRES[random.integers(len(CENTRES), size=rows)] + random.normal(size=(rows, 6)) * reach[:, np.newaxis]
    return pd.DataFrame(values, columns=list("abcdef"))


def census(rows: int, random: Random, pupils: float = 0.01) -> pd.DataFrame:
    """Population B: rounded numbers, a gain that is mostly 0, categories of 2, 4, 6 and 20 levels, natural duplicates.

    A share of the rows are pupils without hours, pay or gain; they are mostly each other's twins.
    """
    stage = random.integers(3, size=rows)
    pupil = random.random(rows) < pupils
    table = pd.DataFrame(
        {
            "age": np.clip(np.round(random.normal(np.array([30, 45, 60])[stage], 8)), 17, 90),
            "hours": np.clip(np.round(random.normal(38, 9, rows)), 1, 80),
            "pay": np.round(random.lognormal(7.5, 0.5, rows), -1),
            "gain": np.where(random.random(rows) < 0.85, 0.0, np.round(random.lognormal(7, 1, rows), -2)),
            "sex": random.choice(["f", "m"], rows),
            "region": random.choice(["north", "south", "east", "west"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "school": SCHOOLS[random.binomial(3, 0.5, rows) + stage],
            "job": JOBS[1 + (random.geometric(0.15, rows) + 4 * stage) % 19],
        }
    )
    table.loc[pupil, ["hours", "pay", "gain"]] = 0.0
    table.loc[pupil, "age"] = random.integers(16, 19, pupil.sum()).astype(float)
    table.loc[pupil, "school"] = random.choice(SCHOOLS[:2], pupil.sum())
    table.loc[pupil, "job"] = JOBS[0]
    return table


POPULATIONS: dict[str, Population] = {"A": gaussian, "B": census, "C": partial(census, pupils=0.04)}
"""C is B with as many twins as census records have without their sampling weights, 4 %."""


def numbers(table: pd.DataFrame) -> list[str]:
    """Name the numeric columns."""
    return list(table.select_dtypes("number"))


def like_files(table: pd.DataFrame) -> pd.DataFrame:
    """Round the census-like numbers as its files hold them; other tables stay as they are."""
    grid = {name: step for name, step in GRID.items() if name in table}
    return table.assign(**{name: np.round(table[name] / step) * step for name, step in grid.items()})


def jittered(rows: pd.DataFrame, deviations: float, spread: pd.Series, random: Random) -> pd.DataFrame:
    """Add noise of so many standard deviations (`spread`, by column) to every number; nothing is rounded."""
    names = numbers(rows)
    noise = deviations * spread[names].to_numpy() * random.normal(size=(len(rows), len(names)))
    return rows.assign(**dict(zip(names, (rows[names].to_numpy() + noise).T, strict=True)))


def spread_of(table: pd.DataFrame) -> pd.Series:
    """Population standard deviation of each number."""
    return table[numbers(table)].std(ddof=0)


def altered(rows: pd.DataFrame, columns: int, source: pd.DataFrame, random: Random) -> pd.DataFrame:
    """Give each row another row's value in so many random columns; where it is the same value, draw again."""
    made = rows.copy()
    chosen = random.random((len(rows), rows.shape[1])).argsort(axis=1)[:, :columns]
    for place, name in enumerate(rows.columns):
        at = np.flatnonzero((chosen == place).any(axis=1))
        own, pool = rows[name].to_numpy()[at], source[name].to_numpy()
        drawn = random.choice(pool, len(at))
        while len(same := np.flatnonzero(drawn == own)):
            drawn[same] = random.choice(pool, len(same))
        column = made[name].to_numpy().copy()
        column[at] = drawn
        made[name] = column
    return made


def most_isolated(table: pd.DataFrame, rows: int) -> NDArray[np.int64]:
    """Positions of the rows with the largest distance to their fifth neighbour: numbers in sd, levels by 1/sqrt(p)."""
    names = numbers(table)
    parts = [(table[names] / spread_of(table)).to_numpy()]
    for name in table.columns.difference(names):
        levels = pd.get_dummies(table[name]).to_numpy(dtype=np.float64)
        parts.append(levels / np.sqrt(levels.mean(axis=0)))
    places = np.concatenate(parts, axis=1)
    squares = (places**2).sum(axis=1)
    distances = squares[:, np.newaxis] + squares - 2 * places @ places.T
    fifth = np.partition(distances, 5, axis=1)[:, 5]  # the row itself is one of the six
    return np.argsort(-fifth, kind="stable")[:rows]
