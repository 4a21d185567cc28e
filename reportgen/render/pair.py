"""The two series of a metric and the words that speak of them: what figures, tables and sentences share.

A metric draws the synthetic rows over a reference: the holdout, or the original rows among themselves. What is said of
them stands once in the catalog's `[figure]`; a metric that has to say it differently does so in its own
`[metric.KEY.figure]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.model import Histogram, Measured, Result
from reportgen.render import scores
from reportgen.rounding import count, decimals, significant
from reportgen.words import catalog, sentence

TAIL_LEVELS = (0.01, 0.025, 0.05, 0.1, 0.25)


@dataclass(frozen=True)
class Drawn:
    """How a metric's distributions are drawn: the series that serves as reference, the axis, and whether as a tail."""

    reference: str = "holdout"
    logarithmic: bool = False
    tail: bool = True

    @property
    def ratios(self) -> bool:
        """Whether the values are ratios (0-1), on a linear axis; the others are distances."""
        return not self.logarithmic


DRAWN = {
    "distance_to_closest": Drawn(logarithmic=True),
    "closest_distances_ratio": Drawn(),
    "nndr": Drawn(reference="original"),
    # An average is all that this metric asks for; the tail of the same distances is Distance To Closest's.
    "nn_dist": Drawn(reference="original", logarithmic=True, tail=False),
}


@dataclass(frozen=True)
class Mark:
    """The threshold of a metric: its place on the axis, and the shares of the rows at or below it."""

    value: float
    here: float
    there: float


@dataclass(frozen=True)
class Pair:
    """The two series of one metric, and the words and numbers that every sentence about them may use."""

    key: str
    drawn: Drawn
    reference: Histogram
    synthetic: Histogram
    mark: Mark | None
    words: Mapping[str, Any]

    def say(self, name: str, **numbers: Any) -> str:
        """Return one sentence on this pair, the metric's own before the common one."""
        own = catalog()["metric"].get(self.key, {}).get("figure", {})
        place = f"metric.{self.key}.figure" if name in own else "figure"
        return sentence(f"{place}.{name}", **self.words, **numbers)

    def at(self, level: float) -> dict[str, str] | None:
        """Both values at a level as text, `here` and `there`, where both are listed."""
        values = [quantile(series, level) for series in (self.synthetic, self.reference)]
        if values[0] is None or values[1] is None:
            return None
        return {"here": value_text(values[0], self.key), "there": value_text(values[1], self.key)}

    def levels(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """The lowest levels that both series list, as text, with both values."""
        found = ((level, self.at(level)) for level in TAIL_LEVELS)
        return tuple((scores.percent_of(100 * level), texts) for level, texts in found if texts)

    def shares(self) -> dict[str, str]:
        """Both shares at or below the threshold as text, and the threshold."""
        if self.mark is None:
            return {}
        value = f"{self.mark.value:g}" if self.key == "nndr" else value_text(self.mark.value, self.key)
        return {"value": value, "here": scores.share(self.mark.here), "there": scores.share(self.mark.there)}


def pair_of(key: str, metric: Measured, result: Result) -> Pair | None:
    """The pair of a metric, None where it has no distributions."""
    drawn = DRAWN.get(key, Drawn())
    reference, synthetic = (metric.distributions.get(name) for name in (drawn.reference, "synthetic"))
    if reference is None or synthetic is None:
        return None
    words = {
        **scores.wording(result),
        "quantity": quantity(key),
        "first_draw": first_draw(metric, result),
        "n": synthetic.n,
        "base": reference.n,
        "far": drawn.logarithmic,
        "zeros": bool(reference.zero_count or synthetic.zero_count),
        "zeros_here": synthetic.zero_count,
        "zeros_there": reference.zero_count,
    }
    return Pair(key, drawn, reference, synthetic, _mark(key, metric, result), words)


def _mark(key: str, metric: Measured, result: Result) -> Mark | None:
    value: float | None
    if key == "nndr":
        value, share = result.settings.nndr_threshold, metric.scores.get("share_below")
    else:
        tail, share = metric.scores.get("outlier_raw"), metric.scores.get("tail_share")
        value = None if tail is None else tail.reference
    if value is None or share is None or share.reference is None:
        return None
    return Mark(value, share.value, share.reference)


def first_draw(metric: Measured, result: Result) -> str:
    """The sentence that says that only the first of several draws is shown; "" where there was one."""
    return " " + sentence("figure.first_draw", draws=result.holdout.draws) if "first_draw_shown" in metric.notes else ""


def quantity(key: str) -> str:
    """What a metric's distribution counts rows by, in words."""
    return sentence(f"metric.{key}.quantity")


def value_text(value: float, key: str) -> str:
    """Write a distance or a ratio."""
    return decimals(value, 3, (0, 1)) if DRAWN.get(key, Drawn()).ratios else significant(value, 3)


def quantile(histogram: Histogram, level: float) -> float | None:
    """The value at a level, where it is listed."""
    pairs = dict(zip(histogram.quantiles.levels, histogram.quantiles.values, strict=True))
    return pairs.get(level)


def asking_rows(result: Result) -> int:
    """How many original rows looked for neighbours: one half of them where halves stand in for a holdout."""
    every, drawn = result.inputs.original.rows, result.search.looking
    looking = every if drawn is None else drawn.original
    if result.holdout.kind != "approximate":
        return looking
    return round(looking * (every - result.holdout.rows) / every)


def rows_text(value: float) -> str:
    """Write a number of rows; a median over draws may lie between two."""
    whole = value == int(value)
    text = count(int(value)) if whole else decimals(value, 1)
    return f"{text} {sentence('figure.row' if value == 1 else 'figure.rows_counted')}"
