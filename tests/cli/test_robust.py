"""Whatever happens to a run: what it leaves is whole, and what it says is one line."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

OUTPUTS = ("r.json", "s.json")
OLD = "an older report"


def asked(program, *words):
    return [*program, "assess", "original.csv", "synthetic.csv", "--fail-on", "never", *words]


def outputs():
    return [word for name in OUTPUTS for word in ("-o", name)]


def whole(folder):
    """Whether each output is the older one or a whole new one; a part of a JSON file is no JSON."""
    texts = [(folder / name).read_text(encoding="utf-8") for name in OUTPUTS]
    return all(text == OLD or json.loads(text) for text in texts)


@pytest.mark.parametrize(
    ("number", "moments"),
    [
        (signal.SIGKILL, (0.02, 0.5, 1.2, 2.0)),
        (signal.SIGINT, (0.5, 1.5)),
        (signal.SIGTERM, (1.0,)),
        (signal.SIGHUP, (1.3,)),
    ],
)
def test_a_run_that_is_ended_at_any_moment_leaves_older_or_whole_outputs(program, tables, tmp_path, number, moments):
    for moment in moments:
        for name in OUTPUTS:
            (tmp_path / name).write_text(OLD)
        with subprocess.Popen(asked(program, *outputs(), "-q"), stderr=subprocess.DEVNULL, cwd=tmp_path) as running:
            time.sleep(moment)
            running.send_signal(number)
            running.wait(timeout=60)
        assert whole(tmp_path)
        if number is not signal.SIGKILL:
            assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*OUTPUTS, *(one.name for one in tables)])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_that_come_twice_leave_nothing_in_the_folder_for_temporary_files(program, tmp_path, number, code):
    """While a PDF is made: the typesetter keeps its fonts there. `timeout` sends each signal twice."""
    result = Path(__file__).parent.parent / "render" / "fixtures" / "1.0" / "no_holdout.json"
    (tmp_path / "temporary").mkdir()
    environ = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    words = [*program, "render", str(result), "-o", "r.pdf"]
    for moment in (0.0, 0.3):
        with subprocess.Popen(words, stderr=subprocess.PIPE, cwd=tmp_path, env=environ, text=True) as running:
            deadline = time.monotonic() + 120
            while not list((tmp_path / "temporary").iterdir()) and time.monotonic() < deadline:
                time.sleep(0.005)
            assert list((tmp_path / "temporary").iterdir())
            time.sleep(moment)
            running.send_signal(number)
            time.sleep(0.02)
            running.send_signal(number)
            said = running.communicate(timeout=120)[1]
        assert running.returncode == code
        assert said.endswith("nothing was left half-written\n")
        assert said.count("\n") == 1
        assert [path.name for path in tmp_path.iterdir()] == ["temporary"]
        assert not list((tmp_path / "temporary").iterdir())


KILLED_WHILE_WRITING = """
import os, signal, sys
from reportgen import cli
move, moved = os.replace, []
def replace(*names):
    if len(moved) == {place}:
        os.kill(os.getpid(), signal.{number})
    moved.append(move(*names))
