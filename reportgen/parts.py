"""Parts of the result that describe what was compared: holdout, files, columns, coverage."""

from __future__ import annotations

from reportgen.copies import CopyCounts, overlap_p_value
from reportgen.distances import Ints
from reportgen.measuring import stream
from reportgen.model import (
    Column,
    Coverage,
    Criterion,
    Holdout,
    HoldoutKind,
    InputFile,
    Inputs,
    LookingRows,
    Measured,
    Metric,
)
from reportgen.persons import Persons
from reportgen.read.fingerprint import content_sha256
from reportgen.read.groups import RowGroups, repeated_rows
from reportgen.read.holdout import DrawPlan
from reportgen.read.partition import Partition, Table
from reportgen.read.summary import describe_columns
from reportgen.settings import Settings
from reportgen.space.asking import Asking
from reportgen.space.famd import Encoded
from reportgen.words import sentence


def holdout_part(
    kind: HoldoutKind,
    rows: RowGroups,
    plans: tuple[DrawPlan, ...],
    copies: CopyCounts,
    settings: Settings,
    persons: Persons | None = None,
) -> Holdout:
    """Describe the holdout, or what stands for it, and what it shares with the original."""
    warnings = [sentence("result.holdout_seen")] if kind == "approximate" else []
    overlap = None
    if rows.holdout is not None:
        overlap = overlap_p_value(rows.original, rows.holdout, stream(settings, "overlap"), persons=persons)
    return Holdout(
        kind=kind,
        rows=len(rows.holdout) if rows.holdout is not None else len(rows.original) // 2,
        draws=len(plans),
        base_rows=len(plans[0].holdout) if plans else 0,
        overlap_rows=copies.holdout_in_original or 0,
        original_overlap_rows=copies.original_in_holdout or 0,
        overlap_p_value=overlap,
        persons=_holdout_persons(persons),
        shared_persons=None if persons is None else persons.shared,
        rows_p_value=None if persons is None else persons.rows_p_value(),
        warnings=tuple(warnings),
    )


def _holdout_persons(persons: Persons | None) -> int | None:
    if persons is None:
        return None
    return persons.holdouts or persons.originals // 2


def inputs_part(partition: Partition, rows: RowGroups) -> Inputs:
    """Describe the tables as they were given."""
    persons = partition.persons

    def described(table: Table, ids: Ints, people: int | None = None) -> InputFile:
        return InputFile(
            name=table.source.name,
            sha256=table.source.sha256,
            content_sha256=table.content_sha256 or content_sha256(table, partition.columns),
            rows=len(table.frame),
            columns=len(table.frame.columns),
            repeated_rows=repeated_rows(ids),
            samples=table.samples,
            persons=people,
        )

    return Inputs(
        original=described(partition.original, rows.original, None if persons is None else persons.originals),
        synthetic=described(partition.synthetic, rows.synthetic),
        holdout=None
        if partition.holdout is None or rows.holdout is None
        else described(partition.holdout, rows.holdout, None if persons is None else persons.holdouts),
    )


def looking_part(asking: Asking | None) -> LookingRows | None:
    """Count the rows that looked for neighbours, where not all did."""
    if asking is None:
        return None
    return LookingRows(
        original=len(asking.original),
        synthetic=len(asking.synthetic),
        holdout=None if asking.holdout is None else len(asking.holdout),
    )


def columns_part(partition: Partition, encoded: Encoded) -> tuple[Column, ...]:
    """Add to each used column what it weighs in the distances."""
    described = []
    for column in describe_columns(partition):
        if column.name in encoded.columns:
            weight = encoded.columns[column.name]
            update = {
                "inertia": weight.inertia,
                "pooled_levels": weight.pooled_levels,
                "unseen_rows": weight.unseen_rows,
            }
            described.append(column.model_copy(update=update))
        else:
            described.append(column)
    return tuple(described)


def coverage_part(outcomes: dict[str, Metric]) -> Coverage:
    """WP216: a criterion counts as assessed only when an attack on it measured a risk, which takes a true holdout.

    Distances merely speak to singling out.
    """
    measured = [key for key, outcome in outcomes.items() if isinstance(outcome, Measured)]

    def criterion(name: str, *others: str) -> Criterion:
        outcome = outcomes.get(name)
        assessed = isinstance(outcome, Measured) and "risk" in outcome.scores
        return Criterion(assessed=assessed, metrics=tuple(key for key in measured if key in {name, *others}))

    distances = (key for key in measured if key not in {"linkability", "inference"})
    return Coverage(
        singling_out=criterion("singling_out", *distances),
        linkability=criterion("linkability"),
        inference=criterion("inference"),
    )


def file_remarks(partition: Partition) -> tuple[str, ...]:
    """Tell how files were read, where that is not plain, each once."""
    return tuple(dict.fromkeys(remark for table in partition.sides.values() for remark in table.remarks))
