"""Results of other schema versions.

Results of the same major version are read. What a newer minor version has added, this program does not know: such keys
are left out, and reports say so. Where leaving out could change what is decided, the file is refused instead: an
unknown rule of a policy, and codes and metrics that a verdict, a finding or the table of criteria names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reportgen.errors import InputError
from reportgen.model import SCHEMA_VERSION, Result
from reportgen.policy import Policy
from reportgen.settings import METRIC_KEYS

_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})", re.ASCII)


def check_version(plain: Any, name: str) -> None:
    """Refuse what is no result, or one of another major version; `name` is that of the file, for the message."""
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        msg = f"{name}: no reportgen result, which names its schema version; give the .json that reportgen assess wrote"
        raise InputError(msg)
    if _numbers(version)[0] != _numbers(SCHEMA_VERSION)[0]:
        major = _numbers(SCHEMA_VERSION)[0]
        msg = (
            f"{name}: schema version {version}, and this reportgen reads {major}.x; assess again, or use one that fits"
        )
        raise InputError(msg)


def is_newer(version: str) -> bool:
    """Whether results of this schema version may hold what this program does not know."""
    return _numbers(version) > _numbers(SCHEMA_VERSION)


def read_result(text: bytes, plain: dict[str, Any]) -> Result:
    """Build a result of the same major version from a file's text, and the same already read.

    Raises pydantic's ValidationError where it is none.
    """
    if not is_newer(plain["schema_version"]):
        return Result.model_validate_json(text, strict=True)
    if plain.get("policy") is not None:
        Policy.model_validate_json(json.dumps(plain["policy"]), strict=True)
    for holder, key in _by_metric(plain):
        holder[key] = {metric: value for metric, value in holder[key].items() if metric in METRIC_KEYS}
    return Result.model_validate_json(json.dumps(plain), strict=True, extra="ignore")


def _by_metric(plain: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Where keys are names of metrics, of which a newer version may have more."""
    controls = plain.get("controls")
    memorising = controls.get("memorising") if isinstance(controls, dict) else None
    for holder, key in ((plain, "metrics"), (memorising, "scores"), (plain.get("baseline"), "scores")):
        if isinstance(holder, dict) and isinstance(holder.get(key), dict):
            yield holder, key


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
