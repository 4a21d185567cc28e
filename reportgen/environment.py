"""The machine that a report is made on: versions for the result, and what `reportgen doctor` checks.

Read by api.py and cli.py only. The versions hold whatever may change a number or a byte of a report, and nothing that
changes with threads, load, folder or the build of the kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import importlib.metadata
import io
import logging
import os
import platform
import re
import sys
import warnings
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen._resources import resource
from reportgen.native import install_native

if TYPE_CHECKING:
    from collections.abc import Iterator

MINIMUM_PYTHON = (3, 11)
REQUIRED = {
    "faiss-cpu": "1.9",
    "jinja2": "3.1",
    "matplotlib": "3.9",
    "numpy": "2.0",
    "pandas": "2.2",
    "pyarrow": "17",
    "pydantic": "2.12",
    "scipy": "1.14",
    "threadpoolctl": "3.5",
    "typer": "0.15",
    "weasyprint": "70",
}
"""Required distributions and their least versions, as in pyproject.toml; most are imported by the same name."""
EXTRAS = {"pyhanko": ("0.30", "sign"), "distributed": ("2024.5", "distributed"), "cryptography": ("0", "distributed")}
"""Distributions that only some options need: their least versions, and the extras that bring them."""

_MODULES = {"faiss-cpu": "faiss"}
_RECORDED = {
    "cssselect2": "cssselect2",
    "faiss": "faiss-cpu",
    "fonttools": "fonttools",
    "jinja2": "jinja2",
    "matplotlib": "matplotlib",
    "numpy": "numpy",
    "pandas": "pandas",
    "pyarrow": "pyarrow",
    "pydantic": "pydantic",
    "pydyf": "pydyf",
    "pyphen": "pyphen",
    "scipy": "scipy",
    "tinycss2": "tinycss2",
    "tinyhtml5": "tinyhtml5",
    "weasyprint": "weasyprint",
}
"""Name in the result -> distribution."""

# The names that WeasyPrint tries, the usual one first. It looks for them when it is imported, so this must agree.
_PANGO = ("libpango-1.0.so.0", "libpango-1.0-0", "pango-1.0-0", "pango-1.0", "libpango-1.0.dylib")
_PANGOFT2 = ("libpangoft2-1.0.so.0", "libpangoft2-1.0-0", "pangoft2-1.0-0", "pangoft2-1.0", "libpangoft2-1.0.dylib")
_HARFBUZZ = ("libharfbuzz.so.0", "libharfbuzz-0", "harfbuzz", "harfbuzz-0.0", "libharfbuzz.0.dylib")
_HARFBUZZ_SUBSET = (
    "libharfbuzz-subset.so.0",
    "libharfbuzz-subset-0",
    "harfbuzz-subset",
    "harfbuzz-subset-0.0",
    "libharfbuzz-subset.0.dylib",
)
_FONTS = ("ReportgenSans-Regular.woff2", "ReportgenSans-Regular.ttf", "ReportgenSerif-SemiBold.ttf")
_DEMO_TABLES = ("original", "holdout", "synthetic_good", "synthetic_leaky")
_REINSTALL = "python -m pip install --force-reinstall reportgen"


@dataclass(frozen=True)
class Check:
    """One line of `reportgen doctor`: what was found (a version, or None), whether it will do, what mends it."""

    name: str
    found: str | None
    ok: bool
    remedy: str | None
    present: bool = True
    """Whether what only some options need is there; without it every format can be written all the same."""


def versions() -> dict[str, str | None]:
    """Return the versions that a report depends on, sorted by name; None for what is absent. Imports no library."""
    found = {name: _distribution_version(distribution) for name, distribution in _RECORDED.items()}
    found |= {
        "harfbuzz": _native_version(_HARFBUZZ, "hb_version_string"),
        # Decides the bytes of embedded fonts; part of HarfBuzz, without a version of its own.
        "harfbuzz_subset": "present" if harfbuzz_subset_available() else None,
        "libc": " ".join(platform.libc_ver()).strip() or None,
        "pango": _native_version(_PANGO, "pango_version_string"),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }
    return dict(sorted(found.items()))


def harfbuzz_subset_available() -> bool:
    """Whether WeasyPrint will find HarfBuzz-subset. Without it the bytes of a PDF differ from run to run."""
    return _load(_HARFBUZZ_SUBSET) is not None


def checks() -> tuple[Check, ...]:
    """Look at all that a report in every format needs. Imports the measuring and drawing libraries: takes seconds."""
    return (
        *_check_python(),
        *_check_libraries(),
        *_check_native(),
        *_check_packaged_files(),
        _check_pdf(),
        *_check_extras(),
    )


def _check_python() -> Iterator[Check]:
    least = ".".join(map(str, MINIMUM_PYTHON))
    ok = sys.version_info[:2] >= MINIMUM_PYTHON
    yield Check("Python", platform.python_version(), ok, None if ok else f"Python {least} or newer")


def _check_libraries() -> Iterator[Check]:
    for distribution, least in REQUIRED.items():
        version = _distribution_version(distribution)
        remedy = f"python -m pip install --upgrade '{distribution}>={least}'"
        if version is None or _numbers(version) < _numbers(least):
            yield Check(distribution, version, ok=False, remedy=remedy)
            continue
        # Whether WeasyPrint can be imported depends on native libraries, which have lines of their own.
        name = _MODULES.get(distribution, distribution)
        problem = None if distribution == "weasyprint" else _import_problem(name)
        if problem is None:
            yield Check(distribution, version, ok=True, remedy=None)
        else:
            again = remedy.replace("--upgrade", "--force-reinstall")
            yield Check(distribution, f"{version}, cannot be imported ({problem})", ok=False, remedy=again)


def _check_extras() -> Iterator[Check]:
    for distribution, (least, extra) in EXTRAS.items():
        version = _distribution_version(distribution)
        problem = None
        if version is None:
            problem = f"not installed (python -m pip install 'reportgen[{extra}]')"
        elif _numbers(version) < _numbers(least):
            problem = f"{version}, older than {least} (python -m pip install --upgrade 'reportgen[{extra}]')"
        elif trouble := _import_problem(distribution):
            problem = f"{version}, cannot be imported ({trouble})"
        yield Check(distribution, problem or version, ok=True, remedy=None, present=problem is None)


def _check_native() -> Iterator[Check]:
    for name, files, version_function in (
        ("Pango", _PANGO, "pango_version_string"),
        ("PangoFT2", _PANGOFT2, None),
        ("HarfBuzz", _HARFBUZZ, "hb_version_string"),
        ("HarfBuzz-subset", _HARFBUZZ_SUBSET, None),
    ):
        present = _load(files) is not None
        version = _native_version(files, version_function) if version_function else None
        found = version or ("present" if present else None)
        yield Check(name, found, present, None if present else install_native())


def _check_packaged_files() -> Iterator[Check]:
    for name, paths in (
        ("Fonts", [("assets", "fonts", font) for font in _FONTS]),
        ("Style sheets", [("assets", "css")]),
        ("Templates", [("templates", "sections"), ("templates", "text", "en.toml")]),
        ("Demo tables", [("examples", "adult", f"{table}.parquet") for table in _DEMO_TABLES]),
    ):
        ok = all(_packaged(parts) for parts in paths)
        yield Check(name, "present" if ok else None, ok, None if ok else _REINSTALL)


def _check_pdf() -> Check:
    problem = _import_problem("weasyprint") or _pdf_problem()
    if problem is None:
        return Check("PDF", "written", ok=True, remedy=None)
    if any(_load(files) is None for files in (_PANGO, _PANGOFT2, _HARFBUZZ)):
        return Check("PDF", None, ok=False, remedy=install_native())
    remedy = "python -m pip install --force-reinstall weasyprint"
    return Check("PDF", f"cannot be written ({problem})", ok=False, remedy=remedy)


def _pdf_problem() -> str | None:
    from weasyprint import CSS, HTML
    from weasyprint.text.fonts import FontConfiguration

    try:
        # The bundled font is named on purpose: WeasyPrint can crash the process on a machine without any font.
        font = resource("assets", "fonts", _FONTS[0]).as_uri()
        fonts = FontConfiguration()
        style = f"@font-face {{ font-family: Probe; src: url({font}) }} html {{ font-family: Probe }}"
        sheet = CSS(string=style, font_config=fonts)
        written = HTML(string="<p>ready").write_pdf(stylesheets=[sheet], font_config=fonts)
    except Exception as error:  # noqa: BLE001 -- whatever goes wrong is what the user wants to be told
        return _one_line(error)
    return None if written.startswith(b"%PDF") else "no PDF came out"


def _import_problem(module: str) -> str | None:
    """Import a module quietly; return what went wrong, one line.

    WeasyPrint prints where Pango is missing, matplotlib logs where the home folder is read-only.
    """
    logger = logging.getLogger(module)
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            importlib.import_module(module)
    except Exception as error:  # noqa: BLE001 -- a broken installation raises anything
        return _one_line(error)
    finally:
        logger.setLevel(level)
    return None


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def _packaged(parts: tuple[str, ...]) -> bool:
    try:
        path = resource(*parts)
    except FileNotFoundError:
        return False
    return any(path.iterdir()) if path.is_dir() else path.stat().st_size > 0


def _distribution_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    release = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(part) for part in release.group().split(".")) if release else ()


def _load(files: tuple[str, ...]) -> ctypes.CDLL | None:
    for file in files:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(file)
    if os.name == "nt" or sys.platform == "darwin":
        # These systems keep libraries outside the loader's path. On Linux the search starts a compiler and is skipped:
        # there the loader knows as much.
        for file in files:
            path = ctypes.util.find_library(file)
            if path is not None:
                with contextlib.suppress(OSError):
                    return ctypes.CDLL(path)
    return None


def _native_version(files: tuple[str, ...], function: str) -> str | None:
    library = _load(files)
    if library is None:
        return None
    call = getattr(library, function)
    call.restype = ctypes.c_char_p
    text: bytes = call()
    return text.decode("ascii")
