"""What Windows and macOS lack is not needed: whole commands without it, in a process of their own.

It is taken away here, on Linux; that other things differ there as well is not shown by this.
"""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest

WITHOUT = """
import os, sys
from pathlib import Path
for name in ("resource", "fcntl"):
    sys.modules[name] = None
import numpy, pandas, pyarrow, faiss, scipy, matplotlib, weasyprint  # they have their own ways on each system
flags = ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_NOFOLLOW", "O_TMPFILE")
for name in ("sched_getaffinity", "fchmod", "geteuid", "set_blocking", *flags):
    delattr(os, name)
import signal
del signal.SIGHUP
from reportgen import available
for function in (available.check_room, available.available_memory, available.resident_memory):
    function.__defaults__ = tuple(Path("/nowhere") for _ in function.__defaults__)
from reportgen import cli
cli.main(sys.argv[1:])
"""
OUTPUTS = ("r.json", "r.html", "r.pdf", "r.zip")


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("t", "s", "h")):
        frame = pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)], "town": list("abcdef") * 10})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def command(folder, start, *words):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("REPORTGEN_")}
    environ |= {"SOURCE_DATE_EPOCH": "0", "REPORTGEN_RESAMPLES": "100", "REPORTGEN_DRAWS": "2"}
    done = subprocess.run(
        [sys.executable, *start, *words], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_without_what_other_systems_lack_every_file_is_the_same(folder):
    words = ("assess", "t.csv", "s.csv", "--holdout", "h.csv", "-m", "closest_rate", "--fail-on", "never", "-v")
    made = {}
    for start in (("-m", "reportgen"), ("-c", WITHOUT)):
        code, _, err = command(folder, start, *words, *(word for name in OUTPUTS for word in ("-o", name)))
        assert code == 0, err
        made[start[0]] = {name: (folder / name).read_bytes() for name in OUTPUTS}
        assert ("memory: this system does not tell what is free" in err) == (start[0] == "-c")
        assert sorted(path.name for path in folder.iterdir()) == sorted(("h.csv", "s.csv", "t.csv", *OUTPUTS))
    assert made["-c"] == made["-m"]


def test_other_commands_work_without_it_as_well(folder):
    start = ("-c", WITHOUT)
    code, _, err = command(folder, start, "split", "t.csv", "--original", "o.csv", "--holdout", "x.csv")
    assert (code, err.count("wrote")) == (0, 3), err
    assert json.loads((folder / "x.csv.split.json").read_text())["source"]["rows"] == 60
    words = ("assess", "o.csv", "s.csv", "--holdout", "x.csv", "-m", "exact_copies", "-o", "r.json", "-o", "r.pdf")
    assert command(folder, start, *words, "--fail-on", "never")[0] == 0
    assert command(folder, start, "verify", "r.pdf", "--original", "o.csv")[0] == 0
    assert command(folder, start, "compare", "r.json", "r.json", "-o", "c.html")[0] == 0
    assert command(folder, start, "check", "r.json", "--fail-on", "never")[0] == 0
