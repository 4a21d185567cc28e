"""The assessment as users hold it, and the functions that make one. With `cli` the only reader of clock and machine."""

from __future__ import annotations

import codecs
import functools
import hashlib
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from reportgen import __version__, environment, model
from reportgen.errors import InputError, ReportgenError, without_its_text
from reportgen.files import read_bounded
from reportgen.json_text import AmbiguousJSONError, read_json
from reportgen.output import write_whole
from reportgen.policy import Policy, make_policy
from reportgen.running import make_running
from reportgen.settings import FROM_FILES, SWITCHES, Settings, make_settings
from reportgen.shown import escaped, one_line
from reportgen.split_record import SplitRecord, read_record, record_bytes, record_of, with_record
from reportgen.versions import check_version, is_newer, read_result

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.gate import GateReport
    from reportgen.look import LookTable
    from reportgen.measuring import Progress
    from reportgen.read.partition import Tabular
    from reportgen.read.tables import Given, Reader
    from reportgen.render import RenderedBy, Together
    from reportgen.render.drawn import Look
    from reportgen.space.answers import Answers
    from reportgen.space.delegated import Delegates

WITHOUT_OPTION = (
    "draws",
    "resamples",
    "closest_rate_percentile",
    "tail_percentile",
    "nndr_threshold",
    "dropped_queries",
    "context",
    "recipients",
    "release_model",
    "generator",
)
"""Settings that the command line takes from a file or the environment only."""
LONGEST_FAULT = 120
"""Characters of what a validator says of a result."""
LARGEST_RESULT = 32 * 2**20
"""Bytes; a result is some hundred kilobytes, and a file beyond this is not read into memory."""


