import importlib
import io
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pikepdf
import pytest

from reportgen import api, model
from reportgen.codes import LackCode
from reportgen.errors import EnvironmentLacking, ReportgenError
from reportgen.model import Reason, Verdict
from reportgen.render import pdf
from reportgen.words import catalog

NAMES = ("leaky", "low", "approximate", "no_holdout", "hostile", "endless", "crowded", "inconclusive")


class Records(logging.Handler):
    def __init__(self):
        super().__init__(logging.DEBUG)
        self.seen = []

    def emit(self, record):
        if record.name != "weasyprint.progress":
            self.seen.append(record.getMessage())


@pytest.fixture(scope="module")
def exports(results, rendering):
    """Each PDF with what WeasyPrint logged while making it."""
    made = {}
    for name in NAMES:
        records = Records()
        logging.getLogger("weasyprint").addHandler(records)
        try:
            made[name] = (pdf.render(results[name], rendering), records.seen)
        finally:
            logging.getLogger("weasyprint").removeHandler(records)
    return made


@pytest.fixture(scope="module")
def opened(exports):
    return {name: pikepdf.open(io.BytesIO(content)) for name, (content, _) in exports.items()}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_logged(exports, name):
    assert exports[name][1] == []


@pytest.mark.parametrize("name", NAMES)
def test_result_is_attached_as_data(opened, results, name):
    document = opened[name]
    attached = document.attachments["result.json"].get_file()
    assert attached.read_bytes() == model.to_json(results[name]).encode()
    assert [str(file.AFRelationship) for file in document.Root.AF] == ["/Data"]


def test_attachment_carries_the_results_date(opened):
    parameters = opened["leaky"].attachments["result.json"].get_file().obj.Params
    assert str(parameters.CreationDate) == str(parameters.ModDate) == "D:20261129123000Z"


@pytest.mark.parametrize("name", NAMES)
def test_document_is_tagged_and_names_its_language_and_title(opened, results, name):
    root = opened[name].Root
    assert str(root.Lang) == "en"
    assert root.MarkInfo.Marked
    assert root.ViewerPreferences.DisplayDocTitle
    assert "/StructTreeRoot" in root


def test_metadata_declare_both_standards_and_the_schema_of_the_second(opened):
    metadata = opened["leaky"].Root.Metadata.read_bytes().decode()
    assert 'part="3"' in metadata
    assert 'conformance="A"' in metadata
    assert re.search(r'xmlns:(\w+)="http://www.aiim.org/pdfua/ns/id/"', metadata)
    assert "<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>" in metadata
    assert "<pdfaExtension:schemas>" in metadata
    assert "<pdfaProperty:name>part</pdfaProperty:name>" in metadata


@pytest.mark.parametrize("name", NAMES)
def test_first_page_stands_alone(exports, name, tmp_path):
    first, second = (" ".join(page.split()) for page in words_of(exports[name][0], tmp_path)[:2])
    assert "Limits of this assessment" in first
    assert "GDPR Recital 26" in first
    assert "Contents" in second
    assert "Limits of this assessment" not in second


def test_first_page_holds_many_reasons_under_a_long_title(make, rendering, tmp_path):
    text = "A sentence of the usual length that says why this level was given and how to change it, at most."
    codes = get_args(LackCode)[:7]
    reasons = tuple(Reason(code=code, metric=None, text=text) for code in codes)
    verdict = Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=reasons)
    content = pdf.render(make(title="Extract " * 25, verdict=verdict), rendering)
    first = " ".join(words_of(content, tmp_path)[0].split())
    assert first.count("A sentence of the usual length") == 5
    assert "2 further reasons stand in section 5." in first
    assert "GDPR Recital 26" in first


def test_text_can_be_searched_figures_included(exports, tmp_path):
    pages = words_of(exports["leaky"][0], tmp_path)
    text = " ".join("\n".join(pages).split())
    for words in (
        "HIGH RISK",
        "99 of the 2,000 synthetic rows are exact copies",
        "against the holdout rows, n = 2,000",
        "Closest Distances Ratio",
        f"page 1 of {len(pages) - 1}",
    ):
        assert words in text, words
    assert 10 <= len(pages) - 1 <= 20


