#!/usr/bin/env bash
# Are the files that reports are made from in both packages?
#   .ci/contents.sh SDIST WHEEL
# The list is what git tracks, so a new template or font is asked for without anybody thinking of it.
set -euo pipefail
cd "$(dirname "$0")/.."

sdist=$(tar -tzf "$1" | cut -d/ -f2- | sort)
wheel=$(python3 -m zipfile -l "$2" | awk 'NR > 1 { print $1 }' | sort)
missing=0
want() {  # want PACKAGE LISTING PATH
  if ! grep -qxF -- "$3" <<<"$2"; then
    echo "$1 lacks $3" >&2
    missing=1
  fi
}

packaged=$(git ls-files templates assets 'examples/*.parquet')
sources=$(git ls-files reportgen)
for file in $packaged; do
  want sdist "$sdist" "$file"
  want wheel "$wheel" "reportgen/_data/$file"
done
for file in $sources; do
  want sdist "$sdist" "$file"
  want wheel "$wheel" "$file"
done
for file in $(git ls-files tests examples docs) README.md LICENSE CHANGELOG.md pyproject.toml; do want sdist "$sdist" "$file"; done

licences=$(grep -E '\.dist-info/licenses/' <<<"$wheel" | sed 's|.*/licenses/||')
for file in LICENSE $(git ls-files 'assets/fonts/OFL-*.txt'); do want "wheel's licences" "$licences" "$file"; done

# Guards against an empty list, which would agree with anything.
for kind in 'templates/.*\.toml' 'templates/.*\.(html|jinja|j2)' 'assets/css/.*\.css' 'assets/fonts/.*\.woff2' 'examples/.*\.parquet'; do
  grep -qE "^reportgen/_data/$kind\$" <<<"$wheel" || { echo "wheel holds nothing like $kind" >&2; missing=1; }
done
# And nothing that only the checkout needs.
if grep -E '(^|/)(tests|\.ci|reports)/|(make|rebuild)\.py$' <<<"$wheel"; then
  echo "the wheel holds the files above, which only a checkout needs" >&2
  missing=1
fi
[ "$missing" -eq 0 ]
echo "sdist: $(wc -l <<<"$sdist") files, wheel: $(wc -l <<<"$wheel") files ($(stat -c %s "$2") bytes)"
