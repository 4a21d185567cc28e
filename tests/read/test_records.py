"""Text tables cut into their own lines."""

import pytest

from reportgen.errors import InputError
from reportgen.read.delimited import read_delimited
from reportgen.read.records import cut_records


def cut(tmp_path, content, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(content)
    return cut_records(path, read_delimited(path))


def test_rows_are_the_lines_as_they_are_written(tmp_path):
    records = cut(tmp_path, b"id,day\n007,01/02/2020\n 8 ,3.50\n")
    assert records.head == "id,day\n"
    assert records.rows == ("007,01/02/2020\n", " 8 ,3.50\n")
    assert records.of([1]) == b"id,day\n 8 ,3.50\n"


def test_line_ends_and_doubled_quotes_inside_quotes_do_not_cut(tmp_path):
    records = cut(tmp_path, b'a,b\r\n"x\r\ny",1\r\n"say ""no"", then\n",2\r\n')
    assert records.rows == ('"x\r\ny",1\r\n', '"say ""no"", then\n",2\r\n')


def test_a_quote_within_a_cell_opens_nothing(tmp_path):
    assert cut(tmp_path, b'a,b\n5" pipe,1\n6" pipe,2\n').rows == ('5" pipe,1\n', '6" pipe,2\n')


def test_blank_lines_are_no_rows_and_empty_cells_are(tmp_path):
    assert cut(tmp_path, b"\na,b\n\n1,2\n  \n,\n3,4\n\n").rows == ("1,2\n", ",\n", "3,4\n")


def test_a_last_line_without_end_gets_that_of_the_header(tmp_path):
    assert cut(tmp_path, b"a,b\r\n1,2\r\n3,4").rows[-1] == "3,4\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_every_encoding_is_written_back_with_its_mark(tmp_path, encoding):
    content = "name,n\nJosé,1\nZoë,2\n".encode(encoding)
    assert cut(tmp_path, content).of([0, 1]) == content


def test_the_line_that_tells_excel_the_separator_stays(tmp_path):
    assert cut(tmp_path, b"sep=;\na;b\n1;2\n3;4\n").of([1]) == b"sep=;\na;b\n3;4\n"


def test_lines_that_cannot_be_counted_alike_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n3,4\n")
    read = read_delimited(path)
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(InputError, match=r"t\.csv: its lines cannot be told apart"):
        cut_records(path, read)
