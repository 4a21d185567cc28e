"""The command line: the only modules that print and exit.

    streams      stdout for data, stderr for messages and progress; what a closed or full stream means
    faults       every error in one line with its exit code
    signals      an end that leaves no half-written file
    options      options that several commands share
    outputs      which files are asked for, and writing them
    closing      the closing line and exit code 1
    epilogs      what stands below the options in --help
    help_page    how --help lists arguments
    assess, check, compare, verify, split, demo, others: the commands

Heavy libraries load inside the commands, so that `reportgen COMMAND --help` loads none.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer

from reportgen import __version__
from reportgen.cli import epilogs, streams
from reportgen.cli.assess import assess
from reportgen.cli.check import check
from reportgen.cli.compare import compare
from reportgen.cli.demo import demo
from reportgen.cli.faults import INTERRUPTED, MET, WRONG_ENVIRONMENT, WRONG_INPUT, in_words, print_where
from reportgen.cli.help_page import Command
from reportgen.cli.others import doctor, render, schema
from reportgen.cli.signals import end_on_signals, ignore_signals
from reportgen.cli.split import split
from reportgen.cli.verify import verify

COMPLETING = "_REPORTGEN_COMPLETE"
"""Set where a shell asks for completions; the command then has no words of its own."""

app = typer.Typer(
    name="reportgen",
    help="Judge whether a synthetic or anonymised dataset leaks the real people behind it, and write the report.",
    epilog=epilogs.APP,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "color": False},
)
for command, epilog in (
    (assess, epilogs.ASSESS),
    (render, epilogs.DONE),
    (check, epilogs.CHECK),
    (compare, epilogs.COMPARE),
    (verify, epilogs.VERIFY),
    (split, epilogs.DONE),
    (demo, epilogs.DONE),
    (doctor, epilogs.DOCTOR),
    (schema, epilogs.DONE),
):
    app.command(cls=Command, epilog=epilog)(command)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        print(f"reportgen {__version__}")
        raise typer.Exit(MET)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit. Every error becomes one line and an exit code here, and nowhere else."""
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        gc.disable()  # a short process whose memory is in arrays and pages: looking for cycles took a tenth of its time
        for library in ("OMP", "OPENBLAS", "MKL"):  # searches run in threads of ours; theirs would only wait, spinning
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    streams.prepare()
    end_on_signals()
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of stdout went away; nothing is left to say to it
        streams.abandon_stdout()
        code = WRONG_ENVIRONMENT
    except SystemExit as stop:  # click's, which ends with 1 where the reader of stdout went away
        code = WRONG_ENVIRONMENT if stop.code == 1 else stop.code
    except BaseException as error:  # noqa: BLE001 -- the last line of defence: one line, and no value of any cell
        if arguments is None:
            ignore_signals()
        message, code = in_words(error)
        if code == WRONG_ENVIRONMENT and streams.verbose(words):
            print_where(error)
        if isinstance(error, OSError):
            streams.abandon_stdout()
        streams.complain(message)
    sys.exit(code or MET)


def _run(words: list[str]) -> Any:
    if len(words) > 1 and words[0] in {"--install-completion", "--show-completion"}:
        os.environ["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"  # else typer takes no name of a shell
    command = typer.main.get_command(app)
    if words or COMPLETING in os.environ:
        code = command(args=words, prog_name="reportgen", standalone_mode=False)
        if code == INTERRUPTED:  # click has turned Ctrl-C into it and said nothing
            raise KeyboardInterrupt
        return code
    with redirect_stdout(sys.stderr):  # no command is an error, and the list of commands is what helps
        command(args=["--help"], prog_name="reportgen", standalone_mode=False)
    return WRONG_INPUT
