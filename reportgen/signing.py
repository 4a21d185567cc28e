"""PAdES signatures on the PDF: made offline, added behind the report without changing a byte of it.

The update that carries the signature is a function of the report, the moment and the room reserved: whoever verifies
makes it again and compares every byte but the signature itself, so that a signature can't hide a change of the pages.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reportgen.errors import EnvironmentLacking, InputError
from reportgen.files import read_bounded
from reportgen.shown import one_line

FIELD = "Signature"
LARGEST_KEY = 2**20
FEWEST_RSA_BITS, FEWEST_EC_BITS = 2048, 256
LARGEST_SIGNATURE = 2**17
"""Bytes of the signature with its certificates, as hexadecimal digits."""
INSTALL = "python -m pip install 'reportgen[sign]'"
_END = re.compile(rb"\nendobj\nstartxref\n\d{1,10}\n%%EOF\n")
_BYTE_RANGE = re.compile(rb"/ByteRange \[0 (\d{1,10}) (\d{1,10}) (\d{1,10})\]")
_MOMENT = re.compile(rb"/M \(D\\072(\d{14})Z\)")


@dataclass(frozen=True)
class Signed:
    """What is told of a signature: who, when by their own word, and whether it holds."""

    signer: str
    """The subject of the certificate, as it calls itself."""
    fingerprint: str
    """SHA-256 of the certificate: what tells one signer from another who takes the name."""
    valid: tuple[str, str]
    """First and last day of the certificate."""
    moment: str
    dated: bool
    """Whether the certificate was valid at that moment."""
    intact: bool
    """Whether the signed bytes are those that were signed, and the signature is that of the certificate's key."""
    whole: bool
    """Whether it covers the whole file, not an earlier revision."""
    only: bool
    """Whether the update adds the signature to the report and nothing else."""


def load_signer(key: Path, certificate: Path | None, passphrase: bytes | None, moments: Sequence[datetime] = ()) -> Any:
    """Read a PKCS#12 file, or a PEM or DER key with its certificate; InputError, one line, where they don't serve.

    That is also where the certificate is valid at none of the `moments`, if any are given.
    """
    with _quiet():
        from pyhanko.sign.signers import SimpleSigner

        key_name = one_line(key.name)
        read_bounded(key, LARGEST_KEY, "key")
        try:
            if certificate is None:
                signer = SimpleSigner.load_pkcs12(str(key), passphrase=passphrase)
            else:
                read_bounded(certificate, LARGEST_KEY, "certificate")
                signer = SimpleSigner.load(
                    str(key),
                    str(certificate),
                    key_passphrase=passphrase,
                    other_certs=_others(certificate),
                )
        except InputError:
            raise
        except Exception:  # noqa: BLE001 -- whatever a key file holds; its text is not for showing
            signer = None
    if signer is None:
        pair = "no PKCS#12 file" if certificate is None else "no key and certificate in PEM or DER"
        msg = f"{key_name}: {pair} that this passphrase opens; give --sign-cert with a PEM key, check the passphrase"
        raise InputError(msg)
    _check_pair(signer, key_name)
    _check_kind(signer, key_name)
    first, last = _validity(signer.signing_cert)
    if moments and not any(first <= moment <= last for moment in moments):
        msg = (
            f"{key_name}: its certificate is valid from {first:%Y-%m-%d} to {last:%Y-%m-%d} and not now; "
            "give a key with a valid one"
        )
        raise InputError(msg)
    return signer


def fingerprint_of(certificate: Path) -> str:
    """Return the SHA-256 of a certificate in PEM or DER, the first of the file; InputError where there is none."""
    name = one_line(certificate.name)
    read_bounded(certificate, LARGEST_KEY, "certificate")
    with _quiet():
        from pyhanko.keys import load_certs_from_pemder

        with suppress(Exception):  # whatever the file holds; its text is not for showing
            first = next(iter(load_certs_from_pemder([str(certificate)])))
            return hashlib.sha256(first.dump()).hexdigest()
    msg = f"{name}: no certificate in PEM or DER; give the signer's"
    raise InputError(msg)


def _others(certificate: Path) -> list[Any]:
    from pyhanko.keys import load_certs_from_pemder

    return list(load_certs_from_pemder([str(certificate)]))[1:]


def _check_pair(signer: Any, name: str) -> None:
    """Refuse a certificate that is not the key's: what it signs would hold for nobody."""
    from cryptography.hazmat.primitives import serialization

    private = serialization.load_der_private_key(signer.signing_key.dump(), None)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    if private.public_key().public_bytes(serialization.Encoding.DER, form) != signer.signing_cert.public_key.dump():
        msg = f"{name}: the certificate is not that of this key; give the pair"
        raise InputError(msg)


def _check_kind(signer: Any, name: str) -> None:
    """Refuse keys that are broken today, and those that readers of PDF/A-3 don't know (Ed25519 came with PDF 2.0)."""
    public = signer.signing_cert.public_key
    least = {"rsa": FEWEST_RSA_BITS, "ec": FEWEST_EC_BITS}.get(public.algorithm)
    if least is None or public.bit_size < least:
        kind = one_line(f"{public.algorithm.upper()}{f' of {public.bit_size} bits' if least else ''}")
        msg = (
            f"{name}: a key {kind} does not serve for PDF/A-3; give RSA of {FEWEST_RSA_BITS} bits or more, or a curve "
            f"of {FEWEST_EC_BITS} bits or more such as P-256"
        )
        raise InputError(msg)


