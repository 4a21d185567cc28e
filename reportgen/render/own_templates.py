"""The user's own templates, which take the place of packaged ones of the same name, and their faults in one line.

They are words and layout of a page that others will trust, and may come from others: they run in Jinja's sandbox, and
`own_page` holds the page they make against what every page promises.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import jinja2
from jinja2 import meta, nodes
from jinja2.exceptions import SecurityError

from reportgen.errors import InputError, ReportgenError
from reportgen.files import read_bounded
from reportgen.shown import escaped, one_line, suggestion

ENDING = ".html"
LARGEST = 2**20
"""Bytes of one template."""
MOST = 200
"""Templates in a folder."""
_SHOWN = 160
"""Characters of what Jinja says."""


def read_templates(folder: Path) -> dict[str, str]:
    """Read every template of a folder by its name below it; InputError where there is none, or one cannot be read."""
    shown = one_line(folder.name or str(folder))
    if not folder.is_dir():
        msg = f"{shown}: is no folder; give the folder that holds your templates with --template-dir"
        raise InputError(msg)
    paths = sorted(path for path in folder.rglob(f"*{ENDING}") if path.is_file() and not _hidden(path, folder))
    if not paths:
        msg = f"{shown}: holds no template; name files as the packaged ones, for example summary.html"
        raise InputError(msg)
    if len(paths) > MOST:
        msg = f"{shown}: holds more than {MOST} templates; give a folder of your templates alone"
        raise InputError(msg)
    return {path.relative_to(folder).as_posix(): _read(path, folder) for path in paths}


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _read(path: Path, folder: Path) -> str:
    try:
        return read_bounded(path, LARGEST, "template").decode("utf-8")
    except UnicodeDecodeError:
        msg = f"{_name(path.relative_to(folder).as_posix())}: not UTF-8; save it as UTF-8"
        raise InputError(msg) from None


def check_templates(
    sources: Mapping[str, str], environment: jinja2.Environment, packaged: tuple[str, ...], known: set[str]
) -> None:
    """Raise InputError, before anything is measured, for faults that can be seen without a result.

    `packaged` are the names of the packaged templates, `known` the names that templates are given. The faults are: a
    syntax error, an unknown filter, a name that no template is given, and a file that takes the place of no packaged
    template and is used by no other.
    """
    used: set[str | None] = set()
    trees = {}
    for name, source in sources.items():
        try:
            trees[name] = environment.parse(source, name, name)
            environment.compile(source, name, name)
        except (jinja2.TemplateSyntaxError, RecursionError) as error:
            raise _of_syntax(error, name) from None
        used |= set(meta.find_referenced_templates(trees[name]))
    for name in sources:
        if name not in packaged and name not in used:
            msg = f"{_name(name)}: no template of reportgen is called so{suggestion(name, packaged)}, and none uses it"
            raise InputError(msg)
    for name, tree in trees.items():
        for line, unknown in sorted(_unknown(tree, known)):
            msg = (
                f"{_name(name)}, line {line}: {one_line(unknown)!r} is undefined{suggestion(unknown, sorted(known))}; "
                "correct the template"
            )
            raise InputError(msg)


def given_names(environment: jinja2.Environment, packaged: tuple[str, ...]) -> set[str]:
    """Return the names that the packaged templates, those of `environment`, use and do not make themselves."""
    loader = environment.loader or jinja2.DictLoader({})
    sources = (loader.get_source(environment, name)[0] for name in packaged)
    return set().union(*(meta.find_undeclared_variables(environment.parse(source)) for source in sources))


def _unknown(tree: nodes.Template, known: set[str]) -> Iterator[tuple[int, str]]:
    undeclared = meta.find_undeclared_variables(tree) - known
    for node in tree.find_all(nodes.Name):
        if node.name in undeclared:
            yield node.lineno, node.name


def _of_syntax(error: BaseException, name: str) -> InputError:
    line = getattr(error, "lineno", 1)
    said = escaped((getattr(error, "message", "") or "nested too deeply")[:_SHOWN])
    return InputError(f"{_name(name)}, line {line}: {said.rstrip('.')}; correct the template")


def filled(fill: Callable[[], str], names: tuple[str, ...]) -> str:
    """Fill templates; turn a fault that one of the user's own brings about into an InputError with file and line."""
    try:
        return fill()
    except ReportgenError:
        raise
    except Exception as error:
        place = _place(error, names)
        if place is None:
            raise
        fault = InputError(f"{place}: {_said(error)}; correct the template")
    raise fault


def _place(error: BaseException, names: tuple[str, ...]) -> str | None:
    """Name the last line of the user's templates that was being filled; Jinja's tracebacks name templates as files."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in names]
    return f"{_name(lines[-1].filename)}, line {lines[-1].lineno}" if lines else None


def _said(error: BaseException) -> str:
    """Say what went wrong; only Jinja's own words, which name variables, are shown: others may quote a result."""
    if isinstance(error, jinja2.TemplateNotFound):
        return f"there is no template {one_line(str(error.name))!r}"
    if isinstance(error, jinja2.UndefinedError | SecurityError):
        return escaped(str(error.message or "something is undefined")[:_SHOWN]).rstrip(".")
    if isinstance(error, RecursionError):
        return "the templates use each other without end"
    return f"cannot be filled ({type(error).__name__})"


def _name(name: str) -> str:
    return f"template {one_line(name)}"
