"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import InputError


def check_writable(path: Path) -> None:
    """Raise InputError, before anything is measured, where an output could not be written."""
    target = Path(os.path.realpath(path))
    if target.is_dir() or (target.exists() and not target.is_file()):
        msg = f"{path.name}: is no regular file; name a file to write to"
        raise InputError(msg)
    if not target.parent.is_dir():
        msg = f"{path.name}: its folder does not exist; make it first"
        raise InputError(msg)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        msg = f"{path.name}: its folder cannot be written to; choose another"
        raise InputError(msg)


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files beside their targets first, then put each in place; none is left half-written.

    Raises InputError where a file cannot be written; then no target was touched by a failed write.
    """
    written: list[tuple[str, str]] = []
    try:
        for path, content in contents.items():
            check_writable(path)
            target = os.path.realpath(path)
            try:
                descriptor, temporary = tempfile.mkstemp(prefix=".reportgen-", dir=os.path.dirname(target))  # noqa: PTH120
                written.append((temporary, target))
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                Path(temporary).chmod(0o666 & ~_umask())
            except OSError as error:
                msg = f"{path.name}: cannot be written ({error.strerror}); check space and permissions"
                raise InputError(msg) from None
        while written:
            temporary, target = written[0]
            os.replace(temporary, target)  # noqa: PTH105 -- a pair of strings, no path arithmetic
            written.pop(0)
    finally:
        for temporary, _ in written:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
