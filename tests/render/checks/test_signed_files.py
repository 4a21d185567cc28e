"""What veraPDF and qpdf say of signed reports, as the command writes them: of an RSA key and of one of a curve."""

import subprocess
import zipfile

import pandas as pd
import pytest

pytestmark = pytest.mark.checks
KEYS = {"rsa": ("-newkey", "rsa:2048"), "curve": ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384")}


@pytest.mark.parametrize("kind", KEYS)
def test_a_signed_report_keeps_both_standards(run, verapdf, qpdf, tmp_path, kind):
    for seed, name in enumerate(("original", "synthetic", "holdout")):
        frame = pd.DataFrame({"age": [1.5 * (row + seed) for row in range(60)], "town": list("abcdef") * 10})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    subject = ("-days", "3650", "-subj", "/CN=Officer", "-keyout", "key.pem", "-out", "cert.pem")
    subprocess.run(["openssl", "req", "-x509", *KEYS[kind], "-nodes", *subject], check=True, capture_output=True)
    words = ("assess", "original.csv", "synthetic.csv", "--holdout", "holdout.csv", "--fail-on", "never", "-q")
    signing = ("--sign-key", "key.pem", "--sign-cert", "cert.pem")
    code, _, err = run(*words, *signing, "-o", "signed.pdf", "-o", "bundle.zip")
    assert (code, err) == (0, "")
    signed = (tmp_path / "signed.pdf").read_bytes()
    assert b"/ByteRange" in signed
    with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
        assert bundle.read("report.pdf") == signed
        (tmp_path / "summary.pdf").write_bytes(bundle.read("summary.pdf"))
    assert b"/ByteRange" in (tmp_path / "summary.pdf").read_bytes()
    counted, failed = verapdf(tmp_path / "signed.pdf", tmp_path / "summary.pdf")
    for name, fewest in (("signed", 10_000), ("summary", 1_000)):
        for standard in ("3a", "ua1"):
            assert failed.get((name, standard), []) == []
            assert counted[name, standard] > fewest
        assert "No syntax or stream encoding errors found" in qpdf("--check", tmp_path / f"{name}.pdf")
    assert run("verify", "signed.pdf", "--sign-cert", "cert.pem")[0] == 0
