"""Which files are asked for, and writing them: all are made first and then put in place together."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.available import DRAWING
from reportgen.cli import streams
from reportgen.cli.signals import uninterrupted
from reportgen.errors import InputError

if TYPE_CHECKING:
    from reportgen.api import Assessment
    from reportgen.render.drawn import Look
    from reportgen.running import Running


def drawing(output: Sequence[str]) -> tuple[str, ...]:
    """Name the libraries that are loaded to write these outputs."""
    return DRAWING if any(name.lower().endswith((".html", ".pdf", ".zip")) for name in output) else ()


def check_outputs(output: Sequence[str], inputs: Sequence[str | Path | None]) -> None:
    """Refuse an unknown suffix, an unwritable place or an input of the run before anything is read."""
    from reportgen import render as formats

    check_targets(output, inputs, formats.format_of)


def check_targets(
    output: Sequence[str], inputs: Sequence[str | Path | None], check_suffix: Callable[[str], object]
) -> None:
    """Do so where `check_suffix` tells, by raising InputError, which suffixes are unknown."""
    from reportgen.files import refuse_overwriting
    from reportgen.output import check_writable

    targets = set()
    for name in output:
        if name != "-":
            check_suffix(name)
            check_writable(Path(name))
        target = name if name == "-" else os.path.realpath(name)
        if target in targets:
            msg = "the same output is named twice; name each file once"
            raise InputError(msg)
        targets.add(target)
    refuse_overwriting(output, inputs)


Finish = Callable[[str, bytes], bytes]
"""Makes of the suffix and bytes of a report what is written."""


def unsigned(_suffix: str, content: bytes) -> bytes:
    """Write a report as it is."""
    return content


def finisher(running: Running, environ: Mapping[str, str]) -> Finish:
    """Return what signs every PDF, also that of a bundle; the key is opened now, before anything is measured."""
    if running.sign_key is None:
        if running.sign_cert is not None:
            msg = "--sign-cert: names a certificate without its key; give --sign-key as well"
            raise InputError(msg)
        return unsigned
    from datetime import UTC, datetime

    from reportgen import api
    from reportgen.config import PASSPHRASE, PREFIX
    from reportgen.files import read_bounded
    from reportgen.signing import load_signer, sign

    text = environ.get(f"{PREFIX}{PASSPHRASE.upper()}", "").encode("utf-8", "surrogateescape")
    if running.sign_passphrase_file is not None:
        text = (read_bounded(Path(running.sign_passphrase_file), 4096, "passphrase").splitlines() or [b""])[0]
    certificate = None if running.sign_cert is None else Path(running.sign_cert)
    moment = datetime.fromisoformat(api.created(environ))
    # A report that is made again bears its old moment, and one of an earlier commit is signed today.
    moments = (moment, datetime.now(UTC))
    signer = load_signer(Path(running.sign_key), certificate, text or None, moments)

    @functools.cache  # the PDF of a bundle is the one beside it, also where signing draws a random number
    def signed(pdf: bytes) -> bytes:
        return sign(pdf, signer, moment)

    def finish(suffix: str, content: bytes) -> bytes:
        if suffix == ".zip":
            from reportgen.render.bundle import finished

            return finished(content, signed)
        return signed(content) if suffix.endswith(".pdf") else content

    return finish


def look_of(running: Running) -> Look | None:
    """Read and check the user's own look, where there is one, before anything is measured."""
    from reportgen import api

    return api.own_look(running.look, running.template_dir)


def look_inputs(running: Running) -> tuple[str | None, ...]:
    """Name the files and folders that the look is read from, which no output may overwrite."""
    return running.template_dir, None if running.look is None else running.look.logo


def deliver(assessment: Assessment, output: Sequence[str], finish: Finish = unsigned, look: Look | None = None) -> None:
    """Make every output, then write them together. What the machine can't make is named last; the others stand."""
    if not output:
        if not streams.quiet():
            print_summary(assessment)
        return
    with streams.progress() as report:
        made = assessment.rendered_together([name for name in output if name != "-"], report, finish, look)
    put_in_place({Path(name): content for name, content in made.contents.items()})
    if "-" in output:  # last: a reader that stops early must not cost the files
        sys.stdout.write(assessment.to_json())
    if made.lacking:
        raise made.lacking


def put_in_place(contents: Mapping[Path, bytes]) -> None:
    """Write files together, and say so."""
    from reportgen.output import write_whole

    with uninterrupted():
        write_whole(contents)
    for path in contents:
        streams.say(f"wrote {path}")


def print_summary(assessment: Assessment) -> None:
    """Print the summary for people to stdout."""
    from reportgen.render.terminal import render_terminal
    from reportgen.shown import escaped

    for line in render_terminal(assessment.result).splitlines():
        print(escaped(line))
