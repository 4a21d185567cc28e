"""Section 1, the data card: context, recipients, files and columns."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.model import Column, InputFile, Result
from reportgen.render.column_names import ColumnNames, column_names
from reportgen.render.leads import features, files_of_signals
from reportgen.render.scores import share
from reportgen.render.view import Cell, Head, Note, Numbering, Row, Table, capped, heads
from reportgen.rounding import count
from reportgen.settings import Settings
from reportgen.words import sentence


@dataclass(frozen=True)
class DataCard:
    """Section 1."""

    notes: tuple[Note, ...]
    tables: tuple[Table, ...]


def data_card(result: Result, numbering: Numbering) -> DataCard:
    """Build the data card; what the user did not say is said to be missing."""
    tables = [_parameters(result, numbering)] if result.settings.generator_parameters else []
    tables += [
        build(result, numbering) for build in ((files_of_signals, features) if result.leads else (_files, _columns))
    ]
    left_out = [column for column in result.columns if not column.used]
    if left_out and not result.leads:  # features that are left out are named in their table
        tables.append(_left_out(left_out, column_names(result), numbering))
    return DataCard(
        notes=tuple(
            Note(sentence(f"label.{name}"), tuple(_paragraphs(text)) or (sentence("label.not_supplied"),))
            for name, text in stated(result.settings).items()
        ),
        tables=tuple(tables),
    )


def stated(settings: Settings) -> dict[str, str]:
    """What the user said of the data and their release, by the name of the setting; empty where nothing was said."""
    return {
        "context": settings.context,
        "recipients": settings.recipients,
        "release_model": settings.release_model,
        "generator": settings.generator,
    }


def _parameters(result: Result, numbering: Numbering) -> Table:
    rows, shown = capped(
        [(Cell(name), Cell(parameter(value))) for name, value in result.settings.generator_parameters.items()]
    )
    return Table(
        label=numbering.table(),
        caption=sentence("data.parameters"),
        heads=heads(sentence("data.parameter"), sentence("data.value")),
        rows=rows,
        notes=shown,
        layout="facts",
    )


def parameter(value: object) -> str:
    """Write the value of a parameter as the user stated it; figures are not rounded."""
    if isinstance(value, tuple):
        return ", ".join(map(parameter, value)) or sentence("data.none")
    if isinstance(value, bool):
        return sentence(f"data.{'yes' if value else 'no'}")
    return str(value)


def _paragraphs(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _files(result: Result, numbering: Numbering) -> Table:
    sides = [("original", result.inputs.original), ("synthetic", result.inputs.synthetic)]
    if result.inputs.holdout is not None:
        sides.append(("holdout", result.inputs.holdout))
    grouped = result.inputs.original.persons is not None
    names = ("table", "file", "rows", *(("persons",) if grouped else ()), "column_count", "repeated", "role")
    return Table(
        label=numbering.table(),
        caption=sentence("data.files"),
        heads=heads(*(sentence(f"data.{name}") for name in names), numeric=tuple(range(2, len(names) - 1))),
        rows=tuple(_file(side, file, grouped=grouped) for side, file in sides),
    )


def _file(side: str, file: InputFile, *, grouped: bool) -> Row:
    persons = "–" if file.persons is None else count(file.persons)
    return (
        Cell(sentence(f"label_side.{side}")),
        Cell(file.name),
        Cell(count(file.rows), style="num"),
        *([Cell(persons, style="num")] if grouped else []),
        Cell(count(file.columns), style="num"),
        Cell(count(file.repeated_rows), style="num"),
        Cell(sentence(f"data.role_{side}")),
    )


def _columns(result: Result, numbering: Numbering) -> Table:
    names = column_names(result)
    rows, shown = capped([_column(column, result, names) for column in result.columns])
    used = sum(column.used for column in result.columns)
    total = len(result.columns)
    sides = ["original", "synthetic", *(["holdout"] if result.inputs.holdout is not None else [])]
    return Table(
        label=numbering.table(),
        caption=sentence("data.columns", used=used, total=total, left_out=total - used),
        caption_note=sentence("data.columns_note"),
        heads=(
            Head(sentence("data.column")),
            Head(sentence("data.kind")),
            Head(sentence("data.distinct"), numeric=True),
            *(Head(sentence(f"data.missing_{side}"), sentence("unit.percent"), numeric=True) for side in sides),
            Head(sentence("data.inertia"), sentence("unit.percent"), numeric=True),
            Head(sentence("data.remark")),
        ),
        rows=rows,
        notes=shown,
        layout="wide",
    )


def _column(column: Column, result: Result, names: ColumnNames) -> Row:
    inputs = result.inputs
    missing = [(column.missing.original, inputs.original), (column.missing.synthetic, inputs.synthetic)]
    if inputs.holdout is not None:
        missing.append((column.missing.holdout or 0, inputs.holdout))
    return (
        Cell(names.written(column.name)),
        Cell(sentence(f"kind.{column.kind}")),
        Cell(count(column.distinct_original), style="num"),
        *(Cell(_percent(number, file.rows), style="num") for number, file in missing),
        Cell("–" if column.inertia is None else _bare(column.inertia), style="num"),
        Cell("; ".join(_remarks(column))),
    )


def _percent(number: int, rows: int) -> str:
    return _bare(number / rows) if rows else "–"


def _bare(value: float) -> str:
    return share(value).removesuffix("\N{NO-BREAK SPACE}%")


def remarks_on(column: Column) -> tuple[str, ...]:
    """What was seen when a column was read, one sentence each."""
    if not column.missing_marks and not column.other_marks:
        return column.remarks
    return (*column.remarks, sentence("data.marks", marks=column.missing_marks, others=column.other_marks))


def _remarks(column: Column) -> list[str]:
    remarks = [] if column.used else [sentence("data.not_used")]
    remarks += [remark.rstrip(".") for remark in remarks_on(column)]
    if column.pooled_levels:
        remarks.append(sentence("data.pooled", levels=column.pooled_levels))
    if column.unseen_rows:
        remarks.append(sentence("data.unseen", rows=column.unseen_rows))
    return remarks


def _left_out(columns: list[Column], names: ColumnNames, numbering: Numbering) -> Table:
    rows, shown = capped([(Cell(names.written(column.name)), Cell(column.reason or "–")) for column in columns])
    return Table(
        label=numbering.table(),
        caption=sentence("data.left_out"),
        heads=heads(sentence("data.column"), sentence("data.reason")),
        rows=rows,
        notes=shown,
        layout="facts",
    )
