"""JUnit XML: a testcase a rule, so that the test view of a build server shows the gate and every metric.

What argues for a level that the gate does not fail on, what makes no verdict and what was not measured is `skipped`
with the reason: a green tick stands only beside a rule that was tested and found nothing. The form is that of the
schema of Apache Ant's JUnit task, which Jenkins, GitLab and the reporters for GitHub read.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from reportgen.model import Result
from reportgen.render.checks import Check, Finding, checks, waiver_lines
from reportgen.render.rendered import RenderedBy
from reportgen.render.terminal import render_terminal
from reportgen.shown import escaped
from reportgen.subject import in_its_words
from reportgen.words import sentence

TAGS: dict[Finding, str] = {"failed": "failure", "error": "error", "warned": "skipped", "skipped": "skipped"}
NO_TIME = "0"
"""Seconds; the schema asks for a duration, and one would differ from run to run."""


@in_its_words
def render(result: Result, rendering: RenderedBy) -> bytes:
    """Write the rules as one suite."""
    found = checks(result)
    rules = found.rules
    root = ET.Element("testsuites")
    counts = {tag: sum(TAGS.get(rule.finding) == tag for rule in rules) for tag in ("failure", "error", "skipped")}
    suite = ET.SubElement(
        root,
        "testsuite",
        name=escaped(result.title).strip() or "reportgen",
        package="reportgen",
        id="0",
        timestamp=result.created.removesuffix("Z"),
        hostname="localhost",  # what the schema asks for where none is known; the machine must not enter a report
        tests=str(len(rules)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=NO_TIME,
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(result, rendering):
        ET.SubElement(properties, "property", name=name, value=escaped(value))
    for rule in rules:
        _testcase(suite, rule)
    summary = (*render_terminal(result).splitlines(), *waiver_lines(found.gate))
    ET.SubElement(suite, "system-out").text = _lines(summary)
    ET.SubElement(suite, "system-err").text = ""
    ET.indent(root, " ")
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _testcase(suite: ET.Element, rule: Check) -> None:
    case = ET.SubElement(suite, "testcase", name=escaped(rule.name), classname=f"reportgen.{rule.group}", time=NO_TIME)
    tag = TAGS.get(rule.finding)
    if tag is None:
        return
    outcome = ET.SubElement(case, tag, message=escaped(rule.message))
    if tag != "skipped":
        outcome.set("type", f"reportgen.{rule.group}")
    # Viewers show the attribute or the text, seldom both: the text says everything.
    outcome.text = _lines((rule.message, *rule.details))


def _lines(lines: Sequence[str]) -> str:
    """Join lines of text, each free of what XML can't hold."""
    return "\n".join(escaped(line) for line in lines)


def _properties(result: Result, rendering: RenderedBy) -> list[tuple[str, str]]:
    inputs = result.inputs
    found = [
        ("verdict", sentence(f"verdict.level.{result.verdict.level}")),
        ("tolerance_percent", f"{result.verdict.tolerance:g}"),
        ("fail_on", result.settings.fail_on),
        ("measured_by", f"{result.tool.name} {result.tool.version}"),
        ("rendered_by", f"{result.tool.name} {rendering.tool_version}"),
    ]
    for side, file in (("original", inputs.original), ("synthetic", inputs.synthetic), ("holdout", inputs.holdout)):
        if file is not None:
            found += [(side, file.name), (f"{side}_rows", str(file.rows))]
            found += [(f"{side}_sha256", file.sha256)] if file.sha256 else []
            found.append((f"{side}_content_sha256", file.content_sha256))
    return found
