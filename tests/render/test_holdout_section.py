"""The answer of the holdout section: what the leak test found first, then what was counted."""

import re

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.model import Finding, Measured, Score
from reportgen.render.holdout import holdout_section
from reportgen.render.view import Numbering


def answer(make, results, p, copies, chance):
    share = Score(value=copies / 2000, low=0.0, high=1.0, reference=chance / 2000, unit="share", better="lower")
    again = Score(value=copies, reference=chance, unit="count", better="lower")
    metrics = dict(results["leaky"].metrics)
    metrics["exact_copies"] = Measured(scores={"synthetic_rows": share, "original_rows": again}, verdict="low")
    if p is not None:
        value = Score(value=p, unit="probability", better="higher")
        metrics["leak_test"] = Measured(scores={"p_value": value}, verdict="low")
    return (
        holdout_section(make(metrics=metrics), "paper", Numbering())
        .answer.paragraphs[0]
        .replace("\N{NO-BREAK SPACE}", " ")
    )


@pytest.mark.parametrize(
    ("p", "copies", "chance", "expected"),
    [
        (
            0.05,
            0,
            0,
            (
                "Yes, by the leak test, which looks at all rows (p = 0.050; section 4). "
                "No synthetic row equals an original row; none equals a holdout row."
            ),
        ),
        (
            0.051,
            0,
            0,
            (
                "No more than chance allows, by the leak test, which looks at all rows (p = 0.051; section 4). "
                "No synthetic row equals an original row; none equals a holdout row."
            ),
        ),
        (
            0.3,
            3,
            1,
            (
                "No more than chance allows, by the leak test, which looks at all rows (p = 0.300; section 4). "
                "But 3 synthetic rows equal an original row; 1 equals a holdout row."
            ),
        ),
        (
            0.001,
            1,
            2,
            (
                "Yes, by the leak test, which looks at all rows (p = 0.001; section 4). "
                "1 synthetic row equals an original row; 2 equal a holdout row."
            ),
        ),
        (
            None,
            3,
            0,
            (
                "How near the rows lie is described in section 4; the leak test, which would judge it, was not "
                "measured. But 3 synthetic rows equal an original row; none equals a holdout row."
            ),
        ),
    ],
)
def test_the_answer_begins_with_the_leak_test_and_never_with_a_count_that_misses_it(
    make, results, p, copies, chance, expected
):
    assert answer(make, results, p, copies, chance) == expected


@pytest.mark.parametrize("small", [True, False])
def test_what_is_missing_is_what_can_be_had(results, small):
    result = results["approximate"]
    others = tuple(finding for finding in result.findings if finding.code != "small_original")
    finding = Finding(code="small_original", severity="notice", text="The original has 100 rows.")
    result = result.model_copy(update={"findings": (*others, finding) if small else others})
    rows = {row[0].text: row[1].text for row in holdout_section(result, "paper", Numbering()).facts.rows}
    assert rows["What is missing"].endswith("a holdout would be too small") is small


def test_without_a_column_to_compare_no_report_says_that_rows_differ(tmp_path):
    """The same file three times, of columns that never change: nothing was held against anything."""
    table = pd.DataFrame({"a": [1] * 50, "b": ["x"] * 50})
    report = reportgen.assess(table, table, table)
    assert report.result.verdict.level != "low"
    page = html_of(report, tmp_path)
    assert "No row of it equals an original row" not in page
    assert "no row of it was held against the original" in page
    assert "not counted: no column is left in which rows could be equal" in page
    assert "0 rows of the holdout equal" not in page


def test_with_columns_to_compare_the_overlap_is_told(tmp_path):
    random = np.random.default_rng(3)
    original, synthetic, holdout = (pd.DataFrame(random.normal(size=(60, 2)), columns=["a", "b"]) for _ in range(3))
    page = html_of(reportgen.assess(original, synthetic, holdout), tmp_path)
    assert "No row of it equals an original row." in page
    assert "0 rows of the holdout equal an original row" in page


def html_of(report, folder):
    path = folder / "report.html"
    report.write(path)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))
