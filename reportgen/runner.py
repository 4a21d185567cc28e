"""The metric runner: read, align, holdout, groups, encode, search, measure, judge. No arithmetic of its own."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from reportgen import metrics
from reportgen.comparisons import Comparison, Searcher, compare, gather
from reportgen.copies import CopyCounts, count_copies, overlap_p_value, reuse_of
from reportgen.distances import Ints
from reportgen.metrics import nn_dist
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.smallest_leak import POWER, smallest_leak
from reportgen.model import (
    Column,
    Controls,
    Coverage,
    Criterion,
    Detectable,
    Holdout,
    InputFile,
    Inputs,
    Lead,
    Measured,
    Memorising,
    Metric,
    NotMeasured,
    NotMeasuredCode,
    PowerPoint,
    Result,
    Search,
    Space,
    Tool,
    UniqueRows,
)
from reportgen.read.align import align
from reportgen.read.fingerprint import content_sha256
from reportgen.read.groups import RowGroups, identical_rows, near_twins, repeated_rows
from reportgen.read.holdout import DrawPlan, holdout_kind, plan_draws
from reportgen.read.partition import Partition, Table, Tabular
from reportgen.read.reuse import left_out_texts
from reportgen.read.signals import Signals, all_signals
from reportgen.read.summary import describe_columns
from reportgen.read.tables import read_table
from reportgen.settings import METRIC_KEYS, Settings
from reportgen.space.descriptor import describe, encode_signals, lead_coordinates
from reportgen.space.famd import Encoded, encode
from reportgen.space.planting import NOISE, plant
from reportgen.subject import speaking_of
from reportgen.verdict.case import Case
from reportgen.verdict.findings import find
from reportgen.verdict.level import judge, metric_verdicts
from reportgen.words import sentence

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, what is done of it and how much there is."""


CONTROL_QUERIES = 1000
"""So many synthetic rows of the memorising control are searched with columns left out: half of them are copies."""


@dataclass(frozen=True)
class Run:
    """What the outside world adds to a result: who ran what, when, on which versions. The runner reads no clock."""

    created: str
    command: str
    version: str
    environment: dict[str, str | None]
    threads: int = 1


def silent(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def read_inputs(original: Tabular, synthetic: Tabular, holdout: Tabular | None, settings: Settings) -> Partition:
    """Read tables or signals and understand their columns alike; raise InputError where they don't fit together."""
    read = [read_table(original, "original"), read_table(synthetic, "synthetic")]
    if holdout is not None:
        read.append(read_table(holdout, "holdout"))
    if (records := all_signals(read, settings)) is not None:
        return describe(records, settings)
    tables = [table for table in read if not isinstance(table, Signals)]
    return align(tables[0], tables[1], tables[2] if holdout is not None else None, settings)


def run(
    original: Tabular,
    synthetic: Tabular,
    holdout: Tabular | None,
    settings: Settings,
    context: Run,
    progress: Progress = silent,
) -> Result:
    """Measure and judge: from tables to a result."""
    progress("read", 0, 1)
    partition = read_inputs(original, synthetic, holdout, settings)
    with speaking_of("signals" if partition.leads else "tables"):
        return _assess(partition, settings, context, progress)


def _assess(partition: Partition, settings: Settings, context: Run, progress: Progress) -> Result:
    """Measure and judge what was read."""
    progress("encode", 0, 1)
    rows = identical_rows(partition.as_read) if partition.used else _all_different(partition)
    twins = bool(partition.used) and near_twins(partition.as_read)
    copies = count_copies(rows.original, rows.synthetic, rows.holdout, near_twins=twins)
    place = encode_signals if partition.leads else encode
    rows, encoded = _in_canonical_order(rows, place(partition, settings))

    kind = holdout_kind(len(rows.original), None if rows.holdout is None else len(rows.holdout))
    sizes = (len(rows.original), len(rows.synthetic), None if rows.holdout is None else len(rows.holdout))
    plans = plan_draws(kind, *sizes, settings.draws, _random(settings, "draws")) if partition.used else ()
    reuse = reuse_of(left_out_texts(partition), _random(settings, "reuse"))
    lead_spaces = lead_coordinates(partition, encoded) if partition.leads else None
    searcher = Searcher(encoded, context.threads, lead_spaces)
    needs = needed(settings, signals=bool(partition.leads))
    comparisons = compare(searcher, plans, needs)
    if partition.used:
        evidence = gather(
            searcher,
            encoded.synthetic,
            comparisons,
            needs,
            kind,
            copies,
            _random(settings, "pool"),
            settings.dropped_queries,
            partial(progress, "search"),
        )
        evidence = replace(evidence, reuse=reuse)
        measured = _measure(evidence, settings, progress)
        memorising = _memorising(searcher, rows, comparisons, evidence, settings, progress)
    else:
        evidence = Evidence(kind, copies, (), {})
        measured, memorising = _unmeasurable(partition), None

    about = _holdout(rows, plans, copies, settings)
    detectable = _detectable(searcher, evidence, measured, settings, progress)
    case = Case(about, copies, reuse, measured, detectable, settings)
    verdict = judge(case)
    columns = _columns(partition, encoded)
    judged = metric_verdicts(verdict, case)
    return Result(
        title=settings.title or sentence("result.title", synthetic=partition.synthetic.source.name),
        created=context.created,
        command=context.command,
        tool=Tool(version=context.version),
        environment=context.environment,
        settings=settings,
        inputs=_inputs(partition, rows),
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
                original=len(np.unique(encoded.original)),
                synthetic=len(np.unique(encoded.synthetic)),
                holdout=None if encoded.holdout is None else len(np.unique(encoded.holdout)),
            ),
        ),
        metrics=judged,
        controls=Controls(
            memorising=memorising,
            detectable=detectable,
        ),
        findings=find(columns, case, _file_remarks(partition)),
        coverage=_coverage(judged),
        verdict=verdict,
    )


