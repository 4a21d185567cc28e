"""`reportgen render`, `doctor` and `schema`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from reportgen.available import DRAWING, MEASURING, check_room
from reportgen.cli.faults import WRONG_ENVIRONMENT
from reportgen.cli.options import (
    LookConfig,
    Outputs,
    Quiet,
    SignCert,
    SignKey,
    SignPassphraseFile,
    TemplateDir,
    Verbose,
    begin,
    given,
)
from reportgen.cli.outputs import check_outputs, deliver, drawing, finisher, look_inputs, look_of
from reportgen.errors import InputError
from reportgen.unusual import refused_if_unusual


def render(
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="A result that assess wrote.")],
    output: Outputs = None,
    config: LookConfig = None,
    template_dir: TemplateDir = None,
    sign_key: SignKey = None,
    sign_cert: SignCert = None,
    sign_passphrase_file: SignPassphraseFile = None,
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Write reports again from the result alone."""
    begin(quiet=quiet, verbose=verbose)
    check_room(drawing(output or ()))
    from reportgen import api
    from reportgen.config import look_from

    if not output:
        msg = "render: name at least one output with -o FILE"
        raise InputError(msg)
    signing = {"sign_key": sign_key, "sign_cert": sign_cert, "sign_passphrase_file": sign_passphrase_file}
    options = given({"config": config, "template_dir": template_dir, **signing})
    running = look_from(options, os.environ, tuple(signing))
    keys = (running.sign_key, running.sign_cert, running.sign_passphrase_file)
    check_outputs(output, (result, config, *keys, *look_inputs(running)))
    finish, look = finisher(running, os.environ), look_of(running)
    assessment = api.load(result)
    with refused_if_unusual(result, "shown"):
        deliver(assessment, output, finish, look)


def doctor() -> None:
    """Show versions, libraries and fonts, and what is missing."""
    check_room((*MEASURING, *DRAWING))
    from reportgen import environment

    checks = environment.checks()
    width = max(len(check.name) for check in checks)
    for check in checks:
        state = ("ok" if check.present else "absent") if check.ok else "MISSING"
        print(f"{state:<7}  {check.name:<{width}}  {check.found or ''}".rstrip())
        if check.remedy and not check.ok:
            print(f"         {' ' * width}  install it: {check.remedy}")
    if not all(check.ok for check in checks):
        raise typer.Exit(WRONG_ENVIRONMENT)


def schema() -> None:
    """Print the JSON Schema of the result."""
    import json

    from reportgen.model import Result

    print(json.dumps(Result.model_json_schema(mode="serialization"), indent=1, sort_keys=True))
