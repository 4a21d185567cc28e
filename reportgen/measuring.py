"""Running the metrics: which are selected, what they need, and what stands for one that has no value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen import metrics
from reportgen.errors import EnvironmentLacking, raised_at
from reportgen.metrics import nn_dist
from reportgen.metrics.evidence import Evidence, Need
from reportgen.model import Measured, Metric, NotMeasured, NotMeasuredCode
from reportgen.read.partition import Partition
from reportgen.settings import METRIC_KEYS, Settings
from reportgen.words import sentence

Progress = Callable[[str, int, int], None]
"""Called with the stage's name, what is done of it and how much there is."""


def silent(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def needed(settings: Settings, *, signals: bool = False) -> frozenset[Need]:
    """Name what the selected metrics need; of signals, nn_dist needs the leads and nothing of all leads together."""
    selected = [metric for metric in metrics.ALL if _selected(metric.KEY, settings)]
    by_lead = signals and nn_dist in selected
    joint = [metric for metric in selected if not (by_lead and metric is nn_dist)]
    needs: set[Need] = {need for metric in joint for need in metric.NEEDS}
    return frozenset(needs | {"leads"} if by_lead else needs)


def _selected(key: str, settings: Settings) -> bool:
    return not settings.metric or key in settings.metric


def measure(evidence: Evidence, settings: Settings, progress: Progress) -> dict[str, Metric]:
    """Run every selected metric; the others keep their place with the reason."""
    outcomes: dict[str, Metric] = {key: no_value("not_in_this_version") for key in METRIC_KEYS}
    for done, metric in enumerate(metrics.ALL):
        progress("measure", done, len(metrics.ALL))
        if not _selected(metric.KEY, settings):
            outcomes[metric.KEY] = no_value("not_selected")
            continue
        try:
            outcome = metric.measure(evidence, settings, stream(settings, metric.KEY))
        except EnvironmentLacking:  # no fault of the metric: workers are gone, or the disk is full
            raise
        except Exception as error:  # noqa: BLE001 -- one fault must not take the other metrics with it; the gate fails
            # never the error's text: it may hold a value
            outcomes[metric.KEY] = no_value("failed", fault=type(error).__name__, where=raised_at(error))
        else:
            outcomes[metric.KEY] = outcome if isinstance(outcome, Measured) else no_value(outcome)
    return outcomes


def unmeasurable(partition: Partition) -> dict[str, Metric]:
    """Give every metric its place where no column is left to measure on: of one record, no feature varies."""
    known = {metric.KEY for metric in metrics.ALL}
    code: NotMeasuredCode = "no_columns"
    if partition.leads:
        code = "flat_leads" if len(partition.original.frame) > 1 else "too_few_rows"
    return {key: no_value(code if key in known else "not_in_this_version") for key in METRIC_KEYS}


def no_value(code: NotMeasuredCode, **numbers: str) -> NotMeasured:
    """Say why a metric has no value."""
    return NotMeasured(code=code, reason=sentence(f"not_measured.{code}", **numbers))


def stream(settings: Settings, purpose: str) -> np.random.Generator:
    """Give each purpose a stream of its own, so that leaving one out changes no other."""
    return np.random.default_rng([settings.seed, *purpose.encode()])
