"""What a terminal sees, and what is seen where there is none: progress, colours, completion, help."""

import os
import re
import resource
import shlex
import subprocess

import pytest

COMMANDS = ("assess", "render", "check", "compare", "verify", "split", "demo", "doctor", "schema")
LIMIT = 0.5
"""Seconds of processor time; a busy machine doesn't change them much."""


def on_terminal(words, folder, **environ):
    """Run a command whose stderr is a terminal; returns its exit code and what the terminal got."""
    terminal, its_end = os.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environ}
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=its_end, cwd=folder, env=environ) as running:
        os.close(its_end)
        seen = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        code = running.wait()
    os.close(terminal)
    return code, seen.decode()


def assessing(program, *words):
    return [*program, "assess", "original.csv", "synthetic.csv", "-o", "r.json", "--fail-on", "never", *words]


def test_a_terminal_shows_stages_with_counts_on_a_line_that_goes_away(program, tables, tmp_path):
    code, seen = on_terminal(assessing(program), tmp_path)
    assert code == 0
    stages = [part.strip() for part in seen.split("\r") if part.strip()]
    assert stages[0] == "read"
    assert "search 20/20" in stages  # the twenty random halves that stand in for a holdout
    assert any(re.fullmatch(r"measure 1/\d+", stage) for stage in stages)
    assert stages[-1] == "wrote r.json"
    assert re.search(r"\r +\rwrote r\.json\r\n$", seen)  # nothing of the line is left
    assert "\x1b" not in seen


@pytest.mark.parametrize(("words", "environ"), [(("-q",), {}), ((), {"TERM": "dumb"})])
def test_no_progress_where_quiet_or_dumb(program, tables, tmp_path, words, environ):
    code, seen = on_terminal(assessing(program, *words), tmp_path, **environ)
    assert code == 0
    assert seen == ("" if words else "wrote r.json\r\n")


def test_no_progress_and_no_escape_code_without_a_terminal(program, tables, tmp_path):
    done = subprocess.run(assessing(program), capture_output=True, text=True, cwd=tmp_path, check=True)
    assert (done.stdout, done.stderr) == ("", "wrote r.json\n")


def test_verbose_tells_the_seconds_of_each_stage(program, tables, tmp_path):
    done = subprocess.run(assessing(program, "-v"), capture_output=True, text=True, cwd=tmp_path, check=True)
    lines = done.stderr.splitlines()
    assert lines[0] == "config: none; threads: all available"
    assert re.fullmatch(r"(\w[\w ]* \d+\.\d s(, )?)+", lines[1])
    assert "measure" in lines[1]


def test_an_error_has_no_colour_on_a_terminal_either(program, tmp_path):
    code, seen = on_terminal([*program, "assess", "none.csv", "none.csv", "--nope"], tmp_path, FORCE_COLOR="1")
    assert code == 2
    assert "\x1b" not in seen
    assert seen.count("\r\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_is_quick_and_loads_nothing_heavy(program, tmp_path, command):
    code = (
        "import sys\nfrom reportgen.cli import main\n"
        f"try: main([{command!r}, '--help'])\nexcept SystemExit as done: assert not done.code\n"
        "heavy = {'numpy', 'pandas', 'faiss', 'scipy', 'matplotlib', 'weasyprint', 'pyarrow', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program[0], "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stderr == "[]\n"
    assert done.stdout.startswith(f"Usage: reportgen {command} [OPTIONS]")
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < LIMIT


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("assess", "ORIGINAL SYNTHETIC..."),
        ("render", "RESULT.json"),
        ("check", "RESULT.json|-"),
        ("compare", "OLD.json NEW.json"),
        ("verify", "REPORT"),
        ("split", "FILE"),
        ("demo", ""),
        ("doctor", ""),
        ("schema", ""),
    ],
)
def test_help_is_written_for_people_in_80_columns(run, monkeypatch, command, usage):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(command, "--help")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == f"Usage: reportgen {command} [OPTIONS] {usage}".rstrip()
    assert max(map(len, out.splitlines())) <= 80
    for noise in ("<", ">=", "{", "list[", "str", "Path", "None"):
        assert not re.search(rf"(?<![a-z]){re.escape(noise)}(?![a-z])", out), noise
    options = out.partition("Options:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (?:-\w, )?--[a-z-]+(?: \S+)?(?=\s{2,}|$)", options, re.MULTILINE)
    arguments = out.partition("Arguments:\n")[2].partition("Options:")[0]
    assert re.findall(r"^  (\S+)  ", arguments, re.MULTILINE) == usage.split()


@pytest.fixture
def shim(program, tmp_path):
    """A command called reportgen on the PATH; returns the environment in which it is found."""
    (tmp_path / "bin").mkdir()
    file = tmp_path / "bin" / "reportgen"
    file.write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n')
    file.chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("assess", "--"), {"--holdout", "--output", "--fail-on", "--baseline", "--help"}),
        (("assess", "--fail-on", ""), {"inconclusive", "moderate", "high", "never"}),
        (("check", "--fail-on", "m"), {"moderate"}),
        (("assess", "-m", "closest"), {"closest_rate", "closest_distances_ratio"}),
        (("ch",), {"check"}),
    ],
)
def test_bash_completes_commands_options_and_values(shim, tmp_path, words, expected):
    line = ["reportgen", *words]
    script = (
        'eval "$(reportgen --show-completion bash)"\n'
        f"COMP_WORDS=({' '.join(shlex.quote(word) for word in line)})\nCOMP_CWORD={len(line) - 1}\n"
        "_reportgen_completion reportgen\nprintf '%s\\n' \"${COMPREPLY[@]}\""
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=shim, cwd=tmp_path, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    offered = set(done.stdout.split())
    assert expected <= offered
    if words[-1] != "--":
        assert offered == expected
    assert done.stderr == ""
    assert after.ru_utime - before.ru_utime < 2 * LIMIT  # the script that completes, and one completion


@pytest.mark.parametrize(
    ("shell", "environ"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "reportgen assess --fail-on m"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "reportgen assess --fail-on m", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_zsh_and_fish_get_their_scripts_and_values(shim, tmp_path, shell, environ):
    shown = subprocess.run(
        ["reportgen", "--show-completion", shell], capture_output=True, text=True, env=shim, cwd=tmp_path, check=True
    )
    assert f"_REPORTGEN_COMPLETE=complete_{shell}" in shown.stdout
    asking = {**shim, **environ, "_REPORTGEN_COMPLETE": f"complete_{shell}"}
    done = subprocess.run(["reportgen"], capture_output=True, text=True, env=asking, cwd=tmp_path, check=True)
    assert "moderate" in done.stdout
    assert "never" not in done.stdout


def test_completion_is_installed_for_bash(shim, tmp_path):
    subprocess.run(
        ["reportgen", "--install-completion", "bash"], capture_output=True, env=shim, cwd=tmp_path, check=True
    )
    assert "reportgen" in (tmp_path / ".bashrc").read_text()
