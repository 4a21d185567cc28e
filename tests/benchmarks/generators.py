"""What makes synthetic rows in the calibration: generators without a leak, with one, and files in the wrong place.

A generator is given the original, the population, a number of rows and random numbers. What it does not copy is drawn
from the population anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from populations import (
    CENTRES,
    POPULATIONS,
    Population,
    Random,
    altered,
    jittered,
    like_files,
    most_isolated,
    numbers,
    spread_of,
)


@dataclass(frozen=True)
class Files:
    """The three tables of a run as a user gives them, and how many synthetic rows are copies, however altered."""

    original: pd.DataFrame
    synthetic: pd.DataFrame
    holdout: pd.DataFrame
    leaked: int = 0


Made = tuple[pd.DataFrame, int]
Generator = Callable[[pd.DataFrame, Population, int, Random], Made]
"""From the original, the population and a number of rows to synthetic rows and how many of them are copies."""


# Generators without a leak.


def independent(_: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    return population(rows, random), 0


def scaled(_: pd.DataFrame, population: Population, rows: int, random: Random, *, by: float, shift: float = 0) -> Made:
    made = population(rows, random)
    names = numbers(made)
    centre = made[names].mean()
    made[names] = centre + by * (made[names] - centre) + shift * spread_of(made)
    return like_files(made), 0


def third_missing(_: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    """Leave out the rows with the lowest first number, a third of the population."""
    made = population(2 * rows, random)
    return made[made.iloc[:, 0] > made.iloc[:, 0].quantile(1 / 3)].iloc[:rows].reset_index(drop=True), 0


def frequencies_off(_: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    """Make some rows three times as likely: of every second job, or near the first centre of the mixture."""
    made = population(4 * rows, random)
    if "job" in made:
        favoured = made["job"].str[-1].isin(list("acegikmoqs"))
    else:
        squares = (made.to_numpy()[:, np.newaxis, :] - CENTRES) ** 2
        favoured = squares.sum(axis=2).argmin(axis=1) == 0
    kept = random.random(len(made)) < np.where(favoured, 1.0, 1 / 3)
    return made[kept].iloc[:rows].reset_index(drop=True), 0


def columns_independent(_: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    """Draw every column on its own: the marginals are right and nothing else is."""
    made = population(rows, random)
    return made.apply(lambda column: random.permutation(column.to_numpy())), 0


def collapsed(_: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    """Repeat a tenth of the rows ten times each."""
    few = population(rows // 10, random)
    return few.iloc[np.arange(rows) % len(few)].reset_index(drop=True), 0


def coarse(_: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    """Round every number to half a standard deviation."""
    made = population(rows, random)
    for name, sd in spread_of(made).items():
        made[name] = np.round(made[name] / (sd / 2)) * (sd / 2)
    return made, 0


# Generators with a leak. `share` is that of the synthetic rows, unless said otherwise.

Alter = Callable[[pd.DataFrame, pd.DataFrame, Random], pd.DataFrame]
"""From original rows and the whole original to what the generator makes of these rows."""


def exact(rows: pd.DataFrame, _: pd.DataFrame, __: Random) -> pd.DataFrame:
    return rows


def noisy(rows: pd.DataFrame, original: pd.DataFrame, random: Random, *, deviations: float) -> pd.DataFrame:
    return jittered(rows, deviations, spread_of(original), random)


near = partial(noisy, deviations=0.05)


def changed(rows: pd.DataFrame, original: pd.DataFrame, random: Random, *, columns: int) -> pd.DataFrame:
    return altered(rows, columns, original, random)


def shifted(rows: pd.DataFrame, original: pd.DataFrame, _: Random) -> pd.DataFrame:
    """Move the first number by three standard deviations."""
    name = numbers(original)[0]
    return like_files(rows.assign(**{name: rows[name] + 3 * original[name].std(ddof=0)}))


def copying(
    original: pd.DataFrame,
    population: Population,
    rows: int,
    random: Random,
    *,
    share: float,
    alter: Alter,
    times: int = 1,
    otherwise: Generator = independent,
) -> Made:
    """Replace a share of the synthetic rows by copies of random original rows, each made so many times."""
    synthetic, _ = otherwise(original, population, rows, random)
    copies = round(share * rows)
    source = original.iloc[random.choice(len(original), copies // times, replace=False)]
    made = alter(source.iloc[np.arange(copies) % len(source)].reset_index(drop=True), original, random)
    return replaced(synthetic, made), copies


def copying_isolated(original: pd.DataFrame, population: Population, rows: int, random: Random) -> Made:
    """Replace 1 % of the synthetic rows by near copies of the most isolated original rows."""
    synthetic, _ = independent(original, population, rows, random)
    copies = round(0.01 * rows)
    return replaced(synthetic, near(original.iloc[most_isolated(original, copies)], original, random)), copies


def every_row_moved(original: pd.DataFrame, _: Population, rows: int, random: Random) -> Made:
    """Emit every original row with noise of 0.3 standard deviations in its numbers."""
    return noisy(original.iloc[:rows], original, random, deviations=0.3).reset_index(drop=True), rows


def interpolated(original: pd.DataFrame, _: Population, rows: int, random: Random) -> Made:
    """Emit points between random original rows and one of their five closest (SMOTE), categories of the first."""
    names = numbers(original)
    places = (original[names] / spread_of(original)).to_numpy()
    squares = (places**2).sum(axis=1)
    distances = squares[:, np.newaxis] + squares - 2 * places @ places.T
    np.fill_diagonal(distances, np.inf)
    closest = np.argpartition(distances, 5, axis=1)[:, :5]
    first = random.integers(len(original), size=rows)
    second = closest[first, random.integers(5, size=rows)]
    part = random.random((rows, 1))
    values = original[names].to_numpy()
    made = original.iloc[first].reset_index(drop=True)
    made[names] = values[first] + part * (values[second] - values[first])
    return made, rows


def replaced(synthetic: pd.DataFrame, copies: pd.DataFrame) -> pd.DataFrame:
    """Put copies in the place of the first synthetic rows."""
    return pd.concat([copies, synthetic.iloc[len(copies) :]], ignore_index=True)[list(synthetic.columns)]


# How the files are given.

Arrange = Callable[[Files, Random], Files]


def as_they_are(files: Files, _: Random) -> Files:
    return files


def exchanged(files: Files, _: Random) -> Files:
    """Give the holdout as the original and the original as the holdout."""
    return Files(files.holdout, files.synthetic, files.original, files.leaked)


def leaky_holdout(files: Files, random: Random) -> Files:
    """Put original rows in 2 % of the holdout's places."""
    rows = round(0.02 * len(files.holdout))
    return Files(
        files.original,
        files.synthetic,
        replaced(files.holdout, files.original.iloc[random.choice(len(files.original), rows, replace=False)]),
        files.leaked,
    )


