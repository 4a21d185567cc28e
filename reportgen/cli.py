"""The command line: the only module that prints and exits.

Exit codes: 0 the gate is met, 1 it is not (all outputs are written first), 2 the command or its input is wrong, 3 the
environment can't do it. Data goes to stdout, messages and progress to stderr. Heavy libraries load inside the commands,
so that `reportgen --help` loads none.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen import __version__
from reportgen.errors import EnvironmentLacking, InputError, InternalError, ReportgenError, place_of

if TYPE_CHECKING:
    from reportgen.api import Assessment
    from reportgen.settings import Settings

MET, NOT_MET, WRONG_INPUT, WRONG_ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # typer exports neither
_ClickError: type[Exception] = _UsageError.__mro__[1]

app = typer.Typer(
    name="reportgen",
    help="Judge whether a synthetic or anonymised dataset leaks the real people behind it, and write the report.",
    epilog="Exit codes: 0 gate met, 1 gate not met, 2 wrong command or input, 3 the environment cannot do it.",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

Outputs = Annotated[
    list[str] | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write this file; the suffix is the format. Repeatable."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No messages but errors.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say more; a traceback for internal errors.")]


@app.command()
def assess(
    original: Annotated[str, typer.Argument(metavar="ORIGINAL", help="The table the generator was trained on.")],
    synthetic: Annotated[str, typer.Argument(metavar="SYNTHETIC", help="The generator's output.")],
    holdout: Annotated[
        str | None, typer.Option(metavar="FILE", help="Real rows that the generator never saw.", show_default=False)
    ] = None,
    output: Outputs = None,
    metric: Annotated[
        list[str] | None, typer.Option("-m", "--metric", metavar="KEY", help="Only this metric. Repeatable.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("-c", "--config", metavar="FILE", help="TOML file with settings [default: ./reportgen.toml]."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Identifier: left out of the distances."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="COL", help="Left out of everything.")] = None,
    numeric: Annotated[list[str] | None, typer.Option(metavar="COL", help="Take as numbers.")] = None,
    categorical: Annotated[list[str] | None, typer.Option(metavar="COL", help="Take as categories.")] = None,
    projection: Annotated[
        str | None,
        typer.Option(metavar="famd|none", help="none: columns are coordinates already."),
    ] = None,
    components: Annotated[
        str | None,
        typer.Option(metavar="N|all", help="Leading components that distances use."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Every random draw derives from it.")] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(metavar="PCT", help="Leak you accept, % of synthetic rows [default: 1.0].", show_default=False),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="Exit 1 at this level or above: low, inconclusive, moderate, high, never [default: inconclusive].",
        ),
    ] = None,
    lead_names: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Names of the leads of signals.", show_default=False)
    ] = None,
    sampling_rate: Annotated[
        float | None, typer.Option(metavar="HZ", help="Samples a second of signals; printed only.", show_default=False)
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    no_category_names: Annotated[
        bool, typer.Option("--no-category-names", help="Print no name of a category, however common.")
    ] = False,
    lang: Annotated[str | None, typer.Option(help="Language of the report: en.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print how each column was understood; measure nothing.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; never changes a result.")] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Read, measure, judge, and write every output named."""
    from reportgen import api
    from reportgen.config import DEFAULT_FILE, settings_from
    from reportgen.settings import make_settings

    _check_outputs(output, (original, synthetic, holdout, config or DEFAULT_FILE))
    options = {
        "metric": tuple(metric) if metric else None,
        "key": tuple(key) if key else None,
        "ignore": tuple(ignore) if ignore else None,
        "numeric": tuple(numeric) if numeric else None,
        "categorical": tuple(categorical) if categorical else None,
        "projection": projection,
        "components": components,
        "seed": seed,
        "tolerance": tolerance,
        "fail_on": fail_on,
        "lead_names": lead_names,
        "sampling_rate": sampling_rate,
        "title": title,
        "no_category_names": no_category_names or None,
        "lang": lang,
    }
    given = {name: value for name, value in options.items() if value is not None}
    settings = make_settings(settings_from(given, os.environ, config))
    if settings.fail_on == "low":
        msg = "--fail-on low can never be met, since low is the lowest level; use inconclusive, moderate, high or never"
        raise InputError(msg)
    if dry_run:
        _print_columns(original, synthetic, holdout, settings)
        return
    with _progress(quiet=quiet) as report:
        assessment = api.run_assessment(original, synthetic, holdout, settings, jobs=jobs, progress=report)
    if verbose:
        _say(f"threads: {jobs or 'all available'}")
    _deliver(assessment, output, quiet=quiet)
    _gate(assessment)


