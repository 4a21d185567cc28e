"""Text tables (.csv, .tsv, plain or gzipped): separator, encoding, header and cells. Every cell stays a text.

pyarrow splits and decodes, in C and on all columns as strings. Its messages quote cells, so none of them is passed on:
what went wrong is found again, line by line, with the standard library's csv, and named by its line number.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from reportgen.declared import FileForm
from reportgen.errors import InputError
from reportgen.read.naming import one_line, shown_name
from reportgen.read.partition import TextForm
from reportgen.words import plural

_HEAD = 1 << 20
_BLOCK = 1 << 24
"""Bytes that the header, and any one line beside a cell of any length, may have at most."""
EMPTY = "the file is empty; give the table with its header line and its rows"
_NO_ROW = "there is a header line and no row; give the table with its rows"
_LONG_HEADER = "its header line, or a name in it, is too long to be read; give its columns shorter names"
_SAMPLE_LINES = 200
_SEPARATORS = (",", ";", "\t", "|")
_EXCEL = re.compile(r'\ufeff?"?sep=([^\r\n"])"?(\r\n|\n|\r)', re.IGNORECASE)
"""A first line with which Excel is told the separator."""
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_FALLBACKS = ("cp1252", "latin-1")
_DETECTED = FileForm()


@dataclass(frozen=True)
class Form:
    """How the text of a file is cut into cells. `skip`: lines before the header, 1 where Excel names the separator."""

    encoding: str
    separator: str
    skip: int

    @property
    def in_words(self) -> TextForm:
        """The same for people."""
        names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "blank"}
        return TextForm(_spoken(self.encoding), names.get(self.separator) or shown_name(self.separator))


@dataclass(frozen=True)
class Delimited:
    """The cells of a text table as columns of strings, with the header's names stripped but not yet checked."""

    names: tuple[str, ...]
    columns: tuple[pa.ChunkedArray, ...]
    remarks: tuple[str, ...]
    form: Form


def read_delimited(path: Path, form: FileForm = _DETECTED) -> Delimited:
    """Read a text table; InputError names the file, and the line where one is broken.

    `form` declares separator and encoding where they are not to be detected.
    """
    with decompressed(path) as stream:
        head = stream.read(_HEAD)
    for encoding in (form.encoding,) if form.encoding else _encodings(path, head):
        found = _read_as(path, head, encoding, form.separator)
        if found is not None:
            return found
    msg = f"{one_line(path.name)}: its text is neither UTF-8 nor Windows-1252; save it as UTF-8"
    if form.encoding:
        msg = f"{one_line(path.name)}: its text is not {form.encoding}, as [schema] declares; correct the declaration"
    raise InputError(msg)


def _encodings(path: Path, head: bytes) -> tuple[str, ...]:
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # the first also begins as UTF-16
        return ("utf-32",)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return ("utf-16",)
    if b"\0" in head:
        for place, name in ((1, "utf-16-le"), (0, "utf-16-be")):
            if len(head) > 3 and not any(head[place:200:2]):  # every other byte of Latin letters
                msg = (
                    f"{one_line(path.name)}: its text looks like UTF-16 without the mark that says so; save it as "
                    f'UTF-8, or declare encoding = "{name}" in [schema]'
                )
                raise InputError(msg)
        msg = f"{one_line(path.name)}: this is no table of text, whatever its name says; save the table as CSV"
        raise InputError(msg)
    return ("utf-8", *_FALLBACKS)


