#!/usr/bin/env bash
# Does the wheel work away from the sources?
#   .ci/smoke.sh WHEEL
# A fresh environment, an empty folder, and the commands that a first user types.
set -euo pipefail
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset PYTHONPATH
python3 -m venv "$place/venv"
"$place/venv/bin/pip" install -q "$wheel"
mkdir "$place/elsewhere"
cd "$place/elsewhere"
PATH="$place/venv/bin:$PATH"

step() { printf -- '--- %s\n' "$*"; }
same() { cmp "$1" "$2" || { echo "$1 and $2 differ" >&2; exit 1; }; }

step "the installed package is the one that runs"
installed=$(python -c 'import pathlib, reportgen; print(pathlib.Path(reportgen.__file__).parent)')
case "$installed" in "$place"/venv/*) ;; *) echo "reportgen is taken from $installed" >&2; exit 1 ;; esac

step "reportgen --help"
reportgen --help >help.txt
grep -q assess help.txt

step "reportgen doctor"
reportgen doctor

step "reportgen schema"
reportgen schema | python -m json.tool >/dev/null

step "reportgen demo"
reportgen demo -o out
for name in good leaky; do
  for suffix in html pdf json; do
    [ -s "out/$name.$suffix" ] || { echo "out/$name.$suffix is missing or empty" >&2; exit 1; }
  done
done
[ "$(find out -type f | wc -l)" -eq 6 ] || { ls out; echo "the demo leaves six files" >&2; exit 1; }

step "the leaky control reads high, the good table does not"
python - <<'PYTHON'
import json
import pathlib

levels = {name: json.loads(pathlib.Path(f"out/{name}.json").read_text())["verdict"]["level"] for name in ("good", "leaky")}
print(levels)
if levels["leaky"] != "high" or levels["good"] == "high":
    raise SystemExit("the demo's verdicts do not tell its two tables apart")
PYTHON

step "reportgen render, from the result alone"
reportgen render out/leaky.json -o x.html -o x.pdf -o x.json
same x.json out/leaky.json
same x.html out/leaky.html
same x.pdf out/leaky.pdf

step "reportgen render, the formats of a pipeline"
reportgen render out/leaky.json -o y.md -o y.junit.xml -o y.sarif -o y.prom -o y.intoto.json
python -c 'import xml.etree.ElementTree as tree; assert tree.parse("y.junit.xml").find(".//failure") is not None'
python -m json.tool y.sarif >/dev/null
[ "$(tail -n 1 y.prom)" = "# EOF" ] || { echo "y.prom has no end" >&2; exit 1; }
sum=$(sha256sum y.md | cut -d' ' -f1)
grep -q "$sum" y.intoto.json || { echo "the statement does not vouch for y.md" >&2; exit 1; }

step "reportgen render, the plain summary, in a look of one's own"
mkdir -p own/partials
echo '{% include "packaged/partials/badge.html" %}<p>Ours</p>' >own/partials/badge.html
reportgen render out/leaky.json -o z.summary.html -o z.summary.pdf --template-dir own
grep -q '<p>Ours</p>' z.summary.html
reportgen verify z.summary.pdf --template-dir own

step "reportgen check, on a file and on stdin"
reportgen check out/good.json
if reportgen check - <out/leaky.json; then echo "the leaky control passes the gate" >&2; exit 1; fi

step "the Python interface"
python -c 'import reportgen; print(reportgen.load("out/leaky.json").verdict.level)'
