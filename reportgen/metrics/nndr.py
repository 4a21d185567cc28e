"""Nearest-neighbour distance ratio (seed 004): does a synthetic row sit on one original row and far from the next?

r = d1/d2 of each synthetic row among the original rows: 5th percentile, median, number and share below the threshold
(0.5). Beside it the same for original rows among themselves (a row is never its own neighbour) and, with a true
holdout, for holdout rows among the original rows. The excess is the share minus the baseline's: real rows sit on each
other too. Each synthetic row looks for its two closest original rows; with persons
(`--group`) d2 is to another person than d1. Higher ratios and a lower excess are better.
"""

from __future__ import annotations

import numpy as np

from reportgen.distances import Floats
from reportgen.metrics.bootstrap import unpaired_intervals
from reportgen.metrics.distribution import ratio_histograms
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.quantiles import quantiles
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.settings import Settings

KEY = "nndr"
NEEDS: tuple[Need, ...] = ("synthetic_to_original", "original_to_original", "holdout_to_original")


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:
    """Compare the ratios of the synthetic rows with those of real rows, all among the original rows."""
    found = evidence.searches
    if "synthetic_to_original" not in found or "original_to_original" not in found:
        return "too_few_rows"
    synthetic, original = found["synthetic_to_original"].ratio, found["original_to_original"].ratio
    held = found["holdout_to_original"].ratio if "holdout_to_original" in found else None
    threshold = settings.nndr_threshold

    def share_below(rows: Floats) -> Floats:
        below: Floats = (rows < threshold).mean(axis=-1)
        return below

    def statistics(rows: Floats) -> Floats:
        return np.stack([*quantiles(rows, (0.05, 0.5)), share_below(rows)])

    def of_synthetic(made: Floats, real: Floats) -> Floats:
        """The statistics of the synthetic rows, and their share below the threshold minus that of the real rows."""
        return np.stack([*statistics(made), share_below(made) - share_below(real)])

    def of_holdout(made: Floats, real: Floats) -> Floats:
        """The statistics of the real rows, and the same difference of shares."""
        return np.stack([*statistics(real), share_below(made) - share_below(real)])

    (p5, median, share), (base_p5, base_median, base_share) = statistics(synthetic), statistics(original)
    persons = {"original": evidence.original_persons, "holdout": evidence.holdout_persons}
    ranges = unpaired_intervals(
        synthetic, original, of_synthetic, settings.resamples, random, (None, persons["original"])
    )
    below, base_below = (float((rows < threshold).sum()) for rows in (synthetic, original))
    scores = {
        "p5": _score(p5, ranges[0], base_p5, "ratio", "higher"),
        "median": _score(median, ranges[1], base_median, "ratio", "higher"),
        "below_threshold": Score(
            value=below,
            low=ranges[2][0] * len(synthetic),
            high=ranges[2][1] * len(synthetic),
            reference=base_below,
            unit="count",
            better="lower",
        ),
        "share_below": _score(share, ranges[2], base_share, "share", "lower"),
        "excess": _score(share - base_share, ranges[3], 0.0, "share", "lower"),
    }
    series = {"synthetic": synthetic, "original": original}
    if held is not None:
        held_p5, held_median, held_share = statistics(held)
        over = unpaired_intervals(synthetic, held, of_holdout, settings.resamples, random, (None, persons["holdout"]))
        scores["holdout_p5"] = _score(held_p5, over[0], base_p5, "ratio", "context")
        scores["holdout_median"] = _score(held_median, over[1], base_median, "ratio", "context")
        scores["holdout_share_below"] = _score(held_share, over[2], base_share, "share", "context")
        scores["excess_over_holdout"] = _score(share - held_share, over[3], 0.0, "share", "lower")
        series["holdout"] = held
    return Measured(scores=scores, distributions=ratio_histograms(series, persons))


def _score(value: float, interval: tuple[float, float], reference: float, unit: str, better: str) -> Score:
    low, high = interval
    return Score.model_validate(
        {"value": value, "low": low, "high": high, "reference": reference, "unit": unit, "better": better}
    )
