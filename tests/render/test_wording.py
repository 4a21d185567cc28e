"""What no report says: promises, words for another kind of data, documents that nobody else has, advice twice."""

import re

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.model import Measured
from reportgen.render.context import build_report
from reportgen.render.glossary import texts
from reportgen.subject import speaking_of
from reportgen.words import catalog, sentence

PROMISES = re.compile(
    r"\b(safe|safely|safety|secure|anonymous|anonymi[sz]ed|guarantee[sd]?|compliant|compliance|impossible|certain(ly)?"
    r"|no risk|risk[- ]free|proves|proven|ensures?|always|cannot leak|protected|private)\b",
    re.IGNORECASE,
)
ALLOWED = (
    "Nothing here is a differential-privacy guarantee, for this file or for the generator",
    "It is no proof of anonymity and no guarantee, for this table",
    "for privacy it proves nothing",
    "by itself a result file proves nothing",
)
"""Sentences that take a promise back."""
FOREIGN = re.compile(r"seed documents?|\bseeds? 00\d|metrics\.md|Octopize|SynthProof|ECGEN", re.IGNORECASE)


def waves(seed, records=30):
    random = np.random.default_rng(seed)
    turns = np.sin(2 * np.pi * (np.arange(40) / 13 + random.uniform(size=(records, 2, 1))))
    return random.lognormal(0, 0.3, size=(records, 2, 1)) * turns + random.normal(0, 0.2, size=(records, 2, 40))


def people(seed, persons=40, first=0):
    random = np.random.default_rng(seed)
    middle = np.repeat(random.normal(size=(persons, 3)), 3, axis=0)
    frame = pd.DataFrame(middle + random.normal(0, 0.1, size=middle.shape), columns=["height", "weight", "age"])
    return frame.assign(person=np.repeat(np.arange(first, first + persons), 3))


QUICK = {"resamples": 100, "draws": 2}


@pytest.fixture(scope="module")
def measured():
    """Assessments of signals and of persons: with a leak and without, with a holdout and without."""
    copied = waves(2)
    copied[:8] = waves(1)[:8]
    made = people(2, first=500)
    return {
        "signals": reportgen.assess(waves(1), waves(2), waves(3), **QUICK).result,
        "signals_leaky": reportgen.assess(waves(1), copied, waves(3), **QUICK).result,
        "signals_alone": reportgen.assess(waves(1), copied, **QUICK).result,
        "persons": reportgen.assess(people(1), made, people(3, first=1000), group="person", **QUICK).result,
        "persons_alone": reportgen.assess(people(1), made, group="person", **QUICK).result,
    }


@pytest.fixture(scope="module")
def said(results, measured, rendering):
    """Every text of every report by its name, foreign texts left out."""
    plain = {name: result for name, result in (results | measured).items() if not name.startswith("hostile")}
    return {name: tuple(texts(build_report(result, rendering, "screen"))) for name, result in plain.items()}


def test_no_report_promises_anything(said):
    assert len(said) > 15
    for name, words in said.items():
        for text in words:
            own = text
            for allowed in ALLOWED:
                own = own.replace(allowed, "")
            found = PROMISES.search(own)
            assert not found, (name, found[0], text)


def test_what_takes_a_promise_back_is_said_in_every_report(said):
    assert all(any(ALLOWED[0] in text for text in words) for words in said.values())


def test_a_promise_would_be_found():
    for text in (
        "The data are safe.",
        "This is anonymous.",
        "so there is no risk.",
        "We guarantee it.",
        "GDPR-compliant",
    ):
        assert PROMISES.search(text)


def test_no_text_of_the_catalog_promises_anything():
    def walk(entry):
        if isinstance(entry, dict):
            for one in entry.values():
                yield from walk(one)
        elif isinstance(entry, str):
            yield entry

    for of in ("tables", "persons", "signals"):
        with speaking_of(of):
            for text in walk(catalog()):
                own = text
                for allowed in ALLOWED:
                    own = own.replace(allowed, "")
                assert not PROMISES.search(own), text


def test_no_report_speaks_of_documents_that_its_reader_does_not_have(said):
    for name, words in said.items():
        for text in words:
            assert not FOREIGN.search(text), (name, text)


PRINTED = re.compile(
    r"Tables? \d+|table above|between the two columns|The column “Ideal range”|lines? of the table"
    r"|last column holds all|one column for each ratio|[Cc]ells (of|with) fewer|records in a cell|each table stands"
    r"|[Ff]or tables( of persons)? only|The table (holds|says)"
)
"""The tables and columns that a report itself consists of, and what is there for tables alone."""
OF_TABLES = re.compile(r"\b(rows?|columns?|tables?|cells?)\b", re.IGNORECASE)


@pytest.mark.parametrize("name", ["signals", "signals_leaky", "signals_alone"])
def test_a_report_on_signals_says_nothing_of_rows_and_columns(said, measured, name):
    command = measured[name].command
    for text in said[name]:
        if text != command:
            assert not OF_TABLES.search(PRINTED.sub("", text)), text


@pytest.mark.parametrize("name", ["persons", "persons_alone"])
def test_a_report_on_persons_counts_persons_where_they_are_what_is_tested(said, name):
    words = " ".join(said[name])
    assert "Original persons that synthetic rows sit on" in words
    assert "original persons" in words
    assert not re.search(r"\brecords? of signals\b|\bleads?\b", words)


