"""Versions for the result, and the checks behind `reportgen doctor`."""

import ctypes
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from reportgen import environment
from reportgen.native import install_native

ROOT = Path(__file__).parent.parent


@pytest.fixture
def no_native_library(monkeypatch):
    def refuse(name, *args, **kwargs):
        msg = f"{name}: cannot open shared object file"
        raise OSError(msg)

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    monkeypatch.setattr(ctypes.util, "find_library", lambda _: None)


def by_name(checks):
    return {check.name: check for check in checks}


def test_versions_are_sorted_and_name_what_can_change_a_byte():
    found = environment.versions()
    assert list(found) == sorted(found)
    assert {"python", "platform", "numpy", "pandas", "faiss", "weasyprint", "pydyf", "pango", "harfbuzz"} <= set(found)
    assert found["numpy"] == importlib.metadata.version("numpy")
    assert found["faiss"] == importlib.metadata.version("faiss-cpu")


def test_platform_names_system_and_machine_only():
    assert re.fullmatch(r"\S+ \S+", environment.versions()["platform"])


def test_pango_and_harfbuzz_give_their_own_version():
    found = environment.versions()
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["pango"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["harfbuzz"])


def test_pango_version_agrees_with_the_library_that_weasyprint_loaded():
    from weasyprint.text.ffi import pango

    number = pango.pango_version()  # 1.50.12 is 15012
    assert environment.versions()["pango"] == f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def test_reading_versions_imports_none_of_the_libraries():
    heavy = ("numpy", "pandas", "pyarrow", "scipy", "faiss", "matplotlib", "jinja2", "pydantic", "weasyprint")
    program = (
        "import sys; from reportgen import environment; environment.versions();"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_missing_native_libraries_have_no_version(no_native_library):
    found = environment.versions()
    assert found["pango"] is None
    assert found["harfbuzz"] is None
    assert found["harfbuzz_subset"] is None
    assert not environment.harfbuzz_subset_available()


def test_missing_distribution_has_no_version(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    assert environment.versions()["pandas"] is None


def test_every_check_holds_on_a_machine_that_runs_the_tests():
    assert [check for check in environment.checks() if not check.ok] == []


def test_a_check_that_holds_has_no_remedy_and_one_that_fails_has():
    assert all(check.ok == (check.remedy is None) for check in environment.checks())


def test_missing_native_libraries_are_named_with_the_line_that_installs_them(no_native_library, monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)  # importing it fails, as it does without Pango
    checks = by_name(environment.checks())
    for name in ("Pango", "PangoFT2", "HarfBuzz", "HarfBuzz-subset", "PDF"):
        assert checks[name] == environment.Check(name, None, ok=False, remedy=install_native())


def test_broken_weasyprint_is_told_from_missing_native_libraries(monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    check = by_name(environment.checks())["PDF"]
    assert not check.ok
    assert "weasyprint" in check.remedy
    assert "apt-get" not in check.remedy


def test_library_older_than_required_fails_with_the_version_asked_for(monkeypatch):
    real = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.26.4" if name == "numpy" else real(name))
    check = by_name(environment.checks())["numpy"]
    assert check.found == "1.26.4"
    assert not check.ok
    assert "'numpy>=2.0'" in check.remedy


def test_library_that_cannot_be_imported_fails(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    check = by_name(environment.checks())["pyarrow"]
    assert not check.ok
    assert "cannot be imported" in check.found


def test_what_only_some_options_need_is_listed_and_may_be_absent(monkeypatch):
    real = importlib.metadata.version
    found = by_name(environment.checks())
    for name in environment.EXTRAS:
        assert found[name] == environment.Check(name, real(name), ok=True, remedy=None)

    def absent(name):
        if name == "pyhanko":
            raise importlib.metadata.PackageNotFoundError(name)
        return "2020.1" if name == "distributed" else real(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    found = {check.name: check for check in environment._check_extras()}
    assert found["pyhanko"].found == "not installed (python -m pip install 'reportgen[sign]')"
    assert found["distributed"].found.startswith("2020.1, older than 2024.5 (python -m pip install --upgrade 'report")
    assert "cannot be imported" in found["cryptography"].found
    assert [(check.ok, check.present) for check in found.values()] == [(True, False)] * 3


def test_the_extras_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = {
        name: (least or "0", extra)
        for extra in ("sign", "distributed")
        for name, _, least in (line.partition(">=") for line in project["optional-dependencies"][extra])
    }
    assert stated == environment.EXTRAS


def test_the_doctor_lists_them_and_is_content_without(run, monkeypatch):
    version = importlib.metadata.version

    def absent(name):
        if name in environment.EXTRAS:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert re.search(
        r"^absent   distributed +not installed \(python -m pip install 'reportgen\[distributed\]'\)$", out, re.MULTILINE
    )


def test_missing_packaged_file_fails_its_check(monkeypatch):
    def absent(*parts):
        raise FileNotFoundError(parts)

    monkeypatch.setattr(environment, "resource", absent)
    checks = by_name(environment.checks())
    assert not checks["Fonts"].ok
    assert not checks["Templates"].ok
    assert not checks["Demo tables"].ok


def test_required_versions_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = dict(line.split(">=") for line in project["dependencies"])
    assert stated == environment.REQUIRED
    least = ".".join(map(str, environment.MINIMUM_PYTHON))
    assert project["requires-python"] == f">={least}"


@pytest.mark.parametrize(("version", "numbers"), [("2.0", (2, 0)), ("70", (70,)), ("1.15.1.post1", (1, 15, 1))])
def test_release_numbers_are_compared_as_numbers(version, numbers):
    assert environment._numbers(version) == numbers


def test_the_doctor_says_nothing_on_stderr_where_the_home_folder_is_read_only(tmp_path):
    environ = {**os.environ, "HOME": "/dev/null", "MPLCONFIGDIR": "/dev/null/x", "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "reportgen", "doctor"]
    done = subprocess.run(words, capture_output=True, text=True, env=environ, check=False)
    assert done.stderr == ""
