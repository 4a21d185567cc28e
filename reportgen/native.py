"""How this system gets the native libraries that PDF needs: Pango, PangoFT2 and HarfBuzz-subset.

Told from the platform and, on Linux, from `/etc/os-release`, where a distribution names itself (`ID`) and those it is
like (`ID_LIKE`).
"""

from __future__ import annotations

import contextlib
import ctypes.util
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

OS_RELEASE = (Path("/etc/os-release"), Path("/usr/lib/os-release"))
DEBIAN = "apt-get install -y libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
"""Also Ubuntu; a bare machine needs `apt-get update` before."""
FEDORA = "dnf install -y pango harfbuzz"
ALPINE = "apk add so:libpango-1.0.so.0 so:libpangoft2-1.0.so.0 so:libharfbuzz-subset.so.0"
ARCH = "pacman -S --noconfirm pango harfbuzz"
SUSE = "zypper install -y libpango-1_0-0 libharfbuzz-subset0"
MACOS = "brew install pango"
WINDOWS = (
    "with MSYS2: pacman -S mingw-w64-x86_64-pango; then set WEASYPRINT_DLL_DIRECTORIES to its folder, usually "
    r"C:\msys64\mingw64\bin"
)
UNKNOWN = "Pango, PangoFT2 and HarfBuzz-subset, with this system's package manager"
_BY_DISTRIBUTION = {
    "debian": DEBIAN,
    "ubuntu": DEBIAN,
    "fedora": FEDORA,
    "rhel": FEDORA,
    "centos": FEDORA,
    "alpine": ALPINE,
    "arch": ARCH,
    "suse": SUSE,
    "opensuse": SUSE,
}
LARGEST = 2**16


@contextlib.contextmanager
def libraries_by_the_loader_alone(platform: str = sys.platform) -> Iterator[None]:
    """Let nothing but the loader look for libraries meanwhile, on Linux.

    WeasyPrint asks for each library by the names that it has on several systems. For each that Linux does not know,
    Python starts `ldconfig`, a compiler and a linker: some fifty processes, of which the loader needs none.
    """
    if platform != "linux":  # elsewhere the search is cheap, and the loader does not know all folders
        yield
        return
    search = ctypes.util.find_library
    ctypes.util.find_library = _found_nowhere
    try:
        yield
    finally:
        ctypes.util.find_library = search


def _found_nowhere(name: str) -> str | None:  # noqa: ARG001 -- in the place of ctypes.util.find_library
    return None


def install_native(platform: str = sys.platform, os_release: tuple[Path, ...] = OS_RELEASE) -> str:
    """Return the line that installs the libraries on this system, or what to install where the system is not known."""
    if platform == "darwin":
        return MACOS
    if platform in {"win32", "cygwin"}:
        return WINDOWS
    for path in os_release:
        try:
            with path.open("rb") as stream:
                text = stream.read(LARGEST).decode("utf-8", "replace")
        except OSError:
            continue
        names = [name.partition("-")[0] for name in _distributions(text)]
        return next((_BY_DISTRIBUTION[name] for name in names if name in _BY_DISTRIBUTION), UNKNOWN)
    return UNKNOWN


def _distributions(text: str) -> list[str]:
    """Return what the system calls itself, then what it is like."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, equals, value = line.strip().partition("=")
        if equals and key in {"ID", "ID_LIKE"}:
            try:
                found[key] = " ".join(shlex.split(value)).lower().split()
            except ValueError:  # a quote that is never closed
                continue
    return [*found.get("ID", []), *found.get("ID_LIKE", [])]
