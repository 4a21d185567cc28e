"""What every result says by construction: levels that their evidence bears, and counts that fit together.

The model calls this on every result, made or read. It is no signature: whoever changes a number and all that follows
from it is not found out. But a result that was changed in one place only, such as a level set to "low", is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, get_args

from reportgen.codes import EvidenceCode

if TYPE_CHECKING:
    from reportgen.model import Result, Score

SLACK = 1e-9
"""Sums of weights differ in the last digits from the share that they add up to."""
NEEDED_FOR_LOW = ("exact_copies", "leak_test", "leak_size")
"""Without each of these measured no result is low."""
AROUND_THE_VALUE = {
    "exact_copies": ("synthetic_rows", "original_rows", "in_both"),
    "leak_size": ("excess", "anchored_original", "anchored_holdout"),
    "holdout_share": ("share", "tied"),
    "membership_inference": (
        *("auc", "tpr_at_1pct_fpr", "top_original"),
        *("isolated_auc", "isolated_tpr_at_1pct_fpr", "isolated_top_original"),
    ),
}
"""Scores whose interval holds the value, being made round it; a bootstrap's percentiles need not."""
RANGES = {"share": (-1.0, 1.0), "probability": (0.0, 1.0), "percent": (0.0, math.inf), "count": (0.0, math.inf)}
"""Where the values of a unit lie; a share may be one less another, a ratio may be a z-score."""


def in_order(score: Score) -> str | None:
    """Say what is wrong with the numbers of a score; None: nothing."""
    for low, high in ((score.low, score.high), (score.null_low, score.null_high)):
        if low is not None and high is not None and low > high + SLACK * max(1.0, abs(high)):
            return "an interval ends before it begins"
    least, most = RANGES.get(score.unit, (-math.inf, math.inf))
    numbers = (score.value, score.low, score.high, score.reference, score.null_low, score.null_high)
    if any(number is not None and not least - SLACK <= number <= most + SLACK for number in numbers):
        return f"a {score.unit} is outside of its range"
    return None


def faults(result: Result) -> Iterator[str]:
    """Say in a sentence each what cannot stand together in a result that was measured."""
    yield from _of_the_files(result)
    yield from _of_the_columns(result)
    yield from _of_the_metrics(result)
    yield from _of_the_verdict(result)
    if result.verdict.level == "low":
        yield from _against_low(result)


def _of_the_files(result: Result) -> Iterator[str]:
    inputs, holdout, unique = result.inputs, result.holdout, result.search.unique_rows
    held = None if inputs.holdout is None else inputs.holdout.rows
    if (held is None) == (holdout.kind == "provided"):
        yield "a holdout is named as a file exactly where its kind is provided"
    elif held is not None and (holdout.rows != held or holdout.overlap_rows > held):
        yield "the rows of the holdout differ from those of its file"
    if max(holdout.original_overlap_rows, 0 if held is not None else holdout.rows) > inputs.original.rows:
        yield "more original rows are told of than there are"
    for file, different in (
        (inputs.original, unique.original),
        (inputs.synthetic, unique.synthetic),
        (inputs.holdout, unique.holdout),
    ):
        if (file is None) != (different is None):
            yield "different rows are counted of a file that was not given, or not of one that was"
        if file is not None and max(different or 0, file.repeated_rows + 1, file.persons or 0) > max(file.rows, 1):
            yield "more different or repeated rows, or persons, are counted than a file has rows"
    if result.search.certified != result.search.queries:
        yield "not every search is certified, which no run leaves so"


def _of_the_columns(result: Result) -> Iterator[str]:
    inputs = result.inputs
    held = None if inputs.holdout is None else inputs.holdout.rows
    for column in result.columns:
        missing = column.missing
        if (missing.holdout is None) != (held is None):
            yield "missing values are counted of a holdout that was not given, or not of one that was"
        if (
            max(missing.original, column.distinct_original) > inputs.original.rows
            or max(missing.synthetic, column.unseen_rows) > inputs.synthetic.rows
            or (missing.holdout or 0) > (held or 0)
        ):
            yield "more values of a column are counted than its file has rows"


def _of_the_metrics(result: Result) -> Iterator[str]:
    for key, names in AROUND_THE_VALUE.items():
        scores = _scores(result, key)
        for name in names:
            score = scores.get(name)
            if score is not None and not _holds_its_value(score):
                yield f"the interval of {key}.{name} does not hold its value"
    rows, controls = result.inputs.synthetic.rows, result.controls
    if controls.memorising is not None and controls.memorising.rows > rows:
        yield "the memorising control replaced more rows than there are"
    found = controls.detectable
    if (
        found.rows is not None
        and found.share is not None
        and not _close(found.share, min(1.0, found.rows / max(rows, 1)))
    ):
        yield "the smallest leak's rows and share differ"
    for name, criterion in result.coverage:
        if criterion.assessed and criterion.code is not None:
            yield "a criterion counts as assessed with a code that says why it is not"
        if criterion.assessed and "risk" not in _scores(result, name):
            yield "a criterion counts as assessed whose attack was not measured"


