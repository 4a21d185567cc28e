"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.shown import escaped, one_line
from reportgen.waiting import Waiting, remove_abandoned

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
    folder = escaped(str(target.parent if path.is_symlink() else path.parent))
    if not target.parent.is_dir():
        msg = f"{shown}: its folder {folder} does not exist; make it first, or name a file in one that does"
        raise InputError(msg)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        msg = f"{shown}: its folder {folder} cannot be written to; choose another"
        raise InputError(msg)


def write_whole(contents: Mapping[Path, bytes]) -> None:
    """Write all files beside their targets first, then put each in place; none is left half-written.

    Raises InputError where a file cannot be written, EnvironmentLacking where the disk is full; then no target was
    touched by a failed write.
    """
    waiting: list[Waiting] = []
    try:
        for path, content in contents.items():
            check_writable(path)
            waiting.append(Waiting(Path(os.path.realpath(path))))
            try:
                remove_abandoned(waiting[-1].target.parent)
                waiting[-1].write(content)
            except OSError as error:
                raise _refusal(path.name, error) from None
        while waiting:
            try:
                waiting[0].put_in_place()
            except OSError as error:
                raise _refusal(waiting[0].target.name, error) from None
            waiting.pop(0).discard()
    finally:
        for one in waiting:
            one.discard()


def _refusal(name: str, error: OSError) -> InputError | EnvironmentLacking:
    if error.errno in NO_SPACE:
        return EnvironmentLacking(f"{one_line(name)}: cannot be written ({error.strerror}); free some space")
    return InputError(f"{one_line(name)}: cannot be written ({error.strerror}); check the permissions")
