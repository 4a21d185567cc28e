"""The plain summary: one page, in words that the numbers bear out, whatever the result."""

import io
import re
from typing import get_args

import pikepdf
import pytest

from reportgen import model
from reportgen.codes import EvidenceCode, LackCode, ReasonCode
from reportgen.errors import InputError
from reportgen.model import Controls, Detectable, Finding, Measured, Reason, Verdict
from reportgen.render import render, summary_pdf
from reportgen.render.plain_words import MOST_REASONS, found, limits, next_steps, noticed
from reportgen.render.summary_page import STEPS, shortened, summary_page
from reportgen.settings import METRIC_KEYS, Settings
from reportgen.words import catalog

JARGON = re.compile(
    r"\bNNDR\b|p-value|\bp [=<]|\bAUC\b|percentile|median|quantile|bootstrap|Clopper|Wilson|inertia|FAMD|\bd[12]\b|"
    r"standard deviation|interval|permutation|neighbour|metric|rejects|authenticity|covariance|\bnull\b",
    re.IGNORECASE,
)
LONG = "Assessment of the synthetic extract of the register of hospital discharges for the ethics committee " * 5
WORDY = Settings(
    generator="A generator that learns trees, " * 20,
    release_model="Registered users under a contract, " * 20,
    recipients="Researchers of several universities, " * 20,
    sign_off={name: ("Whatever there is to say of this, " * 9)[:300] for name in catalog()["sign_off"] if name in
              {"assessor", "date", "decision", "next_review"}},
)  # fmt: skip


def pages(content):
    with pikepdf.open(io.BytesIO(content)) as document:
        return len(document.pages)


def with_reasons(make, level, *codes, **changes):
    reasons = tuple(
        Reason(code=code, metric="inference" if code == "secondary_test" else None, text=f"Reason {code}.")
        for code in codes
    )
    return make(verdict=Verdict(level=level, tolerance=1.0, upper_bound=None, reasons=reasons), **changes)


def text(page):
    points = [line for point in page.points for line in point.texts]
    cells = [cell.text for one in page.facts for row in one.rows for cell in row]
    files = [cell.text for row in page.compared for cell in row]
    return "\n".join([page.title, page.word, page.headline, page.gate, *points, *cells, *files])


def test_every_result_is_one_page(results, rendering):
    counted = {name: pages(render("a.summary.pdf", result, rendering)) for name, result in results.items()}
    assert counted == dict.fromkeys(results, 1)


@pytest.mark.parametrize(
    ("title", "signed"), [(LONG, WORDY.sign_off.decision), *((sign * 900, sign * 300) for sign in "漢Wअﷺ🧬")]
)
def test_the_longest_texts_are_one_page(make, rendering, title, signed):
    longest = sorted(get_args(ReasonCode), key=lambda code: -len(catalog()["plain"]["reason"].get(code, "")))[:6]
    findings = tuple(
        Finding(code=code, severity="warning", text="A finding.")
        for code in ("person_key", "identifier_reuse_untested")
    )
    lines = dict.fromkeys(("assessor", "date", "decision", "next_review"), signed)
    settings = Settings(generator=title, release_model=title, recipients=title, sign_off=lines)
    result = with_reasons(make, "high", *longest, "leaky_holdout", title=title, settings=settings, findings=findings)
    files = {
        side: getattr(result.inputs, side).model_copy(update={"name": title, "persons": 1234})
        for side in ("original", "holdout")
    }
    result = result.model_copy(update={"inputs": result.inputs.model_copy(update=files)})
    assert pages(render("a.summary.pdf", result, rendering)) == 1


def test_a_page_that_cannot_be_made_small_enough_is_an_error(results, rendering, monkeypatch):
    monkeypatch.setattr(summary_pdf, "typeset_on_one_page", lambda *_: None)
    with pytest.raises(InputError, match="does not fit on one page"):
        render("a.summary.pdf", results["low"], rendering)


def test_it_is_set_no_smaller_than_it_must_be(results, rendering):
    assert summary_page(results["low"], rendering, "paper").step == STEPS[0]
    wordy = results["crowded"].model_copy(update={"settings": WORDY})
    assert summary_page(wordy, rendering, "paper").step == STEPS[-2]


