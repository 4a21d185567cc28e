"""What tests of large tables hold beside the rows that synthetic rows point at: a few numbers of each row, no more."""

import tracemalloc

import numpy as np
import pytest

from reportgen import persons
from reportgen.distances import AlmostEqual, DroppedSearch, PlantedRows, RealRows, SyntheticRows
from reportgen.metrics import permutation, pseudo_tables
from reportgen.metrics.holdout_share import holdout_share
from reportgen.metrics.leak_size import leak_size
from reportgen.metrics.leak_test import leak_test
from reportgen.metrics.planted_trial import Trial
from reportgen.metrics.pseudo_tables import Sizes, splits

ROWS = 200_000


def pointing(random, entries):
    """Synthetic rows that point at random rows of U."""
    real, once = random.integers(0, ROWS, (entries, 10)), np.ones(entries, dtype=np.int64)
    each, distances = np.arange(entries), np.sort(random.random((entries, 10)), axis=1)
    dropped = DroppedSearch(once, random.random(entries), each, real[:, 0].copy(), np.ones(entries))
    return SyntheticRows(once, distances, real, dropped, AlmostEqual(each[:5], real[:5, 0].copy(), once[:5]))


@pytest.fixture
def rows(monkeypatch):
    """Real rows of which a thousand looked, synthetic rows, and planted ones; blocks so small that they don't count."""
    monkeypatch.setattr(permutation, "_BLOCK", 1024)
    monkeypatch.setattr(persons, "BLOCK", 1)
    monkeypatch.setattr(pseudo_tables, "_CELLS", 1)
    random = np.random.default_rng(0)
    synthetic, planted = pointing(random, 50), pointing(random, 40)
    sampled = np.zeros(ROWS, dtype=bool)
    sampled[random.choice(ROWS, 1000, replace=False)] = True
    known = np.unique(np.concatenate((np.flatnonzero(sampled), synthetic.pointed_at, planted.pointed_at)))
    real = RealRows(
        np.ones(ROWS, dtype=np.int64),
        random.permutation(np.arange(ROWS) < ROWS // 2).astype(np.int64),
        np.sort(random.random((len(known), 10)), axis=1),
        neighbours=random.integers(0, ROWS, (len(known), 10)),
        sampled=sampled,
        known=known,
    )
    return real, synthetic, PlantedRows(np.sort(random.choice(ROWS, 40, replace=False)), planted)


@pytest.mark.parametrize(
    "work",
    [
        lambda real, synthetic, _: leak_test(real, synthetic, np.random.default_rng(0), 3),
        lambda real, synthetic, planted: Trial(real, synthetic, planted, np.random.default_rng(0), 3),
        lambda real, synthetic, _: leak_size(real, synthetic),
        lambda real, synthetic, _: holdout_share(real, synthetic),
        lambda real, *_: [
            labels.shape for labels in splits(Sizes(ROWS // 2, ROWS // 2, 99), 3, np.random.default_rng(0), real.known)
        ],
    ],
    ids=["leak test", "smallest leak", "leak size", "holdout share", "null ranges"],
)
def test_a_few_numbers_of_each_row_are_in_memory(rows, work):
    tracemalloc.start()
    try:
        work(*rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50 * ROWS + 3_000_000  # of weights, labels and sums for all rows it would be hundreds of bytes
