"""What an auditor, and whoever prepares for one, does with tables and reports: split, verify, compare, as functions.

Public as `reportgen.split`, `reportgen.verify` and `reportgen.compare`; the commands of these names call the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen import __version__, api
from reportgen.changes import Comparison, to_json
from reportgen.changes import compare as changed
from reportgen.errors import InputError
from reportgen.look import LookTable
from reportgen.output import check_writable, write_whole
from reportgen.read.partition import Side, Tabular
from reportgen.read.pooling import pooled
from reportgen.read.tables import Given, read_table
from reportgen.render.compare_page import closing, compare_page, shown_scores
from reportgen.render.table_page import TablePage, render_pages, suffix_of
from reportgen.report_files import open_report
from reportgen.setting_aside import DEFAULT_FRACTION, Asked, Split, check_asked, divide
from reportgen.settings import make_settings
from reportgen.signing import fingerprint_of
from reportgen.statements import Statement
from reportgen.unusual import refused_if_unusual
from reportgen.verifying import Expected
from reportgen.verifying import verify as stated

__all__ = ["Compared", "Split", "Verification", "compare", "split", "verify"]


def split(
    table: Tabular,
    original: str | os.PathLike[str] | None = None,
    holdout: str | os.PathLike[str] | None = None,
    *,
    fraction: float = DEFAULT_FRACTION,
    stratify: str | None = None,
    **settings: Any,
) -> Split:
    """Set a real holdout aside before synthesis: divide a table into what a generator may see and what it may not.

    `table` is a path (as for `assess`; also `file.npz:key`), a DataFrame or an array of shape (rows, columns) or
    (records, leads, samples). A path is divided into the two files named, whose formats their suffixes choose, and
    the record `HOLDOUT.split.json` beside the holdout, by which `assess` proves when it was set aside; the files
    appear whole or not at all, and none that holds other rows is overwritten. A table in memory is returned as two:

        made = reportgen.split(frame, fraction=0.5, group="patient")
        a = reportgen.assess(made.original, synthetic, made.holdout, group="patient", split_record=made.record)

    `fraction` is the holdout's share of the rows, between 0 and 1. Rows that are identical in all compared columns
    stay on one side, and with `group` all rows of one person; `stratify` draws the same share of each value of a
    column, or of ten bands of it. The draw derives from `seed` and from what the rows hold, not from their order.
    Other settings are those of `assess` that say how columns are read: `key`, `ignore`, `numeric`, `schema`, ….

    Returns a `Split`: `original` and `holdout` (paths or tables), `record`, and `joined`, the number of rows that
    stay with an identical one. Raises InputError where the command exits with 2, EnvironmentLacking on a full disk.
    """
    try:
        share = float(fraction)
    except (TypeError, ValueError):
        msg = "fraction: give the holdout's share of the rows as a number between 0 and 1, such as 0.2"
        raise InputError(msg) from None
    paths = [None if one is None else Path(os.fsdecode(one)) for one in (original, holdout)]
    asked = Asked(table, paths[0], paths[1], share, stratify, make_settings(settings))
    made = split_as(asked)
    write_whole(made.contents)
    return made


def split_as(asked: Asked, others: Sequence[str | Path | None] = ()) -> Split:
    """Divide as asked and write nothing; `others` are further files that must not be written over."""
    from reportgen.available import available_memory, resident_memory

    check_asked(asked, others)
    return divide(asked, api.created(os.environ), __version__, available_memory(), resident_memory())


@dataclass(frozen=True)
class Verification:
    """What was stated of a report, one statement after the other."""

    statements: tuple[Statement, ...]
    """Each has `about` (result, sha256, document, signature, signer, original, synthetic, holdout), `state` (holds,
    fails, unchecked) and `text`, a sentence."""
    allowed: bool
    """Whether a document that another version made may stay unchecked."""

    @property
    def holds(self) -> bool:
        """Whether every statement that was asked for holds."""
        passing = {"holds", "unchecked"} if self.allowed else {"holds"}
        return all(one.state in passing for one in self.statements)


def verify(
    report: str | os.PathLike[str],
    original: Tabular | None = None,
    synthetic: Tabular | Sequence[str | os.PathLike[str]] | None = None,
    holdout: Tabular | None = None,
    *,
    sha256: str | None = None,
    sign_cert: str | os.PathLike[str] | None = None,
    allow: str | None = None,
    look: Mapping[str, Any] | LookTable | None = None,
    template_dir: str | os.PathLike[str] | None = None,
) -> Verification:
    """Say of a report (.html, .pdf, .json, .zip) whether it is intact, and whether it is about these tables.

    The result inside is held against the digest that the report names, the document is made again from it and compared
    byte for byte, a signature is checked, and each table given is held against both hashes in the result. Several
    paths as `synthetic` are releases that were assessed together, in that order. `sha256`: of the result, as you kept
    it; `sign_cert`: a file with the certificate that must have signed the report. With `allow="other-version"` a
    document that this installation can't make again may stay unchecked. `look` and `template_dir`: the look that the
    report was written in, as for `Assessment.write`.

    Returns a `Verification`, which `holds` or not; nothing is raised for a statement that fails. Raises InputError
    where the file is no report.
    """
    if allow not in {None, "other-version"}:
        msg = "--allow: other-version is all that can be allowed"
        raise InputError(msg)
    if sha256 is not None and not re.fullmatch("[0-9a-f]{64}", sha256 := sha256.strip().lower()):
        msg = "--sha256: give the 64 hexadecimal digits of the result's SHA-256"
        raise InputError(msg)
    signer = None if sign_cert is None else fingerprint_of(Path(os.fsdecode(sign_cert)))
    expected = Expected(sha256, signer)
    given: dict[Side, Given] = {}
    sides: tuple[tuple[Side, Any], ...] = (("original", original), ("synthetic", synthetic), ("holdout", holdout))
    for side, table in sides:
        if table is not None:
            given[side] = _pooled(table) if isinstance(table, list | tuple) else table
    path = Path(os.fsdecode(report))
    opened = open_report(path)
    with refused_if_unusual(str(path), "made again"):
        statements = stated(opened, api.drawn_by(api.own_look(look, template_dir)), given, expected)
    return Verification(statements, allowed=allow is not None)


def _pooled(paths: Sequence[str | os.PathLike[str]]) -> Given:
    """Return the one table, or the rows of all as the run on all releases took them."""
    from reportgen.releases import TOGETHER

    return paths[0] if len(paths) == 1 else pooled([read_table(one, "synthetic") for one in paths], TOGETHER)


@dataclass(frozen=True)
class Compared:
    """What changed between two assessments, and the ways to write it down."""

    changes: Comparison
    """Verdict, scores with their intervals, inputs, settings and versions that differ."""
    page: TablePage

    @property
    def comparable(self) -> bool:
        """Whether the two compare; `changes.differences` says what keeps them from it."""
        return not self.changes.differences

    @property
    def worse(self) -> bool | None:
        """Whether the verdict or, clearly, a score is worse; None, not known, where the two do not compare."""
        return self.changes.worse

    @property
    def complaint(self) -> str | None:
        """Why the later is not shown to be no worse, one line (the gate of `--fail-on-worse`); None where it is."""
        return closing(self.changes)

    def to_json(self) -> str:
        """Return the changes as JSON: sorted keys, unrounded numbers."""
        return to_json(self.changes)

    def write(
        self,
        path: str | os.PathLike[str],
        *more: str | os.PathLike[str],
        look: Mapping[str, Any] | LookTable | None = None,
        template_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write one or more files, .html, .pdf, .json or .md; each appears whole or not at all.

        `look` and `template_dir` are those of `Assessment.write`. Raises InputError for another suffix or a wrong
        look, EnvironmentLacking where the machine can't make one of them, once the
        others are written.
        """
        names = [os.fsdecode(one) for one in (path, *more)]
        for name in names:
            suffix_of(name)
            check_writable(Path(name))
        made = render_pages(self.page, names, api.drawn_by(api.own_look(look, template_dir)))
        write_whole({Path(name): content for name, content in made.contents.items()})
        if made.lacking is not None:
            raise made.lacking


def compare(older: str | os.PathLike[str] | api.Assessment, newer: str | os.PathLike[str] | api.Assessment) -> Compared:
    """Say what changed from an older to a newer assessment, given as result files (.json) or as `Assessment`s.

    Scores are judged against their 95 % intervals, and only where the two compare: synthetic tables of one size,
    the same real rows, space, settings and definitions. Returns a `Compared`. Raises InputError where a file is no
    result.
    """
    given = {"older": older, "newer": newer}
    results = [(one if isinstance(one, api.Assessment) else api.load(one)).result for one in given.values()]
    names = [
        f"{role}.json" if isinstance(one, api.Assessment) else api.base_name(one, role) for role, one in given.items()
    ]
    with refused_if_unusual(names[1], "compared"):
        changes = changed(results[0], results[1], (names[0], names[1]), shown_scores(results[0], results[1]))
        return Compared(changes, compare_page(results[1], changes))
