"""One catalog of words for rows of tables and records of signals."""

import re
import tomllib

import pytest

from reportgen._resources import resource
from reportgen.subject import current, for_signals, speaking_of
from reportgen.words import catalog, sentence

OWN = {"instead": {"used column": "sample"}}


def entries(words, path=()):
    for key, entry in words.items():
        if isinstance(entry, dict):
            yield from entries(entry, (*path, key))
        elif isinstance(entry, str):
            yield (*path, key), entry


@pytest.fixture
def words_for_signals():
    with speaking_of("signals"):
        return catalog()


def test_rows_become_records_in_text_and_in_quoted_words_but_not_in_names():
    words = {"one": "Rows: {{ rows|plural('row', 'rows') }} {% if row %}of a row{% endif %} in a used column, arrows"}
    expected = "Records: {{ rows|plural('record', 'records') }} {% if row %}of a record{% endif %} in a sample, arrows"
    assert for_signals(words, OWN) == {"one": expected}


def test_an_own_entry_takes_the_place_of_the_one_of_its_name():
    words = {"a": {"x": "one row", "y": "two rows"}}
    assert for_signals(words, OWN | {"a": {"y": "a pair"}}) == {"a": {"x": "one record", "y": "a pair"}}


def test_terms_of_the_glossary_are_words_too():
    words = {"glossary": {"terms": {"rows": {"name": "Original rows", "forms": "original row|rows"}}}}
    spoken = {"name": "Original records", "forms": "original record|records"}
    assert for_signals(words, OWN) == {"glossary": {"terms": {"rows": spoken}}}


def fail_while_speaking():
    with speaking_of("signals"):
        assert sentence("unit.count") == "records"
        raise ZeroDivisionError


def test_what_is_spoken_of_ends_with_its_block_even_by_an_error():
    with pytest.raises(ZeroDivisionError):
        fail_while_speaking()
    assert current() == "tables"
    assert sentence("unit.count") == "rows"


def test_no_sentence_on_signals_speaks_of_rows(words_for_signals):
    expression = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
    for path, entry in entries(words_for_signals):
        words = expression.sub(lambda part: " ".join(re.findall(r"'[^']*'", part[0])), entry)
        assert not re.search(r"\brows?\b", words, re.IGNORECASE), path


def test_every_entry_for_tables_is_there_for_signals(words_for_signals):
    have = {path for path, _ in entries(words_for_signals)}
    assert {path for path, _ in entries(catalog()) if path[0] != "glossary"} <= have


def test_every_phrase_that_is_replaced_occurs_in_the_words_for_tables():
    """A phrase that was reworded would otherwise stay as it is, unnoticed."""
    own = tomllib.loads(resource("templates", "text", "en_signals.toml").read_text(encoding="utf-8"))
    text = "\n".join(entry for _, entry in entries(catalog()))
    assert [phrase for phrase in own["instead"] if not re.search(rf"\b{re.escape(phrase)}\b", text)] == []


def test_every_entry_for_persons_takes_the_place_of_one_for_tables_or_is_about_persons():
    own = tomllib.loads(resource("templates", "text", "en_persons.toml").read_text(encoding="utf-8"))
    known = {path for path, _ in entries(catalog())}
    alone = {path for path, _ in entries(own)} - known
    assert all(path[-1].split("_")[0] in {"persons", "shared"} for path in alone), alone


def test_an_entry_for_persons_stands_where_rows_belong_to_them():
    with speaking_of("persons"):
        assert sentence("metric.leak_test.score.original_rows_unit") == "persons"
        assert sentence("unit.count") == "rows"
    assert sentence("metric.leak_test.score.original_rows_unit") == "rows"
