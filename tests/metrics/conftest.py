"""Tables searched as a run does it, for the tests of the verdict's evidence."""

import importlib.util
import json

import numpy as np
import pandas as pd
import pytest

from reportgen.distances import AlmostEqual, DroppedSearch, RealRows, SyntheticRows
from reportgen.persons import Persons
from reportgen.read.partition import ColumnSchema, Partition, Source, Table
from reportgen.settings import Settings
from reportgen.space.famd import encode
from reportgen.space.pool import Pool


def search(original, holdout, synthetic, projection="famd", persons=None):
    """Search original and holdout rows for synthetic ones; arrays are numbers, frames may hold text (categories).

    `persons`: whose the original rows are, and whose the holdout rows, as numbers from 0 over both.
    """
    frames = [None if table is None else pd.DataFrame(table) for table in (original, holdout, synthetic)]
    kinds = ("numeric" if pd.api.types.is_numeric_dtype(dtype) else "categorical" for dtype in frames[0].dtypes)
    columns = tuple(ColumnSchema(str(name), kind) for name, kind in zip(frames[0], kinds, strict=True))
    tables = [
        None if frame is None else Table(Source("table", None), frame.set_axis([c.name for c in columns], axis=1))
        for frame in frames
    ]
    whose = None if persons is None else of_sides(*persons)
    partition = Partition(columns=columns, original=tables[0], holdout=tables[1], synthetic=tables[2], persons=whose)
    pool = Pool(encode(partition, Settings(projection=projection)))
    return pool, pool.synthetic(pool.encoded.synthetic, np.random.default_rng(0))


def of_sides(original, holdout=()):
    """The persons of original and holdout rows, given as numbers."""
    person = np.array([*original, *holdout], dtype=np.int64)
    return Persons(person, np.arange(len(person)) < len(original))


@pytest.fixture(name="of_sides")
def of_sides_fixture():
    return of_sides


@pytest.fixture(name="search")
def search_fixture():
    return search


@pytest.fixture
def found():
    """Make real and synthetic rows from what they found: neighbours given as (distances, rows of U)."""

    def make(occurrences, originals, distances, real, times=None, within=None):
        nothing = np.zeros(0, dtype=np.int64)
        entries = len(distances)
        return RealRows(
            np.array(occurrences, dtype=np.int64),
            np.array(originals, dtype=np.int64),
            np.array([[1.0, 2.0]] * len(occurrences) if within is None else within, dtype=float),
        ), SyntheticRows(
            np.ones(entries, dtype=np.int64) if times is None else np.array(times),
            np.array(distances, dtype=float),
            np.array(real, dtype=np.int64),
            DroppedSearch(nothing, np.zeros(0), nothing, nothing, np.zeros(0)),
            AlmostEqual(nothing, nothing, nothing),
        )

    return make


@pytest.fixture(scope="session")
def oracle(shared):
    """The oracle's tables: their searches by synthetic table, and the expected values."""
    folder = shared / "oracle"
    spec = importlib.util.spec_from_file_location("leak_test_tables", folder / "leak_test_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tables = module.tables()
    expected = json.loads((folder / "leak_test_expected.json").read_text(encoding="utf-8"))
    searched = {
        name: search(tables["original"], tables["holdout"], tables[name], "none")
        for name in ("synthetic", "independent")
    }
    return searched, expected


@pytest.fixture(params=["synthetic", "independent"])
def oracle_case(request, oracle):
    """One synthetic table of the oracle: pool, synthetic rows, expected values."""
    searched, expected = oracle
    return *searched[request.param], expected["tables"][request.param]


@pytest.fixture
def people():
    """Draw rows of a population in three clusters with a few far rows; the first column is coarse."""

    def draw(rows, random):
        centre = np.array([[0.0, 0, 0, 1, 0], [2, 1, -1, 3, 1], [-1, 2.5, 1, 2, 2]])
        kind = random.integers(3, size=rows)
        values = centre[kind] + np.array([0.5, 1.0, 0.8])[kind, np.newaxis] * random.normal(size=(rows, 5))
        far = random.random(rows) < 0.04
        values[far] += 3 * random.normal(size=(far.sum(), 5))
        values[:, 0] = values[:, 0].round(1)
        return values

    return draw
