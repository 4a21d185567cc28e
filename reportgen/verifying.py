"""Is a report intact, and about these files? Statements, each made for itself.

    result      the result inside matches the digest that the report names
    signature   where a PDF has one: whose it is, and whether it holds and covers the whole file
    document    the report, made again from that result, is the same byte for byte
    inputs      files and contents have the hashes that the result names

A digest never counts as proof that the text is unchanged: whoever changes a number can change the digest beside it.
Only making the report again tells, and that takes the same versions. Whoever makes a whole report anew from a changed
result passes all but the inputs, and those only if the result is measured again; a signature is against that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportgen import api, model
from reportgen.errors import EnvironmentLacking, InputError
from reportgen.read.columns import RawTable
from reportgen.read.fingerprint import content_sha256
from reportgen.read.partition import Partition, Side
from reportgen.read.signals import Signals
from reportgen.read.tables import Given
from reportgen.render import FORMATS, Format, bundle
from reportgen.render.drawn import PLAIN
from reportgen.render.made_by import MadeBy, made_by
from reportgen.render.rendered import RenderedBy
from reportgen.report_files import ReportFile
from reportgen.runner import read_inputs
from reportgen.settings import Settings
from reportgen.signing import check_signature, unsigned_part
from reportgen.statements import Signatures, Statement, adds_nothing, said, signature_statements, signer_statements
from reportgen.words import sentence


@dataclass(frozen=True)
class Expected:
    """What the reader knows from elsewhere: the SHA-256 of the result, that of the signer's certificate."""

    sha256: str | None = None
    fingerprint: str | None = None


NOTHING = Expected()


def verify(
    report: ReportFile, rendering: RenderedBy, given: Mapping[Side, Given], expected: Expected = NOTHING
) -> tuple[Statement, ...]:
    """Make every statement that is asked for; `given` are tables by side. InputError where no result is inside."""
    result = api.parse(report.result, report.name).result
    papers = _papers(report)
    signed = {
        name: check_signature(paper, unsigned_part(paper)) for name, paper in papers.items() if b"/ByteRange" in paper
    }
    return (
        _result(report, result),
        *_sha256(result, expected.sha256),
        *signature_statements(papers, signed),
        *_document(report, result, rendering, signed),
        *signer_statements(papers, signed, expected.fingerprint),
        *(_input(side, path, result, given) for side, path in given.items()),
    )


def _result(report: ReportFile, result: model.Result) -> Statement:
    digest = model.digest(result)
    # A page holds the result with other escapes; everywhere else its bytes are those of the result file.
    if report.kind != "html" and report.result != model.to_json(result).encode():
        return said("result", "fails", "result_rewritten")
    if report.kind == "json":
        return said("result", "holds", "result_json", digest=digest)
    if report.digest != digest or (report.kind == "html" and not _printed(report.content, digest)):
        return said("result", "fails", "result_differs", digest=digest, named=report.digest)
    return said("result", "holds", "result_holds", digest=digest)


def _sha256(result: model.Result, expected: str | None) -> Iterator[Statement]:
    """Hold the result against the digest that the reader kept: that proves the numbers, whoever made the report."""
    if expected is not None:
        digest = model.digest(result)
        same = digest == expected
        yield said("sha256", "holds" if same else "fails", "sha256_holds" if same else "sha256_other", digest=digest)


def _papers(report: ReportFile) -> dict[str, bytes]:
    """Return the PDFs that a report is or holds, by their names in a bundle; "" is the report itself."""
    if report.kind == "pdf":
        return {"": report.content}
    return {name: content for name, content in (report.members or {}).items() if name in bundle.PAPERS}


def _printed(content: bytes, digest: str) -> bool:
    """Whether the table of hashes prints a digest."""
    return f'<td class="hash breakable">{digest}</td>'.encode() in content


def _document(
    report: ReportFile, result: model.Result, rendering: RenderedBy, signed: Signatures
) -> Iterator[Statement]:
    if report.kind == "json":
        yield said("document", "holds", "document_json")
        return
    if report.maker is None:
        yield said("document", "unchecked", "document_unsaid")
        return
    if not report.maker.own:  # a look that is given has no part in a report that was made without one
        rendering = dataclasses.replace(rendering, look=PLAIN)
    here = made_by(rendering)
    if report.maker.own and not here.own:
        yield said("document", "unchecked", "document_own_look")
        return
    if report.maker != here:
        yield said("document", "unchecked", "document_other", theirs=_named(report.maker), ours=_named(here))
        return
    try:
        yield from _made_again(report, result, rendering, signed)
    except EnvironmentLacking as lacking:
        yield said("document", "unchecked", "document_lacking", lacking=str(lacking))


