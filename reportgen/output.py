"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.shown import one_line

NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the machine, not the command, is to blame for when a write fails."""


def check_writable(path: Path) -> None:
    """Raise InputError, before anything is measured, where an output could not be written."""
    shown, mode = one_line(path.name), None
    try:
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        msg = f"{shown}: cannot be written ({getattr(error, 'strerror', error)}); choose another name"
        raise InputError(msg) from None
    if mode is not None and not stat.S_ISREG(mode):
        msg = f"{shown}: is no regular file; name a file to write to"
        raise InputError(msg)
    if not target.parent.is_dir():
        msg = f"{shown}: its folder does not exist; make it first"
        raise InputError(msg)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        msg = f"{shown}: its folder cannot be written to; choose another"
        raise InputError(msg)


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files beside their targets first, then put each in place; none is left half-written.

    Raises InputError where a file cannot be written, EnvironmentLacking where the disk is full; then no target was
    touched by a failed write.
    """
    written: list[tuple[str, str]] = []
    try:
        for path, content in contents.items():
            check_writable(path)
            target = os.path.realpath(path)
            try:
                # Named by ourselves and noted before it is made, so that no signal can come between and leave it.
                temporary = os.path.join(os.path.dirname(target), f".reportgen-{secrets.token_hex(8)}")  # noqa: PTH118, PTH120
                written.append((temporary, target))
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())  # a disk that fills up late says so now, and a crash finds it whole
                Path(temporary).chmod(0o666 & ~_umask())
            except OSError as error:
                raise _refusal(path.name, error) from None
        while written:
            temporary, target = written[0]
            try:
                os.replace(temporary, target)  # noqa: PTH105 -- a pair of strings, no path arithmetic
            except OSError as error:
                raise _refusal(os.path.basename(target), error) from None  # noqa: PTH119
            written.pop(0)
    finally:
        for temporary, _ in written:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108


def _refusal(name: str, error: OSError) -> InputError | EnvironmentLacking:
    if error.errno in NO_SPACE:
        return EnvironmentLacking(f"{one_line(name)}: cannot be written ({error.strerror}); free some space")
    return InputError(f"{one_line(name)}: cannot be written ({error.strerror}); check the permissions")


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
