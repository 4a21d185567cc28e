"""How much memory this process may still take: the least of what the machine, its control groups and its limits leave.

Linux only; elsewhere nothing is known and None is returned. Windows has no limits of this kind and no module for them.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.errors import EnvironmentLacking

resource: Any
try:
    import resource
except ImportError:  # Windows
    resource = None

_PROC, _CGROUPS = Path("/proc"), Path("/sys/fs/cgroup")
_PAGE = resource.getpagesize() if resource else 4096
_RESERVED = 256 * 2**20
"""Address space that threads and libraries reserve without ever using it, as far as RLIMIT_AS counts it."""
_MEGA = 10**6


@dataclass(frozen=True)
class _Library:
    """What a library takes when it is loaded, MB of address space, of data and of memory.

    `thread`: of the first two for each further thread of its linear algebra. Measured from /proc/self/status (Python
    3.11, x86-64).
    """

    address: int
    data: int
    resident: int
    thread: int = 0


_LIBRARIES = {
    "numpy": _Library(85, 45, 11, 45),
    "pandas": _Library(220, 55, 70),
    "pyarrow": _Library(20, 5, 5),
    "scipy": _Library(150, 80, 60, 45),
    "faiss": _Library(210, 140, 20, 135),
    "matplotlib": _Library(80, 50, 60),
    "weasyprint": _Library(275, 120, 95),
}
MEASURING = ("numpy", "pandas", "pyarrow", "scipy", "faiss")
"""What is loaded to read and measure."""
DRAWING = ("numpy", "matplotlib", "weasyprint")
"""What is loaded to write HTML and PDF."""
_SPARE = 512 * _MEGA
"""Address space that a run on small tables takes beyond the libraries, threads and reserves included."""


def check_room(libraries: Iterable[str], proc: Path = _PROC, cgroups: Path = _CGROUPS) -> None:
    """Raise EnvironmentLacking, one line, where these libraries cannot be loaded: without room they crash the process.

    Those that are loaded already take nothing more.
    """
    needed = [_LIBRARIES[name] for name in dict.fromkeys(libraries) if name not in sys.modules]
    address, data, resident, thread = (_MEGA * sum(part) for part in zip((0,) * 4, *map(astuple, needed), strict=True))
    more = thread * (_blas_threads() - 1)
    for (soft, left), option, wanted in zip(_limits(proc), ("-v", "-d"), (address + more, data + more), strict=False):
        if left is not None and wanted > left:
            enough = math.ceil((soft - left + wanted + _SPARE) / 2**19) * 512  # KiB
            fewer = ", or set OPENBLAS_NUM_THREADS=1" if more else ""
            msg = (
                f"memory: loading the libraries takes {_mega(wanted)} of address space, and the limit leaves "
                f"{_mega(left)}; raise it (ulimit {option} {enough}) or lift it (ulimit {option} unlimited){fewer}"
            )
            raise EnvironmentLacking(msg)
    there = min([*_of_machine(proc), *_of_groups(proc, cgroups)], default=resident)
    if resident > there:
        msg = (
            f"memory: loading the libraries takes {_mega(resident)}, and {_mega(there)} is free; give the container or "
            "machine more memory, or end other programs"
        )
        raise EnvironmentLacking(msg)


def _mega(size: float) -> str:
    return f"{max(0.0, size) / _MEGA:,.0f} MB"


def _blas_threads() -> int:
    """How many threads linear algebra will have, each with a buffer of its own: as told, else one a processor."""
    there = processors()
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        told = os.environ.get(name, "")
        if told.isdecimal() and int(told):
            return min(int(told), there)
    return there


def processors() -> int:
    """Return how many processors this process may use; where a system does not tell, how many there are."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    count = getattr(os, "process_cpu_count", os.cpu_count)  # the former from Python 3.13
    return count() or 1


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
    for _, left in _limits(proc):
        if left is not None:
            yield left - _RESERVED


def _limits(proc: Path) -> tuple[tuple[int, int | None], ...]:
    """Return the limits of address space and of data and the bytes that each leaves, None where it is not known.

    Nothing where the system has no such limits. The place is where statm counts, in pages, what is limited.
    """
    if resource is None:
        return ()
    pages = _read(proc / "self" / "statm").split()
    found = []
    for limit, place in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        soft = resource.getrlimit(limit)[0]
        known = soft != resource.RLIM_INFINITY and len(pages) > place
        found.append((soft, soft - int(pages[place]) * _PAGE if known else None))
    return tuple(found)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