def _read_as(path: Path, head: bytes, encoding: str, declared: str | None) -> Delimited | None:
    """Read with one encoding; None where the bytes are not in that encoding."""
    try:
        text = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)().decode(head)
    except UnicodeError:
        return None
    by_name = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else None
    named = _EXCEL.match(text)
    text = text[named.end() :] if named else text
    form = Form(encoding, declared or (named[1] if named else by_name) or separator_of(text), skip=bool(named))
    header = next(_records(text, form.separator), None)
    if header is None:
        msg = f"{one_line(path.name)}: {_LONG_HEADER if text.strip() else EMPTY}"
        raise InputError(msg)
    try:
        table = _parse(path, form, len(header))
    except UnicodeError:
        return None
    except pa.ArrowInvalid as error:
        if encoding == "utf-8" and "UTF8" in str(error):
            return None
        try:
            complaint = _complaint(path, form)
        except UnicodeError:
            return None
        raise InputError(complaint) from None
    _refuse_escaped_quotes(path, form, table)
    if _swallows_lines(table):
        _refuse_open_quote(path, form)
    _refuse_no_rows(path, table, header if len(head) == _HEAD else None)
    if len(header) == 1 and not declared:
        _refuse_unsplit(path, text)
    columns = tuple(_one_line_end(column.slice(1)) for column in table.columns)
    names = tuple(name.strip() for name in header)
    if names and not names[-1] and all(not cell for cell in columns[-1].unique().to_pylist()):
        names, columns = names[:-1], columns[:-1]  # every line ends with a separator
    remarks = () if encoding == "utf-8" else (f"The text of {one_line(path.name)} was read as {_spoken(encoding)}.",)
    return Delimited(names, columns, remarks, form)


def _refuse_no_rows(path: Path, table: pa.Table, cut_header: list[str] | None) -> None:
    """Refuse a table without rows, and a header that goes on beyond what was looked at."""
    if table.num_rows < 2:
        msg = f"{one_line(path.name)}: {_NO_ROW}"
        raise InputError(msg)
    if cut_header is not None and [column[0].as_py() for column in table.columns] != cut_header:
        msg = f"{one_line(path.name)}: {_LONG_HEADER}"
        raise InputError(msg)


