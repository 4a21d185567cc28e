"""Singling out: predicates that isolate one synthetic row, held against the original and the holdout.

An attacker looks for what only one synthetic row has and says: "exactly one person in the original is like that". Where
the original holds exactly one such row the attack succeeds. Predicates are learnt from the different synthetic rows, so
that a copy made twice isolates as one made once:

    univariate, multivariate, profile      see reportgen.attacks.learning

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
from reportgen.attacks.learning import KINDS, NAIVE
from reportgen.attacks.predicates import Predicates, matches
from reportgen.attacks.targets import Targets
from reportgen.attempts import Attempts, Tries
from reportgen.distances import Ints

MOST_ROWS = 20_000
"""So many rows of either side at most are searched for each predicate."""
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
    found = {}
    for name, learn in KINDS.items():
        predicates = learn(rows, learnt, most, random)
        if len(predicates):
            naive = NAIVE[name](rows, learnt, predicates.columns.shape[1], len(predicates), random)
            found[name] = _attempts(rows, equal, predicates, naive, random)
    return found


def _attempts(
    rows: Attributes, equal: Targets, predicates: Predicates, naive: Predicates, random: np.random.Generator
) -> Attempts:
    own = rows.codes[:, equal.original]
    guessed = np.bincount(matches(naive, own)[0], minlength=len(naive)) == 1
    baseline = float(guessed.mean())
    if equal.holdout is None:
        hits = int((np.bincount(matches(predicates, own)[0], minlength=len(predicates)) == 1).sum())
        return Attempts(Tries(hits, len(predicates)), None, baseline, None, len(naive))
    pooled = np.concatenate((equal.original, equal.holdout))
    which, row = matches(predicates, rows.codes[:, pooled])
    inside = np.bincount(which[row < len(equal.original)], minlength=len(predicates))
    outside = np.bincount(which[row >= len(equal.original)], minlength=len(predicates))
    return Attempts(
        attack=Tries(int((inside == 1).sum()), len(predicates)),
        control=Tries(int((outside == 1).sum()), len(predicates)),
        baseline=baseline,
        p_value=permuted_p(which, row, len(equal.original), len(equal.holdout), random),
        guesses=len(naive),
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
