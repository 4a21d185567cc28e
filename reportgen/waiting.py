"""A file that is written beside its target until it may take its place, and what a killed process left of one.

Where the file system can (Linux, most local ones), the file has no name while it is written: whatever ends the process,
nothing of it stays. It gets a hidden name for the moment between two calls of the system. Elsewhere it has that name
from the beginning. Either way its writer holds a lock on it, which ends with the process; a file of such a name that
nobody holds is one that a killed process left, and the next run in the folder removes it. Without locks (Windows)
nothing tells the two apart, and what a killed process left stays.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: no locks of this kind, and no file can take a name while it is open
    fcntl = None

PREFIX = ".reportgen-"
_NAME = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")
_PLAIN: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""The second is one of Windows: no line end is changed."""
NAMELESS: int = getattr(os, "O_TMPFILE", 0)
"""The flag that opens a file without a name; 0 where the system has none."""


class Waiting:
    """The content of one file on its way: readable by its owner only until it is whole."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self._content = b""
        self._descriptor: int | None = None
        self._temporary: Path | None = None

    def write(self, content: bytes) -> None:
        """Write the content where nobody sees it yet; OSError where that fails."""
        self._content = content
        if not self._write_nameless():
            self._write_named()

    def put_in_place(self) -> None:
        """Let the file take the place of its target, at once and whole."""
        waiting = self._temporary or self._named()
        if fcntl is None:
            self._close()
        os.replace(waiting, self.target)  # noqa: PTH105 -- a test watches this call
        self._temporary = None

    def discard(self) -> None:
        """Leave nothing behind: neither the file, where it is not in its place, nor the lock."""
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                self._temporary.unlink()
        self._temporary = None
        self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        self._descriptor = None

    def _write_nameless(self) -> bool:
        if not NAMELESS:
            return False
        try:
            descriptor = os.open(self.target.parent, os.O_WRONLY | NAMELESS | _PLAIN, 0o600)
        except OSError:  # of a file system that has no such files; what else is wrong shows again
            return False
        self._descriptor = descriptor
        return self._fill(descriptor)

    def _named(self) -> Path:
        """Give a nameless file its name; where the system doesn't do it after all, write it anew under one."""
        # Named by ourselves and noted before it is made, so that no signal can come between and leave it.
        self._temporary = self._new_name()
        try:
            # With a descriptor of a folder Python calls linkat, which alone follows the link to the file.
            source = f"/proc/self/fd/{self._descriptor}"
            os.link(source, self._temporary, src_dir_fd=self._descriptor, follow_symlinks=True)
        except OSError:
            self._close()
            return self._write_named()
        return self._temporary

    def _write_named(self) -> Path:
        while True:
            self._temporary = self._new_name()
            self._descriptor = os.open(self._temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o600)
            if self._fill(self._descriptor):
                return self._temporary
            self.discard()  # another run took it for abandoned before it was locked

    def _fill(self, descriptor: int) -> bool:
        """Lock and write; False where somebody else was faster."""
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: there nobody gets one on it either
            pass
        if self._temporary is not None and not os.fstat(descriptor).st_nlink:
            return False
        with os.fdopen(descriptor, "wb", closefd=False) as file:
            file.write(self._content)
            file.flush()
            os.fsync(descriptor)  # a disk that fills up late says so now, and a crash finds it whole
        if fcntl is not None:  # Windows has no such permissions, and inherits those of the folder
            os.fchmod(descriptor, 0o666 & ~_umask())
        return True

    def _new_name(self) -> Path:
        return self.target.parent / f"{PREFIX}{secrets.token_hex(8)}"


def remove_abandoned(folder: Path) -> None:
    """Remove what killed runs of this user left in a folder; what a living one writes stays."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(entry.path)


def _remove_if_abandoned(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)  # noqa: PTH108
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
