"""The rules of a SARIF log: one a metric, with help from the report's own words, and one for each other finding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from reportgen.model import Measured, Result
from reportgen.render import scores
from reportgen.render.advice import how_to_read, limits
from reportgen.shown import escaped
from reportgen.verdict.level import TESTED
from reportgen.words import catalog, sentence

SarifLevel = Literal["error", "warning", "note"]
GATE = "gate."
"""How the ids of the gate's rules begin, so that they differ from those of metrics."""


def rules_of(result: Result, used: Iterable[str]) -> list[dict[str, Any]]:
    """All metrics in the order of the report, then those of the ids used by the results that are no metric's."""
    rules = [_metric_rule(key, result) for key, _ in scores.ordered_metrics(result)]
    others = dict.fromkeys(rule for rule in used if rule not in result.metrics)
    return [*rules, *(_other_rule(code) for code in others)]


def _metric_rule(key: str, result: Result) -> dict[str, Any]:
    metric = result.metrics[key]
    question = sentence(f"metric.{key}.question")
    helps = [question]
    if isinstance(metric, Measured):
        helps += [how_to_read(key, metric, result), *limits(key, result)]
    else:
        helps.append(metric.reason)
    return _rule(key, sentence(f"metric.{key}.name"), question, " ".join(helps), "error" if key in TESTED else "note")


def _other_rule(code: str) -> dict[str, Any]:
    names = catalog()["sarif"]["rule"] | catalog()["reason_name"]
    name = names.get(code, code.replace("_", " ").capitalize())
    if code.startswith(GATE):
        return _rule(code, code, sentence("sarif.gate"), sentence("sarif.help_gate"), "error")
    return _rule(code, name, sentence("sarif.other"), sentence("sarif.help"), "warning")


def _rule(key: str, name: str, description: str, helps: str, level: SarifLevel) -> dict[str, Any]:
    return {
        "id": key,
        "name": "".join(part.capitalize() for part in re.split(r"[^a-zA-Z0-9]+", key)) or "Rule",
        "shortDescription": {"text": shown_text(name)},
        "fullDescription": {"text": shown_text(description)},
        "help": {"text": shown_text(helps)},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["privacy"]},
    }


def shown_text(text: str) -> str:
    """Text that a viewer shows as it is: without placeholders, and without links that a foreign name could bring."""
    return escaped(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")
