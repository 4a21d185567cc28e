"""How much memory a run will take, told from the files before they are read.

Measured peaks of resident memory, MB (Python 3.11, one thread, all metrics, three tables of so many rows each):

    rows x columns                          dimensions   --dry-run   whole run
    10,000 x 20    numbers                          20         206         421
    10,000 x 100   numbers                         100         286         532
    20,000 x 100   numbers                         100         372         796
    10,000 x 10    categories of 20 levels         200         202         479
    10,000 x 40    categories of 20 levels         800         224       1,153
    40,000 x 15    UCI Adult, drawn again          100         240         566
    300,000 x 6    numbers, CSV 22 MB each           6         480
    300,000 x 6    different texts, CSV 37 MB        6         987

With --max-queries 500, original, synthetic and holdout of 4:1:1, so many rows in all:

    60,000 x 20    numbers                          20                     527
    240,000 x 20   numbers                          20                     948

From these: libraries 210 MB when reading and 270 MB when measuring; 32 bytes a cell read, and 100 bytes and twice its
length for each different text; measuring, 1.4 kB a row and 2.8 kB more for each that looks for its neighbours (where
few do, 120 MB, which attacks and permutations take), 16 bytes a cell and four times the coordinates (rows x dimensions
x 8 bytes). Where rows repeat, less is needed.

Where tables are held on disk: 250 MB for the blocks that are searched, and 250 bytes a row whatever its columns.
Measured while reading and encoding, when nothing is searched: 103 bytes a row of numbers (5,000,000 rows), 235 where
some columns are texts, dates and whole numbers beyond 2^53 (180,000 rows); beside the blocks and in tests, up to 50.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from reportgen.declared import FileForm
from reportgen.errors import InputError
from reportgen.read.partition import Side
from reportgen.read.shelf import free_disk
from reportgen.read.sketch import Sketch, sketch_of
from reportgen.settings import Settings

READING, MEASURING = 210 * 10**6, 270 * 10**6
_CELL, _ROW, _LOOKING, _MEASURED_CELL, _COORDINATE = 32, 1400, 2800, 16, 32
_BLOCKS, _ROW_ON_DISK = 250 * 10**6, 250
_CELL_ON_DISK, _MORE_ON_DISK = 90, 700
_COMFORTABLE = 4 * 10**9
"""More than so much is not held in memory where it need not be, even if it is there."""
_MOST = tuple(1 << step for step in range(24, 8, -1))
"""Numbers of rows that look, one of which is advised where all of them would take too much."""
_AT_LEAST = 120 * 10**6
"""What so many rows take that look, where fewer do: attacks and permutations have numbers of their own."""


def check_memory(
    tables: Mapping[Side, tuple[Any, FileForm]],
    settings: Settings,
    available: int | None,
    held: int,
    *,
    measure: bool,
    may_stream: bool = False,
) -> bool:
    """Say whether the tables are to be held on disk, which takes less memory and more time.

    Raise InputError, one line, where the run would take more than the `available` bytes beyond those `held` either
    way. `measure`: whether the tables are to be measured, or only read. `may_stream`: whether disk may be taken.
    """
    if available is None:
        return False
    sketches = _sketches(tables, settings, available)
    told = list(sketches.values())
    needed = _needed(told, measure=measure, most=settings.max_queries)
    room = available + held
    kept = why_in_memory(tables, settings)
    on_disk = may_stream and kept is None and _on_disk(told, most=settings.max_queries if measure else 1) <= room
    if on_disk and needed > min(room, _COMFORTABLE):
        enough = _disk(told) <= free_disk()
        if enough or needed <= room:
            return enough
    if needed <= room:
        return False
    sizes = ", ".join(
        f"{side} about {table.rows:,} rows x {table.columns:,} column{'s'[: table.columns - 1]}"
        for side, table in sketches.items()
    )
    may_ask = measure and settings.max_queries is None
    advice = (_fewer_queries(told, room, on_disk=may_stream and kept is None) if may_ask else None) or _less(
        needed, room, measure=measure
    )
    if on_disk:
        advice = f"{_giga(_disk(told))} of temporary files would do instead: set TMPDIR to a folder on a larger disk"
    elif kept:
        advice = f"{advice}; {kept}"
    msg = f"memory: about {_giga(needed)} would be needed and {_giga(room)} is there ({sizes}); {advice}"
    raise InputError(msg)


def why_in_memory(tables: Mapping[Side, tuple[Any, FileForm]], settings: Settings) -> str | None:
    """Say why tables like these are not held on disk, nothing where none is of Parquet; None where they can be."""
    paths = [given for given, _ in tables.values() if isinstance(given, str | os.PathLike)]
    if not any(_is_parquet(Path(os.fsdecode(given))) for given in paths):
        return ""
    if settings.group is not None:
        return "with --group tables are held in memory"
    if settings.components != "all":
        return "with --components tables are held in memory"
    return None


def _is_parquet(path: Path) -> bool:
    return path.is_dir() or path.name.lower().endswith(".parquet")


def _sketches(tables: Mapping[Side, tuple[Any, FileForm]], settings: Settings, available: int) -> dict[Side, Sketch]:
    sketches = {}
    for side, (given, form) in tables.items():
        # What cannot be told from here is said better where it is read.
        with suppress(
            OSError, ValueError, TypeError, KeyError, pa.ArrowException, zipfile.BadZipFile, EOFError, MemoryError
        ):
            found = sketch_of(given, side, form, settings, available)
            if found is not None:
                sketches[side] = found
    return sketches


def _fewer_queries(tables: Sequence[Sketch], room: int, *, on_disk: bool) -> str | None:
    """Advise how many rows may look for their neighbours; None where no number of them would fit."""
    largest = max((table.rows for table in tables), default=0)
    for most in _MOST:
        needed = _on_disk if on_disk else partial(_needed, measure=True)
        if most < largest and needed(tables, most=most) <= room:
            return f"let fewer rows look for their neighbours, in all rows (--max-queries {most})"
    return None


def _less(needed: float, room: int, *, measure: bool) -> str:
    share = (room - (MEASURING if measure else READING)) / needed
    if share <= 0:  # what the program takes by itself no smaller table can mend
        return "raise the limit (ulimit -v), or use a larger machine"
    percent = 100 * max(0.01, share)
    columns = "leave out columns (--ignore, or out of the files)"
    return f"take about {percent:.0f} % of the rows, {columns}, or use a larger machine"


def _giga(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


def _needed(sketches: Sequence[Sketch], *, measure: bool, most: int | None = None) -> float:
    """Bytes that a run takes; `most` rows of each table look for their neighbours, None for all."""
    read = READING + sum(table.rows * (table.columns * _CELL + table.distinct) for table in sketches)
    read += max((table.held for table in sketches), default=0)
    if not measure:
        return read
    rows = sum(table.rows for table in sketches)
    dimensions = max((table.dimensions for table in sketches), default=0)
    cells = sum(table.rows * (table.columns * _MEASURED_CELL + table.distinct) for table in sketches)
    looking = _LOOKING * sum(min(table.rows, most or table.rows) for table in sketches)
    looking = max(looking, min(_LOOKING * rows, _AT_LEAST))
    return max(read, MEASURING + looking + rows * (_ROW + dimensions * _COORDINATE) + cells)


def _on_disk(sketches: Sequence[Sketch], *, most: int | None = None) -> float:
    """Bytes of memory that a run takes whose tables are held on disk."""
    rows = sum(table.rows for table in sketches)
    texts = max((table.rows * table.distinct for table in sketches), default=0)  # of one column at a time, all at most
    looking = max(_LOOKING * sum(min(table.rows, most or table.rows) for table in sketches), _AT_LEAST)
    return MEASURING + _BLOCKS + looking + rows * _ROW_ON_DISK + texts


def _disk(sketches: Sequence[Sketch]) -> float:
    """Bytes of temporary files that such a run takes."""
    return sum(
        table.rows * (table.columns * _CELL_ON_DISK + table.dimensions * 16 + _MORE_ON_DISK) for table in sketches
    )
