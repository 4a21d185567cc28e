"""A column that seems to name persons, each with several rows. Without --group such rows count as separate people.

Two signs count, on the original rows alone. The name says so: patient_id, subject, customer no. Or the rows say so: two
rows with the same value agree far more than other rows do, in most other columns. Ages and professions make rows alike
as well, by some percent; persons by more than half. Every limit here is ours, set so that none of the public tables
that this was tried on is named wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reportgen.distances import Floats, Ints
from reportgen.persons import PersonKey
from reportgen.read.canonical import Understood

LIKE_A_KEY = (
    "Looks like a key of persons with several rows each: without --group with this column's name such rows count as "
    "separate people."
)
PERSON = frozenset(
    {
        "patient",
        "subject",
        "customer",
        "client",
        "user",
        "person",
        "individual",
        "respondent",
        "participant",
        "member",
        "employee",
        "worker",
        "student",
        "pupil",
        "household",
        "resident",
        "citizen",
        "donor",
        "applicant",
        "borrower",
        "passenger",
        "driver",
        "visitor",
        "insured",
        "policyholder",
        "taxpayer",
        "beneficiary",
        "subj",
        "cust",
        "pat",
        "usr",
    }
)
"""Words of a name that mean a person or what stands for one."""
NUMBER = frozenset(["id", "uid", "uuid", "guid", "key", "no", "nr", "num", "number", "code", "ref"])
"""Last words of a name that mean a number given to something."""
ALONE = frozenset(["id", "uid", "uuid", "guid", "pid", "mrn", "ssn"])
ALIKE = 0.5
"""From this part of the difference between rows that goes with the value on, rows of one value are one person's."""
ALIKE_AND_NAMED = 0.25
FEWEST_VALUES, FEWEST_NAMED = 20, 5
"""A column whose name tells nothing needs so many values, one whose name says a little fewer; else it is a category."""
REPEATED, MOSTLY = 0.1, 0.5
"""The share of rows that must repeat a value: a few doubled numbers make no persons."""
MOST_ROWS = 20_000
MOST_OF_ONE = 1000
"""So many rows are looked at: those of the first values in order that have no more than these."""
WINDOW = 3


def person_key(understood: Mapping[str, Understood]) -> PersonKey | None:
    """Find the column that looks most like a key of persons who have several rows; None where none does.

    The plainer the name the better, then the more values, then the order of the columns.
    """
    found = []
    for place, (name, column) in enumerate(understood.items()):
        if column.kind not in {"categorical", "numeric"} or (column.kind == "numeric" and not column.whole):
            continue
        named = name_of_person(name)
        found_codes, values = pd.factorize(column.series[0])
        rows = np.bincount(found_codes[found_codes >= 0], minlength=len(values))
        if not _repeats(rows, named):
            continue
        if named == "plainly" or _rows_say_so(name, _in_order(found_codes, values), rows, named, understood):
            rank = ("plainly", "perhaps", "no").index(named)
            found.append((rank, -len(values), place, PersonKey(name, len(values), len(column.series[0]))))
    return min(found, key=lambda one: one[:3])[3] if found else None