def test_headers_carry_the_hash_of_the_result(exports, opened, tmp_path):
    import hashlib

    attached = opened["leaky"].attachments["result.json"].get_file().read_bytes()
    digest = hashlib.sha256(attached).hexdigest()
    pages = words_of(exports["leaky"][0], tmp_path)
    assert all(f"result {digest[:4]} {digest[4:8]}" in page for page in pages[:-1])
    assert digest in "".join(pages)


def test_bytes_depend_on_nothing_but_the_result(results, exports, tmp_path):
    source = tmp_path / "result.json"
    source.write_text(model.to_json(results["leaky"]), encoding="utf-8")
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from reportgen.model import Result\n"
        "from reportgen.render import RenderedBy, render\n"
        "result = Result.model_validate_json(Path(sys.argv[1]).read_text(encoding='utf-8'))\n"
        "versions = {'jinja2': '3.1.6', 'matplotlib': '3.9', 'pango': '1.50.12', 'weasyprint': '70.0'}\n"
        "for name in sys.argv[2:]:\n"
        "    Path(name).write_bytes(render(name, result, RenderedBy('0.1.0', versions)))\n"
    )
    made = []
    for seed, zone, locale in (("1", "Asia/Tokyo", "C"), ("2", "America/New_York", "C.UTF-8")):
        outputs = [tmp_path / f"{seed}{suffix}" for suffix in (".html", ".pdf")]
        environment = os.environ | {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale}
        subprocess.run([sys.executable, "-c", script, source, *outputs], check=True, env=environment, cwd=tmp_path)
        made.append([output.read_bytes() for output in outputs])
    assert made[0] == made[1]
    assert made[0][1] == exports["leaky"][0]


def test_missing_pango_is_one_line_with_the_remedy(results, rendering, monkeypatch):
    def unloadable(name, *_):
        if name == "weasyprint":
            raise OSError("cannot load library 'libpango-1.0-0'")
        return real(name, *_)

    real = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", unloadable)
    with pytest.raises(EnvironmentLacking, match="apt-get install") as caught:
        pdf.render(results["leaky"], rendering)
    assert "\n" not in str(caught.value)


def test_address_outside_the_package_ends_the_export():
    with pytest.raises(ReportgenError, match="outside the package"), pdf.failing_on_errors():
        pdf.fetcher().fetch("file:///etc/hostname")


def test_error_that_is_only_logged_ends_the_export():
    with pytest.raises(ReportgenError, match="unknown option"), pdf.failing_on_errors():
        logging.getLogger("weasyprint").error("unknown option")


def test_characters_without_a_font_are_shown_as_squares(exports, tmp_path):
    first = words_of(exports["hostile"][0], tmp_path)[0]
    assert "□" in first  # for the emoji of the title


def test_fetcher_serves_packaged_fonts_only():
    font = pdf.fetcher().fetch("reportgen:ReportgenSans-Regular.ttf")
    assert font.read()[:4] == b"\x00\x01\x00\x00"
    from weasyprint.urls import FatalURLFetchingError

    with pytest.raises(FatalURLFetchingError):
        pdf.fetcher().fetch("reportgen:../css/base.css")


def test_drawings_of_a_page_are_served_by_short_addresses():
    page = '<img alt="a" src="data:image/svg+xml,%3Csvg/%3E"><img alt="b" src="data:image/png;base64,AA==">'
    shown, pictures = pdf.pictures_apart(page)
    assert pictures == {"reportgen:picture-1.svg": b"<svg/>"}
    assert shown == page.replace("data:image/svg+xml,%3Csvg/%3E", "reportgen:picture-1.svg")
    assert pdf.fetcher(pictures).fetch("reportgen:picture-1.svg").read() == b"<svg/>"


def test_hostile_names_never_reach_the_fetcher(results, rendering, monkeypatch):
    asked = []
    real = pdf.fetcher

    def watched(*pictures):
        fetcher = real(*pictures)
        fetch = fetcher.fetch
        fetcher.fetch = lambda url, headers=None: asked.append(url) or fetch(url, headers)
        return fetcher

    monkeypatch.setattr(pdf, "fetcher", watched)
    monkeypatch.setattr(pdf, "_fonts", lambda: None)  # loaded anew, so that the fonts are asked for
    pdf.render(results["hostile"], rendering)
    assert any(url.startswith("reportgen:picture-") for url in asked)
    ours = re.compile(r"reportgen:(Reportgen\w+-\w+\.ttf|picture-\d+\.svg)|data:.*", re.DOTALL)
    assert all(ours.fullmatch(url) for url in asked)