@dataclass(frozen=True)
class Assessment:
    """An assessment: its parts as attributes, and the ways to write it down.

    `result` is the whole; `verdict`, `metrics`, `findings`, `holdout` and `columns` are parts of it, `gate` what its
    policy says to it.
    """

    result: model.Result

    @property
    def verdict(self) -> model.Verdict:
        """The level with its reasons."""
        return self.result.verdict

    @property
    def metrics(self) -> Mapping[str, model.Measured | model.NotMeasured]:
        """Every metric by key, measured or not."""
        return self.result.metrics

    @property
    def findings(self) -> tuple[model.Finding, ...]:
        """What a reader should know beside the verdict."""
        return self.result.findings

    @property
    def holdout(self) -> model.Holdout:
        """The rows that the generator never saw, or what stands for them."""
        return self.result.holdout

    @property
    def gate(self) -> GateReport:
        """Every rule of the release gate with its outcome, by the policy that the result carries."""
        from reportgen.gate import gate_of

        return gate_of(self.result)

    @property
    def columns(self) -> tuple[model.Column, ...]:
        """How each column was understood."""
        return self.result.columns

    def to_json(self) -> str:
        """Return the result file's text: sorted keys, unrounded numbers, the same bytes for the same result."""
        return model.to_json(self.result)

    def write(
        self,
        path: str | os.PathLike[str],
        *more: str | os.PathLike[str],
        look: Mapping[str, Any] | None = None,
        template_dir: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write one or more reports; the suffix of each path chooses its format. Each appears whole or not at all.

        Written in one call, `.intoto.json` vouches for the others: `a.write("r.html", "r.json", "r.intoto.json")`.
        `look` holds what `[look]` does in a config file, `template_dir` is the folder of your own templates. Raises
        InputError where one of them is wrong, and EnvironmentLacking where the machine can't make one of the reports,
        once the others are written.
        """
        made = self.rendered_together([os.fspath(one) for one in (path, *more)], look=own_look(look, template_dir))
        write_whole({Path(name): content for name, content in made.contents.items()})
        if made.lacking is not None:
            raise made.lacking

    def rendered(
        self,
        name: str,
        *,
        look: Mapping[str, Any] | None = None,
        template_dir: str | os.PathLike[str] | None = None,
    ) -> bytes:
        """Return the report in the format that the suffix of a file name stands for, in the look that `write` takes.

        Raises InputError for an unknown suffix and EnvironmentLacking where the machine can't make the format.
        """
        from reportgen import render

        return render.render(name, self.result, drawn_by(own_look(look, template_dir)))

    def rendered_together(
        self,
        names: Sequence[str],
        progress: Progress | None = None,
        finish: Callable[[str, bytes], bytes] = lambda _, content: content,
        look: Look | None = None,
    ) -> Together:
        """Return the reports under all these names, and the EnvironmentLacking that kept one from being made.

        `progress` is called with the stage "write", the reports made so far and their total; `finish` gets the suffix
        and bytes of each report and returns what is to be written; `look` is what `own_look` returns.
        """
        from reportgen import render

        return render.render_together(names, self.result, drawn_by(look), progress or (lambda *_: None), finish)

    def scores(self) -> pd.DataFrame:
        """Return all scores, one a row: metric, score, value, interval, reference, null range, unit, better."""
        import pandas as pd

        names = ("value", "low", "high", "reference", "null_low", "null_high", "unit", "better")
        rows = [
            {"metric": key, "score": name, **{field: getattr(score, field) for field in names}}
            for key, metric in self.metrics.items()
            if isinstance(metric, model.Measured)
            for name, score in metric.scores.items()
        ]
        return pd.DataFrame(rows, columns=["metric", "score", *names])

    def __repr__(self) -> str:
        return f"<Assessment {self.result.title!r}: {self.verdict.level}>"

    def _repr_html_(self) -> str:
        from reportgen.render.notebook import render_notebook

        return render_notebook(self.result)


def own_look(look: Mapping[str, Any] | LookTable | None, template_dir: str | os.PathLike[str] | None) -> Look | None:
    """Read and check a look of one's own; None for the packaged one. InputError, one line, where it is wrong."""
    if look is None and template_dir is None:
        return None
    folder = None if template_dir is None else os.fspath(template_dir)
    asked = make_running({"look": look, "template_dir": folder})
    from reportgen.render.own_look import make_look

    return make_look(asked.look, asked.template_dir)


def drawn_by(look: Look | None = None) -> RenderedBy:
    """Say what draws here and now, in this look."""
    from reportgen.render.drawn import PLAIN
    from reportgen.render.rendered import RenderedBy

    return RenderedBy(__version__, environment.versions(), look or PLAIN)


def assess(
    original: Tabular,
    synthetic: Tabular,
    holdout: Tabular | None = None,
    *,
    jobs: int | None = None,
    max_minutes: float | None = None,
    progress: Progress | None = None,
    baseline: str | os.PathLike[str] | None = None,
    policy: Mapping[str, Any] | None = None,
    split_record: SplitRecord | str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    **settings: Any,
) -> Assessment:
    """Measure whether synthetic rows leak the original rows, and judge.

    `original` is the table the generator was trained on, `synthetic` its output, `holdout` real rows that it never
    saw; each a path (CSV, TSV, Parquet, Feather, NPY, NPZ, a folder of Parquet parts), a DataFrame or an array: 2-D
    for a table, 3-D (records, leads, samples) for signals. Settings are named as the options of `reportgen assess`,
    with `_` for `-`: `assess(a, b, tolerance=0.5, key=["id"])`; `group="patient"` names the column that tells whose a
    row is, where persons have several; `schema` holds what `[schema]` does in the config file. `max_queries` is the
    most rows of each table that look for their neighbours, drawn at random; `max_minutes` picks it by the speed of the
    machine, and the result keeps it. `progress` is called with stage, done and total. `baseline` is an older result
    file, `policy` what stands under `[policy]` in a config file, as `{"closest_rate": {"min": 95}}`; they only make the
    rules of the gate. `split_record` is the record of `reportgen.split`, or a path to it, where it doesn't lie beside
    the holdout. `checkpoint` is a folder that keeps answers of searches, which hold distances between rows, until the
    run is done, so that the same call goes on after an interruption. `scheduler` is the address of a Dask scheduler
    whose workers do the heavy parts, `workers` starts so many on this machine. Raises InputError where the command
    exits with 2, also where the run would not fit into memory; never for the gate. A fault of the program is an
    InternalError, which names its kind and place and quotes nothing.
    """
    rules = None if policy is None else make_policy(policy)
    if rules is not None and "fail_on" in rules.model_fields_set:
        settings.setdefault("fail_on", rules.fail_on)
    older = None if baseline is None else (os.fspath(baseline), load(baseline))
    made = make_settings(settings)
    limit = None if max_minutes is None else make_running({"max_minutes": max_minutes}).max_minutes
    with _delegating(checkpoint, scheduler, workers) as delegates:
        return run_assessment(
            original,
            synthetic,
            holdout,
            made,
            jobs=jobs,
            max_minutes=limit,
            progress=progress,
            policy=rules,
            baseline=older,
            split_record=split_record,
            delegates=delegates,
        )


@contextmanager
def _delegating(
    folder: str | os.PathLike[str] | None, scheduler: str | None, workers: int | None
) -> Iterator[Delegates | None]:
    """Open what is named, and remove the answers kept once the block is done."""
    if folder is None and scheduler is None and workers is None:
        yield None
        return
    from reportgen.large.answering import answering

    made = make_running({"scheduler": scheduler, "workers": workers})
    with answering(folder, made.scheduler, made.workers) as opened:
        yield opened.delegates
        if opened.kept is not None:
            opened.kept.remove()


def run_assessment(
    original: Tabular,
    synthetic: Given,
    holdout: Tabular | None,
    settings: Settings,
    *,
    read: Reader | None = None,
    answers: Answers | None = None,
    releases: Sequence[str] = (),
    jobs: int | None = None,
    max_minutes: float | None = None,
    progress: Progress | None = None,
    policy: Policy | None = None,
    baseline: tuple[str, Assessment] | None = None,
    config: Path | None = None,
    split_record: SplitRecord | str | os.PathLike[str] | None = None,
    delegates: Delegates | None = None,
) -> Assessment:
    """Run `assess` with settings that are validated already.

    `baseline` is a path with the result it holds, `config` the file that settings came from; the printed command names
    both. The policy's level is that of the settings, which options may have changed. `read` reads a table, and may
    remember it for the next run, as `answers` does what was found among real rows; `releases` are the names of the
    files that a synthetic table was pooled from. `max_minutes` picks `max_queries` where the settings hold none,
    `delegates` work instead of this process.
    """
    threads = _threads(jobs)
    begun = time.perf_counter()
    moment = created(os.environ)  # before the imports: numpy stumbles over a wrong SOURCE_DATE_EPOCH as well
    from reportgen.available import MEASURING, available_memory, check_room, resident_memory

    check_room(MEASURING)
    from reportgen import measuring, pace, runner
    from reportgen.read.tables import read_table

    command = functools.partial(
        _command,
        original,
        synthetic,
        holdout,
        config=None if config is None else str(config),
        needs_config=policy is not None,
        baseline=None if baseline is None else baseline[0],
        releases=releases,
    )
    run = runner.Run(
        created=moment,
        command=command(settings),
        version=__version__,
        environment=environment.versions(),
        threads=threads,
        pick=(lambda _: None)
        if max_minutes is None
        else pace.picker(max_minutes, threads, begun, time.perf_counter, settings),
        memory=available_memory(),
        held=resident_memory(),
        answers=answers,
    )
    record = _split_record(holdout, split_record)
    own: list[BaseException] = []

    def told(stage: str, done: int, total: int) -> None:
        try:
            (progress or measuring.silent)(stage, done, total)
        except BaseException as error:
            own.append(error)
            raise

    # Raised outside the handler: a notebook that shows the chain of errors has none whose text may quote a cell.
    try:
        with _delegated(delegates, told):
            result = runner.run(original, synthetic, holdout, settings, run, told, read or read_table)
        if result.settings.max_queries != settings.max_queries:  # picked by the time, and named in its place
            picked = settings.model_copy(update={"max_queries": result.settings.max_queries})
            result = result.model_copy(update={"command": command(picked)})
        if record is not None:
            result = with_record(result, *record)
        if policy is not None:
            policy = policy.model_copy(update={"fail_on": settings.fail_on})
            policy = policy.as_told() if settings.no_category_names else policy
        older = None if baseline is None else as_baseline(*baseline, result)
        return Assessment(result.model_copy(update={"policy": policy, "baseline": older}))
    except (ReportgenError, MemoryError):
        raise
    except Exception as error:
        if any(error is one for one in own):  # the caller's, perhaps to stop the run
            raise
        fault = without_its_text(error)
    raise fault


class _Stopped(BaseException):
    """Raised by the caller's progress in the middle of a metric, whose own faults do not end a run."""

    def __init__(self, error: Exception) -> None:
        self.error = error


@contextmanager
def _delegated(delegates: Delegates | None, told: Progress) -> Iterator[None]:
    """Let the delegates, if any, work for what runs inside the block."""
    from reportgen.space.delegated import Delegates, delegated_to

    def tell(kind: str, done: int, total: int) -> None:
        try:
            told(f"{kind}, parts", done, total)
        except Exception as error:  # noqa: BLE001 -- the caller's, and raised again below
            raise _Stopped(error) from None

    try:
        with delegated_to(delegates or Delegates(), tell):
            yield
    except _Stopped as stopped:
        raise stopped.error from None


def _split_record(
    holdout: Tabular | None, named: SplitRecord | str | os.PathLike[str] | None
) -> tuple[SplitRecord, str] | None:
    """Return the record of `reportgen split` that is named or lies beside a holdout, with its digest; None for none."""
    if holdout is None and named is not None:
        msg = "split_record: names the record of a holdout without the holdout; give it as well"
        raise InputError(msg)
    if isinstance(named, SplitRecord):
        return named, hashlib.sha256(record_bytes(named)).hexdigest()
    if named is not None:
        return read_record(Path(os.fsdecode(named)))
    if not isinstance(holdout, str | bytes | os.PathLike):
        return None
    path = record_of(Path(os.fsdecode(holdout)))
    return read_record(path) if os.path.lexists(path) else None


def as_baseline(path: str | os.PathLike[str], older: Assessment, newer: model.Result) -> model.Baseline:
    """Describe an older result as the baseline of a newer one, with all that keeps the two from comparing."""
    from reportgen.baseline import describe_baseline

    return describe_baseline(older.result, base_name(path, "baseline"), model.digest(older.result), newer)


def load(path: str | os.PathLike[str]) -> Assessment:
    """Read a result file (`.json`) again; InputError where it isn't one of this major schema version."""
    file = Path(os.fsdecode(path))
    return parse(read_bounded(file, LARGEST_RESULT, "result of reportgen"), one_line(file.name or str(file)))


def parse(text: bytes, name: str) -> Assessment:
    """Turn the bytes of a result file, UTF-8 with or without its mark, into an assessment; `name` is for messages."""
    if len(text) > LARGEST_RESULT:
        msg = f"{name}: larger than {LARGEST_RESULT // 2**20} MiB, which no result of reportgen is"
        raise InputError(msg)
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as some shells redirect
        msg = f"{name}: UTF-16, not UTF-8; save it as UTF-8, or let reportgen write it with -o"
        raise InputError(msg)
    text = text.removeprefix(codecs.BOM_UTF8)  # as some editors begin a file
    try:
        plain = read_json(text)
    except AmbiguousJSONError as error:
        msg = f"{name}: {error}, unlike any result; give the .json that reportgen assess wrote"
        raise InputError(msg) from None
    except ValueError:
        msg = f"{name}: not a JSON file; give the .json that reportgen assess wrote"
        raise InputError(msg) from None
    check_version(plain, name)
    try:
        return Assessment(read_result(text, plain))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"][:4])
        place = f" at {where[:80]!r}" if where else ""
        # What our own validators say quotes nothing but names, and those only shown.
        said = first["msg"].removeprefix("Value error, ") if first["type"] == "value_error" else ""
        why = f" ({escaped(said[:LONGEST_FAULT])})" if said else ""
        newer = is_newer(plain["schema_version"])
        remedy = (
            "its schema is newer: use the reportgen that wrote it"
            if newer
            else "was the file changed by hand? assess again"
        )
        msg = f"{name}: not a valid result{place}{why}; {remedy}"
        raise InputError(msg) from None


def created(environ: Mapping[str, str]) -> str:
    """Return the time of creation, UTC in whole seconds: SOURCE_DATE_EPOCH or, without it, the clock."""
    epoch = environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        moment = datetime.now(UTC)
    else:
        try:
            moment = datetime.fromtimestamp(int(epoch), UTC)
        except (ValueError, OverflowError, OSError):
            msg = "SOURCE_DATE_EPOCH: must be a whole number of seconds since 1970; correct or unset it"
            raise InputError(msg) from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _threads(jobs: Any) -> int:
    """Return the number of threads: as asked, or one for each processor that this process may use."""
    if jobs is None:
        from reportgen.available import processors

        return processors()
    if not isinstance(jobs, int) or jobs < 1:
        msg = "jobs: must be a whole number of threads, 1 or more"
        raise InputError(msg)
    return jobs


def _command(
    original: Tabular,
    synthetic: Given,
    holdout: Tabular | None,
    settings: Settings,
    *,
    config: str | None = None,
    needs_config: bool = False,
    baseline: str | None = None,
    releases: Sequence[str] = (),
) -> str:
    """Return the command that repeats the run, files by base name. Limits and a policy have no option but a file."""
    made = list(releases) or [base_name(synthetic, "synthetic")]
    words = ["reportgen", "assess", base_name(original, "original"), *made]
    if holdout is not None:
        words += ["--holdout", base_name(holdout, "holdout")]
    if baseline is not None:
        words += ["--baseline", base_name(baseline, "baseline")]
    default = Settings()
    tables = any(getattr(settings, name) != getattr(default, name) for name in FROM_FILES)
    if needs_config or tables:
        words += ["--config", base_name(config, "config")]
    variables = []
    for name in Settings.model_fields:
        value = getattr(settings, name)
        if value == getattr(default, name) or name in FROM_FILES:
            continue
        if name in WITHOUT_OPTION:
            variables.append(f"REPORTGEN_{name.upper()}={shlex.quote(str(value))}")
            continue
        words += _option(name, value)
    return " ".join((*variables, shlex.join(words)))


def _option(name: str, value: Any) -> list[str]:
    """Return the words that set a setting on the command line."""
    option = f"--{name.replace('_', '-')}"
    if name in SWITCHES:
        return [option]
    if name == "lead_names":
        return [option, ",".join(value)]
    return [word for one in (value if isinstance(value, tuple) else (value,)) for word in (option, str(one))]


def base_name(given: Given | None, role: str) -> str:
    """Name a file without its folder; what was handed over in memory by its role, in capitals."""
    if not isinstance(given, str | bytes | os.PathLike):
        return role.upper()
    path = Path(os.fsdecode(given))  # leaves out the last slash of a folder
    name = os.fsencode(path.name or path).decode("utf-8", "replace")
    return f"./{name}" if name.startswith("-") else name
