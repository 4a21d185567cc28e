"""Section 3: the rows that stand for unseen people, and the controls that tell what the metrics can see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reportgen.model import Measured, Result
from reportgen.render import scores
from reportgen.render.advice import small_original
from reportgen.render.first_page import power
from reportgen.render.leads import of_all_leads
from reportgen.render.pair import asking_rows
from reportgen.render.pictures import Medium
from reportgen.render.power import power_figure, power_numbers
from reportgen.render.score_summary import has_null_range, has_reference
from reportgen.render.series_tables import Details
from reportgen.render.view import Cell, Figure, Head, Note, Numbering, Row, Table, heads
from reportgen.rounding import p_value
from reportgen.verdict.families import SPLITS
from reportgen.words import sentence

HIDDEN = {"median_raw", "outlier_raw", "isolated_raw", "distance_threshold", "ratio_threshold", "in_both", "threshold"}
"""Scores that the control table leaves to the frames."""


@dataclass(frozen=True)
class HoldoutSection:
    """Section 3."""

    question: Note
    answer: Note
    facts: Table
    controls: Table | None
    power: Figure | None
    details: Details | None
    notes: tuple[Note, ...]


def holdout_section(result: Result, medium: Medium, numbering: Numbering) -> HoldoutSection:
    """Build the section on the holdout."""
    facts = _facts(result, numbering)
    controls = _controls(result, numbering)
    figure = power_figure(result, medium, numbering)
    # On paper the alternative in words holds the numbers, as does the attached result.
    details = power_numbers(result, figure, numbering) if figure and medium == "screen" else None
    return HoldoutSection(
        question=Note(sentence("label.question"), (sentence("holdout.question"),), "question"),
        answer=Note(sentence("label.answer"), (_answer(result),), "answer"),
        facts=facts,
        controls=controls,
        power=figure,
        details=details,
        notes=(
            Note(sentence("label.controls"), _control_words(result)),
            Note(sentence("label.ideal"), (_ideal(result),)),
        ),
    )


def _answer(result: Result) -> str:
    kind = scores.holdout_kind(result)
    if kind != "provided":
        return sentence(f"holdout.answer_{kind}")
    leak_test = result.metrics.get("leak_test")
    tests, rejects = sentence("holdout.answer_tests_missing"), False
    if isinstance(leak_test, Measured):
        p, level = leak_test.scores["p_value"].value, result.settings.thresholds.leak_test
        rejects = p <= level
        name = "rejects" if rejects else "keeps"
        drawn = None if result.search.looking is None else result.search.looking.synthetic
        tests = sentence(f"holdout.answer_tests_{name}", p=p_value(p, (level,)), number=4, drawn=drawn)
    copies = result.metrics.get("exact_copies")
    if not isinstance(copies, Measured):
        return sentence("holdout.answer_unmeasured", tests=tests)
    score = copies.scores["synthetic_rows"]
    rows = result.inputs.synthetic.rows
    chance = 0.0 if score.reference is None else score.reference
    return sentence(
        "holdout.answer_copies",
        copies=round(score.value * rows),
        chance=round(chance * rows),
        more=score.value > chance,
        tests=tests,
        rejects=rejects,
    )


def _facts(result: Result, numbering: Numbering) -> Table:
    holdout, kind = result.holdout, scores.holdout_kind(result)
    rows = [
        ("kind", sentence(f"holdout.kind_{kind}")),
        ("sizes", _sizes(result)),
    ]
    if kind != "none":
        rows.append(("how", _how(result, kind)))
    if kind == "provided":
        rows.append(("overlap", _overlap(result)))
        if holdout.shared_persons is not None:
            shared = sentence("holdout.shared_persons_text", shared=holdout.shared_persons, persons=holdout.persons)
            rows.append(("shared_persons", shared))
    else:
        rows.append(("more_needed", sentence("holdout.more_approximate", small=small_original(result))))
    if kind != "none":
        rows.append(("warnings", "; ".join(holdout.warnings) or sentence("holdout.no_warnings")))
    return Table(
        label=numbering.table(),
        caption=sentence("holdout.facts"),
        heads=heads(sentence("holdout.property"), sentence("holdout.finding")),
        rows=tuple((Cell(sentence(f"holdout.{name}")), Cell(text)) for name, text in rows),
        layout="facts",
    )


def _how(result: Result, kind: str) -> str:
    record = result.holdout.set_aside
    if record is None or not record.proves:
        return sentence(f"holdout.how_{kind}", seed=result.settings.seed)
    drawn = record.settings
    return sentence(
        "holdout.how_set_aside",
        version=record.version,
        created=record.created[:10],
        fraction=scores.share(drawn.fraction),
        rows=record.source.rows,
        source=record.source.name,
        group=drawn.group,
        stratify=drawn.stratify,
        seed=drawn.seed,
        sha256=record.sha256[:12],
    )


def _sizes(result: Result) -> str:
    holdout, inputs = result.holdout, result.inputs
    drawn = inputs.synthetic.rows != holdout.base_rows or inputs.synthetic.rows != holdout.rows
    kind = scores.holdout_kind(result)
    persons: dict[str, Any] = {"persons": inputs.original.persons, "held_persons": holdout.persons}
    if kind == "provided":
        equal = (
            sentence("holdout.sizes_drawn", base=holdout.base_rows, draws=holdout.draws)
            if drawn
            else sentence("holdout.sizes_equal")
        )
        return sentence(
            "holdout.sizes_provided",
            original=inputs.original.rows,
            holdout=holdout.rows,
            synthetic=inputs.synthetic.rows,
            equal=equal,
            **persons,
        )
    if kind == "approximate":
        return sentence(
            "holdout.sizes_approximate",
            asking=asking_rows(result),
            holdout=holdout.rows,
            base=holdout.base_rows,
            drawn=drawn,
            draws=holdout.draws,
            **persons,
        )
    return sentence("holdout.sizes_none", original=inputs.original.rows, synthetic=inputs.synthetic.rows, **persons)


def _overlap(result: Result) -> str:
    holdout = result.holdout
    if not scores.rows_are_compared(result):
        return sentence("holdout.overlap_not_counted")
    chance = holdout.overlap_p_value
    p = "" if chance is None or not holdout.overlap_rows else sentence("holdout.overlap_p", p=scores.share(chance))
    return sentence(
        "holdout.overlap_rows",
        rows=holdout.overlap_rows,
        share=scores.share(holdout.overlap_rows / holdout.rows if holdout.rows else 0),
        back=holdout.original_overlap_rows,
        p=p,
    )


def _controls(result: Result, numbering: Numbering) -> Table | None:
    memorising = result.controls.memorising
    if memorising is None:
        return None
    rows = tuple(
        row
        for key, metric in scores.ordered_metrics(result)
        if isinstance(metric, Measured)
        for row in _control_rows(result, key, metric)
    )
    columns = [
        *(["null_range"] if has_null_range(result) else []),
        *(["reference"] if has_reference(result) else []),
    ]
    return Table(
        label=numbering.table(),
        caption=sentence("holdout.memorising_caption"),
        caption_note=sentence("holdout.memorising_note", rows=memorising.rows),
        heads=(
            Head(sentence("summary.score")),
            *(Head(sentence(f"summary.{name}"), numeric=True) for name in columns),
            Head(sentence("holdout.this_file"), numeric=True),
            Head(sentence("holdout.memorising"), numeric=True),
            Head(sentence("summary.better")),
        ),
        rows=rows,
    )


def _control_rows(result: Result, key: str, metric: Measured) -> list[Row]:
    memorising = result.controls.memorising
    copied = {} if memorising is None else memorising.scores.get(key, {})
    with_null = has_null_range(result)
    rows = []
    shown = of_all_leads(scores.summary_scores(key, metric))
    for name, score in scores.ordered_scores(key, shown):
        if name not in copied or name in HIDDEN or name.startswith("holdout_"):
            continue
        rows.append(
            (
                Cell(
                    scores.title(result, key, name),
                    unit=scores.unit_words(result, key, name, score),
                ),
                *(
                    [scores.range_cell(score.null_low, score.null_high, score, scores.places(key, name))]
                    if with_null
                    else []
                ),
                *([scores.reference_cell(score, key, name)] if has_reference(result) else []),
                scores.value_cell(score, key, name, strong=True),
                scores.value_cell(copied[name], key, name),
                scores.better_cell(score),
            )
        )
    return rows


def _control_words(result: Result) -> tuple[str, ...]:
    detectable = result.controls.detectable
    words = [sentence(f"holdout.memorising_{'absent' if result.controls.memorising is None else 'read'}")]
    if detectable.rows is not None and detectable.share is not None:
        share = scores.share(detectable.share)
        found = sentence("holdout.detectable_found", rows=detectable.rows, share=share, power=power(detectable))
        words.append(found)
    elif detectable.code == "not_in_this_version":
        words.append(sentence("holdout.detectable_absent"))
    elif detectable.reason:
        words.append(sentence("holdout.detectable_other", reason=detectable.reason))
    elif detectable.search_limit is not None:
        limit = detectable.search_limit
        words.append(sentence("holdout.detectable_beyond", limit=limit, power=power(detectable)))
    else:
        words.append(sentence("holdout.detectable_absent"))
    return tuple(words)


def _ideal(result: Result) -> str:
    if result.settings.group is not None and scores.holdout_kind(result) == "provided":
        return sentence("holdout.ideal_persons")
    if has_null_range(result):
        return sentence("holdout.ideal_present", splits=SPLITS)
    if scores.holdout_kind(result) == "none":
        return sentence("holdout.ideal_none")
    return sentence("holdout.ideal_absent", holdout=scores.holdout_noun(result))
