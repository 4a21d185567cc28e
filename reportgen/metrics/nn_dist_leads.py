"""nn_dist and authenticity of signals (seed 002): each lead in its own features, then plain means over the leads.

The definitions are those of `nn_dist`. A lead that is flat in the original records has no distances to compare; it is
not among the leads here and so not among the means. Intervals resample records, each with all its leads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.distances import Floats
from reportgen.metrics.bootstrap import BLOCK
from reportgen.metrics.distribution import distance_histograms
from reportgen.metrics.evidence import Direction, LeadDistances
from reportgen.metrics.quantiles import medians
from reportgen.model import Histogram, Measured, NotMeasuredCode, Score
from reportgen.settings import Settings

NEEDED: tuple[Direction, ...] = ("original_to_synthetic", "original_to_original", "synthetic_to_original")


def measure_leads(
    leads: Sequence[LeadDistances], settings: Settings, random: np.random.Generator
) -> Measured | NotMeasuredCode:
    """Score each lead, and the mean over them; `flat_leads` where none is left, `too_few_rows` as for tables."""
    if not leads:
        return "flat_leads"
    if not all(direction in lead.searches for lead in leads for direction in NEEDED):
        return "too_few_rows"
    to_synthetic, among_real, of_synthetic = (
        np.stack([lead.searches[direction].first for lead in leads]) for direction in NEEDED
    )
    taus = np.median(among_real, axis=1, keepdims=True)
    values, baseline = to_synthetic.mean(axis=1), among_real.mean(axis=1)
    new = (of_synthetic > taus).mean(axis=1)
    held: list[float | None] = [None] * len(leads)
    if all("holdout_to_original" in lead.searches for lead in leads):
        of_holdout = np.stack([lead.searches["holdout_to_original"].first for lead in leads])
        held = list((of_holdout > taus).mean(axis=1).tolist())
    score_draws, new_draws, tau_draws = _resampled(to_synthetic, among_real, of_synthetic, settings.resamples, random)
    scores = {
        "score": _score(values.mean(), score_draws.mean(axis=0), baseline.mean()),
        "authenticity": _share(new.mean(), new_draws.mean(axis=0), _mean(held)),
    }
    distributions: dict[str, Histogram] = {}
    for place, lead in enumerate(leads):
        own = f"lead:{lead.name}"
        scores[f"{own}:score"] = _score(values[place], score_draws[place], baseline[place])
        scores[f"{own}:threshold"] = _score(taus[place, 0], tau_draws[place], None)
        scores[f"{own}:authenticity"] = _share(new[place], new_draws[place], held[place])
        series = {"synthetic": to_synthetic[place], "original": among_real[place]}
        distributions |= {f"{own}:{name}": one for name, one in distance_histograms(series).items()}
    return Measured(scores=scores, distributions=distributions)


def _resampled(
    to_synthetic: Floats, among_real: Floats, of_synthetic: Floats, resamples: int, random: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Resample original and synthetic records; score, authenticity, threshold of each lead, (leads, resamples) each."""
    leads, originals = to_synthetic.shape
    synthetics = of_synthetic.shape[1]
    block = max(1, BLOCK // (leads * max(originals, synthetics)))
    scores, shares, all_taus = [], [], []
    for start in range(0, resamples, block):
        number = min(block, resamples - start)
        picked = random.integers(originals, size=(number, originals))
        drawn = random.integers(synthetics, size=(number, synthetics))
        scores.append(to_synthetic[:, picked].mean(axis=-1))
        taus = medians(among_real[:, picked])
        shares.append((of_synthetic[:, drawn] > taus[..., np.newaxis]).mean(axis=-1))
        all_taus.append(taus)
    return np.concatenate(scores, axis=1), np.concatenate(shares, axis=1), np.concatenate(all_taus, axis=1)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _score(value: float, draws: Floats, reference: float | None) -> Score:
    low, high = np.quantile(draws, (0.025, 0.975)).tolist()
    real = None if reference is None else float(reference)
    return Score(value=float(value), low=low, high=high, reference=real, unit="distance", better="context")


def _share(value: float, draws: Floats, reference: float | None) -> Score:
    low, high = np.quantile(draws, (0.025, 0.975)).tolist()
    return Score(value=float(value), low=low, high=high, reference=reference, unit="share", better="context")
