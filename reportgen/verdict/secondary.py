"""Secondary tests and attacks: one correction among them, and never more than a moderate level."""

from __future__ import annotations

from reportgen.copies import holm
from reportgen.model import Reason
from reportgen.verdict.case import Case
from reportgen.words import sentence

TESTS = ("holdout_share", "membership_inference", "singling_out", "linkability", "inference")


def significant(case: Case) -> list[Reason]:
    """Name the secondary tests that are significant at 1 % after Holm among those measured."""
    measured = {key: p_value for key in TESTS if (p_value := case.value(key, "p_value")) is not None}
    limit = case.settings.thresholds.secondary
    reasons: list[Reason] = []
    for (key, p_value), adjusted in zip(measured.items(), holm(list(measured.values())), strict=True):
        if adjusted <= limit:
            text = sentence(f"reason.secondary_test.{key}", p=p_value, adjusted=adjusted, limit=limit)
            reasons.append(
                Reason(code="secondary_test", metric=key, text=text, value=adjusted, limit=limit, unit="probability")
            )
    return reasons
