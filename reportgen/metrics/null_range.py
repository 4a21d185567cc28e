"""Null ranges: what a generator without a leak would read at these sizes, from the real rows alone.

The original and holdout rows together are split at random into pseudo original, holdout and synthetic rows, 200 times,
and the seeds' scores are computed on each split. As no row of a split was used to make another, the scores show chance
alone. With b = min(n_H, m) and λ = N/(n_T + 2b) a split has the sizes n_T λ, b λ and b λ; deviations are scaled by √λ
to the sizes of this run, and by 1.15 because the splits share their rows. The range holds 95 of 100 ideal runs or a few
more. All splits are read off one list of each real row's closest others, by row id; where a list is too short for a
split, it is made longer, so that every distance is that of the true neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from reportgen.distances import Floats, RealLists
from reportgen.metrics.closest_rate import at_risk
from reportgen.metrics.evidence import Evidence
from reportgen.metrics.pseudo_tables import HOLDOUT, ORIGINAL, SYNTHETIC, Labels, Nearest, Sizes, blocks_of, splits
from reportgen.metrics.quantiles import medians, quantiles
from reportgen.model import Measured, Metric, NoteCode, Score
from reportgen.settings import Settings
from reportgen.spread import Load, spread
from reportgen.verdict.families import SPLITS

SHARED_ROWS = 1.15
"""The splits are made of the same real rows, so they differ less than fresh samples do."""
FEWEST_ROWS = 20
"""Smaller pseudo tables tell nothing of a 2.5th percentile."""
TAILS: tuple[tuple[float, Literal["lower", "higher"]], ...] = ((0.025, "lower"), (0.975, "higher"))

_ENTRY = 10
"""Nanoseconds that an entry of a list takes in a split."""

QUOTIENTS = frozenset(
    (key, score)
    for key, scores in (
        ("distance_to_closest", ("median", "outlier")),
        ("closest_distances_ratio", ("median", "outlier")),
        ("nndr", ("p5", "median")),
    )
    for score in scores
)
"""Scores that have no range where rows share the value 0: in one of forty splits the percentile is 0 as well."""

Around = Literal["factor", "difference", "share", "itself"]


@dataclass(frozen=True)
class NullRange:
    """The range of one score: a factor of the score's reference, a difference from it, or the range itself.

    `share`: a difference from a share, which stays between 0 and 1.
    """

    low: float
    high: float
    around: Around

    def of(self, reference: float | None) -> tuple[float, float] | None:
        """The range of a score with this reference; None where it needs one that is missing or 0."""
        if self.around == "itself":
            return self.low, self.high
        if reference is None or (self.around == "factor" and reference <= 0):
            return None
        if self.around == "factor":
            return reference * self.low, reference * self.high
        low, high = reference + self.low, reference + self.high
        return (max(0.0, low), min(1.0, high)) if self.around == "share" else (low, high)


Ranges = Mapping[tuple[str, str], NullRange]
"""By metric and score."""


def null_ranges(
    lists: RealLists,
    synthetic: int,
    settings: Settings,
    random: np.random.Generator,
    *,
    asking: int | None = None,
    looked: Callable[[int], None] = lambda _: None,
) -> dict[tuple[str, str], NullRange]:
    """Compute the null range of every seed score that has one; empty where the tables are too small to be split.

    `synthetic`: m. A score that is 0 or infinite in one of forty splits has no range. `asking`: how many original rows
    look for neighbours in the run, None where all do; those of the splits are the real rows that have a list. `looked`
    is called with how many longer lists were looked for.
    """
    sizes = Sizes(lists.originals, lists.total - lists.originals, synthetic)
    if min(sizes.pseudo) * len(lists.distances) < FEWEST_ROWS * lists.total:
        return {}
    entries, number = lists.ids.size, blocks_of(sizes, SPLITS)
    travelling = 16 * entries + SPLITS * lists.total + lists.longer_bytes
    load = Load("permutations", _ENTRY * SPLITS * entries, travelling, number)
    drawn_splits = ((labels,) for labels in splits(sizes, SPLITS, random, lists.rows))
    with spread(load) as each:
        answers = each(_statistics, drawn_splits, lists, _levels(settings), number=number)
        blocks, longer = zip(*answers, strict=True)
    looked(sum(longer))
    values = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    rows = sizes.original if asking is None else asking
    # Deviations shrink with the root of the rows that look, of which a split has fewer than the run.
    drawn = 1.0 if asking is None else len(lists.distances) / lists.total * sizes.original / asking
    return _ranges(values, sizes, rows, math.sqrt(sizes.scale * drawn) * SHARED_ROWS)


def with_ranges(
    outcomes: Mapping[str, Metric], ranges: Ranges, evidence: Evidence, settings: Settings
) -> dict[str, Metric]:
    """Write the ranges into the scores that have one; a score whose percentile several rows share says so instead."""
    if not ranges:
        return dict(outcomes)
    shared = _shared(evidence, settings) | {place for place in QUOTIENTS if place not in ranges}
    written: dict[str, Metric] = {}
    for key, metric in outcomes.items():
        written[key] = metric
        if isinstance(metric, Measured):
            scores = {
                name: _with_range(score, ranges.get((key, name)), ties=(key, name) in shared)
                for name, score in metric.scores.items()
            }
            notes: tuple[NoteCode, ...] = ("ties",) if any(score.note == "ties" for score in scores.values()) else ()
            written[key] = metric.model_copy(update={"scores": scores, "notes": (*metric.notes, *notes)})
    return written


def _with_range(score: Score, found: NullRange | None, *, ties: bool) -> Score:
    if score.note is not None:  # a reference of 0 compares nothing
        return score
    if ties:
        return score.model_copy(update={"note": "ties"})
    ends = None if found is None else found.of(score.reference)
    return score if ends is None else score.model_copy(update={"null_low": ends[0], "null_high": ends[1]})


def _shared(evidence: Evidence, settings: Settings) -> frozenset[tuple[str, str]]:
    """Name the scores at whose percentile real rows have one value several times: they move in steps, or not at all."""
    tail, rate, _ = _levels(settings)
    found = set()
    for draw in evidence.draws:
        for key, values in (
            ("distance_to_closest", draw.holdout.first),
            ("closest_distances_ratio", draw.holdout.ratio),
        ):
            if is_shared(values, tail):
                found |= {(key, "outlier"), (key, "tail_share")}
            if is_shared(values, 0.5):
                found |= {(key, "median"), (key, "isolated")}
            if is_shared(values, rate):
                found.add(("closest_rate", "rate"))
    among = evidence.searches.get("original_to_original")
    if among is not None and is_shared(among.first, 0.5):
        found.add(("nn_dist", "authenticity"))
    return frozenset(found)


def is_shared(values: Floats, level: float) -> bool:
    """Whether the quantile of values, shape (rows,), is one value that several rows have.

    Several: more than half of the sd of a quantile's rank, √(n level (1 - level)). Then the quantile moves in steps
    that chance often takes as a whole. Two rows that are each other's closest share a distance in any data.
    """
    low, high = (float(np.quantile(values, level, method=how)) for _, how in TAILS)
    several = max(1.0, 0.5 * math.sqrt(len(values) * level * (1 - level)))
    return low == high and int((values == low).sum()) > several


class Levels(NamedTuple):
    """What the statistics need of the settings: shares of the distances, and the limit of a ratio."""

    tail: float
    rate: float
    nndr: float


def _levels(settings: Settings) -> Levels:
    return Levels(settings.tail_percentile / 100, settings.closest_rate_percentile / 100, settings.nndr_threshold)


def _statistics(lists: RealLists, limits: Levels, labels: Labels) -> tuple[dict[str, Floats], int]:
    """The statistics of the seeds' scores on each split of a block, shape (splits,) each; lists that were longer."""
    nearest = Nearest(labels, lists)
    (to_synthetic, second_synthetic), (to_holdout, second_holdout) = (
        nearest.two(ORIGINAL, base) for base in (SYNTHETIC, HOLDOUT)
    )
    ratio, ratio_holdout = _ratio(to_synthetic, second_synthetic), _ratio(to_holdout, second_holdout)
    levels = (0.5, limits.tail)
    found: dict[str, Floats] = {}
    alone = nearest.isolated()
    for key, made, held in (
        ("distance_to_closest", to_synthetic, to_holdout),
        ("closest_distances_ratio", ratio, ratio_holdout),
    ):
        (median, outlier), (median_held, outlier_held) = (quantiles(one, levels) for one in (made, held))
        found[f"{key}/median"] = _log_quotient(median, median_held)
        found[f"{key}/outlier"] = _log_quotient(outlier, outlier_held)
        found[f"{key}/tail_share"] = (made <= outlier_held[:, np.newaxis]).mean(axis=1)
        if alone is not None:
            found[f"{key}/isolated"] = _log_quotient(
                *(medians(np.take_along_axis(one, alone, axis=1)) for one in (made, held))
            )
    risk, *_ = at_risk((to_synthetic, ratio, to_holdout, ratio_holdout), limits.rate)
    found["closest_rate/rate"] = 100 * (1 - risk / to_synthetic.shape[1])

    of_synthetic, of_real, of_holdout = (nearest.two(table, ORIGINAL) for table in (SYNTHETIC, ORIGINAL, HOLDOUT))
    ratios = [_ratio(*one) for one in (of_synthetic, of_real, of_holdout)]
    (p5, median), (real_p5, real_median) = (quantiles(one, (0.05, 0.5)) for one in ratios[:2])
    share, real_share, held_share = ((one < limits.nndr).mean(axis=1) for one in ratios)
    found["nndr/p5"] = _log_quotient(p5, real_p5)
    found["nndr/median"] = _log_quotient(median, real_median)
    found["nndr/share_below"] = found["nndr/excess"] = share - real_share
    found["nndr/excess_over_holdout"] = share - held_share
    found["nn_dist/score"] = _log_quotient(to_synthetic.mean(axis=1), of_real[0].mean(axis=1))
    tau = medians(of_real[0])[:, np.newaxis]
    found["nn_dist/authenticity"] = (of_synthetic[0] > tau).mean(axis=1)
    return found, nearest.looked


