"""Confidence limits of shares. scipy is loaded when a limit is computed: reports need the rules beside it only."""

from __future__ import annotations


def clopper_pearson(hits: float, rows: float, confidence: float = 0.95) -> tuple[float, float]:
    """Two-sided exact interval of a share (Clopper and Pearson, Biometrika 1934); finite inside 0-1 for 0 of n, n of n.

    Of rows that are not independent give the number that they are worth, and the hits that make the same share of it.
    For one-sided 95 % limits ask for confidence 0.90 and take the end that is needed, or call `lower_limit`.
    """
    from scipy.special import betaincinv

    alpha = (1 - confidence) / 2
    low = float(betaincinv(hits, rows - hits + 1, alpha)) if hits else 0.0
    high = float(betaincinv(hits + 1, rows - hits, 1 - alpha)) if hits < rows else 1.0
    return low, high


def lower_limit(hits: int, rows: int, confidence: float = 0.95) -> float:
    """One-sided lower Clopper-Pearson limit of a share: 0 when there is no hit."""
    from scipy.special import betaincinv

    return float(betaincinv(hits, rows - hits + 1, 1 - confidence)) if hits else 0.0


NORMAL = 1.959963984540054
"""97.5 % quantile of the normal distribution."""


def wilson(hits: int, number: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson, Journal of the American Statistical Association 22, 1927); `number` above 0.

    Inside 0-1 and of some width also at 0 and all hits.
    """
    share, weight = hits / number, NORMAL**2 / number
    centre = share + weight / 2
    reach = NORMAL * (share * (1 - share) / number + weight / (4 * number)) ** 0.5
    low, high = (centre - reach) / (1 + weight), (centre + reach) / (1 + weight)
    return (0.0 if hits == 0 else low), (1.0 if hits == number else high)
