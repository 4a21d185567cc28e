"""One column of all tables as points: a code for each row, and the coordinates that belong to each code.

Everything is fitted on the real rows alone, which come first. No result depends on the order of rows: sums run over
sorted values with their counts and are rounded once (`math.fsum`). Differences are kept exact: a shift that is the
same for all rows is left away where it would only add rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints
from reportgen.errors import InputError
from reportgen.persons import distinct_pairs
from reportgen.ranks import counted, ranked
from reportgen.read.shelf import forget

FEWEST_ROWS = 5
"""A level with fewer real rows is pooled with others into "(rare)"."""
MOST_LEVELS = 50
"""So many levels of a column are kept apart, the most frequent ones; the others join "(rare)"."""
_LARGEST_CODE = 2**62
_EXACT_INTEGERS = 2**53
_SAFE_INTEGERS = 2**62

Booleans = NDArray[np.bool_]


@dataclass(frozen=True)
class EncodedColumn:
    """A column as encoded: row i has the coordinates `points[codes[i]]`.

    `codes` has shape (rows,), `points` (codes, width). Codes are ranks: numbers ascending, levels by name, missing
    last. `inertia` is the column's part of the variance of the real rows, in units of one standardised number. `step`
    is one population sd of the real numbers in the first coordinate, 0 for a category.
    """

    codes: Ints
    points: Floats
    inertia: float
    step: float = 0.0
    absent: int = -1
    """The code of a missing number; -1 where none is missing, and for a category."""
    pooled_levels: int = 0
    unseen_rows: int = 0
    missing_only_in_synthetic: int = 0


def comparable(column: EncodedColumn | None, name: str) -> EncodedColumn:
    """Return a column of numbers; InputError where there is none."""
    if column is None:
        msg = f"column {name!r}: holds numbers too far apart to be compared; correct or --ignore it"
        raise InputError(msg)
    return column


def centred_numbers(series: pd.Series[Any], real: int) -> tuple[Floats, Booleans]:
    """Numbers or times less the lower median of the real ones, 0 where missing, and which are missing; (rows,) each."""
    missing = series.isna().to_numpy(dtype=bool)
    # Without a real value there is no scale: only being missing or not can be compared.
    return np.zeros(len(missing)) if missing[:real].all() else _centred(series, missing, real), missing


def standard_column(centred: Floats, missing: Booleans, real: int) -> EncodedColumn | None:
    """Standardise numbers or times by the population sd of the first `real` rows (0 counts as 1).

    Missing values take the real median and, in a second coordinate, the standardised indicator of being missing; its
    weight is 1 where only later rows are missing. None where numbers are too far apart to be compared.
    """
    if missing[:real].all():
        scores, fill, spread = centred, 0.0, False
    else:
        scores, fill, spread = _standardise(centred, missing, real)
    if not np.isfinite(scores).all():
        return None
    values, inverse = ranked(scores[~missing])
    codes = np.full(len(missing), len(values), dtype=np.int64)
    codes[~missing] = inverse
    if not missing.any():
        return EncodedColumn(codes, values[:, np.newaxis], float(spread), step=float(spread))
    share = int(missing[:real].sum()) / real
    varies = 0 < share < 1
    weight = 1 / math.sqrt(share * (1 - share)) if varies else 1.0
    points = np.zeros((len(values) + 1, 2))
    points[:-1, 0] = values
    points[-1] = fill, weight
    only_later = int(missing.sum()) if share == 0 else 0
    return EncodedColumn(
        codes,
        points,
        float(spread) + float(varies),
        step=float(spread),
        absent=len(values),
        missing_only_in_synthetic=only_later,
    )


def category_column(series: pd.Series[Any], real: int, persons: Ints | None = None) -> EncodedColumn:
    """Encode levels by indicators over the root of their share in the first `real` rows.

    Missing is a level of its own. Levels with fewer than `FEWEST_ROWS` real rows and those beyond the `MOST_LEVELS`
    most frequent (ties by name) share one level, which is no level of the data whatever its name. A level that no
    real row has is the zero indicator. With `persons`, shape (real rows,), a level needs so many persons.
    """
    found, labels = pd.factorize(series.to_numpy(dtype=object))
    order = sorted(range(len(labels)), key=lambda position: cast("Any", labels[position]))
    rank = np.empty(len(labels) + 1, dtype=np.int64)
    rank[order] = np.arange(len(labels))
    rank[-1] = len(labels)  # factorize marks a missing value by -1
    ranks = rank[found]
    counts = np.bincount(ranks[:real], minlength=len(labels) + 1)
    by_frequency = np.argsort(-counts, kind="stable")[:MOST_LEVELS]
    holders = counts if persons is None else _holders(ranks[:real], persons, len(counts))
    kept = np.sort(by_frequency[holders[by_frequency] >= FEWEST_ROWS])
    pooled = np.setdiff1d(np.flatnonzero(counts), kept)
    sizes = [int(count) for count in counts[kept]]
    if len(pooled):
        sizes.append(int(counts[pooled].sum()))
    code = np.full(len(counts), len(sizes), dtype=np.int64)
    code[kept] = np.arange(len(kept))
    code[pooled] = len(kept)
    points = np.zeros((len(sizes) + 1, len(sizes)))
    np.fill_diagonal(points, [math.sqrt(real / size) for size in sizes])
    unseen = counts[ranks] == 0
    lost = unseen & (ranks == len(labels))
    return EncodedColumn(
        code[ranks],
        points,
        math.fsum(1 - size / real for size in sizes),
        pooled_levels=len(pooled),
        unseen_rows=int(unseen.sum()) - int(lost.sum()),
        missing_only_in_synthetic=int(lost.sum()),
    )


def _holders(ranks: Ints, persons: Ints, levels: int) -> Ints:
    """Count the persons who have each level, shape (levels,)."""
    return np.bincount(distinct_pairs(ranks, persons)[0], minlength=levels)


def plain_column(series: pd.Series[Any], real: int) -> EncodedColumn:
    """Take numbers as they are; integers beyond 2^53 less an integer common to all rows, so that none is rounded."""
    if series.isna().any():
        msg = f"column {series.name!r}: has missing values; --projection none needs complete numbers"
        raise InputError(msg)
    missing = np.zeros(len(series), dtype=bool)
    if series.dtype == np.float64:
        numbers = series.to_numpy()
    else:
        exact = series.to_numpy(dtype=object)
        small = max(abs(value) for value in exact) <= _EXACT_INTEGERS
        numbers = exact.astype(np.float64) if small else _centred(series, missing, real)
    if not np.isfinite(numbers).all():
        msg = f"column {series.name!r}: holds infinite values; correct or --ignore it"
        raise InputError(msg)
    values, codes = ranked(numbers + 0.0)
    scaled, exponent = _near_one(numbers[:real])
    variance = (_standard_deviation(scaled) * 2.0 ** min(exponent, 500)) ** 2
    return EncodedColumn(codes, values[:, np.newaxis], variance, step=math.sqrt(variance))


def _centred(series: pd.Series[Any], missing: Booleans, real: int) -> Floats:
    """Subtract the lower median of the real rows, exactly and then rounded once; 0 where missing.

    The same numbers give the same result as floats, as 64-bit integers and as Python integers.
    """
    if isinstance(series.dtype, pd.DatetimeTZDtype):
        # Microseconds since 1970 UTC: standardised they are what seconds are, and integers are exact.
        whole = series.to_numpy(dtype="datetime64[us]").astype(np.int64)
        return _centred_integers(np.where(missing, 0, whole), missing, real)
    if series.dtype == "Int64":
        return _centred_integers(series.to_numpy(dtype=np.int64, na_value=0), missing, real)
    if series.dtype == object:
        return _centred_objects(series.to_numpy(), missing, real)
    values = np.where(missing, 0.0, series.to_numpy(dtype=np.float64))
    if not np.isfinite(values).all():
        msg = f"column {series.name!r}: holds infinite values; correct or --ignore it"
        raise InputError(msg)
    with np.errstate(over="ignore"):
        return np.where(missing, 0.0, values - _lower_median(values[:real][~missing[:real]]))


def _centred_integers(values: Ints, missing: Booleans, real: int) -> Floats:
    middle = int(_lower_median(values[:real][~missing[:real]]))
    if len(values) and max(-int(values.min()), int(values.max()), abs(middle)) >= _SAFE_INTEGERS:
        return _centred_objects(values.astype(object), missing, real)
    return np.where(missing, 0, values - middle).astype(np.float64)


def _centred_objects(values: NDArray[np.object_], missing: Booleans, real: int) -> Floats:
    present = sorted(values[:real][~missing[:real]].tolist())
    middle = Fraction(present[(len(present) - 1) // 2])
    centred = np.zeros(len(values))
    for row in np.flatnonzero(~missing):
        try:
            centred[row] = float(Fraction(values[row]) - middle)
        except OverflowError:
            centred[row] = math.inf
    return centred


def _lower_median(values: NDArray[Any]) -> Any:
    middle = (len(values) - 1) // 2
    return np.partition(values, middle)[middle]


def _standardise(centred: Floats, missing: Booleans, real: int) -> tuple[Floats, float, bool]:
    """Return the scores of all rows up to a common shift, that of the real median, and whether the real rows differ."""
    median = _median_above_zero(centred[:real][~missing[:real]])
    filled = np.where(missing, median, centred)
    scaled, exponent = _near_one(filled[:real])
    sd = _standard_deviation(scaled)
    if sd == 0:
        return filled + 0.0, median, False
    # The mean is not subtracted: distances don't need it, and neighbours near the median would be rounded together
    # where one value is very far away.
    with np.errstate(over="ignore"):
        scores = np.ldexp(filled, -exponent) / sd + 0.0
    return scores, math.ldexp(median, -exponent) / sd + 0.0, True


def _median_above_zero(values: Floats) -> float:
    """The median of values whose lower median is 0."""
    upper = float(np.partition(values, len(values) // 2)[len(values) // 2])
    return upper / 2 if len(values) % 2 == 0 else upper


def _near_one(values: Floats) -> tuple[Floats, int]:
    """Scale by the power of two that brings the largest value to about 1: squares neither overflow nor vanish."""
    exponent = int(np.frexp(np.abs(values).max())[1])
    return np.ldexp(values, -exponent), exponent


def _standard_deviation(values: Floats) -> float:
    """Return the population standard deviation, 0 exactly where all values are the same."""
    different, counts = counted(values)
    if len(different) == 1:
        return 0.0
    rest = different - math.fsum(different * counts) / len(values)
    # The mean is rounded; its error is taken out of the variance again.
    variance = math.fsum(counts * rest**2) / len(values) - (math.fsum(counts * rest) / len(values)) ** 2
    return math.sqrt(variance)


def in_one_code(columns: Sequence[tuple[NDArray[Any], int]]) -> Ints:
    """Give each row one code that is in the lexicographic order of its codes in several columns, (rows,).

    `columns`: the codes of one, (rows,), and the number below which they lie. One at a time is in memory.
    """
    combined, size = np.zeros(len(columns[0][0]), dtype=np.int64), 1
    for codes, number in columns:
        if size * number > _LARGEST_CODE:
            different, combined = ranked(combined)
            size = len(different)
        combined = np.asarray(combined * number + codes)
        forget(codes)
        size *= number
    return combined