def _ranges(values: Mapping[str, Floats], sizes: Sizes, rows: int, scale: float) -> dict[tuple[str, str], NullRange]:
    """Multiply the deviations of the splits by `scale`; `rows` is the number of original rows that look."""
    found = {}
    for name, splits_values in values.items():
        key, _, score = name.partition("/")
        if (key, score) == ("nn_dist", "score") and not sizes.original == sizes.base == sizes.synthetic:
            continue  # its two bases differ in size, and so do the distances to them
        ends = [float(np.quantile(splits_values, level, method=how)) for level, how in TAILS]
        if not all(map(math.isfinite, ends)):
            continue
        low, high = np.quantile(splits_values.clip(ends[0], ends[1]), (0.025, 0.975)).tolist()
        if score in {"rate", "tail_share", "authenticity"}:
            full = 100.0 if score == "rate" else 1.0
            middle, step = float(np.median(splits_values)), full / 2 / rows
            low, high = middle + (low - middle) * scale - step, middle + (high - middle) * scale + step
            found[key, score] = NullRange(max(0.0, low), min(full, high), "itself")
        elif key == "nndr" and score not in {"p5", "median"}:
            around: Around = "share" if score == "share_below" else "difference"
            found[key, score] = NullRange(low * scale, high * scale, around)
        else:
            found[key, score] = NullRange(math.exp(low * scale), math.exp(high * scale), "factor")
    return found


def _ratio(first: Floats, second: Floats) -> Floats:
    ratio: Floats = np.divide(first, second, out=np.ones_like(first), where=second > 0)
    return ratio


def _log_quotient(value: Floats, reference: Floats) -> Floats:
    """Logarithm of value/reference; infinite where one of them is 0, so that no range is made of it."""
    known = (value > 0) & (reference > 0)
    logs = np.where(reference > 0, -np.inf, np.inf)
    logs[known] = np.log(value[known] / reference[known])
    return logs
