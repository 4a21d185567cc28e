"""The user's own look of reports as the config file holds it: `[look]` with a logo and colours."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

Colour = Annotated[str, Field(pattern="^#[0-9A-Fa-f]{6}$")]
LONGEST_ALTERNATIVE = 200
"""Characters that say what the logo shows."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Colours(_Part):
    """Colours of one scheme, as #RRGGBB; None for the packaged one."""

    accent: Colour | None = None
    """Rules above the page and its sections, and links."""
    text: Colour | None = None
    """Words and lines of tables."""
    secondary: Colour | None = None
    """Words that can be skipped: units, notes, labels."""
    high: Colour | None = None
    """Of the verdict high, wherever it is shown; the same goes for the other three."""
    moderate: Colour | None = None
    low: Colour | None = None
    inconclusive: Colour | None = None

    def given(self) -> dict[str, str]:
        """Return the colours that were given, by key, in capitals."""
        return {name: value.upper() for name, value in self.model_dump(exclude_none=True).items()}


class LookTable(_Part):
    """The table `[look]`."""

    logo: Annotated[str, Field(min_length=1)] | None = None
    """SVG or PNG file, printed at the head of the first page."""
    logo_alternative: Annotated[str, Field(min_length=1, max_length=LONGEST_ALTERNATIVE)] | None = None
    """What the logo shows, for those who do not see it."""
    light: Colours = Colours()
    """Colours on white, on screens and on paper."""
    dark: Colours = Colours()
    """Colours on screens that are set to dark."""

    @model_validator(mode="before")
    @classmethod
    def _both(cls, table: Any) -> Any:
        if isinstance(table, dict) and ("logo" in table) != ("logo_alternative" in table):
            msg = "logo and logo_alternative belong together: give the file and what it shows"
            raise ValueError(msg)
        return table
