"""Set a real holdout aside before synthesis: one table divided into what the generator may see and what it may not.

    read the table as `assess` does -> blocks of rows that stay together -> draw -> both tables and the record

How the rows are written again is told in `reportgen.stored`. A table in memory is divided into two of its kind.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.files import refuse_overwriting
from reportgen.model import SplitFile, SplitSettings, Tool
from reportgen.output import check_writable
from reportgen.read.division import Mask, blocks_of, choose, content_numbers, strata_of
from reportgen.read.fingerprint import content_sha256
from reportgen.read.groups import identical_rows
from reportgen.read.naming import one_line, shown_name, shown_names
from reportgen.read.partition import Partition, Source, Table, Tabular
from reportgen.read.signals import Signals
from reportgen.read.signals import content_sha256 as content_of_signals
from reportgen.read.tables import split_key
from reportgen.runner import read_inputs
from reportgen.settings import Settings
from reportgen.split_record import SplitRecord, read_record, record_bytes, record_of
from reportgen.stored import ARRAYS, SUFFIXES, TABLES, Array, Stored, stored, suffix_of, taken, written

DEFAULT_FRACTION = 0.2


@dataclass(frozen=True)
class Split:
    """A divided table, and what to tell of it.

    `original` and `holdout` are paths where files are written, otherwise tables of the kind that was given, their rows
    in the order that they had. `contents` are the bytes of the files: both tables and the record.
    """

    original: Path | pd.DataFrame | NDArray[Any]
    holdout: Path | pd.DataFrame | NDArray[Any]
    record: SplitRecord
    joined: int
    """Rows that stay together with an identical row."""
    contents: Mapping[Path, bytes]


@dataclass(frozen=True)
class Asked:
    """What was asked for: the source (a path, `file.npz:key`, or a table), where to write, and how to draw."""

    source: Tabular
    original: Path | None
    holdout: Path | None
    fraction: float
    stratify: str | None
    settings: Settings
    """Of these count seed, group, and how columns and file are read."""


def check_asked(asked: Asked, others: Sequence[str | Path | None] = ()) -> None:
    """Raise InputError for what is wrong before anything is read: the fraction, suffixes, places to write to.

    `others` are further files that must not be written over.
    """
    if not 0 < asked.fraction < 1:
        msg = "--fraction: give the holdout's share of the rows, between 0 and 1, such as 0.2"
        raise InputError(msg)
    if isinstance(asked.source, pd.DataFrame | np.ndarray):
        if asked.original is not None or asked.holdout is not None:
            msg = "split: a table in memory is returned as two; name no files, or give a path to divide"
            raise InputError(msg)
        return
    if asked.original is None or asked.holdout is None:
        msg = "split: name both files to write, original and holdout"
        raise InputError(msg)
    source = os.fsdecode(asked.source)
    _check_formats(source, asked.original, asked.holdout)
    targets = [str(target) for target in (asked.original, asked.holdout, record_of(asked.holdout))]
    if len({os.path.realpath(target) for target in targets}) < len(targets):
        msg = "split: --original and --holdout name the same file; name two"
        raise InputError(msg)
    refuse_overwriting(targets, (source, *others))
    folder = os.path.realpath(source)
    if any(os.path.dirname(os.path.realpath(target)) == folder for target in targets):  # noqa: PTH120 -- no path to open
        msg = f"{one_line(Path(source).name)}: an output in this folder would become a part of the table; name another"
        raise InputError(msg)
    for target in targets:
        check_writable(Path(target))


def _check_formats(source: str, original: Path, holdout: Path) -> None:
    """Refuse suffixes that are not known, and tables that would become arrays or arrays tables."""
    path = split_key(source)[0]
    known, folder = suffix_of(source), path.is_dir()
    for option, target in (("--original", original), ("--holdout", holdout)):
        suffix = suffix_of(target.name)
        if suffix is None:
            msg = f"{option} {shown_name(target.name)}: unknown format, use one of {' '.join(SUFFIXES)}"
            raise InputError(msg)
        if (folder or known is not None) and (suffix in ARRAYS) != (not folder and known in ARRAYS):
            what, which = ("an array", ARRAYS) if suffix not in ARRAYS else ("a table", TABLES)
            msg = f"{option} {shown_name(target.name)}: {what} is divided into files of {' '.join(which)}"
            raise InputError(msg)
    if not folder and path.exists() and known is None:
        msg = f"{one_line(path.name)}: split reads {', '.join(SUFFIXES)} or a folder of .parquet parts"
        raise InputError(msg)


def divide(asked: Asked, created: str, version: str, memory: int | None = None, held: int = 0) -> Split:
    """Divide a table; raise InputError where it cannot be read, or not be divided as asked. Writes nothing."""
    partition = read_inputs(asked.source, asked.source, None, asked.settings, memory=memory, held=held, measure=False)
    table = partition.original
    mask, joined = _drawn(partition, asked)
    sides = (np.flatnonzero(~mask), np.flatnonzero(mask))
    source = stored(asked.source, len(table.frame), asked.settings)
    paths = (asked.original, asked.holdout)
    contents = {path: written(source, path, rows) for path, rows in zip(paths, sides, strict=True) if path is not None}
    original, holdout = (
        _described(path, name, contents, partition, source, rows)
        for path, name, rows in zip(paths, ("ORIGINAL", "HOLDOUT"), sides, strict=True)
    )
    record = SplitRecord(
        created=created,
        tool=Tool(version=version),
        settings=SplitSettings(
            fraction=asked.fraction,
            group=asked.settings.group,
            stratify=asked.stratify,
            seed=asked.settings.seed,
        ),
        source=SplitFile(
            name=table.source.name,
            sha256=table.source.sha256,
            content_sha256=table.content_sha256 or content_sha256(table, partition.columns),
            rows=len(table.frame),
        ),
        original=original,
        holdout=holdout,
    )
    if asked.original is None or asked.holdout is None:
        return Split(taken(source, sides[0]), taken(source, sides[1]), record, joined, {})
    beside = record_of(asked.holdout)
    _refuse_another(contents, beside)
    record = _kept(record, beside)
    return Split(asked.original, asked.holdout, record, joined, {**contents, beside: record_bytes(record)})


def _drawn(partition: Partition, asked: Asked) -> tuple[Mask, int]:
    """Return the rows of the holdout, and how many rows have an identical one they stay with."""
    as_read = partition.as_read  # of signals the recorded values, not what describes them
    frame, used = as_read.original.in_memory, as_read.used
    rows = len(frame)
    if not used:  # nothing is compared: then rows are identical where all is, whatever it is
        used = tuple(replace(column, left_out=None) for column in as_read.columns)
        as_read = replace(as_read, columns=used)
    identical = identical_rows(as_read).original
    persons = None if partition.persons is None else partition.persons.person[partition.persons.original]
    blocks = blocks_of(identical, persons)
    sizes = np.bincount(blocks)
    if len(sizes) < 2 or max(sizes) > (1 - min(asked.fraction, 1 - asked.fraction)) * rows + 1:
        what = "rows of one person, or identical rows" if persons is not None else "identical rows"
        msg = (
            f"{one_line(partition.original.source.name)}: {int(max(sizes)):,} of {rows:,} rows hang together ({what}) "
            f"and cannot be divided; use columns that tell more rows apart, or another --fraction"
        )
        raise InputError(msg)
    strata = np.zeros(rows, dtype=np.int64)
    if asked.stratify is not None:
        strata = _strata(partition, asked.stratify)
    numbers = content_numbers(frame, used)
    joined = int((np.bincount(identical)[identical] > 1).sum())
    return choose(blocks, numbers, strata, asked.fraction, asked.settings.seed), joined


def _strata(partition: Partition, name: str) -> Any:
    column = next((column for column in partition.columns if column.name == name), None)
    if column is None:
        msg = f"--stratify: there is no column {shown_name(name)}; columns are {shown_names(_names(partition))}"
        raise InputError(msg)
    frame = partition.original.frame
    strata = strata_of(frame[name], column)
    if 2 * len(np.unique(strata)) > len(strata):
        msg = f"--stratify: column {shown_name(name)} has nearly as many values as rows; name one of few values"
        raise InputError(msg)
    return strata


def _names(partition: Partition) -> list[str]:
    return [column.name for column in partition.columns]


def _described(
    path: Path | None, name: str, contents: Mapping[Path, bytes], partition: Partition, source: Stored, rows: Any
) -> SplitFile:
    if partition.leads and isinstance(source, Array):
        content = content_of_signals(Signals(Source(name, None), "original", source.values[rows]))
    else:
        part = Table(Source(name, None), partition.original.in_memory.iloc[rows].reset_index(drop=True))
        content = content_sha256(part, partition.columns)
    return SplitFile(
        name=name if path is None else os.fsencode(path.name).decode("utf-8", "replace"),
        sha256=None if path is None else hashlib.sha256(contents[path]).hexdigest(),
        content_sha256=content,
        rows=len(rows),
    )


def _refuse_another(contents: Mapping[Path, bytes], record: Path) -> None:
    """Refuse to draw over an earlier split: a holdout drawn again after synthesis is none."""
    for path, content in contents.items():
        if path.is_file() and path.read_bytes() != content:
            msg = (
                f"{one_line(path.name)}: exists and holds other rows; a holdout drawn anew after synthesis is none, so "
                "remove it first if nothing was made from it"
            )
            raise InputError(msg)
    if record.is_file() and not all(path.is_file() for path in contents):
        msg = f"{one_line(record.name)}: the record of an earlier split is there without its tables; remove it first"
        raise InputError(msg)


def _kept(record: SplitRecord, beside: Path) -> SplitRecord:
    """Keep the day of an earlier split with the same outcome: the holdout was set aside then."""
    if not beside.is_file():
        return record
    try:
        earlier = read_record(beside)[0]
    except InputError:
        return record
    same = {"created": earlier.created, "tool": earlier.tool}
    return earlier if record.model_copy(update=same) == earlier else record
