"""Finished reports on disk for the checkers of others: veraPDF, qpdf, pdftotext, the Nu HTML checker, axe in Chromium.

The checkers lie in the folder that REPORT_CHECKERS names (`.ci/checkers.sh` fills it) and on the PATH. What is
missing skips its tests; REPORT_NO_SKIPS=1 makes that a failure.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.render import render

LONG_TITLE = "Assessment of the synthetic extract of the register of hospital discharges for the ethics committee " * 2
CASES = (
    "high",
    "high_long_100_leads_no_holdout",
    "moderate_3_leads_no_holdout",
    "moderate_long_100_columns",
    "inconclusive_100_columns_no_holdout",
    "inconclusive_long_3_leads",
    "low_100_leads",
    "low_long",
    "hostile",
)
"""Every pair of verdict, length of title, 3 or 100 columns, table or signals, and holdout or none, except a low verdict
without a holdout, which does not exist; and a table whose every name is an attack."""
ROWS = 300
JAXB = ("jaxb-api", "jaxb-runtime", "jaxb-core", "txw2", "istack-commons-runtime", "javax.activation")
"""Debian's libjaxb-java, which must come before veraPDF's own on the class path."""


@pytest.fixture(scope="session", params=CASES)
def case(request):
    """The name of one case."""
    return request.param


@pytest.fixture(scope="session")
def cases(adult, results, tmp_path_factory):
    """The results of `CASES`, assessed here, so that they hold what an assessment brings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1780000000")
        made = {name: assessed.result for name, assessed in assessments(adult, tmp_path_factory.mktemp("read")).items()}
    made["hostile"] = results["hostile"]
    assert tuple(made) == CASES
    return made


def assessments(adult, folder):
    few, title = ["age", "fnlwgt", "hours-per-week"], LONG_TITLE
    original, holdout, good = (
        pd.read_parquet(adult / f"{name}.parquet")[:ROWS] for name in ("original", "holdout", "synthetic_good")
    )
    wide_original, wide_holdout, wide_good = (
        widened(table, seed) for seed, table in enumerate((original, holdout, good))
    )
    thin_original, thin_holdout, thin_good = (signals(seed, leads=3) for seed in range(3))
    many_original, many_holdout, many_good = (signals(seed, leads=100) for seed in range(3))
    return {
        "high": reportgen.assess(original[few], original[few], holdout[few]),
        "high_long_100_leads_no_holdout": reportgen.assess(
            many_original, with_copies(many_good, many_original, 75), title=title
        ),
        "moderate_3_leads_no_holdout": reportgen.assess(thin_original, with_copies(thin_good, thin_original, 2)),
        "moderate_long_100_columns": reportgen.assess(
            wide_original, with_copies(wide_good, wide_original, 2), wide_holdout, title=title
        ),
        "inconclusive_100_columns_no_holdout": reportgen.assess(wide_original, wide_good),
        "inconclusive_long_3_leads": reportgen.assess(thin_original, thin_good, thin_holdout, title=title),
        "low_100_leads": reportgen.assess(many_original, many_good, many_holdout, tolerance=15.0),
        "low_long": reportgen.assess(
            *(
                file(table[few], folder / f"synthetic_register_of_discharges_{role}.parquet")
                for role, table in (("original", original), ("good", good), ("holdout", holdout))
            ),
            tolerance=10.0,
            title=title,
        ),
    }


def file(table, path):
    """The path, where the table is now: names of files stand on the first page."""
    table.to_parquet(path)
    return path


def widened(table, seed):
    """The table with so many columns of long names, with blanks and without, that it has 100."""
    generator = np.random.default_rng(seed)
    kinds = (
        "measurement {} of the panel, taken at the second visit",
        "systolic_blood_pressure_number_{}_at_the_second_visit",
        "patientDischargeDepartmentCode{}OfTheSecondVisit",
    )
    names = [kinds[place % len(kinds)].format(place) for place in range(100 - table.shape[1])]
    more = pd.DataFrame({name: generator.normal(size=len(table)).round(3) for name in names})
    return pd.concat([table.reset_index(drop=True), more], axis=1)


