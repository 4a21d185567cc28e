"""The first page, which can be filed alone: verdict, reasons, what was compared, smallest leak, limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reportgen.model import Detectable, InputFile, Level, Measured, Reason, Result
from reportgen.render.readings import reading, too_weak
from reportgen.render.rules import gate_sentence
from reportgen.render.score_summary import described
from reportgen.render.scores import holdout_kind, percent_of, rows_are_compared, share, with_unit
from reportgen.render.view import Cell, Head, Row
from reportgen.rounding import count, p_value, percent
from reportgen.score_names import ATTACKS
from reportgen.words import catalog, sentence

ROOMY, DENSE = 36.0, 49.0
"""Lines of text that page 1 holds in its usual steps, and in smaller ones; more of them get the smallest."""
LONGEST_NAME = 44
CRITERIA = ATTACKS


@dataclass(frozen=True)
class ReasonView:
    """One reason: its figure where it has one, what it is about, and the sentence."""

    value: str
    name: str
    text: str
    bound: str = ""
    limit: str = ""


@dataclass(frozen=True)
class FirstPage:
    """Everything on page 1 below the masthead."""

    lede: str
    level: Level
    symbol: str
    word: str
    headline: str
    gate: str
    reasons: tuple[ReasonView, ...]
    compared_heads: tuple[Head, ...]
    compared: tuple[Row, ...]
    smallest_value: str
    smallest_text: str
    limits: tuple[str, ...]
    dense: bool
    """Whether there is so much to say that paper needs smaller steps to keep it on one page."""
    tight: bool
    """Whether it needs smaller ones still."""


NAMED_BY_CODE = ("smallest_leak_above_tolerance", "smallest_leak_unknown")
"""Reasons that are about a control, although a metric's test gives them."""
MOST_REASONS = 5
"""Reasons on page 1; the others stand with the findings."""
COVERAGE_SECTION = 5


def further_reasons(result: Result) -> tuple[str, ...]:
    """The reasons that page 1 has no room for."""
    return tuple(reason.text for reason in result.verdict.reasons[MOST_REASONS:])


def first_page(result: Result) -> FirstPage:
    """Build page 1."""
    level = result.verdict.level
    value, text = smallest_leak(result)
    reasons = [_on_page(reason) for reason in result.verdict.reasons[:MOST_REASONS]]
    if further := further_reasons(result):
        elsewhere = sentence("reason_name.further_text", number=len(further), section=COVERAGE_SECTION)
        reasons.append(ReasonView("", sentence("reason_name.further"), elsewhere))
    reasons += [
        ReasonView("", sentence(f"reason_name.{finding.code}"), finding.text)
        for finding in result.findings
        if finding.code == "person_key"
        or (finding.code == "identifier_reuse_untested" and finding.severity == "warning")
    ]
    if describing := described(result):
        reasons.append(ReasonView("", sentence("reason_name.descriptive"), describing))
    reasons += _usefulness(result)
    compared, limits, lede = _compared(result), _limits(result), _lede(result)
    lines = _lines(result.title, lede, headline(result), reasons, compared, limits)
    return FirstPage(
        lede=lede,
        level=level,
        symbol=sentence(f"verdict.symbol.{level}"),
        word=verdict_word(result),
        headline=headline(result),
        gate=gate_sentence(result),
        reasons=tuple(reasons),
        compared_heads=(
            Head(sentence("compared.table")),
            Head(sentence("compared.rows"), numeric=True),
            Head(sentence("compared.columns"), numeric=True),
            Head(sentence("compared.hash")),
        ),
        compared=compared,
        smallest_value=value,
        smallest_text=text,
        limits=limits,
        dense=lines > ROOMY,
        tight=lines > DENSE,
    )


