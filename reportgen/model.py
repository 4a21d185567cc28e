"""The result of an assessment: types only, JSON-serialisable, with the schema version.

The model holds aggregates and nothing else: no row, no cell value beyond names of categories that at least five
original rows share, no per-row distance, no row number. Where a rule can be checked on the type itself (outermost
bins, quantile levels, small cells), a validator enforces it, so that neither a programming error nor a forged file
gets past it.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from reportgen.bounds import LONGEST_NAME, MOST_COLUMNS, Name, Text
from reportgen.codes import ReasonCode
from reportgen.declared import MOST_MARKS
from reportgen.marks import KNOWN
from reportgen.policy import Policy
from reportgen.score_names import METRICS_VERSION
from reportgen.settings import METRIC_KEYS, STATED, Settings
from reportgen.soundness import faults, in_order

SCHEMA_VERSION = "1.0"
SMALLEST_GROUP = 5
"""Fewer rows than this are never told apart: outermost bins, quantiles and cells hold at least so many."""
SMALLEST_DISTRIBUTION = 20
"""Below this number of rows no distribution is stored."""

Level = Literal["low", "inconclusive", "moderate", "high"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""From the best to the worst."""
MetricVerdict = Literal["low", "inconclusive", "moderate", "high", "context"]
Unit = Literal["percent", "ratio", "distance", "share", "count", "probability"]
Better = Literal["higher", "lower", "context"]
Kind = Literal["numeric", "categorical", "datetime", "boolean"]
HoldoutKind = Literal["provided", "approximate", "none"]
NotMeasuredCode = Literal[
    "not_in_this_version",
    "no_true_holdout",
    "shared_persons",
    "too_few_rows",
    "no_columns",
    "too_few_columns",
    "too_few_targets",
    "too_few_neighbours",
    "no_predicates",
    "records_of_signals",
    "flat_leads",
    "not_selected",
    "failed",
    "leak_found",
]
FindingCode = Literal[
    "approximate_holdout",
    "small_original",
    "bases_drawn_down",
    "holdout_overlap",
    "leaky_holdout",
    "holdout_is_synthetic",
    "original_rows_repeated",
    "repeats_not_counted",
    "column_left_out",
    "column_dominates",
    "unseen_levels",
    "missing_only_in_synthetic",
    "file_remark",
    "reference_zero",
    "repeated_copies",
    "swapped_roles",
    "disjoint_supports",
    "closest_hits",
    "person_key",
    "anchored_rows_concentrate",
    "persons_differ",
    "identifier_reuse_untested",
    "regions_not_sought",
    "split_record_differs",
    "queries_drawn_down",
]
NoteCode = Literal[
    "reference_zero",
    "repeated_copies",
    "drawn_down",
    "approximate_holdout",
    "first_draw_shown",
    "ties",
    "no_range_for_persons",
    "not_trusted",
    "partly_trusted",
    "no_control",
]
"""`metrics.*.notes` and `Score.note` hold these codes; counts that belong to them stand in the scores."""
CriterionCode = Literal["not_measured", "no_control", "invalid_control", "not_trusted"]
"""Why no attack answered a criterion of WP216."""

MOST_BINS = 200
"""Bins of a histogram, and of either side of a grid of cells."""
_SCORE_NAME = re.compile(r"[a-z][a-z0-9_]*|z:[A-Za-z0-9]+|(?:lead|column):.+:[a-z][a-z0-9_]*", re.DOTALL)
_SERIES_NAME = re.compile(r"[a-z][a-z0-9_]*|lead:.+:[a-z][a-z0-9_]*", re.DOTALL)


def _known_metric(key: str) -> str:
    if key not in METRIC_KEYS:
        msg = "a metric that is not known"
        raise ValueError(msg)
    return key


def _of_a_day(created: str) -> str:
    datetime.fromisoformat(created)  # a ValueError for the 99th of a month
    return created


