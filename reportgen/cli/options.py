"""Options that several commands share, and what the user gave of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from reportgen.cli import streams

LEVELS = ("inconclusive", "moderate", "high", "never")
"""What `--fail-on` takes; `low` could never be met."""

SUFFIXES = ".html .pdf .summary.html .summary.pdf .json .md .junit.xml .sarif .prom .zip .intoto.json"
"""What `reportgen.render` writes; written out here, because loading it costs `--help` its speed."""

Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help=f"Write this file; the suffix is the format: {SUFFIXES}. Repeatable."
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        "-c",
        "--config",
        metavar="FILE",
        help="TOML file with settings and [policy] [default: ./reportgen.toml].",
        show_default=False,
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        help="Exit 1 at this level or above: inconclusive, moderate, high, never [default: inconclusive].",
        show_default=False,
        autocompletion=lambda: list(LEVELS),
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Older result that this one must be no worse than.", show_default=False),
]
Quiet = Annotated[bool | None, typer.Option("-q", "--quiet", help="No messages but errors.", show_default=False)]
Verbose = Annotated[
    bool | None,
    typer.Option("-v", "--verbose", help="Say more; a traceback for internal errors.", show_default=False),
]


TemplateDir = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Your own templates, in place of packaged ones of the same name.", show_default=False
    ),
]
LookConfig = Annotated[
    str | None,
    typer.Option(
        "-c",
        "--config",
        metavar="FILE",
        help="TOML file with template_dir and [look] [default: ./reportgen.toml].",
        show_default=False,
    ),
]
SignKey = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Sign every PDF with this key: PKCS#12, or PEM with --sign-cert.", show_default=False
    ),
]
SignCert = Annotated[
    str | None, typer.Option(metavar="FILE", help="Certificate of a PEM key, its chain behind it.", show_default=False)
]
SignPassphraseFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="File with the key's passphrase; without it, REPORTGEN_SIGN_PASSPHRASE.",
        show_default=False,
    ),
]


def given(parameters: Mapping[str, Any], *arguments: str) -> dict[str, Any]:
    """Return the options that the user gave, by name, of all parameters of a command but its `arguments`."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in parameters.items()
        if name not in arguments and value not in (None, [])
    }


def begin(*, quiet: bool | None, verbose: bool | None) -> None:
    """Set how much is said, for a command that takes none of it from a file: option, environment, default.

    A wrong SOURCE_DATE_EPOCH is said here, before libraries stumble over it.
    """
    from reportgen import api
    from reportgen.config import running_from

    running = running_from(given({"quiet": quiet, "verbose": verbose}), os.environ)
    streams.speak(quiet=running.quiet, verbose=running.verbose)
    api.created(os.environ)