os.replace = replace
cli.main(sys.argv[1:])
"""


@pytest.mark.parametrize("place", [0, 1])
def test_a_kill_between_two_files_leaves_each_of_them_whole(program, tables, tmp_path, place):
    for name in OUTPUTS:
        (tmp_path / name).write_text(OLD)
    code = KILLED_WHILE_WRITING.format(place=place, number="SIGKILL")
    words = [sys.executable, "-c", code, *asked(program, *outputs())[3:]]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    assert whole(tmp_path)
    assert [(tmp_path / name).read_text() == OLD for name in OUTPUTS] == [place == 0, True]
    left = list(tmp_path.glob(".reportgen-*"))
    assert len(left) == 1  # killed in the moment between two calls of the system, in which a file has a hidden name
    assert subprocess.run(asked(program, "-q", "-o", "r.json"), cwd=tmp_path, check=True).returncode == 0
    assert not list(tmp_path.glob(".reportgen-*"))


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_while_files_are_put_in_place_waits_until_all_are(program, tables, tmp_path, number, code):
    words = [sys.executable, "-c", KILLED_WHILE_WRITING.format(place=1, number=number)]
    done = subprocess.run(
        [*words, *asked(program, *outputs(), "-q")[3:]], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == code
    assert done.stderr.endswith("nothing was left half-written\n")
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*OUTPUTS, *(one.name for one in tables)])
    assert whole(tmp_path)


@pytest.mark.parametrize(
    ("words", "file", "unbuffered"),
    [
        (("-o", "r.json", "-o", "s.json"), None, ""),
        (("-o", "-"), "out.json", ""),
        (("-o", "-"), "out.json", "1"),  # what Python itself loses without a word
    ],
)
def test_a_disk_that_is_full_is_one_line_and_exit_3(program, tables, tmp_path, words, file, unbuffered):
    limited = ["/bin/sh", "-c", f'ulimit -f 8; exec "$@" {f"> {file}" if file else ""}', "sh"]
    environ = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        [*limited, *asked(program, *words, "-q")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environ,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.endswith("free some space\n")
    assert done.stderr.count("\n") == 1
    assert not any((tmp_path / name).exists() for name in OUTPUTS)
    assert not list(tmp_path.glob(".reportgen-*"))


def test_a_folder_that_cannot_be_written_to_is_one_line_before_anything_is_read(program, tables, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o555)
    mortal = []
    if os.geteuid() == 0:  # root may write anywhere unless it gives up its privileges
        assert shutil.which("setpriv")
        mortal = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    words = [*mortal, *program, "assess", "none.csv", "none.csv", "-o", "locked/r.json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr == "reportgen: error: r.json: its folder locked cannot be written to; choose another\n"


def test_two_runs_at_once_in_one_folder_do_not_disturb_each_other(program, tables, tmp_path):
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    own = [("-o", f"{name}.json", *outputs()) for name in "ab"]
    running = [subprocess.Popen(asked(program, *words, "-q"), cwd=tmp_path, env=environ) for words in own]
    assert [one.wait(timeout=120) for one in running] == [0, 0]
    contents = [(tmp_path / name).read_bytes() for name in ("a.json", "b.json", "r.json")]
    assert contents[0] == contents[1] == contents[2]
    assert whole(tmp_path)
    assert not list(tmp_path.glob(".reportgen-*"))


def test_a_bare_environment_changes_no_byte_and_adds_no_line(program, tables, tmp_path):
    words = asked(program, "-o", "r.json", "-o", "r.html", "--title", "Größe 漢")
    usual = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    bare = {"LC_ALL": "C", "LANG": "C", "TERM": "dumb", "NO_COLOR": "1"}
    bare |= {
        "HOME": "/proc",
        "XDG_CACHE_HOME": "",
        "XDG_CONFIG_HOME": "",
        "MPLCONFIGDIR": "",
    }  # nothing can be kept there
    said = []
    for folder, more in (("usual", {}), ("bare", bare)):
        (tmp_path / folder).mkdir()
        for table in tables:
            shutil.copy(table, tmp_path / folder)
        done = subprocess.run(words, capture_output=True, cwd=tmp_path / folder, env={**usual, **more}, check=True)
        said.append((done.stdout, done.stderr))
    assert said[0] == said[1] == (b"", b"wrote r.json\nwrote r.html\n")
    for name in ("r.json", "r.html"):
        assert (tmp_path / "usual" / name).read_bytes() == (tmp_path / "bare" / name).read_bytes()


@pytest.mark.parametrize("closed", ["<&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(program, tables, tmp_path, closed):
    words = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *asked(program, *outputs())]
    assert subprocess.run(words, capture_output=True, cwd=tmp_path, check=False).returncode == 0
    assert whole(tmp_path)


def test_a_pipe_that_is_full_and_does_not_block_loses_nothing(program, results):
    # As some runners of pipelines hand it over: a write that does not fit fails at once instead of waiting.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    words = [*program, "schema"]
    with subprocess.Popen(words, stdout=writing, stderr=subprocess.PIPE, cwd=results) as running:
        os.close(writing)
        time.sleep(1.5)
        out = b""
        while part := os.read(reading, 65536):
            out += part
        assert running.communicate(timeout=60)[1] == b""
    os.close(reading)
    assert running.returncode == 0
    json.loads(out)
