"""What the user states about the data and answers for: generator, sign-off. Words of a report, never checked."""

from __future__ import annotations

from datetime import date, time
from math import isfinite
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from reportgen.bounds import LONGEST_NAME, Name
from reportgen.shown import shown_name

LONGEST_LINE = 300
"""Characters of a line of the sign-off, which stands on one page with everything else."""
MOST_PARAMETERS = 200
"""Parameters of a generator, and values of one of them."""
Line = Annotated[str, Field(max_length=LONGEST_LINE)]
Scalar = bool | int | float | Name
Parameters = Annotated[
    dict[Name, Scalar | Annotated[tuple[Scalar, ...], Field(max_length=MOST_PARAMETERS)]],
    Field(max_length=MOST_PARAMETERS),
]


class SignOff(BaseModel):
    """Who answers for the assessment. Empty lines are printed as "not supplied"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    assessor: Line = ""
    """Who assessed, and in which role."""
    date: Line = ""
    """Day of the decision."""
    decision: Line = ""
    """What was decided on the release, and on which conditions."""
    next_review: Line = ""
    """When the assessment is to be looked at again, or on what event."""

    @field_validator("*", mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        return as_text(value)


def as_text(value: Any) -> Any:
    """Write a date or time of a TOML file as text; refuse text that cannot be written down."""
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, str) and value.encode(errors="replace").decode() != value:
        msg = "holds bytes that are no UTF-8 text"
        raise ValueError(msg)
    return value


def plain_parameters(table: Any) -> Any:
    """Return parameters by name in order, with dates as text; ValueError where one is no value or list of values.

    The order is that of result files, so that a report is the same before and after its result was written.
    """
    if not isinstance(table, dict):
        msg = "give a table with a line a parameter"
        raise ValueError(msg)  # noqa: TRY004 -- pydantic reports only these
    written = {as_text(name): _parameter(name, value) for name, value in table.items()}
    return dict(sorted(written.items(), key=lambda one: str(one[0])))


def _parameter(name: Any, value: Any) -> Any:
    values = [as_text(one) for one in (value if isinstance(value, list | tuple) else (value,))]
    for one in values:
        fault = ""
        if not isinstance(one, bool | int | float | str):
            fault = "give text, a number, true or false, or a list of such"
        elif isinstance(one, str) and len(one) > LONGEST_NAME:
            fault = f"must have at most {LONGEST_NAME} characters"
        elif isinstance(one, int) and not -(2**63) <= one < 2**63:
            fault = "a whole number has at most 64 bits; write it as text"
        elif isinstance(one, float) and not isfinite(one):
            fault = "must be a finite number; write it as text"
        if fault:
            msg = f"{shown_name(str(name))}: {fault}"
            raise ValueError(msg)
    return tuple(values) if isinstance(value, list | tuple) else values[0]
