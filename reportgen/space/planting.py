"""Near copies of real rows, searched once: what the smallest leak that a run would notice is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.distances import PlantedRows, SyntheticRows
from reportgen.space.dropped import Places
from reportgen.space.equal_rows import almost_equal
from reportgen.space.pool import Pool

NOISE = 0.05
"""How far a near copy lies from its row, in population sd of each numeric column."""
COPIES = 400
MEMBERS = 150
"""So many copies of rows that a labeling calls original should be there on average."""
LARGE_SHARE, MOST_COPIES = 0.03, 1600
"""Of large tables this share of the real rows is copied, up to so many: what would be noticed of 30,000 rows may be a
leak of 150 or of 500 rows, and of those that a labeling calls original there must be as many. Where fewer rows look, so
much smaller are the leaks that are planted among them."""


def plant(pool: Pool, random: np.random.Generator) -> PlantedRows:
    """Copy random real rows with noise in every number that is not missing, and search U for the copies."""
    begin = random.bit_generator.state
    number = _copies(pool)  # from the real rows, whose searches are not counted among those for the copies

    def planted() -> tuple[PlantedRows, Mapping[str, Any]]:
        found = _plant(pool, number, random)
        return found, random.bit_generator.state

    found, end = pool.once(("plant", number, str(begin)), planted)
    random.bit_generator.state = end
    return found


def _copies(pool: Pool) -> int:
    """How many rows are copied."""
    real, synthetic = pool.real, pool.encoded.synthetic
    looking = 1.0 if pool.asking is None else len(pool.asking.synthetic) / len(synthetic)
    of_large = min(MOST_COPIES, round(LARGE_SHARE * looking * real.rows))
    return min(real.rows, max(COPIES, of_large, round(MEMBERS * real.rows / real.original_rows)))


def _plant(pool: Pool, number: int, random: np.random.Generator) -> PlantedRows:
    real, layout = pool.real, pool.encoded.layout
    copied = np.sort(random.choice(real.rows, number, replace=False))
    row = real.place[copied]
    codes = pool.places.codes[row].copy()
    noisy = (layout.steps != 0).any(axis=1) & (codes != layout.absent)
    noise = NOISE * random.standard_normal(codes.shape) * noisy
    coordinates = pool.places.coordinates[row]
    for column in np.flatnonzero(noisy.any(axis=0)):
        coordinates = coordinates + noise[:, column, np.newaxis] * layout.steps[column]
    # A noisy number equals no other: every copy gets codes of its own there.
    codes = np.where(noisy, -1 - np.arange(number, dtype=np.int32)[:, np.newaxis], codes)
    places, once = Places(coordinates, codes), np.ones(number, dtype=np.int64)
    pool.queries += number * (1 + pool.searches_without)
    distances, ids = pool.closest_to(coordinates)
    found = SyntheticRows(
        times=once,
        distances=distances,
        real=ids,
        dropped=pool.without_columns(places, once),
        equal=almost_equal(codes, pool.places.codes, pool.equal_parts, pool.owners),
    )
    return PlantedRows(copied, found)
