"""Answers kept in a folder: the resumed run writes the same bytes, and nothing that is not whole is believed."""

import os
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import EnvironmentLacking
from reportgen.large import checkpoint as module
from reportgen.large import versions
from reportgen.large.checkpoint import FOLDER, checkpoint
from reportgen.space.exact import k_nearest_here

ROWS = 9000
"""Two tables of so many rows make searches that are worth keeping."""


def table(seed, rows=ROWS):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(rows, 9)), columns=list("abcdefghi"))
    frame["town"] = random.choice(list("xyz"), rows)
    return frame


@pytest.fixture
def small(monkeypatch):
    """Every search is worth keeping, in shards of 20 queries."""
    monkeypatch.setattr(module, "_FEWEST_PAIRS", 0)
    monkeypatch.setattr(module, "_PAIRS", 1)
    monkeypatch.setattr(module, "_QUERIES", 20)


@pytest.fixture
def rows():
    random = np.random.default_rng(5)
    return random.normal(size=(70, 8)), random.normal(size=(300, 8))


def answers(folder):
    return sorted((folder / FOLDER).glob("*.answer"))


def same(found, expected):
    return all(one.tobytes() == other.tobytes() for one, other in zip(found, expected, strict=True))


def test_answers_are_those_of_the_search_kept_and_taken_again(tmp_path, small, rows):
    expected = k_nearest_here(*rows, 3)
    with checkpoint(tmp_path / "c") as kept:
        assert same(kept.search(*rows, 3, 1), expected)
        assert (kept.found, kept.kept) == (0, 4)
    with checkpoint(tmp_path / "c") as kept:
        assert same(kept.search(*rows, 3, 1), expected)
        assert (kept.found, kept.kept) == (4, 0)
        assert kept.remove() == 0
    assert not (tmp_path / "c").exists()


def test_folder_and_files_are_their_owners_alone(tmp_path, small, rows):
    before = os.umask(0)
    try:
        with checkpoint(tmp_path / "c") as kept:
            kept.search(*rows, 3, 1)
    finally:
        os.umask(before)
    for path in (tmp_path / "c", tmp_path / "c" / FOLDER):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "c" / FOLDER).iterdir()} == {0o600}


@pytest.mark.parametrize("what", ["query", "base", "k", "version"])
def test_an_answer_to_another_question_is_never_taken(tmp_path, small, rows, monkeypatch, what):
    queries, base = rows
    with checkpoint(tmp_path / "c") as kept:
        kept.search(queries, base, 3, 1)
    k = 2 if what == "k" else 3
    if what == "query":
        queries = queries.copy()
        queries[::20, 0] = np.nextafter(queries[::20, 0], 9)
    if what == "base":
        base = base.copy()
        base[299, 7] = np.nextafter(base[299, 7], 9)
    if what == "version":
        monkeypatch.setattr(versions, "version", lambda _: "another")
    with checkpoint(tmp_path / "c") as kept:
        assert same(kept.search(queries, base, k, 1), k_nearest_here(queries, base, k))
        assert (kept.found, kept.kept) == (0, 4)
        assert kept.remove() == 4
    assert len(answers(tmp_path / "c")) == 4  # those of the other run


@pytest.mark.parametrize("fault", ["bit", "short", "long", "empty", "another's", "format", "folder"])
def test_an_answer_that_is_not_as_it_was_written_is_searched_again(tmp_path, small, rows, fault):
    with checkpoint(tmp_path / "c") as kept:
        kept.search(*rows, 3, 1)
    first, second = [path for path in answers(tmp_path / "c") if path.stat().st_size > 600][:2]
    content = bytearray(first.read_bytes())
    if fault == "bit":
        content[-9] ^= 1
    if fault == "format":
        content[3] ^= 1
    changed = {"short": content[:-1], "long": content + b"\0", "empty": b"", "another's": second.read_bytes()}
    first.write_bytes(changed.get(fault, content))
    if fault == "folder":
        first.unlink()
        first.symlink_to(second)
    with checkpoint(tmp_path / "c") as kept:
        assert same(kept.search(*rows, 3, 1), k_nearest_here(*rows, 3))
        assert (kept.found, kept.kept) == (3, 1)


def test_numbers_far_out_are_scaled_in_shards_as_in_the_whole(tmp_path, small):
    random = np.random.default_rng(1)
    queries, base = random.normal(size=(60, 3)), random.normal(size=(90, 3)) * 1e-160
    queries[:20] *= 1e-160
    base[5] = 1.0
    with checkpoint(tmp_path / "c") as kept:
        assert same(kept.search(queries, base, 2, 1), k_nearest_here(queries, base, 2))
        assert same(kept.search(queries[:20], base[:5], 2, 1), k_nearest_here(queries[:20], base[:5], 2))


def test_small_searches_are_not_kept(tmp_path, rows):
    with checkpoint(tmp_path / "c") as kept:
        assert same(kept.search(*rows, 3, 1), k_nearest_here(*rows, 3))
        assert kept.kept == 0
    assert not (tmp_path / "c").exists()


def test_what_a_killed_run_left_half_written_is_removed(tmp_path, small, rows):
    with checkpoint(tmp_path / "c") as kept:
        kept.search(*rows, 3, 1)
    partial = tmp_path / "c" / FOLDER / ".partial-0123"
    partial.write_bytes(b"half")
    with checkpoint(tmp_path / "c"):
        assert not partial.exists()


