"""A text table as its own lines: each row as it is written, so that rows can be copied without a byte changed.

`delimited` tells what the cells are; here the file is cut where it is, and the number of rows must be the same.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import InputError
from reportgen.read.delimited import Delimited, Form, decompressed
from reportgen.read.naming import one_line

_BY_MARK = {
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True)
class Records:
    """A text table cut into rows. `head` is all up to the end of the header line, byte order mark included.

    Every row ends with the line end that it has in the file; a last one without gets that of the header.
    """

    head: str
    rows: tuple[str, ...]
    encoding: str

    def of(self, places: Iterable[int]) -> bytes:
        """Return the file that holds the rows at these places, as they are written."""
        return "".join((self.head, *(self.rows[place] for place in places))).encode(self.encoding)


def cut_records(path: Path, read: Delimited) -> Records:
    """Cut a text table into its header and rows; `read` is what `read_delimited` made of the same file.

    InputError where the lines can't be told apart for certain.
    """
    with decompressed(path) as stream:
        content = stream.read()
    encoding = _exact(read.form.encoding, content)
    text = content.decode(encoding)
    if text.encode(encoding) != content:
        msg = f"{one_line(path.name)}: its rows cannot be copied in its encoding; save it as UTF-8"
        raise InputError(msg)
    pieces = list(_records(text, read.form))
    header = read.form.skip
    while header < len(pieces) and _holds_nothing(pieces[header][0], read.form):
        header += 1
    if header == len(pieces):  # read_delimited has refused a file without header
        raise InputError(_unsure(path))
    name_line, end = pieces[header]
    end = end or "\n"
    width = len(next(csv.reader(io.StringIO(name_line, newline=""), delimiter=read.form.separator), []))
    rows = tuple(
        record + (ending or end) for record, ending in pieces[header + 1 :] if not _skipped(record, width, read)
    )
    if len(rows) != len(read.columns[0]):
        raise InputError(_unsure(path))
    head = "".join(record + (ending or end) for record, ending in pieces[: header + 1])
    return Records(head, rows, encoding)


def _exact(encoding: str, content: bytes) -> str:
    """Return the codec that keeps a byte order mark as a character, so that decoding can be undone."""
    if encoding in {"utf-16", "utf-32"}:
        return next((name for mark, name in _BY_MARK.items() if content.startswith(mark)), f"{encoding}-le")
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _records(text: str, form: Form) -> Iterator[tuple[str, str]]:
    """Cut a text at the line ends outside of quotes; yield each record and its line end.

    A quote opens a cell only at the beginning of it, as the reader of cells takes it.
    """
    separator = re.escape(form.separator)
    inside = rf"[^{separator}\r\n]*+"
    cell = rf'(?:"(?:[^"]++|"")*+"{inside}|(?!"){inside})'
    record = re.compile(rf"({cell}(?:{separator}{cell})*+)(\r\n|\n|\r|\Z)")
    place = 1 if text.startswith("\ufeff") else 0
    before = text[:place]
    while place < len(text):
        found = record.match(text, place)
        if found is None:  # an open quote, which read_delimited refuses
            yield before + text[place:], ""
            return
        yield before + found[1], found[2]
        before, place = "", found.end()


def _holds_nothing(record: str, form: Form) -> bool:
    return not record.strip("\ufeff \t") and form.separator not in record


def _skipped(record: str, width: int, read: Delimited) -> bool:
    """Whether the reader of cells passes over a line: an empty one, or blanks that are no row of the table."""
    if width == 1:
        return not record
    return not record.strip() and record.count(read.form.separator) + 1 != width


def _unsure(path: Path) -> str:
    return (
        f"{one_line(path.name)}: its lines cannot be told apart for certain (quotes within cells?); "
        "save it as Parquet, or quote such cells"
    )
