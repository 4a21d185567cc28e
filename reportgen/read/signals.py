"""Sets of signals: arrays (records, leads, samples), checked, named, and told apart by their recorded values.

Distances are taken in a descriptor of the records (`space.descriptor`). Whether two records are the same is never
asked of the descriptor, which is the same for a record played backwards, but of the recorded values themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.distances import Floats
from reportgen.errors import InputError
from reportgen.read.columns import RawTable
from reportgen.read.naming import one_line
from reportgen.read.partition import ColumnSchema, Partition, Side, Source, Table
from reportgen.settings import Settings

_BLOCK = 1 << 21
"""Numbers converted at once, 16 MB: an array of 16-bit integers is never held four times over."""
_EXACT_INTEGERS = 2**53
_ONLY_FOR_TABLES = (
    *("key", "ignore", "group", "numeric", "categorical", "components", "declared"),
    *("secret", "link", "link_with", "attacks"),
)
_ONLY_FOR_SIGNALS = ("lead_names", "sampling_rate")


@dataclass(frozen=True)
class Signals:
    """One set of records as read: `values` has the shape (records, leads, samples), finite real numbers."""

    source: Source
    role: Side
    values: NDArray[Any]

    @property
    def where(self) -> str:
        """The name of the file with its role, for messages."""
        return f"{one_line(self.source.name)} ({self.role})" if self.source.sha256 else f"{self.role} array"

    @property
    def leads(self) -> int:
        """How many signals each record has."""
        return int(self.values.shape[1])

    @property
    def samples(self) -> int:
        """How many values each signal has."""
        return int(self.values.shape[2])

    def blocks(self) -> Iterator[Floats]:
        """Yield the records in order as float64, so many at a time; -0.0 is 0.0. Shape (some, leads, samples)."""
        step = max(1, _BLOCK // (self.leads * self.samples))
        for start in range(0, len(self.values), step):
            yield self.values[start : start + step].astype(np.float64) + 0.0


def signals(array: NDArray[Any], source: Source, role: Side) -> Signals:
    """Check a 3-D array; InputError where it is empty or holds anything but finite numbers that float64 can hold."""
    found = Signals(source, role, array)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        msg = f"{found.where}: signals of {array.dtype} cannot be compared; give integers or floats of at most 64 bits"
        raise InputError(msg)
    for size, what in zip(array.shape, ("record", "lead", "sample"), strict=True):
        if not size:
            msg = f"{found.where}: an array of shape {_shape(array)} holds no {what}; give (records, leads, samples)"
            raise InputError(msg)
    missing = infinite = inexact = 0
    for block in found.blocks():
        if array.dtype.kind == "f":
            missing += int(np.isnan(block).any(axis=(1, 2)).sum())
            infinite += int(np.isinf(block).any(axis=(1, 2)).sum())
        elif array.dtype.itemsize == 8:
            inexact += int((np.abs(block) >= _EXACT_INTEGERS).any(axis=(1, 2)).sum())
    for count, what in (
        (missing, "missing samples (NaN)"),
        (infinite, "infinite samples"),
        (inexact, "integers beyond 2^53"),
    ):
        if count:
            records = f"{count} of {len(array)} records" if len(array) > 1 else "its one record"
            msg = (
                f"{found.where}: {records} {'hold' if count > 1 else 'holds'} {what}; repair or leave out such records"
            )
            raise InputError(msg)
    return found


def _shape(array: NDArray[Any]) -> str:
    return " x ".join(str(size) for size in array.shape)


def all_signals(inputs: Sequence[RawTable | Signals], settings: Settings) -> list[Signals] | None:
    """Return the inputs where all are sets of signals with the same number of leads, None where all are tables.

    InputError where they are mixed, leads differ in number, or a setting belongs to the other form.
    """
    found = [one for one in inputs if isinstance(one, Signals)]
    _check_settings(settings, signals=bool(found))
    if not found:
        return None
    for one in inputs:
        if not isinstance(one, Signals):
            name = f"{one_line(one.source.name)} ({one.role})"
            msg = f"{name} is a table and {found[0].where} a set of signals; give all inputs in one form"
            raise InputError(msg)
    for one in found[1:]:
        if one.leads != found[0].leads:
            msg = (
                f"{one.where} has {_count(one.leads, 'lead')} and {found[0].where} {_count(found[0].leads, 'lead')}; "
                "give records of the same leads, shape (records, leads, samples)"
            )
            raise InputError(msg)
    return found


def _check_settings(settings: Settings, *, signals: bool) -> None:
    for name in _ONLY_FOR_TABLES if signals else _ONLY_FOR_SIGNALS:
        if getattr(settings, name) != Settings.model_fields[name].default:
            forms = ("tables", "signals") if signals else ("signals", "tables")
            shown = "[schema]" if name == "declared" else f"--{name.replace('_', '-')}"
            msg = f"{shown}: belongs to {forms[0]}, and these inputs are {forms[1]}; leave it out"
            raise InputError(msg)


def lead_names(inputs: Sequence[Signals], settings: Settings) -> tuple[str, ...]:
    """Return the leads' names as given with --lead-names, otherwise "1", "2", …; InputError where they don't fit."""
    leads = inputs[0].leads
    if not settings.lead_names:
        return tuple(str(number) for number in range(1, leads + 1))
    if len(settings.lead_names) != leads:
        msg = (
            f"--lead-names: {_count(len(settings.lead_names), 'name')} for {_count(leads, 'lead')} of "
            f"{inputs[0].where}; give one name a lead"
        )
        raise InputError(msg)
    return settings.lead_names


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def content_sha256(records: Signals) -> str:
    r"""Return the SHA-256 of a set of signals: equal for equal values, whatever the file format or the number type.

    The digest runs over the ASCII text "signals RECORDS LEADS SAMPLES" and a line feed, then over all values in C
    order as little-endian float64, -0.0 as 0.0. With numpy:

        head = "signals %d %d %d\n" % array.shape
        hashlib.sha256(head.encode() + (array.astype("<f8") + 0.0).tobytes())
    """
    digest = hashlib.sha256(f"signals {len(records.values)} {records.leads} {records.samples}\n".encode())
    for block in records.blocks():
        digest.update(block.astype("<f8").tobytes())
    return digest.hexdigest()


def recordings(inputs: Sequence[Signals]) -> Partition:
    """Return tables that are equal where the recorded values are: the SHA-256 of either half of every lead.

    Two records are identical on all columns exactly when all their samples are (a value is compared as float64, so a
    file of 16-bit integers may equal one of floats), and on all columns but one when they differ within half a lead.
    """
    tables = {one.role: Table(one.source, _digests(one)) for one in inputs}
    columns = tuple(ColumnSchema(name, "categorical") for name in next(iter(tables.values())).frame.columns)
    return Partition(columns, tables["original"], tables["synthetic"], tables.get("holdout"))


def _digests(records: Signals) -> pd.DataFrame:
    cuts = (0, (records.samples + 1) // 2, records.samples)
    halves = [slice(*ends) for ends in pairwise(cuts)]
    parts = [(lead, half) for lead in range(records.leads) for half in halves]
    columns: list[list[str]] = [[] for _ in parts]
    for block in records.blocks():
        for column, (lead, part) in zip(columns, parts, strict=True):
            cut = np.ascontiguousarray(block[:, lead, part])
            column += [hashlib.sha256(record.tobytes()).hexdigest() for record in cut]
    return pd.DataFrame(dict(zip((f"half {place}" for place in range(len(parts))), columns, strict=True)))
