"""The plain summary's sentences: what was found, what would have been noticed, what is left open, what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from reportgen.codes import EvidenceCode, ReasonCode
from reportgen.gate import gate_of
from reportgen.model import Measured, Reason, Result
from reportgen.render.first_page import badge_bound, power, reason_view, wp216_tested
from reportgen.render.scores import holdout_kind, percent_of, share
from reportgen.words import sentence

MOST_REASONS = 3
"""Reasons that the page has room for."""
_STEPS: dict[str, tuple[ReasonCode, ...]] = {
    "holdout": ("no_true_holdout",),
    "files": ("holdout_is_synthetic", "swapped_roles", "leaky_holdout", "persons_differ"),
    "population": ("disjoint_supports",),
    "more": ("too_few_rows", "upper_bound_above_tolerance", "smallest_leak_above_tolerance", "smallest_leak_unknown"),
    "whole": ("metric_failed", "metric_not_selected", "metric_not_measured"),
}
"""What would supply what a low level lacks."""


def headline(result: Result) -> str:
    """The sentence beside the badge."""
    return sentence(f"plain.headline.{result.verdict.level}", bound=badge_bound(result))


def gate(result: Result) -> str:
    """Whether the rule for release is met, and whether only because of waivers."""
    report = gate_of(result)
    if result.policy is None and result.baseline is None and report.policy.fail_on == "never":
        return sentence("plain.gate.never")
    waived = sum(outcome.waived is not None for outcome in report.outcomes)
    return sentence(f"plain.gate.{'met' if report.met else 'not_met'}", waived=waived)


def found(result: Result) -> tuple[str, ...]:
    """What was found, the reasons of the verdict first."""
    reasons = result.verdict.reasons
    texts = list(dict.fromkeys(_reason(reason, result) for reason in reasons))
    shown = texts[:MOST_REASONS]
    if not any(reason.code.startswith("exact_copies") for reason in reasons[:MOST_REASONS]):
        shown += _copies(result)
    if result.verdict.level == "low" and result.verdict.upper_bound is not None:
        shown.append(sentence("plain.finding.at_most", bound=share(result.verdict.upper_bound / 100)))
    for finding in result.findings:
        if finding.code == "person_key":
            shown.append(sentence("plain.finding.persons"))
        if finding.code == "identifier_reuse_untested" and finding.severity == "warning":
            shown.append(sentence("plain.finding.identifiers"))
    if len(texts) > MOST_REASONS:
        shown.append(sentence("plain.finding.further", number=len(texts) - MOST_REASONS))
    return tuple(dict.fromkeys(shown))


def _reason(reason: Reason, result: Result) -> str:
    if reason.code == "secondary_test":
        return sentence(f"plain.secondary.{reason.metric}")
    copied = _identical(result)
    if reason.code.startswith("exact_copies") and copied is None:
        return reason.text
    view = reason_view(reason)
    exact = "" if copied is None else sentence("plain.finding.exact", copies=copied[0])
    tolerance = percent_of(result.verdict.tolerance)
    return sentence(f"plain.reason.{reason.code}", bound=view.bound, tolerance=tolerance, copies=exact)


def _identical(result: Result) -> tuple[int, int | None] | None:
    """Synthetic rows identical to an original row, and to a row of a true holdout; None where not measured."""
    copies = result.metrics.get("exact_copies")
    score = copies.scores.get("synthetic_rows") if isinstance(copies, Measured) else None
    if score is None:
        return None
    rows = result.inputs.synthetic.rows
    provided = result.holdout.kind == "provided" and score.reference is not None
    return round(score.value * rows), round((score.reference or 0) * rows) if provided else None


def _copies(result: Result) -> Iterator[str]:
    copied = _identical(result)
    if copied is not None:
        copies, held = copied
        rows = result.inputs.synthetic.rows
        name = "some" if copies else "none"
        yield sentence(f"plain.finding.copies_{name}", copies=f"{copies:,}", one=copies == 1, rows=rows, held=held)


def noticed(result: Result) -> str:
    """How small a leak the run would have noticed."""
    detectable = result.controls.detectable
    if detectable.rows is not None and detectable.share is not None:
        return sentence(
            "plain.smallest.found",
            rows=detectable.rows,
            synthetic=result.inputs.synthetic.rows,
            share=share(detectable.share),
            power=power(detectable),
        )
    if detectable.code in {"leak_found", "no_true_holdout"}:
        return sentence(f"plain.smallest.{detectable.code}")
    if detectable.code is None and detectable.search_limit is not None:
        return sentence("plain.smallest.beyond", limit=detectable.search_limit)
    return sentence("plain.smallest.other")


def limits(result: Result) -> tuple[str, ...]:
    """What the assessment cannot tell, whatever the verdict."""
    record = result.holdout.set_aside
    aside = record is not None and record.proves
    held = "set_aside" if aside else holdout_kind(result)
    created = record.created[:10] if record is not None else ""
    persons = result.inputs.original.persons is not None
    drawn = result.search.looking
    rows = result.inputs.synthetic.rows
    return (
        sentence("plain.limit.proof"),
        sentence("plain.limit.copies"),
        sentence(f"plain.limit.holdout_{held}", created=created),
        *([] if drawn is None else [sentence("plain.limit.looked", drawn=drawn.synthetic, rows=rows)]),
        *([sentence("plain.limit.persons")] if persons else []),
        sentence("plain.limit.wp216", tested=wp216_tested(result)),
    )


def next_steps(result: Result) -> tuple[str, ...]:
    """What to do next, by the level and by what the run lacked."""
    level = result.verdict.level
    steps = {
        "high": ["high_release", "high_again", "high_given"],
        "moderate": ["moderate_release", "moderate_again"],
        "low": ["low_decide", "low_again"],
        "inconclusive": [],
    }[level]
    lacked = [reason.code for reason in result.verdict.reasons if reason.code not in get_args(EvidenceCode)]
    missing = [name for name, codes in _STEPS.items() if any(code in lacked for code in codes)]
    if result.search.looking is not None and "too_few_rows" not in lacked:
        missing = ["more_looking" if name == "more" else name for name in missing]
    # Beside evidence of a leak only wrong files matter: more rows would not make the evidence go away.
    steps += missing if level == "inconclusive" else [name for name in missing if name == "files"]
    return tuple(sentence(f"plain.next_step.{name}") for name in (*steps, *_until(level)))


def _until(level: str) -> tuple[str, ...]:
    return ("inconclusive_until",) if level == "inconclusive" else ()
