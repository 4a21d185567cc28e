"""Small tables, the command in an empty folder, and results to check."""

import sys

import pandas as pd
import pytest

import reportgen


def table(seed):
    frame = pd.DataFrame({"age": range(seed, 60 + seed), "town": list("abcdef") * 10, "pay": [3.5, 4.5] * 30})
    frame["age"] = frame["age"] * 1.5
    return frame


@pytest.fixture
def tables(tmp_path):
    """Three small tables as CSV: original, synthetic, holdout."""
    names = ("original", "synthetic", "holdout")
    for seed, name in enumerate(names):
        table(seed).to_csv(tmp_path / f"{name}.csv", index=False)
    return [tmp_path / f"{name}.csv" for name in names]


@pytest.fixture(scope="session")
def texts():
    """Results as text: "inconclusive" of three small tables, "high" of a table that copies its original."""
    return {
        "inconclusive": reportgen.assess(table(0), table(1), table(2)).to_json(),
        "high": reportgen.assess(table(0), table(0), table(2)).to_json(),
    }


@pytest.fixture
def results(texts, tmp_path):
    """The same as files in the folder of the command."""
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def program():
    """The words that start the command as another process."""
    return [sys.executable, "-m", "reportgen"]
