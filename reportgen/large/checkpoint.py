"""Answers of searches kept in a folder, so that a run that was interrupted goes on where it was.

    DIR/reportgen-answers/          0700
        lock                        held by the run that uses the folder
        HASH.answer                 0600, one for each shard of the queries of a search

HASH is the SHA-256 of all that an answer depends on: the versions of reportgen and of the libraries that search, k, and
every coordinate of the shard's queries and of the base. So an answer of other tables, settings or versions is never
taken: it has another name. In the file stand a line that names the format, the SHA-256 of HASH and of what follows,
then the distances (float64) and ids (int64) of the k nearest rows of each query, little-endian. What does not agree
with its digest is searched again.

The files hold distances between rows, which no output does. They never leave the folder, are removed when the run they
serve is done, and can be removed at any time at the price of searching again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.errors import EnvironmentLacking, InputError
from reportgen.large.versions import versions
from reportgen.shown import one_line
from reportgen.space.delegated import Search
from reportgen.space.exact import direct_exponent, k_nearest_here

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

FOLDER = "reportgen-answers"
_FORMAT = b"reportgen search answer 1\n"
_SUFFIX, _PARTIAL = ".answer", ".partial-"
_MADE = b"the folder around was made for this\n"
"""Stands in the lock file where DIR did not exist: then the last run removes it as well."""
_FEWEST_PAIRS = 1 << 26
"""A search of fewer pairs is made again sooner than it is read: a tenth of a second."""
_PAIRS = 1 << 34
"""A shard has about so many pairs: some 10 seconds of a processor."""
_QUERIES = 4096
"""But so many queries at least: the base is prepared once a shard."""


class Checkpoint:
    """The answers kept in one folder. `found` and `kept` count the shards taken from it and added to it."""

    def __init__(self, folder: Path, shown: str, inner: Search | None = None) -> None:
        self._folder = folder
        self._shown = shown
        self._inner = inner
        self._own: set[Path] = set()
        self.found = 0
        self.kept = 0
        self._versions = versions()

    def search(
        self, queries: Floats, base: Floats, k: int, threads: int, direct: int | None = None
    ) -> tuple[Floats, Ints]:
        """Answer as `k_nearest`, shard by shard, from the folder where it has the answer."""
        inner = self._inner or k_nearest_here
        if len(queries) * len(base) < _FEWEST_PAIRS:
            return inner(queries, base, k, threads, direct)
        if direct is None:
            direct = direct_exponent(queries, base)
        whole = hashlib.sha256(f"{self._versions}\n{k} {direct} {base.shape}\n".encode())
        whole.update(np.ascontiguousarray(base).data)
        step = max(_QUERIES * threads, _PAIRS // len(base))
        parts = []
        for start in range(0, len(queries), step):
            some = np.ascontiguousarray(queries[start : start + step])
            name = whole.copy()
            name.update(some.data)

            def find(some: Floats = some) -> tuple[Floats, Ints]:
                return inner(some, base, k, threads, direct)

            parts.append(self._answer(name.hexdigest(), (len(some), k), find))
        distances, ids = zip(*parts, strict=True)
        return np.concatenate(distances), np.concatenate(ids)

    def remove(self) -> int:
        """Remove the answers that this run used or added; return how many of other runs are left."""
        for path in self._own:
            path.unlink(missing_ok=True)
        self._own.clear()
        return len(_answers(self._folder))

    def _answer(
        self, name: str, shape: tuple[int, int], find: Callable[[], tuple[Floats, Ints]]
    ) -> tuple[Floats, Ints]:
        path = self._folder / f"{name}{_SUFFIX}"
        self._own.add(path)
        known = _read(path, name, shape)
        if known is not None:
            self.found += 1
            return known
        distances, ids = find()
        self._write(path, name, distances.astype("<f8").tobytes() + ids.astype("<i8").tobytes())
        return distances, ids

    def _write(self, path: Path, name: str, content: bytes) -> None:
        """Write an answer so that it has its name when it is whole and on the disk, not before."""
        partial = self._folder / f"{_PARTIAL}{secrets.token_hex(8)}"
        try:
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(_FORMAT + _digest(name, content) + content)
                file.flush()
                os.fsync(descriptor)
            partial.replace(path)
        except OSError as error:
            msg = f"checkpoint: {self._shown} cannot be written to ({error.strerror}); free some space or leave it out"
            raise EnvironmentLacking(msg) from None
        finally:
            partial.unlink(missing_ok=True)
        self.kept += 1


@contextmanager
def checkpoint(given: str | os.PathLike[str], inner: Search | None = None) -> Iterator[Checkpoint]:
    """Open the checkpoint in a folder, which is made where it is not there; `inner` answers what it does not have.

    Raises InputError, one line, where the folder cannot be used, is open to others, or used by another run. Answers
    stay until `remove` is called; a folder that was made for them and is empty in the end is removed.
    """
    if fcntl is None:
        msg = "checkpoint: this system has no locks and permissions of files as answers need them; leave it out"
        raise EnvironmentLacking(msg)
    shown = one_line(Path(os.fsdecode(given)).name or "the folder")
    outer = Path(os.fsdecode(given) or os.devnull)
    folder = outer / FOLDER
    try:
        made = _make(outer)
        _make(folder)
        found = folder.lstat()
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        msg = f"checkpoint: {shown} cannot be used ({error.strerror}); name a folder, or one to be made"
        raise InputError(msg) from None
    try:
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            msg = f"checkpoint: {FOLDER} in {shown} is open to others; remove it, or name another folder"
            raise InputError(msg)
        _hold(lock, shown)
        if made:
            os.pwrite(lock, _MADE, 0)
        made = os.pread(lock, len(_MADE), 0) == _MADE
        for partial in folder.glob(f"{_PARTIAL}*"):
            partial.unlink(missing_ok=True)  # of a run that was killed: nobody else holds the lock
        yield Checkpoint(folder, shown, inner)
    finally:
        with suppress(OSError):
            if not _answers(folder):
                (folder / "lock").unlink()
                folder.rmdir()
                if made:
                    outer.rmdir()
        os.close(lock)


def _make(folder: Path) -> bool:
    """Make a folder that is its owner's alone; whether it was not there."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def _hold(lock: int, shown: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        msg = f"checkpoint: another run is using {shown}; give each run a folder of its own"
        raise InputError(msg) from None
    except OSError:  # a file system without locks: answers have names that tell them apart, and appear whole
        pass
    if not os.fstat(lock).st_nlink:  # removed by the run that held it
        msg = f"checkpoint: another run was just ending in {shown}; start again"
        raise InputError(msg)


def _answers(folder: Path) -> list[Path]:
    return list(folder.glob(f"*{_SUFFIX}"))


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + content).digest()


def _read(path: Path, name: str, shape: tuple[int, int]) -> tuple[Floats, Ints] | None:
    """Read an answer; None where there is none, or it is not whole and as it was written."""
    size = shape[0] * shape[1] * 8
    length = len(_FORMAT) + 32 + 2 * size
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(length + 1)
    except OSError:
        return None
    head, body = content[: len(_FORMAT) + 32], content[len(_FORMAT) + 32 :]
    if len(content) != length or head != _FORMAT + _digest(name, body):
        return None
    distances = np.frombuffer(body[:size], "<f8").astype(np.float64).reshape(shape)
    ids = np.frombuffer(body[size:], "<i8").astype(np.int64).reshape(shape)
    return distances, ids
