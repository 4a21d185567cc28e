"""What is spoken of: rows of tables, rows of persons, or records of signals. One catalog of words serves all.

The catalog is written for tables. Where rows belong to persons (`--group`), the entries of `<language>_persons.toml`
take the place of those they name. For signals every "row" in it reads "record", the words in `[instead]` of
`<language>_signals.toml` are put in place of others, and its other entries take the place of those they name.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from reportgen.model import Result

Subject = Literal["tables", "persons", "signals"]

_subject: ContextVar[Subject] = ContextVar("subject", default="tables")
_EXPRESSION = re.compile(r"(\{\{.*?\}\}|\{%.*?%\})", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'")

Rest = ParamSpec("Rest")
Made = TypeVar("Made")


def current() -> Subject:
    """Return what is spoken of here."""
    return _subject.get()


@contextmanager
def speaking_of(subject: Subject) -> Iterator[None]:
    """Speak of one or the other within this block."""
    token = _subject.set(subject)
    try:
        yield
    finally:
        _subject.reset(token)


def in_its_words(render: Callable[Concatenate[Result, Rest], Made]) -> Callable[Concatenate[Result, Rest], Made]:
    """Let a function of a result speak of what the result is about."""

    @functools.wraps(render)
    def of_result(result: Result, /, *rest: Rest.args, **named: Rest.kwargs) -> Made:
        with speaking_of(_subject_of(result)):
            return render(result, *rest, **named)

    return of_result


def _subject_of(result: Result) -> Subject:
    if result.leads:
        return "signals"
    return "tables" if result.inputs.original.persons is None else "persons"


def for_persons(words: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Put the entries of `<language>_persons.toml` in place of those of the same name."""
    return _merged(dict(words), own)


def for_signals(words: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the catalog for tables into the one for signals; `own` is the content of `<language>_signals.toml`."""
    instead = {**own["instead"], "row": "record", "rows": "records", "Row": "Record", "Rows": "Records"}
    longest_first = sorted(instead, key=len, reverse=True)
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, longest_first)) + r")\b")

    def replaced(text: str) -> str:
        return pattern.sub(lambda found: instead[found[0]], text)

    def rewritten(entry: Any) -> Any:
        if isinstance(entry, str):
            return _outside_expressions(entry, replaced)
        if isinstance(entry, dict):
            return {key: rewritten(one) for key, one in entry.items()}
        return entry

    return _merged(rewritten(dict(words)), {key: entry for key, entry in own.items() if key != "instead"})


def _outside_expressions(template: str, replaced: Callable[[str], str]) -> str:
    """Replace words in the text of a template and in the quoted words of its expressions, never a name in them."""
    parts = _EXPRESSION.split(template)
    return "".join(
        _QUOTED.sub(lambda quoted: replaced(quoted[0]), part) if place % 2 else replaced(part)
        for place, part in enumerate(parts)
    )


def _merged(words: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Put the own entries in place of those of the same name, table by table."""
    both = dict(words)
    for key, entry in own.items():
        both[key] = _merged(both[key], entry) if isinstance(entry, dict) and key in both else entry
    return both