def _named(maker: MadeBy) -> str:
    return sentence(
        "verify.maker",
        tool=maker.tool,
        weasyprint=maker.weasyprint,
        templates=maker.templates,
        own=maker.own,
        libraries=maker.libraries,
    )


def _made_again(
    report: ReportFile, result: model.Result, rendering: RenderedBy, signed: Signatures
) -> Iterator[Statement]:
    if report.kind == "zip":
        yield from _bundle_again(report, result, rendering, signed)
        return
    unsigned = unsigned_part(report.content) if adds_nothing(signed.get("")) else None
    for one in _likeliest_first(report):
        made = one.render(result, rendering)
        if made in (report.content, unsigned):
            words = "document_holds" if made == report.content else "document_signed"
            yield said("document", "holds", words, own=rendering.look.own)
            return
    yield said("document", "fails", "document_differs", members=())


def _likeliest_first(report: ReportFile) -> list[Format]:
    """List the formats that such a file can be, first the one that its name tells: report or plain summary."""
    formats = [one for one in FORMATS if one.suffix.endswith(f".{report.kind}")]
    return sorted(formats, key=lambda one: (not report.name.lower().endswith(one.suffix), -len(one.suffix)))


def _bundle_again(
    report: ReportFile, result: model.Result, rendering: RenderedBy, signed: Signatures
) -> Iterator[Statement]:
    expected = bundle.members(result, rendering)
    found = report.members or {}
    words = "document_holds"
    papers = {
        name: found[name]
        for name, one in signed.items()
        if adds_nothing(one) and unsigned_part(found[name]) == expected[name]
    }
    if papers:
        expected, words = bundle.with_papers(expected, papers), "document_signed"
    if bundle.packed(expected) == report.content:
        yield said("document", "holds", words, own=rendering.look.own)
        return
    differing = sorted(name for name in expected if found.get(name) != expected[name])
    yield said("document", "fails", "document_differs", members=differing)


def _input(side: Side, path: Given, result: model.Result, given: Mapping[Side, Given]) -> Statement:
    recorded: model.InputFile | None = getattr(result.inputs, side)
    # Releases that were put together have a name and no file.
    name = path.source.name if isinstance(path, RawTable | Signals) else api.base_name(path, side)
    names = {"side": side, "name": name}
    if recorded is None:
        return said(side, "fails", "input_none", **names)
    try:
        sha256, content = _hashes(side, result, given)
    except InputError as error:
        return said(side, "fails", "input_unread", why=str(error), **names)
    same_content = content == recorded.content_sha256
    if recorded.sha256 is None:
        return said(
            side, "holds" if same_content else "fails", "input_memory" if same_content else "input_other", **names
        )
    same_file = sha256 == recorded.sha256
    words = {
        (True, True): "input_holds",
        (False, True): "input_file",
        (True, False): "input_content",
        (False, False): "input_other",
    }[same_file, same_content]
    return said(side, "holds" if same_file and same_content else "fails", words, **names)


def _hashes(side: Side, result: model.Result, given: Mapping[Side, Given]) -> tuple[str | None, str]:
    """Return the hashes of one file, read as the run read it: with the other tables where they are all given.

    A column's kind is decided on all tables together. Where one is missing, the kinds of the result are taken.
    """
    named = {name for name in ("original", "synthetic", "holdout") if getattr(result.inputs, name) is not None}
    if named == set(given):
        partition = read_inputs(given["original"], given["synthetic"], given.get("holdout"), result.settings)
    else:
        alone = given[side]
        partition = read_inputs(alone, alone, None, _as_understood(result, side))
        side = "original"
    return _of_side(partition, side)


def _of_side(partition: Partition, side: Side) -> tuple[str | None, str]:
    table = partition.sides[side]
    return table.source.sha256, table.content_sha256 or content_sha256(table, partition.columns)


def _as_understood(result: model.Result, side: Side) -> Settings:
    """Take the kinds that the result names, and no persons, which change no content."""
    settings = result.settings
    if result.leads:
        return settings
    forced = {"numeric": settings.numeric, "categorical": settings.categorical}
    for column in result.columns:
        if column.kind in forced and settings.declared.column(column.name).means is None:
            forced[column.kind] = (*forced[column.kind], column.name)
    form = settings.declared.file(side)
    declared = settings.declared.model_copy(update={"original": form, "synthetic": form})
    unique = {kind: tuple(dict.fromkeys(names)) for kind, names in forced.items()}
    return settings.model_copy(update={**unique, "group": None, "declared": declared})
