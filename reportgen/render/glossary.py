"""The glossary: of all terms of the catalog those that a report uses, in its texts or in the meanings of such terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass

from reportgen.render.view import Cell, Numbering, Picture, Table, heads
from reportgen.words import catalog, sentence

_BETWEEN_WORDS = re.compile(r"[\W]+")


def glossary_table(parts: Iterable[object], numbering: Numbering) -> Table:
    """Build the glossary of everything that a report shows."""
    terms = used_terms(texts(parts))
    return Table(
        label=numbering.table(),
        caption=sentence("glossary.caption"),
        heads=heads(sentence("glossary.term"), sentence("glossary.meaning")),
        rows=tuple((Cell(term["name"]), Cell(term["meaning"])) for term in terms),
        layout="facts",
    )


def texts(view: object) -> Iterator[str]:
    """Every text in a view and in all that it holds, apart from figures; of a picture what stands in place of it."""
    if isinstance(view, str):
        yield view
    elif isinstance(view, Cell):
        if view.style != "num":  # figures, most of what a report holds
            yield from (view.text, view.unit, view.under)
    elif isinstance(view, Picture):
        yield view.alternative
    elif is_dataclass(view):
        for part in vars(view).values():
            yield from texts(part)
    elif isinstance(view, Iterable):
        for part in view:
            yield from texts(part)


def used_terms(found: Iterable[str]) -> tuple[dict[str, str], ...]:
    """The terms that occur in texts, and those that their own meanings use, by name."""
    terms: dict[str, dict[str, str]] = catalog()["glossary"]["terms"]
    used: set[str] = set()
    words = as_words(" | ".join(dict.fromkeys(found)))
    while more := {key for key in terms.keys() - used if occurs(terms[key]["forms"], words)}:
        used |= more
        words = as_words(" | ".join(terms[key]["meaning"] for key in sorted(more)))
    return tuple(sorted((terms[key] for key in used), key=lambda term: term["name"].casefold()))


def as_words(text: str) -> str:
    """Write a text as its words in lower case with one blank around each, so that a form is found by plain search."""
    return f" {_BETWEEN_WORDS.sub(' ', text.lower())} "


def occurs(forms: str, words: str) -> bool:
    """Whether one of the forms, which "|" separates, occurs among the words of `as_words`."""
    return any(f" {form} " in words for form in forms.split("|"))