def test_a_report_on_rows_says_nothing_of_records_and_persons_with_several(said):
    words = " ".join(said["leaky"])
    assert "original persons" not in words
    assert not re.search(r"\bsynthetic records?\b", words)


def test_advice_on_the_generator_is_given_once(said):
    for name, words in said.items():
        shared = [text for text in words if "stop training sooner" in text]
        assert len(shared) <= 1, name
    assert sum("stop training sooner" in text for text in said["leaky"]) == 1


def test_no_paragraph_of_advice_stands_twice_in_a_report(said):
    long = re.compile(r".{120,}", re.DOTALL)
    for name in ("leaky", "low", "signals_leaky"):
        words = [text for text in said[name] if long.fullmatch(text)]
        twice = {text for text in words if words.count(text) > 1}
        limits = {entry["cannot"] for entry in catalog()["metric"].values() if "cannot" in entry}
        assert not {text for text in twice if "change the generator" in text} | (twice & limits)


def weak(result, make):
    """The same result with a singling-out attack that does no better than guessing."""
    from reportgen.model import Criterion, Score

    def share(value, better="lower", **more):
        return Score(value=value, unit="share", better=better, **more)

    scores = {
        "risk": share(0.0, low=0.0, high=0.01),
        "attack_rate": share(0.01, low=0.005, high=0.02, reference=0.012),
        "control_rate": share(0.012, better="context"),
        "baseline_rate": share(0.03, better="context"),
        "p_value": Score(value=0.4, unit="probability", better="higher"),
        "attacks": Score(value=500, unit="count", better="context"),
    }
    attack = Measured(scores=scores, verdict="inconclusive", notes=("not_trusted",))
    criterion = Criterion(assessed=True, metrics=("exact_copies", "singling_out"))
    coverage = result.coverage.model_copy(update={"singling_out": criterion})
    return result.model_copy(update={"metrics": result.metrics | {"singling_out": attack}, "coverage": coverage})


@pytest.mark.parametrize("assessed", [True, False])
def test_an_attack_too_weak_to_tell_is_not_assessed_wherever_it_is_named(results, make, rendering, assessed):
    result = weak(results["low"], make)
    criterion = result.coverage.singling_out.model_copy(update={"assessed": assessed})
    coverage = result.coverage.model_copy(update={"singling_out": criterion})
    report = build_report(result.model_copy(update={"coverage": coverage}), rendering, "paper")
    page_1 = report.first.limits[-1]
    assert "singling out" in page_1
    assert "not assessed" in page_1
    assert not re.search(r"singling out (was|were|and \w+ were) tested", page_1)
    row = next(row for row in report.coverage.criteria.rows if row[0].text == "Singling out")
    assert row[1].text == "not assessed"
    assert "too weak to tell" in row[3].text
    frame = next(frame for frame in report.metrics.frames if frame.title == "Singling out")
    answer = next(note for note in frame.before if note.kind == "answer").paragraphs[0]
    assert answer.startswith("Not assessed: ")
    rows = {row[0].text: row[-1].text for row in report.summary.table.rows if len(row) > 1}
    assert rows["Singling out: risk"] == rows["Singling out: success on original rows"] == "– Not assessed"
    assert "Singling out was tried with an attack that is too weak to tell" in report.summary.text
    group = [row[0].text for row in report.summary.table.rows if len(row) == 1]
    assert sentence("summary.group_weak") in group


def test_without_a_true_holdout_no_text_says_that_there_is_no_risk(measured, said):
    assert not any("there is no risk" in text or "and no risk" in text for words in said.values() for text in words)


def test_a_small_original_is_not_told_to_give_away_rows_that_it_has_not(measured, said):
    small = [text for text in said["signals_alone"] if text.startswith("Collect more real records")]
    assert small
    assert all("would be too small" in text for text in small)
    assert not any(text.startswith("Set real records aside") for text in said["signals_alone"])


@pytest.mark.parametrize(
    ("value", "ends", "shown"),
    [(180.0, (170, 190), True), (101.0, (99, 103), False), (103.0, (101, 104), False), (90.0, (85, 95), False)],
)
def test_a_low_report_on_rows_far_from_the_real_ones_says_that_they_may_be_of_less_use(
    results, rendering, value, ends, shown
):
    result = results["low"]
    metric = result.metrics["distance_to_closest"]
    median = metric.scores["median"].model_copy(
        update={"value": value, "low": ends[0], "high": ends[1], "null_low": 94.0, "null_high": 106.0}
    )
    changed = metric.model_copy(update={"scores": metric.scores | {"median": median}})
    result = result.model_copy(update={"metrics": result.metrics | {"distance_to_closest": changed}})
    reasons = build_report(result, rendering, "paper").first.reasons
    assert any(reason.name == "Usefulness" for reason in reasons) is shown


def test_only_a_low_report_names_what_read_low_in_trials(said):
    with_trials = {name for name, words in said.items() if any("up to half read low" in text for text in words)}
    assert "low" in with_trials
    assert not with_trials & {"leaky", "moderate", "inconclusive", "no_holdout", "signals_leaky"}
