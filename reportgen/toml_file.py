"""A TOML file from outside, read so that no content of it takes the program down; faults are one line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.files import read_bounded
from reportgen.shown import escaped, one_line

LARGEST = 2**20
"""Bytes; settings take some hundred."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; InputError where it is none, no regular file, or larger than 1 MiB."""
    shown = one_line(path.name or str(path))
    try:
        return tomllib.loads(read_bounded(path, LARGEST, "file of settings").decode("utf-8"))
    except UnicodeDecodeError:
        msg = f"{shown}: not UTF-8; save it as UTF-8"
    except tomllib.TOMLDecodeError as error:
        msg = f"{shown}: not valid TOML ({_where(str(error))}); correct it, or name the right file"
    except (ValueError, RecursionError):  # a number of thousands of digits, or lists within lists without end
        msg = f"{shown}: not valid TOML; a number in it is too long, or it is nested too deeply"
    raise InputError(msg)


def _where(fault: str) -> str:
    """Shorten a fault, which may quote a name of the file, in the middle: the place stands at its end."""
    what, mark, place = fault.rpartition(" (at ")
    return escaped(f"{one_line(what)}{mark}{place}") if mark else one_line(fault)