def _all_different(partition: Partition) -> RowGroups:
    """Say that no two rows are identical: without a column there is nothing they could agree on."""
    sizes = [len(table.frame) for table in partition.sides.values()]
    ids = dict(zip(partition.sides, np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]), strict=True))
    return RowGroups(ids["original"], ids["synthetic"], ids.get("holdout"))


def _file_remarks(partition: Partition) -> tuple[str, ...]:
    return tuple(dict.fromkeys(remark for table in partition.sides.values() for remark in table.remarks))


def _in_canonical_order(rows: RowGroups, encoded: Encoded) -> tuple[RowGroups, Encoded]:
    """Order the rows of each table by their place in the space, so that no random draw depends on the files' order."""
    order = {
        side: np.lexsort((getattr(rows, side), getattr(encoded, side)))
        for side in ("original", "synthetic", "holdout")
        if getattr(rows, side) is not None
    }
    return (
        replace(rows, **{side: getattr(rows, side)[by] for side, by in order.items()}),
        replace(encoded, **{side: getattr(encoded, side)[by] for side, by in order.items()}),
    )


def needed(settings: Settings, *, signals: bool = False) -> frozenset[Need]:
    """Name what the selected metrics need; of signals, nn_dist needs the leads and nothing of all leads together."""
    selected = [metric for metric in metrics.ALL if _selected(metric.KEY, settings)]
    by_lead = signals and nn_dist in selected
    joint = [metric for metric in selected if not (by_lead and metric is nn_dist)]
    needs: set[Need] = {need for metric in joint for need in metric.NEEDS}
    return frozenset(needs | {"leads"} if by_lead else needs)


def _selected(key: str, settings: Settings) -> bool:
    return not settings.metric or key in settings.metric


def _measure(evidence: Evidence, settings: Settings, progress: Progress) -> dict[str, Metric]:
    """Run every selected metric; the others keep their place with the reason."""
    outcomes: dict[str, Metric] = {key: _no_value("not_in_this_version") for key in METRIC_KEYS}
    for done, metric in enumerate(metrics.ALL):
        progress("measure", done, len(metrics.ALL))
        if not _selected(metric.KEY, settings):
            outcomes[metric.KEY] = _no_value("not_selected")
            continue
        try:
            outcome = metric.measure(evidence, settings, _random(settings, metric.KEY))
        except Exception as error:  # noqa: BLE001 -- one fault must not take the other metrics with it; the gate fails
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}:{frame.lineno}"  # never the error's text: it may hold a value
            outcomes[metric.KEY] = _no_value("failed", fault=type(error).__name__, where=where)
        else:
            outcomes[metric.KEY] = outcome if isinstance(outcome, Measured) else _no_value(outcome)
    return outcomes


def _unmeasurable(partition: Partition) -> dict[str, Metric]:
    """Give every metric its place where no column is left to measure on: of one record, no feature varies."""
    known = {metric.KEY for metric in metrics.ALL}
    code: NotMeasuredCode = "no_columns"
    if partition.leads:
        code = "flat_leads" if len(partition.original.frame) > 1 else "too_few_rows"
    return {key: _no_value(code if key in known else "not_in_this_version") for key in METRIC_KEYS}


def _no_value(code: NotMeasuredCode, **numbers: str) -> NotMeasured:
    return NotMeasured(code=code, reason=sentence(f"not_measured.{code}", **numbers))


