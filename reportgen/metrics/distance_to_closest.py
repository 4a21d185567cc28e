"""Distance To Closest: how near original rows are to synthetic rows, against rows the generator never saw.

The seeds name this metric without a formula; this is ours, in the form of seed 000: 100 x median d1(t, S) /
median d1(t, H), and the same with the 2.5th percentile ("outlier"). Each original row looks for its closest synthetic
and its closest holdout row. Percent of the holdout, higher is better.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.distribution import distance_histograms
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.relative import notes_on, relative_scores, repeated_copies
from reportgen.model import Measured, NotMeasuredCode
from reportgen.settings import Settings

KEY = "distance_to_closest"
NEEDS: tuple[Need, ...] = ("draws",)


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:
    """Compare the closest distances of the original rows against both bases."""
    if not evidence.draws:
        return "too_few_rows"
    scores = relative_scores(evidence.draws, lambda found: found.first, "distance", settings, random)
    if copies := repeated_copies(evidence.draws):
        scores["repeated_copies"] = copies
    shown = evidence.draws[0]
    return Measured(
        scores=scores,
        distributions=distance_histograms(
            {"synthetic": shown.synthetic.first, "holdout": shown.holdout.first},
            dict.fromkeys(("synthetic", "holdout"), shown.persons),
        ),
        notes=notes_on(evidence, scores),
    )