RENDER = (
    "import sys\n"
    "from pathlib import Path\n"
    "from reportgen.model import Result\n"
    "from reportgen.render import RenderedBy, render\n"
    "versions = {'jinja2': '3.1.6', 'matplotlib': '3.9', 'pango': '1.50.12', 'weasyprint': '70.0'}\n"
    "result = Result.model_validate_json(Path(sys.argv[1]).read_text(encoding='utf-8'))\n"
    "def go():\n"
    "    return render('report.pdf', result, RenderedBy('0.1.0', versions))\n"
)


def in_a_process(script, folder, result, *arguments, **environment):
    source = folder / "result.json"
    source.write_text(model.to_json(result), encoding="utf-8")
    command = [sys.executable, "-W", "error", "-c", RENDER + script, source, *arguments]
    return subprocess.run(command, check=True, env=os.environ | environment, cwd=folder, capture_output=True, text=True)


def test_machine_without_any_font_gives_the_same_bytes_in_silence(results, exports, tmp_path):
    empty = tmp_path / "fonts.conf"
    empty.write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig></fontconfig>',
        encoding="utf-8",
    )
    made = tmp_path / "report.pdf"
    done = in_a_process(
        "Path(sys.argv[2]).write_bytes(go())",
        tmp_path,
        results["leaky"],
        made,
        FONTCONFIG_FILE=str(empty),
        XDG_CACHE_HOME=str(tmp_path),
    )
    assert done.stdout + done.stderr == ""
    assert made.read_bytes() == exports["leaky"][0]


def test_names_that_no_font_has_leave_a_machine_without_fonts_standing(results, tmp_path):
    empty = tmp_path / "fonts.conf"
    empty.write_text("<fontconfig></fontconfig>", encoding="utf-8")
    done = in_a_process(
        "print(go()[:5])",
        tmp_path,
        results["hostile"],
        FONTCONFIG_FILE=str(empty),
        XDG_CACHE_HOME=str(tmp_path),
    )
    assert done.stdout.strip() == "b'%PDF-'"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads its memory from /proc, as Linux has it")
def test_twenty_reports_in_a_row_take_no_more_memory_than_a_few(results, tmp_path):
    script = (
        "import resource\n"
        "for _ in range(20):\n"
        "    go()\n"
        "    print(int(Path('/proc/self/statm').read_text().split()[1]) * resource.getpagesize())\n"
    )
    sizes = [int(line) for line in in_a_process(script, tmp_path, results["no_holdout"]).stdout.split()]
    assert len(sizes) == 20
    # Pango keeps about half a megabyte of each document; a page's own objects would be fifty.
    assert sizes[-1] - sizes[2] < 15e6


LAST_NOTES = tuple(catalog()["label"][name] for name in ("improve", "leaves_open"))


@pytest.mark.parametrize("name", ["good", "ecg"])
def test_no_page_begins_with_the_last_note_of_a_metric_alone(adult, rendering, tmp_path, name):
    kept = api.load(adult.parent / "reports" / f"{name}.json").result
    pages = words_of(pdf.render(kept, rendering), tmp_path)
    assert sum(page.count(LAST_NOTES[0]) for page in pages) >= 10
    tops = [page.strip().split("\n") for page in pages[1:-1]]
    # The first line is the running head.
    first = [next(line.strip() for line in lines[1:] if line.strip()) for lines in tops]
    assert [line for line in first if line.startswith(LAST_NOTES)] == []


def words_of(content: bytes, folder: Path) -> list[str]:
    """The text of each page; an empty string behind the last."""
    tool = shutil.which("pdftotext")
    if tool is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    source = folder / "report.pdf"
    source.write_bytes(content)
    text = subprocess.run([tool, "-layout", source, "-"], check=True, capture_output=True).stdout.decode()
    return text.split("\f")
