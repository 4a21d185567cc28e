"""The release policy: what a result must hold to pass the gate, from the table `[policy]` of a TOML file.

A policy is data. `reportgen.gate` reads a result against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from reportgen.bounds import LONGEST_NAME
from reportgen.declared import mask_marks
from reportgen.errors import InputError
from reportgen.score_names import SCORES, all_names, full_name, is_score
from reportgen.settings import FailOn, Settings, make_settings, refuse_low
from reportgen.shown import one_line, suggestion

LEVEL_RULES = ("verdict", "measured", "tolerance", "holdout", "age", "tool_version", "baseline", "baseline.verdict")
"""Rules that are not made from the name of a score or a setting."""
MOST_RULES = 10_000
ScoreName = Annotated[str, Field(max_length=2 * LONGEST_NAME + 100)]
"""Also of a column: `exact_copies.column:NAME:reused`."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


Number = Annotated[float, Field(strict=True)]
"""A number; neither a text that looks like one nor true or false."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Limit(_Part):
    """The values of a score that pass, in the score's own unit as it stands in the result; both ends pass."""

    min: Number | None = None
    max: Number | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.min is None and self.max is None:
            msg = "give min, max or both, as in {min = 95}"
            raise ValueError(msg)
        if self.min is not None and self.max is not None and self.min > self.max:
            msg = "min is larger than max"
            raise ValueError(msg)
        return self


class Waiver(_Part):
    """One rule that may fail until a day, that day included (UTC)."""

    rule: ScoreName
    """As the gate prints it: `closest_rate.rate`, `verdict`, `settings.seed`; a bare metric is its main score."""
    reason: Text
    by: Text
    """Who answers for it."""
    until: date
    level: Annotated[str, Field(max_length=100)] | None = None
    """For the rule `verdict` only, and required there: the worst level that is waived."""

    @field_validator("until", mode="before")
    @classmethod
    def _day(cls, day: Any) -> Any:
        """Take a day as a result file writes it, where every type is read strictly."""
        try:
            return date.fromisoformat(day) if isinstance(day, str) else day
        except ValueError:
            return day

    @field_validator("rule")
    @classmethod
    def _known_rule(cls, rule: str) -> str:
        named = full_name(rule)
        for prefix in ("baseline.", ""):
            if named.startswith(prefix) and is_score(full_name(named.removeprefix(prefix))):
                return prefix + full_name(named.removeprefix(prefix))
        setting = named.removeprefix("settings.")
        if named in LEVEL_RULES or (setting != named and setting in Settings.model_fields):
            return named
        known = [*LEVEL_RULES, *all_names(), *(f"settings.{name}" for name in Settings.model_fields)]
        msg = f"no rule is called '{one_line(rule)}'{suggestion(rule, known)}"
        raise ValueError(msg)

    @model_validator(mode="after")
    def _level_of_a_verdict(self) -> Self:
        levels = ("inconclusive", "moderate", "high")
        if self.rule == "verdict" and self.level not in levels:
            msg = f"a waiver of the verdict names the worst level it waives: level = one of {', '.join(levels)}"
            raise ValueError(msg)
        if self.rule != "verdict" and self.level is not None:
            msg = "level belongs to a waiver of the verdict only"
            raise ValueError(msg)
        return self