def _validity(certificate: Any) -> tuple[datetime, datetime]:
    return certificate.not_valid_before, certificate.not_valid_after


def sign(pdf: bytes, signer: Any, moment: datetime) -> bytes:
    """Add a PAdES signature (B-B) to a report; the bytes before it stay what they are."""
    return asyncio.run(_signed(pdf, signer, moment))


async def _signed(pdf: bytes, signer: Any, moment: datetime) -> bytes:
    from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes

    with _quiet():
        session = _session(pdf, signer, moment)
        information = await session.perform_presign_validation(session.pdf_out)
        needed = await session.estimate_signature_container_size(information, tight=False)
        reserved = -(-max(needed, 8192) // 4096) * 4096
        document = session.prepare_tbs_document(validation_info=information, bytes_reserved=reserved)
        digest, output = document.digest_tbs_document(output=io.BytesIO())
        attributes = PdfCMSSignedAttributes(signing_time=moment)
        await document.perform_signature(document_digest=digest.document_digest, pdf_cms_signed_attrs=attributes)
        content: bytes = output.getvalue()
    return content


def _session(pdf: bytes, signer: Any, moment: datetime) -> Any:
    """Begin to sign: an invisible field on page 1, no change of metadata, no clock and no random number."""
    from pyhanko.pdf_utils import generic
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.fields import InvisSigSettings, SigFieldSpec, SigSeedSubFilter
    from pyhanko.sign.signers import PdfSigner
    from pyhanko.sign.signers.pdf_signer import PdfSignatureMetadata

    class Repeatable(IncrementalPdfFileWriter):
        @classmethod
        def _handle_id(cls, prev: Any) -> Any:
            first = generic.ByteStringObject(bytes(prev.trailer["/ID"][0].original_bytes))
            return generic.ArrayObject([first, generic.ByteStringObject(hashlib.sha256(pdf).digest()[:16])])

        def _update_meta(self) -> None:
            """Leave the metadata: PDF/A and PDF/UA are declared there, and a time of change is no part of a report."""

    invisible = InvisSigSettings(set_print_flag=True, set_hidden_flag=False)
    field = SigFieldSpec(FIELD, on_page=0, invis_sig_settings=invisible)
    metadata = PdfSignatureMetadata(field_name=FIELD, md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES)
    session = PdfSigner(metadata, signer, new_field_spec=field).init_signing_session(Repeatable(io.BytesIO(pdf)))
    session.system_time = moment
    return session


def unsigned_part(content: bytes) -> bytes:
    """Return the report that a signature was added to: all up to the end of the first revision."""
    end = _END.search(content)
    return content if end is None else content[: end.end()]


def check_signature(content: bytes, base: bytes) -> Signed | None:
    """Look at the signature behind a report; None where what stands there is none.

    `base` is the report that it was added to. Offline: nothing is fetched, no certificate is trusted for its issuer.
    """
    found = _BYTE_RANGE.findall(content)
    moments = _MOMENT.findall(content)
    if len(found) != 1 or len(moments) != 1:
        return None
    before, after, rest = (int(number) for number in found[0])
    if not len(base) < before < after <= len(content) or after - before > LARGEST_SIGNATURE:
        return None
    try:
        return asyncio.run(_checked(content, base, moments[0].decode(), (before, after, rest)))
    except EnvironmentLacking:
        raise
    except Exception:  # noqa: BLE001 -- whatever a hostile signature makes of its reader, it is none that holds
        return None


async def _checked(content: bytes, base: bytes, written: str, places: tuple[int, int, int]) -> Signed:
    with _quiet():
        from pyhanko.pdf_utils.reader import PdfFileReader
        from pyhanko.sign.validation import async_validate_pdf_signature
        from pyhanko_certvalidator import ValidationContext

        signature = PdfFileReader(io.BytesIO(content)).embedded_signatures[0]
        offline = ValidationContext(trust_roots=[], allow_fetching=False)
        status = await async_validate_pdf_signature(signature, signer_validation_context=offline)
        certificate = status.signing_cert
        moment = datetime.strptime(written, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        before, after, rest = places
        again = await _unsigned(base, certificate, moment, after - before - 2)
    first, last = _validity(certificate)
    return Signed(
        signer=certificate.subject.human_friendly,
        valid=(f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}"),
        dated=first <= moment <= last,
        fingerprint=hashlib.sha256(certificate.dump()).hexdigest(),
        moment=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        intact=bool(status.intact and status.valid),
        whole=after + rest == len(content),
        only=again[:before] == content[:before] and again[after:] == content[after:],
    )


async def _unsigned(base: bytes, certificate: Any, moment: datetime, reserved: int) -> bytes:
    """Make the update again, with nothing in the room for the signature."""
    from pyhanko.sign.signers import ExternalSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    stand_in = ExternalSigner(
        signing_cert=certificate, cert_registry=SimpleCertificateStore(), signature_value=bytes(256)
    )
    session = _session(base, stand_in, moment)
    document = session.prepare_tbs_document(validation_info=None, bytes_reserved=reserved)
    _, output = document.digest_tbs_document(output=io.BytesIO())
    content: bytes = output.getvalue()
    return content


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pyHanko's log, which may quote files, off the terminal; say what to install where it is missing."""
    loggers = [logging.getLogger(name) for name in ("pyhanko", "pyhanko_certvalidator")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    except ImportError:
        msg = f"signatures need pyHanko, which this machine lacks; install it: {INSTALL}"
        raise EnvironmentLacking(msg) from None
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