def _one_line_end(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """End the lines inside a cell alike, so that a file saved on Windows holds the same values."""
    if not pc.any(pc.match_substring(column, "\r"), min_count=0).as_py():
        return column
    return pc.replace_substring(pc.replace_substring(column, "\r\n", "\n"), "\r", "\n")


def _spoken(encoding: str) -> str:
    named = {"utf-8": "UTF-8", "cp1252": "Windows-1252", "latin-1": "Latin-1", "utf-16": "UTF-16", "utf-32": "UTF-32"}
    return named.get(encoding, encoding)


def _parse(path: Path, form: Form, width: int) -> pa.Table:
    def skip_blank(row: pacsv.InvalidRow) -> str:
        try:
            return "error" if row.text.strip() else "skip"
        except UnicodeError:
            return "error"

    with decompressed(path) as stream:
        return pacsv.read_csv(
            stream,
            read_options=pacsv.ReadOptions(
                autogenerate_column_names=True,
                use_threads=False,
                encoding=form.encoding,
                block_size=_BLOCK,
                skip_rows=form.skip,
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=form.separator, newlines_in_values=True, invalid_row_handler=skip_blank
            ),
            convert_options=pacsv.ConvertOptions(
                column_types={f"f{i}": pa.large_string() for i in range(width)}, strings_can_be_null=False
            ),
        )


@contextmanager
def decompressed(path: Path) -> Iterator[BinaryIO]:
    """Open a plain or gzipped file; InputError where the gzip data are damaged."""
    try:
        with path.open("rb") as stored:
            if path.name.lower().endswith(".gz"):
                with gzip.GzipFile(fileobj=stored) as stream:
                    yield cast("BinaryIO", stream)
            else:
                yield stored
    except (EOFError, zlib.error, gzip.BadGzipFile):
        msg = f"{one_line(path.name)}: the gzip data are damaged or cut short; get the file anew"
        raise InputError(msg) from None


@contextmanager
def _text(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    with decompressed(path) as stream:
        yield io.TextIOWrapper(stream, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")


def _records(text: str, separator: str) -> Iterator[list[str]]:
    """Yield the records that hold anything; a record that csv cannot split ends them."""
    try:
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            if any(cell.strip() for cell in record) or len(record) > 1:
                yield record
    except csv.Error:
        return


def separator_of(text: str) -> str:
    """Return the separator with which most lines have as many cells as the header; the comma where none splits it."""
    best, best_score = ",", (False, 0.0, 0)
    for separator in _SEPARATORS:
        records = _records(text, separator)
        widths = [len(record) for record, _ in zip(records, range(_SAMPLE_LINES), strict=False)]
        if not widths:
            continue
        alike = sum(width == widths[0] for width in widths[1:]) / max(1, len(widths) - 1)
        score = (widths[0] > 1, alike, widths[0])
        if score > best_score:
            best, best_score = separator, score
    return best


def _complaint(path: Path, form: Form) -> str:
    """Name the first line whose number of cells differs from the header's; UnicodeError: not this encoding."""
    with _text(path, form.encoding) as lines:
        reader = csv.reader(lines, delimiter=form.separator)
        width, records, line = 0, 0, 1 + len(list(zip(range(form.skip), reader, strict=False)))
        try:
            for record in reader:
                if any(cell.strip() for cell in record) or len(record) > 1:
                    records += 1
                    width = width or len(record)
                    if len(record) != width:
                        return (
                            f"{one_line(path.name)}: line {line} has {plural(len(record), 'value', 'values')}, the "
                            f"header has {plural(width, 'name', 'names')}; correct the line, or quote values that "
                            "hold a separator"
                        )
                line = reader.line_num + 1
        except csv.Error:
            return f"{one_line(path.name)}: line {line} cannot be read as a line of a table; correct it"
    if records < 2:  # a header line without its end
        return f"{one_line(path.name)}: {_NO_ROW}"
    return f"{one_line(path.name)}: this cannot be read as a table of text; save the table as CSV"


def _swallows_lines(table: pa.Table) -> bool:
    """Whether the last row holds a line break, which is what is left of a quote that is never closed."""
    return any("\n" in (column[-1].as_py() or "") for column in table.columns)


def _refuse_escaped_quotes(path: Path, form: Form, table: pa.Table) -> None:
    r"""Refuse \" before more of a cell, as Spark and MySQL write a quote: it would be read as other text than meant.

    A quoted cell that ends with \ is followed by a separator or line end, and \ before a doubled quote by another one.
    """
    if not any(pc.any(pc.match_substring(column, "\\"), min_count=0).as_py() for column in table.columns):
        return
    escaped = re.compile(rf'\\"(?=[^"{re.escape(form.separator)}\r\n])')
    with _text(path, form.encoding) as lines:
        for number, line in enumerate(lines, 1):
            if escaped.search(line):
                msg = (
                    f"{one_line(path.name)}: line {number} writes a quote inside a cell with a backslash before it; "
                    'save the file with doubled quotes ("") instead'
                )
                raise InputError(msg)


def _refuse_open_quote(path: Path, form: Form) -> None:
    with _text(path, form.encoding) as lines:
        reader = csv.reader(lines, delimiter=form.separator, strict=True)
        line = 1
        try:
            for _ in reader:
                line = reader.line_num + 1
        except csv.Error:
            msg = (
                f"{one_line(path.name)}: line {line} opens a quote that is never closed; close it, or write a quote "
                "inside a cell twice"
            )
            raise InputError(msg) from None


def _refuse_unsplit(path: Path, text: str) -> None:
    """Refuse what was read as one column and is a table with a line before its header, or with blanks between cells.

    All lines but the first have the same number of cells then, three or more at a separator, or two where the first
    line is a comment; at blanks, at least two of which one is always a number.
    """
    for separator in (*_SEPARATORS, " "):
        first, *others = [
            [cell for cell in record if cell or separator != " "]
            for record, _ in zip(_records(text, separator), range(_SAMPLE_LINES), strict=False)
        ] or [[]]
        widths = {len(record) for record in others}
        width = max(widths, default=0)
        if len(others) < 2 or len(widths) > 1 or width < 2:
            continue
        if separator == " ":
            numbers = any(all(_NUMBER.fullmatch(cell) for cell in cells) for cells in zip(*others[1:], strict=True))
            if numbers and len(first) in {width, width - 1} and len(first) > 1:
                msg = (
                    f"{one_line(path.name)}: its lines hold {width} values with blanks between, which are no "
                    'separators unless declared; save it with commas, or declare separator = " " in [schema]'
                )
                raise InputError(msg)
        elif separator == "," and all(_THOUSANDS.fullmatch(",".join(cells)) for cells in others):
            continue  # one column of numbers such as 1,234,567
        elif len(first) == 1 and (width > 2 or first[0].lstrip().startswith("#")):
            msg = (
                f"{one_line(path.name)}: its first line holds one name and the others {width} values; remove what "
                "stands before the header line, or quote values that hold a separator"
            )
            raise InputError(msg)
