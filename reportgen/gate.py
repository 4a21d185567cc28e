"""The release gate: a result read against a policy, rule by rule.

One pure function serves `assess`, `check` and every report, so that they agree. The day comes in as an argument: only
the age of a result and the end of a waiver depend on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from reportgen.baseline import compares_nothing, worse_by
from reportgen.declared import hide_marks, mask_marks
from reportgen.model import LEVELS, Baseline, Measured, NotMeasured, Result, Score, Unit
from reportgen.policy import Limit, Policy, Waiver, setting_as_stored
from reportgen.rounding import count, decimals, significant
from reportgen.shown import escaped, one_line
from reportgen.subject import in_its_words
from reportgen.words import sentence

SMALLEST_IN_DECIMALS = 0.001
"""A smaller p-value is written with an exponent or more digits: the policy may hold it against a smaller limit."""


@dataclass(frozen=True)
class Outcome:
    """What one rule of the policy says of a result.

    `value` is unrounded and in the unit of the result file, None where the rule is not about a number or there is
    none. `limit` and `text` are words: the limit alone, and a sentence with value and limit.
    """

    rule: str
    met: bool
    limit: str
    text: str
    metric: str | None = None
    value: float | None = None
    waived: Waiver | None = None
    """The waiver that lets the rule fail on this day."""
    expired: Waiver | None = None
    """The waiver that no longer does, because its day is over or it waives less than this."""

    @property
    def passes(self) -> bool:
        """Whether the gate may be met with this outcome."""
        return self.met or self.waived is not None


@dataclass(frozen=True)
class GateReport:
    """Every rule's outcome, in the order in which reports show them, and the waivers that no rule needed."""

    policy: Policy
    day: date
    outcomes: tuple[Outcome, ...]
    unused: tuple[Waiver, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every rule is met or waived."""
        return all(outcome.passes for outcome in self.outcomes)

    @property
    def failing(self) -> tuple[Outcome, ...]:
        """The rules that keep the gate from being met."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passes)


def gate_of(result: Result) -> GateReport:
    """Read a result against the policy that it carries, on the day on which it was created, as every report does."""
    policy = result.policy or Policy()
    policy = policy.model_copy(update={"fail_on": result.settings.fail_on})
    return evaluate(result, policy, created_at(result).date())


def created_at(result: Result) -> datetime:
    """Return when a result was created, UTC."""
    return datetime.strptime(result.created, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


@in_its_words
def evaluate(result: Result, policy: Policy, today: date, baseline: Baseline | None = None) -> GateReport:
    """Read a result against a policy on a day (UTC). `baseline` takes the place of the one that the result carries."""
    case = _Case(result, policy, today, baseline or result.baseline)
    rules = (
        *_level(case),
        *_declared(case),
        *_pinned(case),
        *(_limit(case, name, limit) for name, limit in policy.limits.items()),
    )
    outcomes = [case.waived(outcome) for outcome in rules]
    outcomes += _against_baseline(case)
    used = {outcome.rule for outcome in outcomes if outcome.waived or outcome.expired}
    unused = tuple(waiver for waiver in policy.waivers if waiver.rule not in used)
    return GateReport(policy, today, tuple(outcomes), unused)


@dataclass(frozen=True)
class _Case:
    result: Result
    policy: Policy
    today: date
    baseline: Baseline | None

    def waived(self, outcome: Outcome) -> Outcome:
        """Put the waiver of its rule, if there is one, into an outcome that is not met."""
        waiver = next((one for one in self.policy.waivers if one.rule == outcome.rule), None)
        if outcome.met or waiver is None:
            return outcome
        too_little = waiver.level is not None and LEVELS.index(self.result.verdict.level) > LEVELS.index(waiver.level)
        over = self.today > waiver.until or too_little
        words = sentence(
            "rule.waiver_too_little" if too_little else "rule.waiver_expired" if over else "rule.waiver_in_force",
            until=waiver.until.isoformat(),
            reason=escaped(waiver.reason),
            by=escaped(waiver.by),
            level=waiver.level,
        )
        return replace(
            outcome,
            text=f"{outcome.text} {words}",
            waived=None if over else waiver,
            expired=waiver if over else None,
        )


def _level(case: _Case) -> Iterator[Outcome]:
    level, fail_on = case.result.verdict.level, case.policy.fail_on
    if fail_on == "never":
        yield _outcome("verdict", sentence("rule.never"), met=True, words="verdict_never", level=level)
        return
    below = LEVELS.index(level) < LEVELS.index(fail_on)
    yield _outcome("verdict", sentence("rule.below", level=fail_on), met=below, level=level, fail_on=fail_on)
    faults = sorted(
        one_line(key)
        for key, metric in case.result.metrics.items()
        if isinstance(metric, NotMeasured) and metric.code == "failed"
    )
    yield _outcome("measured", sentence("rule.no_fault"), met=not faults, faults=faults)


def _declared(case: _Case) -> Iterator[Outcome]:
    """The rules on what was declared and what was given, each only where the policy asks for it."""
    result, policy = case.result, case.policy
    if policy.max_tolerance is not None:
        given = max(result.settings.tolerance, result.verdict.tolerance)
        limit = sentence("rule.at_most", limit=f"{policy.max_tolerance:g} %")
        met = given <= policy.max_tolerance
        yield _outcome("tolerance", limit, met=met, value=given, given=given, largest=policy.max_tolerance)
    if policy.require_holdout:
        kind = result.holdout.kind
        yield _outcome("holdout", sentence("rule.provided"), met=kind == "provided", kind=kind)
    if policy.max_age_days is not None:
        days = (case.today - created_at(result).date()).days
        limit = sentence("rule.at_most_days", days=policy.max_age_days)
        met, day = 0 <= days <= policy.max_age_days, case.today.isoformat()
        yield _outcome("age", limit, met=met, value=days, days=days, asked=limit, day=day)
    if policy.min_tool_version is not None:
        limit = sentence("rule.at_least", limit=policy.min_tool_version)
        met = _numbers(result.tool.version) >= _numbers(policy.min_tool_version)
        yield _outcome("tool_version", limit, met=met, version=result.tool.version, least=policy.min_tool_version)


def _pinned(case: _Case) -> Iterator[Outcome]:
    hidden = case.result.settings.no_category_names
    for name, wanted in case.policy.settings.items():
        stored = setting_as_stored(case.result.settings, name)
        met = (mask_marks(stored) == mask_marks(wanted)) if hidden and name == "declared" else stored == wanted
        given, asked = (hide_marks(one, _marks) if hidden else one for one in (stored, wanted))
        value = float(given) if isinstance(given, int | float) else None
        numbers = {"name": name, "given": _setting(given, asked), "asked": _setting(asked, given)}
        limit = sentence("rule.exactly", limit=numbers["asked"])
        yield _outcome(f"settings.{name}", limit, met=met, words="setting", value=value, numbers=numbers)


def _limit(case: _Case, name: str, limit: Limit) -> Outcome:
    """Hold a score against its limits; what was not measured, and what compares nothing, never passes."""
    metric = name.partition(".")[0]
    score, why = _score(case.result, name)
    asked = _range(limit, None if score is None else score.unit)
    if score is None:
        return _outcome(name, asked, words="not_measured", metric=metric, name=one_line(name), reason=why)
    if score.note == "reference_zero":
        return _outcome(name, asked, words="compares_nothing", metric=metric, value=score.value, name=one_line(name))
    met = (limit.min is None or score.value >= limit.min) and (limit.max is None or score.value <= limit.max)
    ends = [end for end in (limit.min, limit.max) if end is not None]
    numbers = {"name": one_line(name), "shown": _number(score.unit, score.value, ends), "asked": asked}
    return _outcome(name, asked, met=met, words="limit", metric=metric, value=score.value, numbers=numbers)


def _against_baseline(case: _Case) -> Iterator[Outcome]:
    """The rules on the older result: that it compares, that the level is no worse, and how much the scores may lose."""
    older, allowed = case.baseline, case.policy.worsening
    if older is None:
        if allowed:
            yield case.waived(_outcome("baseline", sentence("rule.comparable"), words="no_baseline"))
        return
    what = [sentence(f"rule.difference_{name}") for name in older.differences]
    facts = {"name": one_line(older.name), "created": older.created[:10], "version": older.version, "what": what}
    comparable = case.waived(_outcome("baseline", sentence("rule.comparable"), met=not what, numbers=facts))
    yield comparable
    if case.policy.fail_on != "never":
        yield case.waived(_level_against(case, older, compare=comparable.passes))
    for name, most in allowed.items():
        yield case.waived(_worsening(case, older, name, most, compare=comparable.passes))


def _level_against(case: _Case, older: Baseline, *, compare: bool) -> Outcome:
    rule, limit = "baseline.verdict", sentence("rule.no_worse", level=older.level)
    if not compare:
        return _outcome(rule, limit, words="incomparable")
    level = case.result.verdict.level
    met = LEVELS.index(level) <= LEVELS.index(older.level)
    return _outcome(rule, limit, met=met, words="baseline_verdict", level=level, older=older.level)


def _worsening(case: _Case, older: Baseline, name: str, most: float, *, compare: bool) -> Outcome:
    rule, (metric, _, key) = f"baseline.{name}", name.partition(".")
    score, why = _score(case.result, name)
    largest = _as_written(most, None if score is None else score.unit, difference=True)
    limit = sentence("rule.worse_by", limit=largest)
    before = older.scores.get(metric, {}).get(key)
    if score is None or before is None:
        reason = why or sentence("rule.not_in_baseline")
        return _outcome(rule, limit, words="not_measured", metric=metric, name=one_line(name), reason=reason)
    if not compare:
        return _outcome(rule, limit, words="incomparable", metric=metric, value=score.value)
    if compares_nothing(score):
        return _outcome(rule, limit, words="compares_nothing", metric=metric, value=score.value, name=one_line(name))
    worse = worse_by(score, before)
    numbers = {
        "name": one_line(name),
        "shown": _number(score.unit, score.value, (before,)),
        "before": _number(score.unit, before, (score.value,)),
        "worse": worse > 0,
        "by": _number(score.unit, abs(worse), (most,), difference=True),
        "most": largest,
    }
    return _outcome(
        rule, limit, met=worse <= most, words="worsening", metric=metric, value=score.value, numbers=numbers
    )


def _outcome(
    rule: str,
    limit: str,
    *,
    met: bool = False,
    words: str = "",
    metric: str | None = None,
    value: float | None = None,
    numbers: Mapping[str, Any] = {},
    **more: Any,
) -> Outcome:
    text = sentence(f"rule.{words or rule}", met=met, **numbers, **more)
    return Outcome(rule, met, limit, text, metric, value)


def _score(result: Result, name: str) -> tuple[Score | None, str]:
    """Return a score by `metric.score`, or None and why there is none."""
    metric, _, key = name.partition(".")
    outcome = result.metrics.get(metric)
    if isinstance(outcome, Measured):
        found = outcome.scores.get(key)
        return found, "" if found else sentence("rule.no_such_score", kind=result.holdout.kind)
    return None, sentence("rule.no_such_metric") if outcome is None else outcome.reason


def _range(limit: Limit, unit: Unit | None) -> str:
    ends = {"at_least": limit.min, "at_most": limit.max}
    texts = [sentence(f"rule.{name}", limit=_as_written(end, unit)) for name, end in ends.items() if end is not None]
    return sentence("rule.both", first=texts[0], second=texts[1]) if len(texts) > 1 else texts[0]


IN_PERCENT = {"percent": 1, "share": 100}
"""What a value of the result file is multiplied by to be read in percent; others are read as they stand there."""


def _as_written(limit: float, unit: Unit | None, *, difference: bool = False) -> str:
    """Write a limit with the digits that the policy has, in the unit that reports give the score in."""
    factor = IN_PERCENT.get(unit or "")
    if factor is None:
        return f"{limit:.15g}"
    return _in_percent(f"{factor * limit:.12g}", difference=difference)


def _number(unit: Unit, value: float, limits: Iterable[float] = (), *, difference: bool = False) -> str:
    """Write a value in the unit that reports give it in, on the right side of its limits."""
    factor = IN_PERCENT.get(unit)
    if factor is not None:
        text = decimals(factor * value, 2, (0, *(factor * limit for limit in limits)))
        return _in_percent(text, difference=difference)
    if unit == "count":
        return count(int(value)) if value == int(value) else decimals(value, 1, limits)
    if unit == "probability" and abs(value) >= SMALLEST_IN_DECIMALS:
        return decimals(value, 3, (0, *limits))
    return significant(value, 2 if unit == "probability" else 4, (0, *limits))


def _in_percent(text: str, *, difference: bool) -> str:
    return sentence("rule.points", number=text) if difference else f"{text} %"


def _marks(number: int) -> str:
    return sentence("provenance.marks_not_named", marks=number)


def _setting(value: Any, other: Any) -> str:
    """Write a setting on one line; of a table only what differs from the other one."""
    if isinstance(value, list):
        return one_line(", ".join(map(str, value))) or sentence("rule.empty")
    if isinstance(value, dict):
        differing = {key: one for key, one in sorted(value.items()) if one != other.get(key)}
        return ", ".join(f"{key} {_in_table(one)}" for key, one in differing.items()) or sentence("rule.default")
    if isinstance(value, bool):
        return sentence(f"provenance.{'yes' if value else 'no'}")
    return sentence("rule.empty") if value in {None, ""} else one_line(str(value))


def _in_table(value: Any) -> str:
    """Write a value of a table: a limit, or what `[schema]` declares."""
    if isinstance(value, int | float):
        return f"{value:g}"
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _numbers(version: str) -> tuple[int, ...]:
    """Read the leading numbers of a version; trailing zeros are no difference."""
    numbers: list[int] = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
