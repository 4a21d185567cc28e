"""Every success of the three attacks counted again, row by row in float64, from the tables as they were given."""

import numpy as np
import pandas as pd
import pytest

from reportgen.attacks import learning
from reportgen.attacks.inference import inference
from reportgen.attacks.linkability import linkability
from reportgen.attacks.singling_out import _attempts, singling_out
from reportgen.attacks.targets import targets
from reportgen.settings import Settings

NUMBERS = ("a", "b", "day")
CATEGORIES = ("kind", "town")
COLUMNS = (*NUMBERS, *CATEGORIES)


def table(rows, seed):
    """Numbers without ties, one with missing values, dates, and two categories, all hanging together a little."""
    random = np.random.default_rng(seed)
    a = random.normal(size=rows)
    b = a + random.normal(size=rows)
    found = pd.DataFrame(
        {
            "a": a,
            "b": np.where(random.random(rows) < 0.15, np.nan, b),
            "kind": np.where(a + random.normal(size=rows) > 0, "x", "y"),
            "town": random.choice(["p", "q", "r"], rows),
        }
    )
    return found.assign(day=pd.Timestamp("2020-01-01") + pd.to_timedelta(100 * a + random.normal(size=rows), "D"))


@pytest.fixture(scope="module", params=[0, 1, 2])
def tables(request):
    original, holdout, synthetic = (table(rows, [request.param, place]) for place, rows in enumerate((60, 45, 50)))
    synthetic.iloc[:15] = original.iloc[:15]
    return original, holdout, synthetic


def seconds(table):
    return table.assign(day=(table["day"] - pd.Timestamp("1970-01-01")) / pd.Timedelta(seconds=1))


def placed(tables):
    """Coordinates of each table by column, as metrics.md defines them: scaled by original and holdout together."""
    original, holdout, synthetic = (seconds(one) for one in tables)
    real = pd.concat([original, holdout], ignore_index=True)
    found = [{}, {}, {}]
    for place, one in enumerate((original, holdout, synthetic)):
        for name in NUMBERS:
            filled = real[name].fillna(real[name].median())
            own = [(one[name].fillna(real[name].median()) - filled.mean()) / filled.std(ddof=0)]
            if real[name].isna().any():
                absent = real[name].isna()
                own.append((one[name].isna() - absent.mean()) / absent.std(ddof=0))
            found[place][name] = np.column_stack(own)
        for name in CATEGORIES:
            shares = real[name].value_counts(normalize=True)
            found[place][name] = np.column_stack([((one[name] == level) - p) / p**0.5 for level, p in shares.items()])
    return found


def order(placed_rows, placed_base, columns):
    """Synthetic rows from the nearest on, for each row; no two are equally near at the places that count."""
    rows, base = (np.column_stack([one[name] for name in columns]) for one in (placed_rows, placed_base))
    distances = np.array([[np.sqrt(((row - other) ** 2).sum()) for other in base] for row in rows])
    assert np.diff(np.sort(distances, axis=1)[:, :6], axis=1).min() > 1e-9
    return distances.argsort(axis=1)


def everybody(rows):
    return targets(rows.original, rows.holdout, None, np.random.default_rng(0))


@pytest.mark.parametrize("k", [1, 4])
def test_linkability(read, tables, k):
    original, holdout, synthetic = tables
    halves = (("a", "town"), ("b", "kind", "day"))
    settings = Settings(link=halves[0], link_with=halves[1], link_neighbours=k)
    rows = read(original, synthetic, holdout)
    found = linkability(rows, everybody(rows), settings, np.random.default_rng(0), 1)[""]
    *real, base = placed(tables)
    met = [
        sum(
            bool(set(one[:k]) & set(other[:k]))
            for one, other in zip(*(order(rows, base, half) for half in halves), strict=True)
        )
        for rows in real
    ]
    assert [found.attack.hits, found.control.hits] == met
    assert [found.attack.number, found.control.number] == [60, 45]
    assert 0 < met[1] < 45
    assert 0 < met[0] < 60


