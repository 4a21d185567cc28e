"""What several tests share."""

import os
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pytest

from reportgen import cli

# The same examples in every run: a failure that comes and goes helps nobody. Search for new ones with
# `pytest --hypothesis-profile=default`.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared():
    """The folder of shared documents and data beside a checkout; the tests that need it are skipped without it."""
    folder = ROOT.parent / "shared"
    if not (folder / "oracle").is_dir():
        pytest.skip("the shared data are not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def adult():
    """The bundled example: original, holdout, synthetic_good and synthetic_leaky as Parquet."""
    return ROOT / "examples" / "adult"


@pytest.fixture(scope="session")
def people():
    """Draw people whose columns hang together: two numbers, two categories. Called with their number and a seed."""

    def draw(rows, seed):
        random = np.random.default_rng(seed)
        age = random.integers(18, 90, rows)
        return pd.DataFrame(
            {
                "age": age,
                "pay": np.round(random.lognormal(7, 0.6, rows), 1) + age,
                "town": random.choice(["a", "b", "c", "d"], rows),
                "old": np.where(age > 50, "yes", "no"),
            }
        )

    return draw


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder; returns exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("REPORTGEN_")]:
        monkeypatch.delenv(name)

    def call(*words):
        with pytest.raises(SystemExit) as caught:
            cli.main([str(word) for word in words])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """With REPORT_NO_SKIPS=1, as in CI, a test that cannot run has failed: a missing tool is no reason to pass."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("REPORT_NO_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"skipped, which REPORT_NO_SKIPS=1 forbids: {report.longrepr[-1]}"
    return report