def _of_the_verdict(result: Result) -> Iterator[str]:
    verdict, evidence = result.verdict, get_args(EvidenceCode)
    codes = [reason.code for reason in verdict.reasons]
    leaks = any(code in evidence for code in codes)
    if verdict.tolerance != result.settings.tolerance:
        yield "the verdict's tolerance is not that of the settings"
    excess = _scores(result, "leak_size").get("excess")
    bound = None if excess is None else excess.high
    if (bound is None) != (verdict.upper_bound is None) or (
        bound is not None and verdict.upper_bound is not None and not _close(100 * bound, verdict.upper_bound)
    ):
        yield "the verdict's upper bound is not that of the size of the leak"
    if verdict.level in {"high", "moderate"} and not leaks:
        yield f"the level is {verdict.level} without a reason that tells of a leak"
    if verdict.level == "inconclusive" and (leaks or not codes):
        yield "the level is inconclusive, but no reason says what is missing, or one tells of a leak"
    if (verdict.level == "low") != (codes == ["no_leak_found"]):
        yield "the level is low exactly where the one reason is that no leak was found"


def _against_low(result: Result) -> Iterator[str]:
    if result.holdout.kind != "provided":
        yield "the level is low without a holdout that was provided"
    for key in NEEDED_FOR_LOW:
        if not _scores(result, key):
            yield f"the level is low, but {key} was not measured"
    for metric in result.metrics.values():
        if metric.status == "not_measured":
            if metric.code == "failed":
                yield "the level is low, but a metric failed"
        elif metric.verdict == "inconclusive" and "not_trusted" in metric.notes:
            continue  # an attack that does no better than guessing argues for nothing
        elif metric.verdict not in {"low", "context"}:
            yield "the level is low, but a metric argues for another"
    yield from _scores_against_low(result)
    yield from _preconditions_of_low(result)


def _scores_against_low(result: Result) -> Iterator[str]:
    """What the scores themselves say against a low level, by the limits in the settings."""
    limits, tolerance = result.settings.thresholds, result.settings.tolerance / 100
    for key, name, limit in (
        ("leak_test", "p_value", limits.leak_test),
        ("leak_test", "p_mirrored", limits.swapped_roles),
        ("closer_than_people", "p_value", limits.closer_than_people),
    ):
        score = _scores(result, key).get(name)
        if score is None and key in NEEDED_FOR_LOW:
            yield f"the level is low, but there is no {key}.{name}"
        elif score is not None and score.value <= limit:
            yield f"the level is low, but {key}.{name} is significant"
    excess, share = _scores(result, "leak_size").get("excess"), result.controls.detectable.share
    if excess is None or excess.high is None or excess.high > tolerance:
        yield "the level is low, but the leak's upper bound is not within the tolerance"
    if share is None or share > limits.smallest_leak * tolerance:
        yield "the level is low, but the smallest leak that would be noticed is not small enough"


def _preconditions_of_low(result: Result) -> Iterator[str]:
    limits, holdout, inputs = result.settings.thresholds, result.holdout, result.inputs
    overlap = 1.0 if holdout.overlap_p_value is None else holdout.overlap_p_value
    if holdout.shared_persons or (holdout.overlap_rows and overlap <= limits.leaky_holdout):
        yield "the level is low, but the holdout shares rows or persons with the original"
    if holdout.rows_p_value is not None and holdout.rows_p_value <= limits.leaky_holdout:
        yield "the level is low, but persons of original and holdout differ"
    copies = _scores(result, "exact_copies").get("synthetic_rows")
    if copies is not None and (copies.reference or 0.0) > limits.same_as_holdout / 100 + SLACK:
        yield "the level is low, but the holdout is the synthetic table"
    supported = _scores(result, "holdout_share").get("supported")
    if supported is not None and supported.value < limits.disjoint_supports / 100:
        yield "the level is low, but synthetic rows lie where no real rows do"
    files = [file for file in (inputs.original, inputs.holdout) if file is not None]
    if min(inputs.synthetic.rows, *(file.persons or file.rows for file in files)) < limits.fewest_rows:
        yield "the level is low, but a table has too few rows"


def _scores(result: Result, metric: str) -> Mapping[str, Score]:
    outcome = result.metrics.get(metric)
    return outcome.scores if outcome is not None and outcome.status == "measured" else {}


def _holds_its_value(score: Score) -> bool:
    slack = SLACK * max(1.0, abs(score.value))
    low, high = (score.value if end is None else end for end in (score.low, score.high))
    return low - slack <= score.value <= high + slack


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=SLACK, abs_tol=SLACK)
