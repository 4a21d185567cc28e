"""The settings of an assessment: everything that changes a number or a word of the report, with its default.

How a run is carried out (threads, progress, where the outputs go) is no setting: it must not change the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from reportgen.bounds import Name, Text
from reportgen.declared import Schema
from reportgen.errors import InputError
from reportgen.shown import one_line

FailOn = Literal["inconclusive", "moderate", "high", "never"]
"""Not `low`: no result lies below it, so that a gate which fails on it could never be met."""
METRIC_KEYS = (
    "exact_copies",
    "leak_test",
    "leak_size",
    "holdout_share",
    "membership_inference",
    "closer_than_people",
    "distance_to_closest",
    "closest_distances_ratio",
    "closest_rate",
    "nndr",
    "nn_dist",
    "singling_out",
    "linkability",
    "inference",
)
"""Every metric of the result, in the order of the report."""


FEWEST_QUERIES = 100
"""Percentiles and rates of fewer rows say next to nothing."""
FROM_FILES = ("thresholds", "declared")
"""Settings that are tables of their own, which neither an option nor a variable can hold."""
LISTS = ("metric", "key", "ignore", "numeric", "categorical", "secret", "link", "link_with")
"""Settings that hold several names."""
SWITCHES = ("no_category_names",)
"""Settings that are true or false."""


class Thresholds(BaseModel):
    """Every limit that the level is read against. Changing one changes what the level means; the report lists them."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    leak_test: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Level of the leak test, the only primary test."""
    holdout_share_margin: Annotated[float, Field(ge=0, le=50)] = 5.0
    """Percentage points by which the lower bound of the holdout share must exceed its null to make a leak high."""
    identifier_reuse: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Level of the test for reused identifiers, after Holm over the columns."""
    closer_than_people: Annotated[float, Field(gt=0, lt=1)] = 0.01
    """Level of closer_than_people beside a true holdout."""
    closer_than_people_alone: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Level of closer_than_people where there is no true holdout."""
    secondary: Annotated[float, Field(gt=0, lt=1)] = 0.01
    """Level of the secondary tests and attacks, after Holm among them."""
    leaky_holdout: Annotated[float, Field(gt=0, lt=1)] = 0.01
    """Level of the test for a holdout that shares rows with the original."""
    leaky_share: Annotated[float, Field(gt=0, le=100)] = 5.0
    """Percent of the holdout that may equal original rows, unless the original has as many twins itself."""
    swapped_roles: Annotated[float, Field(gt=0, lt=1)] = 0.01
    """Level of the mirrored leak test, which tells that original and holdout are exchanged."""
    same_as_holdout: Annotated[float, Field(gt=0, le=100)] = 95.0
    """From this percentage of synthetic rows with an identical holdout row on, the holdout is the synthetic table."""
    disjoint_supports: Annotated[float, Field(ge=0, le=100)] = 5.0
    """Percent of synthetic rows that must lie as near to a real row as real rows lie to each other."""
    fewest_rows: Annotated[int, Field(ge=2, le=2**31)] = 20
    """Fewer rows than this in any table carry no verdict."""
    smallest_leak: Annotated[float, Field(gt=0)] = 2.0
    """Times the tolerance: a low level needs a smallest noticed leak within it."""


