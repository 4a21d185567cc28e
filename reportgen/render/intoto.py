"""in-toto: a Statement v1 with the test-result predicate, to be signed by whoever vouches for the run.

Its subjects are the synthetic file, the result, and the reports written in the same run, each by SHA-256: so it is
made last. A statement that is made alone has the synthetic file and the result as its subjects. `result` is PASSED for
a low verdict, WARNED where the gate is met although something argues for more, and FAILED where it is not met. What
makes no verdict or was not measured stands in no list.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from reportgen.model import InputFile, Result, digest, to_plain
from reportgen.render.checks import VERDICT, Check, Finding, checks
from reportgen.render.rendered import RenderedBy
from reportgen.shown import escaped
from reportgen.subject import in_its_words

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
RESULT = "result.json"
"""Name of the result among the subjects where no file of this run holds it alone; reports carry it under this name."""
PARSED = "reportgenContentSha256"
"""Name of the digest of a parsed table, which is all there is for a table that was handed over in memory."""


@in_its_words
def render(result: Result, rendering: RenderedBy, siblings: Mapping[str, str]) -> bytes:
    """Write the statement; `siblings` are the other files of this run, base name to SHA-256."""
    rules = checks(result).rules
    predicate = {
        "result": _result(result, rules),
        "configuration": _configuration(result, rendering),
        "passedTests": _named(rules, "passed", result),
        "warnedTests": _named(rules, "warned", result),
        "failedTests": [*_named(rules, "failed", result), *_named(rules, "error", result)],
    }
    statement = {
        "_type": STATEMENT,
        "subject": _subjects(result, siblings),
        "predicateType": PREDICATE,
        "predicate": predicate,
    }
    return (json.dumps(statement, ensure_ascii=False, indent=1) + "\n").encode()


def _subjects(result: Result, siblings: Mapping[str, str]) -> list[dict[str, Any]]:
    checksum = digest(result)
    files = dict(sorted(siblings.items()))
    if checksum not in files.values():
        files[RESULT] = checksum
    return [
        _table(result.inputs.synthetic),
        *({"name": name, "digest": {"sha256": sha256}} for name, sha256 in files.items()),
    ]


def _table(file: InputFile) -> dict[str, Any]:
    """A table by the digest of its file; of its parsed content where there is no file."""
    digests = {"sha256": file.sha256} if file.sha256 else {PARSED: file.content_sha256}
    return {"name": file.name, "digest": digests}


def _configuration(result: Result, rendering: RenderedBy) -> list[dict[str, Any]]:
    """What the run was made with: the real tables, the older result, the settings and the policy, and the program."""
    inputs, baseline, plain = result.inputs, result.baseline, to_plain(result)
    described = [
        {**_table(file), "annotations": {"role": role}}
        for role, file in (("original", inputs.original), ("holdout", inputs.holdout))
        if file is not None
    ]
    if baseline is not None:
        older = {"name": baseline.name, "digest": {"sha256": baseline.sha256}, "annotations": {"role": "baseline"}}
        described.append(older)
    return [
        *described,
        _part("settings", plain["settings"]),
        *([] if plain["policy"] is None else [_part("policy", plain["policy"])]),
        *(
            {"name": result.tool.name, "uri": f"pkg:pypi/{result.tool.name}@{version}"}
            for version in dict.fromkeys((result.tool.version, rendering.tool_version))  # measured by, rendered by
        ),
    ]


def _part(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """A part of the result file, by the digest of its JSON with sorted keys and no spaces, in UTF-8."""
    text = json.dumps(part, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digests = {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    return {"name": name, "digest": digests, "mediaType": "application/json"}


def _result(result: Result, rules: tuple[Check, ...]) -> str:
    findings = {rule.finding for rule in rules}
    if findings & {"failed", "error"}:
        return "FAILED"
    return "WARNED" if "warned" in findings or result.verdict.level != "low" else "PASSED"


def _named(rules: tuple[Check, ...], finding: Finding, result: Result) -> list[str]:
    """The names of the rules with this finding; a gate that is met above low has passed with a warning."""
    names = []
    for rule in rules:
        noted = rule.name == VERDICT and rule.finding == "passed" and result.verdict.level != "low"
        if ("warned" if noted else rule.finding) == finding:
            names.append(escaped(rule.name))
    return names
