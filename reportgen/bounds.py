"""How long what comes from outside may be: names, and texts that people write."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

LONGEST_NAME = 1000
"""Characters of the name of a column, a lead or a file, and of a title."""
LONGEST_TEXT = 20_000
"""Characters of a sentence, or of what the user wrote about the data."""
MOST_COLUMNS = 100_000
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