class Settings(BaseModel):
    """All settings in force. Names are those of the options of `reportgen assess`, with `_` for `-`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: tuple[str, ...] = ()
    """Measure only these metrics; empty for all that apply."""
    key: tuple[Name, ...] = ()
    """Columns that identify a person or row: left out of the distances."""
    ignore: tuple[Name, ...] = ()
    """Columns left out of every measurement."""
    group: Name | None = None
    """Column whose value names the person that a row belongs to: rows of one person are kept together."""
    numeric: tuple[Name, ...] = ()
    """Columns taken as numbers, whatever was detected."""
    categorical: tuple[Name, ...] = ()
    """Columns taken as categories, whatever was detected."""
    projection: Literal["famd", "none"] = "famd"
    components: Annotated[int, Field(ge=1, le=2**31)] | Literal["all"] = "all"
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    tolerance: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Leak that the user accepts, in percent of the synthetic rows."""
    fail_on: FailOn = "inconclusive"
    draws: Annotated[int, Field(ge=1, le=1000)] = 20
    """Random draws where a base is drawn down or the holdout is approximate."""
    resamples: Annotated[int, Field(ge=100, le=100_000)] = 1000
    """Bootstrap resamples behind each interval."""
    closest_rate_percentile: Annotated[float, Field(gt=0, lt=50)] = 5.0
    """Percentile of the holdout's distances and ratios that sets the Closest Rate's thresholds (seed 001)."""
    tail_percentile: Annotated[float, Field(gt=0, lt=50)] = 2.5
    """Percentile that stands for the lower tail ("outlier") in the reference-based metrics (seed 000)."""
    nndr_threshold: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Ratio below which a synthetic row counts as sitting on one original row (seed 004)."""
    dropped_queries: Annotated[int, Field(ge=100, le=2**31)] = 5000
    """Most synthetic rows that are searched with columns left out (the base is never drawn down)."""
    max_queries: Annotated[int, Field(ge=FEWEST_QUERIES, le=2**31)] | None = None
    """Most rows of each table that look for neighbours (no base is ever drawn down); None for all."""
    secret: tuple[Name, ...] = ()
    """Columns that the inference attack guesses; empty for every used column."""
    link: tuple[Name, ...] = ()
    """Columns of the one file that the linkability attack joins; empty for halves dealt out by their inertia."""
    link_with: tuple[Name, ...] = ()
    """Columns of the other file; empty for all that `link` leaves."""
    link_neighbours: Annotated[int, Field(ge=1, le=100)] = 1
    """Nearest synthetic rows that the linkability attack looks at in either file."""
    inference_tolerance: Annotated[float, Field(ge=0, le=100)] = 5.0
    """Percent of a number by which a guess may miss it; of a standard deviation for dates."""
    attacks: Annotated[int, Field(ge=1, le=100_000)] = 2000
    """Most rows of original and of holdout that are attacked, and predicates of a kind that are tried."""
    thresholds: Thresholds = Thresholds()
    declared: Annotated[Schema, Field(validation_alias=AliasChoices("schema", "declared"))] = Schema()
    """How files and columns are to be read where detection would be wrong; given as `schema`."""
    lead_names: tuple[Name, ...] = ()
    """Names of the leads of signals, in their order; empty for their numbers from 1."""
    sampling_rate: Annotated[float, Field(gt=0)] | None = None
    """Samples a second of signals, printed only: no feature depends on it."""
    title: Name | None = None
    context: Text = ""
    """What the data are and why they are assessed, in the user's words."""
    recipients: Text = ""
    """Who is to receive the synthetic data, in the user's words."""
    no_category_names: bool = False
    """Print no name of a category, not even of those that five or more original rows share."""
    lang: Literal["en"] = "en"

    def as_told(self) -> Settings:
        """Return the settings as the result holds them: without a text of a cell where none is to be named."""
        return self.model_copy(update={"declared": self.declared.masked()}) if self.no_category_names else self

    @field_validator("*", mode="before")
    @classmethod
    def _plain(cls, value: Any, info: ValidationInfo) -> Any:
        """Take one name for a list of one; refuse what converts without meaning it."""
        if isinstance(value, bool) and info.field_name not in SWITCHES:
            msg = "no setting but no_category_names is true or false"
            raise ValueError(msg)
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, str) and text.encode(errors="replace").decode() != text:
                msg = "holds bytes that are no UTF-8 text"
                raise ValueError(msg)
        if isinstance(value, list):
            return tuple(value)  # what a result file or a config file writes as a list
        return (value,) if isinstance(value, str) and info.field_name in LISTS else value

    @field_validator("lead_names", mode="before")
    @classmethod
    def _listed_leads(cls, names: Any) -> Any:
        return tuple(names.split(",")) if isinstance(names, str) else names

    @field_validator("lead_names")
    @classmethod
    def _distinct_leads(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        stripped = tuple(name.strip() for name in names)
        if not all(stripped) or any("," in name for name in stripped):
            msg = "give a name for each lead, separated by commas; a name is not empty and holds no comma"
            raise ValueError(msg)
        doubled = sorted({name for name in stripped if stripped.count(name) > 1})
        if doubled:
            msg = f"more than one lead is named {doubled[0][:60]!r}; give each its own name"
            raise ValueError(msg)
        return stripped

    @field_validator("fail_on", mode="before")
    @classmethod
    def _can_be_met(cls, level: Any) -> Any:
        return refuse_low(level)

    @field_validator("metric")
    @classmethod
    def _known_metrics(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        for key in keys:
            if key not in METRIC_KEYS:
                msg = f"unknown metric {key[:60]!r}; known are {', '.join(METRIC_KEYS)}"
                raise ValueError(msg)
        return keys


def refuse_low(level: Any) -> Any:
    """Return the level that a gate fails on; raise ValueError for the one that no result lies below."""
    if level == "low":
        msg = "low can never be met, since low is the lowest level; use inconclusive, moderate, high or never"
        raise ValueError(msg)
    return level


def make_settings(values: Mapping[str, Any], where: str = "") -> Settings:
    """Validate settings by name; raise InputError, one line, where one is unknown or out of range.

    `where` begins the message: the file or variable that a wrong setting came from.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = first["loc"]  # beyond the name it tells the member of a union, except in nested tables
        depth = {"thresholds": 2, "schema": 4}.get(str(place[0]) if place else "", 1)
        name = ".".join(one_line(str(part)) for part in place[:depth]) or "settings"
        msg = f"{where}setting {name!r}: {_what_is_wrong(first['type'], first['msg'])}"
        raise InputError(msg) from None


def _what_is_wrong(kind: str, message: str) -> str:
    """Say in our words what pydantic says in its own."""
    if kind == "extra_forbidden":
        return "is not a known setting"
    if kind in {"bool_parsing", "bool_type"}:
        return "must be true or false"
    if kind in {"tuple_type", "model_type"}:
        return "give a list of names" if kind == "tuple_type" else "give a table with a line a setting"
    for theirs, ours in (("Value error, ", ""), ("Input should be ", "must be "), ("String should ", "must ")):
        if message.startswith(theirs):
            return ours + message.removeprefix(theirs).removesuffix(", unable to parse string as an integer")
    return message
