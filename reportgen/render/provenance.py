"""Sections 6 and 7: how the numbers were made, where they came from, and how to check that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reportgen.declared import hide_marks
from reportgen.model import SCHEMA_VERSION, InputFile, Measured, Result
from reportgen.render.change_record import change_record
from reportgen.render.gate_tables import gate_tables
from reportgen.render.made_by import look_words
from reportgen.render.pictures import Medium
from reportgen.render.rendered import RenderedBy
from reportgen.render.score_summary import has_null_range
from reportgen.render.scores import ordinal, percent_of, share
from reportgen.render.view import Cell, Note, Numbering, Row, Table, Tone, heads
from reportgen.rounding import count
from reportgen.score_names import ATTACKS
from reportgen.settings import WORDS
from reportgen.verdict.families import SPLITS
from reportgen.versions import is_newer
from reportgen.words import catalog, sentence


@dataclass(frozen=True)
class Provenance:
    """Section 7."""

    run: Table
    gate: tuple[Table, ...]
    """Rules and waivers where there is a policy, and the change record where there is a baseline."""
    settings: Table
    hashes: Table
    notes: tuple[Note, ...]
    sign_off: Table


def method_table(result: Result, numbering: Numbering) -> Table:
    """Build section 6, the method."""
    settings, holdout = result.settings, result.holdout
    projection = result.space.projection
    bases = "none" if holdout.kind == "none" else "drawn" if holdout.draws > 1 else "equal"
    rows = [
        ("space", _space(result)),
        ("scaling", sentence(f"method.scaling_{projection}")),
        ("search", _search(result)),
        *([] if result.inputs.original.persons is None else [("persons", _persons(result))]),
        ("ties", sentence("method.ties_text")),
        ("ratio", sentence("method.ratio_text")),
        ("zero", sentence("method.zero_text")),
        (
            "percentiles",
            sentence(
                "method.percentiles_text",
                tail=ordinal(settings.tail_percentile),
                rate=ordinal(settings.closest_rate_percentile),
            ),
        ),
        ("bases", sentence(f"method.bases_{bases}", draws=holdout.draws)),
        ("intervals", sentence("method.intervals_text", resamples=settings.resamples, draws=holdout.draws)),
        *([("null_range", sentence("method.null_range_text", splits=SPLITS))] if has_null_range(result) else []),
        *((name, sentence(f"method.{name}_text", drawn=settings.dropped_queries)) for name in _tests(result)),
        *([("attacks", _attacks(result))] if _attacked(result) else []),
        ("randomness", sentence("method.randomness_text", seed=settings.seed)),
        ("distributions", sentence("method.distributions_text")),
    ]
    return _facts(
        numbering,
        sentence("method.caption"),
        (sentence("method.item"), sentence("method.value")),
        [(Cell(sentence(f"method.{name}")), Cell(text)) for name, text in rows],
    )


def _persons(result: Result) -> str:
    inputs = result.inputs
    held = None if inputs.holdout is None else inputs.holdout.persons
    return sentence("method.persons_text", column=result.settings.group, persons=inputs.original.persons, held=held)


def _attacked(result: Result) -> bool:
    return any(isinstance(result.metrics.get(key), Measured) for key in ATTACKS)


def _attacks(result: Result) -> str:
    settings = result.settings
    return sentence(
        "method.attacks_text",
        attacks=settings.attacks,
        k=settings.link_neighbours,
        tolerance=percent_of(settings.inference_tolerance),
        secrets=bool(settings.secret),
        persons=result.inputs.original.persons is not None,
    )


def _tests(result: Result) -> tuple[str, ...]:
    """Name the texts on the tests that ran."""
    tested = isinstance(result.metrics.get("leak_test"), Measured)
    sized = isinstance(result.metrics.get("leak_size"), Measured)
    return (*(("leak_test", "searches") if tested else ()), *(("leak_size",) if sized else ()))


def thresholds_table(result: Result, numbering: Numbering) -> Table:
    """Build the annex of every limit that the level is read against: value, meaning, source."""
    rows = []
    for name, value in result.settings.thresholds.model_dump().items():
        words = catalog()["threshold"][name]
        rows.append((Cell(words["name"]), Cell(f"{value:g}{words['unit']}", style="num"), Cell(words["source"])))
    return Table(
        label=numbering.table(),
        caption=sentence("threshold.caption"),
        caption_note=sentence("threshold.note"),
        heads=heads(*(sentence(f"threshold.{name}") for name in ("limit", "value", "source")), numeric=(1,)),
        rows=tuple(rows),
    )


def provenance(result: Result, rendering: RenderedBy, digest: str, medium: Medium, numbering: Numbering) -> Provenance:
    """Build section 7. `digest` is the SHA-256 of the serialised result."""
    check = sentence("provenance.check", where=sentence(f"provenance.where_{medium}"))
    return Provenance(
        run=_run(result, rendering, numbering),
        gate=(*gate_tables(result, numbering), *change_record(result, numbering)),
        settings=_settings(result, numbering),
        hashes=_hashes(result, digest, numbering),
        notes=(
            Note(sentence("label.check"), (check, sentence("provenance.check_content"))),
            Note(
                sentence("label.reproducibility"),
                (sentence("provenance.reproducibility"), sentence("provenance.personal")),
            ),
        ),
        sign_off=_sign_off(result, numbering),
    )


def _facts(numbering: Numbering, caption: str, titles: tuple[str, ...], rows: list[Row]) -> Table:
    return Table(label=numbering.table(), caption=caption, heads=heads(*titles), rows=tuple(rows), layout="facts")


def _space(result: Result) -> str:
    space = result.space
    common: dict[str, Any] = {"dimensions": space.dimensions, "inertia": share(space.inertia)}
    if space.projection != "famd":
        return sentence(f"method.space_{space.projection}", **common)
    fitted = "both" if space.fitted_on == "original and holdout" else "original"
    components = (
        sentence("method.components_all")
        if space.components == "all"
        else sentence("method.components_some", n=space.components)
    )
    return sentence("method.space_famd", fitted=sentence(f"method.fitted_{fitted}"), components=components, **common)


def _search(result: Result) -> str:
    search = result.search
    if not search.queries:
        return sentence("method.search_none")
    unique = search.unique_rows
    holdout = "" if unique.holdout is None else sentence("method.unique_holdout", rows=unique.holdout)
    rows = sentence("method.unique", original=unique.original, synthetic=unique.synthetic, holdout=holdout)
    if search.looking is not None:
        held = search.looking.holdout
        holdout = "" if held is None else sentence("method.looking_holdout", rows=held)
        original, synthetic = search.looking.original, search.looking.synthetic
        rows += sentence("method.looking", original=original, synthetic=synthetic, holdout=holdout)
    name = "all" if search.certified == search.queries else "part"
    return sentence(f"method.search_{name}", queries=search.queries, certified=search.certified, unique=rows)


def _run(result: Result, rendering: RenderedBy, numbering: Numbering) -> Table:
    measured = {result.tool.name: result.tool.version, **dict(sorted(result.environment.items()))}
    rendered = {result.tool.name: rendering.tool_version, **dict(sorted(rendering.versions.items()))}
    same = dict(result.environment) == dict(rendering.versions)
    rendered_by = (
        sentence("provenance.same_libraries", tool=result.tool.name, version=rendering.tool_version)
        if same
        else _versions(rendered)
    )
    rows = [
        ("command", result.command),
        ("created", sentence("provenance.created_value", created=_plain_time(result.created))),
        ("measured_by", _versions(measured)),
        ("rendered_by", rendered_by),
        *([("look", look_words(rendering))] if rendering.look.own else []),
        ("schema", _schema(result)),
        ("metrics_version", str(result.tool.metrics)),
    ]
    return _facts(
        numbering,
        sentence("provenance.run"),
        (sentence("provenance.item"), sentence("provenance.value")),
        [(Cell(sentence(f"provenance.{name}")), Cell(text)) for name, text in rows],
    )


def _schema(result: Result) -> str:
    newer = is_newer(result.schema_version)
    return sentence("provenance.schema_value", version=result.schema_version, newer=newer, known=SCHEMA_VERSION)


def _plain_time(created: str) -> str:
    return created.replace("T", " ").removesuffix("Z")


def _versions(versions: dict[str, str | None]) -> str:
    known = [
        f"{name} {version}" if version else sentence("provenance.absent", name=name)
        for name, version in versions.items()
    ]
    return ", ".join(known)


def _settings(result: Result, numbering: Numbering) -> Table:
    rows: list[Row] = []
    for name, value in result.settings.model_dump(exclude={"thresholds"}).items():
        if name in WORDS:  # they stand in the report's title, in section 1 and in the sign-off
            continue
        shown = hide_marks(value, _not_named) if result.settings.no_category_names else value
        rows.append((Cell(name), Cell(_setting(shown)), Cell(sentence(f"setting.{name}"))))
    return Table(
        label=numbering.table(),
        caption=sentence("provenance.settings"),
        heads=heads(*(sentence(f"provenance.{name}") for name in ("setting", "value", "meaning"))),
        rows=tuple(rows),
    )


def _not_named(marks: int) -> str:
    return sentence("provenance.marks_not_named", marks=marks)


def _setting(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or sentence("provenance.empty")
    if isinstance(value, dict):
        return "; ".join(_declared(value)) or sentence("provenance.empty")
    if value is None:
        return sentence("provenance.empty")
    if isinstance(value, bool):
        return sentence(f"provenance.{'yes' if value else 'no'}")
    if isinstance(value, int):
        return count(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _declared(tables: dict[str, Any], where: str = "") -> list[str]:
    """Write nested tables as lines of a config file, without what is not set."""
    lines = []
    for name, value in tables.items():
        if isinstance(value, dict):
            lines += _declared(value, f"{where}{name}.")
        elif value is not None:
            lines.append(f"{where}{name} = {json.dumps(value, ensure_ascii=False)}")
    return lines


def _hashes(result: Result, digest: str, numbering: Numbering) -> Table:
    rows: list[Row] = []
    inputs = result.inputs
    sides = [("original", inputs.original), ("synthetic", inputs.synthetic), ("holdout", inputs.holdout)]
    for side, file in sides:
        if file is not None:
            rows += _hash_rows(sentence(f"label_side.{side}"), file)
    rows.append(
        (Cell(sentence("provenance.result")), Cell(sentence("provenance.result_of")), Cell(digest, style="hash"))
    )
    return Table(
        label=numbering.table(),
        caption=sentence("provenance.hashes"),
        heads=heads(*(sentence(f"provenance.hash_{name}") for name in ("table", "of", "value"))),
        rows=tuple(rows),
    )


def _hash_rows(side: str, file: InputFile) -> list[Row]:
    of_file = Cell(file.sha256, style="hash") if file.sha256 else Cell(sentence("provenance.hash_memory"), tone="none")
    return [
        (Cell(side), Cell(sentence("provenance.hash_file")), of_file),
        (Cell(side), Cell(sentence("provenance.hash_content")), Cell(file.content_sha256, style="hash")),
    ]


def _sign_off(result: Result, numbering: Numbering) -> Table:
    return _facts(
        numbering,
        sentence("sign_off.caption"),
        (sentence("sign_off.item"), sentence("sign_off.value")),
        [(Cell(item), Cell(text, tone=tone)) for item, text, tone in signed_off(result)],
    )


def signed_off(result: Result) -> Iterator[tuple[str, str, Tone]]:
    """List the lines of the sign-off: item, what the user states or that nothing was supplied, and its tone."""
    for name, text in result.settings.sign_off.model_dump().items():
        said = text.strip()
        yield sentence(f"sign_off.{name}"), said or sentence("sign_off.not_supplied"), "" if said else "none"
