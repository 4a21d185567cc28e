"""A statement of `verify`, and those on signatures: who signed the PDFs, and whether the signatures hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from reportgen.signing import Signed
from reportgen.words import sentence

State = Literal["holds", "fails", "unchecked"]
About = Literal["result", "document", "signature", "signer", "sha256", "original", "synthetic", "holdout"]


@dataclass(frozen=True)
class Statement:
    """One statement: what it is about, whether it holds, and a sentence."""

    about: About
    state: State
    text: str


def said(about: About, state: State, words: str, **numbers: Any) -> Statement:
    """Make a statement in the words of the catalog under `verify`."""
    return Statement(about, state, sentence(f"verify.{words}", **numbers))


Signatures = Mapping[str, Signed | None]
"""What stands behind each PDF that is signed; None where that is no signature."""


def signature_statements(papers: Iterable[str], signed: Signatures) -> Iterator[Statement]:
    """Say whose signatures stand behind the PDFs, and whether they hold; nothing where none is signed."""
    if signed:
        yield _of_all(
            {
                name: _signature(signed[name]) if name in signed else said("signature", "fails", "signature_missing")
                for name in papers
            }
        )


def signer_statements(papers: Iterable[str], signed: Signatures, expected: str | None) -> Iterator[Statement]:
    """Hold the signatures against the certificate that the reader has; of a bundle every PDF must be signed with it."""
    if expected is not None:
        yield _of_all(
            {name: _signed_with(signed.get(name), expected) for name in papers} or {"": _signed_with(None, expected)}
        )


def _signed_with(found: Signed | None, expected: str) -> Statement:
    if found is None or not (found.intact and found.whole and found.only):
        return said("signer", "fails", "signer_none")
    same = found.fingerprint == expected
    words = "signer_holds" if same else "signer_other"
    return said("signer", "holds" if same else "fails", words, expected=expected, found=found.fingerprint)


def _of_all(statements: Mapping[str, Statement]) -> Statement:
    """Put the same statement on several PDFs into one, which holds where it holds of all; what is said is named."""
    members: dict[str, list[str]] = {}
    for name, one in statements.items():
        members.setdefault(one.text, []).extend([name] if name else [])
    texts = [sentence("verify.members", members=names, text=text) if names else text for text, names in members.items()]
    worst = max(statements.values(), key=lambda one: one.state == "fails")
    return Statement(worst.about, worst.state, "; ".join(texts))


def _signature(found: Signed | None) -> Statement:
    """Say whose signature stands behind a PDF, and whether it holds."""
    if found is None:
        return said("signature", "fails", "signature_none")
    numbers: dict[str, Any] = {"signer": found.signer, "fingerprint": found.fingerprint, "moment": found.moment}
    numbers |= {"first": found.valid[0], "last": found.valid[1], "dated": found.dated}
    if not found.intact:
        return said("signature", "fails", "signature_broken", **numbers)
    if not found.whole:
        return said("signature", "fails", "signature_part", **numbers)
    words = "signature_holds" if found.only else "signature_more"
    return said("signature", "holds" if found.only else "fails", words, **numbers)


def adds_nothing(signed: Signed | None) -> bool:
    """Whether what stands behind a PDF is its signature and nothing else."""
    return signed is not None and signed.whole and signed.only