def _lines(
    title: str,
    lede: str,
    sentence_beside_badge: str,
    reasons: Sequence[ReasonView],
    compared: Sequence[Row],
    limits: Sequence[str],
) -> float:
    """About how many lines of page 1 its changing parts fill on paper, with the space around them."""

    def wrapped(text: str, letters: int) -> int:
        return max(1, -(-len(text) // letters))

    above = 2.4 * wrapped(title, 44) + 1.2 * wrapped(lede, 80) + 1.5 * max(3, wrapped(sentence_beside_badge, 50))
    why = sum(max(2.3 if reason.value else 1.0, wrapped(reason.text, 84)) + 0.8 for reason in reasons)
    files = sum(1.4 + (wrapped(row[0].under, 30) if row[0].under else 0) for row in compared)
    return above + why + max(files, 6.0) + sum(wrapped(limit, 118) + 0.2 for limit in limits)


def verdict_word(result: Result) -> str:
    """The words of the badge; for low with the bound that was reached."""
    if result.verdict.level != "low":
        return sentence(f"verdict.word.{result.verdict.level}")
    bound = badge_bound(result)
    return sentence("verdict.word.low", bound=bound) if bound else sentence("verdict.word.low_unbounded")


def badge_bound(result: Result) -> str:
    """The larger of upper bound and smallest noticed leak, rounded up; "" where neither is known."""
    detectable = result.controls.detectable.share
    bounds = [bound for bound in (result.verdict.upper_bound, detectable and 100 * detectable) if bound is not None]
    return _rounded_up(max(bounds)) if bounds else ""


def _rounded_up(bound: float) -> str:
    tenths = -(-round(bound * 10, 9) // 1)
    return percent_of(tenths / 10)


def headline(result: Result) -> str:
    """The sentence beside the badge, made from the first reason's numbers."""
    detectable, tolerance = result.controls.detectable, percent_of(result.verdict.tolerance)
    if result.verdict.level == "low":
        noticed = "" if detectable.share is None else share(detectable.share)
        return sentence("headline.low", share=noticed, power=power(detectable), tolerance=tolerance)
    if not result.verdict.reasons:
        return sentence("headline.unstated")
    first = result.verdict.reasons[0]
    copies = result.metrics.get("exact_copies")
    found = copies.scores.get("synthetic_rows") if isinstance(copies, Measured) else None
    copied, rows = 0.0 if found is None else found.value, result.inputs.synthetic.rows
    # Fewer copies than the tolerance are not what makes the level; beside it they would read as allowed.
    if first.code == "leak_test_near" and copied > result.verdict.tolerance / 100:
        text = share(copied, (result.verdict.tolerance / 100,))
        numbers: dict[str, Any] = {"copies": round(copied * rows), "rows": rows, "share": text}
        return sentence("headline.leak_test_copies", tolerance=tolerance, **numbers)
    if not first.code.startswith("exact_copies"):
        drawn = result.search.looking is not None
        return sentence(f"headline.{first.code}", shared=result.holdout.shared_persons, drawn=drawn)
    if found is None:
        return first.text
    return sentence(
        f"headline.{first.code}",
        copies=round(copied * rows),
        rows=rows,
        share=share(copied, (result.verdict.tolerance / 100,)),
        tolerance=tolerance,
    )


def _lede(result: Result) -> str:
    return sentence(
        f"lede.{holdout_kind(result)}",
        synthetic=result.inputs.synthetic.rows,
        original=result.inputs.original.rows,
        holdout=result.holdout.rows,
        columns=result.inputs.original.columns,
        persons=result.inputs.original.persons,
        held_persons=result.holdout.persons,
    )


def _usefulness(result: Result) -> list[ReasonView]:
    """Beside a low level, that the synthetic rows lie far from the real ones, where they do."""
    metric = result.metrics.get("distance_to_closest")
    if result.verdict.level != "low" or not isinstance(metric, Measured) or "median" not in metric.scores:
        return []
    median = metric.scores["median"]
    far = reading("distance_to_closest", "median", metric, result) == "farther"
    if not far or (median.null_high is not None and median.value <= median.null_high):
        return []
    text = sentence("reason_name.usefulness_text", median=with_unit(median.value, median.unit, (100,)))
    return [ReasonView("", sentence("reason_name.usefulness"), text)]


def _on_page(reason: Reason) -> ReasonView:
    """A reason beside the figure that makes it: where a bound is too high, the bound and not the estimate below it."""
    view = reason_view(reason)
    bounded = reason.code == "upper_bound_above_tolerance" and view.bound
    return replace(view, value=f"≤ {view.bound}") if bounded else view


def reason_view(reason: Reason) -> ReasonView:
    """Put a reason in words: its figure, its bound and its limit where it has them, and what it is about."""
    metric = catalog()["metric"].get(reason.metric, {})
    return ReasonView(
        value=_figure(reason, reason.value),
        name=metric["name"] if metric and reason.code not in NAMED_BY_CODE else sentence(f"reason_name.{reason.code}"),
        text=reason.text,
        bound="" if reason.bound is None else _figure(reason, reason.bound),
        limit="" if reason.limit is None else _figure(reason, reason.limit, named=False),
    )


def _figure(reason: Reason, figure: float | None, *, named: bool = True) -> str:
    """A number of a reason in its unit; a probability as "p = 0.012", or bare where it is a limit."""
    if figure is None or reason.unit is None:
        return ""
    limits = () if reason.limit is None else (reason.limit,)
    if reason.unit == "probability":
        return p_value(figure, limits) if named else f"{figure:g}"
    return with_unit(figure, reason.unit, limits, places=2)


def _compared(result: Result) -> tuple[Row, ...]:
    inputs = result.inputs
    rows = [_file_row("original", inputs.original), _file_row("synthetic", inputs.synthetic)]
    if inputs.holdout is not None:
        rows.append(_file_row("holdout", inputs.holdout))
    elif holdout_kind(result) == "approximate":
        name = Cell(sentence("compared.approximate"), under=sentence("compared.halves"))
        halves = Cell(count(result.holdout.rows), style="num", under=_persons(result.holdout.persons))
        rows.append((name, halves, _columns(inputs.original), Cell("–")))
    else:
        name = Cell(sentence("compared.none"), under=sentence("compared.no_file"))
        rows.append((name, Cell("–", style="num"), Cell("–", style="num"), Cell("–")))
    return tuple(rows)


def _file_row(side: str, file: InputFile) -> Row:
    digest = file.sha256 or file.content_sha256
    return (
        Cell(sentence(f"compared.{side}"), under=_shortened(file.name)),
        Cell(count(file.rows), style="num", under=_persons(file.persons)),
        _columns(file),
        Cell(digest[:12], under="" if file.sha256 else sentence("compared.in_memory")),
    )


def _persons(number: int | None) -> str:
    """How many persons rows belong to, where that is known."""
    return "" if number is None else sentence("compared.persons", persons=number)


def _shortened(name: str) -> str:
    """Keep page 1 on one page; the data card has the whole name."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _columns(file: InputFile) -> Cell:
    return Cell(count(file.columns), style="num")


def smallest_leak(result: Result) -> tuple[str, str]:
    """The smallest leak that this run would have noticed: the figure and the sentence below it."""
    detectable = result.controls.detectable
    if detectable.rows is not None and detectable.share is not None:
        text = sentence(
            "smallest.found",
            rows=detectable.rows,
            synthetic=result.inputs.synthetic.rows,
            noise=detectable.noise_sd,
            power=power(detectable),
        )
        return share(detectable.share), text
    value = "not_sought_value" if detectable.code == "leak_found" else "unknown_value"
    return sentence(f"smallest.{value}"), _no_smallest_leak(detectable, result.verdict.level)


def power(detectable: Detectable) -> str:
    """The share of trials that counts as "noticed"."""
    return percent(100 * detectable.power, 0)


def _no_smallest_leak(detectable: Detectable, level: Level) -> str:
    if detectable.code == "not_in_this_version":
        return sentence("smallest.not_in_this_version")
    if detectable.reason:
        return sentence("smallest.other", reason=detectable.reason, found=level in {"high", "moderate"})
    if detectable.search_limit is not None:
        return sentence("smallest.beyond", limit=detectable.search_limit)
    return sentence("smallest.not_in_this_version")


def _holdout_limit(result: Result, kind: str) -> str:
    holdout = result.holdout
    overlap, shared = holdout.overlap_rows, holdout.shared_persons
    record = holdout.set_aside
    if record is not None and record.proves:
        return sentence("limits.holdout_set_aside", created=record.created[:10], overlap=overlap, shared=shared)
    compared = rows_are_compared(result)
    return sentence(f"limits.holdout_{kind}", overlap=overlap, shared=shared, compared=compared)


def _limits(result: Result) -> tuple[str, ...]:
    kind = holdout_kind(result)
    tested = isinstance(result.metrics.get("leak_test"), Measured)
    group = result.settings.group if result.inputs.original.persons is not None else None
    return (
        sentence("limits.distances", kind=kind),
        sentence(
            "limits.copies",
            tested=tested,
            inference=answered("inference", result),
            low=result.verdict.level == "low",
        ),
        _holdout_limit(result, kind),
        *(finding.text for finding in result.findings if finding.code == "queries_drawn_down"),
        *([] if group is None else [sentence("limits.persons", column=group)]),
        sentence("limits.guarantee"),
        sentence("limits.controller", tested=wp216_tested(result)),
    )


def answered(name: str, result: Result) -> bool:
    """Whether an attack with a control answered a criterion of WP216; earlier results call a weak one assessed."""
    return bool(getattr(result.coverage, name).assessed) and not too_weak(result.metrics.get(name))


def wp216_tested(result: Result) -> str:
    """Say which of the criteria of WP216 an attack answered."""
    names = {name: sentence(f"coverage.{name}").lower() for name in CRITERIA}
    tested = [names[name] for name in CRITERIA if answered(name, result)]
    untested = [names[name] for name in CRITERIA if names[name] not in tested]
    if not tested:
        return sentence("limits.tested_none")
    if not untested:
        return sentence("limits.tested_all")
    return sentence(
        "limits.tested_some",
        tested=" and ".join(tested),
        one=len(tested) == 1,
        untested=" and ".join(untested),
        one_left=len(untested) == 1,
    )
