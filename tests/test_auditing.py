"""`reportgen.split`, `verify` and `compare`: the functions behind the commands."""

import hashlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen import environment
from reportgen.split_record import read_record, record_bytes

QUICK = {"metric": ["exact_copies"]}


def frame(rows=80):
    return pd.DataFrame(
        {
            "age": [row / 7 for row in range(rows)],
            "town": [*"abcd"] * (rows // 4),
            "visit": [row // 2 for row in range(rows)],
        },
        index=range(100, 100 + rows),
    )


def signals(records=40, seed=0):
    return np.random.default_rng(seed).normal(size=(records, 2, 30)).cumsum(axis=2).astype(np.float32)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    return tmp_path


def test_importing_the_package_loads_nothing_and_no_module_takes_the_place_of_a_function():
    code = (
        "import sys, reportgen\n"
        "assert not {'numpy', 'pandas', 'pydantic', 'reportgen.auditing'} & set(sys.modules)\n"
        "import reportgen.setting_aside, reportgen.verifying, reportgen.changes, reportgen.cli\n"
        "from reportgen.cli import split, verify, compare\n"
        "assert all(callable(getattr(reportgen, name)) for name in reportgen.__all__ if name != '__version__')\n"
        "assert reportgen.split.__module__ == reportgen.verify.__module__ == 'reportgen.auditing'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["split", "verify", "compare"])
def test_each_says_what_it_takes_returns_and_raises(name):
    text = getattr(reportgen, name).__doc__
    assert "Returns a" in text
    assert "InputError" in text


def test_a_frame_is_divided_into_two_that_keep_its_rows_index_and_types():
    given = frame()
    made = reportgen.split(given, fraction=0.25, group="visit", stratify="town")
    assert sorted([*made.original.index, *made.holdout.index]) == [*given.index]
    assert made.original.index.is_monotonic_increasing
    assert made.holdout.dtypes.equals(given.dtypes)
    pd.testing.assert_frame_equal(pd.concat([made.original, made.holdout]).sort_index(), given)
    assert not {*made.original["visit"]} & {*made.holdout["visit"]}
    assert made.record.original.sha256 is made.record.holdout.sha256 is made.record.source.sha256 is None
    assert (made.record.original.rows, made.record.holdout.rows) == (len(made.original), len(made.holdout)) == (60, 20)


def test_a_frame_and_its_file_are_divided_alike(here):
    given = frame()
    given.to_csv("all.csv", index=False)
    made = reportgen.split(given, seed=3)
    on_disk = reportgen.split("all.csv", "o.csv", here / "h.csv", seed=3)
    assert pd.read_csv("h.csv")["age"].tolist() == made.holdout["age"].tolist()
    assert (on_disk.original.name, on_disk.holdout) == ("o.csv", here / "h.csv")
    assert on_disk.record == read_record(here / "h.csv.split.json")[0]
    for side in ("source", "original", "holdout"):
        assert getattr(on_disk.record, side).content_sha256 == getattr(made.record, side).content_sha256


def test_a_holdout_set_aside_in_memory_is_proven_by_its_record(here):
    made = reportgen.split(frame(), fraction=0.5, ignore=["visit"])
    a = reportgen.assess(made.original, frame(40), made.holdout, split_record=made.record, ignore=["visit"], **QUICK)
    assert a.holdout.set_aside.proves
    assert a.holdout.set_aside.sha256 == hashlib.sha256(record_bytes(made.record)).hexdigest()
    assert "at random by reportgen split" in a.rendered("r.html").decode()
    (here / "kept.json").write_bytes(record_bytes(made.record))
    again = reportgen.assess(
        made.original, frame(40), made.holdout, split_record="kept.json", ignore=["visit"], **QUICK
    )
    assert again.to_json() == a.to_json()


def test_a_record_of_other_tables_in_memory_proves_nothing():
    made = reportgen.split(frame(), fraction=0.5)
    a = reportgen.assess(made.original[:-1], frame(40), made.holdout, split_record=made.record, **QUICK)
    assert not a.holdout.set_aside.proves
    assert a.holdout.set_aside.holdout_matches
    assert [one.code for one in a.findings].count("split_record_differs") == 1
    with pytest.raises(reportgen.InputError, match="without the holdout"):
        reportgen.assess(made.original, frame(40), split_record=made.record)


@pytest.mark.parametrize("shape", ["table", "signals"])
def test_arrays_are_divided_and_identical_records_stay_together(shape):
    given = signals() if shape == "signals" else np.random.default_rng(0).normal(size=(40, 3))
    given[1::2] = given[::2]
    made = reportgen.split(given, fraction=0.3)
    assert made.joined == 40
    assert made.original.dtype == given.dtype
    assert len(made.original) + len(made.holdout) == 40
    rows = [{one.tobytes() for one in part} for part in (made.original, made.holdout)]
    assert not rows[0] & rows[1]
    assert len(rows[0] | rows[1]) == 20
    a = reportgen.assess(made.original, given[:10], made.holdout, split_record=made.record, **QUICK)
    assert a.holdout.set_aside.proves


@pytest.mark.parametrize("source", ["all.npy", "all.npz", "two.npz:ecg"])
@pytest.mark.parametrize("target", [".npy", ".npz"])
def test_array_files_are_divided_and_the_record_is_recognised(here, source, target):
    given = signals()
    np.save("all.npy", given)
    np.savez("all.npz", ecg=given)
    np.savez("two.npz", ecg=given, label=np.arange(40))
    made = reportgen.split(source, f"o{target}", f"h{target}", fraction=0.5, lead_names=["I", "II"])
    before = (here / f"h{target}").read_bytes()
    parts = [np.load(f"{name}{target}") for name in "oh"]
    if target == ".npz":
        assert parts[0].files == ["records" if source == "all.npy" else "ecg"]
        parts = [part[part.files[0]] for part in parts]
    held = {one.tobytes() for one in parts[1]}
    order = [one for one in given if one.tobytes() not in held] + [one for one in given if one.tobytes() in held]
    assert np.array_equal(np.concatenate(parts), np.stack(order))
    assert made.record.holdout.sha256 == hashlib.sha256(before).hexdigest()
    a = reportgen.assess(f"o{target}", signals(20, 1), f"h{target}", **QUICK)
    assert a.holdout.set_aside.proves
    reportgen.split(source, f"o{target}", f"h{target}", fraction=0.5, lead_names=["I", "II"])  # the same again
    assert (here / f"h{target}").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "settings", "said"),
    [
        (("all.csv",), {}, "name both files"),
        (("all.csv", "o.csv"), {}, "name both files"),
        (("all.csv", "o.npy", "h.npy"), {}, "a table is divided into files of .csv"),
        (("all.npy", "o.csv", "h.npy"), {}, "an array is divided into files of .npy .npz"),
        (("all.npy", "o.npy", "h.npy"), {"group": "c0"}, "--group: belongs to tables"),
        (("nope.csv", "o.csv", "h.csv"), {}, "there is no file 'nope.csv'"),
        (("all.csv", "o.csv", "h.csv"), {"fraction": "much"}, "as a number between 0 and 1"),
        (("all.csv", "o.csv", "h.csv"), {"fraction": 0}, "between 0 and 1"),
        (("all.csv", "o.csv", "h.csv"), {"colour": "red"}, "colour"),
        (("all.csv", "o.csv", "o.csv"), {}, "name the same file"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(here, words, settings, said):
    frame().to_csv("all.csv", index=False)
    np.save("all.npy", signals())
    with pytest.raises(reportgen.InputError, match=said) as caught:
        reportgen.split(*words, **settings)
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in here.iterdir()) == ["all.csv", "all.npy"]


def test_a_table_in_memory_takes_no_files_to_write(here):
    with pytest.raises(reportgen.InputError, match="returned as two"):
        reportgen.split(frame(), "o.csv", "h.csv")


@pytest.fixture
def assessed(here):
    """Three tables as files, an assessment of them, and its reports."""
    for seed, name in enumerate(("t", "s", "h")):
        frame().assign(age=lambda one, seed=seed: one["age"] + seed).to_csv(f"{name}.csv", index=False)
    a = reportgen.assess("t.csv", "s.csv", "h.csv", **QUICK)
    a.write("r.json", "r.html", "r.pdf")
    return a


def test_verify_states_and_sums_up(assessed, here):
    found = reportgen.verify("r.html", original="t.csv", synthetic="s.csv", holdout="h.csv")
    assert found.holds
    assert [one.about for one in found.statements] == ["result", "document", "original", "synthetic", "holdout"]
    wrong = reportgen.verify(here / "r.html", original="s.csv")
    assert not wrong.holds
    assert [one.state for one in wrong.statements] == ["holds", "holds", "fails"]
    (here / "x.html").write_text("<p>")
    with pytest.raises(reportgen.InputError, match="no report of reportgen"):
        reportgen.verify("x.html")
    with pytest.raises(reportgen.InputError, match="all that can be allowed"):
        reportgen.verify("r.html", allow="anything")


def test_verify_takes_tables_in_memory_by_their_contents(assessed):
    made = reportgen.assess(*(pd.read_csv(f"{name}.csv") for name in "tsh"), **QUICK)
    made.write("m.json")
    tables = {side: pd.read_csv(f"{name}.csv") for side, name in zip(("original", "holdout"), "th", strict=True)}
    assert reportgen.verify("m.json", **tables).holds
    assert not reportgen.verify("m.json", original=tables["holdout"]).holds


def test_other_versions_may_be_allowed(assessed, monkeypatch):
    versions = {**environment.versions(), "weasyprint": "1"}
    monkeypatch.setattr(environment, "versions", lambda: versions)
    assert not reportgen.verify("r.html").holds
    assert reportgen.verify("r.html", allow="other-version").holds


def test_compare_takes_files_and_assessments_and_writes(assessed, here):
    same = reportgen.compare("r.json", assessed)
    assert (same.comparable, same.worse, same.complaint) == (True, False, None)
    copied = reportgen.assess("t.csv", "t.csv", "h.csv", **QUICK)
    found = reportgen.compare(assessed, copied)
    assert found.worse
    assert found.changes.newer.level in {"moderate", "high"}
    assert "worse" in found.complaint
    found.write("c.html", here / "c.json", "c.md")
    assert (here / "c.json").read_text() == found.to_json()
    assert {path.name for path in here.glob("c.*")} == {"c.html", "c.json", "c.md"}
    other = reportgen.compare(assessed, reportgen.assess("t.csv", "s.csv", None, **QUICK))
    assert not other.comparable
    assert other.complaint
    with pytest.raises(reportgen.InputError, match="unknown format"):
        found.write("d.json", "c.xyz")
    assert not (here / "d.json").exists()
