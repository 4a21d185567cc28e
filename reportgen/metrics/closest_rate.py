"""Closest Rate (seed 001): original rows without a synthetic row that is both too close and too distinct.

tau_d and tau_r are the 5th percentiles (midpoint) of d1(t, H) and r(t, H). A row is at risk when d1(t, S) <= tau_d and
r(t, S) <= tau_r; the rate is 100 x (1 - share at risk). Beside it the holdout's own rate, by the same thresholds. Each
original row looks for its two closest synthetic rows. Percent of original rows, higher is better.
"""

from __future__ import annotations

import numpy as np

from reportgen.distances import Floats
from reportgen.metrics.bootstrap import intervals
from reportgen.metrics.distribution import distance_ratio_cells
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.quantiles import quantiles
from reportgen.metrics.relative import notes_on
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.settings import Settings

KEY = "closest_rate"
NEEDS: tuple[Need, ...] = ("draws",)


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:
    """Count the original rows at or below both thresholds."""
    if not evidence.draws:
        return "too_few_rows"
    level = settings.closest_rate_percentile / 100
    series = [
        (draw.synthetic.first, draw.synthetic.ratio, draw.holdout.first, draw.holdout.ratio) for draw in evidence.draws
    ]
    found = np.array([at_risk(tuple(one[np.newaxis] for one in draw), level) for draw in series])[:, :, 0]
    rows = len(series[0][0])
    risk, risk_holdout, distance_threshold, ratio_threshold = np.median(found, axis=0).tolist()

    def statistics(draw: tuple[Floats, ...]) -> Floats:
        risk, _, tau_d, tau_r = at_risk(draw, level)
        drawn = draw[0].shape[1]  # persons that were drawn may have more or fewer rows than there are
        return np.stack((100 * (1 - risk / drawn), risk * rows / drawn, tau_d, tau_r))

    (low, high), counts, distances, ratios = intervals(
        series, statistics, settings.resamples, random, [draw.persons for draw in evidence.draws]
    )
    scores = {
        "rate": Score(
            value=100 * (1 - risk / rows),
            low=low,
            high=high,
            reference=100 * (1 - risk_holdout / rows),
            unit="percent",
            better="higher",
        ),
        "at_risk": Score(
            value=risk, low=counts[0], high=counts[1], reference=risk_holdout, unit="count", better="lower"
        ),
        "distance_threshold": Score(
            value=distance_threshold, low=distances[0], high=distances[1], unit="distance", better="context"
        ),
        "ratio_threshold": Score(value=ratio_threshold, low=ratios[0], high=ratios[1], unit="ratio", better="context"),
    }
    first = series[0]
    return Measured(
        scores=scores,
        joint=distance_ratio_cells(
            {"synthetic": first[0], "holdout": first[2]},
            {"synthetic": first[1], "holdout": first[3]},
            dict.fromkeys(("synthetic", "holdout"), evidence.draws[0].persons),
        ),
        notes=notes_on(evidence, scores),
    )


def at_risk(series: tuple[Floats, ...], level: float) -> Floats:
    """Rows at risk against the synthetic rows and against the holdout, and both thresholds; shape (4, resamples).

    `series`: d1(t, S), r(t, S), d1(t, H), r(t, H), each shape (resamples, rows). Ties with a threshold count (<=).
    """
    distance, ratio, distance_holdout, ratio_holdout = series
    tau_d, tau_r = (quantiles(one, [level], "midpoint").T for one in (distance_holdout, ratio_holdout))
    return np.stack(
        [
            ((distance <= tau_d) & (ratio <= tau_r)).sum(axis=1),
            ((distance_holdout <= tau_d) & (ratio_holdout <= tau_r)).sum(axis=1),
            tau_d[:, 0],
            tau_r[:, 0],
        ]
    ).astype(np.float64)
