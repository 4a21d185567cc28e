"""How much memory this process may still take: the least of what the machine, its control groups and its limits leave.

Linux only; elsewhere nothing is known and None is returned.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_PROC, _CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")
_PAGE = resource.getpagesize()
_RESERVED = 256 * 2**20
"""Address space that threads and libraries reserve without ever using it, as far as RLIMIT_AS counts it."""


def available_memory(proc: Path = _PROC, cgroups: Path = _CGROUPS) -> int | None:
    """Return the bytes that are free for this process beyond what it holds already; None where that is not known."""
    found = [*_of_machine(proc), *_of_groups(proc, cgroups), *_of_limits(proc)]
    return max(0, min(found)) if found else None


def resident_memory(proc: Path = _PROC) -> int:
    """Return the bytes of memory that this process holds; 0 where that is not known."""
    pages = _read(proc / "self" / "statm").split()
    return int(pages[1]) * _PAGE if len(pages) > 1 else 0


def _of_machine(proc: Path) -> Iterator[int]:
    for line in _read(proc / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _of_groups(proc: Path, cgroups: Path) -> Iterator[int]:
    """Limits of the control groups that the process is in, and of those above: version 2, and version 1 beside it."""
    for line in _read(proc / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            yield from _of_group(cgroups, path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _of_group(cgroups / "memory", path, *names)


def _of_group(root: Path, path: str, limit: str, usage: str, cache: str) -> Iterator[int]:
    own = PurePosixPath(path.lstrip("/"))
    for group in (own, *own.parents):  # in a container the path may be that of the host: then only the root is there
        most, used = _read(root / group / limit).strip(), _read(root / group / usage).strip()
        if most.isdigit() and used.isdigit():
            # Pages of files that nobody waits for are given up before the limit is reached.
            spare = [
                line.split()[1]
                for line in _read(root / group / "memory.stat").splitlines()
                if line.split()[:1] == [cache]
            ]
            yield int(most) - int(used) + (int(spare[0]) if spare else 0)


def _of_limits(proc: Path) -> Iterator[int]:
    pages = _read(proc / "self" / "statm").split()
    for limit, place in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        soft = resource.getrlimit(limit)[0]
        if soft != resource.RLIM_INFINITY and len(pages) > place:
            yield soft - int(pages[place]) * _PAGE - _RESERVED


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
