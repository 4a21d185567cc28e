import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from reportgen.read.align import align
from reportgen.read.fingerprint import content_sha256
from reportgen.read.tables import read_table
from reportgen.settings import Settings

SCRIPT = Path(__file__).parents[2] / "examples" / "recompute_content_sha256.py"


def digests(original, synthetic=None, **settings):
    synthetic = original if synthetic is None else synthetic
    given = [table if isinstance(table, Path) else pd.DataFrame(table) for table in (original, synthetic)]
    partition = align(read_table(given[0], "original"), read_table(given[1], "synthetic"), None, Settings(**settings))
    return [content_sha256(table, partition.columns) for table in (partition.original, partition.synthetic)], partition


def test_the_digest_is_that_of_the_documented_bytes():
    frame = {
        "n": [1.0, -0.0, 0.1],
        "c": ["ä", None, "b"],
        "b": [True, False, None],
        "t": pd.to_datetime(["2020-01-31T12:00:00.5", None, "1969-12-31"], format="ISO8601"),
    }

    def items(*parts):
        joined = b""
        for part in parts:
            data = None if part is None else part.encode()
            joined += b"\xff\xff\xff\xff" if data is None else len(data).to_bytes(4, "big") + data
        return joined

    expected = hashlib.sha256(
        items("b", "boolean", "true", "false", None)
        + items("c", "categorical", "ä", None, "b")
        + items("n", "numeric", "1", "0", "0.1")
        + items("t", "datetime", "2020-01-31T12:00:00.5Z", None, "1969-12-31T00:00:00Z")
    ).hexdigest()
    assert digests(frame)[0] == [expected, expected]


def test_formats_and_the_order_of_columns_do_not_matter(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None], "c": [0.5, 1e30, 3.0]})
    frame.to_parquet(tmp_path / "a.parquet")
    frame[["c", "a", "b"]].astype({"a": float}).to_csv(tmp_path / "b.csv", sep=";", decimal=",", index=False)
    (one, other), _ = digests(tmp_path / "a.parquet", tmp_path / "b.csv")
    assert one == other


def test_columns_that_are_left_out_count():
    one = digests({"a": [1, 9, 9], "k": [1, 2, 3]}, key=("k",))[0][0]
    other = digests({"a": [1, 9, 9], "k": [1, 2, 4]}, key=("k",))[0][0]
    assert one != other


@pytest.mark.parametrize(
    "changed",
    [
        {"a": [9, 1, 9], "b": ["x", "y", "z"]},
        {"a": [1, 9, 9], "b": ["x", "y", None]},
        {"a": [1, 9, 9], "b": ["xy", "", "z"]},
        {"a": [1, 9, 9], "B": ["x", "y", "z"]},
    ],
)
def test_order_of_rows_missing_values_bounds_of_texts_and_names_count(changed):
    assert digests({"a": [1, 9, 9], "b": ["x", "y", "z"]})[0][0] != digests(changed)[0][0]


def test_the_other_table_does_not_change_the_digest():
    # beside a fraction the column is float64, beside a large integer exact: the digest is that of the values
    column = {"a": [1, 2, 2**53 + 2]}
    assert len({digests(column, {"a": other})[0][0] for other in ([1], ["0.5"], ["1e40"], [2**60], ["1.0"])}) == 1


def hostile():
    return pd.DataFrame(
        {
            "n\n1": ["1", "-0.0", "1e3", "0.1", "+7", "9007199254740993", "", "N"],
            'te"xt': [" a", "ä漢🙂", "two\nlines", "?", "1.0", "1.10", 'q"', "x,y"],
            "<b>": ["yes", "No", "", "YES", "no", "no", "yes", "?"],
            "when": [
                "2020-01-31",
                "2020-01-31 12:00:00.250",
                "2020-01-31T12:00+02:00",
                "-",
                "",
                "1969-12-31",
                "?",
                "NA",
            ],
            "": [str(n) for n in range(8)],
        }
    )


def test_the_auditors_script_agrees(tmp_path):
    path = tmp_path / "table.csv"
    hostile().to_csv(path, index=False)
    (digest, _), partition = digests(path)
    assert [column.kind for column in partition.columns] == [
        "numeric", "categorical", "boolean", "datetime", "numeric",
    ]  # fmt: skip
    result = {
        "columns": [{"name": column.name, "kind": column.kind} for column in partition.columns],
        "inputs": {"original": {"content_sha256": digest}},
    }
    (tmp_path / "result.json").write_text(json.dumps(result), encoding="utf-8")
    command = [sys.executable, "-W", "error", SCRIPT, tmp_path / "result.json", "original"]
    run = subprocess.run([*command, path], capture_output=True, text=True, check=False)
    assert run.stdout.split() == [digest, "agrees"], run.stderr
    other = hostile()
    other.iloc[0, 0] = "2"
    other.to_csv(path, index=False)
    assert subprocess.run([*command, path], capture_output=True, check=False).returncode == 1


def test_the_auditors_script_agrees_on_the_shared_tables(shared, tmp_path):
    for file in ("student_placements/student_placements_real.csv", "sdnist_na2019/na2019_1000.csv"):
        path = shared / "data" / file
        (digest, _), partition = digests(path)
        result = {
            "columns": [{"name": column.name, "kind": column.kind} for column in partition.columns],
            "inputs": {"original": {"content_sha256": digest}},
        }
        (tmp_path / "result.json").write_text(json.dumps(result), encoding="utf-8")
        command = [sys.executable, SCRIPT, tmp_path / "result.json", "original", path]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0
