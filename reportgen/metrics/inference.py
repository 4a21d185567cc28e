"""inference: can a hidden value of a person be guessed from the synthetic table?

How the attack is made stands in reportgen.attacks.inference. Lower is better; secondary. The risk needs a true
holdout, whose rows are attacked in the same way.
"""

from __future__ import annotations

import numpy as np

from reportgen.metrics.attack_rates import outcome
from reportgen.metrics.evidence import Evidence, Need
from reportgen.model import Measured, NotMeasuredCode
from reportgen.settings import Settings

KEY = "inference"
NEEDS: tuple[Need, ...] = ("inference",)


def measure(evidence: Evidence, settings: Settings, random: np.random.Generator) -> Measured | NotMeasuredCode:  # noqa: ARG001 -- every metric is called alike
    """Give the rates of the attack, and the risk that they show."""
    return outcome(evidence.attacked.inference, prefix="column:")
