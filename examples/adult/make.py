"""Make the four demo tables from the UCI Adult data.

    python examples/adult/make.py adult.data.gz examples/adult

Source: Becker, B. & Kohavi, R. (1996), Adult, UCI Machine Learning Repository, https://doi.org/10.24432/C5XW20,
licence CC BY 4.0: the file `adult.data` with a header line, gzipped, 32,561 rows.

Generator: adversarial random forests, arfpy 0.1.1 (MIT licence); Watson, D. S., Blesch, K., Kapar, J. & Wright, M. N.
(2023), Adversarial random forests for density estimation and generative modeling, AISTATS, PMLR 206:5357-5375.
reportgen doesn't need it. It wants an environment of its own, in which this script runs:

    python3.11 -m venv generator
    generator/bin/pip install arfpy==0.1.1 numpy==1.26.4 pandas==2.2.3 pyarrow==18.1.0 scikit-learn==1.5.2 scipy==1.14.1

With these versions the script writes the same bytes again on the same kind of machine. The generator is fitted on the
original rows and nothing else.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from arfpy import arf

ROWS = 2000
EXACT_COPIES = 100
NEAR_COPIES = 100
DRAW_SEED = 1996
GENERATOR_SEED = 2023
LEAK_SEED = 2000
LEAF_ROWS = 50
"""Least number of rows in a leaf of a tree. More rows blur each person further. On three other draws from the source,
58-60 % of the synthetic rows lay closer to the original than to the holdout with arfpy's default of 5, 51-53 % with 50,
49-52 % of people whom the generator never saw: the default is no good example.
"""
MISSING = "?"
IMPLIED = "education-num"
"""A code of `education`, one to one: restored from it afterwards, so that the two never contradict each other."""
SPIKED = ("capital-gain", "capital-loss", "hours-per-week")
"""Numbers that pile up on few values (0, or 40 hours): drawn as levels, since a bell curve would smear the piles."""
BOUNDS: dict[str, tuple[float, float]] = {"age": (16.5, 90.5), "fnlwgt": (1e4, 1.6e6)}
"""Ends of the two bell-shaped columns, by the census extract's documentation (ages 17-90) or round: truncates the
generator's densities, which reach to infinity in the outermost leaves."""
NUDGES: dict[str, tuple[int, int]] = {"age": (1, 2), "fnlwgt": (50, 500), "hours-per-week": (1, 2)}
"""Smallest and largest step by which a near copy differs from its original, in units of the column."""


def read_source(path: Path) -> pd.DataFrame:
    """Read the source: blanks stripped from names and values, "?" made missing, columns integer or string."""
    table = pd.read_csv(path, skipinitialspace=True, na_values=[MISSING], keep_default_na=False)
    return table.rename(columns=str.strip)


def draw_people(source: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw original and holdout: different rows of the source, without replacement."""
    order = np.random.default_rng(DRAW_SEED).permutation(len(source))
    original, holdout = order[:ROWS], order[ROWS : 2 * ROWS]
    return source.iloc[original].reset_index(drop=True), source.iloc[holdout].reset_index(drop=True)


def synthesise(original: pd.DataFrame) -> pd.DataFrame:
    """Fit the generator on the original rows and draw as many synthetic ones, of the same columns and types."""
    texts = [str(name) for name in original if original[name].dtype == object]
    training = original.drop(columns=IMPLIED)
    training[texts] = training[texts].fillna(MISSING)  # a level like any other: people leave answers out
    training["fnlwgt"] = np.log(training["fnlwgt"])  # skewed: a bell curve fits the logarithm
    training = training.astype(dict.fromkeys([*texts, *SPIKED], "category"))

    np.random.seed(GENERATOR_SEED)  # noqa: NPY002 -- arfpy draws from the global state
    forest = arf.arf(training, min_node_size=LEAF_ROWS, verbose=False, random_state=GENERATOR_SEED)
    forest.forde()
    for name, ends in BOUNDS.items():
        low, high = np.log(ends) if name == "fnlwgt" else ends
        leaves = forest.params["variable"] == name
        forest.params.loc[leaves, ["min", "max"]] = forest.params.loc[leaves, ["min", "max"]].clip(low, high)
    drawn: pd.DataFrame = forest.forge(n=ROWS)

    drawn["fnlwgt"] = np.exp(drawn["fnlwgt"].astype(float))
    drawn[texts] = drawn[texts].astype(object).replace(MISSING, None)
    code_of = dict(zip(original["education"], original[IMPLIED], strict=True))
    drawn[IMPLIED] = drawn["education"].map(code_of)
    numbers = [str(name) for name in original if name not in texts]
    drawn[numbers] = drawn[numbers].astype(float).round().astype("int64")
    return drawn[list(original)]


def plant_copies(good: pd.DataFrame, original: pd.DataFrame) -> pd.DataFrame:
    """Replace rows of the good table by exact copies and near copies of different original rows, then shuffle."""
    random = np.random.default_rng(LEAK_SEED)
    planted = EXACT_COPIES + NEAR_COPIES
    copied = original.iloc[random.choice(ROWS, planted, replace=False)].reset_index(drop=True)
    for row in range(EXACT_COPIES, planted):
        names = random.choice(list(NUDGES), size=random.integers(1, 2, endpoint=True), replace=False)
        for name in map(str, names):
            step = random.integers(*NUDGES[name], endpoint=True) * random.choice([-1, 1])
            value = copied[name].iloc[row]
            below = value + step < original[name].min()  # no age of 16: the step goes the other way
            copied.loc[row, name] = value - step if below else value + step
    kept = good.iloc[random.choice(ROWS, ROWS - planted, replace=False)]
    mixed = pd.concat([kept, copied], ignore_index=True)
    return mixed.iloc[random.permutation(ROWS)].reset_index(drop=True)


def write(table: pd.DataFrame, path: Path) -> None:
    """Write small Parquet: integers and dictionary-encoded strings, without pandas' metadata."""
    arrow = pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
    pq.write_table(arrow, path, compression="zstd", compression_level=19)


def main() -> None:
    """Read the arguments and write the four tables."""
    parser = argparse.ArgumentParser(description="Make the four demo tables from the UCI Adult data.")
    parser.add_argument("source", type=Path, help="adult.data.gz, with a header line")
    parser.add_argument("folder", type=Path, help="where the four tables go")
    arguments = parser.parse_args()

    original, holdout = draw_people(read_source(arguments.source))
    good = synthesise(original)
    tables = {
        "original": original,
        "holdout": holdout,
        "synthetic_good": good,
        "synthetic_leaky": plant_copies(good, original),
    }
    for name, table in tables.items():
        write(table, arguments.folder / f"{name}.parquet")
        print(f"{name}: {len(table)} rows, {len(table.columns)} columns")


if __name__ == "__main__":
    main()
