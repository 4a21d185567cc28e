"""The metric runner: read, align, holdout, groups, encode, search, measure, judge. No arithmetic of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from reportgen import controls
from reportgen.attacks.attributes import attributes
from reportgen.attacks.run import attack
from reportgen.blas import on_threads
from reportgen.comparisons import Searcher, compare, gather
from reportgen.copies import count_copies, reuse_of
from reportgen.declared import FileForm
from reportgen.distances import Ints
from reportgen.ideal import add_null_ranges
from reportgen.measuring import Progress, measure, needed, silent, stream, unmeasurable
from reportgen.metrics.evidence import Evidence
from reportgen.model import (
    Controls,
    Finding,
    Lead,
    Result,
    Search,
    Space,
    Tool,
    UniqueRows,
)
from reportgen.parts import columns_part, coverage_part, file_remarks, holdout_part, inputs_part, looking_part
from reportgen.persons import Persons
from reportgen.ranks import number_of_different
from reportgen.read.align import align
from reportgen.read.groups import RowGroups, identical_rows, near_twins
from reportgen.read.holdout import holdout_kind, plan_draws
from reportgen.read.memory import check_memory, why_in_memory
from reportgen.read.partition import Partition, Side
from reportgen.read.reuse import left_out_texts
from reportgen.read.shelf import Shelf, shelved
from reportgen.read.signals import Signals, all_signals
from reportgen.read.tables import Given, Reader, read_streamed, read_table
from reportgen.regions import find_regions
from reportgen.score_names import ATTACKS
from reportgen.settings import Settings
from reportgen.space.answers import Answers
from reportgen.space.asking import draw_asking
from reportgen.space.descriptor import describe, encode_signals, lead_coordinates
from reportgen.space.famd import Encoded, encode
from reportgen.subject import speaking_of
from reportgen.verdict.case import Case
from reportgen.verdict.findings import find
from reportgen.verdict.level import judge, metric_verdicts
from reportgen.words import sentence


@dataclass(frozen=True)
class Run:
    """What the outside world adds to a result: who ran what, when, on which versions. The runner reads no clock."""

    created: str
    command: str
    version: str
    environment: dict[str, str | None]
    threads: int = 1
    pick: Callable[[Encoded], int | None] = lambda _: None
    """Tell how many rows may look for neighbours in the time that there is; None for all. For runs without a number."""
    memory: int | None = None
    """Bytes that the run may take beyond those `held` already; None: not known, and not checked."""
    held: int = 0
    on_disk: bool | None = None
    """Whether to hold tables on disk instead of in memory; None: where they take much of it, and can be."""
    answers: Answers | None = None
    """What earlier runs found among the same real rows, and where this one leaves what it finds."""


def read_inputs(
    original: Given,
    synthetic: Given,
    holdout: Given | None,
    settings: Settings,
    *,
    memory: int | None = None,
    held: int = 0,
    measure: bool = False,
    read: Reader = read_table,
    on_disk: bool | None = False,
) -> Partition:
    """Read tables or signals and understand their columns alike; raise InputError where they don't fit together.

    `memory`, `held`: see `Run`; more than that is refused before it is read. `measure`: count what measuring takes.
    `read` reads one table; one that remembers lets several runs share what they read. `on_disk`: see `Run`; tables on
    disk take it for as long as the partition is there.
    """
    form = settings.declared.file
    given: dict[Side, tuple[Given, FileForm]] = {
        "original": (original, form("original")),
        "synthetic": (synthetic, form("synthetic")),
    }
    if holdout is not None:
        given["holdout"] = (holdout, form("holdout"))
    if memory is not None:
        better = check_memory(given, settings, memory, held, measure=measure, may_stream=on_disk is not False)
        on_disk = better if on_disk is None else on_disk
    shelf = Shelf() if on_disk and why_in_memory(given, settings) is None else None
    read = read if shelf is None else read_streamed
    found = [read(table, side, written) for side, (table, written) in given.items()]
    if (records := all_signals(found, settings)) is not None:
        return describe(records, settings)
    tables = [table for table in found if not isinstance(table, Signals)]
    return align(tables[0], tables[1], tables[2] if holdout is not None else None, settings, shelf)


def run(
    original: Given,
    synthetic: Given,
    holdout: Given | None,
    settings: Settings,
    context: Run,
    progress: Progress = silent,
    read: Reader = read_table,
) -> Result:
    """Measure and judge: from tables to a result."""
    progress("read", 0, 1)
    with on_threads(context.threads):
        partition = read_inputs(
            original,
            synthetic,
            holdout,
            settings,
            memory=context.memory,
            held=context.held,
            measure=True,
            read=read,
            on_disk=context.on_disk,
        )
        with speaking_of("signals" if partition.leads else "tables" if partition.persons is None else "persons"):
            return _assess(partition, settings, context, _forgetting(partition, progress))


def _forgetting(partition: Partition, progress: Progress) -> Progress:
    """Give the memory of what was read from disk back whenever there is progress."""
    shelf = partition.shelf
    if shelf is None:
        return progress

    def told(stage: str, done: int, total: int) -> None:
        shelf.forget()
        progress(stage, done, total)

    return told


def _assess(partition: Partition, settings: Settings, context: Run, progress: Progress) -> Result:
    """Measure and judge what was read."""
    progress("encode", 0, 1)
    rows = identical_rows(partition.as_read) if partition.used else _all_different(partition)
    twins = bool(partition.used) and near_twins(partition.as_read)
    copies = count_copies(rows.original, rows.synthetic, rows.holdout, near_twins=twins, persons=partition.persons)
    place = encode_signals if partition.leads else encode
    in_file_order = place(partition, settings)
    needs = needed(settings, signals=bool(partition.leads))
    attackable = partition.used and not partition.leads and not needs.isdisjoint(ATTACKS)
    known = attributes(partition, rows, in_file_order, settings) if attackable else None
    reuse = reuse_of(left_out_texts(partition), stream(settings, "reuse"), persons=in_file_order.persons)
    rows, encoded = _in_canonical_order(rows, in_file_order)
    if settings.max_queries is None and partition.used:
        settings = settings.model_copy(update={"max_queries": context.pick(encoded)})
    asking = draw_asking(encoded, settings.max_queries, stream(settings, "queries")) if partition.used else None

    persons = encoded.persons
    kind = holdout_kind(
        len(rows.original) if persons is None else persons.originals,
        None if rows.holdout is None else len(rows.holdout),
    )
    sizes = (len(rows.original), len(rows.synthetic), None if rows.holdout is None else len(rows.holdout))
    whose = None if persons is None else persons.of_original.person
    theirs = None if persons is None or rows.holdout is None else persons.of_holdout.person
    keep = partial(shelved, shelf=encoded.shelf)
    drawing = stream(settings, "draws")
    plans = plan_draws(kind, *sizes, settings.draws, drawing, whose, theirs, keep) if partition.used else ()
    lead_spaces = lead_coordinates(partition, encoded) if partition.leads else None
    searcher = Searcher(
        encoded, context.threads, lead_spaces, pooled="pool" in needs, asking=asking, answers=context.answers
    )
    progress("compare", 0, 1)
    comparisons = compare(searcher, plans, needs)
    if partition.used:
        evidence = gather(
            searcher,
            encoded.synthetic,
            comparisons,
            needs,
            kind,
            copies,
            stream(settings, "pool"),
            settings.dropped_queries,
            partial(progress, "search"),
        )
        progress("attack", 0, 1)
        attacks = partial(
            attack, known, persons=persons, wanted=needs, stream=partial(stream, settings), threads=context.threads
        )
        evidence = replace(evidence, reuse=reuse, attacked=attacks(rows, settings=settings))
        measured = add_null_ranges(searcher, evidence, measure(evidence, settings, progress), settings)
        memorising = controls.memorising(searcher, rows, comparisons, evidence, settings, progress, attacks)
    else:
        evidence = Evidence(kind, copies, (), {})
        measured, memorising = unmeasurable(partition), None

    about = holdout_part(kind, rows, plans, copies, settings, persons)
    detectable = controls.detectable(searcher, evidence, measured, settings, progress)
    case = Case(about, copies, reuse, measured, detectable, settings)
    verdict = judge(case)
    # Without a leak no part of the table has one; rows of persons are no single rows, which the tests of regions need.
    regions: tuple[Finding, ...] | None = ()
    if verdict.level in {"high", "moderate"} and kind == "provided":
        named = not settings.no_category_names
        regions = (
            find_regions(partition, in_file_order, searcher.pool, evidence.pool, named=named)
            if persons is None
            else None
        )
    columns = columns_part(partition, encoded)
    looking = looking_part(asking)
    judged = metric_verdicts(verdict, case)
    return Result(
        title=settings.title or sentence("result.title", synthetic=partition.synthetic.source.name),
        created=context.created,
        command=context.command,
        tool=Tool(version=context.version),
        environment=context.environment,
        settings=settings.as_told(),
        inputs=inputs_part(partition, rows),
        columns=columns,
        leads=tuple(Lead(name=lead.name, flat=lead.flat) for lead in partition.leads),
        holdout=about,
        space=Space(
            projection="signals" if partition.leads else settings.projection,
            components=settings.components,
            dimensions=encoded.dimensions,
            inertia=encoded.inertia,
            fitted_on=encoded.fitted_on,
        ),
        search=Search(
            queries=searcher.queries,
            certified=searcher.queries,
            unique_rows=UniqueRows(
                original=number_of_different(encoded.original),
                synthetic=number_of_different(encoded.synthetic),
                holdout=None if encoded.holdout is None else number_of_different(encoded.holdout),
            ),
            looking=looking,
        ),
        metrics=judged,
        controls=Controls(
            memorising=memorising,
            detectable=detectable,
        ),
        findings=find(columns, case, file_remarks(partition), regions, partition.person_key, looking),
        coverage=coverage_part(judged, verdict),
        verdict=verdict,
    )


def _all_different(partition: Partition) -> RowGroups:
    """Say that no two rows are identical: without a column there is nothing they could agree on."""
    sizes = [len(table.frame) for table in partition.sides.values()]
    ids = dict(zip(partition.sides, np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]), strict=True))
    return RowGroups(ids["original"], ids["synthetic"], ids.get("holdout"))


def _in_canonical_order(rows: RowGroups, encoded: Encoded) -> tuple[RowGroups, Encoded]:
    """Order the rows of each table by their place in the space, so that no random draw depends on the files' order."""
    sides = [side for side in ("original", "holdout", "synthetic") if getattr(rows, side) is not None]
    whose = dict.fromkeys(sides, ()) | _persons_by_side(encoded)
    order = {side: np.lexsort((*whose[side], getattr(rows, side), getattr(encoded, side))) for side in sides}
    ordered: dict[str, Any] = {side: shelved(getattr(encoded, side)[by], encoded.shelf) for side, by in order.items()}
    if encoded.persons is not None:
        held = [] if rows.holdout is None else [len(rows.original) + order["holdout"]]
        real = np.concatenate([order["original"], *held])
        ordered["persons"] = Persons(encoded.persons.person[real], encoded.persons.original[real])
    return (
        replace(rows, **{side: shelved(getattr(rows, side)[by], encoded.shelf) for side, by in order.items()}),
        replace(encoded, **ordered),
    )


def _persons_by_side(encoded: Encoded) -> dict[str, tuple[Ints, ...]]:
    """Whose the rows of each real table are, which orders rows that are the same in everything else."""
    if encoded.persons is None:
        return {}
    person, original = encoded.persons.person, encoded.persons.original
    return {"original": (person[original],), "holdout": (person[~original],)}
