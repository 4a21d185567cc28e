"""Recompute inputs.*.content_sha256 of a result from a CSV file, without reportgen; see reportgen/read/fingerprint.py.

Usage: python recompute_content_sha256.py result.json original FILE.csv

For comma-separated UTF-8 files with decimal points and ISO dates, read without [schema].
"""

import csv
import hashlib
import json
import re
import string
import sys
from datetime import UTC, datetime
from pathlib import Path

MISSING = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "\\N"}
MISSING |= {"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"}
ALSO_AMONG_NUMBERS = {"-", "--", ".", "N", "None", "none", "n/a", "na", "Null", "NAN", "NaT", "<NA>", "._"}
ALSO_AMONG_NUMBERS |= {f".{letter}" for letter in string.ascii_letters}


def canonical(text: str, kind: str) -> str | None:
    """Write one cell as the digest has it; None for a missing one."""
    if text in MISSING or (kind in {"numeric", "datetime"} and text in ALSO_AMONG_NUMBERS):
        return None
    if kind == "boolean":
        return "true" if text.casefold() in {"true", "yes", "t", "y", "1", "1.0"} else "false"
    if kind == "numeric":
        whole = re.fullmatch(r"([+-]?\d+)(\.0*)?", text)
        number = int(whole[1]) if whole else float(text)
        return str(int(number)) if number == int(number) else repr(number)
    if kind == "datetime":
        time = datetime.fromisoformat(text)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        fraction = f".{time.microsecond:06d}".rstrip("0") if time.microsecond else ""
        return time.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", text)


def item(text: str | None) -> bytes:
    """Put the length in four bytes before the text; FF FF FF FF is a missing value."""
    return b"\xff" * 4 if text is None else len(text.encode()).to_bytes(4, "big") + text.encode()


def main(result_file: str, side: str, table_file: str) -> None:
    """Compare the digest in the result with that of the file."""
    result = json.loads(Path(result_file).read_text(encoding="utf-8"))
    with Path(table_file).open(encoding="utf-8-sig") as lines:  # line ends inside cells are read alike
        header, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines) if row]
    header = [name or f"Unnamed: {place}" for place, name in enumerate(header)]
    digest = hashlib.sha256()
    for column in sorted(result["columns"], key=lambda column: str(column["name"])):
        place = header.index(column["name"])
        cells = [canonical(row[place], column["kind"]) for row in rows]
        digest.update(b"".join(map(item, [column["name"], column["kind"], *cells])))
    agrees = digest.hexdigest() == result["inputs"][side]["content_sha256"]
    print(digest.hexdigest(), "agrees" if agrees else "differs")
    sys.exit(not agrees)


if __name__ == "__main__":
    main(*sys.argv[1:])
