"""What a run is to be, from all its sources: option > `REPORTGEN_*` > config file > default."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.policy import Policy, make_policy
from reportgen.running import LOOK, SEVERAL, TABLES, Running, make_running
from reportgen.settings import FROM_FILES, LISTS, Settings, make_settings
from reportgen.shown import one_line, shown_name, suggestion
from reportgen.toml_file import read_toml

DEFAULT_FILE = "reportgen.toml"
PREFIX = "REPORTGEN_"
SETTINGS = tuple("schema" if name == "declared" else name for name in Settings.model_fields)
"""Settings by the names that files give them."""
_TABLES = (*FROM_FILES, *TABLES)
PASSPHRASE = "sign_passphrase"  # noqa: S105 -- the name of a variable
"""Only a variable: no file of settings and no list of processes is to hold it."""
KNOWN = (*SETTINGS, *Running.model_fields)


@dataclass(frozen=True)
class Resolved:
    """Everything that was asked for, validated, and the config file that was read, None where there was none."""

    settings: Settings
    running: Running
    policy: Policy | None
    file: Path | None
    names_level: bool
    """Whether the file says at which level the gate fails."""


def resolve(options: Mapping[str, Any], environ: Mapping[str, str]) -> Resolved:
    """Merge the sources. `options` holds what the user gave, by name; `config` among them names the file to read."""
    file = _config_file(options, environ)
    content = {} if file is None else _read(file)
    policy = content.pop("policy", None)
    if isinstance(policy, Policy) and "fail_on" in policy.model_fields_set:
        content["fail_on"] = policy.fail_on
    names_level = "fail_on" in content
    merged = {**content, **_variables(environ), **options}
    settings, running = _validate(merged)
    if policy is not None:
        policy = policy.model_copy(update={"fail_on": settings.fail_on})
    return Resolved(settings, running, policy, file, names_level)


SPOKEN = ("quiet", "verbose")


def running_from(options: Mapping[str, Any], environ: Mapping[str, str], names: Sequence[str] = SPOKEN) -> Running:
    """Merge option and environment of how much is said, or of `names`, for commands that read no config file."""
    return make_running({**_variables(environ, names), **options})


def look_from(options: Mapping[str, Any], environ: Mapping[str, str], names: Sequence[str] = ()) -> Running:
    """Merge all sources of how reports look, for commands that take nothing else from a config file.

    `options` holds what the user gave, by name; `config` among them names the file to read. `names` are taken from
    options and environment alone.
    """
    file = _config_file(options, environ)
    content = {} if file is None else _read(file)
    kept = {name: value for name, value in content.items() if name in LOOK}
    given = {name: value for name, value in options.items() if name != "config"}
    return make_running({**kept, **_variables(environ, (*LOOK, *names)), **given})


def read_config(path: Path) -> dict[str, Any]:
    """Read the settings of a TOML file, or of the table `[tool.reportgen]` of a `pyproject.toml`.

    An unknown key is an error, also in a `[policy]`, which is left out of what is returned.
    """
    content = _read(path)
    content.pop("policy", None)
    return content


def unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """Describe each `REPORTGEN_*` variable that no option reads."""
    known = {f"{PREFIX}{name.upper()}" for name in ("config", PASSPHRASE, *KNOWN) if name not in _TABLES}
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in known:
            yield f"{one_line(variable)}: not read, no option is called so{suggestion(variable, sorted(known))}"


def _config_file(options: Mapping[str, Any], environ: Mapping[str, str]) -> Path | None:
    given = options.get("config") or environ.get(f"{PREFIX}CONFIG")
    if given:
        return Path(given)
    # A folder or a link to nothing is refused when it is read, rather than settings ignored.
    return Path(DEFAULT_FILE) if os.path.lexists(DEFAULT_FILE) else None


def _variables(environ: Mapping[str, str], names: Sequence[str] = KNOWN) -> dict[str, Any]:
    """Read what the environment says, each variable validated under its own name; an empty one is not set."""
    found: dict[str, Any] = {}
    for name in names:
        variable = f"{PREFIX}{name.upper()}"
        text = environ.get(variable)
        if not text or name in _TABLES:
            continue
        several = name in LISTS or name in SEVERAL
        value = tuple(part.strip() for part in text.split(",") if part.strip()) if several else text
        _validate({name: value}, f"{variable}: ")
        found[name] = value
    return found


def _validate(values: Mapping[str, Any], where: str = "") -> tuple[Settings, Running]:
    """Make settings of everything that does not say how to run; `where` begins the message about a wrong one."""
    running = {name: value for name, value in values.items() if name in Running.model_fields}
    settings = {name: value for name, value in values.items() if name not in (*Running.model_fields, "config")}
    return make_settings(settings, where), make_running(running, where)


def _read(path: Path) -> dict[str, Any]:
    """Read and validate a config file: settings and how to run by name, and `policy` as a Policy where there is one."""
    shown = one_line(path.name or str(path))
    content = _parse(path, shown)
    for key in content:
        if key not in (*KNOWN, "policy"):
            msg = f"{shown}: unknown key {shown_name(key)}{suggestion(key, (*KNOWN, 'policy'))}; "
            raise InputError(msg + f"known are {', '.join(sorted((*KNOWN, 'policy')))}")
    table = content.pop("policy", None)
    _validate(content, f"{shown}: ")
    made = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
    if table is None:
        return made
    policy = make_policy(table, f"{shown}: ")
    if "fail_on" in policy.model_fields_set and content.get("fail_on", policy.fail_on) != policy.fail_on:
        msg = f"{shown}: fail_on stands twice and differs; leave the one in [policy]"
        raise InputError(msg)
    return {**made, "policy": policy}


def _parse(path: Path, shown: str) -> dict[str, Any]:
    content = read_toml(path)
    if path.name != "pyproject.toml":
        return content
    tool = content.get("tool", {})
    table = tool.get("reportgen", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        msg = f"{shown}: tool.reportgen is no table; write [tool.reportgen] with a line a setting below it"
        raise InputError(msg)
    return table
