"""Closest Distances Ratio (seed 000): the ratio of an original row's two closest distances, against the holdout's.

r = d1/d2 of each original row, 1 where d2 is 0; 100 x median r(t, S) / median r(t, H), and the same with the 2.5th
percentile ("outlier", the lower tail of the ratios). Each original row looks for its two closest synthetic and its two
closest holdout rows. Percent of the holdout, higher is better.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.distribution import ratio_histograms
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.relative import notes_on, relative_scores, repeated_copies
from reportgen.model import Measured, NotMeasuredCode
from reportgen.settings import Settings

KEY = "closest_distances_ratio"
NEEDS: tuple[Need, ...] = ("draws",)


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:
    """Compare the ratios of the original rows against both bases."""
    if not evidence.draws:
        return "too_few_rows"
    scores = relative_scores(evidence.draws, lambda found: found.ratio, "ratio", settings, random)
    if copies := repeated_copies(evidence.draws):
        scores["repeated_copies"] = copies
    shown = evidence.draws[0]
    return Measured(
        scores=scores,
        distributions=ratio_histograms(
            {"synthetic": shown.synthetic.ratio, "holdout": shown.holdout.ratio},
            dict.fromkeys(("synthetic", "holdout"), shown.persons),
        ),
        notes=notes_on(evidence, scores),
    )