def test_the_result_is_attached_and_both_standards_are_declared(results, rendering):
    with pikepdf.open(io.BytesIO(render("a.summary.pdf", results["low"], rendering))) as document:
        attached = document.attachments["result.json"].get_file().read_bytes()
        assert attached == model.to_json(results["low"]).encode()
        metadata = document.Root.Metadata.read_bytes().decode()
        assert 'part="3"' in metadata
        assert "PDF/UA identification schema" in metadata
        assert str(document.Root.Lang) == "en"
        assert document.docinfo["/Title"] == "Census extract for the open-data portal: plain summary"


@pytest.mark.parametrize("suffix", ["summary.html", "summary.pdf"])
def test_the_same_result_gives_the_same_bytes(results, rendering, suffix):
    first, second = (render(f"a.{suffix}", results["leaky"], rendering) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("code", get_args(ReasonCode))
def test_every_reason_has_a_sentence_without_jargon(make, results, rendering, code):
    level = "high" if code in get_args(EvidenceCode) else "inconclusive"
    result = results["low"] if code == "no_leak_found" else with_reasons(make, level, code)
    said = found(result)[0]
    assert said.endswith(".")
    assert not JARGON.search(said), said
    assert f"Reason {code}" not in text(summary_page(result, rendering, "screen"))


@pytest.mark.parametrize("name", ["leaky", "low", "moderate", "inconclusive", "no_holdout", "approximate", "policy"])
def test_no_word_of_the_page_is_jargon(results, rendering, name):
    page = text(summary_page(results[name], rendering, "screen"))
    assert JARGON.findall(page) == []
    assert "{{" not in page
    assert "None" not in page


@pytest.mark.parametrize("metric", [key for key in METRIC_KEYS if key in catalog()["plain"]["secondary"]])
def test_every_secondary_test_has_its_sentence(make, metric):
    reason = Reason(code="secondary_test", metric=metric, text="Told in numbers.")
    verdict = Verdict(level="moderate", tolerance=1.0, upper_bound=None, reasons=(reason,))
    assert "Told in numbers." not in found(make(verdict=verdict))


def test_all_secondary_tests_of_the_report_are_known():
    assert set(catalog()["plain"]["secondary"]) == set(catalog()["reason"]["secondary_test"])


def test_found_says_what_the_numbers_say(results):
    leaky = found(results["leaky"])
    assert leaky[0].startswith("99 synthetic rows are exact copies of original rows: more than")
    low = found(results["low"])
    assert "No synthetic row is identical to an original row." in low
    assert any(line.startswith("At most 0.36\N{NO-BREAK SPACE}% of the synthetic rows") for line in low)
    few = results["inconclusive"].metrics["exact_copies"]
    assert isinstance(few, Measured)
    score = few.scores["synthetic_rows"].model_copy(update={"value": 0.0005, "high": 0.1, "reference": 0.001})
    metrics = results["inconclusive"].metrics | {
        "exact_copies": few.model_copy(update={"scores": few.scores | {"synthetic_rows": score}})
    }
    said = found(results["inconclusive"].model_copy(update={"metrics": metrics}))
    assert (
        "1 of the 2,000 synthetic rows is identical to an original row; 2 are identical to a row that the generator "
        "never saw." in said
    )


def test_further_reasons_are_counted_not_dropped(make):
    codes = get_args(LackCode)[:6]
    said = found(with_reasons(make, "inconclusive", *codes))
    assert said[-1] == f"{6 - MOST_REASONS} further reasons are named in the full report."


def test_without_unseen_rows_nothing_speaks_of_a_holdout(results, rendering):
    for name in ("no_holdout", "approximate"):
        page = text(summary_page(results[name], rendering, "screen"))
        assert "s statement" not in page
        assert "Holdout:" not in page
        assert "no verdict can clear a table" in page


def test_what_would_be_noticed(make, results):
    assert noticed(results["low"]).startswith(
        "If 16 of the 2,000 synthetic rows (0.80\N{NO-BREAK SPACE}%) were near copies of real "
        "people\N{RIGHT SINGLE QUOTATION MARK}s rows, 80\N{NO-BREAK SPACE}% of such runs would notice."
    )
    detectables = {
        "because a leak was found already": Detectable(code="leak_found", reason="x"),
        "only with real rows": Detectable(code="no_true_holdout", reason="x"),
        "Not known for this run": Detectable(code="too_few_rows", reason="x"),
        "250 planted near copies were not noticed often enough": Detectable(search_limit=250),
    }
    for part, detectable in detectables.items():
        assert part in noticed(make(controls=Controls(memorising=None, detectable=detectable)))


def test_next_steps_follow_from_level_and_what_was_lacking(make):
    assert next_steps(with_reasons(make, "high", "leak_test_near"))[0].startswith("Do not release this table")
    assert "Until then" in next_steps(with_reasons(make, "inconclusive", "too_few_rows"))[-1]
    split = next_steps(with_reasons(make, "inconclusive", "no_true_holdout"))
    assert "reportgen split" in split[0]
    assert any(
        "files checked" in line
        for line in next_steps(with_reasons(make, "moderate", "leak_test_near", "swapped_roles"))
    )
    for code in get_args(LackCode):
        assert len(next_steps(with_reasons(make, "inconclusive", code))) == 2, code
    for level in ("high", "moderate"):
        assert not any("release with" in line for line in next_steps(with_reasons(make, level, "leak_test_near")))


def test_only_a_low_level_is_spoken_of_as_decidable(results, rendering):
    for name in ("leaky", "moderate", "inconclusive", "no_holdout"):
        page = summary_page(results[name], rendering, "screen")
        assert "No test found that" not in page.headline
        assert not any("Decide on the release" in line for point in page.points for line in point.texts)


def test_bound_of_the_badge_stands_in_the_headline(results, rendering):
    page = summary_page(results["low"], rendering, "screen")
    assert page.word == "No leak found above 0.8\N{NO-BREAK SPACE}%"
    assert "up to 0.8\N{NO-BREAK SPACE}%" in page.headline


def test_gate_says_whether_it_is_met_and_by_waivers(results, rendering):
    said = {name: summary_page(results[name], rendering, "screen").gate for name in ("leaky", "tolerated", "policy")}
    assert said["leaky"] == "The rule for release that was set for this run is not met."
    assert said["tolerated"] == "No rule for release was set for this run."
    assert said["policy"] == "The rule for release that was set for this run is not met."


def test_limits_name_how_the_holdout_came_about(results):
    assert any("s statement and was not checked" in line for line in limits(results["leaky"]))
    assert any(
        "WP216 (Opinion 05/2014): singling out, linkability and inference" in line for line in limits(results["low"])
    )


def test_signals_are_records(make, rendering):
    lead = model.Lead.model_validate({"name": "I", "flat": False}) if "flat" in model.Lead.model_fields else None
    result = make().model_copy(update={"leads": (lead,)})
    page = text(summary_page(result, rendering, "screen"))
    assert re.findall(r"\brows?\b", page) == []
    assert "99 synthetic records are exact copies of original records" in page


def test_persons_are_counted(make, rendering):
    result = make()
    original = result.inputs.original.model_copy(update={"persons": 400})
    page = summary_page(
        result.model_copy(update={"inputs": result.inputs.model_copy(update={"original": original})}),
        rendering,
        "screen",
    )
    assert page.compared[0][2].under == "400 persons"
    assert any("one by one" in line for point in page.points for line in point.texts)


def test_sign_off_and_release_are_the_users_or_said_to_be_missing(make, rendering):
    said = Settings(generator="Trees", sign_off={"assessor": "A. Person", "decision": "No."})
    page = summary_page(make(settings=said), rendering, "screen")
    release, signed, _ = ([(row[0].text, row[1].text) for row in one.rows] for one in page.facts)
    assert release == [("Generator", "Trees"), ("Release model", "not supplied"), ("Recipients", "not supplied")]
    assert signed == [
        ("Assessor", "A. Person"),
        ("Date", "not supplied"),
        ("Decision", "No."),
        ("Next review", "not supplied"),
    ]


def test_long_statements_are_cut_and_sign_off_in_the_last_step_alone(make, rendering):
    page = summary_page(make(settings=WORDY), rendering, "screen")
    assert page.facts[0].rows[0][1].text.endswith("…")
    assert all(row[1].text == " ".join(WORDY.sign_off.decision.split()) for row in page.facts[1].rows)
    last = summary_page(make(settings=WORDY), rendering, "paper", "cut")
    assert all(row[1].text.endswith("…") for one in last.facts[:2] for row in one.rows)
    assert last.size == "tight"
    assert shortened("漢" * 10, 9) == "漢" * 4 + "…"
    assert shortened("a\n b  c", 5) == "a b c"


def test_html_carries_the_result_and_its_checksum(results, rendering):
    page = render("a.summary.html", results["leaky"], rendering).decode()
    assert page.count('<script type="application/json" id="reportgen-result">') == 1
    assert f'<td class="hash breakable">{model.digest(results["leaky"])}</td>' in page
    assert page.count("<h1") == 1
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert len(page) < 600_000
