"""Nothing personal goes out: values planted in the inputs are looked for in everything that the program makes.

A canary is a value that no program would make up. It is planted wherever a table can hold one, in all three inputs, and
looked for in every notation that a library might turn it into, in every format, stream, error and file.
"""

from __future__ import annotations

import base64
import datetime as dt
import html
import io
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import traceback
import urllib.parse
import warnings
import zlib

import numpy as np
import pandas as pd
import pikepdf
import pyarrow as pa
import pyarrow.parquet
import pytest

import reportgen
from reportgen import cli, render

ROWS = 60
FOLDER = "ward_of_Zyxwolt"
"""A folder on the way to the files may name a person or a ward; only base names are said."""
WORDS = ("Qvantifex", "Übermørk漢7", "zq-canary-000731", "Grendelbloom")
NUMBERS = (918273645.546372, 7.43215678e-7, 8264519370462, -61728394.0517)
DAY = dt.datetime(1907, 3, 4, 5, 6, 7, tzinfo=dt.UTC)


def canary_table(seed):
    """A table whose rarest and most extreme values are canaries; the rest are common values."""
    random = np.random.default_rng(seed)
    days = [dt.datetime(2020, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=int(d)) for d in random.integers(0, 400, ROWS)]
    table = pd.DataFrame(
        {
            "pay": random.normal(2000, 300, ROWS).round(2),
            "tiny": random.normal(0, 1, ROWS).round(4),
            "whole": random.integers(0, 5000, ROWS),
            "town": random.choice(["north", "south", "east"], ROWS),
            "seen": days,
            "note": [f"the patient {seed} {row} was seen on the ward and {row * 7} left" for row in range(ROWS)],
            "person": [f"P{seed}-{row:05d}" for row in range(ROWS)],
            "mark": random.choice(["1", "2", "3"], ROWS),
        }
    )
    place = 7 + seed
    table.loc[place, "pay"], table.loc[place + 1, "tiny"], table.loc[place + 2, "whole"] = NUMBERS[:3]
    table.loc[place + 3, "pay"] = NUMBERS[3]
    table.loc[place, "town"] = WORDS[0]
    table.loc[place + 1 : place + 4, "town"] = WORDS[3]  # four rows: one too few to be named
    table.loc[place, "note"] = f"a note on {WORDS[1]} and nobody else at all"
    table.loc[place + 2, "person"] = WORDS[2]
    table.loc[place, "seen"] = DAY
    table.loc[place, "mark"] = "NaT"  # read as missing here, and in one row only
    return table


def notations(value):
    """Every text that a library might write a value as."""
    if isinstance(value, str):
        forms = {value, value.lower(), html.escape(value), urllib.parse.quote(value), repr(value)[1:-1]}
        forms |= {json.dumps(value)[1:-1], value.encode("unicode_escape").decode()}
        return forms | {base64.b64encode(value.encode()).decode().rstrip("=")[:-1]}
    if isinstance(value, dt.datetime):
        stamp = int(value.timestamp())
        forms = {value.strftime(form) for form in ("%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d", "%d/%m/%Y")}
        return forms | {str(stamp), str(stamp * 1000), str(stamp * 10**6), str(stamp * 10**9)}
    digits = re.sub(r"e.*|[-.]", "", repr(value)).strip("0")
    forms = {repr(value), str(value), f"{value:,}", f"{value:e}", f"{value:.3f}", digits[:9]}
    return {form for form in forms if sum(map(str.isdigit, form)) >= 7}


CANARIES = sorted(
    {form for value in (*WORDS, *NUMBERS, DAY, FOLDER) for form in notations(value)},
    key=lambda form: (-len(form), form),
)


