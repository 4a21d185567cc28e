"""OpenMetrics: the verdict, the rules and every score as gauges, for dashboards and alerts.

Every family is a gauge, and a unit stands in its name only where all of its values share one. So the file is read as
OpenMetrics and, the same bytes, as Prometheus' older text format, which knows neither state sets nor infos: that is
what node_exporter's textfile collector and the Pushgateway take. There are no timestamps, because those refuse them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from reportgen.model import LEVELS, InputFile, Measured, Result, Score, digest
from reportgen.render import scores
from reportgen.render.checks import checks
from reportgen.render.rendered import RenderedBy
from reportgen.shown import escaped
from reportgen.subject import in_its_words
from reportgen.words import sentence

Labels = dict[str, str]
Sample = tuple[Labels, float]
UNITS = ("seconds", "ratio")
ENDS: dict[str, Callable[[Score], float | None]] = {
    "": lambda score: score.value,
    "_low": lambda score: score.low,
    "_high": lambda score: score.high,
    "_reference": lambda score: score.reference,
    "_null_low": lambda score: score.null_low,
    "_null_high": lambda score: score.null_high,
}
"""What is said of a score, by the suffix of its family."""


@in_its_words
def render(result: Result, rendering: RenderedBy) -> bytes:  # noqa: ARG001 -- every format is called alike
    """Write the exposition, `# EOF` at its end."""
    lines: list[str] = []
    for name, samples in (*_verdict(result), *_inputs(result), *_scores(result)):
        if samples:
            lines += _family(name, samples)
    return "\n".join((*lines, "# EOF", "")).encode()


def _verdict(result: Result) -> Iterable[tuple[str, Sequence[Sample]]]:
    verdict, detectable = result.verdict, result.controls.detectable
    yield "verdict", [({"level": level}, float(level == verdict.level)) for level in LEVELS]
    yield "verdict_level", [({}, float(LEVELS.index(verdict.level)))]
    found = checks(result)
    yield "gate_met", [({}, float(found.gate.met))]
    rules = [one for one in found.rules if one.finding != "skipped"]
    failed = {"failed", "error"}
    yield "rule_failed", [({"group": one.group, "rule": one.name}, float(one.finding in failed)) for one in rules]
    yield "rule_waived", [({"rule": one.rule}, float(one.waived is not None)) for one in found.gate.outcomes]
    waivers = found.gate.policy.waivers
    yield (
        "waiver_until_seconds",
        [({"rule": one.rule}, _seconds(f"{one.until.isoformat()}T00:00:00Z")) for one in waivers],
    )
    yield "tolerance_ratio", [({}, verdict.tolerance / 100)]
    yield "upper_bound_ratio", [] if verdict.upper_bound is None else [({}, verdict.upper_bound / 100)]
    yield "smallest_leak_ratio", [] if detectable.share is None else [({}, detectable.share)]


def _inputs(result: Result) -> Iterable[tuple[str, Sequence[Sample]]]:
    inputs = result.inputs
    tables: dict[str, InputFile | None] = {
        "original": inputs.original,
        "synthetic": inputs.synthetic,
        "holdout": inputs.holdout,
    }
    there = {side: file for side, file in tables.items() if file is not None}
    labels = {"title": result.title, "version": result.tool.version, "result_sha256": digest(result)}
    labels |= {side: file.name for side, file in there.items()}
    yield "assessment_info", [(labels, 1.0)]
    yield "assessment_time_seconds", [({}, _seconds(result.created))]
    yield "rows", [({"table": side}, float(file.rows)) for side, file in there.items()]


def _seconds(created: str) -> float:
    return datetime.fromisoformat(created).timestamp()


def _scores(result: Result) -> Iterable[tuple[str, Sequence[Sample]]]:
    metrics = scores.ordered_metrics(result)
    yield "metric_measured", [({"metric": key}, float(isinstance(metric, Measured))) for key, metric in metrics]
    argued = [(key, metric.verdict) for key, metric in metrics if isinstance(metric, Measured)]
    yield "metric_verdict_level", [({"metric": key}, float(LEVELS.index(one))) for key, one in argued if one in LEVELS]
    named = [
        ({"metric": key, "score": name}, score)
        for key, metric in metrics
        if isinstance(metric, Measured)
        for name, score in scores.ordered_scores(key, metric.scores)
    ]
    for suffix, end in ENDS.items():
        values = [(labels, end(score)) for labels, score in named]
        yield f"score{suffix}", [(labels, value) for labels, value in values if value is not None]


def _family(name: str, samples: Sequence[Sample]) -> list[str]:
    """One family: its type, unit and help, and a line a sample."""
    full = f"reportgen_{name}"
    unit = next((unit for unit in UNITS if name.endswith(f"_{unit}")), "")
    return [
        f"# TYPE {full} gauge",
        *([f"# UNIT {full} {unit}"] if unit else []),
        f"# HELP {full} {sentence(f'openmetrics.{name}')}",
        *(f"{full}{_labels(labels)} {value!r}" for labels, value in samples),
    ]


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    """Escape a label's value; what shows nothing becomes visible, and no two texts become one.

    Backslashes are doubled first, so that an escaped line break differs from the two signs that write it.
    """
    visible = escaped(text.replace("\\", "\\\\"))
    return visible.replace("\\", "\\\\").replace('"', '\\"')
