"""Distributions that tell no row apart: round edges shared by all series, outermost bins of at least five rows."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.model import SMALLEST_DISTRIBUTION, SMALLEST_GROUP, Cells, Histogram, Quantiles, listed_quantile
from reportgen.persons import distinct_pairs, first_per_person

LEVELS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995)
RENARD_40 = (
    *(100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300),
    *(315, 335, 355, 375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950),
)
"""Preferred numbers of ISO 3, series R40, a hundred times over; every second is R20, every fourth R10."""
MOST_CENTRAL_BINS = 45
MOST_BINS = 120
RATIO_EDGES = np.round(np.arange(41) * 0.025, 3)
CELL_RATIO_EDGES = np.round(np.arange(21) * 0.05, 2)
MOST_CELL_BINS = 50
SHARE_HIDDEN = 0.05
"""Up to this share of any series may lie in the outermost bins so that they hold five rows of every series."""

Persons = Mapping[str, Ints | None]
"""Whose the rows of each series are, shape (rows,); None or absent where every row stands for itself. Five rows of one
person are one person: wherever five rows are asked for, rows of persons must be of five of them."""
NOBODYS: Persons = {}


def distance_histograms(series: dict[str, Floats], persons: Persons = NOBODYS) -> dict[str, Histogram]:
    """Histograms of distances (>= 0) with shared edges: 0, then preferred numbers, finer where there are few decades.

    Each array has shape (rows,). Empty when a series has fewer than 20 rows, or rows of fewer than 20 persons.
    """
    return _histograms(series, _distance_edges(np.concatenate(list(series.values()))), persons)


def ratio_histograms(series: dict[str, Floats], persons: Persons = NOBODYS) -> dict[str, Histogram]:
    """Histograms of ratios (0-1) with shared edges in steps of 0.025. Empty as `distance_histograms` are."""
    return _histograms(series, RATIO_EDGES, persons)


def distance_ratio_cells(
    distance: dict[str, Floats], ratio: dict[str, Floats], persons: Persons = NOBODYS
) -> dict[str, Cells]:
    """Count rows by distance (x) and ratio (y); cells of 1-4 rows, or of rows of 1-4 persons, hold -1.

    Distances beyond the pooled 99th percentile share the last column of cells.
    """
    if min(_people(values, persons.get(name)) for name, values in distance.items()) < SMALLEST_DISTRIBUTION:
        return {}
    pooled = np.concatenate(list(distance.values()))
    top = float(np.quantile(pooled, 0.99))
    step = _round_step(top / MOST_CELL_BINS) if top > 0 else 1.0
    inner = np.array([float(f"{place * step:.6g}") for place in range(math.floor(top / step) + 1)])
    beyond = _next_power_of_ten(max(float(pooled.max()), float(inner[-1])))
    x_edges = np.append(inner, beyond)
    cells = {}
    for name, distances in distance.items():
        counts, _, _ = np.histogram2d(ratio[name], distances, bins=(CELL_RATIO_EDGES, x_edges))
        whose = persons.get(name)
        holders = counts if whose is None else _holders(ratio[name], distances, x_edges, whose)
        shown = np.where((counts > 0) & (holders < SMALLEST_GROUP), -1, counts).astype(int)
        cells[name] = Cells(
            x_edges=tuple(x_edges.tolist()),
            y_edges=tuple(CELL_RATIO_EDGES.tolist()),
            counts=tuple(tuple(row) for row in shown.tolist()),
        )
    return cells


def _holders(ratio: Floats, distance: Floats, x_edges: Floats, persons: Ints) -> Floats:
    """How many persons have a row in each cell, (y cells, x cells)."""
    shape = (len(CELL_RATIO_EDGES) - 1, len(x_edges) - 1)
    cells = _bins(ratio, CELL_RATIO_EDGES) * shape[1] + _bins(distance, x_edges)
    different = distinct_pairs(cells, persons)[0]
    return np.bincount(different, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)


def _bins(values: Floats, edges: Floats) -> Ints:
    """The bin of each value as numpy's histograms count it: the last one holds its upper edge."""
    inner: Ints = np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)
    return inner


def _people(values: Floats, persons: Ints | None) -> int:
    return len(values) if persons is None else len(np.unique(persons))


def _histograms(series: dict[str, Floats], edges: Floats, persons: Persons) -> dict[str, Histogram]:
    if min(_people(values, persons.get(name)) for name, values in series.items()) < SMALLEST_DISTRIBUTION:
        return {}
    edges = _hide_extremes(edges, series, persons)
    return {name: _histogram(values, edges, persons.get(name)) for name, values in series.items()}


