"""nn_dist and authenticity (seed 002): how close are original rows to synthetic rows, and how many of those are new?

Score: the mean over original rows of the distance to the closest synthetic row; beside it the same among the original
rows (a row is never its own neighbour). Threshold tau: the median distance of original rows to their closest other
original row. Authenticity: the share of synthetic rows farther than tau from every original row; beside it the
holdout's. Neither direction is plainly better: a score far below the real rows' own means copies, far above it means
synthetic rows that are unlike the real ones, and a few copies move neither. So both are context.
"""

from __future__ import annotations

import numpy as np

from reportgen.distances import Floats
from reportgen.metrics.bootstrap import unpaired_intervals
from reportgen.metrics.distribution import distance_histograms
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.nn_dist_leads import measure_leads
from reportgen.metrics.quantiles import medians
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.settings import Settings

KEY = "nn_dist"
NEEDS: tuple[Need, ...] = (
    "original_to_synthetic",
    "original_to_original",
    "synthetic_to_original",
    "holdout_to_original",
)


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:
    """Compare the closest distances of original rows to synthetic rows with those among themselves.

    Signals are compared lead by lead.
    """
    if evidence.leads is not None:
        return measure_leads(evidence.leads, settings, random)
    found = evidence.searches
    if not {"original_to_synthetic", "original_to_original", "synthetic_to_original"} <= set(found):
        return "too_few_rows"
    to_synthetic = found["original_to_synthetic"].first
    among_real = found["original_to_original"].first
    of_synthetic = found["synthetic_to_original"].first
    held = found["holdout_to_original"].first if "holdout_to_original" in found else None
    tau = float(np.median(among_real))

    def new_share(synthetic: Floats, real: Floats) -> Floats:
        taus = medians(real)
        return np.stack(((synthetic > taus[..., np.newaxis]).mean(axis=-1), taus))

    ((low, high),) = unpaired_intervals(
        to_synthetic,
        among_real[:1],
        lambda rows, _: rows.mean(axis=-1)[np.newaxis],
        settings.resamples,
        random,
        (evidence.original_persons, None),
    )
    (new_low, new_high), (tau_low, tau_high) = unpaired_intervals(
        of_synthetic, among_real, new_share, settings.resamples, random, (None, evidence.original_persons)
    )
    return Measured(
        scores={
            "score": Score(
                value=float(to_synthetic.mean()),
                low=low,
                high=high,
                reference=float(among_real.mean()),
                unit="distance",
                better="context",
            ),
            "threshold": Score(value=tau, low=tau_low, high=tau_high, unit="distance", better="context"),
            "authenticity": Score(
                value=float((of_synthetic > tau).mean()),
                low=new_low,
                high=new_high,
                reference=None if held is None else float((held > tau).mean()),
                unit="share",
                better="context",
            ),
        },
        distributions=distance_histograms(
            {"synthetic": to_synthetic, "original": among_real},
            dict.fromkeys(("synthetic", "original"), evidence.original_persons),
        ),
    )
