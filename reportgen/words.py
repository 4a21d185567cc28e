"""The catalog of words: every sentence of results and reports stands once, in `templates/text/<language>.toml`.

An entry is a small Jinja template over the numbers it needs. A missing number is an error, never a gap in a sentence.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from typing import Any

import jinja2

from reportgen import rounding, subject
from reportgen._resources import resource

_LANGUAGE = "en"


def plural(number: int, one: str, many: str) -> str:
    """Return `one` for 1, otherwise `many`, behind the number: "1 row", "2,000 rows"."""
    return f"{rounding.count(number)} {one if number == 1 else many}"


def named(keys: Sequence[str]) -> str:
    """Return the names of metrics in a row, "A, B and C"."""
    names = [catalog()["metric"][key]["name"] for key in keys]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def add_filters(environment: jinja2.Environment) -> None:
    """Give an environment the filters that turn numbers into text."""
    environment.filters |= {
        "count": rounding.count,
        "decimals": rounding.decimals,
        "percent": rounding.percent,
        "p_value": rounding.p_value,
        "significant": rounding.significant,
        "plural": plural,
        "named": named,
    }


@functools.cache
def _environment() -> jinja2.Environment:
    # Autoescape is off: the sentences are plain text for JSON, terminals and HTML alike; the HTML templates escape
    # them when they are put into a page.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)  # noqa: S701
    add_filters(environment)
    return environment


def catalog(language: str = _LANGUAGE) -> dict[str, Any]:
    """Return the whole catalog of a language as nested dictionaries, in the words for what is spoken of."""
    return _catalog(language, subject.current())


@functools.cache
def _catalog(language: str, of: subject.Subject) -> dict[str, Any]:
    words = _read(language) | _read(f"{language}_summary")
    if of == "tables":
        return words
    own = _read(f"{language}_{of}")
    return subject.for_signals(words, own) if of == "signals" else subject.for_persons(words, own)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(resource("templates", "text", f"{name}.toml").read_text(encoding="utf-8"))


@functools.cache
def _template(key: str, language: str, of: subject.Subject) -> jinja2.Template | str:
    """Return an entry, compiled where it has anything to fill in: most have not, and compiling takes its time."""
    entry: Any = _catalog(language, of)
    for part in key.split("."):
        entry = entry[part]
    if not isinstance(entry, str):
        raise KeyError(key)
    return _environment().from_string(entry.strip()) if "{" in entry else entry.strip()


def sentence(key: str, /, language: str = _LANGUAGE, **numbers: Any) -> str:
    """Return one entry of the catalog, such as "verdict.no_true_holdout", filled with its numbers."""
    entry = _template(key, language, subject.current())
    return entry if isinstance(entry, str) else entry.render(numbers)
