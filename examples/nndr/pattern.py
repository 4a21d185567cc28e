"""Reproduce the pattern of seed 004's table: NNDR of a Gaussian copula, of real rows, and of a memorising control.

    python pattern.py adult.data.gz > table.md

4,200 rows of UCI Adult are the original; a Gaussian copula, fitted on them here, makes 4,200 synthetic rows; 2,100
other rows of Adult are unseen. Three tables are assessed against the same original and unseen rows:

- the copula's output,
- a control of 2,100 copies of original rows and 2,100 unseen real rows, which is what the published control fits,
- the copula's output as the memorising control that stands in every report: half of its rows replaced by copies.

The published distance isn't public, so the digits differ; the pattern must not: the copula far below the real rows'
own share, the control at about one half plus half of that share, with a 5th percentile of exactly 0.

UCI Adult: Becker, B. & Kohavi, R. (1996), UCI Machine Learning Repository, CC BY 4.0.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from scipy import stats

import reportgen
from reportgen.model import Measured

ROWS = 4200
SEED = 7


def gaussian_copula(table: pd.DataFrame, rows: int, random: np.random.Generator) -> pd.DataFrame:
    """Draw rows whose columns have the table's marginals and the correlations of its normal scores.

    A category takes a random place within the interval of its frequency, so that ties don't distort the scores.
    """
    scores = np.empty(table.shape)
    for place, name in enumerate(table):
        order = table[name].rank(method="min") if table[name].dtype.kind in "iuf" else _by_frequency(table[name])
        jittered = order + random.uniform(size=len(table)) * order.map(order.value_counts())
        scores[:, place] = stats.norm.ppf((jittered.rank() - 0.5) / len(table))
    drawn = random.multivariate_normal(np.zeros(table.shape[1]), np.corrcoef(scores.T), rows, method="cholesky")
    made = {}
    for place, name in enumerate(table):
        column = table[name]
        values = column.sort_values() if column.dtype.kind in "iuf" else column.iloc[np.argsort(_by_frequency(column))]
        picked = np.floor(stats.norm.cdf(drawn[:, place]) * len(table)).astype(int).clip(0, len(table) - 1)
        made[name] = values.to_numpy()[picked]
    return pd.DataFrame(made)


def _by_frequency(column: pd.Series[str]) -> pd.Series[float]:
    counts = column.value_counts()
    starts = (counts.cumsum() - counts).astype(float)
    return column.map(starts)


def main(source: str) -> None:
    """Print the table."""
    adult = pd.read_csv(source, skipinitialspace=True)
    adult.columns = adult.columns.str.strip()
    random = np.random.default_rng(SEED)
    adult = adult.iloc[random.permutation(len(adult))].reset_index(drop=True)
    original, unseen = adult[:ROWS], adult[ROWS : ROWS + ROWS // 2]
    synthetic = gaussian_copula(original, ROWS, random)
    control = pd.concat([original.sample(ROWS // 2, random_state=SEED), unseen])

    copula = reportgen.assess(original, synthetic, unseen, metric=["nndr"])
    half = reportgen.assess(original, control, unseen, metric=["nndr"])
    measured, memorised = copula.metrics["nndr"], half.metrics["nndr"]
    assert isinstance(measured, Measured)  # noqa: S101 -- both have thousands of rows
    assert isinstance(memorised, Measured)  # noqa: S101
    always = copula.result.controls.memorising
    assert always is not None  # noqa: S101

    print("| rows looking for their two closest original rows | 5th percentile | median | below 0.5 |")
    print("|---|---|---|---|")
    real = {name: measured.scores[name].reference or 0.0 for name in ("p5", "median", "share_below")}
    lines = {
        f"Gaussian copula, {ROWS:,}": {name: score.value for name, score in measured.scores.items()},
        f"original rows themselves, {ROWS:,}": real,
        f"half copies, half unseen real rows, {ROWS:,}": {n: score.value for n, score in memorised.scores.items()},
        f"memorising control of every report, {ROWS:,}": {n: s.value for n, s in always.scores["nndr"].items()},
    }
    for name, values in lines.items():
        print(f"| {name} | {values['p5']:.4f} | {values['median']:.4f} | {100 * values['share_below']:.1f} % |")
    excess = measured.scores["excess"]
    print(
        f"\nExcess of the copula: {100 * excess.value:.1f} points ({100 * (excess.low or 0):.1f} to "
        f"{100 * (excess.high or 0):.1f}). One half and half of the real rows' share: "
        f"{50 + 50 * real['share_below']:.1f} %."
    )


if __name__ == "__main__":
    main(sys.argv[1])