@app.command()
def render(
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="A result that assess wrote.")],
    output: Outputs = None,
    quiet: Quiet = False,
    verbose: Verbose = False,  # noqa: ARG001 -- read in main, before anything can fail
) -> None:
    """Write reports again from the result alone; no personal data needed."""
    from reportgen import api

    if not output:
        msg = "render: name at least one output with -o FILE"
        raise InputError(msg)
    _check_outputs(output, (result,))
    assessment = api.load(result)
    try:
        _deliver(assessment, output, quiet=quiet)
    except (ReportgenError, OSError):
        raise
    except Exception as error:
        # A file of valid form can still say what no assessment says, for example lack a score or hold one of 1e308.
        fault = f"{type(error).__name__} at {place_of(error)}"
        msg = f"{Path(result).name}: cannot be shown ({fault}); was it changed by hand? assess again"
        raise InputError(msg) from error


@app.command()
def demo(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder to write to.")] = Path(
        "reportgen-demo"
    ),
    quiet: Quiet = False,
    verbose: Verbose = False,  # noqa: ARG001 -- read in main, before anything can fail
) -> None:
    """Assess the two bundled examples, good and leaky: HTML, PDF and JSON of each."""
    from reportgen import api
    from reportgen._resources import resource
    from reportgen.settings import Settings

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"{output.name}: the folder cannot be made ({error.strerror}); choose another with -o"
        raise InputError(msg) from None
    example = resource("examples", "adult")
    lacking: EnvironmentLacking | None = None
    for name, title in (("good", "UCI Adult, synthetic table"), ("leaky", "UCI Adult, leaky control")):
        tables = (example / "original.parquet", example / f"synthetic_{name}.parquet", example / "holdout.parquet")
        with _progress(quiet=quiet) as report:
            assessment = api.run_assessment(*tables, Settings(title=title), progress=report)
        if not quiet:
            _print_summary(assessment)
            print()
        outputs = [str(output / f"{name}{suffix}") for suffix in (".html", ".pdf", ".json")]
        try:
            _deliver(assessment, outputs, quiet=quiet)
        except EnvironmentLacking as error:  # the other example's HTML and JSON can still be written
            lacking = error
    if lacking:
        raise lacking


@app.command()
def doctor() -> None:
    """Show versions, system libraries and fonts; name what is missing and the command that installs it."""
    from reportgen import environment

    checks = environment.checks()
    width = max(len(check.name) for check in checks)
    for check in checks:
        print(f"{'ok     ' if check.ok else 'MISSING'}  {check.name:<{width}}  {check.found or ''}".rstrip())
        if check.remedy and not check.ok:
            print(f"         {' ' * width}  install it: {check.remedy}")
    if not all(check.ok for check in checks):
        raise typer.Exit(WRONG_ENVIRONMENT)


@app.command()
def schema() -> None:
    """Print the JSON Schema of the result."""
    import json

    from reportgen.model import Result

    print(json.dumps(Result.model_json_schema(mode="serialization"), indent=1, sort_keys=True))


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
    _prepare_streams()
    with suppress(ValueError):  # not in the main thread: there signals are the caller's
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:  # nohup lets the run outlive its terminal
                signal.signal(number, _terminate)
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of stdout went away; nothing is left to say to it
        _abandon_stdout()
        code = WRONG_ENVIRONMENT
    except SystemExit as stop:  # _terminate's; or click's, which ends with 1 where the reader of stdout went away
        code = WRONG_ENVIRONMENT if stop.code == 1 else stop.code
    except BaseException as error:  # noqa: BLE001 -- the last line of defence: one line, and no value of any cell
        message, code = _in_words(error)
        if code == WRONG_ENVIRONMENT and ("-v" in words or "--verbose" in words):
            _print_where(error)
        if isinstance(error, OSError):
            _abandon_stdout()
        _say(f"reportgen: error: {' '.join(message.split())}")
    sys.exit(code or MET)


def _run(words: list[str]) -> Any:
    command = typer.main.get_command(app)
    if words:
        return command(args=words, prog_name="reportgen", standalone_mode=False)
    with redirect_stdout(sys.stderr):  # no command is an error, and the list of commands is what helps
        command(args=["--help"], prog_name="reportgen", standalone_mode=False)
    return WRONG_INPUT


def _prepare_streams() -> None:
    """Let no letter of a name crash the output under LC_ALL=C, nor a stream that the caller has closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 -- open until the end
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _abandon_stdout() -> None:
    """Send what is still buffered for stdout nowhere, so that Python does not complain about it when it exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _terminate(number: int, _frame: object) -> None:
    """End on SIGTERM and on a closed terminal as on Ctrl-C: by way of the code that removes temporary files."""
    sys.exit(128 + number)


