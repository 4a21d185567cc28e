"""The assessment as users hold it, and the functions that make one. With `cli` the only reader of clock and machine."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from reportgen import __version__, environment, model
from reportgen.errors import InputError
from reportgen.output import write_whole
from reportgen.settings import Settings, make_settings
from reportgen.shown import one_line

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.measuring import Progress
    from reportgen.read.partition import Tabular

WITHOUT_OPTION = (
    "draws",
    "resamples",
    "closest_rate_percentile",
    "tail_percentile",
    "nndr_threshold",
    "dropped_queries",
    "context",
    "recipients",
)
"""Settings that the command line takes from a file or the environment only."""
LARGEST_RESULT = 64 * 2**20
"""Bytes; a result is some hundred kilobytes, and a file beyond this is not read into memory."""


@dataclass(frozen=True)
class Assessment:
    """An assessment: its parts as attributes, and the ways to write it down.

    `result` is the whole; `verdict`, `metrics`, `findings`, `holdout` and `columns` are parts of it.
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
    def columns(self) -> tuple[model.Column, ...]:
        """How each column was understood."""
        return self.result.columns

    def to_json(self) -> str:
        """Return the result file's text: sorted keys, unrounded numbers, the same bytes for the same result."""
        return model.to_json(self.result)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a report; the suffix of the path chooses the format. The file appears whole or not at all."""
        write_whole({Path(path): self.rendered(os.fspath(path))})

    def rendered(self, name: str) -> bytes:
        """Return the report in the format that the suffix of a file name stands for.

        Raises InputError for an unknown suffix and EnvironmentLacking where the machine can't make the format.
        """
        from reportgen import render

        rendering = render.RenderedBy(__version__, environment.versions())
        return render.format_of(name).render(self.result, rendering)

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


def assess(
    original: Tabular,
    synthetic: Tabular,
    holdout: Tabular | None = None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Assessment:
    """Measure whether synthetic rows leak the original rows, and judge.

    `original` is the table the generator was trained on, `synthetic` its output, `holdout` real rows that it never
    saw; each a path (CSV, TSV, Parquet, Feather, NPY, NPZ), a DataFrame or an array: 2-D for a table, 3-D (records,
    leads, samples) for signals. Settings are named as the options of
    `reportgen assess`, with `_` for `-`: `assess(a, b, tolerance=0.5, key=["id"])`; `group="patient"` names the column
    that tells whose a row is, where persons have several. `progress` is called with stage,
    done and total. Raises InputError where the command exits with 2; never for the gate.
    """
    return run_assessment(original, synthetic, holdout, make_settings(settings), jobs=jobs, progress=progress)


def run_assessment(
    original: Tabular,
    synthetic: Tabular,
    holdout: Tabular | None,
    settings: Settings,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """Run `assess` with settings that are validated already."""
    threads = _threads(jobs)
    moment = created(os.environ)  # before the imports: numpy stumbles over a wrong SOURCE_DATE_EPOCH as well
    from reportgen import measuring, runner

    run = runner.Run(
        created=moment,
        command=_command(original, synthetic, holdout, settings),
        version=__version__,
        environment=environment.versions(),
        threads=threads,
    )
    return Assessment(runner.run(original, synthetic, holdout, settings, run, progress or measuring.silent))


def load(path: str | os.PathLike[str]) -> Assessment:
    """Read a result file (`.json`) again; InputError where it isn't one of this major schema version."""
    file = Path(path)
    name = one_line(file.name or str(file))
    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST_RESULT + 1)
    except (OSError, ValueError) as error:
        msg = f"{name}: cannot be read ({getattr(error, 'strerror', error)}); check the path"
        raise InputError(msg) from None
    if len(text) > LARGEST_RESULT:
        msg = f"{name}: larger than {LARGEST_RESULT // 2**20} MiB, which no result of reportgen is"
        raise InputError(msg)
    return parse(text, name)


def parse(text: bytes, name: str) -> Assessment:
    """Turn the bytes of a result file into an assessment; `name` is for messages."""
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        msg = f"{name}: not a JSON file; give the .json that reportgen assess wrote"
        raise InputError(msg) from None
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if not isinstance(version, str) or version.split(".")[0] != model.SCHEMA_VERSION.split(".")[0]:
        msg = f"{name}: no reportgen result of schema version {model.SCHEMA_VERSION}; assess again with this version"
        raise InputError(msg)
    try:
        return Assessment(model.Result.model_validate_json(text))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"][:4])
        place = f" at {where[:80]!r}" if where else ""
        msg = f"{name}: not a valid result{place}; was the file changed by hand? assess again"
        raise InputError(msg) from None


def digest(result: model.Result) -> str:
    """SHA-256 of the result file's bytes, as every report prints it."""
    return hashlib.sha256(model.to_json(result).encode()).hexdigest()


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
        return len(os.sched_getaffinity(0))
    if not isinstance(jobs, int) or jobs < 1:
        msg = "jobs: must be a whole number of threads, 1 or more"
        raise InputError(msg)
    return jobs


def _command(original: Tabular, synthetic: Tabular, holdout: Tabular | None, settings: Settings) -> str:
    """Return the command that repeats the run, files by base name."""

    def base_name(given: Tabular, role: str) -> str:
        if not isinstance(given, str | bytes | os.PathLike):
            return role.upper()
        name = os.fsencode(os.path.basename(given)).decode("utf-8", "replace")  # noqa: PTH119 -- bytes as well
        return f"./{name}" if name.startswith("-") else name

    words = ["reportgen", "assess", base_name(original, "original"), base_name(synthetic, "synthetic")]
    if holdout is not None:
        words += ["--holdout", base_name(holdout, "holdout")]
    variables = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        if value == field.default:
            continue
        if name == "thresholds":
            words += ["--config", "reportgen.toml"]  # they have no option; the report lists their values
            continue
        if name in WITHOUT_OPTION:
            variables.append(f"REPORTGEN_{name.upper()}={shlex.quote(str(value))}")
            continue
        if name == "lead_names":
            words += ["--lead-names", ",".join(value)]
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [f"--{name.replace('_', '-')}", str(one)]
    return " ".join((*variables, shlex.join(words)))