def test_folders_that_cannot_be_used_are_refused(tmp_path, small, rows):
    (tmp_path / "file").write_text("x")
    (tmp_path / "open" / FOLDER).mkdir(parents=True)
    (tmp_path / "open" / FOLDER).chmod(0o755)
    for name, words in {
        "file": "file cannot be used (Not a directory)",
        "no/such": "such cannot be used (No such file or directory)",
        "open": f"{FOLDER} in open is open to others; remove it",
    }.items():
        with pytest.raises(reportgen.InputError, match=r"^checkpoint: ") as caught, checkpoint(tmp_path / name):
            pass
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_without_locks_one_line_says_so_before_a_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "fcntl", None)
    with pytest.raises(EnvironmentLacking, match=r"^checkpoint: this system has no locks"), checkpoint(tmp_path / "c"):
        pass
    assert not (tmp_path / "c").exists()


def test_a_run_that_goes_on_searches_what_is_not_kept_and_nothing_else(tmp_path, small):
    random = np.random.default_rng(7)
    queries, base = random.normal(size=(200, 8)), random.normal(size=(5000, 8))
    searched = []

    def search(rows, *rest):
        if len(searched) == 6:
            raise KeyboardInterrupt
        searched.append(len(rows))
        return k_nearest_here(rows, *rest)

    with pytest.raises(KeyboardInterrupt), checkpoint(tmp_path / "c", search) as kept:
        kept.search(queries, base, 3, 1)
    assert searched == [20] * 6
    searched.clear()
    with checkpoint(tmp_path / "c", search) as kept:
        assert same(kept.search(queries, base, 3, 1), k_nearest_here(queries, base, 3))
        assert (kept.found, kept.kept) == (6, 4)
    assert searched == [20] * 4


def test_two_runs_do_not_share_a_folder(tmp_path, small, rows):
    with checkpoint(tmp_path / "c") as kept:
        kept.search(*rows, 3, 1)
        with pytest.raises(reportgen.InputError, match="another run is using c"), checkpoint(tmp_path / "c"):
            pass
        assert len(answers(tmp_path / "c")) == 4


def test_the_python_function_leaves_nothing_when_it_is_done(tmp_path, small):
    tables = [table(seed, 120) for seed in range(3)]
    with_it = reportgen.assess(*tables, checkpoint=tmp_path / "c", metric=["nndr"])
    assert not (tmp_path / "c").exists()
    assert with_it.result.metrics == reportgen.assess(*tables, metric=["nndr"]).result.metrics


def test_the_python_function_keeps_answers_when_it_is_stopped(tmp_path, small):
    tables = [table(seed, 120) for seed in range(3)]

    def stop(stage, _done, _total):
        if stage == "measure":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reportgen.assess(*tables, checkpoint=tmp_path / "c", metric=["nndr"], progress=stop)
    kept = answers(tmp_path / "c")
    assert kept
    (tmp_path / "c" / "mine").write_text("not the program's")
    reportgen.assess(*tables, checkpoint=tmp_path / "c", metric=["nndr"])
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["mine"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables whose searches are worth keeping."""
    made = tmp_path_factory.mktemp("tables")
    for seed, name in enumerate(("original", "synthetic", "holdout")):
        table(seed).to_parquet(made / f"{name}.parquet")
    return made


def command(*words):
    inputs = ["assess", "original.parquet", "synthetic.parquet", "--holdout", "holdout.parquet"]
    metrics = ["-m", "nndr", "-m", "closest_rate", "--fail-on", "never", "--jobs", "1"]
    return [sys.executable, "-m", "reportgen", *inputs, *metrics, *words]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_run_that_was_interrupted_goes_on_and_writes_the_same_bytes(folder, number, code):
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    kept = folder / f"kept-{code}"
    words = [*command("-o", "resumed.json", "--checkpoint", kept.name)]
    with subprocess.Popen(words, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True) as running:
        begun = time.monotonic()
        while not (kept.exists() and answers(kept)) and time.monotonic() - begun < 120:
            time.sleep(0.01)
        running.send_signal(number)
        said = running.communicate(timeout=120)[1]
    assert running.returncode == code, said
    if number == signal.SIGINT:
        assert said.splitlines()[-2:] == [
            "checkpoint: what was searched so far is kept; the same command goes on from there",
            "reportgen: error: interrupted; nothing was left half-written",
        ]
    assert not (folder / "resumed.json").exists()
    assert not list(folder.glob(".reportgen-*"))
    before = len(answers(kept))
    assert before

    done = subprocess.run([*words, "-v"], cwd=folder, env=environ, capture_output=True, text=True, check=True)
    taken = int(done.stderr.partition("checkpoint: ")[2].partition(" answers taken")[0])
    added = int(done.stderr.partition(" answers taken, ")[2].partition(" added")[0])
    assert taken >= before  # what was kept is asked for, perhaps more than once
    assert added > 0  # it was interrupted in the middle
    assert not kept.exists()

    subprocess.run(command("-q", "-o", "whole.json"), cwd=folder, env=environ, check=True)
    assert (folder / "resumed.json").read_bytes() == (folder / "whole.json").read_bytes()
    (folder / "resumed.json").unlink()


def test_a_folder_of_others_is_exit_2_before_anything_is_read(folder):
    (folder / "others" / FOLDER).mkdir(parents=True)
    (folder / "others" / FOLDER).chmod(0o777)
    words = command("-o", "r.json", "--checkpoint", "others")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert not (folder / "r.json").exists()


def test_several_releases_share_a_folder_until_all_are_done(run, tmp_path, small):
    for seed, name in enumerate(("original", "one", "two")):
        table(seed, 80).to_csv(tmp_path / f"{name}.csv", index=False)
    words = ["assess", "original.csv", "one.csv", "two.csv", "-m", "nndr", "--checkpoint", "c", "-v"]
    code, _, err = run(*words, "--fail-on", "never")
    assert code == 0, err
    assert "answers taken" in err
    assert not (tmp_path / "c").exists()
    code, _, err = run(*words)  # the gate is not met, and the run is done
    assert code == 1, err
    assert not (tmp_path / "c").exists()