MetricKey = Annotated[str, AfterValidator(_known_metric)]
Created = Annotated[
    str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"), AfterValidator(_of_a_day)
]
Version = Annotated[str, Field(max_length=100)]
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Share = Annotated[float, Field(ge=0, le=1)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Part(BaseModel):
    """What every part of the result is: immutable, closed to unknown keys, free of NaN and infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Score(Part):
    """One number with its 95 % interval, the same quantity on the reference, and what an ideal generator reads."""

    value: float
    low: float | None = None
    high: float | None = None
    reference: float | None = None
    null_low: float | None = None
    null_high: float | None = None
    unit: Unit
    better: Better
    note: NoteCode | None = None

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if fault := in_order(self):
            raise ValueError(fault)
        return self


class Quantiles(Part):
    """Values of a distribution at chosen levels (0-1), none of them closer to an end than five rows."""

    levels: Annotated[tuple[Share, ...], Field(max_length=MOST_BINS)]
    values: Annotated[tuple[float, ...], Field(max_length=MOST_BINS)]

    @model_validator(mode="after")
    def _pair_up(self) -> Self:
        if len(self.levels) != len(self.values):
            msg = "levels and values differ in length"
            raise ValueError(msg)
        if any(a >= b for a, b in itertools.pairwise(self.levels)) or any(
            a > b for a, b in itertools.pairwise(self.values)
        ):
            msg = "levels must increase, and values not decrease"
            raise ValueError(msg)
        return self


class Histogram(Part):
    """Counts between round edges. Rows at exactly 0 are in the first bin and, once more, in `zero_count`."""

    edges: Annotated[tuple[float, ...], Field(max_length=MOST_BINS + 1)]
    counts: Annotated[tuple[Count, ...], Field(max_length=MOST_BINS)]
    quantiles: Quantiles
    zero_count: Count
    n: Annotated[int, Field(ge=SMALLEST_DISTRIBUTION, le=2**63 - 1)]

    @model_validator(mode="after")
    def _tells_no_row_apart(self) -> Self:
        if len(self.edges) != len(self.counts) + 1 or any(a >= b for a, b in itertools.pairwise(self.edges)):
            msg = "edges must increase and be one more than the counts"
            raise ValueError(msg)
        if sum(self.counts) != self.n or self.zero_count > self.counts[0]:
            msg = "the counts must add up to n, and the first bin hold the zeros"
            raise ValueError(msg)
        if not all(map(is_round, self.edges)):
            msg = "edges must be round numbers, not values of rows"
            raise ValueError(msg)
        filled = [count for count in self.counts if count]
        if min(filled[0], filled[-1]) < SMALLEST_GROUP:
            msg = "the outermost bins must hold at least 5 rows"
            raise ValueError(msg)
        for level in self.quantiles.levels:
            if not listed_quantile(level, self.n):
                msg = "a quantile level is closer to an end than 5 rows"
                raise ValueError(msg)
        return self


def listed_quantile(level: float, n: int) -> bool:
    """Whether at least five of n rows lie on either side of the level, so that the quantile may be stored."""
    slack = 1e-9  # 0.025 * 200 is 5 in decimal, a little less or more in binary
    return n * level >= SMALLEST_GROUP - slack and n * (1 - level) >= SMALLEST_GROUP - slack


def is_round(number: float) -> bool:
    """Whether a number has at most three significant digits, or four that end in 5: it is nobody's value by chance."""
    if any(float(f"{number:.{digits}e}") == number for digits in (0, 1, 2)):
        return True
    four = f"{number:.3e}"
    return float(four) == number and four.partition("e")[0][-1] == "5"


class Cells(Part):
    """Counts in a grid: `counts[y][x]`. Cells of 1-4 rows hold -1, "fewer than 5"."""

    x_edges: Annotated[tuple[float, ...], Field(max_length=MOST_BINS + 1)]
    y_edges: Annotated[tuple[float, ...], Field(max_length=MOST_BINS + 1)]
    counts: Annotated[tuple[Annotated[tuple[int, ...], Field(max_length=MOST_BINS)], ...], Field(max_length=MOST_BINS)]

    @model_validator(mode="after")
    def _hides_small_cells(self) -> Self:
        if len(self.counts) != len(self.y_edges) - 1 or any(len(row) != len(self.x_edges) - 1 for row in self.counts):
            msg = "counts must have one row a y bin and one column an x bin"
            raise ValueError(msg)
        for edges in (self.x_edges, self.y_edges):
            if not all(map(is_round, edges)) or any(a >= b for a, b in itertools.pairwise(edges)):
                msg = "edges must increase and be round numbers"
                raise ValueError(msg)
        if any(count < -1 or 0 < count < SMALLEST_GROUP for row in self.counts for count in row):
            msg = "a cell of 1-4 rows must hold -1"
            raise ValueError(msg)
        return self


def _scores(found: dict[str, _Scored]) -> dict[str, _Scored]:
    """Refuse names that no metric gives its scores: a name must not carry a value."""
    if not all(len(name) <= 2 * LONGEST_NAME and _SCORE_NAME.fullmatch(name) for name in found):
        msg = "a score is named as no score is"
        raise ValueError(msg)
    return found


def _series(found: dict[str, _Series]) -> dict[str, _Series]:
    if not all(len(name) <= 2 * LONGEST_NAME and _SERIES_NAME.fullmatch(name) for name in found):
        msg = "a series is named as no series is"
        raise ValueError(msg)
    return found


_Scored = TypeVar("_Scored")
_Series = TypeVar("_Series")
Scores = Annotated[dict[str, Score], Field(max_length=2 * MOST_COLUMNS), AfterValidator(_scores)]
"""Scores by name: `median`, `z:near3`, `lead:NAME:score`, `column:NAME:reused`."""
ScoreValues = Annotated[dict[str, float], Field(max_length=2 * MOST_COLUMNS), AfterValidator(_scores)]


class Measured(Part):
    """A metric that has values. Series are named by the base: `synthetic`, `holdout`."""

    status: Literal["measured"] = "measured"
    scores: Scores
    distributions: Annotated[dict[str, Histogram], AfterValidator(_series)] = {}
    joint: Annotated[dict[str, Cells], AfterValidator(_series)] = {}
    verdict: MetricVerdict = "context"
    notes: Annotated[tuple[NoteCode, ...], Field(max_length=100)] = ()


class NotMeasured(Part):
    """A metric without values, and why. It is never NaN, None, 0 or 100."""

    status: Literal["not_measured"] = "not_measured"
    code: NotMeasuredCode
    reason: Text


Metric = Annotated[Measured | NotMeasured, Field(discriminator="status")]


class Tool(Part):
    """The program that measured."""

    name: Literal["reportgen"] = "reportgen"
    version: Version
    metrics: Annotated[int, Field(ge=1, le=10**6)] = METRICS_VERSION
    """By which definitions of the metrics; scores of other definitions do not compare."""


class InputFile(Part):
    """One table as it was given. `sha256` is None for a table that was handed over in memory."""

    name: Name
    sha256: Digest | None
    content_sha256: Digest
    rows: Count
    columns: Count
    repeated_rows: Count
    """Rows that equal another row of the same table on all used columns, beyond the first of each. For records of
    signals: that hold the same samples."""
    samples: Count | None = None
    """Samples of each lead of a record; None for a table."""
    persons: Count | None = None
    """How many persons its rows belong to, by the column of --group; None without it, and for the synthetic table."""


class Inputs(Part):
    """The tables of this assessment."""

    original: InputFile
    synthetic: InputFile
    holdout: InputFile | None


class Missing(Part):
    """Number of missing values of one column in each table."""

    original: Count
    synthetic: Count
    holdout: Count | None


class Column(Part):
    """How one column was understood, and what it weighs in the distance."""

    name: Name
    kind: Kind
    used: bool
    reason: Text | None = None
    """Why the column is left out, in words; None when it is used."""
    remarks: Annotated[tuple[Text, ...], Field(max_length=100)] = ()
    """What a reader should know of a column, in words: forms of dates and numbers, and the like."""
    missing_marks: Annotated[tuple[Name, ...], Field(max_length=MOST_MARKS)] = ()
    """Texts read as missing that stand in at least five original rows (with --group: of five persons): only texts of
    the closed list `reportgen.marks.KNOWN`, and those that `settings.declared` calls missing in this column."""
    other_marks: bool = False
    """Whether other texts were read as missing; fewer original rows hold them, so that they are not named."""
    missing: Missing
    distinct_original: Count
    inertia: Share | None = None
    """Share of the total inertia of the real rows that the column carries; None when it is left out."""
    pooled_levels: Count = 0
    """Levels that share the one level for rare ones in the distances."""
    unseen_rows: Count = 0
    """Synthetic rows whose category no real row has."""


class Lead(Part):
    """One lead of the signals, in their order."""

    name: Name
    flat: bool
    """Whether it is flat in every original record, or the same in all of them: then no score compares it."""


class SplitSettings(Part):
    """How `reportgen split` drew a holdout."""

    fraction: Annotated[float, Field(gt=0, lt=1)]
    """Share of the rows that was asked for."""
    group: Name | None = None
    stratify: Name | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)]


