"""FAMD coordinates: the space that all distances between rows are taken in.

Factor analysis of mixed data with all components is a rotation of the scaled columns, so the distances are taken in
the scaled columns themselves and no eigenvector enters. The scaling is fitted on all real rows together, original and
holdout alike, so that neither side is favoured; never on synthetic rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints
from reportgen.errors import InputError
from reportgen.persons import Persons, canonical
from reportgen.ranks import grouped, number_of_different
from reportgen.read.partition import ColumnSchema, Partition, Side
from reportgen.read.shelf import Shelf, shelved
from reportgen.settings import Settings
from reportgen.space.axes import leading_axes
from reportgen.space.columns import (
    EncodedColumn,
    category_column,
    centred_numbers,
    comparable,
    in_one_code,
    plain_column,
    standard_column,
)
from reportgen.space.on_disk import on_disk, place
from reportgen.spread import Load, spread

_VALUE, _TRAVELLING = 220, 25
"""Nanoseconds that it takes to standardise and rank a value, and bytes to send it and what it became."""


@dataclass(frozen=True)
class ColumnSpace:
    """What one used column weighs in the distances, and what was done to its values."""

    inertia: float
    """Share (0-1) of the variance of the real rows that lies in this column."""
    pooled_levels: int
    """Levels of the real rows that share the level "(rare)"."""
    unseen_rows: int
    """Synthetic rows whose level no real row has; missing values are not among them."""
    missing_only_in_synthetic: int
    """Synthetic rows without a value, where no real row lacks one."""


@dataclass(frozen=True)
class Layout:
    """How the columns of the files, in the order of their names, became coordinates; arrays are read-only.

    `codes`, shape (different rows, columns), int32: rows have the same code exactly where they agree in a column, as
    encoded. `slices` holds the coordinates of each column; it is empty where the rows were projected on components,
    which mix the columns. `steps`, shape (columns, dimensions): the move in the space that one population sd of a
    number makes, 0 for a category. `absent`, shape (columns,): the code of a missing number, -1 where there is none.
    `inertia`, shape (columns,): the column's share (0-1) of the variance.
    """

    codes: NDArray[np.int32]
    slices: tuple[slice, ...]
    steps: Floats
    absent: Ints
    inertia: Floats


@dataclass(frozen=True)
class Encoded:
    """All tables in one space. Rows that are identical as encoded are one row of `coordinates`.

    `coordinates` has shape (different rows, dimensions), C-contiguous and read-only; the order of its rows and columns
    depends on their contents alone, not on their order in the files. `original`, `synthetic` and `holdout` hold the
    position of each row of the table in it. `columns` is keyed by column name. `inertia` is the share (0-1) of the
    real rows' variance that the dimensions keep. `layout` says how the columns of the files lie in the coordinates.
    """

    coordinates: Floats
    original: Ints
    synthetic: Ints
    holdout: Ints | None
    columns: dict[str, ColumnSpace]
    dimensions: int
    inertia: float
    fitted_on: Literal["original", "original and holdout"] | None
    layout: Layout
    persons: Persons | None = None
    """Whose the real rows are, those of the original before those of the holdout; None without `--group`."""
    shelf: Shelf | None = None
    """Where `coordinates` and the codes of the layout lie, where they are on disk."""

    @property
    def sides(self) -> dict[Side, Ints]:
        """The positions of each table's rows by name: original, holdout where given, synthetic."""
        if self.holdout is None:
            return {"original": self.original, "synthetic": self.synthetic}
        return {"original": self.original, "holdout": self.holdout, "synthetic": self.synthetic}

    @property
    def unique_rows(self) -> dict[Side, int]:
        """The number of different rows of each table, as encoded."""
        return {side: number_of_different(positions) for side, positions in self.sides.items()}


def encode(partition: Partition, settings: Settings) -> Encoded:
    """Place the rows of all tables in one space.

    Without a used column there are no dimensions. InputError where no real row exists, the columns are not numbers
    although `--projection none` says so, or fewer components exist than asked for.
    """
    real = len(partition.original.frame) + (0 if partition.holdout is None else len(partition.holdout.frame))
    if real == 0:
        msg = f"{partition.original.source.name}: has no rows"
        raise InputError(msg)
    if settings.projection == "none" and settings.components != "all":
        msg = "setting 'components': needs the projection famd; with --projection none columns are used as they are"
        raise InputError(msg)
    if not partition.used:
        return _without_dimensions(partition)
    schema = sorted(partition.used, key=lambda column: column.name)
    whose = None if partition.persons is None else partition.persons.person
    columns = [on_disk(column, partition.shelf) for column in _encode_columns(schema, partition, settings, real, whose)]
    first, groups = _collapse(columns)
    coordinates, codes = place(columns, first, partition.shelf)
    spaces = _spaces(schema, columns)
    layout = _layout(columns, codes, np.array([spaces[column.name].inertia for column in schema]))
    inertia = 1.0
    if settings.components != "all":
        counts = np.bincount(groups[:real], minlength=len(first))
        coordinates, axes, inertia = leading_axes(coordinates, counts, settings.components)
        coordinates = np.ascontiguousarray(coordinates)
        layout = replace(layout, slices=(), steps=_along(axes, layout))
    sides = _split(groups, partition)
    made: tuple[NDArray[Any], ...] = (coordinates, layout.codes, layout.steps, layout.absent, layout.inertia)
    for array in (*made, *sides.values()):
        array.setflags(write=False)
    return Encoded(
        coordinates=coordinates,
        original=sides["original"],
        synthetic=sides["synthetic"],
        holdout=sides.get("holdout"),
        columns={column.name: spaces[column.name] for column in partition.used},
        dimensions=coordinates.shape[1],
        inertia=inertia,
        fitted_on=_fitted_on(partition, settings),
        layout=layout,
        persons=_canonical_persons(partition, sides),
        shelf=partition.shelf,
    )


