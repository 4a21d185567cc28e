"""`reportgen verify`: what holds of an intact report, and that nothing else does."""

import hashlib
import io
import json
import re
import zipfile
import zlib

import pandas as pd
import pytest

import reportgen
from reportgen import environment
from reportgen.render import made_by

FILES = ("report.html", "report.pdf", "result.json", "bundle.zip", "s.summary.html", "s.summary.pdf")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three tables and the reports on them."""
    folder = tmp_path_factory.mktemp("made")
    for seed, name in enumerate(("original", "synthetic", "holdout")):
        frame = pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)], "town": list("abcdef") * 10})
        frame.to_csv(folder / f"{name}.csv", index=False)
    tables = [folder / f"{name}.csv" for name in ("original", "synthetic", "holdout")]
    a = reportgen.assess(*tables, metric=["exact_copies", "closest_rate"])
    a.write(*(folder / name for name in FILES))
    return folder


def statements(out):
    return {line.split("\t")[1]: line.split("\t")[0] for line in out.splitlines()}


@pytest.mark.parametrize("name", FILES)
def test_an_intact_report_holds(run, made, name):
    code, out, err = run("verify", made / name)
    assert (code, err) == (0, "")
    assert statements(out) == {"result": "holds", "document": "holds"}


def test_it_is_about_these_files(run, made):
    words = [word for side in ("original", "synthetic", "holdout") for word in (f"--{side}", made / f"{side}.csv")]
    code, out, _ = run("verify", made / "result.json", *words)
    assert code == 0
    assert set(statements(out).values()) == {"holds"}
    for place in (0, 2, 4):  # each by itself, read by the kinds of columns that the result names
        assert run("verify", made / "result.json", *words[place : place + 2])[0] == 0


def test_another_file_and_the_same_table_saved_again_are_told_apart(run, made, tmp_path):
    code, out, _ = run("verify", made / "result.json", "--original", made / "holdout.csv")
    assert code == 1
    assert "file and contents have other hashes" in out
    pd.read_csv(made / "original.csv").to_parquet(tmp_path / "original.parquet")
    code, out, _ = run("verify", made / "result.json", "--original", tmp_path / "original.parquet")
    assert code == 1
    assert "the same table as the original of the report in another file" in out


def test_a_file_that_is_not_there_fails_its_statement(run, made):
    code, out, _ = run("verify", made / "result.json", "--original", "nope.csv")
    assert code == 1
    assert statements(out)["original"] == "fails"


def changed(made, name, folder, change):
    path = folder / name
    content = change((made / name).read_bytes())
    assert content != (made / name).read_bytes()
    path.write_bytes(content)
    return path


def test_a_number_changed_in_the_text_of_a_page_fails(run, made, tmp_path):
    path = changed(
        made, "report.html", tmp_path, lambda page: page.replace(b"60 synthetic rows", b"61 synthetic rows", 1)
    )
    code, out, _ = run("verify", path)
    assert code == 1
    assert statements(out) == {"result": "holds", "document": "fails"}


def with_other_result(page):
    """Change a score in the result inside, and every digest with it, as a forger would."""
    block = re.search(rb'id="reportgen-result">([^<]*)</script>', page)[1]
    before = reportgen.api.parse(block, "x").result
    after = before.model_copy(update={"title": "another"})
    old, new = (reportgen.model.digest(one).encode() for one in (before, after))
    text = reportgen.model.to_json(after).encode()
    return page.replace(block, text).replace(old, new)


def test_a_changed_result_with_all_digests_changed_fails(run, made, tmp_path):
    path = changed(made, "report.html", tmp_path, with_other_result)
    assert statements(run("verify", path)[1]) == {"result": "holds", "document": "fails"}


def test_a_changed_result_alone_fails_both(run, made, tmp_path):
    path = changed(
        made, "report.html", tmp_path, lambda page: page.replace(b'"level": "inconclusive"', b'"level": "high"')
    )
    code, out, _ = run("verify", path)
    assert code in {1, 2}  # contradictions in a result may be refused when it is read
    assert code == 2 or statements(out) == {"result": "fails", "document": "fails"}


def test_a_number_changed_in_a_page_of_the_pdf_fails(run, made, tmp_path):
    def change(pdf):
        for found in re.finditer(rb"/Filter /FlateDecode/Length (\d+)>>\nstream\n", pdf):
            start, length = found.end(), int(found[1])
            page = zlib.decompress(pdf[start : start + length])
            if b"BT" in page and (b"Tj" in page or b"TJ" in page):
                packed = zlib.compress(page.replace(b"0 0 0 rg", b"1 1 1 rg", 1) + b"\n", 9)
                return (
                    pdf[: found.start(1)]
                    + str(len(packed)).encode()
                    + pdf[found.end(1) : start]
                    + packed
                    + pdf[start + length :]
                )
        raise AssertionError

    path = changed(made, "report.pdf", tmp_path, change)
    assert statements(run("verify", path)[1]) == {"result": "holds", "document": "fails"}


def test_what_is_added_behind_the_pdf_fails(run, made, tmp_path):
    path = changed(made, "report.pdf", tmp_path, lambda pdf: pdf + b"\n% one line more\n")
    assert statements(run("verify", path)[1])["document"] == "fails"


def test_a_changed_file_of_a_bundle_is_named_also_with_right_checksums(run, made, tmp_path):
    def change(bundle):
        with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        files["command.txt"] = b"reportgen assess other.csv\n"
        files.pop("SHA256SUMS")
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
            sums = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in files)
            archive.writestr("SHA256SUMS", sums)
        return stream.getvalue()

    code, out, _ = run("verify", changed(made, "bundle.zip", tmp_path, change))
    assert code == 1
    assert "(SHA256SUMS, command.txt)" in out


def test_the_bundle_is_whole_and_its_checksums_are_right(made):
    with zipfile.ZipFile(made / "bundle.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert files["report.html"] == (made / "report.html").read_bytes()
    assert files["report.pdf"] == (made / "report.pdf").read_bytes()
    assert files["result.json"] == (made / "result.json").read_bytes()
    assert json.loads(files["settings.json"])["metric"] == ["exact_copies", "closest_rate"]
    assert files["command.txt"].startswith(b"reportgen assess original.csv synthetic.csv --holdout holdout.csv")
    for line in files["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(files[name]).hexdigest() == digest
    assert set(files) == {line.split("  ")[1] for line in files["SHA256SUMS"].decode().splitlines()} | {"SHA256SUMS"}


def test_another_version_cannot_check_the_document_unless_allowed(run, made, monkeypatch):
    monkeypatch.setattr(environment, "versions", lambda: {"weasyprint": "71.0"})
    code, out, _ = run("verify", made / "report.html")
    assert code == 1
    assert statements(out) == {"result": "holds", "document": "can't be checked"}
    assert "made by version" in out
    assert run("verify", made / "report.html", "--allow", "other-version")[0] == 0


def test_other_templates_are_another_version(run, made, monkeypatch):
    monkeypatch.setattr(made_by, "templates_digest", lambda: "0" * 16)
    assert statements(run("verify", made / "report.html")[1])["document"] == "can't be checked"


def test_to_allow_another_version_allows_no_change_of_the_result(run, made, tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "versions", lambda: {"weasyprint": "71.0"})
    digest = reportgen.load(made / "result.json")
    other = reportgen.model.digest(digest.result).encode()
    path = changed(made, "report.html", tmp_path, lambda page: page.replace(other, b"0" * 64))
    assert run("verify", path, "--allow", "other-version")[0] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("report.txt", b"x"),
        ("report.html", b""),
        ("report.html", b"\xff\xfe"),
        ("report.html", b"<p>no result</p>"),
        ("report.html", b'<script type="application/json" id="reportgen-result">{}</script>'),
        ("report.pdf", b"%PDF-1.7\n"),
        ("report.pdf", b"<</Type /EmbeddedFile/X/Filter /FlateDecode/Length 5>>\nstream\nhello"),
        ("report.pdf", b"%PDF-1.7\n<</Type /EmbeddedFile/X/Filter /FlateDecode/Length 5>>\nstream\nhello"),
        ("result.json", b"[" * 100_000),
        ("bundle.zip", b"PK\x03\x04nothing"),
    ],
)
def test_what_is_no_report_is_one_line(run, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    code, out, err = run("verify", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"reportgen: error: {name}: ")
    assert err.count("\n") == 1


def test_what_unpacks_to_too_much_is_refused_within_bounds(run, tmp_path):
    bomb = zlib.compress(b"\0" * (40 * 2**20), 9)
    head = b"%PDF-1.7\n<</Type /EmbeddedFile/X/Filter /FlateDecode/Length " + str(len(bomb)).encode()
    (tmp_path / "bomb.pdf").write_bytes(head + b">>\nstream\n" + bomb)
    assert run("verify", "bomb.pdf")[0] == 2
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("report.html", "report.pdf", "result.json"):
            archive.writestr(name, b"\0" * (33 * 2**20))
    code, _, err = run("verify", "bomb.zip")
    assert code == 2
    assert "larger than any report" in err


def test_wrong_arguments_are_one_line(run, made):
    code, _, err = run("verify", made / "report.html", "--allow", "anything")
    assert code == 2
    assert "other-version is all that can be allowed" in err
    assert run("verify", "nope.pdf")[0] == 2


def test_the_result_is_held_against_a_digest_that_was_kept(run, made, tmp_path):
    kept = hashlib.sha256((made / "result.json").read_bytes()).hexdigest()
    for name in FILES:
        code, out, _ = run("verify", made / name, "--sha256", f" {kept.upper()}\n")
        assert (code, statements(out)["sha256"]) == (0, "holds")
    # A number changed in a result file: by itself it looks as good as the true one.
    score = re.search(rb'"value": 0\.\d+|"value": 1.0', (made / "result.json").read_bytes())[0]
    path = changed(made, "result.json", tmp_path, lambda text: text.replace(score, b'"value": 0.5', 1))
    assert run("verify", path)[0] == 0
    code, out, _ = run("verify", path, "--sha256", kept)
    assert (code, statements(out)["sha256"]) == (1, "fails")


@pytest.mark.parametrize("digest", ["", "12ab", "g" * 64, "a" * 63, "a" * 65])
def test_what_is_no_digest_is_refused(run, made, digest):
    code, _, err = run("verify", made / "result.json", "--sha256", digest)
    assert (code, err.count("\n")) == (2, 1)
    assert "64 hexadecimal digits" in err


def test_releases_that_were_assessed_together_are_verified_together(run, made, tmp_path, monkeypatch):
    (tmp_path / "second.csv").write_bytes((made / "holdout.csv").read_bytes())
    releases = (made / "synthetic.csv", "second.csv")
    words = ("assess", made / "original.csv", *releases, "-m", "exact_copies", "--fail-on", "never", "-q")
    assert run(*words, "-o", "all.json")[0] == 0
    named = [word for path in releases for word in ("--synthetic", path)]
    code, out, _ = run("verify", "all-releases.json", *named)
    assert (code, statements(out)["synthetic"]) == (0, "holds")
    assert "all-releases is the synthetic" in out
    code, out, _ = run("verify", "all-releases.json", "--original", made / "original.csv", *named)
    assert (code, statements(out)["synthetic"]) == (0, "holds")
    code, out, _ = run("verify", "all-releases.json", *named[2:], *named[:2])
    assert (code, statements(out)["synthetic"]) == (1, "fails")
    assert run("verify", "all-releases.json", *named[:2])[0] == 1


@pytest.mark.parametrize("epoch", ["", "yesterday"])
def test_a_wrong_time_of_creation_is_said_in_one_line(run, made, monkeypatch, epoch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    result = made / "result.json"
    for words in (("verify", made / "report.html"), ("compare", result, result, "-o", "changes.html")):
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "SOURCE_DATE_EPOCH" in err
