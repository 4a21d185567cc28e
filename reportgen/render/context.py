"""The whole report as its templates lay it out: sections in the order of the page, and the contents."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.model import Result, digest
from reportgen.render.coverage import CoverageSection, coverage_section
from reportgen.render.data_card import DataCard, data_card
from reportgen.render.drawn import Look
from reportgen.render.first_page import FirstPage, first_page
from reportgen.render.glossary import glossary_table
from reportgen.render.holdout import HoldoutSection, holdout_section
from reportgen.render.made_by import made_by
from reportgen.render.metric_frames import MetricSection, metric_section
from reportgen.render.pictures import Medium
from reportgen.render.provenance import Provenance, method_table, provenance, thresholds_table
from reportgen.render.rendered import RenderedBy
from reportgen.render.score_summary import Summary, summary
from reportgen.render.view import Entry, Numbering, Table
from reportgen.subject import in_its_words
from reportgen.words import catalog, sentence

SECTIONS = ("data", "summary", "holdout", "metrics", "coverage", "method", "provenance")
"""Numbered sections in order; the name is the id of the section and the key of its title."""


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    language: str
    title: str
    document_title: str
    description: str
    created: str
    date: str
    digest: str
    short_digest: str
    made_by: str
    look: Look
    medium: Medium
    first: FirstPage
    contents: tuple[Entry, ...]
    data: DataCard
    summary: Summary
    holdout: HoldoutSection
    metrics: MetricSection
    coverage: CoverageSection
    method: Table
    thresholds: Table
    provenance: Provenance
    glossary: Table


@in_its_words
def build_report(result: Result, rendering: RenderedBy, medium: Medium) -> Report:
    """Build the report from a result; nothing of the machine or the clock enters."""
    numbering = Numbering()
    checksum = digest(result)
    first = first_page(result)
    # The order of these calls is the order of the page: tables and figures are numbered as they are built.
    data = data_card(result, numbering)
    scores = summary(result, medium, numbering)
    holdout = holdout_section(result, medium, numbering)
    metrics = metric_section(result, medium, numbering, SECTIONS.index("metrics") + 1)
    coverage = coverage_section(result, numbering)
    method = method_table(result, numbering)
    thresholds = thresholds_table(result, numbering)
    origin = provenance(result, rendering, checksum, medium, numbering)
    glossary = glossary_table((first, data, scores, holdout, metrics, coverage, method, thresholds, origin), numbering)
    return Report(
        language=result.settings.lang,
        title=result.title,
        document_title=sentence("document.title", title=result.title),
        description=sentence("document.description", word=first.word, headline=first.headline),
        created=result.created,
        date=report_date(result.created),
        digest=checksum,
        short_digest=short(checksum),
        made_by=made_by(rendering).line(checksum),
        look=rendering.look,
        medium=medium,
        first=first,
        contents=_contents(metrics),
        data=data,
        summary=scores,
        holdout=holdout,
        metrics=metrics,
        coverage=coverage,
        method=method,
        thresholds=thresholds,
        provenance=origin,
        glossary=glossary,
    )


def short(checksum: str) -> str:
    """The first digits of a result's checksum, as every page shows them."""
    return f"{checksum[:4]} {checksum[4:8]}"


def report_date(created: str) -> str:
    """Write the day of a time of creation as reports do."""
    year, month, day = (int(part) for part in created[:10].split("-"))
    return sentence("document.date", day=day, month=catalog()["months"]["names"][month - 1], year=year)


def _contents(metrics: MetricSection) -> tuple[Entry, ...]:
    frames = [Entry(frame.number, frame.title, frame.anchor) for frame in metrics.frames]
    frames += [Entry(listed.number, listed.title, listed.anchor) for listed in metrics.listed]
    numbered = [
        Entry(str(place), sentence(f"label.{name}"), name, tuple(frames) if name == "metrics" else ())
        for place, name in enumerate(SECTIONS, 1)
    ]
    return (Entry("", sentence("label.verdict"), "top"), *numbered)
