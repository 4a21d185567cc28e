"""`reportgen split`, and what `assess` makes of its record."""

import gzip
import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

import reportgen

QUICK = ("-m", "exact_copies", "-q")


def written(path, rows=80):
    lines = ["code,day,town,visit,pay"]
    lines += [f"{row:03d},0{row % 9 + 1}/02/2020,{'abcd'[row % 4]},{row // 2},{row / 7:.3f}0" for row in range(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return lines


def split(run, *more, source="all.csv", original="o.csv", holdout="h.csv"):
    return run("split", source, "--original", original, "--holdout", holdout, *more)


def test_both_files_hold_the_lines_as_they_are_written(run, tmp_path):
    lines = written(tmp_path / "all.csv")
    code, out, err = split(run, "--fraction", "0.25")
    assert (code, out) == (0, "")
    assert "wrote h.csv: 20 of 80 rows (25.0 %)" in err
    original, holdout = ((tmp_path / name).read_text().splitlines() for name in ("o.csv", "h.csv"))
    assert original[0] == holdout[0] == lines[0]
    assert sorted(original[1:] + holdout[1:]) == lines[1:]
    assert len(holdout) == 21


def test_rows_of_a_person_stay_together(run, tmp_path):
    written(tmp_path / "all.csv")
    assert split(run, "--group", "visit", "--fraction", "0.3")[0] == 0
    original, holdout = (set(pd.read_csv(tmp_path / name)["visit"]) for name in ("o.csv", "h.csv"))
    assert not original & holdout
    assert len(original | holdout) == 40


def test_shares_of_a_stratum_are_kept(run, tmp_path):
    written(tmp_path / "all.csv")
    split(run, "--stratify", "town", "--fraction", "0.25")
    assert pd.read_csv(tmp_path / "h.csv")["town"].value_counts().to_dict() == dict.fromkeys("abcd", 5)


def test_identical_rows_are_never_on_both_sides_whatever_their_identifier(run, tmp_path):
    frame = pd.DataFrame({"patient_id": [f"p{row}" for row in range(90)], "age": [row // 3 for row in range(90)]})
    frame["town"] = frame["age"] % 5
    frame.to_csv(tmp_path / "all.csv", index=False)
    _, _, err = split(run, "--fraction", "0.3")
    assert "90 rows equal another row" in err
    ages = [set(pd.read_csv(tmp_path / name)["age"]) for name in ("o.csv", "h.csv")]
    assert not ages[0] & ages[1]


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".parquet", ".feather"])
def test_every_format_holds_the_same_people(run, tmp_path, suffix):
    written(tmp_path / "all.csv")
    split(run)
    before = pd.read_csv(tmp_path / "h.csv", dtype=str)
    assert split(run, original=f"p{suffix}", holdout=f"q{suffix}")[0] == 0
    path = tmp_path / f"q{suffix}"
    if suffix == ".parquet":
        after = pq.read_table(path).to_pandas()
    elif suffix == ".feather":
        after = pd.read_feather(path)
    else:
        after = pd.read_csv(path, dtype=str, sep="\t" if suffix == ".tsv" else ",")
    assert after.astype(str).to_numpy().tolist() == before.to_numpy().tolist()  # 007 and 01/02/2020 still stand


def test_parquet_keeps_its_types(run, tmp_path):
    frame = pd.DataFrame({"n": range(50), "when": pd.date_range("2020-01-01", periods=50), "x": [1.5, 2.5] * 25})
    frame.to_parquet(tmp_path / "all.parquet")
    assert split(run, source="all.parquet", original="o.parquet", holdout="h.parquet")[0] == 0
    assert pd.read_parquet(tmp_path / "h.parquet").dtypes.equals(frame.dtypes)
    assert split(run, source="all.parquet", original="o.csv", holdout="h.csv")[0] == 0
    assert (tmp_path / "h.csv").read_text().splitlines()[1].split(",")[1].endswith("T00:00:00Z")


def test_the_same_split_twice_gives_the_same_bytes_and_keeps_its_day(run, tmp_path, monkeypatch):
    written(tmp_path / "all.csv")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    split(run, holdout="h.csv.gz")
    names = ("o.csv", "h.csv.gz", "h.csv.gz.split.json")
    before = [(tmp_path / name).read_bytes() for name in names]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert split(run, holdout="h.csv.gz")[0] == 0
    assert [(tmp_path / name).read_bytes() for name in names] == before
    assert gzip.decompress(before[1]).startswith(b"code,day")


def test_a_holdout_is_not_drawn_anew_over_an_earlier_one(run, tmp_path):
    written(tmp_path / "all.csv")
    split(run)
    before = (tmp_path / "h.csv").read_bytes()
    code, _, err = split(run, "--seed", "1")
    assert code == 2
    assert "exists and holds other rows" in err
    assert (tmp_path / "h.csv").read_bytes() == before


def test_no_file_is_written_where_one_cannot_be(run, tmp_path):
    written(tmp_path / "all.csv")
    code, _, err = split(run, holdout="no/h.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.csv"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--fraction", "1"), "--fraction: give the holdout's share"),
        (("--fraction", "nan"), "--fraction: give the holdout's share"),
        (("--group", "nope"), "--group: there is no column 'nope'"),
        (("--stratify", "nope"), "--stratify: there is no column 'nope'"),
        (("--stratify", "code"), "has nearly as many values as rows"),
        (("--original", "o.xyz"), "unknown format"),
        (("--original", "o.npy"), "a table is divided into files of .csv"),
        (("--original", "h.csv"), "name the same file"),
        (("--original", "all.csv"), "would destroy the input"),
    ],
)
def test_wrong_arguments_are_one_line(run, tmp_path, more, said):
    written(tmp_path / "all.csv")
    code, _, err = split(run, *more)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_a_table_of_one_block_cannot_be_divided(run, tmp_path):
    pd.DataFrame({"a": [1, 2] * 20, "p": [1] * 39 + [2]}).to_csv(tmp_path / "all.csv", index=False)
    code, _, err = split(run, "--group", "p")
    assert code == 2
    assert "39 of 40 rows hang together" in err or "40 of 40 rows hang together" in err


def test_no_part_is_written_into_the_folder_that_is_divided(run, tmp_path):
    (tmp_path / "parts").mkdir()
    frame = pd.DataFrame({"a": range(40), "b": range(40)})
    frame[:20].to_parquet(tmp_path / "parts" / "1.parquet")
    frame[20:].to_parquet(tmp_path / "parts" / "2.parquet")
    (tmp_path / "link").symlink_to("parts")
    for original, holdout in (("parts/3.parquet", "h.parquet"), ("o.parquet", "link/h.parquet")):
        code, _, err = split(run, source="parts", original=original, holdout=holdout)
        assert (code, err.count("\n")) == (2, 1)
        assert "would become a part of the table" in err
    assert len(list((tmp_path / "parts").iterdir())) == 2
    assert split(run, source="parts", original="o.parquet", holdout="h.parquet")[0] == 0


def test_rows_that_are_the_same_in_everything_are_not_divided_though_nothing_is_compared(run, tmp_path):
    pd.DataFrame({"x": [1] * 50, "y": ["a"] * 50}).to_csv(tmp_path / "all.csv", index=False)
    code, _, err = split(run)
    assert (code, "50 of 50 rows hang together (identical rows)" in err) == (2, True)
    # Identifiers alone: no column is compared by assess, and yet no two rows are the same.
    pd.DataFrame({"patient_id": [f"p{row // 2}" for row in range(60)]}).to_csv(tmp_path / "all.csv", index=False)
    assert split(run, "--fraction", "0.5")[0] == 0
    original, holdout = (set(pd.read_csv(tmp_path / name)["patient_id"]) for name in ("o.csv", "h.csv"))
    assert not original & holdout
    assert len(original) == len(holdout) == 15


@pytest.fixture
def divided(run, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    written(tmp_path / "all.csv")
    split(run, "--fraction", "0.5", "--stratify", "town")
    written(tmp_path / "s.csv", rows=40)
    return tmp_path


def assessed(run, *more):
    run(
        "assess", "o.csv", "s.csv", "--holdout", "h.csv", *QUICK, *more, "-o", "r.json", "-o", "r.html", "-o", "r.sarif"
    )
    return reportgen.load("r.json").result


def test_assess_records_that_the_holdout_was_set_aside(run, divided):
    result = assessed(run)
    assert result.holdout.set_aside.proves
    assert result.holdout.set_aside.created == "1970-01-02T00:00:00Z"
    assert not [one for one in result.findings if one.code == "split_record_differs"]
    page = (divided / "r.html").read_text()
    assert "at random by reportgen split 0.1.0 on 1970-01-02" in page
    assert "The holdout was set aside by reportgen split on 1970-01-02" in page


def test_a_table_saved_again_in_another_format_is_still_the_recorded_one(run, divided):
    pd.read_csv("o.csv", dtype=str).to_parquet("o.parquet")
    run("assess", "o.parquet", "s.csv", "--holdout", "h.csv", *QUICK, "-o", "r.json")
    assert reportgen.load("r.json").result.holdout.set_aside.proves


def test_assess_says_that_the_record_names_another_table(run, divided):
    lines = (divided / "o.csv").read_text().splitlines(keepends=True)
    (divided / "o.csv").write_text("".join(lines[:-1]))
    result = assessed(run)
    assert result.holdout.set_aside.holdout_matches
    assert not result.holdout.set_aside.original_matches
    assert [one.severity for one in result.findings if one.code == "split_record_differs"] == ["warning"]
    assert "names another original than" in result.holdout.warnings[-1]
    assert "at random by reportgen split" not in (divided / "r.html").read_text()
    assert "split_record_differs" in (divided / "r.sarif").read_text()


def test_a_holdout_without_record_leaves_no_trace(run, divided):
    (divided / "h.csv.split.json").unlink()
    assessed(run)
    assert "set_aside" not in json.loads((divided / "r.json").read_text())["holdout"]


@pytest.mark.parametrize("content", [b"", b"{}", b"[" * 5000, b'{"a":1,"a":2}', b"\xff" * (2**20 + 1)])
def test_a_record_that_is_none_is_one_line(run, divided, content):
    (divided / "h.csv.split.json").write_bytes(content)
    code, _, err = run("assess", "o.csv", "s.csv", "--holdout", "h.csv")
    assert code == 2
    assert err.startswith("reportgen: error: h.csv.split.json: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("change", [{"rows": 7}, {"rows": -7}])
def test_a_record_whose_rows_do_not_add_up_is_none(run, divided, change):
    record = json.loads((divided / "h.csv.split.json").read_text())
    record["holdout"] |= change
    (divided / "h.csv.split.json").write_text(json.dumps(record))
    code, _, err = run("assess", "o.csv", "s.csv", "--holdout", "h.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert "no record of reportgen split" in err


def test_the_record_holds_no_cell(run, divided):
    text = (divided / "h.csv.split.json").read_text()
    assert "02/2020" not in text
    assert "'" not in text