def doubled(files: Files, _: Random) -> Files:
    """Write every original row twice."""
    return Files(pd.concat([files.original] * 2, ignore_index=True), files.synthetic, files.holdout, files.leaked)


def coarsened(files: Files, _: Random) -> Files:
    """Round every number of all tables to one standard deviation of the original."""
    spread = spread_of(files.original)

    def rounded(table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(**{name: np.round(table[name] / sd) * sd for name, sd in spread.items()})

    return Files(rounded(files.original), rounded(files.synthetic), rounded(files.holdout), files.leaked)


# Further columns.


def widened(population: str, columns: int, rows: int, random: Random) -> pd.DataFrame:
    """Add numbers, each a mixture of the population's own and as much noise, until there are so many columns."""
    table = POPULATIONS[population](rows, random)
    spread = _spread(population)
    mixing = np.random.default_rng(7).normal(size=(len(spread), columns - table.shape[1])) / np.sqrt(len(spread))
    more = (table[numbers(table)] / spread).to_numpy() @ mixing + random.normal(size=(rows, mixing.shape[1]))
    return table.assign(**{f"more {place}": column for place, column in enumerate(more.T)})


@cache
def _spread(population: str) -> pd.Series:
    """Standard deviations in the population: taken from a table they would tie its rows together."""
    return spread_of(POPULATIONS[population](20_000, np.random.default_rng(7)))