@pytest.mark.parametrize("tolerance", [5.0, 30.0])
def test_inference(read, tables, tolerance):
    original, holdout, synthetic = tables
    rows = read(original, synthetic, holdout)
    settings = Settings(inference_tolerance=tolerance)
    found = inference(rows, everybody(rows), settings, np.random.default_rng(0), 1)
    *real, base = placed(tables)
    sd = pd.concat([original, holdout])["day"].pipe(lambda day: seconds(day.to_frame())["day"].std(ddof=0))

    def right(column, truth, guess):
        if pd.isna(truth) or pd.isna(guess):
            return pd.isna(truth) and pd.isna(guess)
        if column in CATEGORIES:
            return truth == guess
        return abs(guess - truth) <= tolerance / 100 * (sd if column == "day" else abs(truth))

    values = [seconds(one) for one in (original, holdout, synthetic)]
    assert set(found) == set(COLUMNS)
    for secret in COLUMNS:
        nearest = [order(one, base, [name for name in COLUMNS if name != secret])[:, 0] for one in real]
        hits = [
            sum(
                right(secret, truth, values[2][secret].iloc[at]) for truth, at in zip(one[secret], guesses, strict=True)
            )
            for one, guesses in zip(values, nearest, strict=False)
        ]
        assert [found[secret].attack.hits, found[secret].control.hits] == hits, secret
        every = [right(secret, truth, guess) for truth in values[0][secret] for guess in values[2][secret]]
        assert found[secret].baseline == pytest.approx(np.mean(every)), secret


def test_univariate_singling_out(read, tables):
    original, holdout, synthetic = (one.drop(columns="day") for one in tables)
    holdout = pd.concat([holdout, holdout.iloc[:15] + holdout.iloc[:15]])  # as many rows, values of nobody
    original = original.copy()
    original.loc[50:, "kind"] = "z"
    original.loc[50:58, "kind"] = "x"  # "z" is one original row's
    synthetic = synthetic.copy()
    synthetic.loc[0, "kind"] = "z"  # and one synthetic row's
    rows = read(original, synthetic, holdout)
    found = singling_out(rows, everybody(rows), 10_000, np.random.default_rng(0))["univariate"]

    def isolating(real):
        hits = []
        for name in original.columns:
            own, theirs = synthetic[name], real[name]
            once = own[~own.duplicated(keep=False)]
            hits += [(theirs.isna() if pd.isna(value) else theirs == value).sum() == 1 for value in once]
            if name in NUMBERS:
                hits.append((theirs <= own.min()).sum() == 1)
                hits.append((theirs >= own.max()).sum() == 1)
        return sum(hits), len(hits)

    assert found.attack == isolating(original)
    assert found.control == isolating(holdout)
    assert found.attack.hits > 15


@pytest.mark.parametrize("kind", ["multivariate", "profile"])
def test_singling_out_by_several_columns(read, tables, kind):
    original, holdout, synthetic = tables
    original = original.iloc[: len(holdout)]
    rows = read(original, synthetic, holdout)
    learnt = np.unique(rows.synthetic)
    random = np.random.default_rng(1)
    predicates = learning.KINDS[kind](rows, learnt, 40, random)
    guessed = learning.NAIVE[kind](rows, learnt, predicates.columns.shape[1], 40, random)
    found = _attempts(rows, everybody(rows), predicates, guessed, random)
    assert len(predicates) == 40

    every = pd.concat([original, synthetic, holdout])
    values = {name: sorted(every[name].dropna().unique()) for name in COLUMNS}
    asked = [told(rows.names, values, predicates, number) for number in range(40)]
    for conditions in asked:
        assert len(conditions) >= 3
        (row,) = [row for _, row in synthetic.iterrows() if fulfils(row, conditions)]  # exactly one isolates it
        for name, low, high in conditions:
            assert (low, high) == expected(kind, name, row[name], synthetic[name], values[name])

    def isolated(real, conditions):
        return sum(fulfils(row, conditions) for _, row in real.iterrows()) == 1

    for made, real in ((found.attack, original), (found.control, holdout)):
        assert made == (sum(isolated(real, conditions) for conditions in asked), 40)
    naively = [isolated(original, told(rows.names, values, guessed, number)) for number in range(40)]
    assert found.baseline == np.mean(naively)
    assert 0 < found.attack.hits < 40


def told(names, values, predicates, number):
    """The conditions of a predicate in values: column, lowest, highest; both None where the value must be missing."""
    conditions = []
    parts = (predicates.columns[number], predicates.low[number], predicates.high[number])
    for column, low, high in zip(*parts, strict=True):
        own = values[names[column]]
        if low == high == len(own):
            conditions.append((names[column], None, None))
        elif high < len(own):
            conditions.append((names[column], own[low], own[high]))
        else:
            assert (column, low) == (0, 0)  # a condition that everybody fulfils
    return conditions


def fulfils(row, conditions):
    return all(pd.isna(row[name]) if low is None else low <= row[name] <= high for name, low, high in conditions)


def expected(kind, name, value, synthetic, values):
    if pd.isna(value):
        return None, None
    if name in CATEGORIES:
        return value, value
    if kind == "multivariate":
        present = sorted(synthetic.dropna())
        return (value, values[-1]) if value > present[(len(present) - 1) // 2] else (values[0], value)
    present = sorted(synthetic.dropna())
    at, places = present.index(value), max(1, round(0.02 * len(present)))
    return present[max(0, at - places)], present[min(len(present) - 1, at + places)]
