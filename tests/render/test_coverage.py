"""Findings, regions and coverage: what is said of parts of the table, and that nothing is said twice."""

import re

import pytest

from reportgen.model import Criterion, Finding, Measured, Score
from reportgen.render.coverage import coverage_section
from reportgen.render.first_page import first_page
from reportgen.render.html import render
from reportgen.render.view import Numbering
from reportgen.words import sentence

ALL_OPEN = "singling out, linkability and inference were not assessed"

REGION = Finding(
    code="anchored_rows_concentrate",
    severity="notice",
    text="Synthetic rows sit on original rows above all where job is 'c'.",
    region="job is 'c'",
    count=17,
    expected=2.56,
    p_value=0.0004,
)
HITS = Finding(code="closest_hits", severity="notice", text="30 are original (p = 0.004).", expected=20, p_value=0.004)


def section(result):
    return coverage_section(result, Numbering())


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_a_region_has_a_table_of_its_own_with_its_numbers(make):
    found = section(make(findings=(HITS, REGION)))
    assert texts(found.regions) == [["job is 'c'", "17", "2.6", "<\N{NO-BREAK SPACE}0.001"]]
    assert texts(found.findings) == [["! Notice", "30 are original (p = 0.004)."]]
    assert found.notes[-1].paragraphs == (sentence("findings.regions_read"),)


def test_a_number_that_a_result_lacks_is_a_dash(make):
    bare = REGION.model_copy(update={"count": None, "expected": None, "p_value": None})
    assert texts(section(make(findings=(bare,))).regions) == [["job is 'c'", "–", "–", "–"]]


def test_a_finding_says_its_numbers_once(make):
    (row,) = texts(section(make(findings=(HITS,))).findings)
    assert len(re.findall("0.004", row[1])) == 1
    assert "Expected" not in row[1]


@pytest.mark.parametrize(
    ("name", "entry"),
    [("leaky", "none"), ("low", "no_leak"), ("no_holdout", "no_holdout"), ("approximate", "no_holdout")],
)
def test_where_no_region_is_named_it_says_why(results, name, entry):
    found = section(results[name])
    assert found.regions is None
    assert found.notes[-1].paragraphs == (sentence(f"findings.regions_{entry}"),)


def test_that_no_part_was_looked_for_is_said_once(make):
    sought = Finding(code="regions_not_sought", severity="info", text="No part of the table was looked for.")
    with_persons = make().settings.model_copy(update={"group": "patient"})
    found = section(make(findings=(sought,), settings=with_persons))
    assert texts(found.findings) == [["– Information", "No part of the table was looked for."]]
    assert sentence("findings.regions_persons") not in [text for note in found.notes for text in note.paragraphs]
    without = section(make(settings=with_persons))
    assert without.notes[-1].paragraphs == (sentence("findings.regions_persons"),)


@pytest.mark.parametrize("code", ["leaky_holdout", "holdout_overlap"])
def test_an_overlap_says_how_unusual_it_is(code):
    numbers = {"overlap": 40, "rows": 2000}
    assert "0.012" in sentence(f"finding.{code}", p=0.012, **numbers)
    assert "(" not in sentence(f"finding.{code}", p=None, **numbers)


@pytest.mark.parametrize(
    ("code", "notes", "word", "finding", "on_page_1"),
    [
        (
            None,
            (),
            "yes",
            "Its risk is 2.00\N{NO-BREAK SPACE}% (0.00\N{NO-BREAK SPACE}% to 4.00\N{NO-BREAK SPACE}%): no evidence.",
            "inference was tested, by one attack; singling out and linkability were not assessed.",
        ),
        (None, ("partly_trusted",), "yes", "there the question stays open.", "inference was tested"),
        ("not_trusted", ("not_trusted",), "no", "it is too weak to tell.", ALL_OPEN),
        ("no_control", ("no_control",), "no", "without a true holdout its risk is unknown.", ALL_OPEN),
        ("invalid_control", (), "no", "and so its control tells nothing.", ALL_OPEN),
    ],
)
def test_a_criterion_says_what_its_attack_is_worth(make, results, code, notes, word, finding, on_page_1):
    rate = Score(value=0.1, unit="share", better="lower")
    scores = {"attack_rate": rate, "baseline_rate": rate, "attacks": Score(value=9, unit="count", better="context")}
    if code != "no_control":
        scores |= {"risk": Score(value=0.02, low=0.0, high=0.04, unit="share", better="lower"), "control_rate": rate}
    verdict = "context" if code == "no_control" else "inconclusive" if code == "not_trusted" else "low"
    metrics = results["leaky"].metrics | {"inference": Measured(scores=scores, notes=notes, verdict=verdict)}
    coverage = results["leaky"].coverage.model_copy(
        update={"inference": Criterion(assessed=code is None, code=code, metrics=("inference",))}
    )
    result = make(metrics=metrics, coverage=coverage)
    row = section(result).criteria.rows[-1]
    assert row[1].text == sentence(f"coverage.{word}")
    assert row[2].text == "Inference"
    assert row[3].text.endswith(finding)
    assert on_page_1 in first_page(result).limits[-1]


def test_the_table_of_criteria_may_break_between_any_two_of_its_rows(make, rendering):
    criteria = coverage_section(make(), Numbering()).criteria
    assert len(criteria.rows) == 3
    assert (criteria.tall, criteria.whole) == (True, False)
    assert 'class="table table--tall"' in render(make(), rendering).decode()
