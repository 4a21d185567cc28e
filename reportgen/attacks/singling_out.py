"""Singling out: predicates that isolate one synthetic row, held against the original and the holdout.

An attacker looks for what only one synthetic row has and says: "exactly one person in the original is like that". Where
the original holds exactly one such row the attack succeeds. Predicates are learnt from the different synthetic rows, so
that a copy made twice isolates as one made once:

    univariate      a value that one row has, the smallest and the largest number where one row has it
    multivariate    of a random row some columns together: its category, or as extreme as its number (on its own side
                    of the median), where no other row fulfils all of them

Control is the same predicates on the holdout, both sides drawn to the same number of rows, since a smaller table holds
fewer rows that could be isolated. Baseline: predicates of random columns and values that no row taught.

That predicates hit one and the same row is no accident: they are no independent attempts. So the p-value comes from
permuted labels of the rows, on which all predicates are counted again. The idea of the attack and of its baseline is
Giomi et al.'s (PETS 2023).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from reportgen.attacks.attributes import Attributes
from reportgen.attacks.predicates import Predicates, different, matches
from reportgen.attacks.targets import Targets
from reportgen.attempts import Attempts, Tries
from reportgen.distances import Ints

MOST_ROWS = 20_000
"""So many rows of either side at most are searched for each predicate."""
ATTEMPTS = 4
"""So many multivariate predicates are tried for each that is wanted."""
CONDITIONS = (3, 4, 5)
"""Columns of a multivariate predicate, a third of the attempts each; fewer where there are fewer columns."""
PERMUTATIONS = 1999
MOST_MATCHED = 20
"""Predicates that more of the pooled rows fulfil isolate a row of random labels less than once in 50,000 times."""


def singling_out(rows: Attributes, targets: Targets, most: int, random: np.random.Generator) -> dict[str, Attempts]:
    """Attack with at most so many predicates of each kind; a kind without any predicate is left out.

    `targets`: everybody who can be attacked, on whom all predicates are tried.
    """
    equal = (
        targets if targets.holdout is None else targets.drawn(min(len(targets.original), len(targets.holdout)), random)
    )
    equal = equal.drawn(MOST_ROWS, random)
    learnt = np.unique(rows.synthetic)
    kinds = {
        "univariate": _univariate(rows, learnt, most, random),
        "multivariate": _multivariate(rows, learnt, most, random),
    }
    found = {}
    for name, predicates in kinds.items():
        if len(predicates):
            naive = _naive(rows, learnt, predicates.columns.shape[1], len(predicates), random)
            found[name] = _attempts(rows, equal, predicates, naive, random)
    return found


def _univariate(rows: Attributes, learnt: Ints, most: int, random: np.random.Generator) -> Predicates:
    parts: list[tuple[int, Ints, Ints]] = []
    for column, codes in enumerate(rows.codes[:, learnt]):
        missing = int(rows.missing[column])
        often = np.bincount(codes, minlength=missing + 1)
        once = np.flatnonzero(often == 1)
        parts.append((column, once, once))
        present = np.flatnonzero(often[:missing])
        if rows.numbers[column] is not None and len(present) > 1:
            low, high = present[0], present[-1]
            if often[low] == 1:
                parts.append((column, np.array([0]), np.array([low])))
            if often[high] == 1:
                parts.append((column, np.array([high]), np.array([missing - 1])))
    columns = np.concatenate([np.full(len(low), column) for column, low, _ in parts])
    found = Predicates(
        columns[:, np.newaxis],
        np.concatenate([low for _, low, _ in parts])[:, np.newaxis],
        np.concatenate([high for _, _, high in parts])[:, np.newaxis],
    )
    return found.some(_drawn(len(found), most, random))


def _multivariate(rows: Attributes, learnt: Ints, most: int, random: np.random.Generator) -> Predicates:
    width = len(rows.names)
    conditions = sorted({min(number, width) for number in CONDITIONS})
    if width < 2:
        return Predicates(*(np.zeros((0, 1), dtype=np.int64) for _ in range(3)))
    codes = rows.codes[:, learnt]
    middle = _medians(rows, codes)
    widest = conditions[-1]
    kept = []
    for number in conditions:
        tries = ATTEMPTS * most // len(conditions)
        row = random.integers(len(learnt), size=tries)
        columns = np.sort(random.random((tries, width)).argpartition(number - 1, axis=1)[:, :number], axis=1)
        value = codes[columns, row[:, np.newaxis]].astype(np.int64)
        ordered = np.array([one is not None for one in rows.numbers])[columns] & (value < rows.missing[columns])
        above = ordered & (value > middle[columns])
        low = np.where(ordered & ~above, 0, value)
        high = np.where(above, rows.missing[columns] - 1, value)
        tried = different(Predicates(columns, low, high))
        which, _ = matches(tried, codes)
        alone = tried.some(np.bincount(which, minlength=len(tried)) == 1)
        kept.append(_filled(alone, widest, rows))
    found = Predicates(
        *(np.concatenate(arrays) for arrays in zip(*((p.columns, p.low, p.high) for p in kept), strict=True))
    )
    return found.some(_drawn(len(found), most, random))


def _filled(predicates: Predicates, conditions: int, rows: Attributes) -> Predicates:
    """Add conditions that every row fulfils, up to so many."""
    more = ((0, 0), (0, conditions - predicates.columns.shape[1]))
    return Predicates(
        np.pad(predicates.columns, more),
        np.pad(predicates.low, more),
        np.pad(predicates.high, more, constant_values=int(rows.missing[0])),
    )


def _medians(rows: Attributes, codes: np.ndarray) -> Ints:
    """The code of the median of each column's values; of categories it is never looked at."""
    middle = np.zeros(len(codes), dtype=np.int64)
    for column, own in enumerate(codes):
        present = np.sort(own[own < rows.missing[column]])
        middle[column] = present[(len(present) - 1) // 2] if len(present) else 0
    return middle


def _naive(rows: Attributes, learnt: Ints, conditions: int, number: int, random: np.random.Generator) -> Predicates:
    """Predicates of random columns, values that occur in them, and directions."""
    width = len(rows.names)
    columns = random.random((number, width)).argpartition(conditions - 1, axis=1)[:, :conditions]
    value = np.empty(columns.shape, dtype=np.int64)
    for column, own in enumerate(rows.codes[:, learnt]):
        here = columns == column
        value[here] = random.choice(np.unique(own), int(here.sum()))
    ordered = np.array([one is not None for one in rows.numbers])[columns] & (value < rows.missing[columns])
    direction = np.where(ordered, random.integers(3, size=columns.shape), 0)
    low = np.where(direction == 1, 0, value)
    high = np.where(direction == 2, rows.missing[columns] - 1, value)
    return Predicates(columns.astype(np.int64), low, high)


def _attempts(
    rows: Attributes, equal: Targets, predicates: Predicates, naive: Predicates, random: np.random.Generator
) -> Attempts:
    own = rows.codes[:, equal.original]
    guessed = np.bincount(matches(naive, own)[0], minlength=len(naive)) == 1
    baseline = float(guessed.mean())
    if equal.holdout is None:
        hits = int((np.bincount(matches(predicates, own)[0], minlength=len(predicates)) == 1).sum())
        return Attempts(Tries(hits, len(predicates)), None, baseline, None)
    pooled = np.concatenate((equal.original, equal.holdout))
    which, row = matches(predicates, rows.codes[:, pooled])
    inside = np.bincount(which[row < len(equal.original)], minlength=len(predicates))
    outside = np.bincount(which[row >= len(equal.original)], minlength=len(predicates))
    return Attempts(
        attack=Tries(int((inside == 1).sum()), len(predicates)),
        control=Tries(int((outside == 1).sum()), len(predicates)),
        baseline=baseline,
        p_value=permuted_p(which, row, len(equal.original), len(equal.holdout), random),
    )


def permuted_p(which: Ints, row: Ints, originals: int, holdouts: int, random: np.random.Generator) -> float:
    """How unusual it is that so many more predicates isolate an original than a holdout row, if labels are exchanged.

    `which`, `row`: pairs of a predicate and a row that fulfils it, rows from 0, original ones first; (pairs,). The
    share of labelings of the rows, the observed one among them, with at least as large a difference.
    """
    often = np.bincount(which)
    few = often[which] <= MOST_MATCHED
    predicate = np.unique(which[few], return_inverse=True)[1]
    matched, place = np.unique(row[few], return_inverse=True)
    if not len(matched):
        return 1.0
    table = csr_array((np.ones(len(place), dtype=np.int8), (predicate, place)))
    total = np.bincount(predicate)[:, np.newaxis].astype(np.int8)

    def difference(labels: np.ndarray) -> Ints:
        """Labels of the matched rows, (rows, labelings)."""
        inside = table @ labels.astype(np.int8)
        found: Ints = (inside == 1).sum(axis=0) - (total - inside == 1).sum(axis=0)
        return found

    observed = int(difference((matched < originals)[:, np.newaxis])[0])
    as_large, left = 1, PERMUTATIONS
    step = max(1, (1 << 21) // max(len(matched), table.shape[0]))
    while left > 0:
        number = min(step, left)
        inside = random.hypergeometric(originals, holdouts, len(matched), size=number)
        labels = random.permuted(np.arange(len(matched)) < inside[:, np.newaxis], axis=1)
        as_large += int((difference(labels.T) >= observed).sum())
        left -= number
    return as_large / (PERMUTATIONS + 1)


def _drawn(number: int, most: int, random: np.random.Generator) -> Ints:
    return np.arange(number) if number <= most else np.sort(random.choice(number, most, replace=False))
