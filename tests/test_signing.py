"""PAdES signatures behind a report, and what verify says of them."""

import hashlib
import io
import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

import reportgen
from reportgen import model
from reportgen.errors import EnvironmentLacking
from reportgen.render import bundle
from reportgen.signing import check_signature, load_signer, sign, unsigned_part

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NAME = "Release Officer"


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A key with its certificate as PEM and as PKCS#12 (passphrase "secret"), and another, and one of a curve."""
    folder = tmp_path_factory.mktemp("keys")
    for stem in ("own", "other", "curve"):
        key = ec.generate_private_key(ec.SECP256R1()) if stem == "curve" else rsa.generate_private_key(65537, 2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
        start = datetime(2020, 1, 1, tzinfo=UTC)
        certificate = (
            x509.CertificateBuilder(name, name, key.public_key(), 7, start, start + timedelta(days=30000))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        plain = serialization.NoEncryption()
        form = serialization.PrivateFormat.PKCS8
        (folder / f"{stem}.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
        (folder / f"{stem}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        closed = serialization.BestAvailableEncryption(b"secret")
        (folder / f"{stem}.p12").write_bytes(
            pkcs12.serialize_key_and_certificates(b"x", key, certificate, None, closed)
        )
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A result and its PDF."""
    folder = tmp_path_factory.mktemp("made")
    tables = [
        pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)], "town": list("abcdef") * 10})
        for seed in range(3)
    ]
    reportgen.assess(*tables, metric=["exact_copies"]).write(folder / "r.json", folder / "r.pdf")
    return folder


@pytest.fixture(scope="module")
def signed(made, keys):
    return sign((made / "r.pdf").read_bytes(), load_signer(keys / "own.p12", None, b"secret"), MOMENT)


def test_the_report_stands_before_the_signature_as_it_was(made, signed):
    pdf = (made / "r.pdf").read_bytes()
    assert signed.startswith(pdf)
    assert unsigned_part(signed) == pdf == unsigned_part(pdf)


def test_who_signed_and_that_it_holds_are_told(signed):
    found = check_signature(signed, unsigned_part(signed))
    assert NAME in found.signer
    assert (found.moment, found.intact, found.whole, found.only) == ("2026-01-02T03:04:05Z", True, True, True)


def test_the_same_key_in_either_form_gives_the_same_bytes(made, keys, signed):
    signer = load_signer(keys / "own.pem", keys / "own.crt", None)
    assert sign((made / "r.pdf").read_bytes(), signer, MOMENT) == signed


def test_signatures_of_two_keys_differ_in_nothing_else(made, keys, signed):
    other = sign((made / "r.pdf").read_bytes(), load_signer(keys / "other.p12", None, b"secret"), MOMENT)
    contents = re.compile(rb"/Contents <[0-9a-fA-F]+>")
    assert other != signed
    assert contents.sub(b"", other) == contents.sub(b"", signed)


def test_a_changed_byte_anywhere_breaks_it(signed):
    base = unsigned_part(signed)
    for place in (len(base) // 2, len(base) + 300):
        forged = bytearray(signed)
        forged[place] ^= 1
        found = check_signature(bytes(forged), unsigned_part(bytes(forged)))
        assert found is None or not found.intact


def test_what_is_added_after_the_signature_is_not_covered(signed):
    assert not check_signature(signed + b"% more\n", unsigned_part(signed)).whole


def test_a_valid_signature_on_changed_pages_is_found_out(made, keys):
    """A forger appends an update that changes a page, and signs it in the same breath."""
    pdf = (made / "r.pdf").read_bytes()
    update = b"7 0 obj\n<</Type /Page>>\nendobj\nstartxref\n1\n%%EOF\n"
    start = re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)[1]
    forged = sign(
        pdf + update.replace(b"startxref\n1", b"startxref\n" + start),
        load_signer(keys / "own.p12", None, b"secret"),
        MOMENT,
    )
    found = check_signature(forged, unsigned_part(forged))
    assert found is None or not found.only


def statements(out):
    return {line.split("\t")[1]: line.split("\t")[0] for line in out.splitlines()}


def test_render_signs_and_verify_reports_it(run, made, keys, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("REPORTGEN_SIGN_PASSPHRASE", "secret")
    assert run("render", made / "r.json", "-o", "s.pdf", "-o", "s.intoto.json", "--sign-key", keys / "own.p12")[0] == 0
    code, out, _ = run("verify", "s.pdf")
    assert code == 0
    assert statements(out) == {"result": "holds", "signature": "holds", "document": "holds"}
    assert f"signed by Common Name: {NAME} on 1970-01-01T00:00:00Z" in out
    digest = hashlib.sha256((tmp_path / "s.pdf").read_bytes()).hexdigest()
    assert digest in (tmp_path / "s.intoto.json").read_text()  # of the signed file, not of what was signed


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("stem", ["own", "curve"])
def test_both_pdfs_of_a_bundle_are_the_signed_ones_and_its_checksums_those_of_them(run, made, keys, tmp_path, stem):
    words = ("--sign-key", keys / f"{stem}.pem", "--sign-cert", keys / f"{stem}.crt")
    assert run("render", made / "r.json", "-o", "b.zip", "-o", "s.pdf", "-o", "s.summary.pdf", *words)[0] == 0
    files = members_of(tmp_path / "b.zip")
    assert files["report.pdf"] == (tmp_path / "s.pdf").read_bytes() != (made / "r.pdf").read_bytes()
    assert files["summary.pdf"] == (tmp_path / "s.summary.pdf").read_bytes()
    assert files["summary.pdf"] != unsigned_part(files["summary.pdf"])
    sums = dict(line.split("  ")[::-1] for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }
    code, out, _ = run("verify", "b.zip")
    assert code == 0
    assert statements(out) == {"result": "holds", "signature": "holds", "document": "holds"}


@pytest.fixture(scope="module")
def signed_members(made, keys):
    """The members of a bundle signed by "own"."""
    signer = load_signer(keys / "own.pem", keys / "own.crt", None)
    content = reportgen.load(made / "r.json").rendered("b.zip")
    with zipfile.ZipFile(io.BytesIO(bundle.finished(content, lambda paper: sign(paper, signer, MOMENT)))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def made_again():
    """What bundles were made of a result, by its digest: making one takes seconds, and it is the same every time."""
    return {}


@pytest.fixture
def verified(run, tmp_path, monkeypatch, made_again):
    """Write members as a bundle and verify it."""
    make = bundle.members

    def remembered(result, rendering):
        digest = model.digest(result)
        if digest not in made_again:
            made_again[digest] = make(result, rendering)
        return made_again[digest]

    def call(files, *more):
        (tmp_path / "c.zip").write_bytes(bundle.packed(files))
        code, out, _ = run("verify", "c.zip", *more)
        return code, out

    monkeypatch.setattr(bundle, "members", remembered)
    return call


UPDATE = b"7 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n"


@pytest.mark.parametrize("name", bundle.PAPERS)
@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda paper: paper + UPDATE, "no signature that reportgen makes"),
        (lambda paper: paper[:3000] + b"x" + paper[3001:], ""),
        (unsigned_part, "is not signed, while another PDF of the bundle is"),
    ],
)
def test_a_signature_of_either_pdf_that_is_not_behind_it_alone_fails(signed_members, verified, name, forge, said):
    code, out = verified(bundle.with_papers(signed_members, {name: forge(signed_members[name])}))
    assert code == 1
    found = statements(out)
    # A signature cut off leaves the pages as they were made.
    cut_off = forge is unsigned_part
    expected = {"result": "holds", "signature": "fails", "document": "holds" if cut_off else "fails"}
    assert found == expected
    line = next(line for line in out.splitlines() if line.split("\t")[1] == "signature")
    assert f"{name}: " in line
    assert said in line


def test_another_file_of_a_signed_bundle_changed_with_its_checksum_fails(signed_members, verified):
    code, out = verified(bundle.with_papers(signed_members | {"command.txt": b"reportgen assess other.csv\n"}, {}))
    assert code == 1
    assert statements(out) == {"result": "holds", "signature": "holds", "document": "fails"}
    assert "(SHA256SUMS, command.txt)" in out


def test_both_pdfs_of_a_bundle_must_be_signed_by_whom_the_reader_expects(signed_members, verified, keys):
    files = signed_members
    code, out = verified(files, "--sign-cert", keys / "own.crt")
    assert (code, statements(out)["signer"]) == (0, "holds")
    assert "report.pdf and summary.pdf: signed by" in out
    other = load_signer(keys / "other.pem", keys / "other.crt", None)
    for name in bundle.PAPERS:
        resigned = bundle.with_papers(files, {name: sign(unsigned_part(files[name]), other, MOMENT)})
        code, out = verified(resigned, "--sign-cert", keys / "own.crt")
        assert (code, statements(out)["signer"]) == (1, "fails")
        cut = bundle.with_papers(files, {name: unsigned_part(files[name])})
        assert statements(verified(cut, "--sign-cert", keys / "own.crt")[1])["signer"] == "fails"


def test_an_unsigned_update_behind_a_report_is_no_signature(run, made, signed, tmp_path):
    pdf = (made / "r.pdf").read_bytes()
    (tmp_path / "a.pdf").write_bytes(pdf + b"7 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n")
    assert statements(run("verify", "a.pdf")[1])["document"] == "fails"
    (tmp_path / "b.pdf").write_bytes(pdf + b"/ByteRange [0 1 2 3]\n%%EOF\n")
    assert statements(run("verify", "b.pdf")[1]) == {"result": "holds", "signature": "fails", "document": "fails"}
    (tmp_path / "c.pdf").write_bytes(signed + b"7 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n")
    assert statements(run("verify", "c.pdf")[1]) == {"result": "holds", "signature": "fails", "document": "fails"}


def test_the_passphrase_comes_from_a_file_and_is_never_shown(run, made, keys, tmp_path):
    (tmp_path / "pass").write_text("secret\n")
    words = ("render", made / "r.json", "-o", "s.pdf", "--sign-key", keys / "own.p12", "--sign-passphrase-file", "pass")
    code, out, err = run(*words)
    assert code == 0
    (tmp_path / "pass").write_text("wrong-secret\n")
    code, out, err = run(*words)
    assert code == 2
    assert "wrong-secret" not in out + err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sign-key", "own.p12"), "no PKCS#12 file that this passphrase opens"),
        (("--sign-key", "own.pem"), "no PKCS#12 file"),
        (("--sign-key", "own.pem", "--sign-cert", "other.crt"), "the certificate is not that of this key"),
        (("--sign-key", "own.crt", "--sign-cert", "own.crt"), "no key and certificate in PEM or DER"),
        (("--sign-cert", "own.crt"), "without its key"),
        (("--sign-key", "nope.p12"), "cannot be read"),
    ],
)
def test_wrong_keys_are_one_line(run, made, keys, words, said):
    absolute = [word if word.startswith("--") else str(Path(keys) / word) for word in words]
    code, _, err = run("render", made / "r.json", "-o", "s.pdf", *absolute)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("kind", ["pdf", "zip"])
def test_verify_asks_for_a_signature_and_whose_it_is(run, made, keys, tmp_path, kind):
    words = ("render", made / "r.json", "-q")
    assert run(*words, "-o", f"s.{kind}", "--sign-key", keys / "own.pem", "--sign-cert", keys / "own.crt")[0] == 0
    assert run(*words, "-o", f"u.{kind}")[0] == 0
    code, out, _ = run("verify", f"s.{kind}", "--sign-cert", keys / "own.crt")
    assert (code, statements(out)["signer"]) == (0, "holds")
    code, out, _ = run("verify", f"s.{kind}", "--sign-cert", keys / "other.crt")  # of the same name
    assert (code, statements(out)["signer"], statements(out)["signature"]) == (1, "fails", "holds")
    code, out, _ = run("verify", f"u.{kind}", "--sign-cert", keys / "own.crt")  # the signature was cut off
    assert (code, statements(out)["signer"], statements(out)["document"]) == (1, "fails", "holds")
    for path, said in ((keys / "own.pem", "no certificate in PEM or DER"), ("nope.crt", "cannot be read")):
        code, _, err = run("verify", f"s.{kind}", "--sign-cert", path)
        assert (code, err.count("\n")) == (2, 1)
        assert said in err


def test_a_signature_that_is_broken_is_nobodys(run, keys, signed, tmp_path):
    place = signed.rindex(b"/Contents <") + 400
    forged = bytearray(signed)
    forged[place] = ord("0") if forged[place] != ord("0") else ord("1")
    (tmp_path / "s.pdf").write_bytes(forged)
    code, out, _ = run("verify", "s.pdf", "--sign-cert", keys / "own.crt")
    assert (code, statements(out)["signer"], statements(out)["signature"]) == (1, "fails", "fails")


def pair(folder, key, first, last):
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    certificate = x509.CertificateBuilder(name, name, key.public_key(), 7, first, last)
    own = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    (folder / "k.crt").write_bytes(certificate.sign(key, own).public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    (folder / "k.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    return folder / "k.pem", folder / "k.crt"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (lambda: rsa.generate_private_key(65537, 1024), "a key RSA of 1024 bits does not serve"),  # noqa: S505
        (lambda: ec.generate_private_key(ec.SECP192R1()), "a key EC of 192 bits does not serve"),
        (lambda: dsa.generate_private_key(2048), "a key DSA does not serve"),
        (ed25519.Ed25519PrivateKey.generate, "a key ED25519 does not serve"),
    ],
)
def test_keys_that_do_not_serve_are_refused_before_anything_is_written(run, made, tmp_path, key, said):
    files = pair(tmp_path, key(), MOMENT, MOMENT + timedelta(days=30000))
    words = ("--sign-key", files[0], "--sign-cert", files[1])
    code, _, err = run("render", made / "r.json", "-o", "s.pdf", *words)
    assert (code, err.count("\n")) == (2, 1)
    assert said in err
    assert not (tmp_path / "s.pdf").exists()


def test_an_expired_certificate_is_refused_unless_the_report_is_of_its_time(run, made, tmp_path, monkeypatch):
    key = rsa.generate_private_key(65537, 2048)
    files = pair(tmp_path, key, datetime(2001, 1, 1, tzinfo=UTC), datetime(2001, 2, 1, tzinfo=UTC))
    words = ("render", made / "r.json", "-o", "s.pdf", "--sign-key", files[0], "--sign-cert", files[1])
    code, _, err = run(*words)
    assert (code, err.count("\n")) == (2, 1)
    assert "valid from 2001-01-01 to 2001-02-01 and not now" in err
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(datetime(2001, 1, 15, tzinfo=UTC).timestamp())))
    assert run(*words)[0] == 0
    out = run("verify", "s.pdf")[1]
    assert "valid from 2001-01-01 to 2001-02-01, is theirs" in out


def test_verify_says_where_the_certificate_was_not_valid_at_the_moment_of_signing(run, made, tmp_path):
    files = pair(tmp_path, rsa.generate_private_key(65537, 2048), MOMENT, MOMENT + timedelta(days=9))
    signer = load_signer(*files, None)
    (tmp_path / "s.pdf").write_bytes(sign((made / "r.pdf").read_bytes(), signer, MOMENT + timedelta(days=20)))
    code, out, _ = run("verify", "s.pdf")
    assert "to 2026-01-11 and not at that moment, is theirs" in out
    assert code == 0


def test_without_pyhanko_the_machine_lacks_something(keys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyhanko.sign.signers", None)
    with pytest.raises(EnvironmentLacking, match=r"reportgen\[sign\]"):
        load_signer(keys / "own.p12", None, b"secret")
