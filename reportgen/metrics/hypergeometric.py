"""The hypergeometric distribution: how many of some drawn rows are original ones, if nothing tells rows apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln


def at_least(hits: int, members: int, others: int, drawn: int) -> float:
    """P(X >= hits) for X members among so many drawn from all without putting back (hypergeometric)."""
    possible = np.arange(max(hits, drawn - others, 0), min(members, drawn) + 1)
    logs = _log_choose(members, possible) + _log_choose(others, drawn - possible) - _log_choose(members + others, drawn)
    return min(1.0, float(np.exp(logs).sum()))


def _log_choose(many: int, some: Any) -> Any:
    return gammaln(many + 1) - gammaln(some + 1) - gammaln(many - some + 1)
