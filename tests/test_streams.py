"""What a shell sees: streams that end early, signals, closed descriptors."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

ASSESS = [sys.executable, "-m", "reportgen", "assess", "original.csv", "synthetic.csv"]


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(("original", "synthetic")):
        frame = pd.DataFrame({"age": [1.5 * row + seed for row in range(60)], "town": list("abcdef") * 10})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_without_a_command_the_list_of_commands_goes_to_stderr():
    done = subprocess.run([sys.executable, "-m", "reportgen"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "assess" in done.stderr
    assert "doctor" in done.stderr


def test_a_reader_that_stops_early_costs_no_file_and_prints_nothing(folder):
    reading, writing = os.pipe()
    os.close(reading)  # as head does, at its worst
    words = [*ASSESS, "-q", "-o", "-", "-o", "r.json"]
    done = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, cwd=folder, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (3, b"")
    assert (folder / "r.json").exists()


@pytest.mark.parametrize("words", [["schema"], ["doctor"], [*ASSESS[3:], "-q", "-o", "-"]])
def test_a_full_disk_behind_stdout_is_one_line_and_exit_3(folder, words):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [*ASSESS[:3], *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder, check=False
        )
    assert done.returncode == 3
    assert done.stderr == "reportgen: error: cannot write: No space left on device; free some space\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words", [["schema"], ["doctor"], ["--version"], [*ASSESS[3:], "--dry-run"], [*ASSESS[3:], "-q", "-o", "-"]]
)
def test_data_for_a_closed_stdout_are_one_line_and_exit_3(folder, words, unbuffered):
    closed = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *ASSESS[:3], *words]
    environ = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, cwd=folder, env=environ, check=False)
    assert done.returncode == 3
    assert (
        done.stderr
        == "reportgen: error: cannot write: standard output is closed; leave it open, or name files with -o\n"
    )


def test_rules_and_reports_for_a_closed_stdout_are_one_line_and_exit_3(folder):
    words = [*ASSESS, "-q", "-o", "r.json", "--fail-on", "never"]
    subprocess.run(words, cwd=folder, check=True)
    for words, more in ((["check", "r.json"], ""), (["render", "r.json", "-o", "s.json", "-o", "-"], "wrote s.json\n")):
        closed = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *ASSESS[:3], *words]
        done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
        assert done.returncode == 3  # check would exit with 1: 3 wins
        assert done.stderr.startswith(f"{more}reportgen: error: cannot write: standard output is closed;")
        assert done.stderr.count("\n") == 1 + bool(more)
    assert (folder / "s.json").read_bytes() == (folder / "r.json").read_bytes()


def test_a_closed_stdout_and_stderr_are_no_error_where_nothing_was_to_go_there(folder):
    words = 'exec "$@" -q -o r.json --fail-on never >&- 2>&-'
    done = subprocess.run(["/bin/sh", "-c", words, "sh", *ASSESS], cwd=folder, check=False)
    assert done.returncode == 0
    assert (folder / "r.json").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_and_leaves_no_file(folder, number, code):
    # Enough rows that it can't be over before the signal.
    for seed, name in enumerate(("original", "synthetic")):
        rows = range(40_000)
        frame = pd.DataFrame(
            {f"c{place}": [(row * 7919 * place + seed) % 9973 / 7 for row in rows] for place in (1, 2)}
        )
        frame.to_csv(folder / f"{name}.csv", index=False)
    words = [*ASSESS, "-o", "r.json", "-o", "r.html"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=folder) as running:
        time.sleep(2)
        running.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            err = running.communicate(timeout=30)[1]
    assert running.returncode == code
    assert err.count("\n") <= 1
    assert "Traceback" not in err
    assert sorted(path.name for path in folder.iterdir()) == ["original.csv", "synthetic.csv"]


def test_without_pango_nothing_but_our_line_is_said(folder):
    # As WeasyPrint 70 does where it finds no Pango: a banner on stdout, then OSError.
    (folder / "fake" / "weasyprint").mkdir(parents=True)
    (folder / "fake" / "weasyprint" / "__init__.py").write_text("print('-----')\nraise OSError('no Pango')\n")
    words = [*ASSESS, "-q", "-o", "r.pdf", "-o", "r.html", "-o", "r.json"]
    path = os.pathsep.join([str(folder / "fake"), os.environ.get("PYTHONPATH", "")])
    environ = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environ, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("reportgen: error: PDF needs Pango, which this machine lacks; install it: apt-get")
    assert done.stderr.count("\n") == 1
    assert (folder / "r.html").exists()
    assert (folder / "r.json").exists()
