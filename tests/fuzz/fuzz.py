"""Mutates valid inputs for a bounded time and says what breaks a promise of SECURITY.md.

    python tests/fuzz/fuzz.py --seconds 60 [--target text] [--seed 1]

Each case is made from its target's name, the seed and its number alone: `--first 1234 --cases 1` makes a case again.
Targets: text (CSV and TSV), arrays (NPY, NPZ), columns (Parquet, Feather), config (with policy and schema), result (the
loader, HTML, the formats of pipelines and the gate), templates (hostile texts in every string of a result). Exit 1
with a line for each finding, 0 without one.

What must hold: an input is taken, or refused by an `InputError` of one line without a cell; nothing takes longer than
`SLOWEST` seconds; a page made from whatever result holds no element but those of the templates.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd

import reportgen
from reportgen.api import parse
from reportgen.config import read_config
from reportgen.errors import InputError
from reportgen.render.rules import rule_lines
from reportgen.runner import read_inputs
from reportgen.settings import Settings
from reportgen.shown import escaped

CANARY = "Qvantifex"
SLOWEST = 30
PIECES = (
    *(b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"|", b"\\"),
    *(b"NaN", b"inf", b"-1", b"1e999", b"9" * 30, b"0x1F", b"1_0", b"1,5", b"?", b"2020-02-30", b"31/12/2020"),
    *(b"=1+1", b"<script>", b"{{ 1 }}", b"{% raw %}", b"../", b"[", b"]", b"{", b"}", b"[[", b'"""', b"null", b"true"),
    *("\u202e".encode(), "漢".encode(), b"\xed\xa0\x80", CANARY.encode()),
)


class Slow(BaseException):
    """A case took too long; no `except Exception` on the way may swallow it."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Slow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def table(rows: int = 24) -> pd.DataFrame:
    numbers = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "pay": numbers.normal(size=rows).round(3),
            "visits": numbers.integers(0, 9, rows),
            "town": numbers.choice(["north", "south"], rows),
            "day": pd.Timestamp("2020-01-31") + pd.to_timedelta(numbers.integers(0, 90, rows), unit="D"),
            "name": [f"{CANARY}-{row}" for row in range(rows)],
            "seen": numbers.choice([True, False], rows),
        }
    )


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Change some places: bits, bytes, pieces put in, parts left out, doubled or exchanged."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 2, 8, 64, 4096)))
        way = chance.randrange(6)
        if way == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            data[at:at] = chance.choice(PIECES)
        elif way == 2:
            del data[at:end]
        elif way == 3:
            data[at:at] = data[at:end] * chance.choice((1, 2, 50))
        elif way == 4:
            data[at:end] = chance.choice(PIECES)
        elif at < len(data):
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
    return bytes(data)


def read(name: str, content: bytes, folder: Path) -> None:
    """Read a file as the original beside itself and beside a table that is sound."""
    path = folder / name
    path.write_bytes(content)
    for other in (str(path), table()):
        read_inputs(str(path), other, None, Settings())


def text(chance: random.Random, folder: Path) -> None:
    separator = chance.choice((",", ";", "\t", "|"))
    whole = table().to_csv(index=False, sep=separator).encode(chance.choice(("utf-8", "utf-16", "cp1252")))
    content = mutated(whole, chance)
    if chance.random() < 0.2:
        read(
            "t.csv.gz",
            mutated(gzip.compress(content), chance) if chance.random() < 0.5 else gzip.compress(content),
            folder,
        )
    else:
        read(chance.choice(("t.csv", "t.tsv")), content, folder)


def arrays(chance: random.Random, folder: Path) -> None:
    numbers = np.random.default_rng(chance.randrange(99))
    shape = chance.choice(((12, 3), (6, 2, 20), (5,), (0, 4), (3, 0)))
    values = numbers.normal(size=shape).astype(chance.choice(("f8", "f4", "i2", ">f8")))
    stream = io.BytesIO()
    name = chance.choice(("t.npy", "t.npz"))
    (np.save(stream, values) if name == "t.npy" else chance.choice((np.savez, np.savez_compressed))(stream, a=values))
    path = folder / name
    path.write_bytes(mutated(stream.getvalue(), chance))
    read_inputs(str(path), str(path), None, Settings())


def columns(chance: random.Random, folder: Path) -> None:
    stream = io.BytesIO()
    name = chance.choice(("t.parquet", "t.feather"))
    table().to_parquet(stream) if name == "t.parquet" else table().to_feather(stream)
    read(name, mutated(stream.getvalue(), chance), folder)


CONFIG = b"""title = "A title"
tolerance = 0.5
key = ["name"]
context = \"\"\"Some
lines\"\"\"
no_category_names = true
lead_names = ["I", "II"]
[thresholds]
leak_test = 0.05
fewest_rows = 20
[schema]
separator = ";"
encoding = "cp1252"
missing = ["-9", "?"]
decimal = ","
[schema.synthetic]
encoding = "utf-8"
[schema.columns."start date"]
kind = "datetime"
date_format = "%d%b%Y"
[policy]
fail_on = "moderate"
max_tolerance = 1.0
min_tool_version = "0.1"
settings = {seed = 0}
worsening = {nndr = 0.05}
closest_rate = {min = 95}
nndr.p5 = {max = 0.5}
[[policy.waivers]]
rule = "closest_rate"
reason = "Coarse codes."
by = "A. Person"
until = 2027-06-30
"""


def config(chance: random.Random, folder: Path) -> None:
    name = chance.choice(("c.toml", "pyproject.toml"))
    path = folder / name
    path.write_bytes(mutated((b"[tool.reportgen]\n" if name == "pyproject.toml" else b"") + CONFIG, chance))
    read_config(path)


SUFFIXES = (*(".html",) * 4, ".summary.html", ".md", ".junit.xml", ".sarif", ".prom", ".intoto.json", ".json")
"""Formats that the result loader's findings are looked for in; the page most often."""