def found_in(content):
    """Return the canaries in some bytes or text: as UTF-8, UTF-16, and in base64 at any offset."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    forms = [data, urllib.parse.unquote_to_bytes(data), data.lower()]
    forms += [base64.b64decode(run[: len(run) // 4 * 4]) for run in re.findall(rb"[A-Za-z0-9+/]{24,}", data)]
    hay = b"\n".join(forms)
    return [one for one in CANARIES if one.encode() in hay or one.encode("utf-16-le") in hay]


def test_a_canary_is_found_in_every_disguise():
    for word in WORDS:
        for disguise in (
            word,
            f"<p>{html.escape(word)}</p>",
            json.dumps({"a": word}),
            urllib.parse.quote(f"data:{word}"),
            word.encode("utf-16-le"),
            base64.b64encode(f"some text around {word} and more of it".encode()),
        ):
            assert found_in(disguise), (word, disguise)
    for text in ("918,273,645.546372", "7.43215678e-07", "-1982775233", "1907-03-04", "a 8264519370462 b", FOLDER):
        assert found_in(text), text


def unpacked(pdf):
    """Everything that is in a PDF: streams decompressed, attachments, metadata, strings, and its text."""
    parts = [pdf]
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for item in document.objects:
            if isinstance(item, pikepdf.Stream):
                try:
                    parts.append(item.read_bytes())
                except (pikepdf.PdfError, zlib.error):
                    parts.append(item.read_raw_bytes())
            parts += [bytes(text) for text in _strings(item)]
        parts += [document.attachments[name].get_file().read_bytes() for name in document.attachments]
    if shutil.which("pdftotext"):
        parts.append(subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True).stdout)
    return b"\n".join(parts)


def _strings(item):
    if isinstance(item, pikepdf.String):
        yield item
    elif isinstance(item, pikepdf.Dictionary | pikepdf.Array):
        inside = item.as_dict().values() if isinstance(item, pikepdf.Dictionary) else item.as_list()
        for one in inside:
            if isinstance(one, pikepdf.String):
                yield one


def assert_clean(content, where):
    data = unpacked(content) if isinstance(content, bytes) and content.startswith(b"%PDF") else content
    assert found_in(data) == [], where


def written(folder, kind):
    """Write the three tables in one kind of file; returns their paths."""
    folder = folder / FOLDER
    folder.mkdir()
    paths = []
    for seed, name in enumerate(("original", "synthetic", "holdout")):
        table = canary_table(seed)
        path = folder / f"{name}.{kind}"
        if kind == "parquet":
            marked = table.set_index(pd.Index([f"{WORDS[2]}-{row}" for row in range(ROWS)], name=None))
            arrow = pa.Table.from_pandas(marked)
            extra = {b"author": WORDS[0].encode(), b"row 0": WORDS[1].encode()}
            pyarrow.parquet.write_table(arrow.replace_schema_metadata(arrow.schema.metadata | extra), path)
        elif kind == "feather":
            table.to_feather(path)
        else:
            table.to_csv(path, index=False)
        paths.append(str(path))
    return paths


@pytest.fixture
def run(capfd, tmp_path, monkeypatch):
    """Run the command in a folder of its own; returns exit code, stdout, stderr as the descriptors saw them."""
    (tmp_path / "work").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("REPORTGEN_RESAMPLES", "100")
    monkeypatch.setenv("REPORTGEN_DRAWS", "2")

    def call(*words):
        with pytest.raises(SystemExit) as caught:
            cli.main(list(words))
        out, err = capfd.readouterr()
        return caught.value.code, out, err

    return call


def outputs():
    return [word for one in render.FORMATS for word in ("-o", f"r{one.suffix}")]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_no_canary_reaches_any_format_stream_or_file(run, tmp_path, kind):
    paths = written(tmp_path, kind)
    words = ("assess", paths[0], paths[1], "--holdout", paths[2], "-v", "--fail-on", "never")
    code, out, err = run(*words, *outputs(), "-o", "-")
    assert code == 0, err
    assert_clean(out, "stdout")
    assert_clean(err, "stderr")
    made = sorted((tmp_path / "work").iterdir())
    assert len(made) == len(render.FORMATS)
    for path in made:
        assert_clean(path.read_bytes(), path.name)
    assert [path for path in (tmp_path / "temporary").rglob("*") if "reportgen" in path.name] == []
    for path in (tmp_path / "temporary").rglob("*"):
        if path.is_file():
            assert_clean(path.read_bytes(), path.name)
    code, out, err = run(*words)
    assert_clean(out + err, "summary")
    code, out, err = run(*words, "--dry-run")
    assert code == 0
    assert "town" in out
    assert_clean(out + err, "dry run")
    again = [word.replace("r.", "again.") for word in outputs()]
    code, out, err = run("render", "r.json", *again)
    assert code == 0
    assert_clean(out + err, "render")
    for path in (tmp_path / "work").glob("again*"):
        assert_clean(path.read_bytes(), path.name)


TEXTS = ("town", "seen", "note", "person", "mark")
MODES = {
    "approximate": (("original", "synthetic"), ()),
    "copies": (("original", "original", "holdout"), ()),
    "persons": (("original", "original", "holdout"), ("--group", "person")),
    "halves of persons": (("original", "synthetic"), ("--group", "person")),
    "coordinates": (
        ("original", "original", "holdout"),
        ("--projection", "none", *(word for name in TEXTS for word in ("--ignore", name))),
    ),
    "left out": (("original", "original", "holdout"), ("--key", "person", "--ignore", "note", "--key", "town")),
    "exchanged": (("holdout", "original", "original"), ()),
    "categories": (("original", "original", "holdout"), ("--categorical", "pay", "--categorical", "whole")),
    "unnamed": (("original", "original", "holdout"), ("--no-category-names", "-c", "unnamed.toml")),
}
"""Ways to run: the files by role, and options."""
UNNAMED = f"""
[schema.columns.town]
missing = ["{WORDS[0]}", "{WORDS[3]}"]
[policy.settings.declared.columns.town]
missing = ["{WORDS[0]}", "{WORDS[3]}"]
"""


@pytest.mark.parametrize("mode", MODES)
def test_no_canary_reaches_any_format_in_any_mode(run, tmp_path, mode):
    by_role = dict(zip(("original", "synthetic", "holdout"), written(tmp_path, "csv"), strict=True))
    roles, options = MODES[mode]
    files = [by_role[role] for role in roles]
    words = [*files[:2], *(("--holdout", files[2]) if len(files) > 2 else ())]
    (tmp_path / "work" / "unnamed.toml").write_text(UNNAMED, encoding="utf-8")
    code, out, err = run("assess", *words, *options, "-v", "--fail-on", "never", *outputs())
    assert code == 0 if mode != "unnamed" else code in {0, 1}, err
    assert_clean(out + err, "streams")
    made = [path for path in (tmp_path / "work").iterdir() if path.suffix != ".toml"]
    assert len(made) == len(render.FORMATS)
    for path in made:
        assert_clean(path.read_bytes(), path.name)
    _, out, err = run("check", "r.json", *(options[1:] if mode == "unnamed" else ()))
    assert "verdict" in out
    assert_clean(out + err, "check")


def small(seed):
    return canary_table(seed).drop(columns=["note", "seen"])


@pytest.mark.filterwarnings("ignore")
def test_no_canary_is_in_what_python_and_a_notebook_show(caplog):
    frames = [small(seed).set_index("person", drop=False).rename_axis(WORDS[0]) for seed in range(3)]
    stages = []
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = reportgen.assess(*frames, resamples=100, progress=lambda *stage: stages.append(stage))
        shown = [repr(found), found._repr_html_(), found.scores().to_csv(), found.scores().to_html(), found.to_json()]
        shown += [repr(found.result), str(stages), repr(found.columns), repr(found.metrics)]
    assert_clean("\n".join([*shown, caplog.text, *(str(one.message) for one in warned)]), "Python")


STAGES = (
    "reportgen.read.tables.read_table",
    "reportgen.runner.align",
    "reportgen.runner.identical_rows",
    "reportgen.runner.encode",
    "reportgen.runner.compare",
    "reportgen.runner.gather",
    "reportgen.runner.measure",
    "reportgen.runner.controls.memorising",
    "reportgen.runner.controls.detectable",
    "reportgen.runner.judge",
    "reportgen.runner.find",
    "reportgen.parts.content_sha256",
)
RAISED = (ValueError, KeyError, MemoryError, OSError, pa.ArrowInvalid, RecursionError, UserWarning)


def as_printed(error):
    """What a terminal, a notebook and a log show of an error: its text and those of all errors behind it."""
    shown = traceback.format_exception(error)
    behind = [error.__cause__, None if error.__suppress_context__ else error.__context__]
    return "".join(line for line in shown if not line.lstrip().startswith("File ")) + repr(error) + repr(behind)


@pytest.mark.parametrize("stage", STAGES)
def test_a_failure_at_any_stage_says_nothing_of_a_cell(run, tmp_path, monkeypatch, stage):
    raised = RAISED[STAGES.index(stage) % len(RAISED)]
    message = f"could not convert {WORDS[0]} and {NUMBERS[0]} of {DAY:%Y-%m-%d}"

    def fail(*_, **__):
        raise raised(message)

    monkeypatch.setattr(stage, fail)
    paths = written(tmp_path, "csv")
    words = ("assess", paths[0], paths[1], "--holdout", paths[2], "-o", "r.json", "-o", "r.html", "-v")
    code, out, err = run(*words)
    assert code == 3
    assert err.splitlines()[-1].startswith("reportgen: error: ")
    assert_clean(out + err, stage)
    assert list((tmp_path / "work").iterdir()) == []
    if raised is MemoryError:  # passed on as it is: nothing but the allocator raises it
        return
    with pytest.raises(reportgen.ReportgenError) as caught:
        reportgen.assess(*paths, resamples=100, draws=2)
    assert_clean(as_printed(caught.value), f"{stage} in Python")


def test_a_metric_that_fails_is_named_without_its_text(monkeypatch):
    def fail(*_):
        raise ValueError(WORDS[0])

    monkeypatch.setattr("reportgen.metrics.nndr.measure", fail)
    found = reportgen.assess(small(0), small(1), small(2), resamples=100)
    assert found.metrics["nndr"].code == "failed"
    for suffix in (".json", ".html"):
        assert_clean(found.rendered(f"x{suffix}"), suffix)


def test_a_format_that_fails_says_nothing_of_the_result_beyond_the_place(run, tmp_path, monkeypatch):
    def fail(*_):
        raise ValueError(WORDS[0])

    for one in render.FORMATS:
        if one.suffix == ".json":
            continue
        with monkeypatch.context() as patched:
            patched.setattr(f"{one.module}.render", fail)
            paths = written(tmp_path, "csv")
            code, out, err = run("assess", *paths[:2], "-o", f"r{one.suffix}", "-v", "-m", "exact_copies")
            shutil.rmtree(tmp_path / FOLDER)
        assert code == 3, one.suffix
        assert_clean(out + err, one.suffix)
        assert list((tmp_path / "work").iterdir()) == []


def test_the_caller_stops_a_run_by_an_error_of_its_own():
    class Stopped(Exception):  # noqa: N818
        pass

    def stop(*_):
        raise Stopped

    with pytest.raises(Stopped):
        reportgen.assess(small(0), small(1), progress=stop)


MALFORMED = {
    "ragged.csv": f"a,b\n1,2\n{WORDS[0]},{WORDS[1]},{NUMBERS[0]}\n",
    "open_quote.csv": f'a,b\n1,2\n"{WORDS[0]},{NUMBERS[0]}\n{WORDS[1]},3\n',
    "words_as_numbers.csv": f"a,b\n1,2\n{WORDS[0]},{NUMBERS[0]}\n",
    "infinite.csv": f"a,b\n1,2\ninf,{NUMBERS[0]}\n",
    "huge.csv": f"a,b\n1,2\n{NUMBERS[0]}e305,-{NUMBERS[0]}e305\n",
    "twice.csv": f"a,a\n1,{WORDS[0]}\n",
    "header.csv": "a,b\n",
    "cut.csv.gz": b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + WORDS[0].encode(),
    "no.parquet": b"PAR1" + WORDS[0].encode() * 20 + b"PAR1",
    "no.feather": b"ARROW1" + WORDS[0].encode() * 20,
    "no.npy": b"\x93NUMPY\x01\0v\0" + f"{{'descr': '{WORDS[0]}', 'x': {NUMBERS[0]}}}".encode(),
    "no.npz": b"PK\x03\x04" + WORDS[0].encode() * 20,
    "nul.csv": f"a,b\n1,\0{WORDS[0]}\n",
    "latin.csv": f"a,b\n1,{WORDS[0]}\n".encode() + b"\x81\xff\xfe,2\n",
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.parametrize("role", [0, 1, 2])
def test_a_file_that_cannot_be_read_is_one_line_without_a_cell(run, tmp_path, name, role):
    folder = tmp_path / FOLDER
    folder.mkdir()
    content = MALFORMED[name]
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "good.csv").write_text("a,b\n" + "".join(f"{row},{row % 3}\n" for row in range(30)))
    paths = [str(folder / "good.csv")] * 3
    paths[role] = str(folder / name)
    code, out, err = run("assess", *paths[:2], "--holdout", paths[2], "-v", "-m", "exact_copies", "--fail-on", "never")
    assert code in {0, 2}  # a column of words beside numbers may be read as categories
    assert_clean(out + err, name)
    if code == 2:
        assert err.splitlines()[-1].startswith("reportgen: error: ")  # after what -v says
        assert err.count("reportgen: error") == 1
        with pytest.raises(reportgen.InputError) as caught:
            reportgen.assess(*paths)
        assert_clean(as_printed(caught.value), name)


@pytest.mark.parametrize(
    "column",
    [
        [object(), WORDS[0]],
        [{"a": WORDS[0]}, {"a": WORDS[1]}],
        [[NUMBERS[0]], [1.0]],
        [b"\xff" + WORDS[0].encode(), b"x"],
        pd.Series([WORDS[0] + "\udcff", "x"], dtype=object),
        [complex(NUMBERS[0]), 1j],
        pd.arrays.SparseArray([NUMBERS[0], 1.5, NUMBERS[0]], fill_value=NUMBERS[0]),
        pd.Categorical([WORDS[0], "x"]),
        pd.IntervalIndex.from_breaks([NUMBERS[1], 1.0, NUMBERS[0]]),
        pd.array([WORDS[0], None], dtype="string"),
    ],
)
def test_a_frame_of_odd_objects_is_read_or_refused_without_a_cell(column):
    frame = pd.DataFrame({"a": column, "b": range(len(column))})
    numbers = pd.DataFrame({"a": [1.5] * len(column), "b": range(len(column))})
    for first, second in ((frame, numbers), (numbers, frame), (frame, frame)):
        try:
            found = reportgen.assess(first, second, metric="exact_copies")
        except reportgen.ReportgenError as error:
            assert_clean(as_printed(error), "frame")
        else:
            assert_clean(found.to_json(), "frame")


def test_arrays_of_signals_leak_no_sample_and_no_key(run, tmp_path):
    folder = tmp_path / FOLDER
    folder.mkdir()
    paths = []
    for seed in range(3):
        values = np.random.default_rng(seed).normal(size=(30, 2, 40))
        values[seed, 0, 7], values[seed + 1, 1, 9] = NUMBERS[0], NUMBERS[1]
        path = folder / f"{'osh'[seed]}.npz"
        np.savez(path, **{WORDS[2]: values})
        paths.append(str(path))
    code, out, err = run("assess", *paths[:2], "--holdout", paths[2], "-v", *outputs(), "--fail-on", "never")
    assert code == 0, err
    assert_clean(out + err, "streams")
    for path in (tmp_path / "work").iterdir():
        assert_clean(path.read_bytes(), path.name)


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_while_reports_are_written_waits_and_leaves_no_temporary_file(tmp_path, number):
    paths = written(tmp_path, "csv")
    (tmp_path / "temporary").mkdir()
    code = (
        "import os, signal, sys\n"
        "from reportgen import cli, output\n"
        "def stopped(*_):\n"
        f"    os.kill(os.getpid(), signal.{number})\n"
        "os.fsync = stopped\n"
        "real = os.fdopen\n"
        "def opened(*how, **more):\n"
        "    stream = real(*how, **more)\n"
        "    if how[1:2] == ('wb',): stream.write(b'half'); stream.flush(); stopped()\n"
        "    return stream\n"
        "output.os.fdopen = opened\n"
        "cli.main(sys.argv[1:])\n"
    )
    words = ["assess", *paths[:2], "-m", "exact_copies", *(word for one in outputs() for word in [one])]
    environ = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path / "work",
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}[number], done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name for path in (tmp_path / "work").iterdir()} == set(outputs()[1::2])  # all, nothing else
    assert list((tmp_path / "temporary").iterdir()) == []
