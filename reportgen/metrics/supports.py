"""Do synthetic and real rows lie in the same region at all? Where they don't, no comparison of neighbours means much.

The share (0-1) of synthetic rows whose closest real row is within the 99th percentile of the distances from the
different real rows to their closest others. Each synthetic row looks for real rows; original and holdout count alike.
"""

from __future__ import annotations

import numpy as np

from reportgen.distances import RealRows, SyntheticRows

PERCENTILE = 99


def share_within_support(real: RealRows, synthetic: SyntheticRows) -> float:
    """Compute the share of synthetic rows that are not farther from real rows than these are from each other."""
    reach = np.percentile(real.sample.distances[:, 0], PERCENTILE)
    return float(synthetic.times[synthetic.distances[:, 0] <= reach].sum()) / synthetic.rows
