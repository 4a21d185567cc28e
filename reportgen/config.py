"""Settings from a file and from the environment: option > `REPORTGEN_*` > config file > default."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import LISTS, Settings

DEFAULT_FILE = "reportgen.toml"


def settings_from(options: Mapping[str, Any], environ: Mapping[str, str], config: Path | None) -> dict[str, Any]:
    """Merge the sources; `options` holds only what the user gave. `config` None: `reportgen.toml` if there."""
    merged: dict[str, Any] = {}
    if config is not None:
        merged |= read_config(config)
    elif Path(DEFAULT_FILE).is_file():
        merged |= read_config(Path(DEFAULT_FILE))
    for name in Settings.model_fields:
        value = environ.get(f"REPORTGEN_{name.upper()}")
        if value is not None:
            merged[name] = tuple(part.strip() for part in value.split(",") if part.strip()) if name in LISTS else value
    return merged | dict(options)


def read_config(path: Path) -> dict[str, Any]:
    """Read a TOML file, or the table `[tool.reportgen]` of a `pyproject.toml`. An unknown key is an error."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        msg = f"{path.name}: cannot be read ({error.strerror}); check the path"
        raise InputError(msg) from None
    except UnicodeDecodeError:
        msg = f"{path.name}: not UTF-8; save it as UTF-8"
        raise InputError(msg) from None
    except tomllib.TOMLDecodeError as error:
        msg = f"{path.name}: not valid TOML ({error})"
        raise InputError(msg) from None
    if path.name == "pyproject.toml":
        content = content.get("tool", {}).get("reportgen", {})
    for key in content:
        if key not in Settings.model_fields:
            msg = f"{path.name}: unknown key {key!r}; known are {', '.join(sorted(Settings.model_fields))}"
            raise InputError(msg)
    return {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
