"""The record that `reportgen split` leaves beside a holdout, and what it proves of an assessment.

It holds hashes, numbers of rows and settings, never a row. Where the tables of an assessment are those that it names,
the holdout was set aside when the record says, and neither table has changed since. The record is not signed: it proves
that much to whoever trusts the place it was kept in.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, model_validator

from reportgen.errors import InputError
from reportgen.files import read_bounded
from reportgen.json_text import read_json
from reportgen.model import Created, Finding, InputFile, Part, Result, SetAside, SplitFile, SplitSettings, Tool
from reportgen.shown import one_line
from reportgen.words import sentence

SUFFIX = ".split.json"
LARGEST = 2**20


class SplitRecord(Part):
    """The content of the record."""

    format: Literal["reportgen split 1"] = "reportgen split 1"
    created: Created
    tool: Tool
    settings: SplitSettings
    source: SplitFile
    original: SplitFile
    holdout: SplitFile

    @model_validator(mode="after")
    def _adds_up(self) -> SplitRecord:
        if self.original.rows + self.holdout.rows != self.source.rows:
            msg = "rows of the parts that are not those of the whole"
            raise ValueError(msg)
        return self


def record_of(holdout: Path) -> Path:
    """Return where the record of a holdout lies: beside it, by its whole name."""
    return holdout.with_name(f"{holdout.name}{SUFFIX}")


def record_bytes(record: SplitRecord) -> bytes:
    """Serialise a record: sorted keys, the same bytes for equal records."""
    return (json.dumps(record.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


def read_record(path: Path) -> tuple[SplitRecord, str]:
    """Return a record and the SHA-256 of its file; InputError, one line, where it is none."""
    content = read_bounded(path, LARGEST, "record of reportgen split")
    try:
        read_json(content)  # refuses what means two things
        record = SplitRecord.model_validate_json(content, strict=True)
    except (ValidationError, ValueError):
        msg = f"{one_line(path.name)}: no record of reportgen split; restore it, or remove it to go without its proof"
        raise InputError(msg) from None
    return record, hashlib.sha256(content).hexdigest()


def with_record(result: Result, record: SplitRecord, sha256: str) -> Result:
    """Put into a result what the record beside its holdout proves; a table that it does not name becomes a finding."""
    inputs = result.inputs
    if inputs.holdout is None:
        return result
    found = SetAside(
        sha256=sha256,
        created=record.created,
        version=record.tool.version,
        settings=record.settings,
        source=record.source,
        original_matches=_same(record.original, inputs.original),
        holdout_matches=_same(record.holdout, inputs.holdout),
    )
    holdout = result.holdout.model_copy(update={"set_aside": found})
    if found.proves:
        return result.model_copy(update={"holdout": holdout})
    text = sentence(
        "result.split_differs",
        original=found.original_matches,
        holdout=found.holdout_matches,
        created=record.created[:10],
    )
    holdout = holdout.model_copy(update={"warnings": (*holdout.warnings, text)})
    finding = Finding(code="split_record_differs", severity="warning", text=text)
    return result.model_copy(update={"holdout": holdout, "findings": (*result.findings, finding)})


def _same(recorded: SplitFile, given: InputFile) -> bool:
    """Whether a table is the recorded one: the same file, or the same contents saved again."""
    if recorded.rows != given.rows:
        return False
    same_file = recorded.sha256 is not None and recorded.sha256 == given.sha256
    return same_file or recorded.content_sha256 == given.content_sha256
