"""What the package index and an installer read."""

import tomllib
from importlib import import_module
from pathlib import Path

import reportgen

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_entry_point_can_be_called():
    module, _, name = PROJECT["scripts"]["reportgen"].partition(":")
    assert callable(getattr(import_module(module), name))


def test_the_package_says_that_it_is_typed():
    assert (Path(reportgen.__file__).parent / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_the_classifiers_start_with_the_oldest_python_that_is_supported():
    versions = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if one.startswith("Programming Language ::")]
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_the_version_stands_in_one_way_in_both_places():
    assert PROJECT["version"] == reportgen.__version__