def _histogram(values: Floats, edges: Floats, persons: Ints | None) -> Histogram:
    levels = tuple(level for level in LEVELS if listed_quantile(level, len(values)))
    if persons is not None:
        levels = tuple(level for level in levels if _between_people(float(np.quantile(values, level)), values, persons))
    return Histogram(
        edges=tuple(edges.tolist()),
        counts=tuple(np.histogram(values, edges)[0].tolist()),
        quantiles=Quantiles(levels=levels, values=tuple(np.quantile(values, levels).tolist())),
        zero_count=int((values == 0).sum()),
        n=len(values),
    )


def _between_people(quantile: float, values: Floats, persons: Ints) -> bool:
    """Whether at least five persons have rows at or below a quantile, and five at or above it."""
    return all(len(np.unique(persons[mine])) >= SMALLEST_GROUP for mine in (values <= quantile, values >= quantile))


def _hide_extremes(edges: Floats, series: dict[str, Floats], persons: Persons) -> Floats:
    """Merge bins until neither end of any series tells fewer than five rows, or persons, apart.

    Where it hides little, the outermost bins hold five rows of every series. A series that lies elsewhere altogether
    would be swallowed that way; there, the first and last bin that a series fills hold five of its rows.
    """
    counts = [np.histogram(values, edges)[0] for values in series.values()]
    keep = np.ones(len(edges), dtype=bool)
    for backwards in (False, True):
        ordered = [count[::-1] if backwards else count for count in counts]
        fives = [
            _bins_to_five(count, values, edges, persons.get(name), backwards=backwards)
            for count, (name, values) in zip(ordered, series.items(), strict=True)
        ]
        merged = np.zeros(len(edges), dtype=bool)  # inner edges to drop, seen from this end
        width = max(fives)
        if all(count[1:width].sum() <= SHARE_HIDDEN * count.sum() for count in ordered):
            merged[1:width] = True
        else:
            merged[1 : min(int(np.flatnonzero(count)[0]) for count in ordered) + 1] = True
            for count, five in zip(ordered, fives, strict=True):
                merged[int(np.flatnonzero(count)[0]) + 1 : five] = True
        keep &= ~(merged[::-1] if backwards else merged)
    keep[[0, -1]] = True
    return edges[keep]


def _bins_to_five(count: np.ndarray, values: Floats, edges: Floats, persons: Ints | None, *, backwards: bool) -> int:
    """How many bins from the start hold five rows together; `count` is seen from there. With persons, five persons."""
    if persons is not None:
        own = _bins(values, edges)
        first = first_per_person(persons, len(edges) - 2 - own if backwards else own)
        count = np.bincount(first, minlength=len(edges) - 1)
    return int(np.searchsorted(np.cumsum(count), SMALLEST_GROUP)) + 1


def _distance_edges(pooled: Floats) -> Floats:
    positive = pooled[pooled > 0]
    if not len(positive):
        return np.array([0.0, 1.0])
    lowest, middle_low, middle_high, highest = np.quantile(positive, (0, 0.01, 0.99, 1))
    for stride in (1, 2, 4, 8):
        edges = _preferred(lowest, highest, stride)
        central = np.count_nonzero((edges >= middle_low) & (edges <= middle_high))
        if central <= MOST_CENTRAL_BINS and len(edges) <= MOST_BINS:
            break
    else:  # many decades: whole powers of ten
        edges = _preferred(lowest, highest, len(RENARD_40))
    return np.concatenate(([0.0], edges[edges <= highest], [_next_power_of_ten(highest)]))


def _preferred(lowest: float, highest: float, stride: int) -> Floats:
    """Preferred numbers from at or below `lowest` to above `highest`; every `stride`-th of the R40 series."""
    start, stop = math.floor(math.log10(lowest)), math.floor(math.log10(highest)) + 1
    numbers = [float(f"{base}e{decade - 2}") for decade in range(start, stop + 1) for base in RENARD_40[::stride]]
    edges = np.array(numbers)
    first = int(np.searchsorted(edges, lowest, side="right")) - 1
    last = int(np.searchsorted(edges, highest, side="right"))
    return edges[max(first, 0) : last + 1]


def _next_power_of_ten(value: float) -> float:
    """Return the outermost edge: it tells no more of the farthest row than its order of magnitude."""
    return float(f"1e{math.floor(math.log10(value)) + 1}") if value > 0 else 1.0


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5 or 5 times a power of ten that is at least `least`."""
    decade = math.floor(math.log10(least))
    return next(step for base in (10, 20, 25, 50, 100) if (step := float(f"{base}e{decade - 1}")) >= least)
