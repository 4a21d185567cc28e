"""Small files from outside, opened so that none can hang or fill the memory: a pipe, a device, a file without end."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from reportgen.errors import InputError
from reportgen.shown import one_line

_READING = os.O_RDONLY
for _flag in (
    "O_CLOEXEC",
    "O_NONBLOCK",
    "O_NOCTTY",
    "O_BINARY",
):  # the last alone is one of Windows, for files as they are
    _READING |= getattr(os, _flag, 0)


def read_bounded(path: Path, most: int, what: str) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes; symbolic links are followed.

    Raises InputError, one line, where there is none, or where it is larger, "which no `what` is". A pipe is not waited
    for: it is opened without blocking, and what it turns out to be decides.
    """
    name = one_line(path.name or str(path))
    try:
        _refuse_irregular(path.stat(), name)
        # Should it have become a pipe since, O_NONBLOCK keeps the program from waiting for a writer.
        descriptor = os.open(path, _READING)
        try:
            _refuse_irregular(os.fstat(descriptor), name)
            with os.fdopen(descriptor, "rb", closefd=False) as stream:
                content = stream.read(most + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have this name"
        msg = f"{name}: cannot be read ({why}); check the path"
        raise InputError(msg) from None
    if len(content) > most:
        msg = f"{name}: larger than {most // 2**20} MiB, which no {what} is"
        raise InputError(msg)
    return content


def _refuse_irregular(found: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(found.st_mode):
        msg = f"{name}: cannot be read (Is a directory); give a file"
        raise InputError(msg)
    if not stat.S_ISREG(found.st_mode):
        msg = f"{name}: is no regular file; save it as a file and give that"
        raise InputError(msg)


def refuse_overwriting(outputs: Iterable[str], inputs: Iterable[str | os.PathLike[str] | None]) -> None:
    """Raise InputError where an output is one of the inputs, by its own name, through a link or by a second name.

    `file.npz:key` stands for `file.npz`, a folder also for the files in it and in its folders, as templates lie. What
    does not exist cannot be lost.
    """
    kept: dict[tuple[int, int], str] = {}
    for given in inputs:
        if given is not None:
            kept |= dict.fromkeys(_identities(given), Path(os.fsdecode(given)).name)
    for output in outputs:
        found = _identity(output)
        if output != "-" and found in kept:
            msg = (
                f"{one_line(Path(output).name)}: this output is the input {one_line(kept[found])}; "
                "writing it would destroy the input, choose another name"
            )
            raise InputError(msg)


def _identities(given: str | os.PathLike[str]) -> Iterator[tuple[int, int]]:
    """List what tells an input, and where it is a folder each file in it and one folder further, from every other."""
    if (found := _identity(given)) is None:
        return
    yield found
    folder = Path(os.fsdecode(given))
    with suppress(OSError, ValueError):
        for entries in (folder.iterdir(), folder.glob("*/*")):
            yield from (one for entry in entries if (one := _identity(entry)) is not None)


def _identity(given: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Return what tells a file from every other, whatever name it is called by; None where there is none."""
    name = os.fsdecode(given)
    before, colon, _ = name.rpartition(":")
    for candidate in (name, before) if colon else (name,):
        try:
            found = Path(candidate).stat()
        except (OSError, ValueError):
            continue
        return found.st_dev, found.st_ino
    return None
