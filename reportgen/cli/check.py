"""`reportgen check`: the gate alone, on a result that was written before."""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli import streams
from reportgen.cli.closing import close
from reportgen.cli.options import Baseline, Config, FailOn, Quiet, Verbose, given
from reportgen.errors import InputError
from reportgen.unusual import refused_if_unusual

if TYPE_CHECKING:
    from reportgen.api import Assessment


def check(
    result: Annotated[str, typer.Argument(metavar="RESULT.json|-", help="A result that assess wrote; - is stdin.")],
    fail_on: FailOn = None,
    config: Config = None,
    baseline: Baseline = None,
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Hold a result against a policy; one line a rule.

    POLICY is the table [policy] of a TOML file: -c FILE, or ./reportgen.toml. Without one the level alone decides.
    """
    options = given(locals(), "result")

    from reportgen import api
    from reportgen.config import resolve, unknown_variables
    from reportgen.gate import evaluate
    from reportgen.policy import Policy
    from reportgen.render.rules import rule_lines
    from reportgen.shown import escaped, one_line

    asked = resolve(options, os.environ)
    streams.speak(quiet=asked.running.quiet, verbose=asked.running.verbose)
    for sentence in unknown_variables(os.environ):
        streams.say(sentence)
    if "config" in options and asked.policy is None and not asked.names_level:
        msg = (
            f"{one_line(Path(options['config']).name)}: holds no [policy] and no fail_on; name the file with the policy"
        )
        raise InputError(msg)
    policy = asked.policy or Policy(fail_on=asked.settings.fail_on)
    assessment = _read(result)
    older = None
    if asked.running.baseline is not None:
        older = api.as_baseline(asked.running.baseline, api.load(asked.running.baseline), assessment.result)
    today = date.fromisoformat(api.created(os.environ)[:10])
    with refused_if_unusual(result, "held against a policy"):
        report = evaluate(assessment.result, policy, today, older)
        lines = ["\t".join(map(escaped, fields)) for fields in rule_lines(report)]
    if not streams.quiet():
        print("\n".join(lines))
    if assessment.result.policy is not None and asked.policy is None:
        streams.say("the result carries a policy; check reads none from a result: give the file with -c")
    close(assessment.result, report)


def _read(result: str) -> Assessment:
    from reportgen import api

    if result != "-":
        return api.load(result)
    try:
        text = sys.stdin.buffer.read(api.LARGEST_RESULT + 1)
    except (AttributeError, OSError, ValueError):  # closed by the caller
        msg = "standard input: cannot be read; give a result file, or pipe one in"
        raise InputError(msg) from None
    return api.parse(text, "standard input")
