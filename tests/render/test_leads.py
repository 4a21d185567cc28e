"""Signals in the report: the leads in tables and figures, and words for records."""

import re

import numpy as np
import pytest

import reportgen
from reportgen import api
from reportgen.render.leads import MOST_FIGURES, most_figures


def waves(records, seed, leads=2, samples=40):
    random = np.random.default_rng(seed)
    height = random.lognormal(0, 0.3, size=(records, leads, 1))
    turns = np.sin(2 * np.pi * (np.arange(samples) / 13 + random.uniform(size=(records, leads, 1))))
    return height * turns + random.normal(0, 0.2, size=(records, leads, samples))


def assess(leads=2, holdout=True, **settings):
    sets = [waves(30, seed, leads) for seed in (1, 2, 3)]
    settings = {"resamples": 100, "draws": 2} | settings
    return reportgen.assess(sets[0], sets[1], sets[2] if holdout else None, **settings)


def html(assessment):
    return assessment.rendered("a.html").decode()


def text(page):
    body = page[: page.index('<script type="application/json"')]
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<(style|title).*?</\1>", " ", body, flags=re.DOTALL)).split())


@pytest.fixture(scope="module")
def page():
    return html(assess(lead_names=["MLII", "V5"], sampling_rate=360))


def table(page, caption):
    start = page.index("<table", page.rindex("<div", 0, page.index(f"</span> {caption}")))
    rows = re.findall(r"<tr>(.*?)</tr>", page[start : page.index("</table>", start)], re.DOTALL)
    return [[re.sub(r"<[^>]+>", " ", cell).split() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def test_the_table_of_leads_has_score_reference_threshold_and_authenticity(page):
    rows = table(page, "nn_dist of each lead")
    assert [row[0] for row in rows[1:]] == [["MLII"], ["V5"]]
    assert all(len(row) == 7 for row in rows)
    assert {" ".join(row[-1][1:]) for row in rows[1:]} <= {"Above reference", "Below reference", "Like the reference"}
    scores = assess(lead_names=["MLII", "V5"]).metrics["nn_dist"].scores
    assert rows[1][1][0] == f"{scores['lead:MLII:score'].value:.3g}"
    assert rows[2][4][0] == f"{100 * scores['lead:V5:authenticity'].value:.2f}"


def test_single_leads_stand_in_no_other_table(page):
    assert not re.search(r"lead:\S", text(page))


def test_every_lead_has_a_figure_that_names_it_in_caption_and_alternative(page):
    for lead in ("MLII", "V5"):
        assert f"Lead {lead}: the median distance is" in text(page)
        assert f'alt="Lead {lead}: ' in page


def test_a_flat_lead_is_said_to_be_not_scored_and_has_no_figure():
    sets = [waves(30, seed) for seed in (1, 2)]
    sets[0][:, 1] = 0
    page = html(reportgen.assess(*sets, resamples=100, draws=2, lead_names="I,aVF"))
    assert table(page, "nn_dist of each lead")[2][0] == ["aVF"]
    assert "not scored: flat, or the same, in every original record" in text(page)
    assert "Lead aVF:" not in text(page)
    assert "Lead &#39;aVF&#39; is flat in every original record" in text(page)


def test_the_data_card_gives_records_leads_samples_and_the_rate(page):
    assert table(page, "Files as read")[1][2:5] == [["30"], ["2"], ["40"]]
    assert "Sampling rate: 360 per second, as supplied" in text(page)
    assert "Sampling rate: not supplied" in text(html(assess()))


def test_the_features_of_each_lead_stand_in_one_line_with_their_weight(page):
    rows = table(page, "Features of each lead: all 14 are used")
    assert [len(row) for row in rows] == [8, 8, 8]
    assert sum(float(cell[0]) for row in rows[1:] for cell in row[1:]) == pytest.approx(100, abs=0.2)


def test_a_feature_that_is_left_out_says_so():
    sets = [waves(30, seed) + 100 for seed in (1, 2)]
    rows = table(html(reportgen.assess(*sets, resamples=100, draws=2)), "Features of each lead: 12 of 14 are used")
    assert rows[1][6] == ["left", "out"]


def test_many_leads_share_a_number_of_figures_and_the_table_holds_all():
    page = html(assess(leads=MOST_FIGURES + 3, metric="nn_dist"))
    assert most_figures(MOST_FIGURES + 3) == MOST_FIGURES
    assert len(re.findall(r"Lead \d+: the median", text(page))) == MOST_FIGURES
    assert page.count("<summary>Counts behind figure ") == MOST_FIGURES
    assert f"Pictures show {MOST_FIGURES} of {MOST_FIGURES + 3} leads" in text(page)
    assert len(table(page, "nn_dist of each lead")) == MOST_FIGURES + 4


def test_the_more_leads_the_fewer_pictures_and_two_at_least():
    assert [most_figures(leads) for leads in (1, 15, 16, 50, 100, 115, 1000)] == [12, 12, 11, 8, 3, 2, 2]


@pytest.mark.parametrize("holdout", [True, False])
def test_no_word_of_the_report_speaks_of_rows(holdout):
    words = text(html(assess(holdout=holdout)))
    assert not re.findall(r".{30}\b[Rr]ows?\b.{30}", words)


def test_metrics_that_were_not_selected_share_one_table():
    page = html(assess(metric="nn_dist"))
    assert "Metrics that were not selected" in text(page)
    assert page.count('class="metric"') <= 3
    assert 'href="#not-selected"' in page
    assert 'id="not-selected"' in page


def test_terminal_and_notebook_speak_of_records_too():
    found = assess()
    from reportgen.render.terminal import render_terminal

    for shown in (render_terminal(found.result), found._repr_html_()):
        assert not re.search(r"\brows\b", shown)


def test_a_report_made_from_the_result_file_is_the_same(tmp_path):
    found = assess(lead_names="I,II")
    found.write(tmp_path / "a.json")
    assert api.load(tmp_path / "a.json").rendered("b.html") == found.rendered("b.html")


def test_hostile_lead_names_are_escaped():
    page = html(assess(lead_names=["<script>alert(1)</script>", "a&b"]))
    assert "<script>alert" not in page.replace('<script type="application/json"', "")
    assert "a&amp;b" in page
