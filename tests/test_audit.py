"""No network, and no file read outside the inputs: what the interpreter itself reports of a whole run.

Python tells an audit hook of every file that it opens, every socket and every process, also of its libraries' (not of
code in C, such as Pango's, whose only input is what the typesetter hands it).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import reportgen
from reportgen import render

WATCHED = """
import json, os, sys
seen = []
def watch(event, found):
    if event == "open" and not isinstance(found[0], int):
        seen.append((event, os.path.realpath(os.fsdecode(found[0]))))
    elif event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.")):
        seen.append((event, str(found[0])[:40]))
sys.addaudithook(watch)
from reportgen import cli
try:
    cli.main(sys.argv[2:])
except SystemExit as end:
    code = end.code
with open(sys.argv[1], "w") as told:
    json.dump([code, seen], told)
"""
LURES = (
    "../decoy.csv",
    "url(decoy.csv)",
    "file://{}/decoy.csv",
    "{{% include '{}/decoy.csv' %}}",
    "http://127.0.0.1/x",
)
SYSTEM = ("/proc", "/sys", "/dev/null", "/etc/mime.types", "/etc/localtime", "/usr/share/zoneinfo", "/usr/share/mime")
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/ghostscript")
"""Of the machine: memory, time zones, types of files; and fonts, which matplotlib lists when it is first used."""


@pytest.fixture
def folder(tmp_path):
    for name in ("in", "out", "home", "temporary"):
        (tmp_path / name).mkdir()
    lures = [lure.format(tmp_path / "in") for lure in LURES]
    for seed, name in enumerate(("t", "s", "h")):
        frame = pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)], "town": list("abcdef") * 10})
        frame.assign(**{lures[0]: range(60), lures[1]: [lures[2], lures[3]] * 30}).to_csv(
            tmp_path / "in" / f"{name}.csv", index=False
        )
    (tmp_path / "in" / "decoy.csv").write_text("never read")
    (tmp_path / "in" / "c.toml").write_text(
        'fail_on = "never"\n'
        + "".join(f"{name} = {json.dumps(' '.join(lures))}\n" for name in ("title", "context", "recipients"))
    )
    return tmp_path


def watched(folder, *words):
    """Run the command; returns the files that it opened outside of Python's own and the package's, and other events."""
    told = folder / "home" / "told.json"
    environ = {**os.environ, "HOME": str(folder / "home"), "TMPDIR": str(folder / "temporary")}
    environ |= {"MPLCONFIGDIR": str(folder / "home"), "REPORTGEN_RESAMPLES": "100", "REPORTGEN_DRAWS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(told), *words],
        cwd=folder / "in",
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    code, seen = json.loads(told.read_text())
    assert code == 0, done.stderr
    package = Path(reportgen.__file__).parent.parent
    own = [*map(os.path.realpath, (sys.prefix, sys.base_prefix, package / "reportgen", package / "templates"))]
    own += [*map(os.path.realpath, (package / "assets", folder / "home", folder / "temporary")), *SYSTEM, *FONTS]
    own += [os.path.realpath(place) for place in sys.path if place and Path(place) != package]
    files = {path for event, path in seen if event == "open"}
    outside = {path for path in files if not any(path == one or path.startswith(f"{one}{os.sep}") for one in own)}
    assert any(path.startswith(str(package)) for path in files)  # the hook sees what it is meant to see
    return outside, {(event, what) for event, what in seen if event != "open"}


def test_a_run_opens_its_inputs_and_outputs_alone_and_no_socket(folder):
    inputs = {str(folder / "in" / name) for name in ("t.csv", "s.csv", "h.csv", "c.toml")}
    made = [f"../out/r{one.suffix}" for one in render.FORMATS]
    words = ["assess", "t.csv", "s.csv", "--holdout", "h.csv", "-c", "c.toml", "--fail-on", "never"]
    opened, events = watched(folder, *words, *(word for name in made for word in ("-o", name)))
    assert {path for path in opened if not path.startswith(str(folder / "out"))} == inputs
    assert [event for event in events if not event[1].startswith("data:")] == []
    assert len(list((folder / "out").iterdir())) == len(made)

    again = [f"../out/again{one.suffix}" for one in render.FORMATS]
    (folder / "result.json").write_bytes((folder / "out" / "r.json").read_bytes())
    words = ["render", "../result.json", *(word for name in again for word in ("-o", name))]
    opened, events = watched(folder, *words)
    assert {path for path in opened if not path.startswith(str(folder / "out"))} == {str(folder / "result.json")}
    assert [event for event in events if not event[1].startswith("data:")] == []

    opened, events = watched(folder, "check", "../result.json", "--fail-on", "never", "-c", "c.toml")
    assert opened == {str(folder / "result.json"), str(folder / "in" / "c.toml")}
    assert events == set()