def signals(seed, leads, records=150, samples=60):
    generator = np.random.default_rng(seed)
    shape = (records, leads, 1)
    waves = np.sin(np.arange(samples) * generator.uniform(0.1, 0.3, shape)) * generator.uniform(0.5, 2, shape)
    return (waves + generator.normal(0, 0.1, waves.shape)).astype(np.float32)


def with_copies(synthetic, original, count):
    """The synthetic rows or records, the first of them replaced by original ones."""
    if isinstance(synthetic, pd.DataFrame):
        return pd.concat([original[:count], synthetic[count:]], ignore_index=True)
    return np.concatenate([original[:count], synthetic[count:]])


@pytest.fixture(scope="session")
def reports(cases, rendering, tmp_path_factory):
    """The folder of all reports: `high.html`, `high.pdf`, …"""
    return written(tmp_path_factory.mktemp("reports"), cases, rendering, ("html", "pdf"))


def written(folder, cases, rendering, suffixes):
    """The folder, with every case in these formats."""
    for name, result in cases.items():
        for suffix in suffixes:
            path = folder / f"{name}.{suffix}"
            path.write_bytes(render(path.name, result, rendering))
    return folder


@pytest.fixture(scope="session")
def checkers():
    """The folder of checkers."""
    folder = os.environ.get("REPORT_CHECKERS")
    if not folder:
        pytest.skip("REPORT_CHECKERS names no folder of checkers; `.ci/checkers.sh FOLDER` fills one")
    return Path(folder)


def tool(*names):
    """The first of the programs that is installed."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"{names[0]} is not installed")
    return found


def output(*command, **more):
    """What a program prints, if it succeeds."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="session")
def verapdf(checkers, tmp_path_factory):
    """Validate PDF files: for each file and standard the number of assertions, and those that failed."""
    classes = tmp_path_factory.mktemp("classes")
    path = os.pathsep.join([*(f"/usr/share/java/{jar}.jar" for jar in JAXB), str(checkers / "verapdf.jar")])
    output(tool("javac"), "-cp", path, "-d", classes, Path(__file__).with_name("Validate.java"))

    def validate(*files):
        counted, failed = {}, {}
        for line in output(tool("java"), "-cp", f"{classes}{os.pathsep}{path}", "Validate", *files).splitlines():
            file, standard, *rest = line.split("\t")
            where = Path(file).stem, standard
            if len(rest) == 1:
                counted[where] = int(rest[0])
            else:
                failed.setdefault(where, []).append(rest)
        return counted, failed

    return validate


@pytest.fixture(scope="session")
def vnu(checkers):
    """Return what the Nu HTML checker says of HTML files, warnings and notes included: one text a message."""

    def check(*files):
        command = (tool("java"), "-jar", checkers / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar")
        done = subprocess.run(
            [*command, "--Werror", "--format", "json", *files], check=False, capture_output=True, text=True
        )
        messages = json.loads(done.stderr)["messages"]
        assert bool(done.returncode) == bool(messages)
        return [f"{Path(one.get('url', '')).name}:{one.get('lastLine')}: {one['message']}" for one in messages]

    return check


@pytest.fixture(scope="session")
def browse(checkers):
    """Open HTML files in Chromium; see browse.js for what it returns of each."""

    def look(*files):
        script = Path(__file__).with_name("browse.js")
        environment = os.environ | {"NODE_PATH": str(checkers / "node_modules")}
        found = output(tool("node", "nodejs"), script, tool("chromium"), *files, env=environment)
        return {Path(visit["file"]).stem: visit for visit in json.loads(found)["visits"]}

    return look


@pytest.fixture(scope="session")
def qpdf():
    """Run qpdf; return what it prints."""
    return lambda *arguments: output(tool("qpdf"), *arguments)


@pytest.fixture(scope="session")
def draw():
    """Draw each page of a PDF into a folder, in grey and small; return the pictures, portable greymaps."""

    def pictures(path, folder):
        output(tool("pdftoppm"), "-gray", "-r", "36", path, folder / "page")
        return sorted(folder.glob("page-*.pgm"))

    return pictures


@pytest.fixture(scope="session")
def text_of():
    """Return the text of each page of a PDF as a reader's search finds it, if that has nothing to complain of."""

    def text(path):
        done = subprocess.run([tool("pdftotext"), "-raw", path, "-"], check=True, capture_output=True, text=True)
        assert done.stderr == ""
        return done.stdout.split("\f")[:-1]

    return text
