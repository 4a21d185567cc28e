"""What reading a table does not need is not loaded for it."""

import subprocess
import sys


def test_a_csv_file_is_read_without_the_reader_of_parquet_files(tmp_path):
    (tmp_path / "table.csv").write_text("age\n1\n2\n", encoding="utf-8")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from reportgen.declared import FileForm\n"
        "from reportgen.read import memory\n"
        "from reportgen.read.tables import read_table\n"
        "print(len(read_table(Path('table.csv'), 'original', FileForm()).columns), "
        "[name for name in ('pyarrow.parquet', 'pyarrow.feather') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split(maxsplit=1) == ["1", "[]\n"]