class SplitFile(Part):
    """One table of a split; `sha256` is that of the file's bytes, None for a table in memory."""

    name: Name
    sha256: Digest | None
    content_sha256: Digest
    rows: Count


class SetAside(Part):
    """What the record of `reportgen split` beside the holdout says, and whether it names the tables of this run."""

    sha256: Digest
    """Of the record's bytes."""
    created: Created
    """When the holdout was set aside, by the record."""
    version: Version
    settings: SplitSettings
    source: SplitFile
    """The table that was divided."""
    original_matches: bool
    holdout_matches: bool

    @property
    def proves(self) -> bool:
        """Whether both tables of this run are those that the record names."""
        return self.original_matches and self.holdout_matches


class Holdout(Part):
    """The real rows that the generator never saw, or what stands for them."""

    kind: HoldoutKind
    rows: Count
    """Rows of the holdout; for an approximate one, of each random half."""
    draws: Count
    """Random draws behind the scores: 1 where nothing was drawn down or split."""
    base_rows: Count
    """Rows of either base in the metrics that need equal sizes."""
    overlap_rows: Count
    """Holdout rows that equal an original row on all used columns."""
    original_overlap_rows: Count
    """Original rows that equal a holdout row on all used columns."""
    overlap_p_value: Share | None = None
    """Share of random relabellings of all real rows, or persons, with at least as large an overlap."""
    persons: Count | None = None
    """Persons of the holdout; for an approximate one, of each random half. None without --group."""
    shared_persons: Count | None = None
    """Persons with rows in the original and in the holdout; None without --group."""
    rows_p_value: Share | None = None
    """How unusual it is that persons of original and holdout differ so in their numbers of rows, if drawn alike. None
    without --group or a true holdout."""
    set_aside: SetAside | None = None
    """The proof that it was set aside before; None where no record lay beside it."""
    warnings: Annotated[tuple[Text, ...], Field(max_length=100)] = ()