class Policy(_Part):
    """What passes the gate. Every key but `fail_on` adds rules; without them the level alone decides."""

    fail_on: FailOn = "inconclusive"
    """The gate fails at this level and above; `never` leaves the level out of it."""
    max_tolerance: Annotated[Number, Field(ge=0, le=100)] | None = None
    """Largest tolerance, in percent of the synthetic rows, that a run may have been declared with."""
    require_holdout: Annotated[bool, Field(strict=True)] = False
    """Whether real rows that the generator never saw must have been given."""
    max_age_days: Annotated[Number, Field(gt=0)] | None = None
    """Oldest result that passes, in days since it was created."""
    min_tool_version: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)*$", max_length=100)] | None = None
    """Oldest version of reportgen that may have measured."""
    settings: dict[str, JsonValue] = {}
    """Settings by name, and the value that the run must have had."""
    limits: Annotated[dict[ScoreName, Limit], Field(max_length=MOST_RULES)] = {}
    """Limits by `metric.score`."""
    worsening: Annotated[dict[ScoreName, Annotated[Number, Field(ge=0)]], Field(max_length=MOST_RULES)] = {}
    """By `metric.score`, how much worse than in the baseline a score may be, in its unit."""
    waivers: Annotated[tuple[Waiver, ...], Field(max_length=MOST_RULES)] = ()

    def as_told(self) -> Policy:
        """Return the policy as a result holds it that names no text of a cell."""
        pinned = {name: mask_marks(value) if name == "declared" else value for name, value in self.settings.items()}
        return self.model_copy(update={"settings": pinned})

    @model_validator(mode="before")
    @classmethod
    def _limits_of_scores(cls, given: Any) -> Any:
        """Take limits written in `[policy]` itself, and those whose dot TOML read as a table in a table."""
        if not isinstance(given, dict):
            return given
        values = {key: value for key, value in given.items() if key.split(".")[0] not in SCORES}
        here = {key: value for key, value in given.items() if key not in values}
        for key, more, nested in (("limits", here, False), ("worsening", {}, True)):
            table = values.get(key, {})
            if not isinstance(table, dict):
                continue
            named: dict[str, Any] = {}
            for name, value in (*_by_score(table, nested=nested), *_by_score(more, nested=nested)):
                if name in named:
                    msg = f"'{one_line(name)}' is named twice in {key}"
                    raise ValueError(msg)
                named[name] = value
            if named:
                values[key] = named
        if isinstance(values.get("waivers"), list):
            values["waivers"] = tuple(values["waivers"])
        return values

    @field_validator("fail_on", mode="before")
    @classmethod
    def _can_be_met(cls, level: Any) -> Any:
        return refuse_low(level)

    @field_validator("limits", "worsening")
    @classmethod
    def _known_scores(cls, table: dict[str, Any]) -> dict[str, Any]:
        for name in table:
            if not is_score(name):
                msg = f"no score is called '{one_line(name)}'{suggestion(name, all_names())}"
                raise ValueError(msg)
        return dict(sorted(table.items()))

    @field_validator("settings", mode="before")
    @classmethod
    def _known_settings(cls, pinned: Any) -> Any:
        if not isinstance(pinned, dict):
            return pinned
        for name in pinned:
            if name not in Settings.model_fields:
                msg = f"no setting is called '{one_line(name)}'{suggestion(name, Settings.model_fields)}"
                raise ValueError(msg)
        try:
            return {name: setting_as_stored(make_settings({name: value}), name) for name, value in pinned.items()}
        except InputError as error:
            raise ValueError(str(error)) from None

    @field_validator("waivers")
    @classmethod
    def _one_a_rule(cls, waivers: tuple[Waiver, ...]) -> tuple[Waiver, ...]:
        rules = [waiver.rule for waiver in waivers]
        for rule in rules:
            if rules.count(rule) > 1:
                msg = f"'{one_line(rule)}' is waived twice; leave one waiver"
                raise ValueError(msg)
        return waivers


def setting_as_stored(settings: Settings, name: str) -> Any:
    """Return a setting as it stands in the result file."""
    return settings.model_dump(mode="json")[name]


def make_policy(values: Any, where: str = "") -> Policy:
    """Validate a table `[policy]`; raise InputError, one line, that begins with `where`, where something is wrong."""
    try:
        return Policy.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = [str(part) for part in first["loc"]]
        if first["type"] == "extra_forbidden":
            keys, also = _known_keys(place[:-1])
            near = suggestion(place[-1], (*keys, *also))
            msg = f"{where}policy: unknown key '{one_line(place[-1])}'{near}; known are {', '.join(keys)}"
        else:
            name = f" '{one_line('.'.join(place))}':" if place else ""
            msg = f"{where}policy:{name} {_what_is_wrong(first['type'], first['msg'], place)}"
        raise InputError(msg) from None


_WRONG = {
    "missing": "is missing",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "string_too_short": "is empty",
    "string_too_long": "is longer than 500 characters",
    "string_pattern_mismatch": "must be a version, as '0.1.0'",
}


def _what_is_wrong(kind: str, message: str, place: list[str]) -> str:
    """Say in our words what pydantic says in its own."""
    if kind.startswith("date"):
        return "must be a day, as 2026-12-31"
    if kind in {"model_type", "model_attributes_type"}:
        return "must be a table, as {min = 95}" if place[:1] == ["limits"] else "must be a table"
    if kind in _WRONG:
        return _WRONG[kind]
    return re.sub(r"^(Value error, |Input )", "", message).replace("should be", "must be")


def _known_keys(place: list[str]) -> tuple[list[str], list[str]]:
    """The keys of a table, and what else may be meant by a key there."""
    if place[:1] == ["limits"]:
        return list(Limit.model_fields), []
    if place[:1] == ["waivers"]:
        return list(Waiver.model_fields), []
    return list(Policy.model_fields), all_names()


def _by_score(table: Mapping[str, Any], *, nested: bool) -> Iterator[tuple[str, Any]]:
    """Name main scores, and flatten `{metric: {score: value}}`, which TOML makes of an unquoted `metric.score`.

    `nested` tells that a table below a metric can be nothing else; without it only a table that holds tables is one.
    """
    for key, value in table.items():
        if (
            isinstance(value, dict)
            and key in SCORES
            and (nested or any(isinstance(one, dict) for one in value.values()))
        ):
            yield from ((f"{key}.{score}", limit) for score, limit in value.items())
        else:
            yield full_name(key), value
