"""singling_out: can the synthetic table be used to isolate one record of the original?

How the attack is made stands in reportgen.attacks.singling_out. Lower is better; secondary. The risk needs a true
holdout, whose rows are attacked in the same way.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.attack_rates import outcome
from reportgen.metrics.evidence import Evidence, Need
from reportgen.model import Measured, NotMeasuredCode
from reportgen.settings import Settings

KEY = "singling_out"
NEEDS: tuple[Need, ...] = ("singling_out",)


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the rates of the attack, and the risk that they show."""
    return outcome(evidence.attacked.singling_out, by_value=False)