class Space(Part):
    """The coordinates that distances are taken in."""

    projection: Literal["famd", "none", "signals"]
    """`signals`: seven features a lead, each divided by its standard deviation over the original records."""
    components: Annotated[int, Field(ge=1, le=2**31)] | Literal["all"]
    dimensions: Count
    inertia: Share
    fitted_on: Literal["original", "original and holdout"] | None
    """None for `--projection none`."""


class UniqueRows(Part):
    """Number of different rows of each table, as encoded for the distances."""

    original: Count
    synthetic: Count
    holdout: Count | None


class LookingRows(Part):
    """How many rows of each table looked for their neighbours, drawn at random; all rows could be found by them."""

    original: Count
    synthetic: Count
    holdout: Count | None


class Search(Part):
    """The nearest-neighbour searches of this run. Every answer is proven exact or brute-forced."""

    queries: Count
    certified: Count
    unique_rows: UniqueRows
    looking: LookingRows | None = None
    """Where not all rows looked (`max_queries`); None where all did."""


class Memorising(Part):
    """What the same metrics read when half of the synthetic rows are replaced by copies of original rows."""

    rows: Count
    scores: Annotated[dict[MetricKey, Scores], Field(max_length=100)]


class PowerPoint(Part):
    """Share of trials in which so many planted near copies were noticed."""

    rows: Annotated[int, Field(ge=1, le=2**63 - 1)]
    power: Share
    trials: Annotated[int, Field(ge=1, le=2**63 - 1)] | None = None
    """Trials that the share was estimated from; fewer where it was soon clear that it is too small."""


class Detectable(Part):
    """The smallest leak that this run would have noticed. Without a value, `code` and `reason` say why."""

    rows: Count | None = None
    share: Share | None = None
    noise_sd: Annotated[float, Field(gt=0)] = 0.05
    power: Share = 0.8
    curve: Annotated[tuple[PowerPoint, ...], Field(max_length=MOST_BINS)] = ()
    """By ascending number of planted rows, up to the first that was noticed often enough."""
    search_limit: Count | None = None
    code: NotMeasuredCode | None = None
    reason: Text | None = None

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if any(a.rows >= b.rows for a, b in itertools.pairwise(self.curve)):
            msg = "the curve's numbers of planted rows must ascend"
            raise ValueError(msg)
        return self


class Controls(Part):
    """Runs beside the result that tell its reader what the metrics can see."""

    memorising: Memorising | None
    detectable: Detectable


class Finding(Part):
    """Something a reader should know, in one sentence. `region` never names a row."""

    code: FindingCode
    severity: Literal["info", "notice", "warning"]
    text: Text
    region: Text | None = None
    count: Count | None = None
    expected: float | None = None
    p_value: Share | None = None


class Criterion(Part):
    """One of the three questions of WP216: whether an attack answered it, else why not, and what speaks to it."""

    assessed: bool
    code: CriterionCode | None = None
    metrics: Annotated[tuple[MetricKey, ...], Field(max_length=100)]


class Coverage(Part):
    """The criteria of WP216 (Opinion 05/2014)."""

    singling_out: Criterion
    linkability: Criterion
    inference: Criterion


class Reason(Part):
    """Why the verdict has its level: metric, value, bound and limit, and one sentence made from them."""

    code: ReasonCode
    metric: MetricKey | None
    text: Text
    value: float | None = None
    bound: float | None = None
    limit: float | None = None
    unit: Unit | None = None


