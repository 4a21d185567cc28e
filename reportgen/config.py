"""Settings from a file and from the environment: option > `REPORTGEN_*` > config file > default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import LISTS, Settings, make_settings
from reportgen.shown import one_line, shown_name
from reportgen.toml_file import read_toml

DEFAULT_FILE = "reportgen.toml"


def settings_from(options: Mapping[str, Any], environ: Mapping[str, str], config: Path | None) -> dict[str, Any]:
    """Merge the sources; `options` holds only what the user gave. `config` None: `reportgen.toml` if there."""
    merged: dict[str, Any] = {}
    if config is not None:
        merged |= read_config(config)
    elif os.path.lexists(DEFAULT_FILE):  # a folder or a link to nothing is refused, rather than settings ignored
        merged |= read_config(Path(DEFAULT_FILE))
    for name in Settings.model_fields:
        variable = f"REPORTGEN_{name.upper()}"
        text = environ.get(variable)
        if not text or name == "thresholds":  # an empty variable is one that is not set; limits come from a file
            continue
        value = tuple(part.strip() for part in text.split(",") if part.strip()) if name in LISTS else text
        make_settings({name: value}, f"{variable}: ")
        merged[name] = value
    return merged | dict(options)


def read_config(path: Path) -> dict[str, Any]:
    """Read a TOML file, or the table `[tool.reportgen]` of a `pyproject.toml`. An unknown key is an error."""
    shown = one_line(path.name or str(path))
    content = read_toml(path)
    if path.name == "pyproject.toml":
        tool = content.get("tool", {})
        content = tool.get("reportgen", {}) if isinstance(tool, dict) else {}
        if not isinstance(content, dict):
            msg = f"{shown}: tool.reportgen is no table; write [tool.reportgen] with a line a setting below it"
            raise InputError(msg)
    for key in content:
        if key not in Settings.model_fields:
            msg = f"{shown}: unknown key {shown_name(key)}; known are {', '.join(sorted(Settings.model_fields))}"
            raise InputError(msg)
    make_settings(content, f"{shown}: ")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