def name_of_person(name: str) -> str:
    """Whether a name says that its column tells persons apart: "plainly", "perhaps" or "no"."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).casefold()
    tokens = re.findall(r"[^\W_]+", words)
    if not tokens:
        return "no"
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else ""
    joined = last.endswith("id") and last[:-2] in PERSON
    if joined or (last in NUMBER and before in PERSON) or (tokens[0] in {"id", "uuid"} and last in PERSON):
        return "plainly"
    return "perhaps" if tokens in ([word] for word in (*PERSON, *ALONE)) or last in ALONE else "no"


def _repeats(rows: Ints, named: str) -> bool:
    """Whether there are values enough, and rows enough that repeat one. `rows`: how many each value has."""
    fewest, least = {"plainly": (2, REPEATED), "perhaps": (FEWEST_NAMED, REPEATED)}.get(named, (FEWEST_VALUES, MOSTLY))
    return len(rows) >= fewest and float(rows[rows > 1].sum()) >= max(1.0, least * float(rows.sum()))


def _in_order(codes: Ints, values: Any) -> Ints:
    """Codes in the order of the values, missing -1: what is looked at must not depend on the order of rows."""
    ranks = np.empty(len(values) + 1, dtype=np.int64)
    ranks[np.asarray(pd.Series(values).sort_values(kind="stable").index)] = np.arange(len(values))
    ranks[-1] = -1
    return ranks[codes]


def _rows_say_so(name: str, codes: Ints, rows: Ints, named: str, understood: Mapping[str, Understood]) -> bool:
    """Whether rows of one value agree in most other columns."""
    own = np.bincount(codes[codes >= 0], minlength=len(rows))
    looked_at = (own <= MOST_OF_ONE) & (np.cumsum(np.where(own <= MOST_OF_ONE, own, 0)) <= MOST_ROWS)
    chosen = np.flatnonzero((codes >= 0) & looked_at[codes])
    ordered = understood[name].kind == "numeric"
    parts = (likeness(codes[chosen], other, ordered=ordered) for other in _other_columns(name, understood, chosen))
    known = [part for part in parts if part is not None]
    return len(known) >= 2 and float(np.median(known)) >= (ALIKE if named == "no" else ALIKE_AND_NAMED)


def _other_columns(name: str, understood: Mapping[str, Understood], chosen: Ints) -> Iterator[tuple[Floats, bool]]:
    """Each other column as ranks (True) or codes of categories (False), missing as NaN; shape (chosen rows,)."""
    for other, column in understood.items():
        series = column.series[0].iloc[chosen]
        if other == name or series.nunique() < 2:
            continue
        number = column.kind in {"numeric", "datetime"}
        codes: Floats = pd.factorize(series, sort=number)[0].astype(np.float64)
        codes[codes < 0] = np.nan
        if number:
            codes = np.asarray(pd.Series(codes).rank(), dtype=np.float64)
        yield codes, number


def likeness(codes: Ints, other: tuple[Floats, bool], *, ordered: bool) -> float | None:
    """What part of the difference between rows, in another column, goes with the value: 1 where it decides it.

    Differences are variances of ranks, or how often two rows disagree on a category; those within a value are compared
    with those among all rows. Where values are numbers (`ordered`) they are compared with those within three values
    next to each other: a length makes rows as alike at 181 and 182 as at 181, the number of a person doesn't. None
    where no value has two rows, or rows don't differ.
    """
    values, number = other
    present = ~np.isnan(values)
    codes, values = codes[present], values[present]
    if not len(codes):
        return None
    difference = _variance if number else _disagreement
    wide = difference(np.unique(codes, return_inverse=True)[1] // WINDOW if ordered else np.zeros_like(codes), values)
    narrow = difference(codes, values)
    return None if narrow is None or not wide else 1 - narrow / wide


def _variance(groups: Ints, values: Floats) -> float | None:
    """The variance of values within groups; None where no group has two rows."""
    rows, sums, squares = (
        np.bincount(groups, weights=weights) for weights in (np.ones(len(values)), values, values**2)
    )
    several = rows > 1
    freedom = float((rows[several] - 1).sum())
    within = float((squares[several] - sums[several] ** 2 / rows[several]).sum())
    return within / freedom if freedom else None


def _disagreement(groups: Ints, values: Floats) -> float | None:
    """How often two rows of a group disagree; None where no group has two rows."""
    rows = np.bincount(groups)
    pairs = float((rows * (rows - 1)).sum())
    same = np.unique(groups * (int(values.max()) + 1) + values.astype(np.int64), return_counts=True)[1]
    return 1 - float((same * (same - 1)).sum()) / pairs if pairs else None