def _memorising(
    searcher: Searcher,
    rows: RowGroups,
    comparisons: Sequence[Comparison],
    evidence: Evidence,
    settings: Settings,
    progress: Progress,
) -> Memorising:
    """Run the same metrics with half of the synthetic rows replaced by copies of original rows."""
    random = _random(settings, "memorising")
    replaced = random.permutation(len(rows.synthetic))[: len(rows.synthetic) // 2]
    copied = random.choice(len(rows.original), len(replaced), replace=len(replaced) > len(rows.original))

    def memorise(own: Ints, source: Ints) -> Ints:
        changed = own.copy()
        changed[replaced] = source[copied]
        return changed

    encoded = searcher.encoded
    copies = count_copies(
        rows.original, memorise(rows.synthetic, rows.original), rows.holdout, near_twins=evidence.copies.near_twins
    )
    control = gather(
        searcher,
        memorise(encoded.synthetic, encoded.original),
        comparisons,
        needed(settings, signals=searcher.leads is not None),
        evidence.holdout,
        copies,
        _random(settings, "pool"),
        min(settings.dropped_queries, CONTROL_QUERIES),
        partial(progress, "control"),
    )
    outcomes = _measure(control, settings.model_copy(update={"resamples": 100}), silent)
    return Memorising(
        rows=len(replaced),
        scores={
            key: {name: score.model_copy(update={"low": None, "high": None}) for name, score in outcome.scores.items()}
            for key, outcome in outcomes.items()
            if isinstance(outcome, Measured)
        },
    )


def _detectable(
    searcher: Searcher, evidence: Evidence, measured: dict[str, Metric], settings: Settings, progress: Progress
) -> Detectable:
    """Find the smallest leak that this run would have noticed, where it noticed none."""

    def without(code: NotMeasuredCode, words: str) -> Detectable:
        return Detectable(code=code, reason=sentence(f"not_measured.{words}"))

    test = measured["leak_test"]
    if isinstance(test, NotMeasured):
        known = test.code if test.code in ("no_true_holdout", "no_columns", "too_few_rows") else "no_leak_test"
        return without(test.code, known)
    if test.scores["p_value"].value <= settings.thresholds.leak_test or evidence.pool is None:
        return without("leak_found", "leak_found")
    progress("smallest leak", 0, 1)
    random = _random(settings, "smallest leak")
    planted = plant(searcher.pool, random)
    found = smallest_leak(evidence.pool.real, evidence.pool.synthetic, planted, random)
    rows = None if found.rows is None else math.ceil(found.rows)
    return Detectable(
        rows=rows,
        share=None if rows is None else rows / evidence.copies.synthetic_rows,
        noise_sd=NOISE,
        power=POWER,
        curve=tuple(PowerPoint(rows=point.rows, power=point.power, trials=point.draws) for point in found.curve),
        search_limit=found.curve[-1].rows if rows is None and found.curve else None,
    )


def _holdout(rows: RowGroups, plans: tuple[DrawPlan, ...], copies: CopyCounts, settings: Settings) -> Holdout:
    kind = holdout_kind(len(rows.original), None if rows.holdout is None else len(rows.holdout))
    warnings = [sentence("result.holdout_seen")] if kind == "approximate" else []
    overlap = None
    if rows.holdout is not None:
        overlap = overlap_p_value(rows.original, rows.holdout, _random(settings, "overlap"))
    return Holdout(
        kind=kind,
        rows=len(rows.holdout) if rows.holdout is not None else len(rows.original) // 2,
        draws=len(plans),
        base_rows=len(plans[0].holdout) if plans else 0,
        overlap_rows=copies.holdout_in_original or 0,
        original_overlap_rows=copies.original_in_holdout or 0,
        overlap_p_value=overlap,
        warnings=tuple(warnings),
    )


def _inputs(partition: Partition, rows: RowGroups) -> Inputs:
    def described(table: Table, ids: Ints) -> InputFile:
        return InputFile(
            name=table.source.name,
            sha256=table.source.sha256,
            content_sha256=table.content_sha256 or content_sha256(table, partition.columns),
            rows=len(table.frame),
            columns=len(table.frame.columns),
            repeated_rows=repeated_rows(ids),
            samples=table.samples,
        )

    return Inputs(
        original=described(partition.original, rows.original),
        synthetic=described(partition.synthetic, rows.synthetic),
        holdout=None
        if partition.holdout is None or rows.holdout is None
        else described(partition.holdout, rows.holdout),
    )


def _columns(partition: Partition, encoded: Encoded) -> tuple[Column, ...]:
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


def _coverage(outcomes: dict[str, Metric]) -> Coverage:
    """WP216: a criterion counts as assessed only when an attack on it ran; distances merely speak to singling out."""
    measured = [key for key, outcome in outcomes.items() if isinstance(outcome, Measured)]
    attacks = {
        name: Criterion(assessed=name in measured, metrics=(name,) if name in measured else ())
        for name in ("singling_out", "linkability", "inference")
    }
    attacks["singling_out"] = Criterion(assessed="singling_out" in measured, metrics=tuple(measured))
    return Coverage(**attacks)


def _random(settings: Settings, purpose: str) -> np.random.Generator:
    """Give each purpose a stream of its own, so that leaving one out changes no other."""
    return np.random.default_rng([settings.seed, *purpose.encode()])