def _print_where(error: BaseException) -> None:
    """Print where an error was raised, without its text, which may quote a cell."""
    traceback.print_tb(error.__traceback__)
    print(type(error).__name__, file=sys.stderr)


def _in_words(error: BaseException) -> tuple[str, int]:
    """Return the line and the exit code of an error."""
    if isinstance(error, InputError):
        return str(error), WRONG_INPUT
    if isinstance(error, InternalError):
        return f"{error}; -v shows the traceback", WRONG_ENVIRONMENT
    if isinstance(error, ReportgenError):
        return str(error), WRONG_ENVIRONMENT
    if isinstance(error, _ClickError):
        message = getattr(error, "format_message", lambda: "")().strip() or "wrong command"
        return f"{message.splitlines()[0]} (see reportgen --help)", WRONG_INPUT
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return "interrupted; nothing was left half-written", INTERRUPTED
    if isinstance(error, MemoryError):
        return "out of memory; use fewer rows or a larger machine", WRONG_ENVIRONMENT
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
        return f"cannot write: {error.strerror}; free some space", WRONG_ENVIRONMENT
    # The kind of the error and its place, without its text, which may quote a cell.
    return f"internal error: {type(error).__name__} at {place_of(error)}; -v shows the traceback", WRONG_ENVIRONMENT


def _say(message: str) -> None:
    """Tell the user on stderr. Names of files and columns in a message may be hostile to a terminal."""
    from reportgen.shown import escaped

    print(escaped(message), file=sys.stderr)


def _check_outputs(output: list[str] | None, inputs: Sequence[str | Path | None]) -> None:
    """Refuse an unknown suffix, an unwritable place or an input of the run before anything is read."""
    from reportgen import render as formats
    from reportgen.files import refuse_overwriting
    from reportgen.output import check_writable

    targets = set()
    for name in output or ():
        if name != "-":
            formats.format_of(name)
            check_writable(Path(name))
        target = name if name == "-" else os.path.realpath(name)
        if target in targets:
            msg = "the same output is named twice; name each file once"
            raise InputError(msg)
        targets.add(target)
    refuse_overwriting(output or (), inputs)


def _deliver(assessment: Assessment, output: list[str] | None, *, quiet: bool) -> None:
    """Make every output, then write them together. What the machine can't make is named last; the others stand."""
    from reportgen.output import write_whole

    if not output:
        if not quiet:
            _print_summary(assessment)
        return
    contents: dict[Path, bytes] = {}
    lacking: EnvironmentLacking | None = None
    for name in output:
        if name == "-":
            continue
        try:
            contents[Path(name)] = assessment.rendered(name)
        except EnvironmentLacking as error:
            lacking = error
    write_whole(contents)
    if not quiet:
        for path in contents:
            _say(f"wrote {path}")
    if "-" in output:  # last: a reader that stops early must not cost the files
        sys.stdout.write(assessment.to_json())
    if lacking:
        raise lacking


def _gate(assessment: Assessment) -> None:
    """Exit 1 with one closing line when the level is at or above the one to fail on."""
    from reportgen.verdict.level import gate_is_met
    from reportgen.words import sentence

    settings, verdict = assessment.result.settings, assessment.verdict
    if gate_is_met(verdict, settings.fail_on):
        return
    first = verdict.reasons[0]
    lacks_holdout = verdict.level == "inconclusive" and assessment.holdout.kind != "provided"
    change = "no_true_holdout" if lacks_holdout else verdict.level
    advice = sentence(f"gate.{change}")
    _say(f"gate not met: verdict {verdict.level}, fails at {settings.fail_on} or above; {first.text} {advice}")
    raise typer.Exit(NOT_MET)


def _print_summary(assessment: Assessment) -> None:
    from reportgen.render.terminal import render_terminal
    from reportgen.shown import escaped

    for line in render_terminal(assessment.result).splitlines():
        print(escaped(line))


def _print_columns(original: str, synthetic: str, holdout: str | None, settings: Settings) -> None:
    from reportgen.read.naming import shown_name
    from reportgen.read.summary import describe_columns
    from reportgen.render.data_card import remarks_on
    from reportgen.runner import read_inputs

    for column in describe_columns(read_inputs(original, synthetic, holdout, settings)):
        state = "used" if column.used else f"left out: {column.reason}"
        print(f"{shown_name(column.name)}\t{column.kind}\t{'; '.join((state, *remarks_on(column)))}")


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Show the stage on a terminal; say nothing anywhere else."""
    from reportgen.measuring import silent

    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("starting") as status:
        yield lambda stage, done, total: status.update(f"{stage} {done + 1}/{total}" if total > 1 else stage)


if __name__ == "__main__":
    main()
