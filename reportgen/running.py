"""How a run is carried out: where its inputs and outputs are, how much it says, on how many threads.

Nothing here changes a number or a word of a result, so nothing of it is a setting; but it comes from the same places:
option, `REPORTGEN_*`, config file, default.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from reportgen.errors import InputError
from reportgen.look import LookTable
from reportgen.shown import one_line

SEVERAL = ("output",)
"""Fields that hold several names."""
LOOK = ("template_dir", "look")
"""Fields that say how reports look; every command that draws reads them."""
TABLES = ("look",)
"""Fields that are tables of their own, which neither an option nor a variable can hold."""


class Running(BaseModel):
    """Names are those of the options, with `_` for `-`. Paths start from the working folder, wherever they stand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    holdout: str | None = None
    """Real rows that the generator never saw."""
    output: tuple[str, ...] = ()
    """Files to write, the suffix being the format; empty for a summary on stdout."""
    baseline: str | None = None
    """An older result to compare with."""
    template_dir: str | None = None
    """Folder of templates that take the place of packaged ones of the same name."""
    look: LookTable | None = None
    """Logo and colours of the reports; a table of its own."""
    sign_key: str | None = None
    """Key that signs every PDF: PKCS#12, or PEM with `sign_cert`."""
    sign_cert: str | None = None
    """Certificate of a PEM key; further ones in the file are its chain."""
    sign_passphrase_file: str | None = None
    """File whose first line opens the key; without it the variable REPORTGEN_SIGN_PASSPHRASE does."""
    jobs: Annotated[int, Field(ge=1)] | None = None
    """Threads; None for one a processor."""
    checkpoint: str | None = None
    """Folder that keeps answers of searches while a run lasts, so that an interrupted run goes on where it was."""
    scheduler: str | None = None
    """Address of the Dask scheduler whose workers search, project and permute."""
    workers: Annotated[int, Field(ge=1)] | None = None
    """So many worker processes on this machine search, project and permute."""
    max_minutes: Annotated[float, Field(gt=0, le=525_600, allow_inf_nan=False)] | None = None
    """Time that measuring may take; it picks a number of queries, which the result keeps as the setting max_queries."""
    dry_run: bool = False
    """Whether to print how each column was understood, and measure nothing."""
    quiet: bool = False
    """Whether to say nothing but errors and the closing line of the gate."""
    verbose: bool = False
    """Whether to say more, and to show where an internal error was raised."""

    @field_validator("output", mode="before")
    @classmethod
    def _several(cls, names: Any) -> Any:
        return (names,) if isinstance(names, str) else names


def make_running(values: dict[str, Any], where: str = "") -> Running:
    """Validate by name; raise InputError, one line, that begins with `where`, where one is of the wrong kind."""
    try:
        return Running.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        kinds = {
            "tuple_type": "give a list of files",
            "string_type": "must be text",
            "extra_forbidden": "is not known",
            "string_pattern_mismatch": "give a colour as #RRGGBB",
            "string_too_short": "must not be empty",
            "model_type": "give a table with a line a setting",
            "value_error": first["msg"].removeprefix("Value error, "),
        }
        message = kinds.get(first["type"], first["msg"].split(",")[0].replace("Input should be", "must be"))
        message = message.replace("String should", "must")
        name = ".".join(one_line(str(part)) for part in first["loc"][: 3 if first["loc"][0] in TABLES else 1])
        msg = f"{where}setting {name!r}: {message}"
        raise InputError(msg) from None
