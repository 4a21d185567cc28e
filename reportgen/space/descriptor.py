"""The descriptor of a record: seven numbers a lead (seed 002), in which the distances between signals are taken.

With x the T samples of one lead, and c = x - mean:

    mean                     mean of x
    standard deviation       root of the mean of c^2
    root mean square         root of the mean of x^2
    largest absolute value   max |x|
    mean square              mean of x^2
    zero-crossing rate       sum of |difference of sign(x)| / (2(T - 1)); of x as it is, not of c
    lag-1 autocorrelation    sum of c_t c_(t+1) / (sum of c^2 + 1e-9)

Each is divided by its population standard deviation over the original records, and is left out where that is 0. It is
not centred: a distance doesn't change by it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reportgen.distances import Floats
from reportgen.errors import InputError
from reportgen.read.naming import shown_name
from reportgen.read.partition import ColumnSchema, Lead, Partition, Side, Table
from reportgen.read.signals import Signals, content_sha256, lead_names, recordings
from reportgen.settings import Settings
from reportgen.space.famd import Encoded, encode

FEATURES = (
    "mean",
    "standard deviation",
    "root mean square",
    "largest absolute value",
    "mean square",
    "zero-crossing rate",
    "lag-1 autocorrelation",
)
SAME_IN_ORIGINAL = "it is the same in all original records"
_TINY = 1e-9


def features(lead: Floats) -> Floats:
    """Describe signals of one lead, shape (records, samples), by seven numbers each, shape (records, 7).

    A signal of one value throughout has exactly that mean and the standard deviation 0, whatever sums would round to.
    One sample has no crossing and no lag: both are 0.
    """
    samples = lead.shape[1]
    flat = lead.max(axis=1) == lead.min(axis=1)
    mean = np.where(flat, lead[:, 0], lead.mean(axis=1))
    centred = lead - mean[:, np.newaxis]
    squares = np.square(centred).sum(axis=1)
    power = np.where(flat, np.square(lead[:, 0]), np.square(lead).mean(axis=1))
    crossings = np.abs(np.diff(np.sign(lead), axis=1)).sum(axis=1) / (2 * max(samples - 1, 1))
    lagged = (centred[:, :-1] * centred[:, 1:]).sum(axis=1) / (squares + _TINY)
    columns = (mean, np.sqrt(squares / samples), np.sqrt(power), np.abs(lead).max(axis=1), power, crossings, lagged)
    return np.stack(columns, axis=1)


def describe(inputs: Sequence[Signals], settings: Settings) -> Partition:
    """Describe sets of signals as tables of coordinates, a column for each lead and feature.

    InputError where lead names don't fit, or samples are too large for their squares.
    """
    names = lead_names(inputs, settings)
    found = {one.role: _described(one) for one in inputs}
    columns: list[ColumnSchema] = []
    leads: list[Lead] = []
    for place, name in enumerate(names):
        spreads = [_spread(found["original"][:, place, feature]) for feature in range(len(FEATURES))]
        titles = [f"{name}: {feature}" for feature in FEATURES]
        for feature, (title, spread) in enumerate(zip(titles, spreads, strict=True)):
            columns.append(ColumnSchema(title, "numeric", None if spread else SAME_IN_ORIGINAL))
            for values in found.values():
                values[:, place, feature] /= spread or 1.0
        used = tuple(title for title, spread in zip(titles, spreads, strict=True) if spread)
        leads.append(Lead(name, used, flat=not used or _flat(inputs, "original", place)))
    names_of_columns = [column.name for column in columns]
    tables = {
        one.role: Table(
            one.source,
            pd.DataFrame(found[one.role].reshape(len(one.values), -1), columns=names_of_columns),
            _remarks(one, inputs, leads),
            content_sha256=content_sha256(one),
            samples=one.samples,
        )
        for one in inputs
    }
    return Partition(
        tuple(columns),
        tables["original"],
        tables["synthetic"],
        tables.get("holdout"),
        leads=tuple(leads),
        recordings=recordings(inputs),
    )


def encode_signals(partition: Partition, settings: Settings) -> Encoded:
    """Place described records in the joint space of all leads; the coordinates are used as they are."""
    encoded = encode(partition, settings.model_copy(update={"projection": "none"}))
    return replace(encoded, fitted_on="original" if partition.used else None)


def lead_coordinates(partition: Partition, encoded: Encoded) -> dict[str, Floats]:
    """Return the space of each lead that isn't flat by name: its part of the joint coordinates, (rows, features)."""
    order = sorted(column.name for column in partition.used)  # the order in which `encode` lays them out
    return {
        lead.name: np.ascontiguousarray(encoded.coordinates[:, [order.index(name) for name in sorted(lead.columns)]])
        for lead in partition.leads
        if not lead.flat
    }


def _described(records: Signals) -> Floats:
    """Return the features of all records, shape (records, leads, 7)."""
    with np.errstate(over="ignore", invalid="ignore"):
        blocks = [
            np.stack([features(np.ascontiguousarray(block[:, lead])) for lead in range(records.leads)], axis=1)
            for block in records.blocks()
        ]
    found = np.concatenate(blocks)
    if not np.isfinite(found).all():
        msg = f"{records.where}: holds samples so large that their squares overflow; rescale them"
        raise InputError(msg)
    return found


def _spread(values: Floats) -> float:
    """Return the population standard deviation of one feature, exactly 0 where all are equal, in whatever order.

    Values are brought near 1 first, so that their squares neither overflow nor vanish.
    """
    if values.max() == values.min():
        return 0.0
    exponent = int(np.frexp(np.abs(values).max())[1])
    scaled = np.ldexp(values, -exponent)
    mean = math.fsum(scaled) / len(scaled)
    return math.ldexp(math.sqrt(math.fsum((scaled - mean) ** 2) / len(scaled)), exponent)


def _flat(inputs: Sequence[Signals], role: Side, lead: int) -> bool:
    """Whether every record of one set holds one value throughout in this lead."""
    records = next(one for one in inputs if one.role == role)
    return all((block[:, lead].max(axis=1) == block[:, lead].min(axis=1)).all() for block in records.blocks())


def _remarks(records: Signals, inputs: Sequence[Signals], leads: Sequence[Lead]) -> tuple[str, ...]:
    """Say what a reader should know of one set: flat leads, and records of another length."""
    said = []
    original = inputs[0]
    for place, lead in enumerate(leads):
        name = shown_name(lead.name)
        if records.role == "original" and lead.flat and len(records.values) > 1:
            said.append(
                f"Lead {name} is flat in every original record, or the same in all of them: it is not scored and left "
                "out of the means of nn_dist."
            )
        elif records.role != "original" and not lead.flat and _flat(inputs, records.role, place):
            said.append(f"Lead {name} is flat in every record of {records.where}, but not in the original.")
    if records.samples != original.samples:
        said.append(
            f"Records of {records.where} have {records.samples} samples, those of {original.where} {original.samples}: "
            "features are compared all the same, but no two such records can be identical, and the largest absolute "
            "value grows with the length."
        )
    return tuple(said)