def _canonical_persons(partition: Partition, sides: dict[Side, Ints]) -> Persons | None:
    if partition.persons is None:
        return None
    return canonical(partition.persons, np.concatenate([sides[side] for side in sides if side != "synthetic"]))


def _without_dimensions(partition: Partition) -> Encoded:
    """Place all rows in one point of a space without dimensions, in which nothing can be searched."""
    sides = {side: np.zeros(len(table.frame), dtype=np.int64) for side, table in partition.sides.items()}
    return Encoded(
        coordinates=np.zeros((1, 0)),
        original=sides["original"],
        synthetic=sides["synthetic"],
        holdout=sides.get("holdout"),
        columns={},
        dimensions=0,
        inertia=0.0,
        fitted_on=None,
        layout=Layout(
            codes=np.zeros((1, 0), dtype=np.int32),
            slices=(),
            steps=np.zeros((0, 0)),
            absent=np.zeros(0, dtype=np.int64),
            inertia=np.zeros(0),
        ),
        persons=partition.persons,
    )


def _stacked(partition: Partition, column: ColumnSchema) -> pd.Series[Any]:
    """One column of all tables, real rows first."""
    return pd.concat([table.frame[column.name] for table in partition.sides.values()], ignore_index=True)


def _encode_columns(
    schema: list[ColumnSchema], partition: Partition, settings: Settings, real: int, persons: Ints | None
) -> Iterator[EncodedColumn]:
    """Encode the columns in their order; those that are standardised may be so elsewhere."""
    standard = [one for one in schema if settings.projection != "none" and one.kind in {"numeric", "datetime"}]
    values = len(standard) * sum(len(table.frame) for table in partition.sides.values())
    # Tables on disk stay here: of those that are under way several columns would be in memory.
    load = Load("projection", _VALUE * values * (partition.shelf is None), _TRAVELLING * values, len(standard))
    numbers = ((*centred_numbers(_stacked(partition, column), real), real) for column in standard)
    with spread(load) as each:
        standardised = each(standard_column, numbers, number=len(standard))
        for column in schema:
            if column in standard:
                yield comparable(next(standardised), column.name)
            else:
                yield _encode_column(_stacked(partition, column), column, settings, real, persons)


def _encode_column(
    series: pd.Series[Any], column: ColumnSchema, settings: Settings, real: int, persons: Ints | None
) -> EncodedColumn:
    if settings.projection != "none":
        return category_column(series, real, persons)
    if column.kind != "numeric":
        msg = f"column {column.name!r}: is {column.kind}; --projection none needs numbers (--ignore leaves it out)"
        raise InputError(msg)
    return plain_column(series, real)


def _collapse(columns: list[EncodedColumn]) -> tuple[Ints, Ints]:
    """Group the rows that agree in all codes; groups are in the lexicographic order of their codes.

    Returns a row of each group, shape (groups,), and the group of each row, shape (rows,).
    """
    return grouped(in_one_code([(column.codes, len(column.points)) for column in columns]))


def _layout(columns: list[EncodedColumn], codes: NDArray[np.int32], inertia: Floats) -> Layout:
    ends = np.cumsum([0, *(column.points.shape[1] for column in columns)]).tolist()
    steps = np.zeros((len(columns), ends[-1]))
    steps[np.arange(len(columns)), ends[:-1]] = [column.step for column in columns]
    return Layout(
        codes=codes,
        slices=tuple(slice(start, stop) for start, stop in itertools.pairwise(ends)),
        steps=steps,
        absent=np.array([column.absent for column in columns], dtype=np.int64),
        inertia=inertia,
    )


def _along(axes: Floats, layout: Layout) -> Floats:
    """Turn the steps of the columns into moves along the axes: each has one coordinate of its own before."""
    return np.stack([step[own.start] * axes[own.start] for step, own in zip(layout.steps, layout.slices, strict=True)])


def _split(groups: Ints, partition: Partition) -> dict[Side, Ints]:
    sides: dict[Side, Ints] = {}
    start = 0
    for side, table in partition.sides.items():
        stop = start + len(table.frame)
        sides[side] = shelved(groups[start:stop].copy(), partition.shelf)
        start = stop
    return sides


def _spaces(schema: list[ColumnSchema], columns: list[EncodedColumn]) -> dict[str, ColumnSpace]:
    total = math.fsum(column.inertia for column in columns)
    return {
        column.name: ColumnSpace(
            inertia=encoded.inertia / total if total else 0.0,
            pooled_levels=encoded.pooled_levels,
            unseen_rows=encoded.unseen_rows,
            missing_only_in_synthetic=encoded.missing_only_in_synthetic,
        )
        for column, encoded in zip(schema, columns, strict=True)
    }


def _fitted_on(partition: Partition, settings: Settings) -> Literal["original", "original and holdout"] | None:
    if settings.projection == "none":
        return None
    return "original" if partition.holdout is None else "original and holdout"