class Verdict(Part):
    """The level, made once and stored. Percent of synthetic rows for `tolerance` and `upper_bound`."""

    level: Level
    tolerance: Annotated[float, Field(ge=0, le=100)]
    upper_bound: Annotated[float, Field(ge=0, le=100)] | None
    reasons: Annotated[tuple[Reason, ...], Field(max_length=MOST_COLUMNS)]


BaselineDifference = Literal["original", "holdout", "columns", "space", "sizes", "metrics", "settings"]


class Baseline(Part):
    """An older result that this one is compared with: which it is, its numbers, and what keeps them from comparing."""

    name: Name
    sha256: Digest
    """Of the result file's bytes."""
    created: Created
    version: Version
    """Of the program that measured it."""
    level: Level
    scores: Annotated[dict[MetricKey, ScoreValues], Field(max_length=100)]
    """By metric and score, the value alone; unit and direction are those of the scores of this result."""
    differences: Annotated[tuple[BaselineDifference, ...], Field(max_length=len(get_args(BaselineDifference)))] = ()
    """What differs so that a difference of the scores would mean nothing; empty where they compare."""


class Result(Part):
    """Everything that a report is made from. Shares and probabilities are 0-1, percents 0-100."""

    schema_version: Annotated[str, Field(pattern=r"^1\.(0|[1-9][0-9]{0,5})$")] = SCHEMA_VERSION
    """That of the file. Of a newer minor version than this program's, what is not known here is left out."""
    title: Annotated[str, Field(max_length=2 * LONGEST_NAME)]
    created: Created
    command: Annotated[str, Field(max_length=2**22)]
    """The command that repeats this run, files by base name."""
    tool: Tool
    environment: Annotated[
        dict[Annotated[str, Field(max_length=100)], Annotated[str, Field(max_length=200)] | None], Field(max_length=100)
    ]
    settings: Settings
    inputs: Inputs
    columns: Annotated[tuple[Column, ...], Field(max_length=MOST_COLUMNS)]
    leads: Annotated[tuple[Lead, ...], Field(max_length=MOST_COLUMNS)] = ()
    """Leads of the signals; empty for tables."""
    holdout: Holdout
    space: Space
    search: Search
    metrics: dict[MetricKey, Metric]
    controls: Controls
    findings: Annotated[tuple[Finding, ...], Field(max_length=2 * MOST_COLUMNS)]
    coverage: Coverage
    verdict: Verdict
    policy: Policy | None = None
    """The release policy in force, with its waivers; None where none was given. `reportgen.gate` reads it."""
    baseline: Baseline | None = None

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if (fault := next(faults(self), None)) is not None:
            raise ValueError(fault)
        return self

    @model_validator(mode="after")
    def _names_what_it_may(self) -> Self:
        if self.settings.no_category_names and any(column.missing_marks for column in self.columns):
            msg = "no text of a cell may be named where the settings forbid names of categories"
            raise ValueError(msg)
        for column in self.columns:
            declared = self.settings.declared.column(column.name).missing or ()
            if not all(mark in KNOWN or mark in declared for mark in column.missing_marks):
                msg = "a missing mark is none that is known or declared"
                raise ValueError(msg)
        return self


OF_PERSONS = ("persons", "shared_persons", "rows_p_value")
"""Fields of files and of the holdout that are written only where rows belong to persons (--group)."""


def to_json(result: Result) -> str:
    """Serialise: sorted keys, unrounded numbers, no NaN, a newline at the end; the same bytes for equal results."""
    return json.dumps(to_plain(result), sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def to_plain(result: Result) -> dict[str, Any]:
    """Return what the result file holds, as plain dictionaries and lists."""
    plain = result.model_dump(mode="json")
    files = [file for file in plain["inputs"].values() if file is not None]
    for part in (*files, plain["holdout"]):
        for name in OF_PERSONS:
            if part.get(name, 0) is None:
                del part[name]
    # What earlier results do not hold is left out where it says nothing: they keep their bytes, and their digest.
    optional = (
        (plain["holdout"], "set_aside"),
        (plain["search"], "looking"),
        (plain["settings"], "max_queries"),
        *((criterion, "code") for criterion in plain["coverage"].values()),
    )
    for part, name in optional:
        if part is not None and part.get(name, 0) is None:
            del part[name]
    for name in STATED:
        if getattr(result.settings, name) == Settings.model_fields[name].get_default(call_default_factory=True):
            del plain["settings"][name]
    return plain


def digest(result: Result) -> str:
    """SHA-256 of the result file's bytes, as every report prints it."""
    return hashlib.sha256(to_json(result).encode()).hexdigest()