def whole_result() -> bytes:
    numbers = [np.random.default_rng(seed).normal(size=(40, 3)) for seed in range(3)]
    return (
        reportgen.assess(*numbers, resamples=100, draws=2, metric=["exact_copies", "closest_rate"]).to_json().encode()
    )


def result(chance: random.Random, _: Path, whole: list[bytes] = []) -> None:  # noqa: B006 -- made once
    if not whole:
        whole.append(whole_result())
    content = mutated(whole[0], chance) if chance.random() < 0.6 else changed(whole[0], chance)
    found = parse(content, "r.json")
    name = f"r{chance.choice(SUFFIXES)}"
    try:
        made = found.rendered(name)
        if name.endswith(".html"):
            sound(made.decode())
        "\n".join("\t".join(map(escaped, fields)) for fields in rule_lines(found.gate))
    except reportgen.ReportgenError:
        pass
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return  # the command line refuses it in one line: a result of valid form that no assessment makes


def changed(whole: bytes, chance: random.Random) -> bytes:
    """Put other values in some places of the tree, so that more than the syntax is tried."""
    tree = json.loads(whole)
    for _ in range(chance.choice((1, 2, 5))):
        part, last = tree, None
        while isinstance(part, dict | list) and part and chance.random() < 0.85:
            last = (part, chance.choice(list(part)) if isinstance(part, dict) else chance.randrange(len(part)))
            part = part[last[1]]
        if last is not None:
            strange = (0, -1, 10**18, 1e300, 1e-320, 0.5, True, None, "", "x" * 500, [], {}, [0] * 300, "<b>", "\u202e")
            last[0][last[1]] = chance.choice(strange)
    return json.dumps(tree).encode()


ELEMENTS: set[str] = set()


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {tag, *(f"{tag} {name}" for name, _ in attrs)}


