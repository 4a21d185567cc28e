"""What the user states, in the report: in their words, and said to be missing where nothing was stated."""

import re

import pytest

from reportgen.render.context import build_report
from reportgen.render.page import render_page
from reportgen.settings import Settings


@pytest.fixture
def texts(make, rendering):
    """The text of the page with these settings, without its tags."""

    def text(**settings):
        page = render_page(build_report(make(settings=Settings(**settings)), rendering, "paper"), "packaged")
        return " ".join(re.sub(r"<[^>]*>", " ", page.partition("<body>")[2]).split())

    return text


def test_release_generator_parameters_and_sign_off_are_printed(texts):
    page = texts(
        release_model="Open download.",
        generator="Trees.",
        generator_parameters={"trees": 30, "rate": 0.00001, "on": False, "sizes": [1, 2], "none": []},
        sign_off={"assessor": "A. Person", "date": "2026-12-01", "decision": "<b>No</b>", "next_review": "2027"},
    )
    assert "Release model Open download. Generator Trees." in page
    assert "Parameter Value none none on no rate 1e-05 sizes 1, 2 trees 30" in page
    assert "Assessor A. Person Date 2026-12-01 Decision &lt;b&gt;No&lt;/b&gt; Next review 2027" in page


def test_what_was_not_stated_is_said_to_be_missing(texts):
    page = texts(context="Only this.")
    assert "Context Only this. Recipients Not supplied. Release model Not supplied. Generator Not supplied." in page
    lines = " ".join(f"{name} not supplied" for name in ("Assessor", "Date", "Decision", "Next review"))
    assert lines in page
    assert "Parameters of the generator" not in page


def test_settings_that_are_words_stand_in_no_table_of_settings(make, rendering):
    report = build_report(make(settings=Settings(generator="Trees.")), rendering, "paper")
    names = {row[0].text for row in report.provenance.settings.rows}
    assert not names & {"title", "context", "recipients", "release_model", "generator", "sign_off"}
    assert {"seed", "tolerance"} <= names
