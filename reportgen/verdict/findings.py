"""Findings: what a reader should know beside the verdict, one sentence each, made from the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.copies import CopyCounts, Reuse
from reportgen.model import Column, Finding, FindingCode, Holdout, LookingRows, Measured, Metric
from reportgen.persons import PersonKey
from reportgen.settings import Thresholds
from reportgen.verdict.case import Case, persons_differ
from reportgen.verdict.preconditions import (
    SMALL_ORIGINAL,
    holdout_is_synthetic,
    is_leaky,
    is_swapped,
    rows_of_persons,
)
from reportgen.words import sentence

DOMINANT_INERTIA = 0.3
"""A column with more than this share of the inertia, and half more than an equal one, is named: it decides nearness."""

MOST_NAMES = 10
"""So many columns are named where one finding speaks of many; the data card lists more."""
MOST_ALIKE = 5
"""Up to so many columns of which the same is to be said have a finding each; more of them share one."""


def find(
    columns: tuple[Column, ...],
    case: Case,
    file_remarks: tuple[str, ...],
    regions: tuple[Finding, ...] | None = (),
    person_key: PersonKey | None = None,
    looking: LookingRows | None = None,
) -> tuple[Finding, ...]:
    """Collect all findings, warnings first.

    `file_remarks`: how a file was read, where that is not plain. `regions`: findings that name a part of the table;
    None where there is a leak and no part was looked for, since rows belong to persons.
    `person_key`: a column that seems to name persons, where none was named with --group. `looking`: how many rows of
    each table looked for their neighbours, None for all.
    """
    remarks = [_finding("file_remark", "notice", numbers={"remark": remark}) for remark in file_remarks]
    found = [
        *([] if person_key is None else [_finding("person_key", "warning", **_numbers(person_key))]),
        *([] if looking is None else [_drawn_down(looking, case.copies)]),
        *_holdout(case.holdout, case.copies, case.settings.thresholds),
        *(_untested_reuse(case.reuse) if case.measured("exact_copies") else ()),
        *_tests(case),
        *([] if regions is None else regions),
        *([_finding("regions_not_sought", "info")] if regions is None else []),
        *_rows(case.copies),
        *_scores(case.metrics),
        *remarks,
        *_columns(columns),
    ]
    order = {"warning": 0, "notice": 1, "info": 2}
    return tuple(sorted(found, key=lambda finding: order[finding.severity]))


def _drawn_down(looking: LookingRows, copies: CopyCounts) -> Finding:
    numbers = {
        "original": looking.original,
        "original_rows": copies.original_rows,
        "synthetic": looking.synthetic,
        "synthetic_rows": copies.synthetic_rows,
        "holdout": looking.holdout,
        "holdout_rows": copies.holdout_rows,
    }
    return _finding("queries_drawn_down", "notice", count=looking.synthetic, numbers=numbers)


def _numbers(key: PersonKey) -> dict[str, Any]:
    return {"count": key.values, "numbers": {"column": key.column, "values": key.values, "rows": key.rows}}


def _finding(code: FindingCode, severity: str, **fields: Any) -> Finding:
    numbers = fields.pop("numbers", {})
    return Finding.model_validate(
        {"code": code, "severity": severity, "text": sentence(f"finding.{code}", **numbers), **fields}
    )


def _holdout(holdout: Holdout, copies: CopyCounts, thresholds: Thresholds) -> list[Finding]:
    found = []
    numbers: dict[str, Any]
    if holdout.kind != "provided":
        found.append(_finding("approximate_holdout", "warning", numbers={"kind": holdout.kind, "draws": holdout.draws}))
        people = copies.original_people
        if people < SMALL_ORIGINAL:
            numbers = {"rows": people, "enough": SMALL_ORIGINAL}
            found.append(_finding("small_original", "notice", count=people, numbers=numbers))
    elif holdout.draws > 1:
        numbers = {"rows": holdout.base_rows, "draws": holdout.draws}
        found.append(_finding("bases_drawn_down", "info", count=holdout.base_rows, numbers=numbers))
    if holdout_is_synthetic(copies, thresholds):
        numbers = {"same": copies.synthetic_in_holdout, "rows": copies.synthetic_rows}
        found.append(_finding("holdout_is_synthetic", "warning", count=copies.synthetic_in_holdout, numbers=numbers))
    if copies.shared_persons:
        numbers = {"shared": copies.shared_persons, "persons": copies.holdout_persons}
        found.append(_finding("leaky_holdout", "warning", count=copies.shared_persons, numbers=numbers))
    if persons_differ(holdout, thresholds):
        numbers = rows_of_persons(copies, holdout)
        found.append(_finding("persons_differ", "warning", p_value=holdout.rows_p_value, numbers=numbers))
    if holdout.overlap_rows:
        leaky = is_leaky(holdout, copies, thresholds)
        numbers = {"overlap": holdout.overlap_rows, "rows": holdout.rows, "p": holdout.overlap_p_value, "shared": 0}
        found.append(
            _finding(
                "leaky_holdout" if leaky else "holdout_overlap",
                "warning" if leaky else "info",
                count=holdout.overlap_rows,
                p_value=holdout.overlap_p_value,
                numbers=numbers,
            )
        )
    return found


TOP_P_VALUE = 0.01
"""From here on the highest membership scores are worth a finding (metrics.md)."""


def _tests(case: Case) -> list[Finding]:
    """What the tests say of the files beside the level: exchanged roles, distant supports, the highest scores."""
    found = []
    if is_swapped(case):
        mirrored = case.value("leak_test", "p_mirrored")
        found.append(_finding("swapped_roles", "warning", p_value=mirrored, numbers={"p": mirrored}))
    supported = case.value("holdout_share", "supported")
    if supported is not None and supported < case.settings.thresholds.disjoint_supports / 100:
        found.append(_finding("disjoint_supports", "warning", numbers={"share": 100 * supported}))
    if repeats := round(case.value("holdout_share", "not_counted") or 0):
        found.append(_finding("repeats_not_counted", "notice", count=repeats, numbers={"rows": repeats}))
    for prefix in ("", "isolated_"):
        top = case.score("membership_inference", f"{prefix}top_original")
        p_value = case.value("membership_inference", f"{prefix}top_p_value")
        if top is not None and p_value is not None and p_value <= TOP_P_VALUE:
            rows = round(top.value)
            numbers = {"rows": rows, "expected": top.reference, "p": p_value, "isolated": bool(prefix)}
            measured = {"count": rows, "expected": top.reference, "p_value": p_value}
            found.append(_finding("closest_hits", "notice", numbers=numbers, **measured))
    return found


def _rows(copies: CopyCounts) -> list[Finding]:
    if not copies.original_with_twin:
        return []
    numbers = {"twins": copies.original_with_twin, "rows": copies.original_rows}
    severity = "notice" if copies.original_with_twin > copies.original_rows / 2 else "info"
    return [_finding("original_rows_repeated", severity, count=copies.original_with_twin, numbers=numbers)]


def _scores(metrics: Mapping[str, Metric]) -> list[Finding]:
    found = []
    measured = {key: metric for key, metric in metrics.items() if isinstance(metric, Measured)}
    zero = [key for key, metric in measured.items() if "reference_zero" in metric.notes]
    if zero:
        found.append(_finding("reference_zero", "notice", numbers={"metrics": zero}))
    counts = [m.scores["repeated_copies"].value for m in measured.values() if "repeated_copies" in m.notes]
    if counts:
        rows = round(max(counts))
        found.append(_finding("repeated_copies", "notice", count=rows, numbers={"rows": rows}))
    return found


def _left_out(columns: tuple[Column, ...]) -> list[Finding]:
    """One finding a reason, with the first names: thousands of columns may be left out for the same one."""
    by_reason: dict[str, list[str]] = {}
    for column in columns:
        if column.reason is not None:
            by_reason.setdefault(column.reason, []).append(column.name)
    return [
        _finding(
            "column_left_out",
            "info",
            count=len(names),
            numbers=_several(names) | {"reason": reason},
        )
        for reason, names in by_reason.items()
    ]


def _several(names: Sequence[str]) -> dict[str, Any]:
    """The first names, and how many more there are."""
    return {"names": names[:MOST_NAMES], "more": max(0, len(names) - MOST_NAMES)}


def _by_column(code: FindingCode, severity: str, rows: Mapping[str, int]) -> list[Finding]:
    """One finding a column with its number of rows, or one for all columns where a report would drown in them."""
    if len(rows) <= MOST_ALIKE:
        return [
            _finding(code, severity, count=number, numbers={"column": name, "rows": number, "more": 0, "names": [name]})
            for name, number in rows.items()
        ]
    numbers = {"column": None, "rows": max(rows.values()), **_several(list(rows))}
    return [_finding(code, severity, count=len(rows), numbers=numbers)]


def _untested_reuse(reuse: Sequence[Reuse]) -> list[Finding]:
    """Values of left-out columns that occur again where no holdout tells how many chance brings back."""
    again = [one for one in reuse if one.in_original and one.in_holdout is None]
    code: FindingCode = "identifier_reuse_untested"
    found = []
    for severity, names in (("warning", True), ("notice", False)):
        these = [one for one in again if one.names is names]
        if len(these) > MOST_ALIKE:
            several = _several([one.column for one in these])
            found.append(
                _finding(code, severity, count=len(these), numbers=several | {"column": None, "recur": not names})
            )
            continue
        for one in these:
            numbers = {"column": one.column, "reused": one.in_original, "distinct": one.distinct, "recur": not names}
            found.append(_finding(code, severity, count=one.in_original, numbers=numbers))
    return found


def _columns(columns: tuple[Column, ...]) -> list[Finding]:
    found = _left_out(columns)
    number = sum(column.used for column in columns)
    # Of few columns each has a large share: an equal one tells nothing.
    heavy = max(DOMINANT_INERTIA, 1.5 / number) if number > 2 else 1.0
    for column in columns:
        numbers: dict[str, Any] = {"column": column.name, "kind": column.kind}
        if not column.used:
            continue
        if column.inertia is not None and column.inertia > heavy:
            found.append(_finding("column_dominates", "notice", numbers=numbers | {"share": 100 * column.inertia}))
    used = [column for column in columns if column.used]
    unseen = {column.name: column.unseen_rows for column in used if column.unseen_rows}
    missing = {
        column.name: column.missing.synthetic
        for column in used
        if column.missing.synthetic and not column.missing.original + (column.missing.holdout or 0)
    }
    found += _by_column("unseen_levels", "info", unseen)
    return found + _by_column("missing_only_in_synthetic", "notice", missing)
