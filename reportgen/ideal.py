"""What an ideal generator would read at the sizes of a run: null ranges, found in the run's own real rows."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.comparisons import Searcher
from reportgen.measuring import stream
from reportgen.metrics.evidence import Evidence
from reportgen.metrics.null_range import null_ranges, with_ranges
from reportgen.metrics.pseudo_tables import Sizes
from reportgen.model import Measured, Metric
from reportgen.settings import Settings

METRICS = ("distance_to_closest", "closest_distances_ratio", "closest_rate", "nndr", "nn_dist")
"""The seeds' metrics."""


def add_null_ranges(
    searcher: Searcher, evidence: Evidence, measured: Mapping[str, Metric], settings: Settings
) -> dict[str, Metric]:
    """Add null ranges to the seeds' scores; without a true holdout there are no unseen rows to learn them from.

    The nearest distances of signals are means over their leads, each in a space of its own: they get no range. Nor
    has anything where rows belong to persons: synthetic rows belong to none, and rows of persons can't stand for them.
    """
    wanted = any(isinstance(measured[key], Measured) for key in METRICS)
    encoded = searcher.encoded
    if evidence.holdout != "provided" or not wanted or len(searcher.pool.positions) < 3:
        return dict(measured)
    if encoded.persons is not None:
        return {key: _without_range(metric) if key in METRICS else metric for key, metric in measured.items()}
    sizes = Sizes(len(encoded.original), searcher.pool.rows - len(encoded.original), len(encoded.synthetic))
    lists = searcher.pool.row_lists(sizes.reach)
    asking = None if searcher.asking is None else len(searcher.original)
    ranges = searcher.pool.once(
        ("null ranges", sizes, settings.model_dump_json()),
        lambda: null_ranges(
            *(lists, sizes.synthetic, settings, stream(settings, "null range")),
            asking=asking,
            looked=searcher.pool.count_queries,
        ),
    )
    if searcher.leads is not None:
        ranges = {key: found for key, found in ranges.items() if key[0] != "nn_dist"}
    return with_ranges(measured, ranges, evidence, settings)


def _without_range(metric: Metric) -> Metric:
    """Say in a metric why its scores have no null range where rows belong to persons."""
    if not isinstance(metric, Measured):
        return metric
    return metric.model_copy(update={"notes": (*metric.notes, "no_range_for_persons")})
