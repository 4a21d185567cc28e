"""closer_than_people: do synthetic rows sit on original rows more tightly than real people sit on each other?

At two quantiles, .25 % and 1 %: c is that quantile of the real rows' own ratios d1/d2 (`leak_size.own_ratio_cut`), k0
the real rows at or below it, x the different original rows on which a synthetic row is anchored at c, counted by the
share of their occurrences in the original. Of a = m n_T/N synthetic rows and N real rows that could fall so close,
each close one is synthetic with probability a/(a+N): P(Bin(x + k0, a/(a+N)) >= x), and p is twice the smaller of both.
Assumes that density changes little within the distance of neighbours; secondary, and what is left without a true
holdout (U is then the different original rows).

With persons (`--group`) N and n_T are numbers of persons, k0 adds up the share of each person's rows at or below c (a
person stands for as many rows as a synthetic row does: for one), and x counts the original persons sat upon, each once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from reportgen.distances import Floats, RealRows, SyntheticRows
from reportgen.metrics.evidence import Evidence, Need
from reportgen.metrics.leak_size import claims, own_ratio_cut
from reportgen.model import Measured, NotMeasuredCode, Score
from reportgen.settings import Settings

KEY = "closer_than_people"
NEEDS: tuple[Need, ...] = ("pool",)

QUANTILES = (0.0025, 0.01)


@dataclass(frozen=True)
class Closeness:
    """One quantile: its cut c, the real rows at or below it (k0), original rows sat upon (x), and their p-value.

    `expected`: the original rows that would be sat upon if synthetic rows were further people, k0 a/N.
    """

    quantile: float
    cut: float
    people: float
    original: float
    expected: float
    p_value: float


@dataclass(frozen=True)
class CloserThanPeople:
    """The p-value over both quantiles, and each of them."""

    p_value: float
    at: tuple[Closeness, ...]


def closer_than_people(real: RealRows, synthetic: SyntheticRows) -> CloserThanPeople:
    """Compare how often synthetic rows sit on original rows with how often real rows sit on each other."""
    people_known = real.sample  # all real rows, or those that stand for them
    own = np.where(people_known.twins, 0.0, people_known.ratios)
    rows, originals = _numbers(real)
    number = _numbers(people_known)[0]
    others = synthetic.rows * originals / rows
    found = []
    for quantile in QUANTILES:
        cut = own_ratio_cut(real, quantile)
        people = _people(people_known, own <= cut)
        original = _sat_upon(real, claims(real, synthetic, cut))
        # P(Bin(x + k0, p) >= x) is the incomplete beta function, which takes shares of rows as well.
        p_value = float(betainc(original, people + 1, others / (others + number))) if original > 0 else 1.0
        expected = people * others / number
        if real.persons is not None:
            expected = min(expected, float(originals))  # many synthetic rows can sit on one person
        found.append(Closeness(quantile, cut, people, original, expected, p_value))
    return CloserThanPeople(min(1.0, len(found) * min(each.p_value for each in found)), tuple(found))


def _numbers(real: RealRows) -> tuple[int, int]:
    """N and n_T: real and original rows, or persons."""
    return (real.rows, real.original_rows) if real.persons is None else (real.persons.number, real.persons.originals)


def _people(real: RealRows, close: NDArray[np.bool_]) -> float:
    """k0, from which rows of U are at or below the cut."""
    if real.persons is None:
        return int(real.occurrences[close].sum())
    persons = real.persons.person
    return float((close[real.place] / np.bincount(persons)[persons]).sum())


def _sat_upon(real: RealRows, claimed: Floats) -> float:
    """x: the original rows, or persons, that synthetic rows sit on, each once."""
    sat_upon = np.minimum(claimed, 1.0)  # each different row once
    if real.persons is None:
        return float((sat_upon * real.original_shares).sum())
    mine = real.persons.original
    by_person = np.bincount(real.persons.person[mine], weights=(sat_upon / real.occurrences)[real.place][mine])
    return float(np.minimum(by_person, 1.0).sum())


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the p-value and the rows of the quantile that decides it."""
    if evidence.pool is None:
        return "too_few_rows"
    found = closer_than_people(evidence.pool.real, evidence.pool.synthetic)
    deciding = min(found.at, key=lambda each: each.p_value)
    return Measured(
        scores={
            "p_value": Score(value=found.p_value, unit="probability", better="higher"),
            "rows": Score(value=deciding.original, reference=deciding.expected, unit="count", better="lower"),
        }
    )