def sound(page: str) -> None:
    """Raise AssertionError where a page holds an element or attribute that the templates do not write."""
    if not ELEMENTS:
        sources = Path(reportgen.__file__).parent.parent / "templates"
        written = "".join(path.read_text(encoding="utf-8") for path in sources.rglob("*.html"))
        ELEMENTS.update(re.findall(r"<([a-z0-9]+)", written))
        ELEMENTS.update({"h3", "h4"})
    tags = Tags(page).found
    foreign = {tag for tag in tags if tag.split()[0] not in ELEMENTS or re.search(r" (on|style|formaction)", tag)}
    if foreign:
        msg = f"foreign elements {sorted(foreign)[:3]}"
        raise AssertionError(msg)


TEXTS = (
    "<",
    ">",
    '"',
    "'",
    "&",
    "/",
    "{{",
    "}}",
    "{%",
    "%}",
    "<!--",
    "-->",
    "]]>",
    "\n",
    "\u2028",
    "\u202e",
    "\0",
    "=",
)
WORDS = ("script", "style", "svg onload=1", "img src=x onerror=1", "title", "a", "1+1", "../", "url(", "\\", "$x$", " ")


def templates(chance: random.Random, _: Path, whole: list[bytes] = []) -> None:  # noqa: B006 -- made once
    if not whole:
        whole.append(whole_result())
    tree = json.loads(whole[0])

    def hostile() -> str:
        return "".join(chance.choice(TEXTS + WORDS) for _ in range(chance.randrange(1, 12)))

    tree |= {"title": hostile(), "command": hostile()}
    words = ("title", "context", "recipients", "release_model", "generator")
    tree["settings"] |= {name: hostile() for name in words} | {"key": [hostile()]}
    tree["settings"]["generator_parameters"] = {hostile(): hostile()}
    tree["settings"]["sign_off"] = {name: hostile() for name in ("assessor", "date", "decision", "next_review")}
    for part in (*tree["columns"], *(one for one in tree["inputs"].values() if one)):
        part["name"] = hostile()
    for part in (*tree["findings"], *tree["verdict"]["reasons"]):
        part["text"] = hostile()
    found = parse(json.dumps(tree).encode(), "r.json")
    for name in ("r.html", "r.summary.html"):
        sound(found.rendered(name).decode())


TARGETS: dict[str, Callable[[random.Random, Path], None]] = {
    one.__name__: one for one in (text, arrays, columns, config, result, templates)
}


def fault(target: str, chance: random.Random, folder: Path) -> str | None:
    """Run one case; return what is wrong, None where all holds."""
    try:
        with at_most(SLOWEST), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TARGETS[target](chance, folder)
    except InputError as error:
        said = str(error)
        if escaped(said) != said:
            return f"more than one line, or a control character: {said!r}"
        # A header that runs into the first line makes its cells a part of a name, which is quoted.
        if CANARY in re.sub(r"'.*?'", "", said) and target in {"text", "columns", "arrays"}:
            return f"a cell: {said!r}"
        return f"too long: {said[:300]!r}" if len(said) > 1000 else None
    except Slow:
        return f"took longer than {SLOWEST} s"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        places = [f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)[-3:]]
        return f"{type(error).__name__} at {' < '.join(reversed(places))}: {str(error)[:200]!r}"
    return None


def fuzz(target: str, seconds: float, seed: int, first: int, cases: int | None) -> list[str]:
    found: dict[str, str] = {}
    until, number = time.monotonic() + seconds, first
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until and (cases is None or number < first + cases):
            wrong = fault(target, random.Random(f"{target} {seed} {number}"), Path(folder))  # noqa: S311
            if wrong:
                found.setdefault(re.sub(r"[\d'].*", "", wrong), f"{target} --seed {seed} --first {number}: {wrong}")
            number += 1
    print(f"{target}: {number - first} cases, {len(found)} kinds of findings", file=sys.stderr)
    return list(found.values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--seconds", type=float, default=60, help="in all")
    options.add_argument("--target", choices=TARGETS, action="append")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--cases", type=int)
    given = options.parse_args()
    wanted = given.target or list(TARGETS)
    found = [
        line
        for target in wanted
        for line in fuzz(target, given.seconds / len(wanted), given.seed, given.first, given.cases)
    ]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
