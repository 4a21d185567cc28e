"""How a report writes the names of columns, and what a figure writes for those that it cannot draw.

Figures are drawn in the packaged faces alone, so that their bytes are the same on every machine; pages borrow other
letters from the machine, where it has any. A name that a figure cannot draw, or that differs there from another one in
blanks alone or not at all, stands in figures by the column's number in the original file. Everywhere else that number
follows the name. Letters of two scripts that look alike are not told apart.
"""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from dataclasses import dataclass

from reportgen.figures.labels import legible
from reportgen.model import Result
from reportgen.shown import one_line, visible
from reportgen.words import sentence


@dataclass(frozen=True)
class ColumnNames:
    """The columns of one result by name: their numbers in the original file, from 1, where figures show these."""

    numbers: dict[str, int]

    def written(self, name: str) -> str:
        """Write a name for pages: what breaks a line or turns its direction escaped, a number behind it if need be."""
        shown = visible(name)
        if name not in self.numbers:
            return shown
        return sentence("column.numbered", name=shown, number=self.numbers[name])

    def drawn(self, name: str) -> str:
        """Write a name for figures, on one line."""
        return sentence("column.number", number=self.numbers[name]) if name in self.numbers else _drawn(name)


def column_names(result: Result) -> ColumnNames:
    """Tell which columns of a result figures show by number."""
    return _column_names(tuple(column.name for column in result.columns))


@functools.lru_cache(maxsize=8)
def _column_names(names: tuple[str, ...]) -> ColumnNames:
    labels = [_drawn(name) for name in names]
    # A column that is called like another one's number has to stand by its own.
    pattern = sentence("column.number", number=0)
    numbers = {_look(pattern.replace("0", str(place))) for place in range(1, len(names) + 1)}
    looks = Counter(map(_look, labels))
    return ColumnNames(
        {
            name: place
            for place, (name, label) in enumerate(zip(names, labels, strict=True), 1)
            if legible(label) != label or looks[_look(label)] > 1 or _look(label) in numbers or not _look(label)
        }
    )


def _drawn(name: str) -> str:
    return unicodedata.normalize("NFC", one_line(name))


def _look(label: str) -> str:
    """What is seen of a label: blanks at its ends, of several kinds, and in a row are not."""
    return " ".join(label.split())
