"""The rows of all tables as an attacker reads them: values of columns, and where the rows lie in the distance space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.distances import Floats, Ints
from reportgen.ranks import grouped, ranked
from reportgen.read.groups import RowGroups
from reportgen.read.partition import ColumnSchema, Partition
from reportgen.read.shelf import Shelf, shelved
from reportgen.settings import Settings
from reportgen.space.columns import in_one_code
from reportgen.space.equal_rows import column_keys
from reportgen.space.famd import Encoded, encode
from reportgen.space.gathered import gathered
from reportgen.space.on_disk import OnDisk


@dataclass(frozen=True)
class Attributes:
    """The different rows of all tables, in an order that depends on their values alone; arrays are read-only.

    `codes`, shape (columns, rows): ranks of the values, numbers and dates ascending, categories by name; the last
    code of a column, `missing`, means that there is no value. Values that are pooled in the distances are not pooled
    here. `numbers`: for each column the value of each code as float64, None for a category; `dates`: whether these are
    points in time. `original`, `synthetic`, `holdout`: the place of each row of the table among the different rows;
    `place`: that of each id of identical rows.
    `coordinates`, (places, dimensions), `slices` and `point`, (rows,): where each row lies in the distance space with
    all components, and which coordinates belong to which column. `inertia`, (columns,): shares of the variance.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int32] | OnDisk
    missing: Ints
    numbers: tuple[Floats | OnDisk | None, ...]
    dates: tuple[bool, ...]
    original: Ints
    synthetic: Ints
    holdout: Ints | None
    coordinates: Floats | OnDisk
    slices: tuple[slice, ...]
    point: Ints
    space_codes: NDArray[np.int32] | OnDisk
    inertia: Floats
    place: Ints

    def of(self, rows: RowGroups) -> Attributes:
        """Read other tables made of the same rows, or the same in another order."""
        held = None if rows.holdout is None else self.place[rows.holdout]
        return replace(self, original=self.place[rows.original], synthetic=self.place[rows.synthetic], holdout=held)

    def within(self, rows: Ints, columns: list[int]) -> tuple[Floats, Ints]:
        """Place different rows, shape (rows,), in the space of these columns alone: coordinates, and each row's place.

        Rows that agree in the columns, as encoded for the distances, have one place.
        """
        points, of_row = np.unique(self.point[rows], return_inverse=True)
        keys = column_keys(self.space_codes[np.ix_(points, np.array(columns))]).sum(axis=1, dtype=np.uint64)
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        axes = np.concatenate([np.arange(self.slices[c].start, self.slices[c].stop) for c in columns])
        if isinstance(self.coordinates, OnDisk):
            cut = np.ascontiguousarray(self.coordinates[np.ix_(points[first], axes)])
        else:
            cut = gathered(self.coordinates, points[first], axes)
        return cut, place[of_row].astype(np.int64)


def attributes(partition: Partition, rows: RowGroups, encoded: Encoded, settings: Settings) -> Attributes:
    """Read the rows of a partition, whose `rows` and `encoded` are in the order of the files, with used columns."""
    if settings.components != "all":  # the axes mix the columns, which an attacker knows one by one
        encoded = encode(partition, settings.model_copy(update={"components": "all"}))
    used = sorted(partition.used, key=lambda column: column.name)
    ids = {"original": rows.original, "synthetic": rows.synthetic}
    points = {"original": encoded.original, "synthetic": encoded.synthetic}
    if rows.holdout is not None and encoded.holdout is not None:
        ids["holdout"], points["holdout"] = rows.holdout, encoded.holdout
    frames = {"original": partition.original, "synthetic": partition.synthetic, "holdout": partition.holdout}
    stacked = np.concatenate(list(ids.values()))
    first = grouped(stacked)[0]
    del stacked
    columns = [
        _column(
            pd.concat([table.frame[column.name] for side in ids if (table := frames[side])], ignore_index=True),
            column,
            first,
            partition.shelf,
        )
        for column in used
    ]
    order = np.argsort(in_one_code([(column.codes, column.missing + 1) for column in columns]), kind="stable")
    codes: NDArray[np.int32] | OnDisk
    if partition.shelf is None:
        codes = np.stack([column.codes[order] for column in columns])
    else:
        codes = OnDisk(_ordered(columns, order, partition.shelf))
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    on_disk = encoded.shelf is not None
    point = shelved(np.concatenate(list(points.values()))[first][order], encoded.shelf)
    del first, order
    place = {side: shelved(rank[own], encoded.shelf) for side, own in ids.items()}
    found = Attributes(
        names=tuple(column.name for column in used),
        codes=codes,
        missing=np.array([column.missing for column in columns]),
        numbers=tuple(OnDisk(one.numbers) if on_disk and one.numbers is not None else one.numbers for one in columns),
        dates=tuple(column.kind == "datetime" for column in used),
        original=place["original"],
        synthetic=place["synthetic"],
        holdout=place.get("holdout"),
        coordinates=OnDisk(encoded.coordinates) if on_disk else encoded.coordinates,
        slices=encoded.layout.slices,
        point=point,
        space_codes=OnDisk(encoded.layout.codes) if on_disk else encoded.layout.codes,
        inertia=encoded.layout.inertia,
        place=shelved(rank, encoded.shelf),
    )
    for array in (
        *(() if isinstance(codes, OnDisk) else (codes,)),
        found.missing,
        found.original,
        found.synthetic,
        found.point,
        found.place,
    ):
        array.setflags(write=False)
    return found


@dataclass(frozen=True)
class _Column:
    """A column of the different rows: codes (rows,), the code of a missing value, and the numbers of the others."""

    codes: NDArray[np.int32]
    missing: int
    numbers: Floats | None


def _column(series: pd.Series[Any], column: ColumnSchema, first: Ints, shelf: Shelf | None) -> _Column:
    """Read a column; with a shelf its codes and numbers lie there."""
    all_codes, values = _coded(series)
    codes = all_codes[first].astype(np.int32)
    numbers = _as_numbers(values) if column.kind in {"numeric", "datetime"} else None
    if shelf is None:
        return _Column(codes, len(values), numbers)
    return _Column(shelf.put(codes), len(values), None if numbers is None else shelf.put(numbers))


def _ordered(columns: Sequence[_Column], order: Ints, shelf: Shelf) -> NDArray[np.int32]:
    """The codes of all columns in an order, on disk: (columns, rows)."""
    codes = shelf.room((len(columns), len(order)), np.int32)
    for own, column in zip(codes, columns, strict=True):
        own[:] = np.array(column.codes)[order]
        shelf.forget()
    return codes


def _coded(series: pd.Series[Any]) -> tuple[Ints, Any]:
    """Codes of a column by rank, missing last, and the values of the codes."""
    if series.dtype == np.float64:
        different, ranks = ranked(series.to_numpy() + 0.0)  # -0.0 is 0.0
        return ranks, different[: len(different) - int(series.isna().any())]
    codes, values = pd.factorize(series, sort=True, use_na_sentinel=True)
    return np.where(codes < 0, len(values), codes).astype(np.int64), values


def _as_numbers(values: Any) -> Floats:
    if isinstance(values.dtype, pd.DatetimeTZDtype):
        values = values.as_unit("us").asi8
    if values.dtype in (np.float64, np.int64, "Int64"):
        return np.asarray(values, dtype=np.float64)
    return np.array([float(value) for value in values], dtype=np.float64)
