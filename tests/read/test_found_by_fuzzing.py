"""Inputs that `tests/fuzz/fuzz.py` found, each with what went wrong once."""

import io
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import reportgen
from reportgen.errors import InputError
from reportgen.read.tables import read_table
from reportgen.runner import read_inputs
from reportgen.settings import Settings


def test_a_feather_file_with_wrong_offsets_reads_no_memory_outside_of_it(tmp_path):
    """It ended the whole process (segmentation fault): in a process of its own, that it may not end this one."""
    stream = io.BytesIO()
    pyarrow.feather.write_feather(pa.table({"town": ["north", "south"] * 12}), stream, compression="uncompressed")
    sound = struct.pack("<25i", *range(0, 125, 5))
    wrong = struct.pack("<25i", *range(0, 120, 5), 2**31 - 1)
    assert stream.getvalue().count(sound) == 1
    (tmp_path / "t.feather").write_bytes(stream.getvalue().replace(sound, wrong))
    code = "from reportgen.read.tables import read_table; read_table('t.feather', 'original')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "InputError: t.feather: this is no readable feather file; write it anew"
    )


def refusal(original, synthetic):
    with pytest.raises(InputError) as caught:
        read_inputs(original, synthetic, None, Settings())
    return str(caught.value)


def test_a_table_without_a_header_line_is_refused_without_the_first_persons_values(tmp_path):
    """The first line was quoted as names that fit nothing."""
    for name, first in (("o", "Grendelbloom,41,1907-03-04,1234.5"), ("s", "Qvantifex,42,1908-04-05,99.25")):
        (tmp_path / f"{name}.csv").write_text(f"{first}\n" + f"x,50,1950-01-01,{ord(name)}.5\n" * 20)
    said = refusal(str(tmp_path / "o.csv"), str(tmp_path / "s.csv"))
    assert said == (
        "s.csv (synthetic) shares no column name with o.csv (original): does the first line of each hold its names?"
    )


def test_equal_values_in_the_first_line_are_not_quoted_as_a_doubled_name(tmp_path):
    (tmp_path / "o.csv").write_text("734215,m,734215\n" + "1,f,2\n" * 20)
    with pytest.raises(InputError, match="does the first line hold names") as caught:
        read_table(str(tmp_path / "o.csv"), "original")
    assert "734215" not in str(caught.value)


def test_names_that_merely_differ_are_still_named():
    frame = pd.DataFrame({"2019": [1.0, 2.0], "2020": [3.0, 4.0], "town": ["a", "b"]})
    said = refusal(frame, frame.rename(columns={"town": "city"}))
    assert "'town'" in said
    assert "'city'" in said


@pytest.mark.parametrize("name", ["half \ud800", "x" * 1001])
def test_a_name_that_no_result_can_hold_is_refused_in_one_line(name):
    frame = pd.DataFrame({"a": [1.5, 2.5]})
    frame.columns = pd.Index([name], dtype=object)
    with pytest.raises(InputError, match="the name of column") as caught:
        reportgen.assess(frame, frame)
    assert len(str(caught.value).encode()) < 250


def test_an_array_of_fields_is_named_shortly():
    wide = np.zeros((2, 2), dtype=[("field" + "x" * 500, "f8")])
    with pytest.raises(InputError) as caught:
        read_table(wide, "original")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("rows", [2**40, 2**62])
def test_a_parquet_file_that_claims_a_trillion_rows_is_refused_at_once(tmp_path, rows):
    """pyarrow makes room for what the footer claims: it took minutes."""

    def written(number):  # Thrift's compact form: zigzag, seven bits a byte, the lowest first
        number, parts = 2 * number, []
        while number > 0x7F:
            parts.append(number & 0x7F | 0x80)
            number >>= 7
        return bytes([*parts, number])

    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": [row / 7 for row in range(300)]}), stream, compression="none")
    whole = stream.getvalue()
    start = len(whole) - 8 - struct.unpack("<I", whole[-8:-4])[0]
    footer = whole[start:-8].replace(written(300), written(rows))
    (tmp_path / "t.parquet").write_bytes(whole[:start] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    assert pyarrow.parquet.read_metadata(tmp_path / "t.parquet").num_rows == rows
    with pytest.raises(InputError, match=r"t\.parquet: this is no readable parquet file"):
        read_table(str(tmp_path / "t.parquet"), "original")
