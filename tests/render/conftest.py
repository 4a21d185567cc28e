"""Results made by hand. Numbers of `leaky` are those of a census extract in which 99 of 2,000 rows are copies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reportgen.model import (
    Cells,
    Column,
    Controls,
    Coverage,
    Criterion,
    Detectable,
    Finding,
    Histogram,
    Holdout,
    InputFile,
    Inputs,
    Measured,
    Memorising,
    Metric,
    Missing,
    NotMeasured,
    PowerPoint,
    Quantiles,
    Reason,
    Result,
    Score,
    Search,
    Space,
    Tool,
    UniqueRows,
    Verdict,
)
from reportgen.policy import make_policy
from reportgen.render import RenderedBy
from reportgen.settings import METRIC_KEYS, Settings

ROWS = 2000
LEVELS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.975)
MEASURED = ("exact_copies", "distance_to_closest", "closest_distances_ratio", "closest_rate")
Z_SCORES = ("near3", "near12", "lone6", "lone25", "drop6", "drop25", "eq1", "eq2", "eqL", "share", "logr")
NOT_IN_THIS_VERSION = NotMeasured(code="not_in_this_version", reason="Not part of this version.")


@pytest.fixture(scope="session")
def rendering() -> RenderedBy:
    return RenderedBy("0.1.0", {"jinja2": "3.1.6", "matplotlib": "3.9", "pango": "1.50.12", "weasyprint": "70.0"})


@pytest.fixture(scope="session")
def make() -> Callable[..., Result]:
    return make_result


@pytest.fixture(scope="session")
def results() -> dict[str, Result]:
    """Every kind of result that a report has to cope with, by name."""
    return {
        "leaky": make_result(),
        "moderate": moderate(),
        "low": low(),
        "inconclusive": inconclusive(),
        "no_holdout": no_holdout(),
        "approximate": approximate(),
        "hostile": hostile(),
        "wide": make_result(columns=tuple(column(f"measurement {i}") for i in range(100))),
        "endless": make_result(columns=tuple(column(f"c{i}") for i in range(230))),
        "crowded": crowded(),
        "reference_zero": reference_zero(),
        "tiny": tiny(),
        "nothing_measured": make_result(
            metrics=dict.fromkeys(METRIC_KEYS, NOT_IN_THIS_VERSION),
            controls=Controls(memorising=None, detectable=missing()),
        ),
        "with_null_range": with_null_range(),
        "real_rows": real_rows(),
        "failed": failed(),
        "policy": policy(),
        "tolerated": make_result(settings=Settings(fail_on="never")),
        "hostile_rules": hostile_rules(),
    }


def make_result(**changes: object) -> Result:
    """The leaky result, with some parts exchanged."""
    holdout = Holdout(kind="provided", rows=ROWS, draws=1, base_rows=ROWS, overlap_rows=0, original_overlap_rows=0)
    parts: dict[str, object] = {
        "title": "Census extract for the open-data portal",
        "created": "2026-11-29T12:30:00Z",
        "command": "reportgen assess trn.csv.gz syn.csv.gz --holdout hol.csv.gz",
        "tool": Tool(version="0.1.0"),
        "environment": {"numpy": "2.4.6", "python": "3.11.7", "pango": None},
        "settings": Settings(context="Generator trained on a sample of UCI Adult."),
        "inputs": Inputs(original=file("trn", "e"), synthetic=file("syn", "b"), holdout=file("hol", "f")),
        "columns": tuple(column(name) for name in ("age", "workclass", "education")),
        "holdout": holdout,
        "space": Space(
            projection="famd", components="all", dimensions=93, inertia=1.0, fitted_on="original and holdout"
        ),
        "search": Search(
            queries=6000, certified=6000, unique_rows=UniqueRows(original=2000, synthetic=2000, holdout=2000)
        ),
        "metrics": metrics(),
        "controls": Controls(memorising=memorising(), detectable=missing()),
        "findings": (Finding(code="column_dominates", severity="notice", text="Column education carries 42 %."),),
        "coverage": coverage(),
        "verdict": Verdict(
            level="high", tolerance=1.0, upper_bound=None, reasons=(copies_reason(), leak_test_reason())
        ),
    }
    return Result.model_validate(parts | changes)


def file(name: str, digit: str, rows: int = ROWS) -> InputFile:
    return InputFile(
        name=f"{name}.csv.gz",
        sha256=digit * 64,
        content_sha256=digit.replace(digit, "0") * 64,
        rows=rows,
        columns=3,
        repeated_rows=0,
    )


def column(name: str, **changes: object) -> Column:
    plain = {
        "name": name,
        "kind": "categorical",
        "used": True,
        "missing": Missing(original=113, synthetic=113, holdout=99),
        "distinct_original": 7,
        "inertia": 0.08333,
    }
    return Column.model_validate(plain | changes)


def metrics() -> dict[str, Metric]:
    measured: dict[str, Metric] = {
        "exact_copies": exact_copies(99),
        "distance_to_closest": relative("distance", (0.933, 0.0), (2.72, 0.0), (2.91, 0.275)),
        "closest_distances_ratio": relative("ratio", (0.953, 0.0), (0.796, 0.0), (0.836, 0.229)),
        "closest_rate": closest_rate(133),
    }
    return measured | {key: NOT_IN_THIS_VERSION for key in METRIC_KEYS if key not in measured}


def exact_copies(copies: int, rows: int = ROWS, **changes: object) -> Measured:
    plain = {
        "scores": {
            "synthetic_rows": Score(
                value=copies / rows,
                low=0.8 * copies / rows,
                high=min(1.0, 1.2 * copies / rows + 0.002),
                reference=0.0,
                unit="share",
                better="lower",
            ),
            "original_rows": Score(value=copies, reference=0.0, unit="count", better="lower"),
        },
        "verdict": "high" if copies else "low",
    }
    return Measured.model_validate(plain | changes)


def relative(
    unit: str, shares: tuple[float, float], raw: tuple[float, float], reference: tuple[float, float], **changes: object
) -> Measured:
    """Scores of Distance To Closest and Closest Distances Ratio: median and lower tail."""
    scores = {"tail_share": Score(value=0.104, reference=0.025, unit="share", better="lower")}
    for name, share, own, other in zip(("median", "outlier"), shares, raw, reference, strict=True):
        low, high = 97 * share, 102 * share
        scores[name] = Score(value=100 * share, low=low, high=high, reference=100, unit="percent", better="higher")
        scores[f"{name}_raw"] = Score(value=own, reference=other, unit=unit, better="higher")
    series = distances() if unit == "distance" else ratios()
    return Measured.model_validate({"scores": scores, "distributions": series} | changes)


def closest_rate(at_risk: int) -> Measured:
    rate = 100 * (1 - at_risk / ROWS)
    return Measured(
        scores={
            "rate": Score(
                value=rate,
                low=rate - 1.18,
                high=rate + 1.01,
                reference=98.05,
                unit="percent",
                better="higher",
            ),
            "at_risk": Score(value=at_risk, reference=39, unit="count", better="lower"),
            "distance_threshold": Score(value=0.387, unit="distance", better="context"),
            "ratio_threshold": Score(value=0.297, unit="ratio", better="context"),
        },
        joint={"synthetic": cells(99), "holdout": cells(0)},
    )


def distances() -> dict[str, Histogram]:
    edges = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0)
    return {
        "synthetic": histogram(edges, (101, 10, 14, 45, 130, 170, 190, 340, 420, 300, 190, 70, 20), zeros=99),
        "holdout": histogram(edges, (6, 12, 16, 46, 140, 180, 200, 370, 450, 310, 190, 60, 20)),
    }


def ratios() -> dict[str, Histogram]:
    edges = tuple(round(0.1 * i, 1) for i in range(11))
    return {
        "synthetic": histogram(edges, (133, 40, 60, 70, 87, 110, 180, 260, 360, 700), zeros=99),
        "holdout": histogram(edges, (8, 30, 62, 80, 100, 130, 190, 280, 420, 700)),
    }


def real_rows() -> Result:
    """With the metrics that compare synthetic rows with the original rows among themselves."""
    excess = {"low": 0.0195, "high": 0.065, "reference": 0.0, "unit": "share", "better": "lower"}
    nndr = Measured(
        scores={
            "p5": Score(value=0.02, low=0.0, high=0.085, reference=0.298, unit="ratio", better="higher"),
            "median": Score(value=0.865, low=0.857, high=0.876, reference=0.855, unit="ratio", better="higher"),
            "below_threshold": Score(value=360, reference=278, unit="count", better="lower"),
            "share_below": Score(value=0.18, low=0.163, high=0.197, reference=0.139, unit="share", better="lower"),
            "excess": Score.model_validate({"value": 0.041} | excess),
            "holdout_share_below": Score(value=0.144, reference=0.139, unit="share", better="context"),
            "excess_over_holdout": Score.model_validate({"value": 0.036} | excess),
        },
        distributions={"original" if name == "holdout" else name: one for name, one in ratios().items()}
        | {"holdout": ratios()["holdout"]},
    )
    nn_dist = Measured(
        scores={
            "score": Score(value=3.05, low=2.95, high=3.14, reference=3.39, unit="distance", better="context"),
            "threshold": Score(value=2.84, unit="distance", better="context"),
            "authenticity": Score(value=0.5885, reference=0.51, unit="share", better="context"),
        },
        distributions={"original" if name == "holdout" else name: one for name, one in distances().items()},
    )
    isolated = metrics()["closest_distances_ratio"]
    assert isinstance(isolated, Measured)
    scores = isolated.scores | {
        "isolated": Score(value=75.1, low=63.9, high=85.5, reference=100, unit="percent", better="higher"),
        "isolated_raw": Score(value=0.673, reference=0.897, unit="ratio", better="higher"),
    }
    found = {"nndr": nndr, "nn_dist": nn_dist, "closest_distances_ratio": Measured(scores=scores)}
    return make_result(metrics=metrics() | found)


def histogram(edges: tuple[float, ...], counts: tuple[int, ...], zeros: int = 0) -> Histogram:
    n = sum(counts)
    values = tuple(0.0 if level * n < zeros else edges[-1] * level for level in LEVELS)
    return Histogram(
        edges=edges, counts=counts, quantiles=Quantiles(levels=LEVELS, values=values), zero_count=zeros, n=n
    )


def cells(copies: int) -> Cells:
    grid = [[max(0, 40 - 5 * abs(x - 4) - 4 * (9 - y)) for x in range(12)] for y in range(10)]
    shown = [[count if count == 0 or count >= 5 else -1 for count in row] for row in grid]
    shown[0][0] = copies
    return Cells(
        x_edges=tuple(float(i) for i in range(13)),
        y_edges=tuple(round(0.1 * i, 1) for i in range(11)),
        counts=tuple(tuple(row) for row in shown),
    )


def memorising() -> Memorising:
    return Memorising(
        rows=1000,
        scores={
            "exact_copies": {
                "synthetic_rows": Score(value=0.523, reference=0.0, unit="share", better="lower"),
                "original_rows": Score(value=1019, reference=0.0, unit="count", better="lower"),
            },
            "closest_rate": {"rate": Score(value=48.85, reference=98.05, unit="percent", better="higher")},
        },
    )


def missing() -> Detectable:
    return Detectable(code="not_in_this_version", reason="Planting test leaks is not part of this version.")


def curve(*points: tuple[int, float], trials: int | None = 100) -> tuple[PowerPoint, ...]:
    return tuple(PowerPoint(rows=rows, power=share, trials=trials) for rows, share in points)


def coverage() -> Coverage:
    none = Criterion(assessed=False, metrics=())
    return Coverage(singling_out=Criterion(assessed=False, metrics=MEASURED), linkability=none, inference=none)


def copies_reason() -> Reason:
    return Reason(
        code="exact_copies_above_tolerance",
        metric="exact_copies",
        text="99 synthetic rows are identical to an original row on every used column.",
        value=0.0495,
        bound=0.0418,
        limit=0.01,
        unit="share",
    )


def leak_test_reason() -> Reason:
    return Reason(code="metric_not_measured", metric="leak_test", text="The metric leak_test could not be measured.")


def clean_metrics() -> dict[str, Metric]:
    return metrics() | {
        "exact_copies": exact_copies(0),
        "distance_to_closest": relative("distance", (1.1, 1.46), (3.2, 0.4), (2.91, 0.275)),
        "closest_distances_ratio": relative("ratio", (1.03, 1.0), (0.86, 0.229), (0.836, 0.229)),
        "closest_rate": closest_rate(26),
    }


def moderate() -> Result:
    reason = Reason(
        code="exact_copies_above_chance", metric="exact_copies", text="Two rows are copied.", value=0.001, unit="share"
    )
    found = clean_metrics() | {"exact_copies": exact_copies(2, verdict="moderate")}
    verdict = Verdict(level="moderate", tolerance=1.0, upper_bound=None, reasons=(reason, leak_test_reason()))
    return make_result(metrics=found, verdict=verdict)


def no_leak_found() -> Reason:
    return Reason(
        code="no_leak_found",
        metric="leak_test",
        text="No leak found: the leak test doesn't reject (p = 0.412).",
        value=0.412,
        limit=0.05,
        unit="probability",
    )


def leak_tested() -> dict[str, Metric]:
    """The two metrics that a low level needs beside exact copies, finding nothing."""
    p_values = {f"p_{name}": 0.5 for name in ("near", "altered", "broad", "mirrored")} | {"p_value": 0.412}
    test = {
        name: Score(value=p_value, unit="probability", better="context" if name == "p_mirrored" else "higher")
        for name, p_value in p_values.items()
    }
    test |= {"original_rows": Score(value=5, unit="count", better="lower")}
    test |= {f"z:{name}": Score(value=0.3, reference=0.0, unit="ratio", better="lower") for name in Z_SCORES}
    size = {
        "excess": Score(value=0.001, low=0.0, high=0.003612, reference=0.0, unit="share", better="lower"),
        "anchored_original": Score(value=9, low=4.7, high=15.7, unit="count", better="lower"),
        "anchored_holdout": Score(value=7, low=3.3, high=13.1, unit="count", better="context"),
        "cut": Score(value=0.12, unit="ratio", better="context"),
    }
    return {"leak_test": Measured(scores=test, verdict="low"), "leak_size": Measured(scores=size, verdict="low")}


def low() -> Result:
    return make_result(
        metrics=clean_metrics() | leak_tested(),
        verdict=Verdict(level="low", tolerance=1.0, upper_bound=0.3612, reasons=(no_leak_found(),)),
        controls=Controls(
            memorising=memorising(),
            detectable=Detectable(
                rows=16, share=0.008, curve=curve((4, 0.05), (6, 0.2), (9, 0.4), (14, 0.74), (20, 0.94))
            ),
        ),
    )


def inconclusive() -> Result:
    verdict = Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(leak_test_reason(),))
    return make_result(metrics=clean_metrics(), verdict=verdict, findings=())


def no_true_holdout() -> Reason:
    return Reason(code="no_true_holdout", metric=None, text="No real rows that the generator never saw were given.")


def no_holdout() -> Result:
    scores = {"synthetic_rows": Score(value=0.0, low=0.0, high=0.7, unit="share", better="lower")}
    scores["original_rows"] = Score(value=0, unit="count", better="lower")
    too_few = NotMeasured(code="too_few_rows", reason="A second closest row needs at least two rows on each side.")
    found = dict.fromkeys(METRIC_KEYS, NOT_IN_THIS_VERSION) | dict.fromkeys(MEASURED[1:], too_few)
    verdict = Verdict(
        level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(no_true_holdout(), leak_test_reason())
    )
    return make_result(
        inputs=Inputs(original=file("trn", "e", 3), synthetic=file("syn", "b", 3), holdout=None),
        holdout=Holdout(kind="none", rows=0, draws=0, base_rows=0, overlap_rows=0, original_overlap_rows=0),
        search=Search(queries=0, certified=0, unique_rows=UniqueRows(original=3, synthetic=3, holdout=None)),
        columns=(column("age", missing=Missing(original=0, synthetic=0, holdout=None), distinct_original=3),),
        metrics=found | {"exact_copies": Measured(scores=scores, verdict="low")},
        controls=Controls(memorising=None, detectable=missing()),
        verdict=verdict,
    )


def approximate() -> Result:
    notes = ("approximate_holdout", "first_draw_shown")
    found = clean_metrics() | {
        "distance_to_closest": relative("distance", (1.03, 1.1), (3.0, 0.3), (2.91, 0.275), notes=notes),
        "closest_distances_ratio": relative(
            "ratio", (0.9, 1.0), (0.75, 0.2), (0.836, 0.2), notes=(*notes, "repeated_copies")
        ),
    }
    ratio = found["closest_distances_ratio"]
    assert isinstance(ratio, Measured)
    repeated = Score(value=12.5, unit="count", better="lower")
    found["closest_distances_ratio"] = ratio.model_copy(update={"scores": ratio.scores | {"repeated_copies": repeated}})
    return make_result(
        inputs=Inputs(original=file("trn", "e", 4000), synthetic=file("syn", "b"), holdout=None),
        columns=tuple(
            column(name, missing=Missing(original=113, synthetic=113, holdout=None))
            for name in ("age", "workclass", "education")
        ),
        search=Search(
            queries=6000, certified=6000, unique_rows=UniqueRows(original=4000, synthetic=2000, holdout=None)
        ),
        holdout=Holdout(
            kind="approximate",
            rows=ROWS,
            draws=20,
            base_rows=ROWS,
            overlap_rows=0,
            original_overlap_rows=0,
            warnings=("The generator saw the rows that stand in for a holdout.",),
        ),
        metrics=found,
        verdict=Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(no_true_holdout(),)),
    )


HOSTILE = (
    "<script>alert(1)</script>",
    "</style></script><!--",
    "{{ 1 + 1 }}{% raw %}",
    "quote \" and ' and & and \\",
    "line\nbreak",
    "اسم العمود",
    "\u202egnp.elif",
    "🧬 emoji 漢字",
    "n" * 200,
    "control \x07 and \x7f",
    "trailing ",
)


def hostile() -> Result:
    return make_result(
        title="</title><script>alert(1)</script> {{ 1 + 1 }} אבג 🧬",
        settings=Settings(context="<img src=http://example.org/x.png>", recipients="</p><iframe src='//example.org'>"),
        inputs=Inputs(original=file("<b>trn</b>", "e"), synthetic=file("s" * 200, "b"), holdout=file("{{ hol }}", "f")),
        columns=(
            *(column(name, remarks=("<i>marked</i>",)) for name in HOSTILE),
            column("<u>", used=False, inertia=None, reason="<s>constant</s>"),
        ),
    )


def crowded() -> Result:
    """As much on page 1 as a run can bring: a title of 200 letters, long file names, every precondition failed."""
    long = "The reason is given in a sentence that is long enough for three lines of page 1, as some of them are. "
    codes = ("leaky_holdout", "holdout_is_synthetic", "too_few_rows", "metric_not_measured", "metric_failed")
    reasons = [Reason(code=code, metric=None, text=(2 * long).strip()) for code in codes]
    return make_result(
        title="Assessment of the register of discharges for the committee, the portal and the agency " * 2
        + "of all of us",
        inputs=Inputs(original=file("t" * 90, "e"), synthetic=file("s" * 90, "b"), holdout=file("h" * 90, "f")),
        verdict=Verdict(level="high", tolerance=1.0, upper_bound=None, reasons=(copies_reason(), *reasons)),
    )


def reference_zero() -> Result:
    scores = {
        name: Score(value=100, reference=100, unit="percent", better="higher", note="reference_zero")
        for name in ("median", "outlier")
    }
    scores |= {
        f"{name}_raw": Score(value=0, reference=0, unit="distance", better="higher") for name in ("median", "outlier")
    }
    scores["tail_share"] = Score(value=1.0, reference=1.0, unit="share", better="lower")
    coarse = Measured(scores=scores, notes=("reference_zero",))
    return make_result(metrics=metrics() | {"distance_to_closest": coarse, "closest_distances_ratio": coarse})


def tiny() -> Result:
    """Below 20 rows no distribution is stored."""
    found = {
        key: metric.model_copy(update={"distributions": {}, "joint": {}}) if isinstance(metric, Measured) else metric
        for key, metric in clean_metrics().items()
    }
    return make_result(metrics=found)


def with_null_range() -> Result:
    found = clean_metrics()
    rate = found["closest_rate"]
    assert isinstance(rate, Measured)
    ideal = rate.scores["rate"].model_copy(update={"null_low": 97.65, "null_high": 98.8})
    found["closest_rate"] = rate.model_copy(update={"scores": rate.scores | {"rate": ideal}})
    return make_result(metrics=found)


def failed() -> Result:
    """A measurement broke down."""
    broken = NotMeasured(code="failed", reason="The measurement failed (KeyError at closest_rate.py:40).")
    text = "The metric closest_rate failed, so the assessment is incomplete; run again with -v and report the fault."
    reason = Reason(code="metric_failed", metric="closest_rate", text=text)
    verdict = Verdict(level="inconclusive", tolerance=1.0, upper_bound=None, reasons=(reason,))
    return make_result(metrics=clean_metrics() | {"closest_rate": broken}, verdict=verdict)


def policy(reason: str = "known twins", **changes: object) -> Result:
    """Moderate, with a policy: the verdict is waived, one limit holds, one fails, one has a waiver that ended."""
    waivers = [
        {"rule": "verdict", "level": "moderate", "reason": reason, "by": "A. Officer", "until": "2027-01-31"},
        {"rule": "distance_to_closest.outlier", "reason": "old agreement", "by": "B. Officer", "until": "2026-01-31"},
        {"rule": "tolerance", "reason": "never needed", "by": "C. Officer", "until": "2027-06-30"},
    ]
    rules = {
        "closest_rate": {"min": 95},
        "limits": {"leak_test.p_value": {"min": 0.05}, "distance_to_closest.outlier": {"min": 200}},
        "waivers": waivers,
    }
    plain = moderate()
    return plain.model_copy(update={"policy": make_policy(rules), **changes})


HOSTILE_TEXT = (
    "</failure>]]> <b>@team #1 www.example.org http://example.org/x [l](http://example.org) ![i](x.png) | "
    '`code` *bold* _em_ ~~s~~ {{ 1 }} {0} $x$ \\ " \x07\x0b\x1b[31m\u202e\ufffe\r\n# head\n- item\n| a | b |\n<!--'
)
"""What breaks XML, tables, links, placeholders, terminals and lines, in one text."""


def hostile_rules() -> Result:
    """Hostile text wherever a format may show foreign text: title, names of files, reasons, waivers, scores."""
    reason = Reason(code="identifier_reuse", metric="exact_copies", text=f"Column {HOSTILE_TEXT} is reused.")
    reused = Score(value=0.5, reference=0.0, unit="share", better="lower")
    copies = exact_copies(2, verdict="moderate")
    scores = copies.scores | {f"column:{HOSTILE_TEXT}:reused": reused, "column:a\nb:reused": reused}
    scores["column:a\\nb:reused"] = reused  # differs from the one before in how it is written only
    warning = Finding(code="file_remark", severity="warning", text=HOSTILE_TEXT)
    return policy(
        reason=HOSTILE_TEXT,
        title=HOSTILE_TEXT,
        inputs=Inputs(
            original=file(HOSTILE_TEXT, "e"), synthetic=file(HOSTILE_TEXT, "b"), holdout=file(HOSTILE_TEXT, "f")
        ),
        metrics=clean_metrics() | {"exact_copies": copies.model_copy(update={"scores": scores})},
        findings=(warning,),
        verdict=Verdict(level="moderate", tolerance=1.0, upper_bound=None, reasons=(reason,)),
    )
